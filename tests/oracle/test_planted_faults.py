"""The oracle must see: a generator with a fault planted in it is caught, and what is untyped is counted."""

from __future__ import annotations

import importlib
import json
import types
import typing
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, get_args, get_origin, get_type_hints

import pytest

from oracle import pool
from oracle.reference import Reference, at
from oracle.test_oracle import DOCUMENTS, FOLDER, accepts
from support import packages
from support.effort import effort
from typedmcp.base import BagKeys, UnsetType
from typedmcp.base_models import MISSING
from typedmcp_codegen import pipeline, sources
from typedmcp_codegen.ir import (
    Alias,
    Anything,
    Constraints,
    Document,
    Field,
    ListOf,
    LiteralOf,
    MapOf,
    Nullable,
    Openness,
    Presence,
    Scalar,
    Struct,
    TypeDef,
    Union,
)

Fault = Callable[[TypeDef], TypeDef]


def member(name: str, **changes: Any) -> Fault:
    """Something about one member of a struct is wrong."""

    def spoil(type_: TypeDef) -> TypeDef:
        assert isinstance(type_, Struct)
        assert any(field.wire == name for field in type_.fields)
        return replace(type_, fields=tuple(_changed(field, name, changes) for field in type_.fields))

    return spoil


def _changed(field: Field, name: str, changes: dict[str, Any]) -> Field:
    return replace(field, **changes) if field.wire == name else field


def alias(type_expr: Any) -> Fault:
    """An alias stands for another type."""
    return lambda type_: replace(type_, type=type_expr) if isinstance(type_, Alias) else type_


def arms(keep: Callable[[int], bool]) -> Fault:
    """Some arms of a union are lost."""

    def spoil(type_: TypeDef) -> TypeDef:
        assert isinstance(type_, Union)
        left = tuple(arm for number, arm in enumerate(type_.arms) if keep(number))
        cases = tuple(case for case in type_.plan.cases if case.arm in left)
        return replace(type_, arms=left, plan=replace(type_.plan, cases=cases))

    return spoil


def swapped_conditions(type_: TypeDef) -> TypeDef:
    """The conditions of two arms are swapped."""
    assert isinstance(type_, Union)
    first, second, *rest = type_.plan.cases
    swapped = (replace(first, tests=second.tests), replace(second, tests=first.tests), *rest)
    return replace(type_, plan=replace(type_.plan, cases=swapped))


def openness(value: Openness) -> Fault:
    """Members the schema does not name are treated otherwise."""
    return lambda type_: replace(type_, openness=value) if isinstance(type_, Struct) else type_


INTEGER, NUMBER, TEXT = Scalar("integer"), Scalar("number"), Scalar("string")

# Document, type, fault. Each stands for a way a generator goes wrong.
FAULTS: dict[str, tuple[str, str, Fault]] = {
    "a bound is dropped": ("2025-11-25", "ModelPreferences", member("costPriority", type=NUMBER)),
    "a bound is off by one": (
        "2026-07-28",
        "CompleteResultCompletion",
        member("values", type=ListOf(TEXT, Constraints(max_length=101))),
    ),
    "a tag is another's": (
        "2025-11-25",
        "TextContent",
        member("type", type=LiteralOf(("txt",)), default="txt"),
    ),
    "a required member is optional": ("2025-11-25", "Tool", member("inputSchema", presence=Presence.OPTIONAL)),
    "an optional member is required": ("2025-11-25", "Tool", member("title", presence=Presence.REQUIRED)),
    "a constant that must be there may be absent": (
        "2025-11-25",
        "StringSchema",
        member("type", presence=Presence.DEFAULTED),
    ),
    "an integer takes fractions": ("2025-11-25", "CompleteResultCompletion", member("total", type=NUMBER)),
    "a number takes only integers": ("2025-11-25", "ProgressNotificationParams", member("progress", type=INTEGER)),
    "null is lost": ("2025-11-25", "Task", member("ttl", type=INTEGER)),
    "null is let in": ("2025-11-25", "Tool", member("title", type=Nullable(TEXT))),
    "an enum value is lost": ("2025-11-25", "Role", alias(LiteralOf(("user",)))),
    "an enum is open": ("2025-11-25", "Role", alias(TEXT)),
    "an arm of a tagged union is lost": ("2025-11-25", "ContentBlock", arms(lambda number: number != 2)),
    "an arm of a union by key is lost": ("2025-11-25", "EmbeddedResourceResource", arms(lambda number: number != 1)),
    "two arms have each other's conditions": ("2025-11-25", "EmbeddedResourceResource", swapped_conditions),
    "the items of a list are not looked at": (
        "2025-11-25",
        "ListToolsResult",
        member("tools", type=ListOf(Anything())),
    ),
    "the values of a map are not looked at": ("2026-07-28", "InputRequests", alias(MapOf(Anything()))),
    "a key of a bag is not looked at": ("2025-11-25", "RequestMeta", member("progressToken", type=Anything())),
    "a required key of a bag is optional": (
        "2025-11-25",
        "ToolInputSchema",
        member("type", presence=Presence.OPTIONAL, default=None),
    ),
    "a closed object is open": ("rmcp-server", "EmptyObject", openness(Openness.IGNORED)),
    "an open object is closed": ("2025-11-25", "Root", openness(Openness.FORBIDDEN)),
}
# Half of them in the ordinary run, each of another kind; all of them in the conformance session.
ORDINARY = list(FAULTS)[::2]


def _planted() -> list[str]:
    return effort().pick(ORDINARY, list(FAULTS))


@pytest.mark.parametrize("back_end", packages.BACK_ENDS)
@pytest.mark.parametrize("fault", _planted())
def test_a_planted_fault_is_caught(fault: str, back_end: Any, tmp_path: Path) -> None:
    name, owner, spoil = FAULTS[fault]
    source = sources.read(FOLDER / f"{name}.json")
    document = pipeline.run(source, packages.KNOWLEDGE).document
    sound, spoilt = document.named(owner), _with(document, owner, spoil)
    assert sound is not None
    assert spoilt != document
    package = packages.from_document(spoilt, tmp_path, (back_end,))
    type_ = getattr(importlib.import_module(f"{package}.{back_end}"), owner)
    reference = Reference(name, source.document)
    validator = reference.validators(sound.pointer)[0]
    caught = 0
    for value in pool.boundary(reference, sound.pointer, 200):
        verdict = accepts(json.dumps(value).encode(), type_)
        wrong = verdict != bool(validator.is_valid(value))
        caught += wrong and not reference.explains(sound.pointer, value, verdict)
    assert caught > 0


def _with(document: Document, owner: str, spoil: Fault) -> Document:
    return replace(document, types=tuple(spoil(t) if t.name == owner else t for t in document.types))


@pytest.mark.parametrize("name", DOCUMENTS)
def test_as_many_members_are_untyped_as_the_document_leaves_untyped(name: str, tmp_path: Path) -> None:
    package = packages.from_file(FOLDER / f"{name}.json", tmp_path)
    reference = Reference(name, package.staged.source.document)
    wanted, found = dict[str, list[str]](), dict[str, list[str]]()
    for type_ in package.document.types:
        if not isinstance(type_, Struct):
            continue
        declared = _properties(at(reference.patched, type_.pointer), reference.patched)
        wanted[type_.name] = sorted(key for key, schema in declared.items() if _untyped(schema, reference.patched))
        for end in packages.BACK_ENDS:
            found[f"{type_.name} {end}"] = sorted(_any_members(package.type(end, type_.name)))
    assert found == {f"{owner} {end}": keys for owner, keys in wanted.items() for end in packages.BACK_ENDS}
    assert sum(map(len, wanted.values())) > 0


def _properties(node: Any, document: Any) -> dict[str, Any]:
    """The members an object declares, those of what it is merged from included."""
    found: dict[str, Any] = {}
    for part in node.get("allOf", ()):
        part = at(document, part["$ref"]) if "$ref" in part else part
        inner = _properties(part, document)
        found.update({key: schema for key, schema in inner.items() if key not in found or not _bare(found[key])})
        found.update({key: schema for key, schema in inner.items() if _bare(found[key]) == {}})
    return {**found, **node.get("properties", {})}


def _bare(schema: Any) -> Any:
    return {} if schema is True else {k: v for k, v in schema.items() if k not in ("description", "title", "default")}


def _untyped(schema: Any, document: Any) -> bool:
    while isinstance(schema, dict) and "$ref" in schema:
        schema = at(document, schema["$ref"])
    return _bare(schema) == {}


def _any_members(type_: Any) -> list[str]:
    for mark in getattr(type_, "__metadata__", ()):
        type_ = getattr(mark, "keys", type_)
    hints = get_type_hints(type_, include_extras=False)
    wires = dict(
        zip(getattr(type_, "__struct_fields__", ()), getattr(type_, "__struct_encode_fields__", ()), strict=True)
    )
    for name, field in getattr(type_, "model_fields", {}).items():
        wires[name] = str(field.validation_alias or name)
    return [wire for name, wire in wires.items() if _is_any(hints[name])]


def _is_any(hint: Any) -> bool:
    arms = get_args(hint) if get_origin(hint) in (typing.Union, types.UnionType) else (hint,)
    return [arm for arm in arms if arm is not UnsetType and arm is not MISSING] == [Any]


def test_a_bag_view_is_a_struct_of_its_keys() -> None:
    structs = importlib.import_module("typedmcp_types.v2025_11_25.structs")
    assert issubclass(structs.RequestMetaKeys, BagKeys)
    assert structs.RequestMetaKeys.of({"progressToken": 7, "other": 1}).progress_token == 7
