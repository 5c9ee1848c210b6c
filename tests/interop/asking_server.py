"""A server of the official Python SDK that asks, logs, announces changes and waits; run in that SDK's environment."""

from __future__ import annotations

import base64
import sys
from typing import Annotated, Any

import anyio
import mcp_types as types
from mcp.server.mcpserver import Context, Elicit, ElicitationResult, ListRoots, MCPServer, Resolve, Sample
from pydantic import BaseModel, Field

server = MCPServer("asking", instructions="Answer.", version="7")
state: dict[str, Any] = {"level": None, "subscribed": []}


class Person(BaseModel):
    name: str
    age: int = Field(ge=0)


def ask_person(text: str) -> Elicit[Person]:
    return Elicit(text, Person)


def ask_model(text: str) -> Sample:
    said = types.SamplingMessage(role="user", content=types.TextContent(type="text", text=text))
    return Sample([said], max_tokens=9, system_prompt="Be brief.")


def ask_roots() -> ListRoots:
    return ListRoots()


@server.tool()
async def form(text: str, outcome: Annotated[ElicitationResult[Person], Resolve(ask_person)]) -> str:
    """Ask the user to fill in a form."""
    return f"{outcome.action} {outcome.data!r}" if outcome.action == "accept" else outcome.action


@server.tool()
async def page(url: str, ctx: Context) -> str:
    """Send the user to a page."""
    outcome = await ctx.elicit_url("Look", url, "page-1")
    await ctx.session.send_elicit_complete("page-1", related_request_id=ctx.request_id)
    return outcome.action


@server.tool()
async def sampled(text: str, answer: Annotated[types.CreateMessageResult, Resolve(ask_model)]) -> str:
    """Let the client's model answer."""
    return f"{answer.model}: {answer.content.text}"


@server.tool()
async def rooted(found: Annotated[types.ListRootsResult, Resolve(ask_roots)]) -> str:
    """Tell the client's roots."""
    return ",".join(f"{root.name}={root.uri}" for root in found.roots)


@server.tool()
def measured(name: str) -> Person:
    """A result with structure."""
    return Person(name=name, age=3)


BLOCKS: dict[str, Any] = {
    "text": types.TextContent(type="text", text="t", annotations=types.Annotations(priority=0.5)),
    "image": types.ImageContent(type="image", data=base64.b64encode(b"\xfb\xff").decode(), mime_type="image/png"),
    "audio": types.AudioContent(type="audio", data=base64.b64encode(b"\xfe").decode(), mime_type="audio/wav"),
    "resource": types.EmbeddedResource(
        type="resource", resource=types.TextResourceContents(uri="mem://in", text="inside", mime_type="text/plain")
    ),
    "resource_link": types.ResourceLink(type="resource_link", uri="mem://one", name="one", size=3),
}


@server.tool(structured_output=False)
def blocks(kinds: list[str]) -> list[Any]:
    """Content of these kinds."""
    return [BLOCKS[kind] for kind in kinds]


@server.tool()
async def logs(ctx: Context) -> str:
    """Log at two levels, and say which level the client has set."""
    await ctx.log("debug", "too much", logger_name="l")
    await ctx.log("error", {"set": state["level"]}, logger_name="l")
    return "logged"


@server.tool()
async def changes(ctx: Context) -> str:
    """Announce that something has changed."""
    if ctx.protocol_version == "2026-07-28":
        await ctx.notify_tools_changed()
        await ctx.notify_prompts_changed()
        await ctx.notify_resource_updated("mem://bytes")
    else:
        await ctx.session.send_tool_list_changed()
        await ctx.session.send_prompt_list_changed()
        for uri in state["subscribed"]:
            await ctx.session.send_resource_updated(uri)
    return "changed"


@server.tool()
async def waits(ctx: Context) -> str:
    """Wait until it is stopped, and say so."""
    await ctx.report_progress(1, 2, "waiting")
    try:
        await anyio.sleep_forever()
    finally:
        print("stopped waiting", file=sys.stderr, flush=True)
    return "never"


@server.resource("mem://bytes", mime_type="application/octet-stream")
def some_bytes() -> bytes:
    """Bytes."""
    return b"\xfb\xff\xfe"


async def set_level(ctx: Any, params: types.SetLevelRequestParams) -> types.EmptyResult:
    state["level"] = params.level
    return types.EmptyResult()


async def subscribe(ctx: Any, params: types.SubscribeRequestParams) -> types.EmptyResult:
    state["subscribed"].append(params.uri)
    return types.EmptyResult()


async def unsubscribe(ctx: Any, params: types.UnsubscribeRequestParams) -> types.EmptyResult:
    state["subscribed"].remove(params.uri)
    return types.EmptyResult()


# `MCPServer` has no way to answer these; the server beneath it has.
beneath = server._lowlevel_server
beneath.add_request_handler("logging/setLevel", types.SetLevelRequestParams, set_level)
beneath.add_request_handler("resources/subscribe", types.SubscribeRequestParams, subscribe)
beneath.add_request_handler("resources/unsubscribe", types.UnsubscribeRequestParams, unsubscribe)

server.run("stdio")
