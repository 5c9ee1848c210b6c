"""From a method to who handles it: found once for each generated class of handlers, not for each message.

Knows stubs and rows; no message, no connection.
"""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any, Protocol

from .errors import LocalProtocolError
from .stubs import Handlers

if TYPE_CHECKING:
    from .stubs import Binding, Context

Handler = Callable[[Any, "Context"], Awaitable[Any]]
UnknownHandler = Callable[[str, Any, "Context"], Awaitable[Any]]


class Routes(Protocol):
    """Who handles the messages of one side of one revision."""

    @property
    def binding(self) -> Binding:
        """What is spoken: the generated module and the side."""
        ...

    @property
    def unknown_request(self) -> UnknownHandler:
        """Who answers a request of a method the revision does not have."""
        ...

    @property
    def unknown_notification(self) -> UnknownHandler | None:
        """Who hears of a notification the revision does not have, or None."""
        ...

    def handler(self, method: str) -> Handler | None:
        """Who handles a method of the revision, or None."""
        ...


class Router:
    """The handlers of one side. A stub that nobody overrode handles nothing."""

    def __init__(self, handlers: Handlers) -> None:
        """Raises LocalProtocolError for a handler that is no coroutine function of two arguments."""
        cls = type(handlers)
        self.binding: Binding = cls.binding
        names = cls.stub_names()
        self._found: dict[str, Handler] = {}
        for wire in cls.implemented():
            handler: Handler = getattr(handlers, names[wire])
            _require_coroutine(handler, f"{cls.__name__}.{names[wire]}", 2)
            self._found[wire] = handler
        self.unknown_request: UnknownHandler = handlers.unknown_request
        self.unknown_notification: UnknownHandler | None = None
        if cls.unknown_notification is not Handlers.unknown_notification:
            self.unknown_notification = handlers.unknown_notification
        for unknown in ("unknown_request", "unknown_notification"):
            _require_coroutine(getattr(handlers, unknown), f"{cls.__name__}.{unknown}", 3)

    def handler(self, method: str) -> Handler | None:
        """Who handles a method of the revision, or None."""
        return self._found.get(method)


def _require_coroutine(function: Any, name: str, arguments: int) -> None:
    if not inspect.iscoroutinefunction(function):
        raise LocalProtocolError(f"{name} is no coroutine function: write it with `async def`")
    try:
        inspect.signature(function).bind(*([None] * arguments))
    except TypeError:
        wanted = "(self, params, context)" if arguments == 2 else "(self, method, params, context)"
        raise LocalProtocolError(f"{name} cannot be called with {wanted}") from None
