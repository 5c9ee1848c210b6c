"""One side of a conversation without any I/O: messages in, events out; calls in, messages out.

Owns what does not depend on how bytes travel: ids and their answers, what is in flight in either direction, batches,
cancellation, progress, the lifecycle. It has no clock, starts no task, and logs nothing; a shell does (`peer`).
"""

from __future__ import annotations

from typing import Any, Final

from msgspec import UNSET

from .batch import Replies
from .capabilities import missing
from .codec import Codec
from .errors import (
    Closed,
    DecodeError,
    EncodeError,
    InternalError,
    InvalidRequest,
    LocalProtocolError,
    RemoteProtocolError,
    RpcError,
)
from .events import Answered, Cancelled, Event, Ignored, Incoming, Outgoing, Progressed, Refused, Told
from .ids import RequestId
from .lifecycle import INITIALIZE, Lifecycle, Phase
from .messages import (
    Batch,
    Failure,
    Malformed,
    Message,
    Notification,
    Request,
    Success,
    UnknownNotification,
    UnknownRequest,
    Unusable,
)
from .rows import Method, Side
from .stubs import Capabilities

CANCELLED: Final = "notifications/cancelled"
PROGRESS: Final = "notifications/progress"
_UNASKED: Final = "a request, in a revision where this side is asked nothing"


class Call:
    """A request of ours that waits for its answer. `waiter` is the shell's own."""

    __slots__ = ("message", "progress", "waiter")

    def __init__(self, message: Request) -> None:
        self.message = message
        self.progress: float | None = None
        self.waiter: Any = None


class Engine:
    """The state of one side of one connection.

    `max_inbound` bounds the requests answered at a time; one more gets an error that says so.
    """

    def __init__(self, codec: Codec, *, max_inbound: int = 1000) -> None:
        self.codec = codec
        self.max_inbound = max_inbound
        self.lifecycle = Lifecycle(handshake=INITIALIZE in codec.tables.rows)
        self.declared: dict[Side, Capabilities] = {}
        """What each side has declared, as far as it is known."""
        self._answers = codec.tables.answers
        self._next_id = 0
        self._calls: dict[RequestId, Call] = {}
        self._inbound: dict[RequestId, Incoming] = {}

    # Messages that come.

    def receive(self, frame: bytes) -> list[Event]:
        """Take one frame. Raises nothing, whatever the peer sent."""
        calls = self._calls
        expected = next(iter(calls.values())).message if len(calls) == 1 else None
        return self.accept(self.codec.read(frame, expected))

    def accept(self, message: Message) -> list[Event]:
        """Take one message. Raises nothing, whatever the peer sent."""
        if isinstance(message, Batch):
            return self._batch(message)
        event = self._one(message, None)
        return [] if event is None else [event]

    def _batch(self, message: Batch) -> list[Event]:
        replies = Replies()
        events: list[Event] = []
        for each in message.messages:
            if isinstance(each, (Request, UnknownRequest)) and each.method == INITIALIZE:
                each = Malformed(InvalidRequest(f"{INITIALIZE} must not be part of a batch"), each.id)
            event = self._one(each, replies)
            if event is not None:
                events.append(event)
        complete = replies.settle(None)
        return [*events, Outgoing(complete)] if complete is not None else events

    def _one(self, message: Message, replies: Replies | None) -> Event | None:
        match message:
            case Request() | UnknownRequest():
                return self._request(message, replies) if self._answers else Ignored(_UNASKED)
            case Notification():
                return self._notification(message)
            case Success() | Failure():
                return self._response(message)
            case Malformed():
                return self._refuse(message, replies)
            case UnknownNotification():
                return Told(message)
            case Unusable(reason=reason, id=id_):
                call = None if id_ is None else self._calls.pop(id_, None)
                return Ignored(reason) if call is None else self._failed(call, RemoteProtocolError(reason))
            case Batch():
                return self._refuse(Malformed(InvalidRequest("A batch inside a batch")), replies)

    def _request(self, message: Request | UnknownRequest, replies: Replies | None) -> Event | None:
        id_ = message.id
        if id_ in self._inbound:
            fault = InvalidRequest("Invalid request: a request with this id is still in progress")
            return self._refuse(Malformed(fault, id_), replies)
        if objection := self.lifecycle.objection(message.method):
            return self._refuse(Malformed(InvalidRequest(f"Invalid request: {objection}"), id_), replies)
        if len(self._inbound) >= self.max_inbound:
            busy = InternalError(f"Busy: {self.max_inbound} requests are in progress")
            return self._refuse(Malformed(busy, id_), replies)
        if message.method == INITIALIZE and isinstance(message, Request):
            self.lifecycle.begun()
            self._declare_from(message.params)
        incoming = Incoming(message, replies)
        if replies is not None:
            replies.expect()
        self._inbound[id_] = incoming
        return incoming

    def _refuse(self, message: Malformed, replies: Replies | None) -> Event | None:
        if not self._answers:
            return Ignored(str(message.error))
        answer = Failure(message.id, message.error)
        if replies is None:
            return Outgoing(answer)
        replies.add(answer)
        return None

    def _notification(self, message: Notification) -> Event | None:
        if message.method == CANCELLED:
            return self._cancelled(message)
        if message.method == PROGRESS:
            return self._progress(message)
        return Told(message)

    def _cancelled(self, message: Notification) -> Event:
        id_ = message.params.request_id
        incoming = self._inbound.get(id_) if id_.__class__ in (int, str) else None
        if incoming is None or incoming.method == INITIALIZE:
            return Ignored(f"{CANCELLED} for a request that is not in progress", message)
        del self._inbound[id_]
        incoming.cancelled = True
        settled = None if incoming.replies is None else incoming.replies.settle(None)
        return Cancelled(incoming, message, settled)

    def _progress(self, message: Notification) -> Event:
        params = message.params
        call = self._calls.get(params.progress_token)
        if call is None:
            return Ignored(f"{PROGRESS} with a token that is not in use", message)
        if call.progress is not None and params.progress <= call.progress:
            return Ignored(f"{PROGRESS} that does not grow", message)
        call.progress = params.progress
        return Progressed(call, message)

    def _response(self, message: Success | Failure) -> Event:
        call = None if message.id is None else self._calls.pop(message.id, None)
        if call is None:
            told = f": {message.error}" if isinstance(message, Failure) else ""
            return Ignored(f"a response to no request that is waiting{told}")
        if isinstance(message, Failure):
            return self._failed(call, message.error)
        try:
            result = self.codec.result(call.message, message.result)
        except RemoteProtocolError as error:
            return self._failed(call, error)
        if call.message.method == INITIALIZE:
            self._declare_from(call.message.params)
            self._declare_from(result)
        return Answered(call, result)

    def _failed(self, call: Call, error: RpcError | RemoteProtocolError) -> Refused:
        if call.message.method == INITIALIZE:
            self.lifecycle.refused()
        return Refused(call, error)

    def _declare_from(self, hello: Any) -> None:
        """Remember the capabilities that one half of a handshake holds."""
        from . import base

        capabilities = getattr(hello, "capabilities", UNSET)
        if capabilities is UNSET:
            return
        ours = hasattr(hello, "server_info") or hasattr(hello, "serverInfo")
        side: Side = "server" if ours else "client"
        try:
            self.declared[side] = base.decode(base.encode(capabilities), dict[str, Any])
        except (DecodeError, EncodeError):
            # Nested too deeply to be looked into: then nothing is known of it.
            return

    # Messages that go.

    def call(self, method: str, params: Any = None, *, progress: bool = False) -> Call:
        """Begin a call; its `message` is to be sent. `progress` asks for progress, under the id as its token.

        Raises LocalProtocolError for a call that must not be made now, Closed where there is no connection any more.
        """
        self._open()
        row = self._mine(method, "request")
        objection = self.lifecycle.objection(method) or missing(row, self.declared)
        if params is None and row.params_required:
            objection = objection or "it needs params"
        if objection:
            raise LocalProtocolError(f"{method} cannot be called: {objection}")
        self._next_id += 1
        id_ = self._next_id
        message = self.codec.request(method, id_, params)
        if progress:
            try:
                message.params = self.codec.with_token(method, params, id_)
            except DecodeError as error:
                raise LocalProtocolError(f"{method} cannot be called: its params are wrong, {error}") from None
        call = Call(message)
        self._calls[id_] = call
        if method == INITIALIZE:
            self.lifecycle.begun()
        return call

    def notify(self, method: str, params: Any = None) -> Notification:
        """A notification to send.

        Raises LocalProtocolError for one that is not ours to send, Closed where there is no connection any more.
        """
        if not self._inbound:
            # While requests of the peer are still to be answered, their handlers may tell it things.
            self._open()
        row = self._mine(method, "notification")
        objection = missing(row, self.declared)
        if self.lifecycle.phase is Phase.NEW:
            objection = self.lifecycle.objection(method)
        if objection:
            raise LocalProtocolError(f"{method} cannot be sent: {objection}")
        return self.codec.notification(method, params)

    def reply(self, incoming: Incoming, result: Any) -> Message | None:
        """Answer a request, with an empty result for None; the message to send.

        None where there is nothing to send: the request was cancelled, or its batch is not done. Raises
        LocalProtocolError for a second answer.
        """
        return self._settle(incoming, Success(incoming.id, {} if result is None else result))

    def fail(self, incoming: Incoming, error: RpcError) -> Message | None:
        """Answer a request with an error; what is returned and raised as `reply`."""
        if incoming.method == INITIALIZE and self._inbound.get(incoming.id) is incoming:
            self.lifecycle.refused()
        return self._settle(incoming, Failure(incoming.id, error))

    def _settle(self, incoming: Incoming, answer: Success | Failure) -> Message | None:
        if incoming.cancelled:
            return None
        if self._inbound.get(incoming.id) is not incoming:
            raise LocalProtocolError(
                f"{incoming.method} ({incoming.id!r}) was answered already: a request has one answer"
            )
        del self._inbound[incoming.id]
        if incoming.method == INITIALIZE and isinstance(answer, Success):
            self._declare_from(answer.result)
        return answer if incoming.replies is None else incoming.replies.settle(answer)

    def abandon(self, call: Call, reason: str = "") -> Notification | None:
        """Give up a call; what tells the peer so, or None where it must not or cannot be told.

        An answer that comes later is ignored.
        """
        id_ = call.message.id
        if not self.forget(call) or self.lifecycle.phase is Phase.CLOSED:
            return None
        if call.message.method == INITIALIZE or CANCELLED not in self.codec.tables.outgoing_notifications:
            return None
        given = {"requestId": id_, "reason": reason} if reason else {"requestId": id_}
        return self.codec.notification(CANCELLED, self.codec.build(CANCELLED, given))

    def forget(self, call: Call) -> bool:
        """Give up a call that was never sent; whether it was still waiting."""
        if self._calls.pop(call.message.id, None) is None:
            return False
        if call.message.method == INITIALIZE:
            self.lifecycle.refused()
        return True

    def progress(
        self, incoming: Incoming, progress: float, total: float | None, text: str | None
    ) -> Notification | None:
        """News of a request in progress, or None: nobody asked, it is over, or `progress` has not grown."""
        token = incoming.token
        if token is None or self._inbound.get(incoming.id) is not incoming:
            return None
        if incoming.progress is not None and progress <= incoming.progress:
            return None
        incoming.progress = progress
        given: dict[str, Any] = {"progressToken": token, "progress": progress}
        given |= {} if total is None else {"total": total}
        given |= {} if text is None else {"message": text}
        return self.codec.notification(PROGRESS, self.codec.build(PROGRESS, given))

    def batch(self, messages: list[Message]) -> Batch:
        """Several messages as one. Raises LocalProtocolError where the revision has no batches or there is none."""
        if not self.codec.tables.batches:
            raise LocalProtocolError(f"{self.codec.tables.revision} has no batches: send the messages one by one")
        if not messages:
            raise LocalProtocolError("an empty batch cannot be sent: put a message into it")
        return Batch(messages)

    def close(self) -> list[Call]:
        """The connection has ended: the calls that will have no answer. What is in progress is the shell's to end."""
        self.lifecycle.ended()
        calls = list(self._calls.values())
        self._calls.clear()
        return calls

    @property
    def calls(self) -> int:
        """How many calls wait for an answer."""
        return len(self._calls)

    @property
    def inbound(self) -> int:
        """How many requests of the peer are in progress."""
        return len(self._inbound)

    def _open(self) -> None:
        if self.lifecycle.phase is Phase.CLOSED:
            raise Closed("the connection has ended")

    def _mine(self, method: str, kind: str) -> Method:
        tables = self.codec.tables
        mine = tables.outgoing_requests if kind == "request" else tables.outgoing_notifications
        row = tables.rows.get(method)
        if method not in mine or row is None:
            side = self.codec.side
            raise LocalProtocolError(f"{method} is no {kind} of a {side} in {tables.revision}")
        return row


def masked(error: BaseException) -> RpcError:
    """The one place where an exception becomes an error response: what is no RpcError keeps its text to itself."""
    return error if isinstance(error, RpcError) else InternalError("Internal error")
