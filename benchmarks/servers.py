"""The servers that the stdio benchmark plays against, each a program: `servers.py KIND [uvloop]`.

`ours` is a `Handlers` subclass; `tasks` a bare asyncio loop that makes one task for each message and answers with the
json module; `loop` the same without tasks. The official SDK's is `anchor/server.py`.
"""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Callable
from typing import Any


def _answer(message: dict[str, Any]) -> dict[str, Any]:
    if message["method"] == "initialize":
        hello: dict[str, Any] = {"protocolVersion": message["params"]["protocolVersion"], "capabilities": {"tools": {}}}
        return {**hello, "serverInfo": {"name": "bare", "version": "1"}}
    return {"content": [{"type": "text", "text": message["params"]["arguments"]["text"]}]}


def _line(message: dict[str, Any]) -> bytes:
    reply = {"jsonrpc": "2.0", "id": message["id"], "result": _answer(message)}
    return json.dumps(reply, separators=(",", ":")).encode() + b"\n"


async def bare(handle: Callable[[bytes, asyncio.StreamWriter], None]) -> None:
    """Read lines from standard input and hand them on until input ends."""
    loop = asyncio.get_running_loop()
    reader = asyncio.StreamReader()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    pipe = await loop.connect_write_pipe(asyncio.streams.FlowControlMixin, sys.stdout)
    writer = asyncio.StreamWriter(*pipe, reader, loop)
    while line := await reader.readline():
        handle(line, writer)


def with_tasks() -> Callable[[bytes, asyncio.StreamWriter], None]:
    """One task for each message."""
    running: set[asyncio.Task[None]] = set()

    async def work(line: bytes, writer: asyncio.StreamWriter) -> None:
        message = json.loads(line)
        if "id" in message:
            writer.write(_line(message))

    def handle(line: bytes, writer: asyncio.StreamWriter) -> None:
        task = asyncio.create_task(work(line, writer))
        running.add(task)
        task.add_done_callback(running.discard)

    return handle


def without_tasks(line: bytes, writer: asyncio.StreamWriter) -> None:
    """Answered where it is read."""
    message = json.loads(line)
    if "id" in message:
        writer.write(_line(message))


def ours(*, uvloop: bool) -> None:
    """A `Handlers` subclass on stdio."""
    from typedmcp.stubs import Context
    from typedmcp.transports.stdio import run_server
    from typedmcp_types.v2025_11_25 import structs as types
    from typedmcp_types.v2025_11_25.structs import server

    class Echo(server.Handlers):
        async def initialize(self, params: types.InitializeRequestParams, context: Context) -> types.InitializeResult:
            tools = types.ServerCapabilities(tools=types.ServerCapabilitiesTools())
            info = types.Implementation(name="ours", version="1")
            return types.InitializeResult(
                protocol_version=params.protocol_version, capabilities=tools, server_info=info
            )

        async def tools_call(self, params: types.CallToolRequestParams, context: Context) -> types.CallToolResult:
            arguments = params.arguments or {}
            return types.CallToolResult(content=[types.TextContent(text=arguments["text"])])

    run_server(Echo(), uvloop=uvloop)


def main() -> None:
    """Serve until input ends."""
    kind, fast = sys.argv[1], "uvloop" in sys.argv[2:]
    if kind == "ours":
        ours(uvloop=fast)
        return
    from typedmcp.transports.stdio import run

    run(bare(with_tasks() if kind == "tasks" else without_tasks), uvloop=fast)


if __name__ == "__main__":
    main()
