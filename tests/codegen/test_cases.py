"""The case tables: schema fragments that generators get wrong, and values that libraries read or write wrongly."""

from __future__ import annotations

import base64
import importlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, get_type_hints

import msgspec
import pytest

from support import json_values, packages
from support.paths import REPOSITORY
from typedmcp.base import UNSET, convert, decode, encode
from typedmcp.errors import DecodeError, EncodeError

CASES = REPOSITORY / "tests" / "data" / "cases"
SCHEMAS = json.loads((CASES / "schemas.json").read_text("utf-8"))
TYPES = [case for case in json.loads((CASES / "types.json").read_text("utf-8")) if case["kind"] != "roundtrip"]
LATER = {case["id"] for case in json.loads((CASES / "types.json").read_text("utf-8"))} - {c["id"] for c in TYPES}

# What a case says about Python in words, as a check on the package of one back end.
PYTHON: dict[str, Callable[[Any], bool]] = {
    "Doc.block.type == 'a' can be read": lambda module: (
        decode(b'{"block": {"type": "a"}, "field": {"label": "l"}}', module.Doc).block.type == "a"
    ),
    "Field has no tag": lambda module: _tag(module.Field) is None,
    "T(text='x') works": lambda module: module.T(text="x").type == "text",
    'encode(T(text=\'x\')) == {"type":"text","text":"x"}': lambda module: (
        json.loads(encode(module.T(text="x"))) == {"type": "text", "text": "x"}
    ),
}


def _tag(type_: Any) -> object:
    config = getattr(type_, "__struct_config__", None)
    return None if config is None else config.tag


def _variants() -> list[Any]:
    found: list[Any] = []
    for case in SCHEMAS:
        orders = ("as given", "reversed") if "reverse" in case.get("note", "") else ("as given",)
        found += [pytest.param(case, order, id=f"{case['id']} {order}") for order in orders]
    return found


@pytest.mark.parametrize("back_end", packages.BACK_ENDS)
@pytest.mark.parametrize(("case", "order"), _variants())
def test_a_schema_fragment_generates_types_that_hold(
    case: dict[str, Any], order: str, back_end: Any, tmp_path: Path
) -> None:
    schema, expect = dict(case["input"]["schema"]), case["expect"]
    if order == "reversed":
        schema["$defs"] = dict(reversed(schema["$defs"].items()))
    generated = packages.from_schema(schema, tmp_path, (back_end,))
    module = generated.module(back_end)
    root = getattr(module, case["input"]["root"])
    for index, value in enumerate(expect["accept"]):
        read = decode(json.dumps(value).encode(), root)
        if expect.get("roundtrip"):
            assert json_values.same(json.loads(encode(read)), value)
        if str(index) in expect.get("member", {}):
            assert type(read).__name__ == expect["member"][str(index)]
    for value in expect["reject"]:
        with pytest.raises(DecodeError):
            decode(json.dumps(value).encode(), root)
    for statement in expect.get("python", ()):
        assert PYTHON[statement](module), statement


def _by_revision() -> list[Any]:
    return [
        pytest.param(case, revision, id=f"{case['id']} {revision}") for case in TYPES for revision in case["revision"]
    ]


@pytest.mark.parametrize("back_end", packages.BACK_ENDS)
@pytest.mark.parametrize(("case", "revision"), _by_revision())
def test_a_value_of_a_revision_is_read_and_written_as_the_case_says(
    case: dict[str, Any], revision: str, back_end: str
) -> None:
    module = importlib.import_module(f"typedmcp_types.v{revision.replace('-', '_')}.{back_end}")
    type_, value, expect = getattr(module, case["input"]["type"]), case["input"]["value"], case["expect"]
    if case["kind"] == "value":
        _check_written(type_, value, expect)
        return
    data = json.dumps(value).encode()
    if expect["decode"] == "error":
        with pytest.raises(DecodeError):
            decode(data, type_)
        return
    written = encode(decode(data, type_))
    if expect.get("roundtrip"):
        assert json_values.same(json.loads(written), value)
    for text in expect.get("must_not_emit", ()):
        assert text.encode() not in written


def _check_written(type_: Any, value: Any, expect: dict[str, Any]) -> None:
    if expect.get("encode") == "error":
        with pytest.raises((EncodeError, DecodeError, ValueError)):
            encode(_built(type_, value))
        return
    written = json.loads(encode(_built(type_, value)))
    wire = expect["wire"]
    if expect.get("exact"):
        assert json_values.same(written, wire)
    under = expect.get("exact_under")
    if under:
        assert json_values.same(written[under], wire[under])
    for key, member in wire.items():
        assert json_values.same(written[key], member)


def _built(type_: Any, value: Any) -> Any:
    """A value made the way a user makes it: classes called with members, special values put in as Python has them."""
    if isinstance(value, str) and value.startswith("$float:"):
        return float(value.removeprefix("$float:"))
    if isinstance(value, str) and value.startswith("$bytes:"):
        return base64.b64decode(value.removeprefix("$bytes:"))
    special = any(mark in json.dumps(value) for mark in ("$float:", "$bytes:"))
    if not special:
        return convert(value, type_)
    hints, arguments = get_type_hints(type_), dict[str, Any]()
    for py, wire in _members(type_).items():
        if wire in value:
            arguments[py] = _built(hints[py], value[wire])
    return type_(**arguments)


def _members(type_: Any) -> dict[str, str]:
    if issubclass(type_, msgspec.Struct):
        return dict(zip(type_.__struct_fields__, type_.__struct_encode_fields__, strict=True))
    return {name: field.validation_alias or name for name, field in type_.model_fields.items()}


def test_the_table_of_cases_left_for_later_is_the_uri_template_alone() -> None:
    assert {"B145.1"} == LATER


def test_absent_is_falsy_so_that_a_fallback_reads_well() -> None:
    assert (UNSET or "name") == "name"
