"""One connection of a server, in whichever revision its client speaks: a peer for each era, over one channel.

A handshake decides for everything that follows it; a request that names its revision is answered in that one. Knows
frames by their first look alone; what is in them is the peers' to read.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import UNSET, UnsetType

from ..channels import Channel
from ..codec import MAX_BYTES
from ..lifecycle import INITIALIZE, Phase
from ..peer import Peer
from .answers import Answers
from .revisions import HANDSHAKE, STATELESS
from .routes import VERSION, ServerRoutes
from .session import Session

if TYPE_CHECKING:
    from .server import Server

_HINT = b"modelcontextprotocol"
"""What every frame holds whose metadata names a revision, however it is written."""
_CANCELLED = b"notifications/cancelled"


class _Meta(msgspec.Struct):
    version: Any = msgspec.field(name=VERSION, default=UNSET)


class _Params(msgspec.Struct):
    meta: _Meta | UnsetType = msgspec.field(name="_meta", default=UNSET)
    version: Any = msgspec.field(name="protocolVersion", default=UNSET)


class _Look(msgspec.Struct):
    method: Any = UNSET
    params: _Params | UnsetType = UNSET


_look = msgspec.json.Decoder(_Look).decode


class _Share:
    """The channel as one of two peers sees it: it is not the peer's to close."""

    objects = False

    def __init__(self, channel: Channel) -> None:
        self._channel = channel
        self.send = channel.send
        self.drain = channel.drain
        self.pause_reading = channel.pause_reading
        self.resume_reading = channel.resume_reading

    @property
    def full(self) -> bool:
        """Whether more waits to be sent than should."""
        return self._channel.full

    async def aclose(self) -> None:
        """The connection closes it."""


class Connection:
    """A receiver for a transport. Make one for each client; `options` are those of `Peer`."""

    def __init__(self, server: Server, *, max_bytes: int = MAX_BYTES, **options: Any) -> None:
        self.max_bytes = max_bytes
        self.session = Session()
        self._server = server
        self._options: dict[str, Any] = {"max_bytes": max_bytes, **options}
        self._channel: _Share | None = None
        self._real: Channel | None = None
        self._handshake: Peer | None = None
        self._stateless: Peer | None = None
        handshake = [revision for revision in HANDSHAKE if revision in server.revisions]
        stateless = [revision for revision in STATELESS if revision in server.revisions]
        self._speaks = handshake
        self._newest_stateless = stateless[-1] if stateless else None

    # What the channel calls.

    def attach(self, channel: Channel, /) -> None:
        """Begin to speak over a channel."""
        self._real = channel
        self._channel = _Share(channel)
        self._server.enter(self.session)
        # What comes first may be anything; whoever answers it must be there to hear of the end as well.
        if self._speaks:
            self._handshake = self._peer(self._speaks[-1])
        else:
            self._stateless = self._peer(self._server.revisions[-1])

    def received(self, frame: bytes, /) -> None:
        """A frame has come."""
        peer = self._handshake
        if peer is None or peer.phase is not Phase.OPEN or _HINT in frame or self._stateless is not None:
            peer = self._choose(frame)
        peer.received(frame)

    def oversized(self, outline: bytes, /) -> None:
        """A frame was longer than allowed and was dropped; its first and last bytes."""
        self._any.oversized(outline)

    def congested(self, full: bool, /) -> None:
        """More waits to be sent than should, or does not any more."""
        self._any.congested(full)

    def ended(self, reason: str = "the peer ended the connection", /) -> None:
        """Nothing more will come: questions to the client fail, streams end."""
        for peer in self._peers:
            peer.ended(reason)
        self.session.closing.set()

    # Who speaks.

    @property
    def _peers(self) -> list[Peer]:
        return [peer for peer in (self._handshake, self._stateless) if peer is not None]

    @property
    def _any(self) -> Peer:
        return self._peers[0]

    def _choose(self, frame: bytes) -> Peer:
        """Who a frame is for, where that takes a look into it."""
        try:
            look = _look(frame)
        except (ValueError, RecursionError):
            look = _Look()
        params = look.params or _Params()
        if self._newest_stateless is not None and params.meta and params.meta.version is not UNSET:
            return self._in_stateless(self._newest_stateless)
        if self._stateless is not None:
            if self._handshake is None or (self._handshake.phase is not Phase.OPEN and look.method != INITIALIZE):
                return self._stateless
            if _CANCELLED in frame:
                # What is cancelled is known to one of the two; to the other it is nothing.
                self._stateless.received(frame)
        assert self._handshake is not None
        if look.method == INITIALIZE and self._handshake.phase is not Phase.OPEN:
            self._handshake = self._for(params.version, self._handshake)
        return self._handshake

    def _in_stateless(self, revision: str) -> Peer:
        if self._stateless is None:
            self._stateless = self._peer(revision)
        return self._stateless

    def _for(self, requested: Any, peer: Peer) -> Peer:
        """Who answers a handshake: in the revision that was asked for, or else in the newest there is."""
        revision = requested if requested in self._speaks else self._speaks[-1]
        return peer if peer.revision == revision else self._peer(revision)

    def _peer(self, revision: str) -> Peer:
        answers = Answers(self._server, self.session, revision)
        peer = answers.peer = Peer(ServerRoutes(answers), **self._options)
        assert self._channel is not None
        peer.attach(self._channel)
        return peer

    # The end.

    async def wait_ended(self) -> None:
        """Wait until nothing more can come."""
        await self.session.closing.wait()

    async def aclose(self, *, grace: float = 0) -> None:
        """End the connection: handlers get `grace` seconds to answer, what is written is sent."""
        self._server.leave(self.session)
        self.ended("the connection was closed")
        try:
            for peer in self._peers:
                await peer.aclose(grace=grace)
        finally:
            if self._real is not None:
                await self._real.aclose()
