"""Tests that README.md tells the truth: every block of it is run, every figure in it is looked up."""

from __future__ import annotations

import ast
import importlib
import re
import shlex
import shutil
import sys
import tomllib
from pathlib import Path

import pytest

from support.paths import REPOSITORY, SCHEMA
from support.running import run, succeed
from typedmcp_types.revisions import REVISIONS

README = (REPOSITORY / "README.md").read_text("utf-8")
BLOCKS = re.findall(r"^```(\w*)\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)
PRELUDE = """\
from hypothesis import HealthCheck, settings
settings.register_profile("steady", derandomize=True, deadline=None, database=None,
                          suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("steady")
"""
"""What a test adds to the blocks: no verdict of theirs may depend on the clock."""
COMMANDS = [line for language, text in BLOCKS if language == "sh" for line in text.splitlines()]


def _sessions() -> set[str]:
    tree = ast.parse((REPOSITORY / "noxfile.py").read_text("utf-8"))
    functions = [node for node in tree.body if isinstance(node, ast.FunctionDef)]
    return {node.name for node in functions if any("nox.session" in ast.unparse(each) for each in node.decorator_list)}


def test_every_block_is_of_a_kind_that_these_tests_run() -> None:
    assert {language for language, _ in BLOCKS} == {"python", "sh"}
    assert {command.split()[0] for command in COMMANDS} == {"python3", "pip", "typedmcp"}


def test_the_python_blocks_print_what_their_comments_say(tmp_path: Path) -> None:
    script = "\n".join(text for language, text in BLOCKS if language == "python")
    (tmp_path / "readme.py").write_text(PRELUDE + script, "utf-8")
    expected = re.findall(r"^ *print\(.*\)  # (.*)$", script, re.MULTILINE)
    assert len(expected) == script.count("print(") > 5
    assert succeed(sys.executable, "-W", "error", "readme.py", cwd=tmp_path).splitlines() == expected


def test_the_typedmcp_commands_work_one_after_the_other(tmp_path: Path) -> None:
    shutil.copy(SCHEMA / "2025-11-25.json", tmp_path / "acme.json")
    commands = [shlex.split(command) for command in COMMANDS if command.startswith("typedmcp ")]
    assert {command[1] for command in commands} == {"generate", "check", "explain"}
    for _, *arguments in commands:
        assert succeed(sys.executable, "-m", "typedmcp", *arguments, cwd=tmp_path)
    assert (tmp_path / "src/acme_types/structs/__init__.py").is_file()
    (tmp_path / "src/acme_types/methods.py").write_text("", "utf-8")
    for _, *arguments in commands:
        if arguments[0] == "check":
            assert run(sys.executable, "-m", "typedmcp", *arguments, cwd=tmp_path).returncode == 1


def test_the_sessions_it_names_exist() -> None:
    named = {command.split()[-1] for command in COMMANDS if command.startswith("python3 noxfile.py -s ")}
    assert {"demo", "tests"} <= named <= _sessions()


def test_the_extras_it_names_exist_and_no_other() -> None:
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text("utf-8"))["project"]
    named = re.findall(r'^pip install "\.\[(\w+)\]"$', "\n".join(COMMANDS), re.MULTILINE)
    assert sorted(named) == sorted(project["optional-dependencies"])


def test_the_table_of_revisions_is_the_generated_one() -> None:
    rows = re.findall(r"^\| (\S+) \| `(\S+)` \| (\d+) \| (\d+) \|$", README, re.MULTILINE)
    expected: list[tuple[str, ...]] = []
    for revision, package in REVISIONS:
        kinds = [method.kind for method in importlib.import_module(f"{package}.methods").METHODS]
        expected.append((revision, package, str(kinds.count("request")), str(kinds.count("notification"))))
    assert rows == expected


def test_the_files_it_links_to_exist() -> None:
    for name in re.findall(r"\]\((?!https?:)([^)#]+)", README):
        assert (REPOSITORY / name).is_file(), name


@pytest.mark.slow
def test_the_first_command_works_in_a_fresh_copy_with_python_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    left_out = shutil.ignore_patterns(".*", "__pycache__", "dist", "build")
    copy = shutil.copytree(REPOSITORY, tmp_path / "copy", ignore=left_out)
    monkeypatch.delenv("PYTHONPATH", raising=False)
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    # The interpreter behind this environment, which has no nox.
    told = succeed(Path(sys.base_prefix) / "bin" / "python3", "noxfile.py", "-s", "demo", cwd=copy)
    assert "decoded    CallToolRequest(" in told
    assert "none changed" in told
