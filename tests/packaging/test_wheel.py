"""Tests of the built wheel: what it holds, and what it does where nothing but it and its dependencies is installed."""

from __future__ import annotations

import os
import sys
import venv
import zipfile
from pathlib import Path

import pytest

from support.paths import REPOSITORY, SCHEMA
from support.running import answer, run, succeed

SOURCES = {
    "typedmcp": REPOSITORY / "src/runtime/typedmcp",
    "typedmcp_types": REPOSITORY / "src/generated/typedmcp_types",
    "typedmcp_codegen": REPOSITORY / "codegen/typedmcp_codegen",
    "typedmcp_codegen/schema": SCHEMA,
}
CALL = """
import json, sys
from typedmcp import decode, encode
from {package} import CallToolRequest
text = b'{{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{{"name":"add","arguments":{{"a":1}}}}}}'
call = decode(text, CallToolRequest)
same = json.loads(encode(call)) == json.loads(text)
print(json.dumps([call.params.name, call.params.arguments, same, "pydantic" in sys.modules]))
"""


def _files(folder: Path) -> set[str]:
    found = (path.relative_to(folder) for path in folder.rglob("*") if path.is_file())
    return {path.as_posix() for path in found if "__pycache__" not in path.parts}


def _environment(folder: Path, *requirements: str) -> Path:
    """An environment outside the checkout with nothing but these; its folder of programs."""
    venv.create(folder)
    programs = folder / ("Scripts" if os.name == "nt" else "bin")
    pip = (sys.executable, "-m", "pip", "--python", programs / "python")
    succeed(*pip, "install", "--quiet", "--disable-pip-version-check", *requirements, PYTHONPATH="")
    return programs


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    succeed(sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", folder, cwd=REPOSITORY)
    (built,) = folder.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def bare(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return _environment(tmp_path_factory.mktemp("bare"), str(wheel))


@pytest.fixture(scope="module")
def full(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return _environment(tmp_path_factory.mktemp("full"), f"{wheel}[codegen,pydantic]")


@pytest.fixture
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder, in an environment that does not know the checkout."""
    monkeypatch.delenv("PYTHONPATH", raising=False)
    return tmp_path


def test_the_wheel_holds_the_three_packages_and_the_schema_documents_and_nothing_else(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        held = [info.filename for info in archive.infolist() if not info.is_dir()]
    information = f"{'-'.join(wheel.name.split('-')[:2])}.dist-info/"
    expected = {f"{place}/{name}" for place, folder in SOURCES.items() for name in _files(folder)}
    assert {name for name in held if not name.startswith(information)} == expected
    assert {name.removeprefix(information) for name in held if name.startswith(information)} == {
        *("METADATA", "RECORD", "WHEEL", "entry_points.txt", "licenses/LICENSE")
    }
    assert len(held) == len(set(held))
    assert expected >= {
        *("typedmcp/py.typed", "typedmcp_types/py.typed", "typedmcp_codegen/py.typed"),
        *("typedmcp_codegen/schema/SOURCES.json", "typedmcp_codegen/schema/2025-11-25.json"),
        *("typedmcp_codegen/templates/stubs/methods.py.j2", "typedmcp_codegen/templates/models/msgspec.jinja2"),
    }


def test_the_types_need_msgspec_alone(bare: Path, elsewhere: Path) -> None:
    code = "import importlib.metadata as m, json; print(json.dumps(sorted(d.name for d in m.distributions())))"
    assert answer(code, python=bare / "python", cwd=elsewhere) == ["msgspec", "typedmcp"]
    code = CALL.format(package="typedmcp_types.v2025_11_25.structs")
    assert answer(code, python=bare / "python", cwd=elsewhere) == ["add", {"a": 1}, True, False]


def test_models_without_pydantic_name_the_extra(bare: Path, elsewhere: Path) -> None:
    done = run(bare / "python", "-c", "import typedmcp_types.v2025_11_25.models", cwd=elsewhere)
    assert done.stderr.splitlines()[-1].endswith('pip install "typedmcp[pydantic]"')


@pytest.mark.parametrize("command", ["generate", "check"])
def test_generating_without_the_extra_says_so_in_one_line(command: str, bare: Path, elsewhere: Path) -> None:
    done = run(bare / "typedmcp", command, SCHEMA / "2025-11-25.json", "-o", "out", cwd=elsewhere)
    assert (done.returncode, done.stdout) == (2, "")
    (line,) = done.stderr.splitlines()
    assert 'pip install "typedmcp[codegen]"' in line
    assert not list(elsewhere.iterdir())


def test_a_hand_edit_is_found_without_the_generator(bare: Path, full: Path, elsewhere: Path) -> None:
    succeed(full / "typedmcp", "generate", SCHEMA / "2024-11-05.json", "-o", ".", "--package", "acme", cwd=elsewhere)
    succeed(bare / "typedmcp", "check", "-o", ".", "--package", "acme", cwd=elsewhere)
    edited = elsewhere / "acme/structs/__init__.py"
    edited.write_text(edited.read_text("utf-8") + "\n# mine\n", "utf-8")
    done = run(bare / "typedmcp", "check", "-o", ".", "--package", "acme", cwd=elsewhere)
    assert done.returncode == 1
    assert "structs/__init__.py" in done.stdout


def test_a_package_is_generated_from_an_empty_folder_and_works(full: Path, elsewhere: Path) -> None:
    schema = elsewhere / "acme.json"
    schema.write_bytes((SCHEMA / "2025-11-25.json").read_bytes())
    target = ("acme.json", "-o", "src", "--package", "acme_types", "--backend", "both")
    succeed(full / "typedmcp", "generate", *target, cwd=elsewhere)
    succeed(full / "typedmcp", "check", *target, cwd=elsewhere)
    assert {path.name for path in elsewhere.iterdir()} == {"acme.json", "src"}
    for back_end, pydantic in (("structs", False), ("models", True)):
        code = CALL.format(package=f"acme_types.{back_end}")
        assert answer(code, python=full / "python", cwd=elsewhere / "src") == ["add", {"a": 1}, True, pydantic]
