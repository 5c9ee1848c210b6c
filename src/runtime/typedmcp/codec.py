"""From bytes to typed messages and back, for one side of one revision; several codecs live in one process.

The fast path is one pass of one decoder over all methods the other side may send. Only what it refuses is looked at
closely (`envelope`), which finds out why. Knows messages and generated packages by name; no connection, no I/O.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

import msgspec
from msgspec import UNSET, UnsetType

from . import base, frames
from ._unions import is_object
from .envelope import classify
from .errors import DecodeError, EncodeError, InternalError, InvalidRequest, ParseError, RemoteProtocolError, RpcError
from .framing import outline
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

if TYPE_CHECKING:
    from .frames import Tables
    from .rows import Side
    from .stubs import Binding

MAX_BYTES: Final = 64 * 2**20
"""How long one frame may be unless a codec is told otherwise."""
MAX_BATCH: Final = 1000
"""How many messages one batch may have."""
_TOLD_BY: Final = 200
"""A message has its method among its first bytes, usually."""
_TOO_DEEP: Final = "nested too deeply"


class _ErrorBody(msgspec.Struct):
    code: int
    message: str
    data: Any = None


class _Response(msgspec.Struct):
    jsonrpc: frames.Version
    id: int | str
    result: msgspec.Raw = msgspec.Raw()
    error: _ErrorBody | UnsetType = UNSET
    method: frames.Never | UnsetType = UNSET


_read_response: Callable[[bytes], _Response] = msgspec.json.Decoder(_Response).decode
_read_list: Callable[[bytes], list[msgspec.Raw]] = msgspec.json.Decoder(list[msgspec.Raw]).decode
_read_any: Callable[[bytes], Any] = msgspec.json.Decoder().decode


class Codec:
    """Reads what the other side of a revision sends, writes what ours does.

    `strict`: take only what the schema allows. Otherwise a live connection bears two habits of peers: null for an
    absent optional member, and a whole number with a fraction of zero where an integer belongs (ids excepted).
    `max_bytes` bounds one frame, `max_depth` its nesting; without the latter the interpreter's own limit holds.
    """

    def __init__(
        self,
        package: str,
        side: Side,
        *,
        strict: bool = False,
        max_bytes: int = MAX_BYTES,
        max_depth: int | None = None,
    ) -> None:
        self.tables: Tables = frames.tables(package, side)
        self._read: Callable[[bytes], Message] = self.tables.read
        self._asked = side == "server"
        self.side = side
        self.on_unwritable: Callable[[EncodeError], None] | None = None
        """Told of an answer of ours that has no JSON form; the peer only gets to know that something went wrong."""
        self.strict = strict
        self.max_bytes = max_bytes
        self.max_depth = max_depth
        # What is shorter than this is neither too long nor, with its brackets closed, nested too deeply.
        self._suspicious = max_bytes if max_depth is None else min(max_bytes, max_depth)

    @classmethod
    def of(cls, binding: Binding, **options: Any) -> Codec:
        """The codec of generated stubs; options as those of the class."""
        return cls(binding.package, binding.side, **options)

    def read(self, data: bytes, expected: Request | None = None) -> Message:
        """One frame as a message. Raises nothing: what is none becomes Malformed or Unusable.

        `expected`: the one request that waits for an answer. Its result is then read with the rest, in one pass.
        """
        if len(data) > self._suspicious and (objection := self._objection(data)) is not None:
            return objection
        try:
            if not data.isascii():
                # The decoder does not look into what it skips or keeps raw.
                data.decode()
            # Only a hint which decoder will do: a server gets few responses, and the text may stand anywhere.
            if self._asked or data.find(b'"method"', 0, _TOLD_BY) >= 0:
                return self._read(data)
            if expected is not None and (found := self._expected(data, expected)) is not None:
                return found
            return self._answer(_read_response(data)) or self._explained(data)
        except (ValueError, RecursionError):
            return self._explained(data)

    def too_long(self, outline: bytes) -> Malformed | Unusable:
        """What a frame is that was longer than allowed, as far as its first and last bytes tell."""
        told = f"a message is longer than {self.max_bytes} bytes"
        if (found := _answer_outline().search(outline)) is not None:
            return Unusable(told, _read_any(found["first"] or found["last"]))
        return Malformed(InvalidRequest(f"Invalid request: {told}"))

    def adopted(self, message: Message) -> Message:
        """A message that came as an object, as it would have come as bytes: with empty params where none were given."""
        if isinstance(message, Batch):
            for one in message.messages:
                self.adopted(one)
        if isinstance(message, (Request, Notification)) and message.params is UNSET and not message.row.params_required:
            message.params = self.tables.empty(message.method)
        return message

    def _expected(self, data: bytes, expected: Request) -> Success | None:
        """The answer to one request, or None: it is none, or an answer to another, or takes a closer look."""
        decode = self.tables.answer(expected.method)
        if decode is None:
            return None
        try:
            answer = decode(data)
        except (ValueError, RecursionError):
            return None
        same = answer.id == expected.id and answer.id.__class__ is expected.id.__class__
        return Success(answer.id, answer.result) if same else None

    def _objection(self, data: bytes) -> Malformed | Unusable | None:
        if len(data) > self.max_bytes:
            return self.too_long(outline(data))
        if self.max_depth is not None and _deeper(data, self.max_depth):
            return Malformed(ParseError(f"Parse error: {_TOO_DEEP}"))
        return None

    def _answer(self, response: _Response) -> Message | None:
        """A response that has a result or an error; None for one with both or neither."""
        error = response.error
        if len(memoryview(response.result)) > 0:
            return Success(response.id, response.result) if error is UNSET else None
        if isinstance(error, UnsetType):
            return None
        return Failure(response.id, self.tables.error(error.code, error.message, error.data))

    def _explained(self, data: bytes) -> Message:
        try:
            _require_utf8(data)
            if data.lstrip()[:1] == b"[":
                return self._list(data)
            value = _read_any(data)
        except UnicodeDecodeError as error:
            return Malformed(ParseError(f"Parse error: not UTF-8, byte {error.start} is not part of a character"))
        except RecursionError:
            return Malformed(ParseError(f"Parse error: {_TOO_DEEP}"))
        except ValueError as error:
            return Malformed(ParseError(f"Parse error: {error}"))
        if is_object(value) and "method" not in value:
            try:
                if (answer := self._answer(_read_response(data))) is not None:
                    return answer
            except ValueError:
                pass
        return classify(value, self.tables, strict=self.strict)

    def _list(self, data: bytes) -> Message:
        items = [bytes(item) for item in _read_list(data)]
        if not self.tables.batches:
            return Malformed(InvalidRequest(f"{self.tables.revision} has no batches"))
        if not items:
            return Malformed(InvalidRequest("An empty batch"))
        if len(items) > MAX_BATCH:
            # Each element that is none is answered by far more than it takes to write it.
            return Malformed(InvalidRequest(f"A batch of more than {MAX_BATCH} messages"))
        nested = Malformed(InvalidRequest("A batch inside a batch"))
        return Batch([nested if item[:1] == b"[" else self.read(item) for item in items])

    def result(self, request: Request, answer: Any) -> Any:
        """What a request was answered, as a type of its method.

        Raises RemoteProtocolError for a result that is of none.
        """
        try:
            if isinstance(answer, msgspec.Raw):
                return self.tables.result(request, bytes(answer), strict=self.strict)
        except DecodeError as error:
            raise RemoteProtocolError(f"{request.method}: the result is none of this method: {error}") from None
        return answer

    def write(self, message: Message) -> bytes:
        """One message as one line without its end.

        Raises EncodeError for a call or notification that has no JSON form; an answer that has none becomes an error.
        """
        match message:
            case Success():
                try:
                    told = base.encode(message.result)
                except EncodeError as error:
                    return self._failure(message.id, self._unwritable(error))
                return b'{"jsonrpc":"2.0","id":%b,"result":%b}' % (_id(message.id), told)
            case Request() | Notification():
                return base.encode(message)
            case Failure(id=id_, error=error):
                return self._failure(id_, error)
            case Malformed(id=id_, error=error):
                return self._failure(id_, error)
            case Batch(messages=messages):
                return b"[%b]" % b",".join(self.write(one) for one in messages)
            case UnknownRequest(method=method, id=id_, params=params):
                return base.encode({"jsonrpc": "2.0", "id": id_, "method": method, **_given(params)})
            case UnknownNotification(method=method, params=params):
                return base.encode({"jsonrpc": "2.0", "method": method, **_given(params)})
            case Unusable():
                raise EncodeError("a message that cannot be used cannot be written")

    def _failure(self, id_: int | str | None, error: RpcError) -> bytes:
        body: dict[str, Any] = {"code": error.code, "message": error.message}
        if error.data is not None and error.data is not UNSET:
            body["data"] = error.data
        try:
            told = base.encode(body)
        except EncodeError as fault:
            return self._failure(id_, self._unwritable(fault))
        if id_ is not None:
            return b'{"jsonrpc":"2.0","id":%b,"error":%b}' % (_id(id_), told)
        # Base JSON-RPC asks for null; schemas that let the id be absent forbid it (see `Envelope`).
        unknown = b'"id":null,' if self.tables.error_needs_id else b""
        return b'{"jsonrpc":"2.0",%b"error":%b}' % (unknown, told)

    def _unwritable(self, error: EncodeError) -> InternalError:
        if self.on_unwritable is not None:
            self.on_unwritable(error)
        return InternalError("Internal error")

    def request(self, method: str, id_: int | str, params: Any) -> Request:
        """A request of ours, `params` None where there are none. Raises LookupError for a method that is not ours."""
        frame: type[Request] = self.tables.outgoing_requests[method]
        return frame(jsonrpc="2.0", id=id_, params=UNSET if params is None else params)  # type: ignore[call-arg] # pyright: ignore[reportCallIssue]

    def build(self, method: str, params: dict[str, Any]) -> Any:
        """The params of a method, from JSON values; members the revision does not have are left out."""
        return base.convert(params, self.tables.params[method])

    def with_token(self, method: str, params: Any, token: int | str) -> Any:
        """Params of a request with a progress token in their metadata."""
        given: dict[str, Any] = {} if params is None else base.decode(base.encode(params), dict[str, Any])
        given["_meta"] = {**given.get("_meta", {}), "progressToken": token}
        return base.convert(given, self.tables.params[method])

    def notification(self, method: str, params: Any) -> Notification:
        """A notification of ours, `params` as those of a request."""
        frame: type[Notification] = self.tables.outgoing_notifications[method]
        return frame(jsonrpc="2.0", params=UNSET if params is None else params)  # type: ignore[call-arg] # pyright: ignore[reportCallIssue]


def _require_utf8(data: bytes) -> None:
    if not data.isascii():
        data.decode()


def _given(params: Any) -> dict[str, Any]:
    return {} if params is UNSET or params is None else {"params": params}


def _id(id_: int | str) -> bytes:
    if id_.__class__ is int:
        return b"%d" % id_
    if id_.__class__ is str:
        return base.encode(id_)
    raise EncodeError(f"{id_!r} is no request id")


@functools.cache
def _answer_outline() -> Any:
    """A response by its ends: its id right at the start, or, after a result or error, as the last member but one."""
    import re

    version, id_ = rb'"jsonrpc"\s*:\s*"2\.0"', rb'"id"\s*:\s*(?P<%b>-?\d{1,18}|"[^"\\]*")\s*'
    answer = rb'"(?:result|error)"\s*:'
    starts = rb"(?:%b,\s*)?%b,\s*%b" % (version, id_ % b"first", answer)
    ends = rb"(?:%b,\s*)?%b.*,\s*%b(?:,\s*%b\s*)?\}\s*$" % (version, answer, id_ % b"last", version)
    return re.compile(rb"^\s*\{\s*(?:%b|%b)" % (starts, ends), re.DOTALL)


@functools.cache
def _marks() -> Any:
    import re

    return re.compile(rb'"[^"\\]*(?:\\.[^"\\]*)*"', re.DOTALL)


def _deeper(data: bytes, limit: int) -> bool:
    """Whether brackets are nested deeper than a limit; looked at closely only where there are that many."""
    if data.count(b"[") + data.count(b"{") <= limit:
        return False
    others = bytes(set(range(256)) - set(b"[]{}"))
    marks = _marks().sub(b"", data).translate(bytes.maketrans(b"[{]}", b"\1\1\0\0"), others)
    depth = 0
    for opens in marks:
        depth += 1 if opens else -1
        if depth > limit:
            return True
    return False
