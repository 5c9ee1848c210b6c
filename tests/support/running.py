"""Running Python in a process of its own, where imports and the environment are what is tested."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any


def run(*command: str | Path, cwd: Path | None = None, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run a command to its end and capture what it prints; whether it failed is for the caller to say."""
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1", **variables}
    return subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True, check=False, timeout=600)


def succeed(*command: str | Path, cwd: Path | None = None, **variables: str) -> str:
    """The standard output of a command that must not fail."""
    done = run(*command, cwd=cwd, **variables)
    assert done.returncode == 0, f"{' '.join(map(str, command))} exited {done.returncode}\n{done.stdout}{done.stderr}"
    return done.stdout


def answer(code: str, *, python: str | Path = sys.executable, cwd: Path | None = None) -> Any:
    """Run code that prints one line of JSON last; returns its value."""
    return json.loads(succeed(python, "-c", code, cwd=cwd).splitlines()[-1])
