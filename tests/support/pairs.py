"""Two peers in this process, joined by memory, and what they said to each other."""

from __future__ import annotations

import asyncio
import importlib
import json
from collections.abc import Awaitable, Callable
from types import TracebackType
from typing import Any

from support.fixture_server import package
from typedmcp.base import convert
from typedmcp.messages import Batch
from typedmcp.peer import Peer
from typedmcp.rows import Side
from typedmcp.stubs import Handlers
from typedmcp.transports.memory import join

PATIENCE = 20
"""Seconds until a wait counts as in vain; nothing that works comes near."""
HELLO: dict[str, Any] = {"clientInfo": {"name": "c", "version": "1"}}


def handlers(revision: str, side: Side, back_end: str = "structs", **methods: Any) -> Handlers:
    """Handlers of one side with these coroutine functions, of params and a context."""
    stubs: Any = importlib.import_module(f"{package(revision, back_end)}.{side}")

    def bound(function: Any, arguments: int) -> Any:
        async def handle(self: Any, *given: Any) -> Any:
            return await function(*given)

        async def handle_unknown(self: Any, method: str, params: Any, context: Any) -> Any:
            return await function(method, params, context)

        return handle if arguments == 2 else handle_unknown

    namespace = {name: bound(one, 3 if name.startswith("unknown_") else 2) for name, one in methods.items()}
    made: Handlers = type("Made", (stubs.Handlers,), namespace)()
    return made


async def nothing(params: Any, context: Any) -> None:
    """The handler of a request that is answered by an empty result."""


class Pair:
    """A client and a server, joined; `async with` shakes hands where the revision does."""

    def __init__(
        self,
        revision: str = "2025-11-25",
        back_end: str = "structs",
        *,
        objects: bool = False,
        most: int = 1000,
        server: dict[str, Any] | None = None,
        client: dict[str, Any] | None = None,
        client_options: dict[str, Any] | None = None,
        server_options: dict[str, Any] | None = None,
    ) -> None:
        self.types: Any = importlib.import_module(package(revision, back_end))
        self.revision = revision
        serving = {"ping": nothing, **(server or {})}
        if revision >= "2026":
            del serving["ping"]
        elif "initialize" not in serving:
            serving["initialize"] = self._initialize
        answering = {} if revision >= "2026" else {"ping": nothing}
        self.serving = handlers(revision, "server", back_end, **serving)
        self.answering = handlers(revision, "client", back_end, **{**answering, **(client or {})})
        self.client = Peer(self.answering, **(client_options or {}))
        self.server = Peer(self.serving, **(server_options or {}))
        join(self.client, self.server, objects=objects, most=most)
        self.sent: dict[Side, list[Any]] = {"client": [], "server": []}
        self._listen(self.client, "client")
        self._listen(self.server, "server")
        self.calls: Any = importlib.import_module(f"{package(revision, back_end)}.client").Calls(self.client)
        self.back: Any = importlib.import_module(f"{package(revision, back_end)}.server").Calls(self.server)

    def _listen(self, peer: Peer, side: Side) -> None:
        channel: Any = peer._channel
        send = channel.send

        def listen(frame: Any, /, **options: Any) -> None:
            self.sent[side].append(frame)
            send(frame, **options)

        channel.send = listen

    async def _initialize(self, params: Any, context: Any) -> Any:
        told = {"protocolVersion": self.revision, "capabilities": self.serving.declared()}
        return self.made("InitializeResult", **told, serverInfo={"name": "s", "version": "1"})

    def made(self, name_: str, /, **members: Any) -> Any:
        """A value of a type of the revision."""
        return convert(members, getattr(self.types, name_))

    def tool(self, name: str) -> Any:
        """The params of a tool call."""
        return self.made("CallToolRequestParams", name=name)

    def text(self, text: str) -> Any:
        """The result of a tool call."""
        return self.made("CallToolResult", content=[{"type": "text", "text": text}])

    def hello(self) -> Any:
        """The params of `initialize`."""
        capabilities = self.answering.declared()
        return self.made("InitializeRequestParams", protocolVersion=self.revision, capabilities=capabilities, **HELLO)

    def methods(self, side: Side) -> list[Any]:
        """The methods of what a side has sent since the handshake; None for answers, lists for batches."""
        return [_method(frame) for frame in self.sent[side]]

    async def __aenter__(self) -> Pair:
        if self.revision < "2026":
            await self.calls.initialize(self.hello())
        for frames in self.sent.values():
            frames.clear()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.client.aclose()
        await self.server.aclose()


def _method(frame: Any) -> Any:
    if isinstance(frame, bytes):
        value = json.loads(frame)
        return [one.get("method") for one in value] if isinstance(value, list) else value.get("method")
    if isinstance(frame, Batch):
        return [_method(one) for one in frame.messages]
    return getattr(frame, "method", None)


async def turns(count: int = 20) -> None:
    """Let everything that is ready run."""
    for _ in range(count):
        await asyncio.sleep(0)


def played(play: Callable[[], Awaitable[None]]) -> None:
    """Run a scene; it ends in time or fails."""

    async def in_time() -> None:
        async with asyncio.timeout(PATIENCE):
            await play()

    asyncio.run(in_time())
