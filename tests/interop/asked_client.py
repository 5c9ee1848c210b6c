"""The official client, which answers what `our_server.py` asks and prints what it got; run in its environment."""

from __future__ import annotations

import json
import os
import sys
from typing import Any

import anyio
import mcp_types as types
from mcp import Client
from mcp.client.stdio import StdioServerParameters
from mcp.shared.exceptions import MCPError

PATIENCE = 20
STATELESS = "2026"


class Notes:
    """What the server has said by itself."""

    def __init__(self) -> None:
        self.told: dict[str, Any] = {}
        self._more = anyio.Event()

    def add(self, name: str, value: Any) -> None:
        """Something was said."""
        self.told[name] = value
        self._more.set()
        self._more = anyio.Event()

    async def has(self, name: str) -> None:
        """Wait until something is said under a name."""
        with anyio.fail_after(PATIENCE):
            while name not in self.told:
                await self._more.wait()


async def main() -> None:
    python, program, revision, back_end = sys.argv[1:]
    notes = Notes()
    told = notes.told

    async def model(context: Any, params: types.CreateMessageRequestParams) -> types.CreateMessageResult:
        content = types.TextContent(type="text", text=f"sampled {params.messages[0].content.text}")
        return types.CreateMessageResult(role="assistant", content=content, model="m", stop_reason="endTurn")

    async def user(context: Any, params: types.ElicitRequestParams) -> types.ElicitResult:
        if getattr(params, "mode", "form") == "url":
            return types.ElicitResult(action="decline")
        return types.ElicitResult(action="accept", content={next(iter(params.requested_schema["properties"])): "Ann"})

    async def roots(context: Any) -> types.ListRootsResult:
        return types.ListRootsResult(roots=[types.Root(uri="file:///there")])

    async def logged(params: types.LoggingMessageNotificationParams) -> None:
        notes.add("logged", [params.level, params.data, params.logger])

    async def heard(message: Any) -> None:
        if isinstance(message, types.ToolListChangedNotification):
            notes.add("tools changed", True)
        elif isinstance(message, types.ResourceUpdatedNotification):
            notes.add("updated", message.params.uri)
        elif isinstance(message, Exception):
            notes.add("fault", repr(message))

    # By itself this client hands little of its environment on.
    environment = {"PYTHONPATH": os.environ.get("PYTHONPATH", "")}
    async with Client(
        StdioServerParameters(command=python, args=[program, revision, back_end], env=environment),
        mode="legacy" if revision < STATELESS else "auto",
        read_timeout_seconds=PATIENCE,
        client_info=types.Implementation(name="asked", version="1"),
        sampling_callback=model,
        elicitation_callback=user,
        list_roots_callback=roots,
        logging_callback=logged,
        message_handler=heard,
        log_level="warning",
    ) as client:
        told["revision"] = client.protocol_version
        told["instructions"] = client.instructions
        told["tools"] = len((await client.list_tools()).tools)
        told["ask"] = json.loads((await client.call_tool("ask", {})).content[0].text)
        told["measured"] = (await client.call_tool("measured", {})).structured_content
        try:
            told["wrong"] = (await client.call_tool("wrong", {})).structured_content
        except RuntimeError as error:
            told["wrong"] = str(error).partition("\n")[0]
        kinds = ["text", "image", "resource"]
        kinds += ["audio"] * (revision >= "2025-03-26") + ["resource_link"] * (revision >= "2025-06-18")
        told["blocks"] = [type(one).__name__ for one in (await client.call_tool("blocks", {"kinds": kinds})).content]
        told["blob"] = (await client.read_resource("mem://a")).contents[0].blob
        reference = types.PromptReference(type="ref/prompt", name="p")
        completed = await client.complete(reference, {"name": "a", "value": "v"})
        told["completed"] = [completed.completion.values, completed.completion.total]
        if revision < STATELESS:
            await client.set_logging_level("warning")
            await client.subscribe_resource("mem://a")
            try:
                await client.subscribe_resource("mem://b")
            except MCPError as error:
                told["refused"] = [error.code, error.message]
            await client.call_tool("changes", {})
            await notes.has("tools changed")
            await notes.has("updated")
            await client.unsubscribe_resource("mem://a")
        else:
            async with client.listen(tools_list_changed=True, resource_subscriptions=["mem://a"]) as changes:
                told["changes"] = [repr(change) async for change in changes]
        await client.call_tool("logs", {})
        await notes.has("logged")
        async with anyio.create_task_group() as group:

            async def started(progress: float, total: float | None, message: str | None) -> None:
                told["started"] = [progress, total, message]
                group.cancel_scope.cancel()

            await client.call_tool("waits", {}, progress_callback=started)
        told["stopped"] = (await client.call_tool("stopped", {})).content[0].text
    print(json.dumps(told))


anyio.run(main)
