"""What a user's program may do, with the type each expression must have for both checkers."""

from __future__ import annotations

from typing import Any, assert_never, assert_type

from typedmcp import Context
from typedmcp.base import UNSET, UnsetType, convert, decode, encode
from typedmcp_types import v2025_11_25
from typedmcp_types.v2025_11_25 import models, structs
from typedmcp_types.v2025_11_25.structs import client, server

tool = structs.Tool(name="t", input_schema={"type": "object"})
assert_type(tool.name, str)
assert_type(tool.title, str | UnsetType)
assert_type(tool.title or tool.name, str)
assert_type(tool.input_schema, dict[str, Any])
assert_type(decode(b"{}", structs.Tool), structs.Tool)
assert_type(convert({}, models.Tool), models.Tool)
assert_type(encode(tool), bytes)
assert_type(v2025_11_25.structs.Root(uri="u").uri, str)


def text_of(block: structs.ContentBlock) -> str:
    """A tagged union narrows by its tag, and every arm is seen."""
    if block.type == "text":
        assert_type(block, structs.TextContent)
        return block.text
    if block.type == "image" or block.type == "audio":
        assert_type(block.data, str)
        return block.mime_type
    if block.type == "resource_link":
        return block.uri
    if block.type == "resource":
        contents = block.resource
        if isinstance(contents, structs.TextResourceContents):
            return contents.text
        assert_type(contents, structs.BlobResourceContents)
        return contents.blob
    assert_never(block)


def name_of(request: structs.ClientRequest) -> str:
    """A union of messages narrows by class."""
    match request:
        case structs.CallToolRequest(params=params):
            return params.name
        case _:
            return request.method


model = models.Tool(name="t", input_schema=models.ToolInputSchema())
assert_type(model.name, str)
assert_type(structs.RequestMetaKeys.of({}), structs.RequestMetaKeys)
assert_type(structs.PingRequest(id=1).id, str | int | UnsetType)
assert UNSET is not None


def told(notification: structs.ServerNotification) -> str:
    """Every message of a closed union is handled, and a checker knows it."""
    match notification:
        case structs.CancelledNotification() | structs.ProgressNotification() | structs.LoggingMessageNotification():
            return notification.method
        case structs.ResourceListChangedNotification() | structs.ToolListChangedNotification():
            return notification.method
        case structs.PromptListChangedNotification() | structs.ResourceUpdatedNotification():
            return notification.method
        case structs.TaskStatusNotification() | structs.ElicitationCompleteNotification():
            return notification.method
        case _:
            assert_never(notification)


class Echo(server.Handlers):
    """Handlers are typed by their method; one of several results will do."""

    async def tools_call(self, params: structs.CallToolRequestParams, context: Context) -> structs.CallToolResult:
        await context.progress(1, message=params.name)
        assert_type((await server.Calls(context.peer).roots_list(timeout=1)).roots, list[structs.Root])
        return structs.CallToolResult(content=[])


async def ask(calls: client.Calls) -> None:
    """Calls are typed by their method."""
    result = await calls.tools_call(structs.CallToolRequestParams(name="x"), timeout=5, max_timeout=60)
    assert_type(result, structs.CallToolResult | structs.CreateTaskResult)
    assert_type((await calls.tools_list()).tools, list[structs.Tool])
