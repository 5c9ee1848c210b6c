"""Our client in a conversation with a server on stdio: typed calls, and handlers that answer and note what is said."""

from __future__ import annotations

import asyncio
import importlib
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Annotated, Any, get_args, get_origin

from support.fixture_server import package
from typedmcp.presence import given
from typedmcp.transports import stdio

PATIENCE = 60
"""Seconds until a conversation counts as stuck; none that works takes a tenth of that."""
PREFIX = "io.modelcontextprotocol/"
STATELESS = "2026"
ROUNDS = 5


class Heard:
    """What a server has said by itself, in order, as pairs of a name and params."""

    def __init__(self) -> None:
        self.all: list[tuple[str, Any]] = []
        self._more = asyncio.Event()

    def add(self, name: str, params: Any) -> None:
        """Something was said."""
        self.all.append((name, params))
        self._more.set()

    def of(self, name: str) -> list[Any]:
        """What was said under a name so far."""
        return [params for said, params in self.all if said == name]

    async def first(self, name: str) -> Any:
        """The first that is said under a name; whoever waits bounds the time."""
        while not self.of(name):
            self._more.clear()
            await self._more.wait()
        return self.of(name)[0]


def answering(revision: str, back_end: str, heard: Heard) -> Any:
    """Handlers of a client that answer all a server may ask."""
    types: Any = importlib.import_module(package(revision, back_end))
    stubs: Any = importlib.import_module(f"{package(revision, back_end)}.client")

    class Answering(stubs.Handlers):  # type: ignore[misc, name-defined]
        async def ping(self, params: Any, context: Any) -> Any:
            return None

        async def roots_list(self, params: Any, context: Any) -> Any:
            heard.add("roots", params)
            return types.ListRootsResult(roots=[types.Root(uri="file:///here", name="here")])

        async def sampling_create_message(self, params: Any, context: Any) -> Any:
            heard.add("sampling", params)
            content = types.TextContent(text=f"sampled {params.messages[0].content.text}")
            return types.CreateMessageResult(model="m", role="assistant", content=content, stop_reason="endTurn")

        async def elicitation_create(self, params: Any, context: Any) -> Any:
            heard.add("elicitation", params)
            if params.message.startswith("Refuse"):
                return types.ElicitResult(action="decline")
            if given(params, "mode") == "url":
                return types.ElicitResult(action="accept")
            fields = params.requested_schema.properties
            filled = {"name": "Ann", "age": 7, "interpretation": "snake"}
            return types.ElicitResult(action="accept", content={key: filled[key] for key in filled if key in fields})

        async def unknown_request(self, method: str, params: Any, context: Any) -> Any:
            heard.add("unknown", method)

        async def unknown_notification(self, method: str, params: Any, context: Any) -> None:
            heard.add("unknown", method)

    def noting(name: str) -> Any:
        async def note(self: Any, params: Any, context: Any) -> None:
            heard.add(name, params)

        return note

    for name in vars(stubs.Handlers):
        if name.startswith("on_"):
            setattr(Answering, name, noting(name))
    return Answering()


class Conversation:
    """One side of a live connection in one revision and back end."""

    def __init__(self, peer: Any, handlers: Any, heard: Heard, revision: str, back_end: str) -> None:
        self.peer = peer
        self.handlers = handlers
        self.heard = heard
        self.revision = revision
        self.types: Any = importlib.import_module(package(revision, back_end))
        self.calls: Any = importlib.import_module(f"{package(revision, back_end)}.client").Calls(peer)
        self.meta: dict[str, Any] = {}
        """What the metadata of a request holds beside what the revision wants there."""
        self.capabilities: dict[str, Any] = {"roots": {}, "sampling": {}}
        if revision >= "2025-06-18":
            self.capabilities["elicitation"] = {} if revision < "2025-11-25" else {"form": {}, "url": {}}

    def params(self, method: str, /, **members: Any) -> Any:
        """Params of a method, with the metadata that the revision wants."""
        meta = dict(self.meta)
        if self.revision >= STATELESS:
            meta |= {
                f"{PREFIX}protocolVersion": self.revision,
                f"{PREFIX}clientCapabilities": self.capabilities,
                f"{PREFIX}clientInfo": {"name": "c", "version": "1"},
            }
        if meta:
            members["_meta"] = meta
        return self.peer.codec.build(method, members)

    def of(self, value: Any, name: str) -> Any:
        """The value, which must be of a generated type."""
        expected = getattr(self.types, name)
        if get_origin(expected) is Annotated:
            # A type without members of its own is a dictionary in one back end.
            expected = get_origin(get_args(expected)[0])
        assert type(value) is expected, (type(value), name)
        return value

    async def hello(self) -> Any:
        """The handshake, or what stands for it; its result."""
        if self.revision >= STATELESS:
            found = await self.calls.server_discover(self.params("server/discover"))
            assert self.revision in self.of(found, "DiscoverResult").supported_versions
            return found
        who = {"name": "c", "version": "1"}
        params = {"protocolVersion": self.revision, "capabilities": self.capabilities, "clientInfo": who}
        told = await self.calls.initialize(self.params("initialize", **params))
        assert self.of(told, "InitializeResult").protocol_version == self.revision
        await self.calls.notify_initialized()
        return told

    async def tool(self, name: str, /, **arguments: Any) -> Any:
        """The result of a tool; where the revision has the server's questions in results, they are answered."""
        params = self.params("tools/call", name=name, arguments=arguments)
        for _ in range(ROUNDS):
            result = await self.calls.tools_call(params)
            if self.revision < STATELESS or not isinstance(result, self.types.InputRequiredResult):
                return self.of(result, "CallToolResult")
            asked = given(result, "input_requests") or {}
            params = self.types.CallToolRequestParams(
                name=name,
                arguments=arguments,
                input_responses={key: await self._answer(request) for key, request in asked.items()},
                request_state=result.request_state,
                meta=params.meta,
            )
        raise AssertionError(f"{name} asks again and again")

    async def _answer(self, request: Any) -> Any:
        handler = self.handlers.stub_names()[request.method]
        return await getattr(self.handlers, handler)(given(request, "params"), None)

    async def text(self, name: str, /, **arguments: Any) -> str:
        """The text a tool returns."""
        result = await self.tool(name, **arguments)
        assert not given(result, "is_error"), result
        return str(self.of(result.content[0], "TextContent").text)


@asynccontextmanager
async def conversation(
    command: Sequence[str | Path], revision: str, back_end: str = "structs", *, patience: float = 2.0
) -> AsyncGenerator[Conversation]:
    """Start a server and speak to it; nothing that it says may be unknown to the revision, or ignored.

    `patience`: as of `stdio.connect`.
    """
    heard = Heard()
    ignored: list[str] = []
    handlers = answering(revision, back_end, heard)

    def stderr(line: str) -> None:
        heard.add("stderr", line)

    async with (
        asyncio.timeout(PATIENCE),
        stdio.connect(command, handlers, on_stderr=stderr, patience=patience, on_ignored=ignored.append) as peer,
    ):
        yield Conversation(peer, handlers, heard, revision, back_end)
    assert (ignored, heard.of("unknown")) == ([], [])
