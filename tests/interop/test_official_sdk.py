"""We and the official Python SDK over stdio, both ways round, in every revision it speaks."""

from __future__ import annotations

import asyncio
import importlib
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from support.fixture_server import package
from support.packages import BACK_ENDS
from support.paths import REPOSITORY, needs
from typedmcp.errors import LocalProtocolError, RpcError
from typedmcp.transports import stdio

HERE = Path(__file__).parent
PATIENCE = 60
HANDSHAKE = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
REVISIONS = (*HANDSHAKE, "2026-07-28")
PREFIX = "io.modelcontextprotocol/"


@pytest.mark.parametrize("revision", REVISIONS)
def test_the_official_client_uses_all_of_our_handlers(revision: str) -> None:
    fixture = REPOSITORY / "tests" / "support" / "fixture_server.py"
    command = [needs("peers"), HERE / "official_client.py", sys.executable, fixture, revision]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    environment["PYTHONWARNINGS"] = "ignore"
    done = subprocess.run(
        list(map(str, command)), capture_output=True, text=True, check=False, timeout=PATIENCE, env=environment
    )
    assert done.returncode == 0, done.stderr[-2000:]
    assert json.loads(done.stdout) == {
        "revision": revision,
        "tools": ["echo", "echo_json"],
        "next": "2",
        "more": ["boom", "slow"],
        "echo": "héllo",
        "failed": True,
        "progress": [1, 2, 3],
        "resources": ["mem://notes/1", "mem://blob/1"],
        "read": "one",
        "templates": ["mem://notes/{id}"],
        "prompts": ["greet", "plain"],
        "prompt": "plain!",
        "unknown": -32602,
    }


class Session:
    """Our client's side of a conversation in one revision."""

    def __init__(self, peer: Any, revision: str, back_end: str) -> None:
        self.peer = peer
        self.calls: Any = importlib.import_module(f"{package(revision, back_end)}.client").Calls(peer)
        self.revision = revision

    def params(self, method: str, /, **members: Any) -> Any:
        """Params of a method, with the metadata that the revision wants on each."""
        if self.revision not in HANDSHAKE:
            members["_meta"] = {
                f"{PREFIX}protocolVersion": self.revision,
                f"{PREFIX}clientCapabilities": {},
                f"{PREFIX}clientInfo": {"name": "c", "version": "1"},
            }
        return self.peer.codec.build(method, members)

    async def hello(self, capabilities: dict[str, Any]) -> str:
        """The handshake, or what stands for it; the revision the server speaks."""
        if self.revision not in HANDSHAKE:
            found = await self.calls.server_discover(self.params("server/discover"))
            assert self.revision in found.supported_versions
            return self.revision
        who = {"name": "c", "version": "1"}
        params = {"protocolVersion": self.revision, "capabilities": capabilities, "clientInfo": who}
        told = await self.calls.initialize(self.params("initialize", **params))
        await self.calls.notify_initialized()
        return str(told.protocol_version)


def client(revision: str, back_end: str) -> Any:
    """Handlers that answer what a server may ask."""
    types: Any = importlib.import_module(package(revision, back_end))
    stubs: Any = importlib.import_module(f"{package(revision, back_end)}.client")

    class Client(stubs.Handlers):  # type: ignore[misc, name-defined]
        async def ping(self, params: Any, context: Any) -> None:
            return None

        async def roots_list(self, params: Any, context: Any) -> Any:
            return types.ListRootsResult(roots=[types.Root(uri="file:///here")])

    return Client()


@pytest.mark.parametrize("back_end", BACK_ENDS)
@pytest.mark.parametrize("revision", REVISIONS)
def test_our_calls_use_all_of_the_official_server(revision: str, back_end: str) -> None:
    python = needs("peers")
    said: list[str] = []

    async def play() -> None:
        command = [python, HERE / "official_server.py"]
        handlers = client(revision, back_end)
        async with asyncio.timeout(PATIENCE), stdio.connect(command, handlers, on_stderr=said.append) as peer:
            session = Session(peer, revision, back_end)
            calls, params = session.calls, session.params
            assert await session.hello({"roots": {}}) == revision

            tools = {tool.name: tool for tool in (await calls.tools_list(params("tools/list"))).tools}
            assert set(tools) == {"add", "fail", "count", "ask_roots"}
            result = await calls.tools_call(params("tools/call", name="add", arguments={"a": 2, "b": 3}))
            assert (type(result).__name__, result.content[0].text) == ("CallToolResult", "5")
            result = await calls.tools_call(params("tools/call", name="fail"))
            assert result.is_error is True
            seen: list[float] = []
            await calls.tools_call(
                params("tools/call", name="count", arguments={"n": 3}),
                on_progress=lambda progress, total, text: seen.append(progress),
                timeout=PATIENCE,
            )
            assert seen == [1, 2, 3]
            with pytest.raises(RpcError):
                await calls.resources_read(params("resources/read", uri="mem://none"))

            assert [one.uri for one in (await calls.resources_list(params("resources/list"))).resources] == [
                "mem://one"
            ]
            (template,) = (await calls.resources_templates_list(params("resources/templates/list"))).resource_templates
            assert template.uri_template == "mem://notes/{name}"
            (read,) = (await calls.resources_read(params("resources/read", uri="mem://notes/x"))).contents
            assert read.text == "note x"
            (prompt,) = (await calls.prompts_list(params("prompts/list"))).prompts
            assert prompt.name == "greet"
            got = await calls.prompts_get(params("prompts/get", name="greet", arguments={"name": "Ann"}))
            assert got.messages[0].content.text == "Hello Ann"
            asked = {"ref": {"type": "ref/prompt", "name": "greet"}, "argument": {"name": "name", "value": "A"}}
            completed = await calls.completion_complete(params("completion/complete", **asked))
            assert completed.completion.values == ["Ann"]
            if revision in HANDSHAKE:
                await calls.ping()
                result = await calls.tools_call(params("tools/call", name="ask_roots"))
                assert result.content[0].text == "file:///here"
                with pytest.raises(LocalProtocolError, match="did not declare"):
                    await peer.call("resources/subscribe", params("resources/subscribe", uri="mem://one"))

    asyncio.run(play())
