"""From the lowered JSON to the types of the IR; plans each union on the way. Knows documentation texts, no back end."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from . import names, unions
from .docs import Docs
from .errors import CodegenError
from .ir import (
    Alias,
    Anything,
    Constraints,
    Field,
    ListOf,
    LiteralOf,
    MapOf,
    Nullable,
    OneOf,
    Openness,
    Presence,
    Ref,
    Scalar,
    Struct,
    TypeDef,
    TypeExpr,
    Union,
)
from .jsonio import JsonObject, is_object


def read(lowered: JsonObject, docs: Docs) -> tuple[tuple[TypeDef, ...], tuple[str, ...]]:
    """All types of a lowered document, and the notes taken on the way.

    Raises CodegenError for a union nothing can decide, naming its arms and the pair that overlaps.
    """
    defs: Mapping[str, JsonObject] = lowered["defs"]
    notes: list[str] = list(lowered.get("notes", ()))
    planner = unions.Planner(defs, expression)
    types: list[TypeDef] = []
    for name, node in defs.items():
        doc = docs.type(name, node.get("description", ""))
        deprecated = _deprecated(node)
        if unions.is_union(node):
            plan, arms = planner.plan(name, node)
            types.append(Union(name, doc, node["@"], arms, plan, deprecated))
        elif is_struct(node):
            struct, found = _struct(name, node, docs, doc, deprecated, defs)
            types.append(struct)
            notes += [f"{node['@']}: {note}" for note in found]
        else:
            types.append(Alias(name, doc, node["@"], expression(node), deprecated))
    return tuple(_tagged(type_, planner.tags) for type_ in types), tuple(notes)


def is_struct(node: JsonObject) -> bool:
    """Whether a definition is an object with members of its own, and not a map."""
    return node.get("type") == "object" and (bool(node.get("properties")) or node.get("additionalProperties") is False)


def _tagged(type_: TypeDef, tags: Mapping[str, str]) -> TypeDef:
    if not isinstance(type_, Struct) or type_.name not in tags:
        return type_
    return replace(type_, tag=tags[type_.name])


def _deprecated(node: JsonObject) -> str:
    value = node.get("deprecated", "")
    return "deprecated" if value is True else str(value or "")


def _struct(
    name: str, node: JsonObject, docs: Docs, doc: str, deprecated: str, defs: Mapping[str, JsonObject]
) -> tuple[Struct, list[str]]:
    properties: JsonObject = node.get("properties", {})
    required = set(node.get("required", ()))
    spelled, notes = names.members(properties, defs.keys())
    fields = [
        _field(name, wire, spelled[wire], schema, wire in required, node, docs, _only(schema, defs))
        for wire, schema in properties.items()
    ]
    order = {Presence.CONSTANT: 0, Presence.REQUIRED: 1, Presence.DEFAULTED: 2, Presence.OPTIONAL: 3}
    fields.sort(key=lambda field: (field.wire in ("_meta", "jsonrpc"), order[field.presence]))
    extra = node.get("additionalProperties")
    openness = Openness.IGNORED if extra is None else Openness.FORBIDDEN if extra is False else Openness.KEPT
    others = expression(extra) if is_object(extra) else Anything()
    return Struct(name, doc, node["@"], tuple(fields), openness, others, None, deprecated), notes


def _only(schema: JsonObject, defs: Mapping[str, JsonObject]) -> tuple[Any, ...]:
    """The one value a member may have, also where it is a reference to a constant; else nothing."""
    while "$ref" in schema:
        schema = defs[schema["$ref"]]
    values: list[Any] = schema.get("enum", [])
    return tuple(values) if len(values) == 1 and values[0] is not None else ()


def _field(
    owner: str,
    wire: str,
    py: str,
    schema: JsonObject,
    required: bool,
    node: JsonObject,
    docs: Docs,
    only: tuple[Any, ...],
) -> Field:
    type_ = expression(schema)
    default = None
    presence = Presence.REQUIRED if required else Presence.OPTIONAL
    if wire in node.get("defaults", {}):
        presence, default = Presence.DEFAULTED, node["defaults"][wire]
    elif required and wire in node.get("constants", {}):
        presence, default = Presence.CONSTANT, node["constants"][wire]
    elif required and only:
        presence, default = Presence.CONSTANT, only[0]
    doc = docs.member(owner, wire, schema.get("description", ""))
    return Field(wire, py, type_, presence, doc, schema["@"], default, _deprecated(schema))


def expression(node: JsonObject) -> TypeExpr:
    """The type a node inside a definition stands for.

    Raises CodegenError for a union of objects, which must have been hoisted.
    """
    if "$ref" in node:
        return Ref(node["$ref"])
    if "enum" in node:
        return _literal(node["enum"])
    if unions.is_union(node):
        return inline_union([expression(arm) for arm in unions.arms_of(node)], node["@"])
    kind = node.get("type")
    if kind is None:
        return Anything()
    if kind == "null":
        return LiteralOf((None,))
    if kind == "array":
        return ListOf(expression(node.get("items", {"@": node["@"]})), _length(node, "Items"))
    if kind == "object":
        extra = node.get("additionalProperties")
        if extra is False:
            raise CodegenError("an inline object that admits no member cannot be generated", pointer=node["@"])
        return MapOf(expression(extra) if extra else Anything(), _length(node, "Properties"))
    constraints = Constraints(
        minimum=node.get("minimum"),
        maximum=node.get("maximum"),
        exclusive_minimum=node.get("exclusiveMinimum"),
        exclusive_maximum=node.get("exclusiveMaximum"),
        multiple_of=node.get("multipleOf"),
        min_length=node.get("minLength"),
        max_length=node.get("maxLength"),
        pattern=node.get("pattern"),
    )
    return Scalar(kind, constraints, node.get("format") if kind == "string" else None)


def _length(node: JsonObject, what: str) -> Constraints:
    return Constraints(min_length=node.get(f"min{what}"), max_length=node.get(f"max{what}"))


def _literal(values: list[Any]) -> TypeExpr:
    rest = tuple(value for value in values if value is not None)
    if len(rest) == len(values):
        return LiteralOf(rest)
    return Nullable(LiteralOf(rest)) if rest else LiteralOf((None,))


def inline_union(arms: list[TypeExpr], at: str) -> TypeExpr:
    """A union of values that differ in JSON type; a null arm becomes `Nullable`."""
    flat: list[TypeExpr] = []
    for arm in arms:
        flat += arm.arms if isinstance(arm, OneOf) else (arm,)
    rest = [arm for arm in dict.fromkeys(flat) if arm != LiteralOf((None,))]
    if len(rest) > 1:
        unions.refuse_same_kind(rest, at)
    inner: TypeExpr = rest[0] if len(rest) == 1 else OneOf(tuple(rest))
    if not rest:
        return LiteralOf((None,))
    return Nullable(inner) if len(rest) < len(set(flat)) and not isinstance(inner, (Nullable, Anything)) else inner
