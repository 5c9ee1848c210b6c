"""Servers that die at once, do not read, or are left twice; and two peers that fill both directions."""

from __future__ import annotations

import asyncio
import sys

import pytest

from support.paths import REPOSITORY
from typedmcp.errors import CallTimeout, Closed, LocalProtocolError
from typedmcp.transports import stdio
from typedmcp_types.v2025_11_25 import structs as types
from typedmcp_types.v2025_11_25.structs import client

FIXTURE = REPOSITORY / "tests" / "support" / "fixture_server.py"
PATIENCE = 20
LOOPS = pytest.mark.parametrize("uvloop", [False, True], ids=["asyncio", "uvloop"])
DEAF = [sys.executable, "-c", "import time; time.sleep(600)"]


def hello() -> types.InitializeRequestParams:
    """What a client begins with."""
    me = types.Implementation(name="c", version="1")
    return types.InitializeRequestParams(
        protocol_version="2025-11-25", capabilities=types.ClientCapabilities(), client_info=me
    )


@LOOPS
@pytest.mark.parametrize("command", [["false"], ["echo", "hi"]], ids=["false", "echo"])
def test_a_server_that_dies_at_once_is_a_closed_connection(command: list[str], uvloop: bool) -> None:
    async def play() -> None:
        for _ in range(10):
            async with asyncio.timeout(PATIENCE), stdio.connect(command, client.Handlers()) as peer:
                with pytest.raises(Closed):
                    await client.Calls(peer).initialize(hello())

    stdio.run(play(), uvloop=uvloop)


@LOOPS
def test_calls_in_both_directions_may_be_larger_than_any_buffer(uvloop: bool) -> None:
    text = "x" * 200_000

    async def play() -> None:
        command = [sys.executable, FIXTURE, "2025-11-25", "uvloop" if uvloop else "asyncio"]
        async with asyncio.timeout(PATIENCE), stdio.connect(command, client.Handlers()) as peer:
            calls = client.Calls(peer)
            await calls.initialize(hello())
            params = types.CallToolRequestParams(name="echo", arguments={"text": text})
            results = await asyncio.gather(*(calls.tools_call(params) for _ in range(60)))
            assert len(results) == 60

    stdio.run(play(), uvloop=uvloop)


@LOOPS
def test_a_server_that_does_not_read_neither_holds_a_call_nor_the_end(uvloop: bool) -> None:
    async def play() -> None:
        async with (
            asyncio.timeout(PATIENCE),
            stdio.connect(DEAF, client.Handlers(), on_stderr=print, patience=0.2) as peer,
        ):
            much = {"text": "x" * 3_000_000}
            first = asyncio.ensure_future(peer.call("initialize", hello(), timeout=0.2))
            with pytest.raises(CallTimeout):
                await first
            first = asyncio.ensure_future(peer.call("initialize", hello()))
            filling = asyncio.ensure_future(
                client.Calls(peer).tools_call(types.CallToolRequestParams(name="x", arguments=much), timeout=0.2)
            )
            with pytest.raises(CallTimeout):
                await filling
            with pytest.raises(CallTimeout):
                await client.Calls(peer).ping(timeout=0.2)
        with pytest.raises(Closed):
            await first

    stdio.run(play(), uvloop=uvloop)


def test_the_last_words_of_a_server_are_told() -> None:
    async def play() -> None:
        command = [sys.executable, "-c", "import sys; sys.exit('no such module: x')"]
        async with asyncio.timeout(PATIENCE), stdio.connect(command, client.Handlers(), on_stderr=print) as peer:
            await client.Calls(peer).initialize(hello())

    with pytest.raises(Closed, match=r"the (server ended its output|connection)"):
        asyncio.run(play())


def test_a_command_is_a_list_of_words() -> None:
    async def play() -> None:
        async with stdio.connect("python server.py", client.Handlers()):
            raise AssertionError("must not get here")

    with pytest.raises(LocalProtocolError, match="give its words as a list"):
        asyncio.run(play())
