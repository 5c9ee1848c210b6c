"""Two peers in one process, joined without any stream: by bytes, as a stream would, or by the objects themselves."""

from __future__ import annotations

import asyncio
from collections import deque
from typing import Any

from ..errors import LocalProtocolError
from ..peer import Peer


class _End:
    """One end of a pair. What is sent here the other end's peer gets in a later turn of the loop, in order."""

    def __init__(self, peer: Peer, *, objects: bool, most: int) -> None:
        self.peer = peer
        self.objects = objects
        self.other: _End | None = None
        self._most = most
        self._queue: deque[Any] = deque()
        self._room = asyncio.Event()
        self._loop = asyncio.get_running_loop()
        self._scheduled = False

    @property
    def full(self) -> bool:
        """Whether the other side is behind."""
        return len(self._queue) > self._most

    def send(self, frame: Any, /, *, now: bool = False) -> None:
        """Hand a frame to the other end, in the next turn of the loop in any case."""
        if self.other is None:
            return
        self._queue.append(frame)
        if self.full:
            self._room.clear()
        if not self._scheduled:
            self._scheduled = True
            self._loop.call_soon(self._deliver)

    def _deliver(self) -> None:
        self._scheduled = False
        other = self.other
        while self._queue and other is not None:
            frame = self._queue.popleft()
            if self.objects:
                other.peer.accepted(frame)
            else:
                other.peer.received(frame)
        self._room.set()

    def pause_reading(self) -> None:
        """Nothing is read here."""

    def resume_reading(self) -> None:
        """Nothing is read here."""

    async def drain(self) -> None:
        """Wait until the other end has taken what is waiting."""
        if self.full:
            await self._room.wait()

    async def aclose(self) -> None:
        """Hand over what waits, then end both ends."""
        self._deliver()
        other, self.other = self.other, None
        if other is not None:
            other.other = None
            other.peer.ended()


def join(one: Peer, other: Peer, *, objects: bool = False, most: int = 1000) -> None:
    """Connect two peers of one loop.

    `objects`: messages are handed over as they are, neither written nor read, so both must be of one package; what one
    side changes in them the other sees. `most`: how many may wait before a sender does. Raises LocalProtocolError for
    peers of different packages in object mode.
    """
    tables, others = one.codec.tables, other.codec.tables
    if objects and tables.types is not others.types:
        raise LocalProtocolError("peers of different packages have no objects in common: join them by bytes")
    ends = _End(one, objects=objects, most=most), _End(other, objects=objects, most=most)
    ends[0].other, ends[1].other = ends[1], ends[0]
    one.attach(ends[0])
    other.attach(ends[1])
