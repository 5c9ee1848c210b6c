"""Where things lie: the checkout, its schema documents, and the surroundings a test may need and may not find.

A test that needs something from outside the checkout asks for it here. It is skipped where that is missing, and fails
where the environment variable REQUIRE (a comma-separated list) names it, as CI does.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Literal

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
SCHEMA = REPOSITORY / "schema"

Surrounding = Literal["shared", "node", "peers"]


def needs(what: Surrounding) -> Path:
    """The place of something outside the checkout; skips the test, or the module, where there is none."""
    find, told = _SURROUNDINGS[what]
    place = find()
    if place is not None:
        return place
    if what in os.environ.get("REQUIRE", "").split(","):
        pytest.fail(f"REQUIRE names {what}, but {told}", pytrace=False)
    pytest.skip(f"needs {what}: {told}", allow_module_level=True)


def npm_server(find: Callable[[], Path]) -> list[str | Path]:
    """How a server of an npm package is started, by the function of `peers` that finds it; skips as `needs` does."""
    node = needs("node")
    try:
        return [node, find()]
    except (OSError, subprocess.TimeoutExpired) as error:
        told = str(error).splitlines()[0]
    if "node" in os.environ.get("REQUIRE", "").split(","):
        pytest.fail(f"REQUIRE names node, but {told}", pytrace=False)
    pytest.skip(f"needs node: {told}", allow_module_level=True)


def shared() -> Path:
    """The folder with the full schema documents, the official examples and the collected cases."""
    return needs("shared")


def _shared() -> Path | None:
    folder = Path(os.environ.get("TYPEDMCP_SHARED") or REPOSITORY.parent / "shared")
    return folder if (folder / "schema").is_dir() else None


def _node() -> Path | None:
    found = shutil.which(os.environ.get("CONFORMANCE_NODE") or "node")
    return Path(found) if found else None


def _peers() -> Path | None:
    named = os.environ.get("TYPEDMCP_PEERS")
    if named:
        python = Path(named) / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
        return python if python.exists() else None
    from support import peers

    try:
        return peers.official_python()
    except (OSError, subprocess.TimeoutExpired):
        return None


_SURROUNDINGS: dict[Surrounding, tuple[Callable[[], Path | None], str]] = {
    "shared": (_shared, "there is no ../shared beside the checkout, and TYPEDMCP_SHARED names none"),
    "node": (_node, "there is no node on the path, and CONFORMANCE_NODE names none"),
    "peers": (
        _peers,
        "there is no environment with the official SDK at TYPEDMCP_PEERS, nor one in .nox",
    ),
}
