"""Our client stubs against the npm package server-everything over stdio, in every revision it speaks."""

from __future__ import annotations

import asyncio
import importlib
from pathlib import Path
from typing import Any

import pytest

from support import peers
from support.fixture_server import package
from support.packages import BACK_ENDS
from support.paths import npm_server
from typedmcp.errors import RpcError
from typedmcp.transports import stdio

PATIENCE = 60
REVISIONS = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")


@pytest.fixture(scope="module")
def command() -> list[str | Path]:
    """How the server is started."""
    return [*npm_server(peers.everything_server), "stdio"]


@pytest.mark.parametrize("back_end", BACK_ENDS)
@pytest.mark.parametrize("revision", REVISIONS)
def test_our_calls_use_all_of_server_everything(revision: str, back_end: str, command: list[str | Path]) -> None:
    asyncio.run(_play(revision, back_end, command))


async def _play(revision: str, back_end: str, command: list[str | Path]) -> None:
    stubs: Any = importlib.import_module(f"{package(revision, back_end)}.client")
    told: list[str] = []

    class Client(stubs.Handlers):  # type: ignore[misc, name-defined]
        async def on_message(self, params: Any, context: Any) -> None:
            told.append(params.level)

    async with asyncio.timeout(PATIENCE), stdio.connect(command, Client(), on_stderr=lambda _: None) as peer:
        calls, build = stubs.Calls(peer), peer.codec.build
        hello = {"protocolVersion": revision, "capabilities": {}}
        hello["clientInfo"] = {"name": "c", "version": "1"}
        greeting = await calls.initialize(build("initialize", hello))
        assert greeting.protocol_version == revision
        await calls.notify_initialized()
        await calls.ping()

        tools = [tool.name for tool in (await calls.tools_list()).tools]
        assert {"echo", "get-sum"} <= set(tools)
        result = await calls.tools_call(build("tools/call", {"name": "echo", "arguments": {"message": "hé"}}))
        assert result.content[0].text == "Echo: hé"
        result = await calls.tools_call(build("tools/call", {"name": "get-sum", "arguments": {"a": 2, "b": 3}}))
        assert "5" in result.content[0].text
        seen: list[float] = []
        slow = {"name": "trigger-long-running-operation", "arguments": {"duration": 0.3, "steps": 3}}
        await calls.tools_call(
            build("tools/call", slow), on_progress=lambda progress, total, text: seen.append(progress)
        )
        assert seen == sorted(set(seen))
        assert seen

        resources = (await calls.resources_list()).resources
        assert resources
        (contents, *_) = (await calls.resources_read(build("resources/read", {"uri": resources[0].uri}))).contents
        assert contents.uri == resources[0].uri
        assert (await calls.resources_templates_list()).resource_templates
        prompts = [prompt.name for prompt in (await calls.prompts_list()).prompts]
        assert "simple-prompt" in prompts
        assert (await calls.prompts_get(build("prompts/get", {"name": "simple-prompt"}))).messages
        reference = {"ref": {"type": "ref/prompt", "name": "completable-prompt"}}
        argument = {"argument": {"name": "department", "value": "E"}}
        completed = await calls.completion_complete(build("completion/complete", {**reference, **argument}))
        assert "Engineering" in completed.completion.values
        await calls.logging_set_level(build("logging/setLevel", {"level": "debug"}))
        with pytest.raises(RpcError):
            await calls.prompts_get(build("prompts/get", {"name": "no such prompt"}))
