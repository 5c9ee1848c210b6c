"""Schemas nobody has published: what is generated from them agrees with an independent validator, or is refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest

from support import packages
from typedmcp.base import decode
from typedmcp.errors import DecodeError
from typedmcp_codegen import pipeline, sources
from typedmcp_codegen.errors import CodegenError

DIALECT = "https://json-schema.org/draft/2020-12/schema"
TEXT, WHOLE = {"type": "string"}, {"type": "integer"}


def thing(*required: str, **members: Any) -> dict[str, Any]:
    """An object type."""
    return {"type": "object", "properties": members, "required": list(required)}


def ref(name: str) -> dict[str, Any]:
    """A reference to a definition."""
    return {"$ref": f"#/$defs/{name}"}


NULL: dict[str, Any] = {"type": "null"}


def array(items: dict[str, Any]) -> dict[str, Any]:
    """A list type."""
    return {"type": "array", "items": items}


D = thing("kind", kind={"const": "d"}, n=WHOLE)
E = thing("kind", kind={"const": "e"})
TAGGED = {"D": D, "E": E, "U": {"anyOf": [ref("D"), ref("E")]}}
A_OR_B = {"anyOf": [ref("A"), ref("B")]}
VALUES: list[Any] = [None, True, False, 0, 1, 1.5, "", "d", "text", [], ["d"], [["d"]], {}, {"a": None}]
KINDS = [{"kind": "d"}, {"kind": "d\0"}, {"kind": "\0"}, {"kind": "e"}, {"kind": 1}, {"kind": True}, {"n": 1}]

# Definitions (the first is judged), and documents beside the common ones.
AGREED: dict[str, tuple[dict[str, Any], list[Any]]] = {
    "a bag inside a union inside that bag": (
        {
            "T": thing("kind", kind=ref("Bag")),
            "Bag": {**thing("kind", kind=ref("U"), tool={"const": "a"}), "additionalProperties": {}},
            "U": {"oneOf": [ref("Bag"), {"type": "boolean"}, {"type": ["integer", "string"]}]},
        },
        [{"kind": value} for value in ({}, {"kind": {}}, {"kind": True}, {"kind": {"kind": 1}}, {"kind": {"x": None}})],
    ),
    "any JSON value, spelled out": (
        {
            "V": {
                "anyOf": [
                    TEXT,
                    {"type": "number"},
                    {"type": "boolean"},
                    NULL,
                    array(ref("V")),
                    ref("O"),
                ]
            },
            "O": {"type": "object", "additionalProperties": ref("V")},
        },
        [{"a": [1, {"b": [None]}]}],
    ),
    "lists of lists of texts": (
        {"L": array({"anyOf": [ref("L"), TEXT]})},
        [[["a", ["b"]]], [[1]]],
    ),
    "a oneOf inside an anyOf": (
        {"Y": {"anyOf": [ref("X"), WHOLE]}, "X": {"oneOf": [TEXT, {"type": "string", "minLength": 3}]}},
        ["ab", "abc"],
    ),
    "a tagged arm or null": (
        {"N": {"anyOf": [ref("D"), NULL]}, **TAGGED},
        KINDS,
    ),
    "a tagged arm or a text": (
        {"N": {"anyOf": [ref("D"), TEXT]}, **TAGGED},
        KINDS,
    ),
    "a tagged member": (
        {
            "H": thing("d", d=ref("D"), l=array(ref("D"))),
            "D": D,
            "E": E,
            "U": {"anyOf": [ref("D"), ref("E")]},
        },
        [*({"d": kind} for kind in KINDS), {"d": {"kind": "d"}, "l": [{}]}],
    ),
    "a tag with a control character": (
        {
            "U": A_OR_B,
            "A": thing("k", k={"const": "\0"}),
            "B": thing("k", k={"const": "\0\0"}),
        },
        [{"k": "\0"}, {"k": "\0\0"}, {"k": "\0\0\0"}, {"k": ""}],
    ),
    "tags that are numbers": (
        {"U": A_OR_B, "A": thing("k", k={"const": 1}), "B": thing("k", k={"const": 2})},
        [{"k": 1}, {"k": 2}, {"k": True}, {"k": "1"}],
    ),
    "constants that are no text": (
        {"F": thing(t={"const": True}, o={"const": 1}, e={"enum": [1, 2]}, n={"const": None})},
        [{"t": True}, {"t": 1}, {"o": 1}, {"o": True}, {"e": 2}, {"e": True}, {"n": None}, {"n": 0}],
    ),
    "tags whose members are spelled differently in Python": (
        {
            "U": A_OR_B,
            "A": thing("$kind", **{"$kind": {"const": "a"}, "kind": TEXT}),
            "B": thing("$kind", **{"$kind": {"const": "b"}}),
        },
        [{"$kind": "a", "kind": "x"}, {"$kind": "b"}, {"kind": "a"}],
    ),
    "a bag called Bag": (
        {"X": {**thing(p=TEXT), "additionalProperties": {}}, "Bag": {**thing("q", q=TEXT), "additionalProperties": {}}},
        [{"p": "1"}, {"p": 1}, {"q": "1"}],
    ),
    "a type called Any among the others of a bag": (
        {"X": {**thing(p=TEXT), "additionalProperties": ref("Any")}, "Any": thing("a", a=TEXT)},
        [{"z": 1}, {"z": {"a": "1"}}, {"p": "1"}],
    ),
    "constants of quotes and backslashes": (
        {"Q": {"enum": ["\\'", "'\"", "\\", "a'b"]}},
        ["\\'", "'", "'\"", "\\", "a'b"],
    ),
    "names outside ASCII": (
        {"M": thing(**{"²": TEXT, "ﬁ": TEXT, "º": TEXT, "é": TEXT})},
        [{"²": "2"}, {"ﬁ": 1}, {"º": "o"}],
    ),
    "members named like helpers": (
        {"M": thing(register=TEXT, base=TEXT, typing=array(TEXT), of=TEXT)},
        [{"register": "r"}, {"base": 1}, {"typing": ["a"]}],
    ),
    "patterns": (
        {"P": {"type": "string", "pattern": "^\\d[\\w-]$"}},
        ["1a", "1a\n", "1é", "٣a", "1-", "x1a"],
    ),
    "a pattern inside a union": (
        {"P": {"anyOf": [{"type": "string", "pattern": "a$"}, WHOLE]}},
        ["a", "a\n", "ba"],
    ),
    "a number between large bounds": (
        {"N": {"type": "number", "minimum": 2**60 + 1, "multipleOf": 2}},
        [2**60, 2**60 + 1, 2**60 + 2, 2.5],
    ),
    "a member that is called like a type": (
        {"H": thing(tool=TEXT, other=ref("tool")), "tool": thing("a", a=TEXT)},
        [{"tool": "t", "other": {"a": "1"}}, {"other": {}}],
    ),
    "the same null twice": ({"N": {"anyOf": [NULL, ref("M"), TEXT]}, "M": NULL}, []),
    "a oneOf that counts null twice": (
        {"N": thing(n={"oneOf": [NULL, {"type": ["string", "null"]}]})},
        [{"n": None}, {"n": ""}],
    ),
    "a required name among typed others": (
        {"M": {**thing("q", p=TEXT), "additionalProperties": WHOLE}},
        [{"q": "s"}, {"q": 1}],
    ),
}


@pytest.mark.parametrize("back_end", packages.BACK_ENDS)
@pytest.mark.parametrize("name", AGREED)
def test_a_generated_type_agrees_with_an_independent_validator(name: str, back_end: Any, tmp_path: Path) -> None:
    definitions, documents = AGREED[name]
    schema = {"$schema": DIALECT, "$defs": definitions}
    module = packages.from_schema(schema, tmp_path, (back_end,)).module(back_end)
    first = next(iter(definitions))
    validator = jsonschema_rs.validator_for({**schema, **ref(first)}, validate_formats=False)
    verdicts = {json.dumps(value): validator.is_valid(value) for value in [*VALUES, *documents]}
    assert {text: _accepts(text, getattr(module, first)) for text in verdicts} == verdicts
    assert True in verdicts.values()


def _accepts(text: str, type_: Any) -> bool:
    try:
        decode(text, type_)
    except DecodeError:
        return False
    return True


# Definitions whose meaning the generator does not keep: refused with a pointer, never narrowed or widened in silence.
REFUSED: dict[str, tuple[dict[str, Any], str]] = {
    "a nullable narrowed by an allOf": ({"A": {"allOf": [{"type": ["string", "null"]}, TEXT]}}, "#/$defs/A"),
    "a union narrowed by an allOf": (
        {"A": {"allOf": [thing(p={"anyOf": [TEXT, WHOLE]}), thing(p=TEXT)]}},
        "#/$defs/A",
    ),
    "a oneOf of equal arms": ({"A": {"oneOf": [TEXT, TEXT, NULL]}}, "#/$defs/A"),
    "an object that is a text": ({"A": {**thing(a=TEXT), "anyOf": [{"const": "a"}]}}, "#/$defs/A/anyOf/0"),
    "a word boundary": ({"A": {"type": "string", "pattern": "\\ba"}}, "#/$defs/A/pattern"),
    "an enum beside bounds": ({"A": {"enum": ["ab", "b"], "pattern": "^a"}}, "#/$defs/A/pattern"),
    "a constant beside an enum": ({"A": {"const": "a", "enum": ["b"]}}, "#/$defs/A"),
    "anyOf beside oneOf": ({"A": {"anyOf": [TEXT, WHOLE], "oneOf": [TEXT, NULL]}}, "#/$defs/A/oneOf"),
    "a number of members": ({"A": {**thing(a=TEXT), "minProperties": 1}}, "#/$defs/A/minProperties"),
    "a required name that is not allowed": (
        {"A": {**thing("b", a=TEXT), "additionalProperties": False}},
        "#/$defs/A/required",
    ),
    "a closed part of an allOf": (
        {"A": {"allOf": [{**thing(x=TEXT), "additionalProperties": False}, thing(y=TEXT)]}},
        "#/$defs/A",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_would_lose_its_meaning_is_refused(name: str) -> None:
    definitions, pointer = REFUSED[name]
    source = sources.Source("case", "case.json", {"$schema": DIALECT, "$defs": definitions}, "")
    with pytest.raises(CodegenError) as caught:
        pipeline.run(source, packages.KNOWLEDGE)
    assert caught.value.pointer == pointer
    assert "\n" not in str(caught.value)


def test_a_type_that_only_its_keywords_tell_is_told_in_the_report() -> None:
    definitions = {"A": {"properties": {"a": {"minLength": 1}}}}
    source = sources.Source("case", "case.json", {"$schema": DIALECT, "$defs": definitions}, "")
    assert pipeline.run(source, packages.KNOWLEDGE).document.notes == (
        "#/$defs/A: no type is written, taken for object",
        "#/$defs/A/properties/a: no type is written, taken for string",
    )
