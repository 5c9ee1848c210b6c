"""A client that starts a server, calls a tool of it, and shuts it down: `call_adder.py [COMMAND …]`."""

from __future__ import annotations

import sys
from pathlib import Path

from typedmcp.transports.stdio import connect, run
from typedmcp_types.v2025_11_25 import structs as types
from typedmcp_types.v2025_11_25.methods import REVISION
from typedmcp_types.v2025_11_25.structs import client

ADDER = (sys.executable, str(Path(__file__).with_name("adder_server.py")))


def tell(progress: float, total: float | None, message: str | None) -> None:
    """News of a call that is under way."""
    print(f"progress  {progress} of {total}: {message}")


async def main() -> None:
    """Shake hands, list the tools, call the first."""
    async with connect(sys.argv[1:] or ADDER, client.Handlers()) as peer:
        calls = client.Calls(peer)
        hello = await calls.initialize(
            types.InitializeRequestParams(
                protocol_version=REVISION,
                capabilities=types.ClientCapabilities(),
                client_info=types.Implementation(name="example", version="1"),
            )
        )
        await calls.notify_initialized()
        print(f"server    {hello.server_info.name} {hello.server_info.version}")
        tools = (await calls.tools_list()).tools
        print(f"tools     {', '.join(tool.name for tool in tools)}")
        params = types.CallToolRequestParams(name=tools[0].name, arguments={"a": 1, "b": 2})
        result = await calls.tools_call(params, timeout=10, on_progress=tell)
        print(f"answer    {result}")


if __name__ == "__main__":
    run(main())
