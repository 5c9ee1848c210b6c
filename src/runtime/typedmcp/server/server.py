"""A server: what it is, what it offers, and to whom; everything else is made from these."""

from __future__ import annotations

import threading
from collections.abc import AsyncGenerator, Callable, Iterable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from functools import partial
from os import PathLike
from typing import Any, Literal, TypeVar, Unpack, overload

from msgspec import UNSET

from typedmcp_types.v2026_07_28 import structs as types

from .. import base
from ..capabilities import declares
from ..errors import DecodeError, RegistrationError
from ..stubs import Capabilities
from ..uritemplate import UriTemplate
from .answers import PREFIX
from .completions import Completer, Completions
from .connection import Connection
from .context import Context, Level
from .functions import Function, shared
from .options import PromptOptions, ResourceOptions, ToolOptions
from .pages import ListHook, Listing
from .prompts import DeclaredPrompt, FunctionPrompt
from .registry import OnDuplicate, Registry
from .resources import FunctionResource, ReadsResource, ValueResource
from .revisions import ORDER
from .sealing import Sealer
from .session import LISTS, Session
from .tools import declared_tool

F = TypeVar("F", bound=Callable[..., Any])
Lifespan = Callable[["Server"], AbstractAsyncContextManager[Any]]
Kind = Literal["tools", "prompts", "resources", "templates"]


class Server:
    """One server for every revision, and for as many clients as connect.

    `revisions`: those it speaks, all by default. `list_changed`: the lists whose changes are told, all for True; off,
    nothing is told and nothing is declared. `capabilities` replaces what would follow from what is registered.
    `log_level`: what a client hears that did not say. `ttl_ms` and `cache_scope`: how long and for whom clients of
    2026-07-28 may keep what they read, for all or by kind. `state_key`: at least 32 bytes; processes that answer for
    each other need the same. `lifespan`: opened when the server begins, its value is `Context.state`.
    """

    def __init__(
        self,
        name: str,
        version: str = "0",
        *,
        title: str | None = None,
        instructions: str | None = None,
        icons: list[types.Icon] | None = None,
        website_url: str | None = None,
        lifespan: Lifespan | None = None,
        revisions: Iterable[str] | None = None,
        capabilities: Capabilities | None = None,
        list_changed: bool | Iterable[str] = False,
        subscribe: bool = True,
        logging: bool = True,
        log_level: Level = "info",
        page_size: int = 100,
        on_duplicate: OnDuplicate = "error",
        ttl_ms: int | dict[str, int] = 0,
        cache_scope: Literal["public", "private"] = "private",
        state_key: bytes | None = None,
        principal: str = "",
    ) -> None:
        """Raises RegistrationError for a setting that cannot be."""
        self.info = types.Implementation(
            name=name,
            version=version,
            title=title or UNSET,
            icons=icons or UNSET,
            website_url=website_url or UNSET,
        )
        self.instructions = instructions
        self.identity: dict[str, Any] = {f"{PREFIX}serverInfo": base.decode(base.encode(self.info), dict[str, Any])}
        """Who answers, as every result of 2026-07-28 says it."""
        self.revisions = _revisions(revisions)
        self.page_size = page_size
        self.log_level: str = log_level
        self.principal = principal
        self.sealer = Sealer(state_key)
        self.state: Any = None
        """What the lifespan yielded."""
        self._lifespan = lifespan
        self._override = _override(capabilities)
        self._announced = _announced(list_changed)
        self._subscribe = subscribe
        self._logging = logging
        self._ttl_ms = ttl_ms
        self._cache_scope: Literal["public", "private"] = cache_scope
        if page_size < 1:
            raise RegistrationError(f"a page of {page_size} items holds nothing: page_size must be at least 1")

        def registry(kind: str, key: str, listed: str) -> Registry[Any]:
            return Registry(kind, key, lambda: self._changed(listed), on_duplicate)

        self.tools: Registry[types.Tool] = registry("tool", "name", "tools")
        self.prompts: Registry[types.Prompt] = registry("prompt", "name", "prompts")
        self.resources: Registry[types.Resource] = registry("resource", "uri", "resources")
        self.templates: Registry[types.ResourceTemplate] = registry("resource template", "uri_template", "resources")
        self.completions = Completions()
        self.listings: dict[str, Listing] = {
            "tools": Listing(self.tools, types.ListToolsResult, "tools"),
            "prompts": Listing(self.prompts, types.ListPromptsResult, "prompts"),
            "resources": Listing(self.resources, types.ListResourcesResult, "resources"),
            "templates": Listing(self.templates, types.ListResourceTemplatesResult, "resource_templates"),
        }
        self._templates: tuple[int, list[tuple[UriTemplate, ReadsResource]]] = (-1, [])
        self._capabilities: Capabilities | None = None
        self._sessions: set[Session] = set()
        self._lock = threading.Lock()

    # What is registered.

    @overload
    def tool(self, function: F, /, **options: Unpack[ToolOptions]) -> F: ...
    @overload
    def tool(self, /, **options: Unpack[ToolOptions]) -> Callable[[F], F]: ...
    def tool(self, function: Any = None, /, **options: Unpack[ToolOptions]) -> Any:
        """Register a function as a tool: its parameters are the arguments, its docstring the description.

        Functions that are no coroutines run in a worker thread, unless `inline` says that they are quick. A return
        type that is an object makes the result structured. Raises RegistrationError.
        """
        if function is None:
            return partial(self.tool, **options)
        made = Function.of(function, context=Context, inline=options.get("inline", False), kind="tool")
        run, declared = declared_tool(made, options)
        self.tools.add(declared, run, on_duplicate=options.get("on_duplicate"))
        return function

    @overload
    def prompt(self, function: F, /, **options: Unpack[PromptOptions]) -> F: ...
    @overload
    def prompt(self, /, **options: Unpack[PromptOptions]) -> Callable[[F], F]: ...
    def prompt(self, function: Any = None, /, **options: Unpack[PromptOptions]) -> Any:
        """Register a function as a prompt: its parameters are the arguments, unless `arguments` declares them.

        Arguments are texts; a parameter of another type gets its text parsed. One that is optional and not given keeps
        the parameter's default, or arrives as UNSET. Raises RegistrationError.
        """
        if function is None:
            return partial(self.prompt, **options)
        made = Function.of(function, context=Context, inline=options.get("inline", False), kind="prompt")
        run = FunctionPrompt(made, options.get("arguments"), positional=options.get("positional", False))
        declared = types.Prompt(arguments=run.declared or UNSET, **shared(made, options))
        self.prompts.add(declared, run, on_duplicate=options.get("on_duplicate"))
        return function

    def add_prompt(self, prompt: DeclaredPrompt, *, on_duplicate: OnDuplicate | None = None) -> None:
        """Register what `Prompt.build` made. Raises RegistrationError."""
        self.prompts.add(prompt.declared, prompt.run, on_duplicate=on_duplicate)

    def resource(self, uri: str, /, **options: Unpack[ResourceOptions]) -> Callable[[F], F]:
        """Register a function that reads what is under a URI, or, with variables in braces, under all of a template.

        It returns a text, bytes, a path to a file, contents, or a list of these; any other value is told as JSON. The
        parameters of a template's function are its variables. Raises RegistrationError.
        """

        def register(function: F) -> F:
            made = Function.of(function, context=Context, inline=options.get("inline", False), kind="resource")
            mime_type = options.get("mime_type") or UNSET
            members: dict[str, Any] = {
                "mime_type": mime_type,
                "annotations": options.get("annotations") or UNSET,
                **shared(made, options),
            }
            on_duplicate = options.get("on_duplicate")
            if "{" in uri:
                reader = FunctionResource(made, UriTemplate(uri), mime_type)
                template = types.ResourceTemplate(uri_template=uri, **members)
                self.templates.add(template, reader, on_duplicate=on_duplicate)
            else:
                size = options.get("size")
                resource = types.Resource(uri=uri, size=UNSET if size is None else size, **members)
                self.resources.add(resource, FunctionResource(made, None, mime_type), on_duplicate=on_duplicate)
            return function

        return register

    def add_resource(
        self,
        uri: str,
        value: str | bytes | PathLike[str],
        *,
        name: str | None = None,
        title: str | None = None,
        description: str | None = None,
        mime_type: str | None = None,
        on_duplicate: OnDuplicate | None = None,
    ) -> None:
        """Register a text, bytes, or a file that is read when it is asked for. Raises RegistrationError."""
        declared = types.Resource(
            uri=uri,
            name=name or uri,
            title=title or UNSET,
            description=description or UNSET,
            mime_type=mime_type or UNSET,
        )
        self.resources.add(declared, ValueResource(value, mime_type or UNSET), on_duplicate=on_duplicate)

    @overload
    def completion(self, function: F, /) -> F: ...
    @overload
    def completion(self, ref: str, argument: str = "", /, *, inline: bool = False) -> Callable[[F], F]: ...
    def completion(self, ref: Any = "", argument: str = "", /, *, inline: bool = False) -> Any:
        """Register a function that completes an argument of a prompt, by name, or a variable of a URI template.

        It takes what it names of `value`, `argument`, `ref` and `arguments`, and returns texts, the best first. Bare,
        it completes whatever nothing else does. Raises RegistrationError.
        """

        def register(function: F) -> F:
            made = Function.of(function, context=Context, inline=inline, kind="completion")
            self.completions.add("" if callable(ref) else ref, argument, Completer(made))
            self._capabilities = None
            return function

        return register(ref) if callable(ref) else register

    def on_list(self, kind: Kind) -> Callable[[ListHook], ListHook]:
        """Register a function of one caller's list and its context, which may change the list or return another.

        It runs for every request of that list and sees copies: what it adds is seen by this caller alone.
        """

        def register(hook: ListHook) -> ListHook:
            self.listings[kind].hooks.append(hook)
            return hook

        return register

    # What is offered.

    def capabilities(self) -> Capabilities:
        """What this server declares, as JSON values: what follows from what is registered, unless it was said."""
        if self._override is not None:
            return self._override
        if self._capabilities is None:
            self._capabilities = self._following()
        return self._capabilities

    def _following(self) -> Capabilities:
        found: Capabilities = {"logging": {}} if self._logging else {}
        there = {
            "tools": len(self.tools),
            "prompts": len(self.prompts),
            "resources": len(self.resources) + len(self.templates),
        }
        for kind, count in there.items():
            if count:
                found[kind] = {"listChanged": True} if kind in self._announced else {}
        if "resources" in found and self._subscribe:
            found["resources"]["subscribe"] = True
        if self.completions.any:
            found["completions"] = {}
        return found

    def offers(self, path: str) -> bool:
        """Whether a capability is declared, as `tools.listChanged`."""
        return declares(self.capabilities(), path)

    def cached(self, kind: str) -> dict[str, Any]:
        """What a result says of how long and for whom it may be kept."""
        ttl = self._ttl_ms if isinstance(self._ttl_ms, int) else self._ttl_ms.get(kind, 0)
        return {"ttl_ms": ttl, "cache_scope": self._cache_scope}

    def report(self) -> str:
        """What this server offers, in a few lines for whoever starts it."""
        counts = {kind: len(listing.registry) for kind, listing in self.listings.items()}
        offered = ", ".join(f"{count} {kind}" for kind, count in counts.items() if count) or "nothing"
        declared = base.encode(self.capabilities()).decode()
        return (
            f"{self.info.name} {self.info.version}: {offered}\n"
            f"revisions: {', '.join(self.revisions)}\n"
            f"capabilities: {declared}"
        )

    def resource_at(self, uri: str) -> tuple[ReadsResource, dict[str, Any]] | None:
        """Who reads what is under a URI, and the values of a template's variables; None where nobody does."""
        entry = self.resources.entry(uri)
        if entry is not None:
            return entry.run, {}
        version, compiled = self._templates
        if version != self.templates.version:
            version = self.templates.version
            found = [(UriTemplate(entry.declared.uri_template), entry.run) for entry in self.templates.entries()]
            # Of several that fit, the one that says most of the URI itself.
            compiled = sorted(found, key=lambda pair: pair[0].specificity)
            self._templates = version, compiled
        for template, run in compiled:
            values = template.match(uri)
            if values is not None:
                return run, values
        return None

    def arguments_of(self, prompt: bool, name: str) -> tuple[str, ...] | None:
        """The arguments of a prompt, or the variables of a template; None for what is not there."""
        if prompt:
            entry = self.prompts.entry(name)
            return None if entry is None else tuple(argument.name for argument in entry.declared.arguments or [])
        if name in self.resources:
            return ()
        return UriTemplate(name).names if name in self.templates else None

    # What changes.

    def _changed(self, kind: str) -> None:
        self._capabilities = None
        if kind in self._announced:
            for session in self._all():
                session.changed(kind)

    def updated(self, uri: str) -> None:
        """Tell whoever subscribed to it that what is under a URI has changed. From any thread."""
        for session in self._all():
            session.updated(uri)

    def notify_changed(self, kind: Literal["tools", "prompts", "resources"]) -> None:
        """Tell that a list has changed, for a change that no registry saw. Off where `list_changed` is."""
        self._changed(kind)

    def _all(self) -> list[Session]:
        with self._lock:
            return list(self._sessions)

    def enter(self, session: Session) -> None:
        """A client is there."""
        with self._lock:
            self._sessions.add(session)

    def leave(self, session: Session) -> None:
        """A client has gone."""
        with self._lock:
            self._sessions.discard(session)

    # Serving.

    @asynccontextmanager
    async def running(self) -> AsyncGenerator[Server]:
        """Open the lifespan, for as long as the block lasts. `serve` does so by itself."""
        if self._lifespan is None:
            yield self
            return
        async with self._lifespan(self) as state:
            self.state = state
            try:
                yield self
            finally:
                self.state = None

    def connection(self, **options: Any) -> Connection:
        """A receiver for a transport, for one client; `options` are those of `Peer`."""
        return Connection(self, **options)

    async def serve(self, *, grace: float | None = None, **options: Any) -> None:
        """Serve one client on the process's standard streams until input ends. Options as of `connection`."""
        from ..transports import stdio

        async with self.running():
            await stdio.serve_receiver(self.connection(**options), grace=stdio.GRACE if grace is None else grace)

    def run(self, *, uvloop: bool = True, **options: Any) -> None:
        """Serve on standard streams as a program does; see `serve`."""
        from ..transports import stdio

        stdio.run_program(self.serve(**options), uvloop=uvloop)


def _revisions(wanted: Iterable[str] | None) -> tuple[str, ...]:
    if wanted is None:
        return ORDER
    given = set(wanted)
    for revision in sorted(given - set(ORDER)):
        raise RegistrationError(f"{revision!r} is no revision: those there are, {', '.join(ORDER)}")
    if not given:
        raise RegistrationError("a server of no revision speaks to nobody: name one")
    return tuple(revision for revision in ORDER if revision in given)


def _announced(wanted: bool | Iterable[str]) -> frozenset[str]:
    if isinstance(wanted, bool):
        return frozenset(LISTS) if wanted else frozenset()
    for kind in sorted(set(wanted) - set(LISTS)):
        raise RegistrationError(f"list_changed names {kind!r}: the lists that may change are {', '.join(LISTS)}")
    return frozenset(wanted)


def _override(capabilities: Capabilities | None) -> Capabilities | None:
    if capabilities is None:
        return None
    try:
        base.convert(capabilities, types.ServerCapabilities)
    except DecodeError as error:
        raise RegistrationError(f"capabilities are none of a server: {error}") from None
    return capabilities
