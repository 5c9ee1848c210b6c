"""A user's extension of a revision, generated into a folder of its own: codec, stubs, and a real server over stdio."""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path
from typing import Any

import pytest

from support import packages
from support.extension import acme
from typedmcp.codec import Codec
from typedmcp.errors import InvalidParams
from typedmcp.messages import Malformed
from typedmcp.transports import stdio

SERVER = """
import sys
from typedmcp.transports.stdio import run_server
from {package}.{back_end} import AcmeRanNotificationParams, AcmeRunResult, InitializeResult, Implementation
from {package}.{back_end} import ServerCapabilities
from {package}.{back_end}.server import Calls, Handlers


class Acme(Handlers):
    async def initialize(self, params, context):
        info = Implementation(name="acme", version="1")
        version = params.protocol_version
        return InitializeResult(protocol_version=version, capabilities=ServerCapabilities(), server_info=info)

    async def acme_run(self, params, context):
        await Calls(context.peer).notify_acme_ran(AcmeRanNotificationParams(job=params.job))
        return AcmeRunResult(exit_code=len(params.job))


run_server(Acme())
"""


@pytest.mark.parametrize("back_end", packages.BACK_ENDS)
def test_an_extension_works_in_codec_calls_handlers_and_over_stdio(back_end: Any, tmp_path: Path) -> None:
    package = packages.from_schema(acme(), tmp_path, (back_end,))
    types: Any = package.module(back_end)
    client: Any = package.module(f"{back_end}.client")

    codec = Codec(f"{package.name}.{back_end}", "server")
    asked: Any = codec.read(b'{"jsonrpc":"2.0","id":7,"method":"acme/run","params":{"job":"j","retryCount":2}}')
    assert (asked.method, asked.id, asked.params.job, asked.params.retry_count) == ("acme/run", 7, "j", 2)
    wrong = codec.read(b'{"jsonrpc":"2.0","id":7,"method":"acme/run","params":{"job":"j","retryCount":-1}}')
    assert isinstance(wrong, Malformed)
    assert isinstance(wrong.error, InvalidParams)
    assert wrong.error.data["pointer"] == "/params/retryCount"

    heard: list[str] = []

    class Client(client.Handlers):  # type: ignore[misc, name-defined]
        async def on_acme_ran(self, params: Any, context: Any) -> None:
            heard.append(params.job)

    program = tmp_path / "server.py"
    program.write_text(SERVER.format(package=package.name, back_end=back_end))

    async def play() -> Any:
        path = os.pathsep.join([str(tmp_path), *sys.path])
        async with stdio.connect([sys.executable, program], Client(), env={**os.environ, "PYTHONPATH": path}) as peer:
            calls = client.Calls(peer)
            who = types.Implementation(name="c", version="1")
            await calls.initialize(
                types.InitializeRequestParams(
                    protocol_version="2025-11-25", capabilities=types.ClientCapabilities(), client_info=who
                )
            )
            return await calls.acme_run(types.AcmeRunRequestParams(job="four"))

    result = asyncio.run(play())
    assert (type(result), result.exit_code) == (types.AcmeRunResult, 4)
    assert heard == ["four"]
