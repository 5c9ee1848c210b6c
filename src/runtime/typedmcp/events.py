"""What the engine tells its shell: one object for each thing that happened."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from msgspec import UNSET

from ._unions import is_object
from .ids import RequestId, is_id
from .messages import Batch, Message, Notification, Request, UnknownNotification, UnknownRequest

if TYPE_CHECKING:
    from .batch import Replies
    from .engine import Call
    from .errors import RemoteProtocolError, RpcError


class Incoming:
    """A request to answer, by `Engine.reply` or `Engine.fail`, once."""

    __slots__ = ("cancelled", "id", "message", "method", "params", "progress", "replies", "task")

    def __init__(self, message: Request | UnknownRequest, replies: Replies | None) -> None:
        self.message = message
        self.id: RequestId = message.id
        """Its id, unique among the peer's requests in progress."""
        self.method: str = message.method
        self.params: Any = message.params
        self.replies = replies
        self.cancelled = False
        self.progress: float | None = None
        self.task: Any = None
        """The shell's own."""

    @property
    def meta(self) -> dict[str, Any]:
        """The metadata of the request as JSON values; empty where there is none."""
        params = self.params
        found: Any = params.get("_meta") if is_object(params) else getattr(params, "meta", UNSET)
        if is_object(found):
            return found
        dump = getattr(found, "model_dump", None)
        return {} if dump is None else dump(mode="json", by_alias=True)

    @property
    def token(self) -> RequestId | None:
        """The token under which the caller wants progress, or None."""
        token = self.meta.get("progressToken")
        return token if is_id(token) else None


class Told:
    """A notification to handle."""

    __slots__ = ("message",)

    def __init__(self, message: Notification | UnknownNotification) -> None:
        self.message = message


class Answered:
    """A call has its result, of the method's type."""

    __slots__ = ("call", "result")

    def __init__(self, call: Call, result: Any) -> None:
        self.call = call
        self.result = result


class Refused:
    """A call has failed: by the peer's error, or since its answer is none."""

    __slots__ = ("call", "error")

    def __init__(self, call: Call, error: RpcError | RemoteProtocolError) -> None:
        self.call = call
        self.error = error


class Progressed:
    """A call has made progress."""

    __slots__ = ("call", "message")

    def __init__(self, call: Call, message: Notification) -> None:
        self.call = call
        self.message = message


class Cancelled:
    """A request is no longer wanted: its handler should stop, its answer is not sent.

    `settled`: the reply to its batch, where it was the last one missing.
    """

    __slots__ = ("incoming", "message", "settled")

    def __init__(self, incoming: Incoming, message: Notification, settled: Batch | None) -> None:
        self.incoming = incoming
        self.message = message
        self.settled = settled


class Outgoing:
    """A message to send at once: the answer to what is no message, or cannot be served."""

    __slots__ = ("message",)

    def __init__(self, message: Message) -> None:
        self.message = message


class Ignored:
    """Something the protocol says to ignore: a late response, a notification that cannot be used.

    `message`: a notification that is of no use here, and may be to a handler of its own.
    """

    __slots__ = ("message", "reason")

    def __init__(self, reason: str, message: Notification | None = None) -> None:
        self.reason = reason
        self.message = message


Event = Incoming | Told | Answered | Refused | Progressed | Cancelled | Outgoing | Ignored
