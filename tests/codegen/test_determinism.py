"""Generating is a function of the documents: neither the hash seed nor the locale nor the folder has a say."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from support.paths import REPOSITORY
from typedmcp_codegen.emit import tree

GENERATED = REPOSITORY / "src" / "generated" / "typedmcp_types"
ENVIRONMENTS = [("0", "C"), ("4711", "C.UTF-8")]


@pytest.mark.parametrize(("seed", "locale"), ENVIRONMENTS, ids=[f"seed {seed}, {name}" for seed, name in ENVIRONMENTS])
def test_generating_again_gives_the_same_bytes(seed: str, locale: str, tmp_path: Path) -> None:
    target = tmp_path / "typedmcp_types"
    # Without these two, Python would read and write UTF-8 in every locale, and the locale would say nothing.
    told = {"PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    environment = {**os.environ, **told, "PYTHONHASHSEED": seed, "LC_ALL": locale, "LANG": locale}
    command = [sys.executable, "-m", "typedmcp_codegen", "build", "--out", str(target)]
    subprocess.run(command, env=environment, cwd=REPOSITORY, check=True, capture_output=True, timeout=120)
    fresh = {
        path.relative_to(target).as_posix(): path.read_text("utf-8") for path in target.rglob("*") if path.is_file()
    }
    drift = tree.compare(fresh, GENERATED)
    assert (drift.changed, drift.missing, drift.extra) == ((), (), ())
    assert len(fresh) > 30
