"""The strategies draw what the schema of a type admits, by the word of an independent validator, and shrink it well."""

from __future__ import annotations

import importlib
import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Annotated, Any, Literal, cast

import jsonschema_rs
import pydantic
import pytest
from hypothesis import HealthCheck, Phase, find, given, settings
from hypothesis.strategies import SearchStrategy
from msgspec import Meta, UnsetType

import typedmcp_types
from support.effort import Effort
from support.paths import needs
from typedmcp.testing import UnsatisfiableType, documents, strategy

PACKAGE = "package_with_special_types"
DIALECT = "https://json-schema.org/draft/2020-12/schema"
FAST = settings(
    database=None,
    deadline=None,
    derandomize=True,
    phases=[Phase.generate],
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much, HealthCheck.data_too_large],
)
SHRINKING = settings(FAST, phases=list(Phase), max_examples=3_000)

TYPES: dict[str, Any] = {
    "Anything": {},
    "Nothing": {"type": "null"},
    "Flag": {"type": "boolean"},
    "Whole": {"type": "integer"},
    "Positive": {"type": "integer", "exclusiveMinimum": 0},
    "Even": {"type": "integer", "minimum": -7, "maximum": 7, "multipleOf": 2},
    "Real": {"type": "number"},
    "Share": {"type": "number", "minimum": 0, "maximum": 1},
    "Between": {"type": "number", "exclusiveMinimum": 0.1, "exclusiveMaximum": 0.2},
    "Quarter": {"type": "number", "minimum": 0.1, "maximum": 0.9, "multipleOf": 0.25},
    "Text": {"type": "string"},
    "Short": {"type": "string", "minLength": 2, "maxLength": 3},
    "Long": {"type": "string", "minLength": 300},
    "Code": {"type": "string", "pattern": r"^[A-Z]{2}-\d+$"},
    "ShortCode": {"type": "string", "pattern": "^[x-z]+$", "maxLength": 3},
    "Address": {"type": "string", "format": "uri"},
    "Bytes": {"type": "string", "format": "byte"},
    "Colour": {"enum": ["red", "green", "blue"], "type": "string"},
    "Tag": {"const": "a", "type": "string"},
    "Deep": {"enum": [{"list": [1]}, [2], 3]},
    "Positives": {"type": "array", "items": {"$ref": "#/types/Positive"}},
    "Few": {"type": "array", "items": {"$ref": "#/types/Flag"}, "minItems": 2, "maxItems": 3},
    "Set": {"type": "array", "items": {"enum": ["a", "b", "c"]}, "uniqueItems": True, "minItems": 2},
    "Point": {"type": "object", "properties": {"x": {"type": "integer"}, "y": {"type": "integer"}}, "required": ["x"]},
    "Closed": {
        "type": "object",
        "properties": {"name": {"type": "string"}, "size": {"type": "integer", "minimum": 1}},
        "required": ["name"],
        "additionalProperties": False,
    },
    "Free": {"type": "object", "additionalProperties": True},
    "Counts": {"type": "object", "additionalProperties": {"type": "integer"}, "minProperties": 1, "maxProperties": 4},
    "Some": {
        "type": "object",
        "properties": {"a": {"type": "string"}, "b": {"$ref": "#/types/Some"}, "c": {"type": "null"}},
        "minProperties": 1,
        "maxProperties": 2,
        "additionalProperties": False,
    },
    "Undeclared": {"type": "object", "required": ["who"]},
    "Tree": {
        "type": "object",
        "properties": {"children": {"type": "array", "items": {"$ref": "#/types/Tree"}}, "name": {"type": "string"}},
        "required": ["children"],
    },
    "Value": {
        "anyOf": [
            {"type": "object", "additionalProperties": {"$ref": "#/types/Value"}},
            {"type": "array", "items": {"$ref": "#/types/Value"}},
            {"type": "string"},
            {"$ref": "#/types/Value"},
        ]
    },
    "Circle": {
        "type": "object",
        "properties": {"kind": {"const": "circle"}, "radius": {"$ref": "#/types/Share"}},
        "required": ["kind"],
    },
    "Shape": {"oneOf": [{"$ref": "#/types/Circle"}, {"$ref": "#/types/Point"}]},
    "Broken": {"oneOf": [{"type": "integer"}, {"type": "number"}, {"type": "string", "maxLength": 2}]},
    "Optional": {
        "type": "object",
        "properties": {"never": {"$ref": "#/types/TooShort"}, "sometimes": {"type": "null"}},
    },
    "TooShort": {"type": "string", "minLength": 3, "maxLength": 1},
    "Endless": {"type": "object", "properties": {"next": {"$ref": "#/types/Endless"}}, "required": ["next"]},
    "Holder": {
        "type": "object",
        "properties": {"held": {"type": "array", "items": {"$ref": "#/types/TooShort"}, "minItems": 1}},
        "required": ["held"],
    },
    "Forbidden": {"type": "object", "required": ["x"], "additionalProperties": False},
    "Listed": {"enum": [1, 2], "type": "string"},
    "Crowded": {"type": "array", "items": {"enum": [1, 2]}, "uniqueItems": True, "minItems": 3},
    "Crossed": {"type": "integer", "exclusiveMinimum": 1, "exclusiveMaximum": 2},
    "Neither": {"anyOf": [{"$ref": "#/types/TooShort"}, {"$ref": "#/types/Endless"}]},
}
WITHOUT_VALUES = {
    "TooShort": "#/types/TooShort",
    "Endless": "#/types/Endless",
    "Holder": "#/types/TooShort",
    "Forbidden": "#/types/Forbidden",
    "Listed": "#/types/Listed",
    "Crowded": "#/types/Crowded",
    "Crossed": "#/types/Crossed",
    "Neither": "#/types/Neither",
}
WITH_VALUES = [name for name in TYPES if name not in WITHOUT_VALUES]
STRUCTS = """
import msgspec
from typing import Any, Annotated

class Named:
    __typedmcp_name__ = (%(package)r, "Free")

class Closed(msgspec.Struct, kw_only=True, omit_defaults=True):
    name: str
    size: int | msgspec.UnsetType = msgspec.UNSET

Free = Annotated[dict[str, Any], Named()]
"""


@pytest.fixture(scope="module")
def special(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ModuleType]:
    """The struct types of a package with the special cases."""
    root = tmp_path_factory.mktemp("packages")
    _write(root / PACKAGE, TYPES, STRUCTS % {"package": PACKAGE}, ("Closed", "Free"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "path", [str(root), *sys.path])
        yield importlib.import_module(f"{PACKAGE}.structs")


def _write(folder: Path, types: dict[str, Any], structs: str = "", written: tuple[str, ...] = ()) -> None:
    folder.mkdir()
    importlib.invalidate_caches()
    classes = "".join(f"class {name}: ...\n" for name in types if name not in written)
    (folder / "__init__.py").write_text("")
    (folder / "structs.py").write_text(structs + classes)
    (folder / "models.py").write_text(classes)
    (folder / "_schema.json").write_text(json.dumps({"revision": "none", "types": types}))


def _drawn(source: SearchStrategy[Any], count: int) -> list[Any]:
    values: list[Any] = []

    @settings(FAST, max_examples=count)
    @given(source)
    def collect(value: Any) -> None:
        values.append(value)

    collect()
    return values


def _simplest(source: SearchStrategy[Any], condition: Callable[[Any], object]) -> Any:
    return find(source, lambda value: bool(condition(value)), settings=SHRINKING)


def _validator(types: dict[str, Any], name: str) -> jsonschema_rs.Validator:
    definitions = json.loads(json.dumps(types).replace('"#/types/', '"#/$defs/'))
    return jsonschema_rs.validator_for(
        {"$schema": DIALECT, "$defs": definitions, "$ref": f"#/$defs/{name}"}, validate_formats=False
    )


def _parts(value: Any) -> list[Any]:
    if isinstance(value, dict):
        return list(cast("dict[str, Any]", value).values())
    return cast("list[Any]", value) if isinstance(value, list) else []


def _depth(value: Any) -> int:
    return 1 + max(map(_depth, _parts(value)), default=0) if isinstance(value, dict | list) else 0


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    if isinstance(value, dict):
        yield from cast("dict[str, Any]", value)
    for part in _parts(value):
        yield from _texts(part)


def _member(value: Any, name: str) -> Any:
    return cast("dict[str, Any]", value).get(name, ...) if isinstance(value, dict) else ...


@pytest.mark.parametrize("name", WITH_VALUES)
def test_an_independent_validator_accepts_every_document(special: ModuleType, name: str, effort: Effort) -> None:
    validator = _validator(TYPES, name)
    drawn = _drawn(documents(getattr(special, name)), effort.pick(100, 1_000))
    assert drawn
    assert [value for value in drawn if not validator.is_valid(value)] == []


def test_a_constraint_behind_a_reference_counts(special: ModuleType) -> None:
    drawn = _drawn(documents(special.Positives), 1_000)
    items = [item for value in drawn for item in value]
    assert items
    assert all(type(item) is int and item > 0 for item in items)


@pytest.mark.parametrize(("name", "pointer"), WITHOUT_VALUES.items())
@pytest.mark.parametrize("valid", [True, "near"])
def test_a_type_without_values_is_named_when_its_strategy_is_made(
    special: ModuleType, name: str, pointer: str, valid: Literal[True, "near"]
) -> None:
    with pytest.raises(UnsatisfiableType) as caught:
        documents(getattr(special, name), valid=valid)
    assert caught.value.type_name == f"{PACKAGE}.structs.{name}"
    assert caught.value.pointer == pointer
    assert f"{PACKAGE}.structs.{name} admits no value" in str(caught.value)
    assert pointer in str(caught.value)


def test_an_optional_member_without_values_is_left_out(special: ModuleType) -> None:
    drawn = _drawn(documents(special.Optional), 200)
    assert any("sometimes" in value for value in drawn)
    assert not any("never" in value for value in drawn)


@pytest.mark.parametrize("name", ["Tree", "Value"])
def test_a_recursive_type_ends_and_sometimes_goes_deep(special: ModuleType, name: str) -> None:
    depths = [_depth(value) for value in _drawn(documents(getattr(special, name)), 300)]
    assert 3 <= max(depths) <= 16
    assert min(depths) <= 2


def test_a_closed_object_has_no_strangers(special: ModuleType) -> None:
    drawn = _drawn(documents(special.Closed), 300)
    assert {name for value in drawn for name in value} == {"name", "size"}


def test_an_open_object_seldom_has_a_stranger(special: ModuleType) -> None:
    drawn = _drawn(documents(special.Point), 1_000)
    strange = [value for value in drawn if value.keys() - {"x", "y"}]
    assert 0 < len(strange) < 250


def test_a_free_map_has_all_kinds_of_values(special: ModuleType) -> None:
    drawn = _drawn(documents(special.Free), 500)
    kinds: set[Any] = {type(member) for value in drawn for member in value.values()}
    assert kinds == {type(None), bool, int, float, str, list, dict}
    assert max(len(value) for value in drawn) > 1


def test_every_arm_of_a_union_is_drawn(special: ModuleType) -> None:
    drawn = _drawn(documents(special.Shape), 200)
    assert {"kind" in value for value in drawn} == {True, False}
    assert {type(value) for value in _drawn(documents(special.Value), 200)} == {dict, list, str}


def test_every_listed_value_is_drawn_as_a_copy_of_its_own(special: ModuleType) -> None:
    drawn = [item for value in _drawn(documents(list[special.Deep]), 100) for item in value]
    lists = [inner for value in drawn if (inner := _member(value, "list")) is not ...]
    assert all(value in drawn for value in TYPES["Deep"]["enum"])
    assert len({id(value) for value in lists}) == len(lists) > 1


def test_integers_go_beyond_64_bits_unless_bounded(special: ModuleType) -> None:
    assert max(abs(value) for value in _drawn(documents(special.Whole), 500)) > 2**64
    assert set(_drawn(documents(special.Even), 500)) == {-6, -4, -2, 0, 2, 4, 6}


def test_numbers_are_integers_and_finite_floats(special: ModuleType) -> None:
    drawn = _drawn(documents(special.Real), 500)
    assert {type(value) for value in drawn} == {int, float}
    assert all(abs(value) < float("inf") for value in drawn)
    assert {0, 1} <= set(_drawn(documents(special.Share), 500))


def test_texts_are_plain_or_foreign_or_shaped_and_always_encodable(special: ModuleType) -> None:
    drawn = _drawn(documents(special.Text), 1_000)
    assert any(value.isascii() and 0 < len(value) < 4 for value in drawn)
    assert len({value for value in drawn if not value.isascii()}) > 50
    assert any(ord(character) > 0xFFFF for value in drawn for character in value)
    assert any("://" in value for value in drawn)
    assert all(
        value.encode() is not None
        for name in ("Free", "Value", "Code", "Bytes")
        for value in _texts(_some(special, name))
    )


def _some(special: ModuleType, name: str) -> list[Any]:
    return _drawn(documents(getattr(special, name)), 200)


@pytest.mark.parametrize(("name", "lengths"), [("Short", {2, 3}), ("ShortCode", {1, 2, 3})])
def test_every_admitted_length_is_drawn(special: ModuleType, name: str, lengths: set[int]) -> None:
    assert {len(value) for value in _drawn(documents(getattr(special, name)), 100)} == lengths


def test_a_dollar_in_a_pattern_is_no_line_break(special: ModuleType) -> None:
    drawn = _drawn(documents(special.Code), 300)
    assert len(set(drawn)) > 20
    assert not any(value.endswith("\n") for value in drawn)
    assert all(value.isascii() for value in drawn)


Condition = Callable[[Any], object]
SIMPLEST: list[tuple[str, Condition, tuple[Any, ...]]] = [
    ("Point", lambda value: True, ({"x": 0},)),
    ("Point", lambda value: "y" in value, ({"x": 0, "y": 0},)),
    ("Point", lambda value: value["x"] > 1_000, ({"x": 1_001},)),
    ("Closed", lambda value: "size" in value, ({"name": "", "size": 1},)),
    ("Colour", lambda value: True, ("red",)),
    ("Short", lambda value: True, ("aa",)),
    ("Text", lambda value: value, ("a",)),
    ("Text", lambda value: "://" in value, ("file:///tmp/a%20b",)),
    ("Free", lambda value: value, ({"": None},)),
    ("Few", lambda value: True, ([False, False],)),
    ("Tree", lambda value: value["children"], ({"children": [{"children": []}]},)),
    ("Value", lambda value: _depth(value) > 1, ({"": {}}, {"": []}, [[]], [{}])),
    ("Shape", lambda value: "radius" in value, ({"kind": "circle", "radius": 0},)),
]


@pytest.mark.parametrize(("name", "condition", "simplest"), SIMPLEST)
def test_a_document_shrinks_to_the_simplest_one(
    special: ModuleType, name: str, condition: Condition, simplest: tuple[Any, ...]
) -> None:
    found = _simplest(documents(getattr(special, name)), condition)
    assert json.dumps(found) in [json.dumps(value) for value in simplest]


NEAR: dict[str, tuple[str, Condition]] = {
    "a required member is removed": (
        "Closed",
        lambda value: _member(value, "name") is ... and _member(value, "size") == 1,
    ),
    "a member is null": ("Closed", lambda value: _member(value, "name") is None),
    "a member has another type": ("Closed", lambda value: _member(value, "name") == []),
    "a bound is crossed": ("Closed", lambda value: _member(value, "size") == 0),
    "a member is added": ("Closed", lambda value: _member(value, "unknown") is not ...),
    "the whole is replaced": ("Closed", lambda value: value == "x"),
    "a constant is changed": ("Circle", lambda value: _member(value, "kind") == "circlex"),
    "an enumeration is left": ("Colour", lambda value: value == "redx"),
    "a text is too long": ("Short", lambda value: value == "aaaa"),
    "a text is too short": ("Short", lambda value: value == "a"),
    "an integer has a fraction": ("Whole", lambda value: value == 1.5),
    "an item is spoilt": ("Positives", lambda value: "x" in _parts(value)),
    "an item is beyond its bound": ("Positives", lambda value: 0 in _parts(value)),
    "there are too many items": ("Few", lambda value: value == [False] * 4),
    "there are too many members": ("Counts", lambda value: isinstance(value, dict) and len(_parts(value)) == 5),
    "something nested is spoilt": (
        "Tree",
        lambda value: any(_member(part, "children") is None for part in _inner(value)),
    ),
}


def _inner(value: Any) -> list[Any]:
    return [deeper for part in _parts(value) for inner in _parts(part) for deeper in (inner, *_inner(inner))]


@pytest.mark.parametrize("mutation", NEAR)
def test_a_nearly_valid_document_can_be_wrong_in_this_way(special: ModuleType, mutation: str) -> None:
    name, shown = NEAR[mutation]
    assert any(shown(value) for value in _drawn(documents(getattr(special, name), valid="near"), 400))


def test_nearly_valid_documents_are_mostly_refused_and_sometimes_accepted(special: ModuleType) -> None:
    validator = _validator(TYPES, "Closed")
    drawn = _drawn(documents(special.Closed, valid="near"), 500)
    assert all(json.dumps(value, allow_nan=False) for value in drawn)
    assert 0 < sum(map(validator.is_valid, drawn)) < 250


def test_drawing_a_spoilt_document_spoils_no_later_one(special: ModuleType) -> None:
    _drawn(documents(special.Deep, valid="near"), 300)
    validator = _validator(TYPES, "Deep")
    assert all(map(validator.is_valid, _drawn(documents(special.Deep), 50)))
    _drawn(documents(bool, valid="near"), 800)
    for empty in ("[]", "{}"):
        assert _simplest(documents(bool, valid="near"), lambda value, text=empty: json.dumps(value) == text) is not None


TYPING_OBJECTS: list[tuple[Any, dict[str, Any]]] = [
    (str, {"type": "string"}),
    (bool, {"type": "boolean"}),
    (None, {"type": "null"}),
    (float, {"type": "number"}),
    (str | None, {"type": ["string", "null"]}),
    (int | str | UnsetType, {"type": ["integer", "string"]}),
    (list[int], {"type": "array", "items": {"type": "integer"}}),
    (
        dict[str, list[bool]],
        {"type": "object", "additionalProperties": {"type": "array", "items": {"type": "boolean"}}},
    ),
    (Literal["a", 1], {"enum": ["a", 1]}),
    (Annotated[int, Meta(ge=3, lt=6)], {"type": "integer", "minimum": 3, "exclusiveMaximum": 6}),
    (
        Annotated[int, Meta(ge=0)] | Annotated[float, Meta(ge=0, le=1)],
        {"anyOf": [{"type": "integer", "minimum": 0}, {"type": "number", "minimum": 0, "maximum": 1}]},
    ),
    (Annotated[str, Meta(max_length=2)], {"type": "string", "maxLength": 2}),
    (Annotated[list[str], Meta(min_length=1, max_length=2)], {"type": "array", "minItems": 1, "maxItems": 2}),
    (Annotated[str, Meta(pattern="^a+$")], {"type": "string", "pattern": "^a+$"}),
    (Annotated[int, pydantic.Field(ge=3, multiple_of=3)], {"type": "integer", "minimum": 3, "multipleOf": 3}),
    (Annotated[str, pydantic.StringConstraints(min_length=2)], {"type": "string", "minLength": 2}),
]


@pytest.mark.parametrize(("type_", "schema"), TYPING_OBJECTS, ids=[str(type_) for type_, _ in TYPING_OBJECTS])
def test_a_typing_object_is_read_by_its_structure(type_: Any, schema: dict[str, Any]) -> None:
    validator = jsonschema_rs.validator_for(schema)
    drawn = _drawn(documents(type_), 60)
    assert [value for value in drawn if not validator.is_valid(value)] == []


def test_a_typing_object_holds_generated_types(special: ModuleType) -> None:
    drawn = _drawn(documents(list[special.Colour | special.Nothing]), 200)
    assert {item for value in drawn for item in value} == {"red", "green", "blue", None}


def test_a_marked_alias_is_the_type_that_its_marker_names(special: ModuleType) -> None:
    marked = Annotated[dict[str, Any], Meta(max_length=0), special.Named()]
    assert any(_drawn(documents(marked), 100))


@pytest.mark.parametrize("type_", [Path, "Tool", 5, list[Path], set[int]], ids=str)
def test_a_foreign_type_is_refused_by_name(type_: Any) -> None:
    with pytest.raises(TypeError, match="is no type of a generated package"):
        documents(type_)


def test_a_keyword_outside_the_subset_is_refused_with_its_pointer(tmp_path: Path) -> None:
    _write(tmp_path / "package_beyond_the_subset", {"Odd": {"type": "object", "patternProperties": {}}})
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "path", [str(tmp_path), *sys.path])
        odd = importlib.import_module("package_beyond_the_subset.structs").Odd
        with pytest.raises(ValueError, match="#/types/Odd: unexpected in a lowered schema: patternProperties"):
            documents(odd)


def test_a_strategy_is_made_once_for_each_type(special: ModuleType) -> None:
    assert documents(special.Tree) is documents(special.Tree)
    assert documents(list[special.Tree]) is documents(list[special.Tree])
    assert documents(special.Tree) is not documents(special.Tree, valid="near")
    assert strategy(special.Closed) is strategy(special.Closed)
    assert strategy(special.Closed, valid="near") is documents(special.Closed, valid="near")


def test_structs_and_models_of_one_name_have_the_same_documents(special: ModuleType) -> None:
    models = importlib.import_module(f"{PACKAGE}.models")
    assert _drawn(documents(models.Tree), 50) == _drawn(documents(special.Tree), 50)


def test_a_strategy_makes_typed_values(special: ModuleType) -> None:
    drawn = _drawn(strategy(special.Closed), 100)
    assert {type(value) for value in drawn} == {special.Closed}
    assert {type(value) for value in _drawn(strategy(list[special.Closed] | None), 50)} == {list, type(None)}


REVISIONS = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"]


@pytest.mark.parametrize("revision", REVISIONS)
def test_the_official_schema_accepts_what_is_drawn_from_it(revision: str, tmp_path: Path, effort: Effort) -> None:
    document = json.loads((needs("shared") / "schema" / f"{revision}.json").read_text(encoding="utf-8"))
    key = "$defs" if "$defs" in document else "definitions"
    package = f"package_of_{revision.replace('-', '_')}"
    _write(tmp_path / package, {name: _lowered(node, document[key]) for name, node in document[key].items()})
    refused: list[tuple[str, Any]] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "path", [str(tmp_path), *sys.path])
        module = importlib.import_module(f"{package}.structs")
        for name in document[key]:
            schema = {"$schema": document["$schema"], key: document[key], "$ref": f"#/{key}/{name}"}
            validator = jsonschema_rs.validator_for(schema, validate_formats=False)
            drawn = _drawn(documents(getattr(module, name)), effort.pick(5, 200))
            assert drawn, name
            refused += [(name, value) for value in drawn if not validator.is_valid(value)]
    assert refused == []


def _lowered(node: Any, definitions: dict[str, Any]) -> dict[str, Any]:
    """A definition of an official document in the subset: these use few keywords, and `allOf` in seven places."""
    if "$ref" in node:
        return {"$ref": f"#/types/{node['$ref'].rpartition('/')[2]}"}
    if "allOf" in node:
        parts = [definitions[part["$ref"].rpartition("/")[2]] if "$ref" in part else part for part in node["allOf"]]
        properties = {name: member for part in parts for name, member in part["properties"].items()}
        required = list(dict.fromkeys(name for part in parts for name in part.get("required", ())))
        return _lowered({"type": "object", "properties": properties, "required": required}, definitions)
    if isinstance(node.get("type"), list):
        return {"anyOf": [_lowered({**node, "type": kind}, definitions) for kind in node["type"]]}
    lowered: dict[str, Any] = dict(node)
    for keyword in ("items", "additionalProperties"):
        if isinstance(node.get(keyword), dict):
            lowered[keyword] = _lowered(node[keyword], definitions)
    if "anyOf" in node:
        lowered["anyOf"] = [_lowered(arm, definitions) for arm in node["anyOf"]]
    if "properties" in node:
        lowered["properties"] = {name: _lowered(member, definitions) for name, member in node["properties"].items()}
    return lowered


GENERATED = Path(typedmcp_types.__file__).parent
PACKAGES = sorted(".".join(path.parent.relative_to(GENERATED.parent).parts) for path in GENERATED.rglob("_schema.json"))


@pytest.mark.parametrize("package", PACKAGES)
def test_every_generated_type_has_documents_of_its_own_schema(package: str, effort: Effort) -> None:
    folder = GENERATED.parent.joinpath(*package.split("."))
    types = json.loads((folder / "_schema.json").read_text(encoding="utf-8"))["types"]
    structs, models = (importlib.import_module(f"{package}.{kind}") for kind in ("structs", "models"))
    refused: list[tuple[str, Any]] = []
    for name in types:
        validator = _validator(types, name)
        drawn = _drawn(documents(getattr(structs, name)), effort.pick(5, 200))
        assert drawn, name
        assert _drawn(documents(getattr(models, name)), 1), name
        refused += [(name, value) for value in drawn if not validator.is_valid(value)]
    assert refused == []


@pytest.mark.parametrize("back_end", ["structs", "models"])
@pytest.mark.parametrize("name", ["Tool", "CreateMessageRequestParams", "ServerCapabilities", "ListResourcesResult"])
def test_official_types_are_drawn_as_typed_values(back_end: str, name: str) -> None:
    type_ = getattr(importlib.import_module(f"typedmcp_types.v2025_11_25.{back_end}"), name)
    assert {type(value) for value in _drawn(strategy(type_), 100)} == {type_}


def test_only_the_kit_imports_hypothesis() -> None:
    assert "hypothesis" in sys.modules
    runtime = Path(importlib.import_module("typedmcp").__file__ or "").parent
    outside = [path for path in runtime.rglob("*.py") if "testing" not in path.parts]
    assert outside
    assert [
        path.name for path in outside if "import hypothesis" in (text := path.read_text()) or "from hypothesis" in text
    ] == []
