"""The official Python client, which uses all of our fixture server and prints what it got; run in its environment."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from typing import Any

from mcp import Client
from mcp.client.stdio import StdioServerParameters
from mcp.shared.exceptions import MCPError


async def main() -> None:
    python, program, revision = sys.argv[1:]
    told: dict[str, Any] = {"progress": []}

    async def heard(progress: float, total: float | None, message: str | None) -> None:
        told["progress"].append(progress)

    # By itself this client hands little of its environment on.
    environment = {"PYTHONPATH": os.environ.get("PYTHONPATH", "")}
    parameters = StdioServerParameters(command=python, args=[program, revision], env=environment)
    mode = "legacy" if revision < "2026" else "2026-07-28"
    async with Client(parameters, mode=mode, read_timeout_seconds=20) as client:
        told["revision"] = client.protocol_version
        tools = await client.list_tools()
        told["tools"] = [tool.name for tool in tools.tools]
        told["next"] = tools.next_cursor
        told["more"] = [tool.name for tool in (await client.list_tools(cursor=tools.next_cursor)).tools]
        told["echo"] = (await client.call_tool("echo", {"text": "héllo"})).content[0].text
        told["failed"] = (await client.call_tool("boom", {})).is_error
        await client.call_tool("count", {"n": 3}, progress_callback=heard)
        told["resources"] = [str(resource.uri) for resource in (await client.list_resources()).resources]
        told["read"] = (await client.read_resource("mem://notes/1")).contents[0].text
        told["templates"] = [one.uri_template for one in (await client.list_resource_templates()).resource_templates]
        told["prompts"] = [prompt.name for prompt in (await client.list_prompts()).prompts]
        told["prompt"] = (await client.get_prompt("plain")).messages[0].content.text
        try:
            await client.call_tool("no_such_tool", {})
        except MCPError as error:
            told["unknown"] = error.code
        if revision < "2026":
            await client.send_ping()
            await client.set_logging_level("info")
    print(json.dumps(told))


asyncio.run(main())
