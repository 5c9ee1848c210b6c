"""Two connections as one: what comes from either side goes to the other byte for byte, read only if somebody asks.

For gateways, recorders and test tools. A relay answers nothing and knows no session.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from .channels import Channel
from .codec import MAX_BYTES, Codec
from .errors import LocalProtocolError
from .messages import Message, Request, Success
from .rows import Side


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
    """One side's end of a relay: a receiver for a transport."""

    def __init__(self, relay: Relay, side: Side) -> None:
        self._relay = relay
        self._side: Side = side
        self.channel: Channel | None = None
        self.max_bytes = relay.max_bytes

    def attach(self, channel: Channel) -> None:
        """The connection to this side is there."""
        self.channel = channel

    def received(self, frame: bytes) -> None:
        """This side has sent a frame."""
        self._relay.forward(self._side, frame)

    def oversized(self) -> None:
        """This side has sent more than may be kept; it goes nowhere."""

    def congested(self, full: bool, /) -> None:
        """This side does not take what it is sent as fast as the other sends it: then the other waits."""
        other = self._relay.server if self._side == "client" else self._relay.client
        if other.channel is not None:
            if full:
                other.channel.pause_reading()
            else:
                other.channel.resume_reading()

    def ended(self, reason: str = "", /) -> None:
        """This side has ended."""
        self._relay.over.set()


class Relay:
    """Joins a connection to a client and one to a server; give `client` and `server` to a transport each.

    `package` is that of the types frames are read as, such as `typedmcp_types.v2025_11_25.structs`.
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

    def forward(self, sender: Side, data: bytes) -> None:
        """Send a frame of one side on to the other. Raises LocalProtocolError where that has no connection."""
        channel = (self.server if sender == "client" else self.client).channel
        if channel is None:
            other = "server" if sender == "client" else "client"
            raise LocalProtocolError(f"the relay has no connection to the {other}: attach it first")
        if self._watch is None or self._watch(Frame(data, sender, self._codec(sender))) is not False:
            channel.send(data)

    def _codec(self, sender: Side) -> Codec:
        # Who reads what a client sends reads as a server does.
        reader: Side = "server" if sender == "client" else "client"
        if reader not in self._codecs:
            self._codecs[reader] = Codec(self._package, reader, max_bytes=self.max_bytes)
        return self._codecs[reader]
