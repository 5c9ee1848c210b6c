"""Which answer a method of one revision gets: by the names and capabilities of the generated table."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

from msgspec import UNSET, Raw, Struct

from typedmcp_types.v2026_07_28 import structs as types
from typedmcp_types.v2026_07_28.structs.errors import UnsupportedProtocolVersionError

from .._unions import is_object
from ..errors import MethodNotFound
from ..frames import tables
from ..projection import Projector
from ..router import Handler, UnknownHandler
from ..stubs import Binding, Context, Handlers, not_found
from .answers import PREFIX, Answers
from .revisions import PACKAGES

VERSION = f"{PREFIX}protocolVersion"


class ServerRoutes:
    """The routes of a server in one revision. A method whose capability is not offered is none."""

    def __init__(self, answers: Answers) -> None:
        package = PACKAGES[answers.revision]
        stubs: type[Handlers] = import_module(f"{package}.server").Handlers
        self.binding: Binding = stubs.binding
        self._answers = answers
        self._handlers: dict[str, tuple[Handler, Callable[[], bool] | None]] = {}
        rows = tables(package, "server").rows
        for wire, name in stubs.stub_names().items():
            answer = getattr(answers, name, None)
            if answer is not None:
                self._handlers[wire] = (self._route(answer), self._gate(rows[wire].capability))
        self.unknown_notification: UnknownHandler | None = None

    def handler(self, method: str) -> Handler | None:
        """Who answers a method, or None."""
        found = self._handlers.get(method)
        if found is None:
            return None
        handler, offered = found
        return handler if offered is None or offered() else None

    def _gate(self, capability: str) -> Callable[[], bool] | None:
        side, _, path = capability.partition(".")
        if side != "server":
            return None
        server = self._answers.server
        return lambda: server.offers(path)

    def _route(self, answer: Handler) -> Handler:
        project = self._answers.project
        return _plain(answer, project) if self._answers.handshake else self._stateless(answer, project)

    def _stateless(self, answer: Handler, project: Projector) -> Handler:
        """An answer of a revision in which each request says which one it speaks, and each result whose it is."""
        identity = self._answers.server.identity

        async def handle(params: Any, context: Context) -> Any:
            self._require_version(params.meta)
            result = await answer(params, context)
            if isinstance(result, Struct):
                meta: Any = getattr(result, "meta", UNSET)
                result.meta = identity if meta is UNSET else {**identity, **meta}  # type: ignore[attr-defined] # pyright: ignore[reportAttributeAccessIssue]
            return result

        return handle

    def _require_version(self, meta: dict[str, Any]) -> None:
        requested = meta.get(VERSION)
        if requested != self._answers.revision:
            supported = list(self._answers.server.revisions)
            data = types.UnsupportedProtocolVersionErrorData(supported=supported, requested=str(requested))
            raise UnsupportedProtocolVersionError("Unsupported protocol version", data=data)

    async def unknown_request(self, method: str, params: Any, context: Context) -> Any:
        """Refuse it, with what is supported where another revision would have it. Raises MethodNotFound."""
        meta: Any = params.get("_meta") if is_object(params) else None
        if not self._answers.handshake and is_object(meta) and VERSION in meta:
            self._require_version(meta)
        if method == "initialize":
            told = {"supported": list(self._answers.server.revisions)}
            raise MethodNotFound(f"Method not found: {method}; this server has no handshake", data=told)
        raise not_found(method)


def _plain(answer: Handler, project: Projector) -> Handler:
    async def handle(params: Any, context: Context) -> Any:
        result = await answer(params, context)
        return result if result is None or result.__class__ is Raw else project(result)

    return handle
