"""A server on real standard streams, and a client that starts one: ends, prints, files, servers that do not stop."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from support.fixture_server import PROGRAM
from support.talk import Program, message
from typedmcp.errors import Closed
from typedmcp.transports import stdio
from typedmcp_types.v2025_11_25 import structs as types
from typedmcp_types.v2025_11_25.structs import client

REVISION = "2025-11-25"
COMMAND = (sys.executable, str(PROGRAM), REVISION)
LOOPS = ("asyncio", "uvloop")
TELLING_TIME = 5
"""Seconds the protocol's users are promised a server ends within; it ends at once."""


def hello(id_: int = 0, revision: str = REVISION) -> bytes:
    """The handshake of a client."""
    who = {"name": "c", "version": "1"}
    params = {"protocolVersion": revision, "capabilities": {"roots": {}}, "clientInfo": who}
    first = message({"jsonrpc": "2.0", "id": id_, "method": "initialize", "params": params})
    return first + message({"jsonrpc": "2.0", "method": "notifications/initialized"})


def call(id_: int, name: str, **arguments: Any) -> bytes:
    """A call of a tool."""
    params = {"name": name, "arguments": arguments}
    return message({"jsonrpc": "2.0", "id": id_, "method": "tools/call", "params": params})


@pytest.mark.parametrize("loop", LOOPS)
@pytest.mark.parametrize("sent", ["nothing", "hello", "a call that waits for the client"])
def test_a_server_ends_when_its_input_ends(sent: str, loop: str) -> None:
    async def play() -> tuple[int, list[bytes], str]:
        program = await Program.start(PROGRAM, REVISION, loop)
        if sent != "nothing":
            await program.write(hello())
            assert json.loads(await program.line())["id"] == 0
        if "call" in sent:
            await program.write(call(1, "asks_roots"))
            assert json.loads(await program.line())["method"] == "roots/list"
        async with asyncio.timeout(TELLING_TIME):
            return await program.finish()

    status, lines, _ = asyncio.run(play())
    assert status == 0
    # Who waited for the client has failed, and says so.
    assert [json.loads(line).get("error", {}).get("code") for line in lines] == ([-32603] if "call" in sent else [])


@pytest.mark.parametrize("loop", LOOPS)
@pytest.mark.parametrize("revision", ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"])
def test_a_file_as_input_is_answered_whole(revision: str, loop: str, tmp_path: Path) -> None:
    given, got = tmp_path / "in", tmp_path / "out"
    given.write_bytes(hello(revision=revision) + b"".join(call(number, "slow", ms=100) for number in (1, 2, 3)))
    with given.open("rb") as source, got.open("wb") as sink:
        command = [sys.executable, str(PROGRAM), revision, loop]
        done = subprocess.run(command, stdin=source, stdout=sink, stderr=subprocess.PIPE, timeout=20, check=False)
    answers = [json.loads(line) for line in got.read_bytes().splitlines()]
    assert (done.returncode, sorted(answer["id"] for answer in answers)) == (0, [0, 1, 2, 3])
    assert all("result" in answer for answer in answers)


def test_only_messages_reach_stdout_whatever_prints() -> None:
    async def play() -> tuple[list[Any], str]:
        program = await Program.start(PROGRAM, REVISION)
        await program.write(hello() + call(1, "prints") + message({"jsonrpc": "2.0", "id": 2, "method": "ping"}))
        raw = [await program.line() for _ in range(3)]
        assert not raw[0].startswith(b"\xef\xbb\xbf")
        status, left, errors = await program.finish()
        assert (status, left) == (0, [])
        return [json.loads(line)["id"] for line in raw], errors

    ids, errors = asyncio.run(play())
    assert sorted(ids) == [0, 1, 2]
    assert "a line that is no message" in errors
    assert "a line of a child" in errors


def test_lines_end_with_line_feeds_alone_and_may_have_no_end() -> None:
    text = "a\u2028b\u0085c\x0bd"

    async def play() -> list[Any]:
        program = await Program.start(PROGRAM, REVISION)
        await program.write(hello().replace(b"\n", b"\r\n") + call(1, "echo", text=text).rstrip(b"\n"))
        assert json.loads(await program.line())["id"] == 0
        status, left, _ = await program.finish()
        assert status == 0
        return [json.loads(line) for line in left]

    (answer,) = asyncio.run(play())
    assert answer["result"]["content"][0]["text"] == text


def test_text_is_utf8_whatever_the_locale() -> None:
    environment = {**os.environ, "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    given = hello() + call(1, "echo", text="é😀")
    done = subprocess.run(COMMAND, input=given, capture_output=True, env=environment, timeout=20, check=False)
    answers = {answer["id"]: answer for answer in map(json.loads, done.stdout.splitlines())}
    assert answers[1]["result"]["content"][0]["text"] == "é😀"


async def _greet(calls: client.Calls) -> None:
    who = types.Implementation(name="c", version="1")
    capabilities = types.ClientCapabilities()
    params = types.InitializeRequestParams(protocol_version=REVISION, capabilities=capabilities, client_info=who)
    await calls.initialize(params)
    await calls.notify_initialized()


@pytest.mark.parametrize("uvloop", [False, True], ids=LOOPS)
def test_a_client_starts_a_server_calls_it_and_shuts_it_down(uvloop: bool) -> None:
    said: list[str] = []

    async def play() -> str:
        async with stdio.connect(COMMAND, client.Handlers(), on_stderr=said.append) as peer:
            calls = client.Calls(peer)
            await _greet(calls)
            result = await calls.tools_call(types.CallToolRequestParams(name="prints"))
            assert isinstance(result, types.CallToolResult)
            (block,) = result.content
            assert isinstance(block, types.TextContent)
        with pytest.raises(Closed):
            await calls.ping()
        return block.text

    assert stdio.run(play(), uvloop=uvloop) == "printed"
    assert "a line that is no message" in said


def test_a_command_that_cannot_be_started_says_so() -> None:
    async def play() -> None:
        async with stdio.connect(["/nowhere/server"], client.Handlers()):
            raise AssertionError("must not get here")

    with pytest.raises(Closed, match=r"/nowhere/server cannot be started: No such file or directory"):
        asyncio.run(play())


@pytest.mark.parametrize("uvloop", [False, True], ids=LOOPS)
def test_calls_fail_at_once_when_the_server_dies(uvloop: bool) -> None:
    dies = [sys.executable, "-c", "import sys; sys.stdin.readline(); sys.exit(3)"]

    async def play() -> None:
        async with stdio.connect(dies, client.Handlers()) as peer:
            await _greet(client.Calls(peer))

    with pytest.raises(Closed):
        stdio.run(play(), uvloop=uvloop)


STUBBORN = """
import os, signal, subprocess, sys, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
print(os.getpid(), child.pid, file=sys.stderr, flush=True)
time.sleep(600)
"""


def _alive(process: int) -> bool:
    try:
        state = Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[0]
    except OSError:
        return False
    return state != "Z"


@pytest.mark.parametrize("uvloop", [False, True], ids=LOOPS)
def test_a_server_that_does_not_stop_is_made_to_with_what_it_started(uvloop: bool) -> None:
    said: asyncio.Queue[str]
    found: list[int] = []

    async def play() -> None:
        nonlocal said
        said = asyncio.Queue()
        command = [sys.executable, "-c", STUBBORN]
        async with stdio.connect(command, client.Handlers(), on_stderr=said.put_nowait, patience=0.2):
            found.extend(map(int, (await said.get()).split()))
            assert all(map(_alive, found))

    stdio.run(play(), uvloop=uvloop)
    assert len(found) == 2
    for process in found:
        for _ in range(1000):
            if not _alive(process):
                break
            # The system takes its time to bury what was killed; nothing here depends on how long.
            subprocess.run(["true"], check=True)
        assert not _alive(process)
