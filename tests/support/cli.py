"""The command line, run in this process: what it returned and printed, and what it left on disk."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from typedmcp_codegen.__main__ import main


@dataclass(frozen=True, slots=True)
class Ran:
    """One command that ended."""

    status: int
    out: str
    err: str

    @property
    def data(self) -> Any:
        """What `--json` printed: one value and nothing else."""
        return json.loads(self.out)


def run(capsys: pytest.CaptureFixture[str], *arguments: str | Path) -> Ran:
    """Run one command of the generator."""
    capsys.readouterr()
    status = main([str(argument) for argument in arguments])
    out, err = capsys.readouterr()
    return Ran(status, out, err)


def refused(capsys: pytest.CaptureFixture[str], *arguments: str | Path) -> str:
    """Run a command that must end in an error; the one line it tells, and nothing else."""
    ran = run(capsys, *arguments)
    assert (ran.status, ran.out) == (2, "")
    assert ran.err.startswith("typedmcp: ")
    assert ran.err.count("\n") == 1
    assert ran.err.endswith("\n")
    return ran.err.rstrip("\n")


def snapshot(folder: Path) -> dict[str, bytes | None]:
    """Everything below a folder, hidden files too: the bytes of each file, None for each folder."""
    paths = sorted(folder.rglob("*")) if folder.is_dir() else []
    return {path.relative_to(folder).as_posix(): path.read_bytes() if path.is_file() else None for path in paths}


def written(folder: Path, name: str, document: Any) -> Path:
    """A schema file: bytes as they are, anything else as JSON."""
    path = folder / name
    path.write_bytes(document if isinstance(document, bytes) else json.dumps(document).encode())
    return path
