"""The seam between whatever speaks the protocol and whatever carries its frames; knows neither."""

from __future__ import annotations

from typing import Any, Protocol


class Channel(Protocol):
    """What carries frames to the other side. It hands what comes from there to `Peer.received` and `Peer.ended`."""

    objects: bool
    """Whether messages travel as objects and not as bytes; then it hands them to `Peer.accepted`."""

    @property
    def full(self) -> bool:
        """Whether more waits to be sent than should."""
        ...

    def send(self, frame: Any, /, *, now: bool = False) -> None:
        """Send a frame, without an end of line; `now`: nothing more follows in this turn of the loop.

        Does nothing once the channel has ended.
        """
        ...

    def pause_reading(self) -> None:
        """Take nothing more from the other side for now."""
        ...

    def resume_reading(self) -> None:
        """Go on taking what comes."""
        ...

    async def drain(self) -> None:
        """Wait until it is not `full` any more."""
        ...

    async def aclose(self) -> None:
        """Send what waits, and end."""
        ...


class Receiver(Protocol):
    """What a transport feeds: a peer, or one end of a relay."""

    max_bytes: int
    """How long a frame may be."""

    def attach(self, channel: Channel, /) -> None:
        """Begin to speak over a channel."""
        ...

    def received(self, frame: bytes, /) -> None:
        """A frame has come, without its end of line."""
        ...

    def oversized(self, outline: bytes, /) -> None:
        """A frame was longer than allowed and was dropped; its first and last bytes."""
        ...

    def congested(self, full: bool, /) -> None:
        """More waits to be sent than should, or does not any more."""
        ...

    def ended(self, reason: str = ..., /) -> None:
        """Nothing more will come."""
        ...


class Ending(Receiver, Protocol):
    """A receiver that answers: it has an end to wait for, and one to bring about."""

    async def wait_ended(self) -> None:
        """Wait until nothing more can come."""
        ...

    async def aclose(self, *, grace: float = ...) -> None:
        """End: what is being answered gets `grace` seconds, what is written is sent."""
        ...
