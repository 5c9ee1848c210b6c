"""Calls a second over stdio, one after the other and 32 at a time; start to first answer; resident memory.

One and the same client, on plain descriptors, plays with every server, so that what differs is the server.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from measure import ROOT, Row, arguments, from_bytecode, report

from support.peers import node_packages, official_python

HERE = ROOT / "benchmarks"
IN_FLIGHT = 32
HELLO = {
    "protocolVersion": "2025-11-25",
    "capabilities": {},
    "clientInfo": {"name": "benchmark", "version": "1"},
}


@dataclass(frozen=True, slots=True)
class Figures:
    """What was seen of one server: calls a second, seconds to the first answer, resident MiB."""

    sequential: float
    pipelined: float
    start: float
    memory: float


class Server:
    """A running server, greeted, and the plain descriptors to speak to it."""

    def __init__(self, command: Sequence[str | Path], *, one_processor: bool) -> None:
        self._allowed = os.sched_getaffinity(0)
        if one_processor:
            os.sched_setaffinity(0, {max(self._allowed)})
        began = time.perf_counter()
        self.process = subprocess.Popen(
            [str(part) for part in command], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self._out, self._into = self.process.stdin.fileno(), self.process.stdout.fileno()
        hello = {"jsonrpc": "2.0", "id": "hello", "method": "initialize", "params": HELLO}
        answer = self.ask(json.dumps(hello).encode() + b"\n")
        assert b'"result"' in answer, answer
        self.start = time.perf_counter() - began
        os.write(self._out, b'{"jsonrpc":"2.0","method":"notifications/initialized"}\n')

    def ask(self, lines: bytes) -> bytes:
        """Write lines, and read until each has an answer."""
        os.write(self._out, lines)
        wanted = lines.count(b"\n")
        read = b""
        while read.count(b"\n") < wanted:
            more = os.read(self._into, 2**18)
            assert more, "the server has ended"
            read += more
        return read

    def __enter__(self) -> Server:
        return self

    def __exit__(self, *_: object) -> None:
        assert self.process.stdin is not None
        self.process.stdin.close()
        try:
            self.process.wait(timeout=10)
        finally:
            self.process.kill()
            self.process.wait()
            os.sched_setaffinity(0, self._allowed)


def measure(command: Sequence[str | Path], calls: int) -> Figures:
    """Start a server twice: to call it one by one, and 32 by 32.

    One by one, client and server share a processor: otherwise most of the time is that of waking another one, which
    says nothing of the server and changes from minute to minute.
    """
    lines = [_call(number) for number in range(calls)]
    with Server(command, one_processor=True) as server:
        for line in lines[: calls // 10]:
            assert b"hello world" in server.ask(line)
        sequential = _rate(server, lines)
    with Server(command, one_processor=False) as server:
        windows = [b"".join(lines[at : at + IN_FLIGHT]) for at in range(0, calls, IN_FLIGHT)]
        for window in windows[: len(windows) // 10]:
            server.ask(window)
        pipelined = _rate(server, windows) * IN_FLIGHT
        memory = _resident(server.process.pid)
    return Figures(sequential, pipelined, server.start, memory)


def _rate(server: Server, inputs: Sequence[bytes]) -> float:
    began = time.perf_counter()
    for given in inputs:
        server.ask(given)
    return len(inputs) / (time.perf_counter() - began)


def _call(number: int) -> bytes:
    params = {"name": "echo", "arguments": {"text": "hello world"}, "_meta": {"progressToken": number}}
    return json.dumps({"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params}).encode() + b"\n"


def _resident(process: int) -> float:
    status = Path(f"/proc/{process}/status").read_text()
    (line,) = (line for line in status.splitlines() if line.startswith("VmRSS"))
    return int(line.split()[1]) / 1024


def _typescript() -> list[str | Path] | None:
    """The command of the TypeScript server; None without node."""
    node = shutil.which("node")
    if node is None:
        return None
    script = node_packages() / "server.mjs"
    script.write_text((HERE / "anchor" / "server.mjs").read_text())
    return [node, script]


def main() -> None:
    """Measure, print, and judge if asked to."""
    parser = argparse.ArgumentParser(description="stdio servers side by side")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--calls", type=int, default=4000)
    options = arguments(parser)
    from_bytecode()
    own: list[str | Path] = [sys.executable, HERE / "servers.py"]
    commands: dict[str, list[str | Path]] = {
        "ours": [*own, "ours"],
        "ours, uvloop": [*own, "ours", "uvloop"],
        "tasks": [*own, "tasks"],
        "tasks, uvloop": [*own, "tasks", "uvloop"],
        "loop": [*own, "loop"],
        "loop, uvloop": [*own, "loop", "uvloop"],
        "official": [official_python(), HERE / "anchor" / "server.py"],
    }
    typescript = _typescript()
    if typescript is not None:
        commands["typescript"] = typescript
    rounds = [
        {
            name: measure(command, options.calls // (5 if name == "official" else 1))
            for name, command in commands.items()
        }
        for _ in range(options.rounds)
    ]

    def middle(name: str, figure: str) -> float:
        return median(getattr(one[name], figure) for one in rounds)

    def over(name: str, other: str, figure: str) -> float:
        return median(getattr(one[name], figure) / getattr(one[other], figure) for one in rounds)

    rows = [
        Row(f"{name}, {figure}", middle(name, figure), "/s")
        for figure in ("sequential", "pipelined")
        for name in commands
    ]
    rows += [
        Row("ours over official, sequential", over("ours", "official", "sequential"), "x", at_least=9),
        Row("ours over a task for each message", over("ours", "tasks", "sequential"), "", at_least=0.65),
        Row("ours over official, pipelined", over("ours", "official", "pipelined"), "x", at_least=40),
        Row("with uvloop over official, sequential", over("ours, uvloop", "official", "sequential"), "x", at_least=20),
        Row("with uvloop over official, pipelined", over("ours, uvloop", "official", "pipelined"), "x", at_least=60),
        Row("start to first answer, ours", middle("ours", "start"), "s"),
        Row("share of what official takes", over("ours", "official", "start"), "", 1 / 6),
        Row("resident memory, ours", middle("ours", "memory"), "MiB"),
        Row("share of what official takes", over("ours", "official", "memory"), "", 0.5),
    ]
    if typescript is not None:
        for figure in ("sequential", "pipelined"):
            name = f"with uvloop over TypeScript, {figure}"
            rows.append(Row(name, over("ours, uvloop", "typescript", figure), "x", at_least=1))
    report("stdio", rows, options)


if __name__ == "__main__":
    main()
