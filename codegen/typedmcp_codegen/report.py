"""How an outcome or an error reaches a person or a machine: lines, colours, JSON, progress; knows no stage."""

from __future__ import annotations

import json
import os
import sys
import threading
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TextIO

from .errors import CodegenError
from .jsonio import JsonObject

PREFIX = "typedmcp: "
_DELAY = 1.0
"""Seconds after which a command says what it is doing."""
_COLOURS = {"+": "32", "-": "31", "@": "36"}


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a command found or did: the exit status, one object for machines, lines for people, a unified diff."""

    status: int
    data: JsonObject
    lines: tuple[str, ...]
    diff: str = ""


def show(outcome: Outcome, *, as_json: bool, out: TextIO) -> None:
    """Print an outcome: one JSON object, or the diff and the lines."""
    if as_json:
        _print(json.dumps(outcome.data, indent=2), out)
        return
    coloured = _coloured(out)
    for line in outcome.diff.splitlines():
        _print(_painted(line) if coloured else line, out)
    for line in outcome.lines:
        _print(line, out)


def fail(error: CodegenError, *, as_json: bool, out: TextIO, err: TextIO) -> None:
    """Print an error: one line for people, and one object for machines where they asked for it."""
    if as_json:
        told = {"message": error.message, "where": error.where, "pointer": error.pointer, "hint": error.hint}
        _print(json.dumps({"error": told}, indent=2), out)
    _print(PREFIX + one_line(str(error)), err)


def one_line(text: str) -> str:
    """The text without line ends and control characters, which a file name or a tool's message may hold."""
    return "".join(char if char.isprintable() else " " for char in " ".join(text.split()))


def aligned(rows: Iterable[Sequence[str]], indent: str = "") -> list[str]:
    """Rows of cells as lines, each column as wide as its widest cell."""
    listed = [list(row) for row in rows]
    count = max((len(row) for row in listed), default=0)
    widths = [max((len(row[column]) for row in listed if column < len(row)), default=0) for column in range(count)]
    lines = ["  ".join(cell.ljust(widths[column]) for column, cell in enumerate(row)) for row in listed]
    return [(indent + line).rstrip() for line in lines]


def _print(text: str, stream: TextIO) -> None:
    # A console may know fewer characters than a document's prose.
    encoding = stream.encoding or "utf-8"
    print(text.encode(encoding, "backslashreplace").decode(encoding), file=stream)


def _coloured(stream: TextIO) -> bool:
    return stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def _painted(line: str) -> str:
    if line.startswith(("+++", "---")):
        return f"\x1b[1m{line}\x1b[0m"
    colour = _COLOURS.get(line[:1])
    return f"\x1b[{colour}m{line}\x1b[0m" if colour else line


class Progress:
    """A line on a terminal's error stream that says what a command does, once it takes more than a second.

    Used as a context; gone without a trace when the context ends. Silent where the stream is no terminal.
    """

    def __init__(self, stream: TextIO | None = None) -> None:
        self._stream = sys.stderr if stream is None else stream
        self._lock = threading.Lock()
        self._step = ""
        self._visible = False
        self._timer = threading.Timer(_DELAY, self._appear)
        self._timer.daemon = True

    def __enter__(self) -> Progress:
        if self._stream.isatty():
            self._timer.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._timer.cancel()
        with self._lock:
            if self._visible:
                self._draw("")
            self._visible = False
            self._step = ""

    def __call__(self, step: str) -> None:
        """Name what is done from now on."""
        with self._lock:
            self._step = step
            if self._visible:
                self._draw(f"{step} ...")

    def _appear(self) -> None:
        with self._lock:
            # The context may have ended between the timer's last look and this lock.
            if self._step:
                self._visible = True
                self._draw(f"{self._step} ...")

    def _draw(self, text: str) -> None:
        self._stream.write(f"\r\x1b[K{text}")
        self._stream.flush()
