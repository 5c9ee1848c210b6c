"""Both checkers see the types a user is meant to see: programs they must accept, and lines they must refuse."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from support import packages
from support.paths import REPOSITORY, needs

PROGRAMS = Path(__file__).parent / "programs"
ROOTS = [str(REPOSITORY / folder) for folder in ("src/runtime", "src/generated")]
LINE = re.compile(r"^(?P<file>[^:\n]+):(?P<line>\d+): error", re.MULTILINE)


def pyright(folder: Path) -> dict[str, set[int]]:
    """The lines pyright reports, by file."""
    shutil.copytree(PROGRAMS, folder / "programs")
    config: dict[str, object] = {
        "include": ["programs"],
        "typeCheckingMode": "strict",
        "extraPaths": ROOTS,
        "pythonVersion": "3.11",
    }
    config |= {
        "reportUnusedExpression": "none",
        "reportUnusedCallResult": "none",
        "reportUnnecessaryComparison": "none",
    }
    (folder / "pyrightconfig.json").write_text(json.dumps(config))
    command = [sys.executable, "-m", "pyright", "--outputjson", "-p", str(folder), "--pythonpath", sys.executable]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=180)
    found: dict[str, set[int]] = {"accepted.py": set(), "refused.py": set()}
    for report in json.loads(done.stdout)["generalDiagnostics"]:
        found[Path(report["file"]).name].add(report["range"]["start"]["line"] + 1)
    return found


def mypy(folder: Path) -> dict[str, set[int]]:
    """The lines mypy reports, by file."""
    environment = {**os.environ, "MYPYPATH": os.pathsep.join(ROOTS)}
    command = [sys.executable, "-m", "mypy", "--strict", "--no-error-summary", "--config-file=", "--show-absolute-path"]
    command += ["--cache-dir", str(folder), str(PROGRAMS / "accepted.py"), str(PROGRAMS / "refused.py")]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=180, env=environment)
    found: dict[str, set[int]] = {"accepted.py": set(), "refused.py": set()}
    for match in LINE.finditer(done.stdout):
        found[Path(match["file"]).name].add(int(match["line"]))
    return found


@pytest.mark.parametrize("checker", [pyright, mypy], ids=["pyright", "mypy"])
def test_a_checker_accepts_what_is_right_and_refuses_what_is_wrong(checker: object, tmp_path: Path) -> None:
    assert callable(checker)
    found = checker(tmp_path)
    lines = (PROGRAMS / "refused.py").read_text("utf-8").splitlines()
    marked = {number for number, line in enumerate(lines, 1) if "# error" in line}
    assert found == {"accepted.py": set(), "refused.py": marked}
    assert len(marked) > 10


# What stands in src/generated is checked with the rest of the source.
NOT_COMMITTED = ("rmcp-client", "rmcp-server")


def test_what_is_generated_from_other_documents_is_clean_under_both_checkers(tmp_path: Path) -> None:
    for name in NOT_COMMITTED:
        packages.from_file(needs("shared") / "schema" / f"{name}.json", tmp_path / name)
    config = {"include": ["rmcp-*"], "typeCheckingMode": "strict", "extraPaths": ROOTS, "pythonVersion": "3.11"}
    (tmp_path / "pyrightconfig.json").write_text(json.dumps(config))
    pyright_found = subprocess.run(
        [sys.executable, "-m", "pyright", "--outputjson", "-p", str(tmp_path), "--pythonpath", sys.executable],
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    told = json.loads(pyright_found.stdout)
    assert told["generalDiagnostics"] == []
    assert told["summary"]["filesAnalyzed"] == 8 * len(NOT_COMMITTED)
    folders = [str(folder) for name in NOT_COMMITTED for folder in (tmp_path / name).iterdir()]
    mypy_found = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--config-file=", "--cache-dir", str(tmp_path / "cache"), *folders],
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
        env={**os.environ, "MYPYPATH": os.pathsep.join(ROOTS)},
    )
    assert mypy_found.stdout.startswith("Success: no issues found in"), mypy_found.stdout[-2000:]
