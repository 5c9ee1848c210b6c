"""Frames as lines over any pair of byte streams: the channel that stdio and sockets share."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import Any, Final

from ..channels import Receiver
from ..framing import Lines

HIGH_WATER: Final = 2**20
"""How many bytes may wait to be written before senders wait and nothing more is read."""


CLOSING: Final = 2.0
"""How many seconds the other side has to take what was written when a connection is closed."""


class LineChannel(asyncio.Protocol):
    """A channel over a transport to write to; the bytes that come are fed by whoever reads them.

    As a protocol it serves a transport of both directions, or the writing end alone.
    """

    objects = False

    def __init__(self, receiver: Receiver) -> None:
        self._receiver = receiver
        self._lines = Lines(receiver.max_bytes)
        self._loop = asyncio.get_running_loop()
        self._writer: Any = None
        self._reader: Any = None
        self._waiting: list[bytes] = []
        self._scheduled = False
        self._room = asyncio.Event()
        self._room.set()
        self._lost = asyncio.Event()

    # What comes.

    def feed(self, data: bytes) -> None:
        """Bytes have come."""
        for line in self._lines.feed(data):
            self._receiver.received(line)
        self._report()

    def _report(self) -> None:
        while self._lines.skipped:
            self._receiver.oversized(self._lines.skipped.pop(0))

    def finish(self, reason: str = "the peer ended the connection") -> None:
        """No more bytes will come."""
        for line in self._lines.end():
            self._receiver.received(line)
        self._report()
        # Who waits for room to ask would wait for an answer that cannot come.
        self._room.set()
        self._receiver.ended(reason)

    def data_received(self, data: bytes) -> None:
        """See `feed`."""
        self.feed(data)

    def eof_received(self) -> bool:
        """The other side has ended its half; ours stays open for what is still to be answered."""
        self.finish()
        return True

    # What goes.

    def write_to(self, writer: Any, reader: Any = None) -> None:
        """Begin to write, to a transport; `reader` is the one that may be paused."""
        self._writer = writer
        self._reader = reader
        if writer.is_closing():
            self.writer_lost()
        else:
            writer.set_write_buffer_limits(high=HIGH_WATER)

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """The transport is there; one of both directions is read from too."""
        self.write_to(transport, transport if hasattr(transport, "pause_reading") else self._reader)

    @property
    def full(self) -> bool:
        """Whether more waits to be written than should."""
        return not self._room.is_set()

    def send(self, frame: bytes, /, *, now: bool = False) -> None:
        """Write a frame, together with others of this turn of the loop: now, or at its end."""
        self._waiting += (frame, b"\n")
        if now:
            self._flush()
        elif not self._scheduled:
            self._scheduled = True
            self._loop.call_soon(self._flush_soon)

    def _flush_soon(self) -> None:
        self._scheduled = False
        self._flush()

    def _flush(self) -> None:
        if not self._waiting:
            return
        if self._writer is not None and not self._lost.is_set():
            self._writer.write(b"".join(self._waiting))
        self._waiting.clear()

    def pause_writing(self) -> None:
        """Too much waits: senders wait, and the receiver decides whether more is read."""
        self._room.clear()
        self._receiver.congested(True)

    def resume_writing(self) -> None:
        """There is room again."""
        self._room.set()
        self._receiver.congested(False)

    def pause_reading(self) -> None:
        """Take nothing more for now."""
        if self._reader is not None and not self._reader.is_closing():
            self._reader.pause_reading()

    def resume_reading(self) -> None:
        """Go on taking what comes."""
        if self._reader is not None and not self._reader.is_closing():
            self._reader.resume_reading()

    def writer_lost(self) -> None:
        """Nothing can be written any more; what was sent to us may still come."""
        self._lost.set()
        self._room.set()

    def connection_lost(self, exc: Exception | None) -> None:
        """Nothing can be written any more, and nothing comes."""
        self.writer_lost()
        self._receiver.ended("the connection was lost" if exc is not None else "the peer ended the connection")

    async def drain(self) -> None:
        """Wait until there is room."""
        await self._room.wait()

    async def aclose(self) -> None:
        """Write what waits, and close the transport; what the other side does not take within seconds is lost."""
        self._flush()
        if self._writer is None or self._lost.is_set():
            return
        self._writer.close()
        try:
            await asyncio.wait_for(self._lost.wait(), CLOSING)
        except TimeoutError:
            self._writer.abort()
            self.writer_lost()


async def over_streams(receiver: Receiver, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Speak over a pair of asyncio streams until the reader ends."""
    channel = _StreamChannel(receiver, writer)
    receiver.attach(channel)
    reason = "the peer ended the connection"
    try:
        while data := await reader.read(2**16):
            channel.feed(data)
            await channel.readable.wait()
    except OSError as error:
        reason = f"the connection was lost: {error.strerror or error}"
    finally:
        channel.finish(reason)


class _StreamChannel(LineChannel):
    """The same over a StreamWriter, whose transport has a protocol of its own."""

    def __init__(self, receiver: Receiver, writer: asyncio.StreamWriter) -> None:
        super().__init__(receiver)
        self._stream = writer
        self._writer = writer
        self.readable = asyncio.Event()
        self.readable.set()
        writer.transport.set_write_buffer_limits(high=HIGH_WATER)

    @property
    def full(self) -> bool:
        return self._stream.transport.get_write_buffer_size() > HIGH_WATER

    def pause_reading(self) -> None:
        self.readable.clear()

    def resume_reading(self) -> None:
        self.readable.set()

    async def drain(self) -> None:
        self._flush()
        # A lost connection is told by whoever reads.
        with suppress(ConnectionError):
            await self._stream.drain()

    async def aclose(self) -> None:
        self._flush()
        self._stream.close()
        # It may have ended before we did.
        with suppress(ConnectionError):
            await self._stream.wait_closed()


__all__ = ["HIGH_WATER", "LineChannel", "over_streams"]
