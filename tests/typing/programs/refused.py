"""What a user's program may not do: every line marked so must be reported by both checkers, and no other."""

from __future__ import annotations

from typing import assert_never

import typedmcp
from typedmcp import Context
from typedmcp_types import v2025_11_25
from typedmcp_types.v2025_11_25 import models, structs
from typedmcp_types.v2025_11_25.structs import client, server

typedmcp.decodee  # error: a misspelt attribute of the lazy facade
v2025_11_25.struct  # error: a misspelt attribute of a lazy package
structs.Tol  # error: a misspelt type
structs.Tool(name="t")  # error: a required member is missing
structs.Tool(name=5, input_schema={})  # error: a member has the wrong type
structs.Tool(name="t", inputSchema={})  # error: the JSON name is no argument
structs.Tool("t", {})  # error: members are keywords
structs.TextContent(text="x").txt  # error: a misspelt member
structs.BooleanSchema(type="string")  # error: a constant has one value
structs.ElicitResult(action="maybe")  # error: no value of the enumeration
models.Tool(name="t")  # error: a required member is missing
models.TextContent(type="txt", text="x")  # error: a constant has one value
models.Root(uri=None)  # error: null is no text


def kind_of(block: structs.ContentBlock) -> str:
    """One arm of the union is not handled."""
    match block:
        case structs.TextContent() | structs.ImageContent() | structs.AudioContent() | structs.ResourceLink():
            return block.type
        case _:
            assert_never(block)  # error: an embedded resource may arrive here


def handled(notification: structs.ServerNotification) -> str:
    """Two messages of a closed union are forgotten."""
    match notification:
        case structs.CancelledNotification() | structs.ProgressNotification() | structs.LoggingMessageNotification():
            return notification.method
        case structs.ResourceListChangedNotification() | structs.ToolListChangedNotification():
            return notification.method
        case structs.PromptListChangedNotification() | structs.ResourceUpdatedNotification():
            return notification.method
        case _:
            assert_never(notification)  # error: elicitation and task notices may arrive here


class Wrong(server.Handlers):
    """A handler whose result is of another method."""

    async def prompts_get(self, params: structs.GetPromptRequestParams, context: Context) -> str:  # error: no result
        return params.name


async def ask(calls: client.Calls) -> None:
    """Calls are typed by their method."""
    await calls.tools_call(structs.GetPromptRequestParams(name="x"))  # error: params of another method
    await calls.roots_list()  # error: a request of the other side
    await calls.ping(timeout="soon")  # error: times are numbers
