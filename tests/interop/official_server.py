"""A server of the official Python SDK with one of everything; run in that SDK's environment."""

from __future__ import annotations

import mcp_types as types
from mcp.server.mcpserver import Context, MCPServer

server = MCPServer("official", instructions="Ask.")


@server.tool()
def add(a: int, b: int) -> int:
    """Add."""
    return a + b


@server.tool()
def fail() -> str:
    """Fail."""
    raise ValueError("as promised")


@server.tool()
async def count(n: int, ctx: Context) -> str:
    """Count up, telling how far it is."""
    for number in range(1, n + 1):
        await ctx.report_progress(number, n)
    return f"{n} counted"


@server.tool()
async def ask_roots(ctx: Context) -> str:
    """Ask the client for its roots."""
    found = await ctx.session.list_roots()
    return ",".join(str(root.uri) for root in found.roots)


@server.resource("mem://one")
def one() -> str:
    """A text."""
    return "one"


@server.resource("mem://notes/{name}")
def note(name: str) -> str:
    """A text by name."""
    return f"note {name}"


@server.prompt()
def greet(name: str) -> str:
    """Greet."""
    return f"Hello {name}"


@server.completion()
async def complete(ref: object, argument: types.CompletionArgument, context: object) -> types.Completion:
    """Complete anything."""
    return types.Completion(values=[f"{argument.value}nn"])


server.run("stdio")
