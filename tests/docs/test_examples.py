"""Tests that every example runs, and prints what it is there to show."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from support.paths import REPOSITORY
from support.running import succeed
from typedmcp_types.revisions import METHODS

EXAMPLES = REPOSITORY / "examples"


def _output(name: str, *arguments: str | Path) -> str:
    return succeed(sys.executable, "-W", "error", EXAMPLES / name, *arguments)


def _told(output: str, what: str) -> str:
    return next(line.removeprefix(what).strip() for line in output.splitlines() if line.startswith(what))


def test_every_example_is_tested_here() -> None:
    tested = {"adder_server.py", "call_adder.py", "decode_message.py", "demo.py", "walk_revisions.py"}
    assert {path.name for path in EXAMPLES.glob("*.py")} == tested


def test_a_client_calls_a_server_that_it_started() -> None:
    output = _output("call_adder.py")
    assert _told(output, "server") == "adder 1"
    assert _told(output, "tools") == "add"
    assert _told(output, "progress") == "1 of 1: adding"
    assert _told(output, "answer") == "CallToolResult(content=[TextContent(text='3')])"


def test_a_message_is_decoded_and_answered() -> None:
    output = _output("decode_message.py")
    assert _told(output, "decoded").startswith("CallToolRequest(params=CallToolRequestParams(name='add'")
    assert json.loads(_told(output, "encoded"))["params"]["_meta"] == {"progressToken": "p-1"}
    assert json.loads(_told(output, "an answer"))["structuredContent"] == {"total": 3}


def test_the_walk_names_every_method_and_where_it_is() -> None:
    lines = _output("walk_revisions.py").splitlines()
    assert [line.split()[0] for line in lines[1:]] == list(METHODS)
    rows = {line.split()[0]: "".join(line.split()[1:]) for line in lines[1:]}
    assert (rows["ping"], rows["tools/call"], rows["server/discover"]) == ("xxxx.", "xxxxx", "....x")


def test_the_demo_builds_a_package_and_decodes_with_it(tmp_path: Path) -> None:
    first = _output("demo.py", "--out", tmp_path / "typedmcp_types")
    assert _told(first, "read").startswith("7 documents: 2024-11-05")
    assert _told(first, "on disk").endswith(" new")
    assert "decoded    CallToolRequest(" in first
