"""Whatever is wrong with an input or a target ends in one line that names the place, and changes nothing."""

from __future__ import annotations

import copy
import errno
import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from support.cli import refused, run, snapshot, written
from support.paths import SCHEMA
from typedmcp_codegen.emit import tree

STRING = {"type": "string"}
GOOD = {"$defs": {"Thing": {"type": "object", "properties": {"name": STRING}}}}


def of(**definitions: Any) -> dict[str, Any]:
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", "$defs": definitions}


def struct(*required: str, **members: Any) -> dict[str, Any]:
    return {"type": "object", "properties": members, "required": list(required)}


def ref(name: str) -> dict[str, str]:
    return {"$ref": f"#/$defs/{name}"}


def message(method: str) -> dict[str, Any]:
    return struct("method", method={"const": method})


def requests(**definitions: Any) -> dict[str, Any]:
    """A document with two requests and one of their results, and other definitions."""
    union = {"anyOf": [ref("RunRequest"), ref("StopRequest")]}
    ours = {"RunRequest": message("run"), "StopRequest": message("stop"), "StopResult": struct(done=STRING)}
    return of(**{"ClientRequest": union, **ours, **definitions})


Row = tuple[str, Any, str, str]
NOT_JSON: list[Row] = [
    ("an empty file", b"", "", "not JSON"),
    ("a text that is not JSON", b"{'$defs': {}}", "", "line 1 column 2"),
    ("text after the document", b"{} {}", "", "Extra data"),
    ("bytes that are not UTF-8", b'{"title": "\xff"}', "", "not UTF-8 at byte 11"),
    ("another encoding", '{"title": 1}'.encode("utf-16"), "", "not UTF-8"),
    ("a byte order mark", b"\xef\xbb\xbf{}", "", "BOM"),
    (
        "a key that stands twice",
        b'{"$defs": {"A": {"type": "string", "type": "null"}}}',
        "#/$defs/A",
        "'type' stands twice",
    ),
    ("NaN", b'{"$defs": {"A": {"minimum": NaN}}}', "#/$defs/A/minimum", "the number NaN"),
    ("an infinite number", b'{"$defs": {"A": {"minimum": -Infinity}}}', "#/$defs/A/minimum", "the number -Infinity"),
    ("a number too large for a float", b'{"$defs": {"A": {"maximum": 1e400}}}', "#/$defs/A/maximum", "1e400"),
    ("a number of very many digits", b'{"x": [' + b"9" * 5000 + b"]}", "#/x/0", "of 5000 digits"),
    ("half a surrogate pair", b'{"$defs": {"A": {"const": "\\ud800"}}}', "#/$defs/A/const", "half a surrogate pair"),
    ("a key with half a surrogate pair", b'{"$defs": {"\\udfff": {}}}', "#/$defs", "half a surrogate pair"),
    ("a text nested without end", b"[" * 100_000, "", "nested too deeply"),
    ("a schema nested too deeply", b'{"$defs": {"A": ' + b'{"items": ' * 400 + b"{}" + b"}" * 402, "", "too deeply"),
]
NO_SCHEMA: list[Row] = [
    ("a list", [], "#", "no JSON object"),
    ("a string", "schema", "#", "no JSON object"),
    ("null", None, "#", "no JSON object"),
    ("an object without definitions", {"title": "Empty"}, "#", "no $defs, no definitions"),
    ("definitions that are no object", {"definitions": []}, "#/definitions", "definitions is no object"),
    ("an old dialect", {"$schema": "http://json-schema.org/draft-04/schema#"}, "#/$schema", "draft-04"),
    ("a dialect that is no text", {"$schema": 7, **GOOD}, "#/$schema", "unknown dialect 7"),
    ("a number as a schema", of(A=struct(x=3)), "#/$defs/A/properties/x", "3 where a schema must stand"),
    ("false as a schema", of(A=struct(x=False)), "#/$defs/A/properties/x", "False where a schema must stand"),
    ("an unknown type", of(A={"type": "text"}), "#/$defs/A/type", "unknown type 'text'"),
    ("an object as a type", of(A={"type": {}}), "#/$defs/A/type", "unknown type {}"),
    ("required that is no list", of(A={"type": "object", "required": "x"}), "#/$defs/A/required", "no list of names"),
    ("an empty anyOf", of(A={"anyOf": []}), "#/$defs/A/anyOf", "a list of schemas"),
    ("an empty enum", of(A={"enum": []}), "#/$defs/A/enum", "no list of values"),
    ("a bound that is no number", of(A={"type": "integer", "minimum": "1"}), "#/$defs/A/minimum", "no number"),
    ("a negative length", of(A={"type": "string", "minLength": -1}), "#/$defs/A/minLength", "no count"),
    ("multiples of nothing", of(A={"type": "integer", "multipleOf": 0}), "#/$defs/A/multipleOf", "not positive"),
]
REFERENCES: list[Row] = [
    ("a reference to nowhere", of(A=struct(b=ref("B"))), "#/$defs/A/properties/b", "'#/$defs/B' leads nowhere"),
    ("a reference out of the document", of(A={"$ref": "other.json#/A"}), "#/$defs/A", "outside the document"),
    (
        "a reference into a definition",
        of(A=ref("B/properties/x"), B=struct(x=STRING)),
        "#/$defs/A",
        "not name a definition",
    ),
    ("a reference to the document", of(A={"$ref": "#"}), "#/$defs/A", "does not name a definition"),
    ("a reference that is no text", of(A={"$ref": 1}), "#/$defs/A", "no string"),
    ("a reference to itself", of(A=ref("A")), "#/$defs/A", "A -> A form a circle"),
    ("references in a circle", of(A=ref("B"), B=ref("C"), C=ref("A")), "#/$defs/A", "A -> B -> C -> A form a circle"),
    (
        "a circle under a union of messages",
        of(A=ref("B"), B=ref("A"), ClientRequest={"anyOf": [ref("A"), ref("B")]}),
        "#/$defs/A",
        "A -> B -> A form a circle",
    ),
    ("a union that is its own arm", of(A={"anyOf": [ref("A"), STRING, {"type": "null"}]}), "#/$defs/A", "A -> A"),
    ("an intersection with itself", of(A={"allOf": [ref("A"), struct(x=STRING)]}), "#/$defs/A", "A -> A"),
]
NAMES: list[Row] = [
    ("a definition name that is no identifier", of(**{"a-b": STRING}), "#/$defs/a-b", "'a-b' is no identifier"),
    ("a name that Python spells otherwise", {"$defs": {"\ufb01x": STRING}}, "#/$defs/\ufb01x", "is no identifier"),
    ("a definition named by a keyword", of(**{"class": struct(x=STRING)}), "#/$defs/class", "a keyword of Python"),
    ("a definition that hides a builtin", of(list=struct(x=STRING)), "#/$defs/list", "would hide"),
    ("a definition that hides a module", of(typing=struct(x={})), "#/$defs/typing", "would hide"),
    (
        "an inline object called as a definition that differs",
        of(Thing=struct(part=struct(a=STRING)), ThingPart=struct(b=STRING)),
        "#/$defs/Thing/properties/part",
        "the type name ThingPart is already that of #/$defs/ThingPart, which differs",
    ),
    (
        "the keys of a bag called as a definition",
        of(A={**struct(x=STRING), "additionalProperties": True}, AKeys=struct(b=STRING)),
        "#/$defs/AKeys",
        "AKeys stands for two types",
    ),
    (
        "one name in both groups",
        {"definitions": {"A": STRING}, **of(A=STRING)},
        "#/definitions/A",
        "A is defined under both",
    ),
    ("a root called as a definition", {"title": "A", **struct(x=STRING), **of(A=STRING)}, "#", "the root's title A"),
    ("a root whose title is no name", {"title": "12", **struct(x=STRING)}, "#", "'12' is no identifier"),
    ("a member name no decoder takes", of(A=struct(**{'a"b': STRING})), "#/$defs/A/properties", "member name 'a\"b'"),
]
BEYOND: list[Row] = [
    *(
        (
            f"the keyword {keyword}",
            of(A={"type": type_, keyword: value}),
            f"#/$defs/A/{keyword}",
            f"keyword {keyword!r}",
        )
        for keyword, type_, value in (
            ("not", "string", {"const": "x"}),
            ("if", "object", {"required": ["x"]}),
            ("patternProperties", "object", {"^x": STRING}),
            ("propertyNames", "object", {"maxLength": 3}),
            ("dependentRequired", "object", {"x": ["y"]}),
            ("unevaluatedProperties", "object", False),
            ("prefixItems", "array", [STRING]),
            ("contains", "array", STRING),
            ("uniqueItems", "array", True),
            ("$dynamicRef", "object", "#meta"),
        )
    ),
    ("a list of item schemas", of(A={"type": "array", "items": [STRING]}), "#/$defs/A/items", "a tuple"),
    ("an object as a constant", of(A={"const": {"x": 1}}), "#/$defs/A", "the constant {'x': 1}"),
    ("a constant beyond 64 bits", of(A={"const": 2**64}), "#/$defs/A", "the constant 18446744073709551616"),
    ("a bound beyond 64 bits", of(A={"type": "number", "maximum": 1e300}), "#/$defs/A/maximum", "beyond 64 bits"),
    ("a pattern Python lacks", of(A={"type": "string", "pattern": "("}), "#/$defs/A/pattern", "the pattern '('"),
    ("multiples no integer can be told by", of(A={"type": "number", "multipleOf": 0.3}), "#/$defs/A/multipleOf", "0.3"),
    ("an allOf no value satisfies", of(A={"allOf": [STRING, {"type": "null"}]}), "#/$defs/A", "differ in type"),
    (
        "a union nothing can decide",
        of(
            Shape={"anyOf": [ref("Circle"), ref("Square"), ref("Dot")]},
            Circle=struct("r", r=STRING),
            Square=struct(a=STRING),
            Dot=struct(x=STRING),
        ),
        "#/$defs/Shape",
        "nothing decides the union Shape of Circle, Square, Dot: Square and Dot overlap",
    ),
    (
        "an inline arm with nothing to be named after",
        of(A=struct(x={"anyOf": [struct(p=STRING), struct(q=STRING)]})),
        "#/$defs/A/properties/x/anyOf/0",
        "neither a constant nor a required member",
    ),
]
ONE = {"anyOf": [ref("RunRequest")]}
RESULTS = {"anyOf": [ref("StopResult"), ref("Other")]}
MESSAGES: list[Row] = [
    ("a request without a result", requests(), "#/$defs/RunRequest", "run has no result type"),
    (
        "a union of one request without a result",
        of(ClientRequest=ONE, RunRequest=message("run")),
        "#/$defs/RunRequest",
        "run has no result type",
    ),
    (
        "a response without a result",
        requests(RunResultResponse=struct(id=STRING)),
        "#/$defs/RunResultResponse",
        "no member result",
    ),
    (
        "a request without a method constant",
        requests(RunRequest=struct("method", method={"enum": ["run", "walk"]}), RunResult=struct(x=STRING)),
        "#/$defs/RunRequest",
        "RunRequest is an arm of ClientRequest and has no method constant",
    ),
    (
        "two requests of one method",
        requests(RunRequest=struct("method", "mode", method={"const": "stop"}, mode=STRING)),
        "#/$defs/StopRequest",
        "RunRequest and StopRequest are both the request stop",
    ),
    (
        "a result that answers nothing",
        requests(RunResult=struct("x", x=STRING), ServerResult=RESULTS, Other=struct("y", y=STRING)),
        "#/$defs/ServerResult",
        "no request is answered by Other",
    ),
]
ROWS = [*NOT_JSON, *NO_SCHEMA, *REFERENCES, *NAMES, *BEYOND, *MESSAGES]


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A generated package, to be copied."""
    folder = tmp_path_factory.mktemp("good")
    assert generated(folder, GOOD) == 0
    return folder / "out" / "case"


def generated(folder: Path, document: Any) -> int:
    from typedmcp_codegen.__main__ import main

    return main(["generate", str(written(folder, "case.json", document)), "-o", str(folder / "out")])


@pytest.fixture
def out(tmp_path: Path, package: Path) -> Path:
    """A target folder that holds a package of an earlier generation."""
    shutil.copytree(package, tmp_path / "out" / "case")
    return tmp_path / "out"


@pytest.mark.parametrize(("document", "pointer", "fragment"), [pytest.param(*row[1:], id=row[0]) for row in ROWS])
def test_a_bad_document_is_told_in_one_line_and_changes_nothing(
    document: Any, pointer: str, fragment: str, out: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = snapshot(out)
    ran = run(capsys, "generate", written(out.parent, "case.json", document), "-o", out, "--json")
    error = ran.data["error"]
    assert (ran.status, error["where"], error["pointer"]) == (2, "case.json", pointer)
    assert fragment in error["message"]
    assert set(error) == {"message", "where", "pointer", "hint"}
    assert ran.err.startswith(f"typedmcp: case.json{pointer}: {error['message']}")
    assert ran.err.splitlines(keepends=True) == [ran.err]
    assert snapshot(out) == before


def extended(change: Callable[[dict[str, Any]], object]) -> dict[str, Any]:
    """The document of 2025-11-25 with a change to its definitions."""
    document: dict[str, Any] = copy.deepcopy(json.loads((SCHEMA / "2025-11-25.json").read_text("utf-8")))
    change(document["$defs"])
    return document


def add_foo(definitions: dict[str, Any]) -> None:
    definitions["FooRequest"] = struct(
        "id", "jsonrpc", "method", id=ref("RequestId"), jsonrpc={"const": "2.0"}, method={"const": "foo"}
    )
    definitions["ClientRequest"]["anyOf"].append(ref("FooRequest"))


def test_an_extension_whose_request_has_no_result_is_refused(out: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = snapshot(out)
    told = refused(capsys, "generate", written(out.parent, "case.json", extended(add_foo)), "-o", out)
    assert told == (
        "typedmcp: case.json#/$defs/FooRequest: the request foo has no result type: neither FooResultResponse nor "
        "FooResult is defined (define FooResult)"
    )
    assert snapshot(out) == before


def forget_title(definitions: dict[str, Any]) -> None:
    definitions["ElicitResult"]["properties"]["content"]["additionalProperties"] = STRING


def drop_legacy(definitions: dict[str, Any]) -> None:
    del definitions["LegacyTitledEnumSchema"]
    for name in ("EnumSchema", "PrimitiveSchemaDefinition"):
        arms = definitions[name]["anyOf"]
        definitions[name]["anyOf"] = [arm for arm in arms if arm != ref("LegacyTitledEnumSchema")]


@pytest.mark.parametrize(
    ("change", "fragment"),
    [
        pytest.param(
            forget_title, "#/$defs/ElicitResult/properties/content/additionalProperties, found", id="another value"
        ),
        pytest.param(drop_legacy, "#/$defs/LegacyTitledEnumSchema is no longer there", id="a place that is gone"),
    ],
)
def test_an_overlay_record_that_no_longer_applies_is_an_error(
    change: Callable[[dict[str, Any]], object], fragment: str, out: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = written(out.parent, "case.json", extended(change))
    before = snapshot(out)
    told = refused(capsys, "generate", file, "-o", out, "--revision", "2025-11-25")
    assert told.startswith("typedmcp: 2025-11-25.toml record ")
    assert fragment in told
    assert told.endswith("(review the record)")
    assert snapshot(out) == before


def test_members_that_collide_get_numbers_and_a_line_in_the_report(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    document = of(Thing=struct(**{"userId": STRING, "user_id": STRING, "user-id": STRING}))
    ran = run(capsys, "generate", written(tmp_path, "case.json", document), "-o", tmp_path / "out")
    assert (ran.status, ran.err) == (0, "")
    assert [line.split(maxsplit=1)[1] for line in ran.out.splitlines() if line.startswith("note")] == [
        "#/$defs/Thing: member 'user-id' is called 'user_id_2': 'user_id' already stands for 'user_id'",
        "#/$defs/Thing: member 'userId' is called 'user_id_3': 'user_id' already stands for 'user_id'",
    ]
    reversed_ = of(Thing=struct(**{"user-id": STRING, "user_id": STRING, "userId": STRING}))
    file = written(tmp_path, "case.json", reversed_)
    again = run(capsys, "generate", file, "-o", tmp_path / "again", "--json").data
    assert again["notes"] == run(capsys, "generate", file, "-o", tmp_path / "out", "--json").data["notes"]
    for end in ("structs", "models"):
        text = (tmp_path / "again" / "case" / end / "__init__.py").read_text("utf-8")
        assert all(f"    {name}: str" in text for name in ("user_id", "user_id_2", "user_id_3"))


def test_a_description_with_control_characters_and_quotes_makes_valid_python(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    document = of(
        Thing={**struct(x={**STRING, "description": "\x00\x1b"}), "description": 'a\x00b \\N{x} """ {{ y }}"'}
    )
    assert run(capsys, "generate", written(tmp_path, "case.json", document), "-o", tmp_path).status == 0
    for end in ("structs", "models"):
        text = (tmp_path / "case" / end / "__init__.py").read_text("utf-8")
        compile(text, end, "exec")
        assert "ab \\\\N{x}" in text


def test_a_target_below_a_file_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = written(tmp_path, "case.json", GOOD)
    for target in (file, file / "deeper"):
        told = refused(capsys, "generate", file, "-o", target)
        assert told == f"typedmcp: {file}: is a file, and no folder can be made there (name another folder)"
    written(tmp_path, "case", GOOD)
    assert "is a file" in refused(capsys, "generate", file, "-o", tmp_path)
    assert set(snapshot(tmp_path)) == {"case", "case.json"}


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="the superuser may write everywhere")
def test_a_target_nobody_may_write_is_refused(out: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = written(out.parent, "case.json", of(Other=STRING))
    before = snapshot(out)
    out.chmod(0o555)
    try:
        told = refused(capsys, "generate", file, "-o", out)
    finally:
        out.chmod(0o755)
    assert "cannot be written: Permission denied" in told
    assert snapshot(out) == before


@pytest.mark.parametrize("name", ["notes.txt", "structs/mine.py"])
def test_a_target_with_files_nobody_generated_is_refused(
    name: str, out: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (out / "case" / name).write_text("mine", "utf-8")
    before = snapshot(out)
    told = refused(capsys, "generate", written(out.parent, "case.json", of(Other=STRING)), "-o", out)
    assert f"holds files that were not generated: {name}" in told
    assert snapshot(out) == before


def test_a_folder_without_a_manifest_is_not_overwritten(out: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (out / "case" / tree.MANIFEST).unlink()
    told = refused(capsys, "generate", written(out.parent, "case.json", GOOD), "-o", out)
    assert "it has no manifest" in told
    (out / "case" / tree.MANIFEST).write_text("[]", "utf-8")
    assert "is no manifest of ours" in refused(capsys, "generate", out.parent / "case.json", "-o", out)


Failing = Callable[..., Any]


def failing(original: Failing, when: Callable[[int], bool], error: BaseException) -> Failing:
    """A function that fails at some of its calls, counted from 1."""
    count = 0

    def call(*arguments: Any, **options: Any) -> Any:
        nonlocal count
        count += 1
        if when(count):
            raise error
        return original(*arguments, **options)

    return call


def full() -> OSError:
    return OSError(errno.ENOSPC, "No space left on device")


@pytest.mark.parametrize(
    ("function", "at"),
    [
        pytest.param("write_text", 3, id="a file cannot be written"),
        pytest.param("rename", 1, id="the old package cannot be moved away"),
        pytest.param("rename", 2, id="the new package cannot be moved in"),
    ],
)
def test_a_failure_while_writing_leaves_the_old_package(
    function: str, at: int, out: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    file = written(out.parent, "case.json", of(Other=STRING))
    before = snapshot(out)
    # The formatter writes files too, to a folder of its own: only what goes to the target fails.
    files = formatted_files(file, capsys)

    def formatted(_: object) -> dict[str, str]:
        return files

    monkeypatch.setattr(tree, "formatted", formatted)
    monkeypatch.setattr(Path, function, failing(getattr(Path, function), lambda count: count == at, full()))
    told = refused(capsys, "generate", file, "-o", out)
    monkeypatch.undo()
    assert told == f"typedmcp: {out / 'case'}: cannot be written: No space left on device"
    assert snapshot(out) == before


def formatted_files(file: Path, capsys: pytest.CaptureFixture[str]) -> dict[str, str]:
    aside = file.parent / "aside"
    assert run(capsys, "generate", file, "-o", aside).status == 0
    return {name: data.decode() for name, data in snapshot(aside / "case").items() if data is not None}


def test_an_interruption_while_writing_leaves_the_old_package(
    out: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    file = written(out.parent, "case.json", of(Other=STRING))
    before = snapshot(out)
    monkeypatch.setattr(Path, "rename", failing(Path.rename, lambda count: count == 2, KeyboardInterrupt()))
    ran = run(capsys, "generate", file, "-o", out)
    monkeypatch.undo()
    assert (ran.status, ran.out, ran.err) == (130, "", "")
    assert snapshot(out) == before


def test_where_even_the_way_back_fails_the_old_package_still_exists(
    out: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    file = written(out.parent, "case.json", of(Other=STRING))
    before = snapshot(out / "case")
    monkeypatch.setattr(Path, "rename", failing(Path.rename, lambda count: count >= 2, full()))
    refused(capsys, "generate", file, "-o", out)
    monkeypatch.undo()
    kept = [folder for folder in out.glob("*/old") if snapshot(folder) == before]
    assert len(kept) == 1


def test_a_failure_at_the_first_generation_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    file = written(tmp_path, "case.json", GOOD)
    monkeypatch.setattr(Path, "rename", failing(Path.rename, lambda _: True, full()))
    refused(capsys, "generate", file, "-o", tmp_path / "out")
    monkeypatch.undo()
    assert snapshot(tmp_path / "out") == {}
