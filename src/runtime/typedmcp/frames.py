"""What a codec needs of one generated package, made once: a struct for every method, and the decoders of them.

Built from the neutral rows of the method table; the only place that looks types up by name.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple, Union

import msgspec
from msgspec import UNSET, UnsetType

from . import base
from ._faults import explain
from ._unions import checker_of, dec_hook, strict_type
from .errors import DecodeError, RpcError
from .messages import Notification, Request
from .presence import given
from .tolerance import tolerant

if TYPE_CHECKING:
    from .rows import Envelope, ErrorCode, Method, Side

Version = Literal["2.0"]
Never = Annotated[int, msgspec.Meta(ge=1, le=0)]
"""A member that must not be there: no message has this value. Where it stands, the slow path looks at the message."""
NO_ID: Any = Union[Never, UnsetType]  # noqa: UP007 - a literal has no `|` for checkers
_RESULT_TYPE = "resultType"
_COMPLETE = "complete"
"""What a result without a `resultType` is (2026-07-28, base protocol, results)."""


class _Kind(msgspec.Struct):
    kind: str = msgspec.field(name=_RESULT_TYPE, default=_COMPLETE)


_kind_of: Callable[[bytes], _Kind] = msgspec.json.Decoder(_Kind).decode


class Arm(NamedTuple):
    """A result type of a method and when it is the answer, see `rows.Result`."""

    type: Any
    when: str


class Tables:
    """The methods of one package as one side sees them."""

    def __init__(self, package: str, side: Side) -> None:
        types = import_module(package)
        methods: Any = import_module(f"{package.rpartition('.')[0]}.methods")
        envelope: Envelope = methods.ENVELOPE
        rows: tuple[Method, ...] = methods.METHODS
        codes: tuple[ErrorCode, ...] = methods.ERRORS
        self.types = types
        self.revision: str = methods.REVISION
        self.batches = envelope.batches
        self.error_needs_id = envelope.error_needs_id
        self.rows = {row.wire: row for row in rows}
        self.models = package.endswith(".models")
        self._errors = {code.code: code for code in codes}
        self._faults = _faults(package)
        self._arms: dict[str, tuple[Arm, ...]] = {}
        self._answers: dict[str, Callable[[bytes], Any] | None] = {}
        self._kinds = any(arm.when.startswith(_RESULT_TYPE) for row in rows for arm in row.results)
        self.params: dict[str, Any] = {}
        self.incoming: dict[str, type[Request] | type[Notification]] = {}
        self.outgoing_requests: dict[str, type[Request]] = {}
        self.outgoing_notifications: dict[str, type[Notification]] = {}
        for row in rows:
            if row.carrier == "embedded":
                continue
            frame = self._frame(row)
            if any(sender != side for sender in row.senders):
                self.incoming[row.wire] = frame
            if side in row.senders:
                if issubclass(frame, Request):
                    self.outgoing_requests[row.wire] = frame
                else:
                    self.outgoing_notifications[row.wire] = frame
        self.answers = any(issubclass(frame, Request) for frame in self.incoming.values())
        """Whether this side is ever asked anything; one that is not answers nothing, whatever comes."""
        self.read = self._reader()

    def _frame(self, row: Method) -> Any:
        """The struct of one method's message: its envelope checked, its params of their type."""
        request = row.kind == "request"
        fields: list[tuple[str, Any] | tuple[str, Any, Any]] = [("jsonrpc", Version)]
        fields.append(("id", int | str) if request else ("id", NO_ID, UNSET))
        namespace: dict[str, Any] = {"row": row, "method": row.wire}
        type_ = getattr(self.types, row.params) if row.params else dict[str, Any]
        self.params[row.wire] = type_
        if self.models:
            # Another library makes these of the raw text.
            annotation: Any = msgspec.Raw
        else:
            annotation = strict_type(type_)
            verify = checker_of(type_, "params")
            if verify is not None:

                def check(frame: Any) -> None:
                    if frame.params is not UNSET:
                        verify(frame.params)

                namespace["__post_init__"] = check
        if row.params_required:
            fields.append(("params", annotation))
        else:
            fields.append(
                ("params", annotation | UnsetType if not self.models else annotation, _absent(type_, self.models))
            )
        return msgspec.defstruct(
            row.type,
            fields,
            bases=(Request if request else Notification,),
            namespace=namespace,
            module=__name__,
            tag_field="method",
            tag=row.wire,
            kw_only=True,
        )

    def _reader(self) -> Callable[[bytes], Any]:
        """The decoder of every message the other side may send."""
        arms = tuple(self.incoming.values())
        if not arms:
            # Nothing has this shape, so every message goes the slow way.
            return msgspec.json.Decoder(_Nothing).decode
        # One arm alone would be read without its tag.
        decode: Callable[[bytes], Any] = msgspec.json.Decoder(Union[(*arms, _Nothing)], dec_hook=dec_hook).decode
        if not self.models:
            return decode

        def decode_params(data: bytes) -> Any:
            frame = decode(data)
            raw = frame.params
            if isinstance(raw, msgspec.Raw):
                type_ = self.params[frame.method]
                frame.params = base.decode(bytes(raw), type_) if len(memoryview(raw)) else _empty(type_)
            return frame

        return decode_params

    def empty(self, method: str) -> Any:
        """What params are that were not given: an empty object of their type, UNSET where there can be none."""
        try:
            return _empty(self.params[method])
        except (DecodeError, TypeError, ValueError):
            return UNSET

    def arms(self, method: str) -> tuple[Arm, ...]:
        """The result types of a request."""
        found = self._arms.get(method)
        if found is None:
            results = self.rows[method].results
            found = tuple(Arm(getattr(self.types, result.type), result.when) for result in results)
            self._arms[method] = found
        return found

    def answer(self, method: str) -> Callable[[bytes], Any] | None:
        """A decoder of the whole answer to a request, `id` and `result` at once; None where that takes more than one.

        It refuses whatever is no such answer, which is then read more slowly.
        """
        if method not in self._answers:
            arms = self.arms(method)
            simple = len(arms) == 1 and not self._kinds and not self.models and checker_of(arms[0].type, "") is None
            if simple:
                fields = [("jsonrpc", Version), ("id", int | str), ("result", strict_type(arms[0].type))]
                absent = [("method", NO_ID, UNSET), ("error", NO_ID, UNSET)]
                answer = msgspec.defstruct("Answer", [*fields, *absent], module=__name__)
                self._answers[method] = msgspec.json.Decoder(answer, dec_hook=dec_hook).decode
            else:
                self._answers[method] = None
        return self._answers[method]

    def result(self, request: Request, data: bytes, *, strict: bool) -> Any:
        """A result by the method it answers. Raises DecodeError for what is none of its types."""
        arms = self.arms(request.method)
        if not arms:
            return base.decode(data, dict[str, Any])
        if self._kinds:
            try:
                kind = _kind_of(data).kind
            except (ValueError, RecursionError) as error:
                raise explain(error, data, _kind_of) from None
            arms = tuple(arm for arm in arms if arm.when in ("always", f"{_RESULT_TYPE} {kind}"))
            if not arms or (arms[0].when == "always" and kind != _COMPLETE):
                raise DecodeError(f"{_RESULT_TYPE} {kind[:100]!r} is no answer to this method", f"/{_RESULT_TYPE}")
        elif len(arms) > 1:
            arms = tuple(sorted(arms, key=lambda arm: arm.when == "always"))
            if given(request.params, "task") is None:
                arms = arms[-1:]
        refused: DecodeError | None = None
        for arm in arms:
            try:
                return base.decode(data, arm.type) if strict else tolerant(data, arm.type)
            except DecodeError as error:
                refused = error
        raise refused or DecodeError("no result type")

    def error(self, code: int, message: str, data: Any) -> RpcError:
        """An error response as an exception: the class of its code, data as its type where the revision has one."""
        known = self._errors.get(code)
        if known is not None and known.data is not None:
            try:
                data = base.convert(data, getattr(self.types, known.data))
            except DecodeError:
                # What a peer sends with an error is for people to read; it must not hide the error.
                return RpcError(message, data=data, code=code)
        make: Callable[..., RpcError] | None = self._faults.get(code)
        return RpcError(message, data=data, code=code) if make is None else make(message, data=data)


class _Nothing(msgspec.Struct, tag_field="method", tag="\0"):
    def __post_init__(self) -> None:
        raise ValueError("no method")


def _absent(type_: Any, models: bool) -> Any:
    """What stands for params that are absent: an empty object where the type allows one, so that handlers get one."""
    if models:
        return msgspec.Raw()
    try:
        _empty(type_)
    except (DecodeError, TypeError):
        return UNSET
    return msgspec.field(default_factory=lambda: _empty(type_))


def _empty(type_: Any) -> Any:
    return type_() if isinstance(type_, type) else base.convert({}, type_)


def _faults(package: str) -> dict[int, Any]:
    """The exceptions of error codes: those of JSON-RPC, and those the package has for codes with typed data."""
    from . import errors

    found: dict[int, Any] = {
        kind.code: kind
        for kind in (
            errors.ParseError,
            errors.InvalidRequest,
            errors.MethodNotFound,
            errors.InvalidParams,
            errors.InternalError,
        )
    }
    try:
        module = import_module(f"{package}.errors")
    except ModuleNotFoundError:
        return found
    for value in vars(module).values():
        if isinstance(value, type) and issubclass(value, RpcError) and value is not RpcError:
            found[value.code] = value
    return found


@functools.cache
def tables(package: str, side: Side) -> Tables:
    """The tables of a package for one side. Raises ImportError for a package that is none."""
    return Tables(package, side)
