"""A server on stdio from generated handlers alone: run it, and write lines of JSON-RPC to it.

A request that has no handler here is refused; a notification that has none is ignored.
"""

from __future__ import annotations

from typedmcp import Context
from typedmcp.errors import InvalidParams
from typedmcp.transports.stdio import run_server
from typedmcp_types.v2025_11_25 import structs as types
from typedmcp_types.v2025_11_25.methods import REVISION
from typedmcp_types.v2025_11_25.structs import server

ADD = types.Tool(
    name="add",
    input_schema={
        "type": "object",
        "properties": {"a": {"type": "number"}, "b": {"type": "number"}},
        "required": ["a", "b"],
    },
)


class Adder(server.Handlers):
    """Adds two numbers."""

    async def initialize(self, params: types.InitializeRequestParams, context: Context) -> types.InitializeResult:
        """Say who this is; the one revision it speaks is the answer to any other."""
        return types.InitializeResult(
            protocol_version=REVISION,
            capabilities=self.capabilities(),
            server_info=types.Implementation(name="adder", version="1"),
        )

    async def ping(self, params: types.RequestParams, context: Context) -> types.EmptyResult:
        """Still there."""
        return {}

    async def tools_list(self, params: types.PaginatedRequestParams, context: Context) -> types.ListToolsResult:
        """All tools on one page."""
        return types.ListToolsResult(tools=[ADD])

    async def tools_call(self, params: types.CallToolRequestParams, context: Context) -> types.CallToolResult:
        """Add, and tell the caller how it goes if it asked for that."""
        if params.name != ADD.name:
            raise InvalidParams(f"no tool is called {params.name!r}")
        arguments = params.arguments or {}
        await context.progress(1, total=1, message="adding")
        total = arguments.get("a", 0) + arguments.get("b", 0)
        return types.CallToolResult(content=[types.TextContent(text=str(total))])


if __name__ == "__main__":
    run_server(Adder())
