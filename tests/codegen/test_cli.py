"""What the commands do, print and return; each is run as a user runs it, in this process where that shows the same."""

from __future__ import annotations

import importlib
import io
import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from importlib.metadata import PackageNotFoundError
from pathlib import Path
from typing import Any

import pytest

import typedmcp_codegen
from support.cli import Ran, refused, run, snapshot, written
from support.extension import ACME, acme
from support.paths import SCHEMA
from typedmcp import cli as console
from typedmcp.base import decode, encode
from typedmcp_codegen import __main__ as command_line
from typedmcp_codegen import commands, pipeline, report, sources
from typedmcp_codegen.emit import package, tree
from typedmcp_codegen.errors import CodegenError

STRING = {"type": "string"}
THING = {"$defs": {"Thing": {"type": "object", "properties": {"name": STRING}}}}
OTHER = {"$defs": {"Thing": {"type": "object", "properties": {"name": STRING, "size": {"type": "integer"}}}}}
PATH = os.pathsep.join(
    str(Path(str(module.__file__)).parents[1]) for module in (sys.modules["typedmcp"], typedmcp_codegen)
)

Capture = pytest.CaptureFixture[str]


def kept(name: str) -> dict[str, Any]:
    """A document of the repository, to be changed."""
    document: dict[str, Any] = json.loads((SCHEMA / f"{name}.json").read_text("utf-8"))
    return document


def bare_python(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    """The command line in a Python without any installed package."""
    environment = {**os.environ, "PYTHONPATH": PATH, "PYTHONDONTWRITEBYTECODE": "1"}
    command = [sys.executable, "-S", *map(str, arguments)]
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False, timeout=60)


# generate


def test_generate_tells_what_it_read_made_and_wrote(tmp_path: Path, capsys: Capture) -> None:
    file = written(tmp_path, "my-things.json", THING)
    ran = run(capsys, "generate", file, "-o", tmp_path / "out", "--backend", "structs")
    assert (ran.status, ran.err) == (0, "")
    told = dict(line.split(maxsplit=1) for line in ran.out.splitlines())
    assert told["read"].startswith(f"{file} (sha256 ")
    assert told["base"] == "no known document: no overlay and no documentation texts apply"
    assert told["types"] == "1: 1 object, 0 unions, 0 aliases"
    assert told["methods"] == "0 requests, 0 notifications"
    assert told["untyped"] == "0 members of any JSON value"
    assert told["written"] == f"{tmp_path / 'out' / 'my_things'} (6 files, 6 new)"
    assert told["import"] == "from my_things.structs import Thing"
    made = (tmp_path / "out" / "my_things").stat().st_ino
    again = run(capsys, "generate", file, "-o", tmp_path / "out", "--backend", "structs")
    assert "(6 files, unchanged)" in again.out
    assert (tmp_path / "out" / "my_things").stat().st_ino == made


def test_generate_with_json_prints_one_object(tmp_path: Path, capsys: Capture) -> None:
    ran = run(capsys, "generate", written(tmp_path, "x.json", THING), "-o", tmp_path, "--json")
    assert (ran.status, ran.err) == (0, "")
    assert ran.data["types"] == {"all": 1, "objects": 1, "unions": 0, "aliases": 0}
    assert ran.data["back_ends"] == ["structs", "models"]
    assert ran.data["changed"] == {"new": 7, "changed": 0, "removed": 0}
    assert ran.data["base"] is None
    assert set(ran.data["files"]) == set(snapshot(tmp_path / "x")) - {"structs", "models"}


def test_a_back_end_no_longer_asked_for_is_removed(tmp_path: Path, capsys: Capture) -> None:
    file = written(tmp_path, "x.json", THING)
    run(capsys, "generate", file, "-o", tmp_path)
    ran = run(capsys, "generate", file, "-o", tmp_path, "--backend", "models")
    assert "1 removed" in ran.out
    assert "from x.models import Thing" in ran.out
    assert set(snapshot(tmp_path / "x")) >= {"models", "methods.py"}
    assert "structs" not in snapshot(tmp_path / "x")
    assert "`structs`" not in (tmp_path / "x" / "__init__.py").read_text("utf-8")


@pytest.mark.parametrize(
    ("file", "expected"),
    [
        ("2025-11-25.json", "v2025_11_25"),
        ("My Schema (2).json", "my_schema_2"),
        ("class.json", "class_"),
        ("rmcp-server.schema.json", "rmcp_server_schema"),
    ],
)
def test_a_package_is_called_after_its_file(file: str, expected: str, tmp_path: Path) -> None:
    assert commands.package_name(commands.Request(tmp_path / file, tmp_path)) == expected


@pytest.mark.parametrize(
    ("arguments", "fragment"),
    [
        (("x.json", "--package", "a-b"), "'a-b' cannot be a package name: it is no identifier"),
        (("x.json", "--package", "import"), "'import' cannot be a package name: it is a keyword of Python"),
        (("x.json", "--package", "../x"), "'../x' cannot be a package name"),
        (("x.json", "--package", "msgspec"), "a package called 'msgspec' would hide the module of that name"),
        (("types.json",), "a package called 'types' would hide the module of that name"),
        (("---.json",), "no package name can be made from this file's name"),
        (("x.json", "--name", " "), "' ' is no name that could be printed"),
        (("x.json", "--revision", "2025-11-24"), "no known document is called '2025-11-24' (did you mean 2025-11-25"),
        (("missing.json",), "missing.json: cannot be read: No such file or directory"),
        ((".",), "cannot be read: Is a directory"),
    ],
)
def test_generate_refuses_what_it_cannot_use(
    arguments: tuple[str, ...], fragment: str, tmp_path: Path, capsys: Capture
) -> None:
    for name in ("x.json", "types.json", "---.json"):
        written(tmp_path, name, THING)
    file, *rest = arguments
    package_given = ["--package", "x"] if file == "." else []
    told = refused(capsys, "generate", tmp_path / file, "-o", tmp_path / "out", *package_given, *rest)
    assert fragment in told
    assert not (tmp_path / "out").exists()


def test_a_package_inside_a_package_may_have_any_name_and_is_imported_through_it(
    tmp_path: Path, capsys: Capture
) -> None:
    inner = tmp_path / "mine" / "wire"
    inner.mkdir(parents=True)
    for folder in (inner, inner.parent):
        (folder / "__init__.py").write_text("", "utf-8")
    ran = run(capsys, "generate", written(tmp_path, "types.json", THING), "-o", inner)
    assert ran.status == 0
    assert "from mine.wire.types.structs import Thing" in ran.out


def test_a_known_document_is_recognised_whatever_its_file_is_called(tmp_path: Path, capsys: Capture) -> None:
    shutil.copy(SCHEMA / "2024-11-05.json", tmp_path / "schema.json")
    ran = run(capsys, "generate", tmp_path / "schema.json", "-o", tmp_path, "--backend", "structs", "--json")
    assert (ran.data["base"], ran.data["same_as_base"], ran.data["name"]) == ("2024-11-05", True, "2024-11-05")
    methods = (tmp_path / "schema" / "methods.py").read_text("utf-8")
    assert 'REVISION: Final = "2024-11-05"' in methods

    named = ("--revision", "2024-11-05", "--name", "ours")
    run(capsys, "generate", tmp_path / "schema.json", "-o", tmp_path, "--backend", "structs", *named)
    assert 'REVISION: Final = "ours"' in (tmp_path / "schema" / "methods.py").read_text("utf-8")


def test_without_a_base_no_overlay_applies(tmp_path: Path, capsys: Capture) -> None:
    arguments = ("generate", SCHEMA / "2024-11-05.json", "-o", tmp_path, "--backend", "structs", "--json")
    found, without = run(capsys, *arguments).data, run(capsys, *arguments, "--revision", "none").data
    assert (found["base"], without["base"]) == ("2024-11-05", None)
    # The overlay gives the metadata of all requests one name; without it each place has its own.
    assert without["types"]["all"] > found["types"]["all"]
    newer = ("generate", SCHEMA / "2025-11-25.json", "-o", tmp_path, "--revision", "none")
    assert "nothing decides the union EnumSchema" in refused(capsys, *newer)


def test_a_private_extension_of_a_revision_has_its_methods_and_types(
    tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = written(tmp_path, "acme.json", acme())
    ran = run(capsys, "generate", file, "-o", tmp_path / "out", "--package", "acme_extension")
    assert (ran.status, ran.err) == (0, "")
    assert "extends 2025-11-25: its overlay and our documentation texts apply" in ran.out
    monkeypatch.setattr(sys, "path", [str(tmp_path / "out"), *sys.path])
    table = importlib.import_module("acme_extension.methods")
    rows = {row.wire: row for row in table.METHODS}
    assert table.REVISION == "acme"
    assert len(rows) == 33

    row = rows["acme/run"]
    assert (row.kind, row.senders, row.carrier, row.type) == ("request", ("client",), "rpc", "AcmeRunRequest")
    assert (row.params, row.params_required) == ("AcmeRunRequestParams", True)
    assert [tuple(result) for result in row.results] == [("AcmeRunResult", "always")]
    row = rows["notifications/acme/ran"]
    assert (row.kind, row.senders, row.results) == ("notification", ("server",), ())
    assert row.params == "AcmeRanNotificationParams"

    text = b'{"jsonrpc":"2.0","id":7,"method":"acme/run","params":{"job":"j","retryCount":2}}'
    for end in package.BACK_ENDS:
        types = importlib.import_module(f"acme_extension.{end}")
        request = decode(text, types.ClientRequest)
        assert type(request) is types.AcmeRunRequest
        assert (request.id, request.params.job, request.params.retry_count) == (7, "j", 2)
        assert json.loads(encode(request)) == json.loads(text)
        result = types.AcmeRunResult(exit_code=0)
        assert encode(result) == b'{"exitCode":0}'
        note = b'{"jsonrpc":"2.0","method":"notifications/acme/ran","params":{"job":"j"}}'
        assert type(decode(note, types.ServerNotification)) is types.AcmeRanNotification


# check


@pytest.fixture
def made(tmp_path: Path, capsys: Capture) -> Path:
    """A generated package `out/x`; its schema file is x.json beside `out`."""
    assert run(capsys, "generate", written(tmp_path, "x.json", THING), "-o", tmp_path / "out").status == 0
    return tmp_path / "out" / "x"


def checked(capsys: Capture, made: Path, *more: str) -> Ran:
    return run(capsys, "check", made.parents[1] / "x.json", "-o", made.parent, *more)


def test_check_of_an_unchanged_package_says_so(made: Path, capsys: Capture) -> None:
    before = snapshot(made.parent)
    (made / "__pycache__").mkdir()
    (made / "__pycache__" / "methods.pyc").write_bytes(b"")
    assert checked(capsys, made) == Ran(0, f"{made}: 7 files, all as generated\n", "")
    assert checked(capsys, made, "--json").data["same"] is True
    shutil.rmtree(made / "__pycache__")
    assert snapshot(made.parent) == before


def test_check_tells_changed_missing_extra_and_hand_edited_files(made: Path, capsys: Capture) -> None:
    with (made / "methods.py").open("a", encoding="utf-8") as stream:
        stream.write("EXTRA = 1")
    (made / "py.typed").unlink()
    (made / "mine.py").write_text("", "utf-8")
    ran = checked(capsys, made)
    assert ran.status == 1
    assert "\x1b" not in ran.out
    assert "\n-EXTRA = 1\n\\ No newline at end of file\n" in ran.out
    assert ran.out.startswith("--- on disk/methods.py\n+++ generated/methods.py\n@@ ")
    assert ran.out.splitlines()[-5:] == [
        "changed         methods.py",
        "missing         py.typed",
        "not generated   mine.py",
        "edited by hand  methods.py",
        f"{made}: 1 changed, 1 missing, 1 not generated",
    ]
    data = checked(capsys, made, "--json").data
    assert {key: data[key] for key in ("same", "changed", "missing", "extra", "edited")} == {
        "same": False,
        "changed": ["methods.py"],
        "missing": ["py.typed"],
        "extra": ["mine.py"],
        "edited": ["methods.py"],
    }


def test_check_after_a_change_of_the_schema_accuses_nobody_of_editing(made: Path, capsys: Capture) -> None:
    written(made.parents[1], "x.json", OTHER)
    ran = checked(capsys, made)
    assert ran.status == 1
    assert "+    size: int | UnsetType = UNSET" in ran.out
    assert "edited by hand" not in ran.out


@pytest.mark.parametrize("back_end", ["structs", "models", "both"])
def test_check_looks_at_the_back_ends_that_are_there(back_end: str, tmp_path: Path, capsys: Capture) -> None:
    file = written(tmp_path, "x.json", THING)
    run(capsys, "generate", file, "-o", tmp_path / "out", "--backend", back_end)
    assert run(capsys, "check", file, "-o", tmp_path / "out").status == 0
    other = {"structs": "models", "models": "both", "both": "structs"}[back_end]
    assert run(capsys, "check", file, "-o", tmp_path / "out", "--backend", other).status == 1


def test_check_of_a_package_that_does_not_exist_is_drift(made: Path, capsys: Capture) -> None:
    shutil.rmtree(made)
    assert checked(capsys, made) == Ran(1, f"{made}: does not exist, 7 files would be written\n", "")


def test_check_with_a_manifest_that_is_none_shows_it_as_changed(made: Path, capsys: Capture) -> None:
    (made / tree.MANIFEST).write_text("{}", "utf-8")
    ran = checked(capsys, made)
    assert ran.status == 1
    assert f"changed  {tree.MANIFEST}" in ran.out
    assert "is no manifest of ours" in refused(capsys, "check", "-o", made)


def test_check_without_a_file_compares_with_the_manifest(made: Path, capsys: Capture) -> None:
    for arguments in (("-o", made), ("-o", made.parent), ("-o", made.parent, "--package", "x")):
        assert run(capsys, "check", *arguments) == Ran(0, f"{made}: 6 files, all as recorded in _manifest.json\n", "")
    (made / "methods.py").write_text("", "utf-8")
    (made / "py.typed").unlink()
    (made / "mine.py").write_text("", "utf-8")
    ran = run(capsys, "check", "-o", made.parent)
    assert ran.status == 1
    assert ran.out.splitlines() == [
        "edited by hand  methods.py",
        "missing         py.typed",
        "not generated   mine.py",
        f"{made}: 3 not as recorded in _manifest.json",
    ]
    data = run(capsys, "check", "-o", made, "--json").data
    assert data["same"] is False
    assert data["packages"][0]["edited"] == ["methods.py"]


def test_check_needs_a_package_to_look_at(tmp_path: Path, capsys: Capture) -> None:
    assert "holds no generated package" in refused(capsys, "check", "-o", tmp_path / "nowhere")
    file = written(tmp_path, "x.json", THING)
    assert "the package to compare with is missing (-o DIR" in refused(capsys, "check", file)


def test_the_manifest_is_checked_without_the_generators_tools(made: Path) -> None:
    done = bare_python("-m", "typedmcp", "check", "-o", made)
    assert (done.returncode, done.stderr) == (0, "")
    (made / "methods.py").write_text("", "utf-8")
    done = bare_python("-m", "typedmcp", "check", "-o", made)
    assert (done.returncode, done.stderr) == (1, "")
    assert done.stdout.startswith("edited by hand  methods.py\n")


# build


class Printed:
    """Stands for the printer of the distribution, which takes its time; notes what it was asked to print."""

    def __init__(self) -> None:
        self.revisions: list[str] = []
        self.others: dict[str, str] = {}

    def __call__(self, revisions: Any, others: Mapping[str, Any]) -> dict[str, str]:
        self.revisions = [document.revision for document in revisions]
        self.others = {path: document.revision for path, document in others.items()}
        return tree.with_manifest({"__init__.py": '"""Types."""\n'}, {})


@pytest.fixture
def printed(monkeypatch: pytest.MonkeyPatch) -> Printed:
    printed = Printed()
    monkeypatch.setattr(package, "distribution", printed)
    return printed


def test_build_prints_every_revision_and_the_exports_with_batches(
    printed: Printed, tmp_path: Path, capsys: Capture
) -> None:
    out = tmp_path / "typedmcp_types"
    ran = run(capsys, "build", "--out", out)
    assert ran == Ran(0, f"{out}: 5 revisions and 2 exports in 2 files, 2 new\n", "")
    assert printed.revisions == list(sources.REVISIONS)
    assert printed.others == {"rmcp_batch/server": "rmcp-server-batch", "rmcp_batch/client": "rmcp-client-batch"}
    assert set(snapshot(out)) == {"__init__.py", tree.MANIFEST}
    data = run(capsys, "build", "--out", out, "--json").data
    assert data["changed"] == {"new": 0, "changed": 0, "removed": 0}
    assert data["documents"] == [*sources.REVISIONS, "rmcp-server-batch", "rmcp-client-batch"]


def test_check_alone_compares_the_whole_distribution(
    printed: Printed, tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "typedmcp_types"
    monkeypatch.setattr(command_line, "_DISTRIBUTION", out)
    run(capsys, "build")
    assert run(capsys, "check") == Ran(0, f"{out}: 2 files, all as generated\n", "")
    (out / "__init__.py").write_text("", "utf-8")
    ran = run(capsys, "check")
    assert ran.status == 1
    assert '+"""Types."""' in ran.out
    assert printed.revisions


def test_outside_the_repository_build_and_check_ask_for_files(
    tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(command_line, "__file__", str(tmp_path / "site-packages" / "typedmcp_codegen" / "__main__.py"))
    for command in (("build",), ("check",), ("import", "x.json", "--as", "x")):
        assert "this works only inside the repository" in refused(capsys, *command)


# import


@pytest.fixture
def schema(tmp_path: Path) -> Path:
    """A copy of the repository's schema folder."""
    return shutil.copytree(SCHEMA, tmp_path / "schema")


def with_prose(document: dict[str, Any]) -> dict[str, Any]:
    document["$defs"]["Tool"]["description"] = "Upstream's own words."
    return document


def test_an_import_keeps_the_structure_and_records_the_source(schema: Path, tmp_path: Path, capsys: Capture) -> None:
    file = written(tmp_path, "published.json", with_prose(acme()))
    facts = {"repository": "acme/mcp", "path": "a.json", "commit": "c0ffee", "licence": "MIT", "bytes": 1}
    origins = written(tmp_path, "SOURCES.json", {"files": {"published.json": facts}})
    before = snapshot(schema)
    ran = run(capsys, "import", file, "--as", "acme", "--from", origins, "--schema", schema)
    assert ran == Ran(0, "acme.json: new\n", "")
    text = (schema / "acme.json").read_text("utf-8")
    assert "Upstream" not in text
    assert json.loads(text)["$defs"]["AcmeRunResult"] == ACME["AcmeRunResult"]
    records = json.loads((schema / "SOURCES.json").read_text("utf-8"))
    source = sources.read(file)
    assert records["acme.json"] == {
        "repository": "acme/mcp",
        "path": "a.json",
        "commit": "c0ffee",
        "licence": "MIT",
        "sha256": source.sha256,
        "structure": source.digest,
    }
    after = snapshot(schema)
    assert {name for name in after if after[name] != before.get(name)} == {"acme.json", "SOURCES.json"}
    assert pipeline.Knowledge(schema).base_of(source) == "acme"


def test_an_import_of_what_is_there_changes_nothing(schema: Path, tmp_path: Path, capsys: Capture) -> None:
    before = snapshot(schema)
    ran = run(capsys, "import", schema / "rmcp-server.json", "--as", "rmcp-server", "--schema", schema)
    assert ran.out.startswith("rmcp-server.json: unchanged")
    changed = {name for name, data in snapshot(schema).items() if data != before[name]}
    # The record now has the digest of the bytes that were imported: here, of the structure itself.
    assert changed <= {"SOURCES.json"}
    again = run(capsys, "import", schema / "rmcp-server.json", "--as", "rmcp-server", "--schema", schema)
    assert again.out == "rmcp-server.json: unchanged\n"


def test_an_import_whose_prose_changed_says_so_and_asks_for_the_new_origin(
    schema: Path, tmp_path: Path, capsys: Capture
) -> None:
    file = written(tmp_path, "2025-11-25.json", with_prose(kept("2025-11-25")))
    ran = run(capsys, "import", file, "--as", "2025-11-25", "--schema", schema)
    assert ran.out.splitlines() == [
        "2025-11-25.json: unchanged in structure; its prose is not the same",
        "note: the recorded origin is that of the older import: give --from",
    ]
    records = json.loads((schema / "SOURCES.json").read_text("utf-8"))
    assert records["2025-11-25.json"]["repository"] == "modelcontextprotocol/modelcontextprotocol"
    assert records["2025-11-25.json"]["sha256"] == sources.read(file).sha256


def add_size(definitions: dict[str, Any]) -> None:
    tool = definitions["Tool"]
    tool["properties"]["size"] = {"type": "integer"}
    tool["required"] = [*tool["required"], "size"]
    del definitions["ToolAnnotations"]["properties"]["title"]
    definitions["Brand"] = STRING


def add_default(definitions: dict[str, Any]) -> None:
    definitions["Tool"]["properties"]["name"]["default"] = "nameless"


def break_overlay(definitions: dict[str, Any]) -> None:
    definitions["ElicitResult"]["properties"]["content"]["additionalProperties"] = STRING


@pytest.mark.parametrize(
    ("change", "lines", "told"),
    [
        pytest.param(
            add_size,
            ["+ Brand", '+ Tool.size: {"type":"integer"} (required)', "- ToolAnnotations.title"],
            "3 differences; the generated types change: changed Tool, ToolAnnotations; added Brand",
            id="types change",
        ),
        pytest.param(
            add_default,
            ['~ Tool.name: default null became "nameless"'],
            "1 difference; the generated types stay the same",
            id="types stay",
        ),
        pytest.param(
            break_overlay,
            [],
            "; nothing can be generated from it yet: 2025-11-25.toml record 2: overlay defect: expected ",
            id="overlay no longer applies",
        ),
    ],
)
def test_a_second_import_tells_the_differences_and_whether_types_change(
    change: Callable[[dict[str, Any]], None],
    lines: list[str],
    told: str,
    schema: Path,
    tmp_path: Path,
    capsys: Capture,
) -> None:
    document = kept("2025-11-25")
    change(document["$defs"])
    file = written(tmp_path, "upstream.json", document)
    ran = run(capsys, "import", file, "--as", "2025-11-25", "--schema", schema)
    assert (ran.status, ran.err) == (0, "")
    assert ran.out.splitlines()[: len(lines)] == lines
    assert told in ran.out
    assert json.loads((schema / "2025-11-25.json").read_text("utf-8")) == sources.structure(document)
    pipeline.Knowledge(schema).kept  # noqa: B018 - reads every document again


def test_a_document_under_the_name_of_another_is_refused(schema: Path, tmp_path: Path, capsys: Capture) -> None:
    before = snapshot(schema)
    file = schema / "2025-06-18.json"
    told = refused(capsys, "import", file, "--as", "2025-11-25", "--schema", schema)
    assert "its structure is that of 2025-06-18.json, which is recorded already" in told
    document = kept("2025-06-18")
    document["definitions"]["Tool"]["properties"]["size"] = STRING
    variant = written(tmp_path, "upstream.json", document)
    told = refused(capsys, "import", variant, "--as", "2025-11-25", "--schema", schema)
    assert "this is 2025-06-18, or a variant of it, not 2025-11-25" in told
    refused(capsys, "import", variant, "--as", "2025-11-25", "--schema", schema, "--new")
    told = refused(capsys, "import", variant, "--as", "2027-01-01", "--schema", schema)
    assert "(--new, where it really is another revision)" in told
    assert snapshot(schema) == before
    ran = run(capsys, "import", variant, "--as", "2027-01-01", "--schema", schema, "--new")
    assert ran.status == 0
    assert "2027-01-01 is no revision of the distribution until sources.REVISIONS lists it" in ran.out


@pytest.mark.parametrize(
    ("name", "document", "table", "fragment"),
    [
        pytest.param("../x", THING, None, "'../x' cannot name a document", id="a path as a name"),
        pytest.param("X", THING, None, "'X' cannot name a document", id="a name in capitals"),
        pytest.param("x", [], None, "the document is no JSON object", id="no schema"),
        pytest.param("x", {"$defs": {"A": {"not": {}}}}, None, "#/$defs/A/not: the keyword 'not'", id="a keyword"),
        pytest.param("x", THING, [], "#/files: has no table called files", id="a table that is none"),
        pytest.param("x", THING, {"files": {}}, "#/files: says nothing of in.json", id="a table without the file"),
        pytest.param(
            "x", THING, {"files": {"in.json": {"sha256": "0"}}}, "/sha256: means another in.json", id="another file"
        ),
    ],
)
def test_an_import_that_is_refused_writes_nothing(
    name: str, document: Any, table: Any, fragment: str, schema: Path, tmp_path: Path, capsys: Capture
) -> None:
    before = snapshot(schema)
    file = written(tmp_path, "in.json", document)
    more = [] if table is None else ["--from", written(tmp_path, "table.json", table)]
    assert fragment in refused(capsys, "import", file, "--as", name, "--schema", schema, *more)
    assert snapshot(schema) == before


@pytest.mark.parametrize("at", [1, 2])
def test_an_import_writes_both_files_or_none(
    at: int, schema: Path, tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = snapshot(schema)
    replace, calls = Path.replace, 0

    def fail(self: Path, target: Path) -> Path:
        nonlocal calls
        calls += 1
        if calls == at:
            raise OSError(28, "No space left on device")
        return replace(self, target)

    monkeypatch.setattr(Path, "replace", fail)
    file = written(tmp_path, "in.json", with_prose(kept("2025-11-25")))
    told = refused(capsys, "import", file, "--as", "2025-11-25", "--schema", schema)
    assert told.endswith("cannot be written: No space left on device")
    calls = 0
    refused(capsys, "import", written(tmp_path, "in.json", THING), "--as", "thing", "--schema", schema)
    monkeypatch.undo()
    assert snapshot(schema) == before


# explain


@pytest.fixture(autouse=True, scope="module")
def read_once() -> Iterator[None]:
    """The documents of the repository go through the stages once for all tests that only look at them."""
    with pytest.MonkeyPatch.context() as patch:
        read = pipeline.official
        staged = cache(lambda: read(pipeline.Knowledge.default()))

        def official(knowledge: pipeline.Knowledge) -> tuple[pipeline.Staged, ...]:
            return staged() if knowledge == pipeline.Knowledge.default() else read(knowledge)

        patch.setattr(pipeline, "official", official)
        yield


def test_explain_of_a_type_shows_members_revisions_and_differences(capsys: Capture) -> None:
    ran = run(capsys, "explain", "Tool")
    assert (ran.status, ran.err) == (0, "")
    lines = ran.out.splitlines()
    assert lines[0] == "Tool: an object type, since 2024-11-05"
    assert lines[3].startswith("2026-07-28: #/$defs/Tool (digest ")
    assert any(line.split() == ["title", "str", "optional", "since", "2025-06-18"] for line in lines)
    older = lines.index(next(line for line in lines if line.startswith("2025-06-18, compared with 2025-11-25:")))
    assert lines[older + 1 : older + 3] == ["    lacks execution", "    lacks icons"]


def test_explain_of_a_type_for_machines_has_digests_and_pointers(capsys: Capture) -> None:
    data = run(capsys, "explain", "Role", "--json").data
    assert (data["what"], data["since"], data["until"]) == ("type", "2024-11-05", None)
    [version] = data["versions"]
    assert version["revisions"] == list(sources.REVISIONS)
    assert version["pointers"]["2024-11-05"] == "#/definitions/Role"
    assert version["pointers"]["2026-07-28"] == "#/$defs/Role"
    assert version["definition"]["type"] == {"is": "LiteralOf", "values": ["assistant", "user"]}


def test_explain_of_a_union_shows_the_plan_and_its_reason(capsys: Capture) -> None:
    out = run(capsys, "explain", "ContentBlock").out
    assert "ContentBlock: a union, since 2025-06-18" in out
    assert "plan: ByTag\n    reason: `type` is a required constant, different in each arm" in out
    out = run(capsys, "explain", "EnumSchema", "--revision", "2025-11-25").out
    assert "case 1: TitledSingleSelectEnumSchema if oneOf is there" in out


def test_explain_of_a_member_knows_its_json_and_its_python_name(capsys: Capture) -> None:
    out = run(capsys, "explain", "Tool.inputSchema").out
    assert out == run(capsys, "explain", "Tool.input_schema").out
    assert out.startswith("Tool.inputSchema: a member, since 2024-11-05\n")
    assert "    presence  required\n    Python    input_schema\n" in out


def test_explain_of_a_method_shows_its_rows(capsys: Capture) -> None:
    out = run(capsys, "explain", "tools/call").out
    assert out.startswith("tools/call: a request, since 2024-11-05\n")
    assert "    result      CreateTaskResult (params.task present)\n    capability  server.tools\n" in out
    assert run(capsys, "explain", "tasks/list").out.startswith("tasks/list: a request, only in 2025-11-25\n")
    data = run(capsys, "explain", "resources/subscribe", "--json").data
    assert (data["what"], data["until"]) == ("method", "2025-11-25")


def test_explain_shows_documents_that_are_no_revision(capsys: Capture) -> None:
    data = run(capsys, "explain", "Tool", "--revision", "rmcp-server", "--json").data
    assert data["since"] is None
    assert [version["revisions"] for version in data["versions"]] == [["rmcp-server"]]


@pytest.mark.parametrize(
    ("stage", "path", "value"),
    [
        ("sources", ("properties", "name"), STRING),
        ("dialect", ("properties", "name", "@"), "#/$defs/Tool/properties/name"),
        ("overlay", ("properties", "inputSchema", "additionalProperties", "@"), "#/$defs/Tool/properties/inputSchema"),
        ("lower", ("properties", "inputSchema", "$ref"), "ToolInputSchema"),
        ("names", ("members", "inputSchema"), "input_schema"),
        ("read", ("openness",), "ignored"),
        ("unions", (), {"plans": {}, "tags": {}, "arm_of": []}),
        ("protocol", (), {"methods": [], "errors": [], "bag": False}),
        ("digest", ("type",), "Tool"),
    ],
)
def test_explain_dumps_each_stage_as_json(stage: str, path: tuple[str, ...], value: Any, capsys: Capture) -> None:
    ran = run(capsys, "explain", "Tool", "--stage", stage, "--revision", "2025-11-25")
    assert (ran.data["stage"], ran.data["revision"]) == (stage, "2025-11-25")
    found = ran.data["data"]
    for step in path:
        found = found[step]
    assert found == value


def test_explain_knows_every_stage_of_the_pipeline() -> None:
    from typedmcp_codegen import stages

    with pytest.raises(CodegenError) as caught:
        stages.dump(None, "nowhere")  # type: ignore[arg-type]
    assert caught.value.hint == f"one of {', '.join(pipeline.STAGES)}"


def test_explain_shows_the_printed_class_of_both_back_ends(capsys: Capture) -> None:
    data = run(capsys, "explain", "InitializeRequestParams", "--stage", "emit", "--revision", "2024-11-05").data["data"]
    assert set(data) == {"structs", "models"}
    for text in data.values():
        assert text.startswith("class InitializeRequestParams(Model")
        assert text.count("class ") == 1


def test_explain_shows_stages_of_members_and_methods(capsys: Capture) -> None:
    def stage(name: str, stage: str) -> Any:
        return run(capsys, "explain", name, "--stage", stage, "--revision", "2025-11-25").data["data"]

    assert stage("Tool.title", "sources") == STRING
    assert stage("Tool.title", "read")["is"] == "Field"
    assert stage("CallToolResult.content", "unions")["plans"]["ContentBlock"]["kind"] == "ByTag"
    assert stage("tools/call", "protocol")["type"] == "CallToolRequest"
    assert [row["wire"] for row in stage("CallToolResult", "protocol")["methods"]] == ["tools/call"]
    assert stage("Tool.inputSchema", "names")["python"] == "input_schema"
    assert stage("ToolInputSchema", "names")["hoisted"] is True


@pytest.mark.parametrize(
    ("arguments", "fragment"),
    [
        (("Toool",), "nothing is called 'Toool' (did you mean Tool"),
        (("tool",), "did you mean Tool"),
        (("Tool.titel",), "did you mean Tool.title"),
        (("tools/cal",), "did you mean tools/call"),
        (("tasks/list", "--revision", "2025-06-18"), "nothing is called 'tasks/list' in 2025-06-18"),
        (("?",), "a type (Tool), a member (Tool.title) or a method (tools/call)"),
        (("Tool", "--stage", "print"), "no stage is called 'print' (one of sources, dialect"),
        (("Tool", "--revision", "2025-11"), "no known document is called '2025-11' (did you mean 2025-11-25"),
    ],
)
def test_explain_of_an_unknown_name_offers_close_ones(
    arguments: tuple[str, ...], fragment: str, capsys: Capture
) -> None:
    assert fragment in refused(capsys, "explain", *arguments)


# the command line itself


@pytest.mark.parametrize(
    "arguments",
    [(), ("bogus",), ("generate",), ("generate", "x.json"), ("check", "--backend", "both", "--wrong"), ("explain",)],
)
def test_wrong_arguments_are_one_line_and_status_2(arguments: tuple[str, ...], capsys: Capture) -> None:
    assert " --help)" in refused(capsys, *arguments)
    error = run(capsys, *arguments, "--json").data["error"]
    assert error["message"]
    assert error["where"] == ""


def test_an_interruption_is_quiet(tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(commands, "generate", interrupted)
    assert run(capsys, "generate", "x.json", "-o", tmp_path) == Ran(130, "", "")


def test_a_system_error_is_one_line(tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    def denied(*_: object) -> None:
        raise PermissionError(13, "Permission denied", "out/x/methods.py")

    monkeypatch.setattr(commands, "generate", denied)
    told = refused(capsys, "generate", "x.json", "-o", tmp_path)
    assert told == "typedmcp: out/x/methods.py: Permission denied"


def test_a_file_name_cannot_break_the_line(tmp_path: Path, capsys: Capture) -> None:
    told = refused(capsys, "generate", tmp_path / "a\nb\x1b.json", "-o", tmp_path, "--package", "x")
    assert "a b .json: cannot be read" in told


def test_a_reader_that_goes_away_is_no_error() -> None:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([PATH, *filter(None, sys.path)])}
    command = [sys.executable, "-m", "typedmcp_codegen", "explain", "ClientRequest", "--json"]
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        told = process.stderr.read()
    assert (process.returncode, told) == (141, b"")


def test_without_the_generators_tools_one_line_names_the_extra(tmp_path: Path) -> None:
    file = written(tmp_path, "x.json", THING)
    done = bare_python("-m", "typedmcp", "generate", file, "-o", tmp_path / "out")
    assert done.returncode == 2
    assert done.stderr == 'typedmcp: this command needs more: pip install "typedmcp[codegen]"\n'
    assert done.stdout == ""
    assert not (tmp_path / "out").exists()
    done = bare_python("-m", "typedmcp", "explain", "Role", "--revision", "2025-11-25")
    assert (done.returncode, done.stderr) == (0, "")


def test_a_single_missing_tool_is_told_before_anything_is_read(
    tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = tree.version

    def version(name: str) -> str:
        if name == "ruff":
            raise PackageNotFoundError(name)
        return found(name)

    monkeypatch.setattr(tree, "version", version)
    told = refused(capsys, "generate", tmp_path / "missing.json", "-o", tmp_path)
    assert told == 'typedmcp: this command needs more: pip install "typedmcp[codegen]"'


def test_without_the_generator_one_line_names_the_extra(capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "typedmcp_codegen.__main__")
    monkeypatch.setitem(sys.modules, "typedmcp_codegen", None)
    assert console.main(["explain", "Tool"]) == 2
    assert capsys.readouterr() == ("", 'typedmcp: this command needs more: pip install "typedmcp[codegen]"\n')


def test_the_console_script_hands_commands_to_the_generator(made: Path, capsys: Capture) -> None:
    capsys.readouterr()
    assert console.main(["check", "-o", str(made)]) == 0
    assert capsys.readouterr().out == f"{made}: 6 files, all as recorded in _manifest.json\n"
    assert console.main(["explain"]) == 2
    assert capsys.readouterr().err == "typedmcp: the following arguments are required: NAME (typedmcp explain --help)\n"


def test_the_console_script_tells_its_version_and_its_commands(capsys: Capture) -> None:
    for flag in ("--version", "--help"):
        with pytest.raises(SystemExit) as caught:
            console.main([flag])
        assert caught.value.code == 0
    out = capsys.readouterr().out
    assert out.startswith(f"typedmcp {sys.modules['typedmcp'].__version__}\n")
    assert all(f"  {command}" in out for command in ("generate", "check", "explain"))
    assert console.main([]) == 0
    assert capsys.readouterr().out == out[out.index("usage") :]
    with pytest.raises(SystemExit) as caught:
        console.main(["import"])
    assert caught.value.code == 2
    assert capsys.readouterr().err.count("\n") == 1


@pytest.mark.parametrize("command", ["generate", "check", "build", "import", "explain"])
def test_every_command_has_help(command: str, capsys: Capture) -> None:
    with pytest.raises(SystemExit) as caught:
        command_line.main([command, "--help"])
    assert caught.value.code == 0
    assert "--json" in capsys.readouterr().out


# what is shown


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        return True


DIFF = "--- on disk/a\n+++ generated/a\n@@ -1 +1 @@\n-old\n+new\n same\n"


def shown(stream: io.StringIO) -> str:
    report.show(report.Outcome(1, {}, ("summary",), DIFF), as_json=False, out=stream)
    return stream.getvalue()


def test_a_diff_has_colours_on_a_terminal_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("NO_COLOR", raising=False)
    assert shown(io.StringIO()) == f"{DIFF}summary\n"
    coloured = shown(Terminal())
    assert "\x1b[31m-old\x1b[0m\n\x1b[32m+new\x1b[0m\n same\nsummary\n" in coloured
    monkeypatch.setenv("NO_COLOR", "1")
    assert shown(Terminal()) == f"{DIFF}summary\n"


def test_progress_shows_after_a_while_and_disappears(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(report, "_DELAY", 0.01)
    stream = Terminal()
    with report.Progress(stream) as progress:
        progress("reading")
        deadline = time.monotonic() + 5
        while "reading ..." not in stream.getvalue() and time.monotonic() < deadline:
            time.sleep(0.005)
        progress("printing")
    assert stream.getvalue() == "\r\x1b[Kreading ...\r\x1b[Kprinting ...\r\x1b[K"


def test_progress_of_a_short_command_and_off_a_terminal_is_silent(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal()
    with report.Progress(terminal) as progress:
        progress("reading")
    monkeypatch.setattr(report, "_DELAY", 0.0)
    pipe = io.StringIO()
    with report.Progress(pipe) as progress:
        progress("reading")
        time.sleep(0.02)
    assert (terminal.getvalue(), pipe.getvalue()) == ("", "")


def test_a_console_that_lacks_a_character_gets_its_escape() -> None:
    stream = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    report.fail(CodegenError("n\u00f6"), as_json=False, out=stream, err=stream)
    stream.flush()
    assert stream.buffer.read() == b"" and stream.buffer.seek(0) == 0  # noqa: PT018
    assert stream.buffer.read() == b"typedmcp: n\\xf6\n"
