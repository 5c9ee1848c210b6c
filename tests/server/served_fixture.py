"""The server that the recorded cases are played against, made of registries: one program for every revision.

Run as a program it serves on stdio.
"""

from __future__ import annotations

import asyncio
import os
from typing import Any

from typedmcp.server import Context, ResourceNotFound, Server

server = Server("fixture", "1", page_size=2)
_TEXTS = {"1": "one", "2": "two"}
_calls = 0


@server.tool
async def echo(text: str) -> str:
    """The text, as it came."""
    return text


@server.tool
async def echo_json(v: Any) -> dict[str, Any]:
    """The value, as structured content."""
    return {"v": v}


@server.tool
async def boom() -> str:
    """Fails."""
    raise RuntimeError("a secret")


@server.tool
async def slow(ms: int) -> str:
    """Takes its time, unless it is cancelled."""
    await asyncio.sleep(ms / 1000)
    return "slow done"


@server.tool
async def count(n: int, context: Context) -> str:
    """Reports progress."""
    for number in range(1, n + 1):
        await context.progress(number)
    return "counted"


@server.tool
async def count_calls() -> str:
    """How often it has run."""
    global _calls
    _calls += 1
    return str(_calls)


@server.tool
async def no_args() -> str:
    """Takes nothing."""
    return "fine"


@server.tool
def prints() -> str:
    """Writes to where only messages belong."""
    print("a line that is no message")
    os.system("echo a line of a child")
    return "printed"


@server.tool
async def asks_roots(context: Context) -> str:
    """Asks the client for its roots."""
    return f"{len(await context.list_roots())} roots"


@server.prompt
async def greet(name: str, tone: str = "kind", many: str = "", exactly100: str = "") -> str:
    """Greets somebody."""
    return f"greet {name}!"


@server.prompt
async def plain() -> str:
    """Says the same every time."""
    return "plain!"


@server.prompt
async def raises() -> str:
    """Fails."""
    raise RuntimeError("a secret")


@server.completion("greet", "many")
async def many(value: str) -> list[str]:
    """More than fit."""
    return [f"{value}{number}" for number in range(250)]


@server.completion("greet", "exactly100")
async def exactly(value: str) -> list[str]:
    """As many as fit."""
    return [f"{value}{number}" for number in range(100)]


@server.completion("greet", "name")
async def names(value: str) -> list[str]:
    """A few."""
    return [name for name in ("Ann", "Bob") if name.startswith(value)]


server.add_resource("mem://notes/1", "one", name="one")
server.add_resource("mem://blob/1", b"\xfb\xff\xfe", name="blob")


@server.resource("mem://broken/1")
async def broken() -> str:
    """Fails."""
    raise OSError("a secret")


@server.resource("mem://notes/{id}")
async def note(id: str) -> str:
    """Two of them are there."""
    if id not in _TEXTS:
        raise ResourceNotFound(f"there is no note {id}")
    return _TEXTS[id]


@server.resource("mem://dotted/{id}.json")
async def dotted(id: str) -> str:
    """A dot is a dot."""
    return f"dotted {id}"


@server.resource("mem://vars/{v}")
async def variable(v: str) -> str:
    """The value, decoded."""
    return v


@server.resource("mem://café/{name}")
async def cafe(name: str) -> str:
    """A template that is no ASCII."""
    return f"cafe {name}"


if __name__ == "__main__":
    server.run()
