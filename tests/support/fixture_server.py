"""The server that the recorded cases are played against: `Handlers` of one revision, by the wire and nothing above it.

Run as a program it serves on stdio: `fixture_server.py REVISION [structs|models] [asyncio|uvloop]`.
"""

from __future__ import annotations

import asyncio
import base64
import importlib
import os
import sys
from pathlib import Path
from typing import Any

from typedmcp.errors import InvalidParams, RpcError
from typedmcp.presence import given
from typedmcp.stubs import Handlers

PROGRAM = Path(__file__)
"""This server as a program."""
PAGE = 2
NOT_FOUND = -32002
TEXTS = {"mem://notes/1": "one", "mem://notes/2": "two"}
TOOLS = ("echo", "echo_json", "boom", "slow", "count", "count_calls", "no_args", "prints", "asks_roots")
PROMPTS = ("greet", "plain", "raises")


def package(revision: str, back_end: str = "structs") -> str:
    """The package of a revision's types."""
    return f"typedmcp_types.v{revision.replace('-', '_')}.{back_end}"


def handlers(revision: str, back_end: str = "structs") -> Handlers:
    """The fixture for one revision."""
    types: Any = importlib.import_module(package(revision, back_end))
    stubs: Any = importlib.import_module(f"{package(revision, back_end)}.server")
    meta: dict[str, Any] = {"resultType": "complete"} if revision >= "2026" else {}
    cached = {**meta, "ttlMs": 0, "cacheScope": "private"} if revision >= "2026" else {}

    def made(name: str, members: dict[str, Any]) -> Any:
        from typedmcp.base import convert

        return convert(members, getattr(types, name))

    def page(name: str, key: str, items: list[dict[str, Any]], params: Any) -> Any:
        cursor = given(params, "cursor")
        if cursor is not None and not (cursor.isdigit() and int(cursor) <= len(items)):
            raise InvalidParams("Invalid cursor")
        start = int(cursor or 0)
        members: dict[str, Any] = {key: items[start : start + PAGE], **cached}
        if start + PAGE < len(items):
            members["nextCursor"] = str(start + PAGE)
        return made(name, members)

    def text(value: str, **rest: Any) -> Any:
        return made("CallToolResult", {"content": [{"type": "text", "text": value}], **rest, **meta})

    class Fixture(stubs.Handlers):  # type: ignore[misc, name-defined]
        calls = 0

        async def initialize(self, params: Any, context: Any) -> Any:
            everything = {"tools": {}, "prompts": {}, "resources": {"subscribe": True}, "logging": {}}
            if revision >= "2025-03-26":
                everything["completions"] = {}
            hello = {"protocolVersion": revision, "capabilities": everything}
            return made("InitializeResult", {**hello, "serverInfo": {"name": "fixture", "version": "1"}})

        async def server_discover(self, params: Any, context: Any) -> Any:
            told = {"supportedVersions": [revision], "capabilities": {"tools": {}, "prompts": {}, "resources": {}}}
            return made("DiscoverResult", {**told, **cached})

        async def ping(self, params: Any, context: Any) -> None:
            return None

        async def logging_set_level(self, params: Any, context: Any) -> None:
            return None

        async def resources_subscribe(self, params: Any, context: Any) -> None:
            return None

        async def resources_unsubscribe(self, params: Any, context: Any) -> None:
            return None

        async def tools_list(self, params: Any, context: Any) -> Any:
            tools = [{"name": name, "inputSchema": {"type": "object"}} for name in TOOLS]
            return page("ListToolsResult", "tools", tools, params)

        async def tools_call(self, params: Any, context: Any) -> Any:
            arguments: dict[str, Any] = given(params, "arguments") or {}
            match params.name:
                case "echo":
                    value = arguments.get("text")
                    return text(value) if isinstance(value, str) else text("text is no string", isError=True)
                case "echo_json":
                    from typedmcp.base import encode

                    value = {"v": arguments.get("v")}
                    rest = {"structuredContent": value} if revision >= "2025-06-18" else {}
                    return text(encode(value).decode(), **rest)
                case "boom":
                    return text("it failed", isError=True)
                case "slow":
                    await asyncio.sleep(arguments.get("ms", 0) / 1000)
                    return text("slow done")
                case "count":
                    for number in range(1, arguments.get("n", 0) + 1):
                        await context.progress(number)
                    return text("counted")
                case "count_calls":
                    type(self).calls += 1
                    return text(str(type(self).calls))
                case "no_args":
                    return text("fine")
                case "prints":
                    print("a line that is no message")
                    os.system("echo a line of a child")
                    return text("printed")
                case "asks_roots":
                    roots = await stubs.Calls(context.peer).roots_list()
                    return text(f"{len(roots.roots)} roots")
                case _:
                    raise InvalidParams(f"Unknown tool: {params.name[:100]}")

        async def prompts_list(self, params: Any, context: Any) -> Any:
            return page("ListPromptsResult", "prompts", [{"name": name} for name in PROMPTS], params)

        async def prompts_get(self, params: Any, context: Any) -> Any:
            if params.name == "raises":
                raise RuntimeError("a secret")
            if params.name not in PROMPTS:
                raise InvalidParams("Unknown prompt")
            said = {"role": "user", "content": {"type": "text", "text": f"{params.name}!"}}
            return made("GetPromptResult", {"messages": [said], **meta})

        async def resources_list(self, params: Any, context: Any) -> Any:
            names = ("mem://notes/1", "mem://blob/1", "mem://broken/1")
            return page("ListResourcesResult", "resources", [{"uri": uri, "name": uri} for uri in names], params)

        async def resources_templates_list(self, params: Any, context: Any) -> Any:
            found = [{"uriTemplate": "mem://notes/{id}", "name": "notes"}]
            return page("ListResourceTemplatesResult", "resourceTemplates", found, params)

        async def resources_read(self, params: Any, context: Any) -> Any:
            uri = params.uri
            if uri == "mem://broken/1":
                raise OSError("a secret")
            if uri == "mem://blob/1":
                contents = {"uri": uri, "blob": base64.b64encode(b"\xfb\xff\xfe").decode()}
            elif uri in TEXTS:
                contents = {"uri": uri, "text": TEXTS[uri]}
            else:
                raise RpcError("Resource not found", code=NOT_FOUND, data={"uri": uri})
            return made("ReadResourceResult", {"contents": [contents], **cached})

    if revision >= "2026":
        del Fixture.initialize, Fixture.ping
    return Fixture()


def main() -> None:
    """Serve on stdio."""
    from typedmcp.transports.stdio import run_server

    *arguments, loop = sys.argv[1:] if sys.argv[-1] in ("asyncio", "uvloop") else [*sys.argv[1:], "uvloop"]
    run_server(handlers(*arguments), uvloop=loop == "uvloop")


if __name__ == "__main__":
    main()
