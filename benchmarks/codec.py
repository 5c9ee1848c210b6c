"""Reading requests, reading and writing results: beside the official SDK, and beside a decoder written by hand.

The floor is what one would write with msgspec alone for the same five messages and the same promises: the envelope
checked, every key of `_meta` kept and the progress token's type checked.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import time
from collections.abc import Callable, Sequence
from statistics import median
from typing import Any, Literal

import msgspec
from measure import ROOT, Row, arguments, report
from msgspec import UNSET, UnsetType

from support.peers import official_python
from typedmcp.codec import Codec
from typedmcp.messages import Request, Success
from typedmcp_types.v2025_11_25 import structs

PACKAGE = structs.__name__


def _request(number: int | str, method: str, **params: Any) -> bytes:
    return json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params}).encode()


REQUESTS = [
    _request(1, "tools/call", name="echo", arguments={"text": "hello world", "n": 3}, _meta={"progressToken": 7}),
    _request(2, "tools/list", cursor="abc", _meta={"progressToken": "t"}),
    _request(3, "resources/read", uri="mem://notes/1", _meta={"progressToken": 8}),
    _request(4, "prompts/get", name="greet", arguments={"name": "Ann"}, _meta={"progressToken": 9, "a.example/x": "y"}),
    _request("p", "ping", _meta={"progressToken": 10}),
]
RESULT = {
    "tools": [
        {
            "name": f"tool_{number}",
            "title": f"Tool {number}",
            "description": "Adds up what it is given and tells the sum in words and figures.",
            "inputSchema": {
                "type": "object",
                "properties": {"a": {"type": "number"}, "b": {"type": "string", "description": "a word"}},
                "required": ["a"],
            },
            "annotations": {"readOnlyHint": True},
        }
        for number in range(40)
    ],
    "nextCursor": "40",
}


class _Params(msgspec.Struct, kw_only=True):
    meta: dict[str, Any] | UnsetType = msgspec.field(name="_meta", default=UNSET)

    def __post_init__(self) -> None:
        if self.meta is not UNSET:
            token = self.meta.get("progressToken", 0)
            if token.__class__ is not int and token.__class__ is not str:
                raise ValueError("progressToken")


class _Call(_Params, kw_only=True):
    name: str
    arguments: dict[str, Any] | UnsetType = UNSET


class _List(_Params, kw_only=True):
    cursor: str | UnsetType = UNSET


class _Read(_Params, kw_only=True):
    uri: str


class _Get(_Params, kw_only=True):
    name: str
    arguments: dict[str, str] | UnsetType = UNSET


class _Envelope(msgspec.Struct, kw_only=True, tag_field="method"):
    jsonrpc: Literal["2.0"]
    id: int | str


class _CallRequest(_Envelope, kw_only=True, tag="tools/call"):
    params: _Call


class _ListRequest(_Envelope, kw_only=True, tag="tools/list"):
    params: _List | UnsetType = UNSET


class _ReadRequest(_Envelope, kw_only=True, tag="resources/read"):
    params: _Read


class _GetRequest(_Envelope, kw_only=True, tag="prompts/get"):
    params: _Get


class _PingRequest(_Envelope, kw_only=True, tag="ping"):
    params: _Params | UnsetType = UNSET


_by_hand = msgspec.json.Decoder(_CallRequest | _ListRequest | _ReadRequest | _GetRequest | _PingRequest)


def by_hand(line: bytes) -> Any:
    """One request by the decoder written by hand, what it must refuse told apart from what it reads."""
    try:
        return _by_hand.decode(line)
    except ValueError as error:
        return error


def main() -> None:
    """Measure, print, and judge if asked to."""
    parser = argparse.ArgumentParser(description="the cost of reading and writing messages, as ratios")
    parser.add_argument("--rounds", type=int, default=200)
    options = arguments(parser)

    server, client = Codec(PACKAGE, "server"), Codec(PACKAGE, "client")
    line = server.write(Success(1, structs.ListToolsResult(**_members())))
    asked = client.request("tools/list", 1, None)
    answer = client.read(line)
    assert isinstance(answer, Success)
    result = client.result(asked, answer.result)
    for request in REQUESTS:
        assert isinstance(server.read(request), Request)

    def read_result(data: bytes) -> Any:
        message: Any = client.read(data, asked)
        return client.result(asked, message.result)

    def write(value: Any) -> bytes:
        return server.write(Success(1, value))

    jobs: list[tuple[Callable[[Any], Any], Sequence[Any]]] = [
        (server.read, REQUESTS * 40),
        (by_hand, REQUESTS * 40),
        (read_result, [line] * 20),
        (write, [result] * 20),
    ]
    ours, floor, results, encoded = _best(jobs, options.rounds)
    theirs = _anchor(line, options.rounds // 8)
    rows = [
        Row("a request, ours", ours * 1e6, "us"),
        Row("a request, official SDK", theirs["request"] * 1e6, "us"),
        Row("its time over ours", theirs["request"] / ours, "x", at_least=12),
        Row("ours over a decoder written by hand", ours / floor, "x", 1.35),
        Row(f"a result of {len(line)} bytes, ours", results * 1e6, "us"),
        Row("the official SDK's time over ours", theirs["result"] / results, "x", at_least=8),
        Row("writing that result, ours", encoded * 1e6, "us"),
        Row("the official SDK's time over ours, writing", theirs["encode"] / encoded, "x", at_least=10),
    ]
    report("codec", rows, options)


def _members() -> dict[str, Any]:
    tools = msgspec.convert(RESULT["tools"], list[structs.Tool])
    return {"tools": tools, "next_cursor": "40"}


def _best(jobs: Sequence[tuple[Callable[[Any], Any], Sequence[Any]]], rounds: int) -> list[float]:
    """Seconds for one call of each, the least of several rounds; alternating, so that all meet the same machine."""
    found = [float("inf")] * len(jobs)
    for _ in range(rounds):
        for number, (function, inputs) in enumerate(jobs):
            start = time.perf_counter()
            for given in inputs:
                function(given)
            found[number] = min(found[number], (time.perf_counter() - start) / len(inputs))
    return found


PROCESSES = 7
"""How often the official SDK is measured anew: its speed differs by half from one process to the next."""


def _anchor(line: bytes, rounds: int) -> dict[str, float]:
    """Medians over several processes."""
    given = {"requests": [request.decode() for request in REQUESTS], "result": line.decode(), "rounds": rounds}
    command = [official_python(), ROOT / "benchmarks" / "anchor" / "codec.py"]
    runs: list[dict[str, float]] = []
    for _ in range(PROCESSES):
        done = subprocess.run(command, input=json.dumps(given), capture_output=True, text=True, check=True)
        runs.append(json.loads(done.stdout))
    return {name: median(run[name] for run in runs) for name in runs[0]}


if __name__ == "__main__":
    main()
