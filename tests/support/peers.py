"""Other implementations of the protocol, each in an environment of its own under .nox, made the first time.

To raise a version change it here; the environment is made anew.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import subprocess
import sys
import venv
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

OFFICIAL = ("mcp==2.3.0", "uvloop==0.22.1")
"""The official Python SDK, and what its servers may run on."""
EVERYTHING = "@modelcontextprotocol/server-everything@2026.8.31"
TYPESCRIPT = "@modelcontextprotocol/sdk@1.20.2"
FOLDER = Path(__file__).resolve().parents[2] / ".nox"


def official_python() -> Path:
    """The interpreter of an environment with the official SDK. Raises OSError where it cannot be made."""
    folder = FOLDER / "anchor"
    python = folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")

    def make() -> None:
        venv.create(folder, with_pip=True, clear=True)
        _run(python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *OFFICIAL)

    _made(folder, " ".join((*OFFICIAL, f"Python {sys.version_info.major}.{sys.version_info.minor}")), make)
    return python


def node_packages() -> Path:
    """A folder with the npm packages in its node_modules. Raises OSError where there is no npm."""
    folder = FOLDER / "anchor-node"
    npm = shutil.which("npm")
    if npm is None:
        raise OSError("there is no npm on the path")

    def make() -> None:
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        _run(npm, "install", "--silent", "--no-audit", "--no-fund", "--prefix", folder, EVERYTHING, TYPESCRIPT)

    _made(folder, f"{EVERYTHING} {TYPESCRIPT}", make)
    return folder


def everything_server() -> Path:
    """The program of the npm package `server-everything`."""
    return node_packages() / "node_modules" / "@modelcontextprotocol" / "server-everything" / "dist" / "index.js"


def _made(folder: Path, of: str, make: Callable[[], None]) -> None:
    """Make an environment unless it is there: one process at a time, and only a finished one counts."""
    mark = folder / "made-with"
    with _alone(folder.with_suffix(".lock")):
        if mark.exists() and mark.read_text("utf-8") == of:
            return
        print(f"Installing {of} into {folder.name} (once) ...", file=sys.stderr)
        make()
        mark.write_text(of, "utf-8")


@contextmanager
def _alone(lock: Path) -> Iterator[None]:
    lock.parent.mkdir(parents=True, exist_ok=True)
    with lock.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _run(*command: str | Path) -> None:
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False, timeout=600)
    if done.returncode:
        raise OSError(f"{command[0]} ended with {done.returncode}: {done.stderr.strip()[-500:]}")
