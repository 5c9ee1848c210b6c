"""What generated stubs stand on: the seams between them and whatever carries their messages.

A leaf: generated code imports it, and it knows neither a codec nor an engine nor asyncio.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Protocol, TypedDict, TypeVar, Unpack

from .errors import MethodNotFound

if TYPE_CHECKING:
    from .rows import Side

F = TypeVar("F", bound=Callable[..., Any])
Capabilities = dict[str, Any]
"""Declared capabilities as JSON values: a key that is there is declared, be its value `{}`."""


class Binding(NamedTuple):
    """What a generated class belongs to: the module it stands in, beside its types, and the side it is for."""

    module: str
    side: Side

    @property
    def package(self) -> str:
        """The package of the types, one of the revision's two."""
        return self.module.rpartition(".")[0]


class Progress(Protocol):
    """What a caller gets progress by."""

    def __call__(self, progress: float, total: float | None, message: str | None, /) -> None:
        """`progress` only grows; `total` and `message` are None where the peer gave none."""
        ...


class Options(TypedDict, total=False):
    """What every call may be given; times are in seconds."""

    timeout: float | None
    """How long to wait for the answer. The peer is told when it is over."""
    max_timeout: float | None
    """How long to wait at most, where progress starts `timeout` anew."""
    on_progress: Progress | None
    """Asks the peer for progress, and gets it."""


class Caller(Protocol):
    """Whoever carries calls to the other side: a peer, or a batch of one."""

    async def call(self, method: str, params: Any, /, **options: Unpack[Options]) -> Any:
        """Send a request and wait for its result."""
        ...

    async def notify(self, method: str, params: Any, /) -> None:
        """Send a notification."""
        ...


class Context(Protocol):
    """What a handler knows of the message it answers, beside its params."""

    @property
    def peer(self) -> Caller:
        """The other side, for calls and notifications while this message is answered."""
        ...

    @property
    def id(self) -> int | str | None:
        """The id of the request; None for a notification."""
        ...

    @property
    def method(self) -> str:
        """The method's name on the wire."""
        ...

    @property
    def cancelled(self) -> bool:
        """Whether the peer has given the request up; its handler is stopped at its next await."""
        ...

    async def progress(self, progress: float, total: float | None = None, message: str | None = None) -> None:
        """Tell the caller how far this request is; sends nothing unless it asked and `progress` has grown."""
        ...


class Calls:
    """The base of every generated class of calls."""

    binding: ClassVar[Binding]

    def __init__(self, caller: Caller) -> None:
        self.caller = caller


class Handlers:
    """The base of every generated class of handlers."""

    binding: ClassVar[Binding]

    async def unknown_request(self, method: str, params: Any, context: Context) -> Any:
        """A request of a method the revision does not have, its params as JSON values. The default refuses it."""
        raise not_found(method)

    async def unknown_notification(self, method: str, params: Any, context: Context) -> None:
        """A notification of a method the revision does not have, its params as JSON values. The default ignores it."""

    @classmethod
    def declared(cls) -> Capabilities:
        """The capabilities that follow from the requests a subclass answers, as JSON values.

        What the other side only gets told, such as that a list has changed, is for the subclass to add.
        """
        from importlib import import_module

        from .capabilities import following

        methods: Any = import_module(f"{cls.binding.package.rpartition('.')[0]}.methods")
        return following(methods.METHODS, cls.implemented(), cls.binding.side)

    @classmethod
    def stub_names(cls) -> dict[str, str]:
        """The name of the stub of each message, by the method's name on the wire."""
        return {
            getattr(found, _STUB): name
            for base in cls.__mro__
            for name, found in vars(base).items()
            if hasattr(found, _STUB)
        }

    @classmethod
    def implemented(cls) -> Iterator[str]:
        """The wire names of the methods a subclass has overridden."""
        for wire, name in cls.stub_names().items():
            if not hasattr(getattr(cls, name), _STUB):
                yield wire


_STUB = "__typedmcp_stub__"


def stub(wire: str) -> Callable[[F], F]:
    """Mark a generated method as the stub of a message, so that whether a subclass overrides it can be told."""

    def mark(method: F) -> F:
        setattr(method, _STUB, wire)
        return method

    return mark


def not_found(method: str) -> MethodNotFound:
    """The answer to a request nobody handles."""
    return MethodNotFound(f"Method not found: {method[:100]}")
