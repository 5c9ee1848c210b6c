"""Two connections as one: what comes from either side goes to the other byte for byte, read only if somebody asks.

For gateways, recorders and test tools. A relay answers nothing and knows no session.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from typing import Any

from .channels import Channel
from .codec import MAX_BYTES, Codec
from .errors import LocalProtocolError
from .messages import Message, Request, Success
from .rows import Side

_log = logging.getLogger("typedmcp")


class Frame:
    """One frame on its way. `data` is what came; `message` is what it says, read when it is first asked for."""

    __slots__ = ("_codec", "_message", "data", "sender")

    def __init__(self, data: bytes, sender: Side, codec: Codec) -> None:
        self.data = data
        self.sender = sender
        self._codec = codec
        self._message: Message | None = None

    @property
    def message(self) -> Message:
        """The typed view. Never raises: what is no message is `Malformed` or `Unusable`."""
        if self._message is None:
            self._message = self._codec.read(self.data)
        return self._message

    def result_of(self, request: Frame) -> Any:
        """The result in this frame, as a type of the method that another frame asked for.

        Raises RemoteProtocolError for a result that is none, LocalProtocolError where the two do not belong together.
        """
        asked, answer = request.message, self.message
        if not isinstance(asked, Request) or not isinstance(answer, Success) or asked.id != answer.id:
            raise LocalProtocolError("the frames are no request and its result")
        return self._codec.result(asked, answer.result)


Watch = Callable[[Frame], bool | None]
"""Sees each frame before it goes on; False keeps it back."""


class _Port:
    """One side's end of a relay: a receiver for a transport. What comes for it before its connection is there waits."""

    def __init__(self, relay: Relay, side: Side) -> None:
        self._relay = relay
        self._side: Side = side
        self._channel: Channel | None = None
        self._early: list[bytes] = []
        self.max_bytes = relay.max_bytes

    def attach(self, channel: Channel) -> None:
        """The connection to this side is there."""
        self._channel = channel
        if self._early:
            for frame in self._early:
                channel.send(frame)
            self._early.clear()
            self.congested(False)

    @property
    def other(self) -> _Port:
        """The other side's end."""
        return self._relay.server if self._side == "client" else self._relay.client

    def send(self, frame: bytes) -> None:
        """Send a frame to this side."""
        if self._channel is not None:
            self._channel.send(frame)
            return
        self._early.append(frame)
        # Whoever waits for this side need not fill our memory meanwhile.
        self.congested(True)

    def steer(self, reading: bool) -> None:
        """Go on taking what this side sends, or stop."""
        if self._channel is None:
            return
        if reading:
            self._channel.resume_reading()
        else:
            self._channel.pause_reading()

    def received(self, frame: bytes) -> None:
        """This side has sent a frame."""
        if self._relay.passes(frame, self._side):
            self.other.send(frame)

    def oversized(self, outline: bytes, /) -> None:
        """This side has sent more than may be kept; it goes nowhere."""
        _log.error("a frame of the %s is longer than %d bytes and goes nowhere", self._side, self.max_bytes)

    def congested(self, full: bool, /) -> None:
        """This side does not take what it is sent as fast as the other sends it: then the other waits."""
        self.other.steer(not full)

    def ended(self, reason: str = "", /) -> None:
        """This side has ended."""
        self._relay.over.set()


class Relay:
    """Joins a connection to a client and one to a server; give `client` and `server` to a transport each.

    `package` is that of the types frames are read as, such as `typedmcp_types.v2025_11_25.structs`. `watch` sees every
    frame on its way; what it raises goes to the log, and the frame goes on.
    """

    def __init__(self, package: str, *, watch: Watch | None = None, max_bytes: int = MAX_BYTES) -> None:
        self.max_bytes = max_bytes
        self.over = asyncio.Event()
        """Set when either side has ended."""
        self._watch = watch
        self._package = package
        self._codecs: dict[Side, Codec] = {}
        self.client = _Port(self, "client")
        self.server = _Port(self, "server")

    def passes(self, frame: bytes, sender: Side) -> bool:
        """Whether a frame of one side goes on to the other."""
        if self._watch is None:
            return True
        try:
            return self._watch(Frame(frame, sender, self._codec(sender))) is not False
        except Exception:
            _log.exception("the watch of a relay failed")
            return True

    def _codec(self, sender: Side) -> Codec:
        # Who reads what a client sends reads as a server does.
        reader: Side = "server" if sender == "client" else "client"
        if reader not in self._codecs:
            self._codecs[reader] = Codec(self._package, reader, max_bytes=self.max_bytes)
        return self._codecs[reader]
