"""The method table and the error codes of one document, from union membership; facts of prose come from the overlay.

Directions are those of the unions, results follow one checked rule (see `_results`), and what that rule reaches must
equal the arms of the result unions: a request without a result type, or a result no request has, is an error.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from . import roles
from .docs import Docs
from .errors import CodegenError
from .ir import (
    Alias,
    Anything,
    Envelope,
    ErrorDef,
    ListOf,
    LiteralOf,
    Method,
    Openness,
    Presence,
    Ref,
    ResultArm,
    Side,
    Struct,
    TypeDef,
    TypeExpr,
    Union,
)
from .jsonio import JsonObject


@dataclass(frozen=True, slots=True)
class Facts:
    """What the prose says about methods (`schema/overlays/methods.toml`): see the comments there."""

    empty_results: frozenset[str]
    capabilities: Mapping[str, str]
    related: Mapping[str, str]
    arms: Mapping[str, Mapping[str, str]]
    unreached: Mapping[str, str]


def read_facts(path: Path) -> Facts:
    """Raises CodegenError for a file that is no TOML."""
    try:
        data: dict[str, Any] = tomllib.loads(path.read_text("utf-8"))
    except tomllib.TOMLDecodeError as error:
        raise CodegenError(f"not TOML: {error}", where=path.name) from None
    return Facts(
        frozenset(data["empty_results"]), data["capabilities"], data["related"], data["arms"], data["unreached"]
    )


def methods(lowered: JsonObject, types: Sequence[TypeDef], facts: Facts, docs: Docs) -> tuple[Method, ...]:
    """The rows of the method table, sorted by kind and name.

    Raises CodegenError for a request without a result type and for a fact that contradicts the document.
    """
    defs: JsonObject = lowered["defs"]
    _require_constants(defs)
    found: dict[tuple[str, str], list[roles.Message]] = {}
    for message in roles.messages(defs):
        found.setdefault((message.kind, message.method), []).append(message)
    known = {message.method for same in found.values() for message in same}
    by_name = {type_.name: type_ for type_ in types}
    rows: list[Method] = []
    for (kind, wire), same in sorted(found.items()):
        first = same[0]
        node = defs[first.type]
        other = next((message.type for message in same if message.type != first.type), None)
        if other is not None:
            raise CodegenError(
                f"{first.type} and {other} are both the {kind} {wire}",
                pointer=defs[other]["@"],
                hint="keep one of them",
            )
        params = _params(node)
        related = facts.related.get(wire, "")
        senders: tuple[Side, ...] = tuple(dict.fromkeys(message.side for message in same))
        rows.append(
            Method(
                wire=wire,
                kind=first.kind,
                senders=senders,
                carrier="embedded" if first.embedded else "rpc",
                type=first.type,
                params=params,
                params_required="params" in node.get("required", ()),
                results=_results(first, defs, facts) if kind == "request" else (),
                capability=_capability(wire, senders, facts, by_name),
                related=related if related in known else "",
                doc=docs.type(first.type, node.get("description", "")),
                pointer=node["@"],
            )
        )
    _cross_check(defs, rows, facts)
    return tuple(rows)


def _require_constants(defs: JsonObject) -> None:
    """Every arm of a union of messages must have a method constant, or no row of the table would tell of it."""
    for union in roles.MESSAGE_UNIONS:
        for arm in roles.members(union, defs):
            if roles.method_of(defs[arm], defs) is None:
                raise CodegenError(f"{arm} is an arm of {union} and has no method constant", pointer=defs[arm]["@"])


def _params(node: JsonObject) -> str | None:
    schema = node["properties"].get("params", {})
    for arm in schema.get("anyOf", (schema,)):
        if "$ref" in arm:
            return str(arm["$ref"])
    return None


def _results(message: roles.Message, defs: JsonObject, facts: Facts) -> tuple[ResultArm, ...]:
    """In order: `<Base>ResultResponse.result`, `<Base>Result`, the empty result where the overlay allows it."""
    base = message.type.removesuffix("Request")
    extra = tuple(
        ResultArm(name, when)
        for name, when in facts.arms.get(message.method, {}).items()
        if _reaches(name, when, message, defs)
    )
    response = defs.get(f"{base}ResultResponse")
    if response is not None and not message.embedded:
        target = response.get("properties", {}).get("result", {}).get("$ref")
        if target is None:
            raise CodegenError(f"{base}ResultResponse has no member result with a type", pointer=response["@"])
        arms = list(roles.arms(defs[target], defs)) or [target]
        rest = tuple(
            ResultArm(name, "always" if len(arms) == 1 else f"resultType {_value(name, defs)}") for name in arms
        )
        return rest + extra
    if f"{base}Result" in defs:
        return (ResultArm(f"{base}Result", "always"), *extra)
    empty = next((name for name in ("EmptyResult", "EmptyObject") if name in defs), None)
    if message.method in facts.empty_results and empty:
        return (ResultArm(empty, "always"), *extra)
    # An exporter's one-sided document describes the answers in the other side's document.
    if extra or roles.document_side(defs):
        return extra
    raise CodegenError(
        f"the request {message.method} has no result type: neither {base}ResultResponse nor {base}Result is defined",
        pointer=defs[message.type]["@"],
        hint=f"define {base}Result",
    )


def _reaches(name: str, when: str, message: roles.Message, defs: JsonObject) -> bool:
    """A task arm exists only where the request's params have a `task` member; any other arm where its type does."""
    if name not in defs:
        return False
    if when != "params.task present":
        return True
    params = _params(defs[message.type])
    targets = (roles.arms(defs[params], defs) or [params]) if params else []
    return any("task" in defs[target].get("properties", {}) for target in targets)


def _value(name: str, defs: JsonObject) -> str:
    node = defs[name]
    value = node.get("constants", {}).get("resultType") or node.get("defaults", {}).get("resultType")
    return str(value) if value else "complete"


def _capability(wire: str, senders: Sequence[Side], facts: Facts, types: Mapping[str, TypeDef]) -> str:
    """The capability a method needs, as `server.tools` or `client.roots.listChanged`, where the document has it."""
    path = facts.capabilities.get(wire, "")
    if not path:
        return ""
    side, *members = path.split(".")
    type_: TypeDef | None = types.get(f"{side.capitalize()}Capabilities")
    for member in members:
        field = next((f for f in type_.fields if f.wire == member), None) if isinstance(type_, Struct) else None
        if field is None:
            return ""
        inner = getattr(field.type, "inner", field.type)
        type_ = types.get(inner.name) if isinstance(inner, Ref) else None
    return path


def _cross_check(defs: JsonObject, rows: Sequence[Method], facts: Facts) -> None:
    """Every arm of a result union must answer some request of the other side, and the other way round."""
    for union, side in roles.RESULT_UNIONS.items():
        if union not in defs or roles.document_side(defs):
            continue
        node = defs[union]
        arms = set(roles.arms(node, defs)) or {node.get("$ref")}
        asked = [row for row in rows if row.carrier == "rpc" and any(sender != side for sender in row.senders)]
        reached = {_resolve(arm.type, defs) for row in asked for arm in row.results}
        for name in sorted(arms - reached):
            if facts.unreached.get(str(name)) is None:
                raise CodegenError(f"no request is answered by {name}, an arm of {union}", pointer=node["@"])
        for name in sorted(reached - arms):
            if facts.unreached.get(name) is None:
                raise CodegenError(f"{name} answers a request but is no arm of {union}", pointer=node["@"])


def _resolve(name: str, defs: JsonObject) -> str:
    while "$ref" in defs[name]:
        name = defs[name]["$ref"]
    return name


def errors(types: Sequence[TypeDef], docs: Docs) -> tuple[ErrorDef, ...]:
    """The error codes the document names: object types whose `code` is a constant, sorted by code."""
    by_name = {type_.name: type_ for type_ in types}
    found: list[ErrorDef] = []
    for type_ in types:
        if not isinstance(type_, Struct):
            continue
        code = _constant(type_, "code")
        if code is None:
            continue
        response = next((t for t in types if isinstance(t, Struct) and _member(t, "error") == type_.name), None)
        owner = response or type_
        data = next((field for field in type_.fields if field.wire == "data"), None)
        target = (
            data.type.name if data is not None and isinstance(data.type, Ref) and data.type.name in by_name else None
        )
        doc = docs.type(owner.name, owner.doc)
        found.append(ErrorDef(owner.name, code, target, response.name if response else None, doc, owner.pointer))
    return tuple(sorted(found, key=lambda error: (-error.code, error.name)))


def envelope(types: Sequence[TypeDef]) -> Envelope:
    """How messages are wrapped, from the union of all of them and from the error response."""
    by_name = {type_.name: type_ for type_ in types}

    def listed(arm: TypeExpr) -> bool:
        target = by_name.get(arm.name) if isinstance(arm, Ref) else None
        return isinstance(arm, ListOf) or (isinstance(target, Alias) and listed(target.type))

    batches = any(
        isinstance(type_, Union) and type_.name.lower() == roles.ANY_MESSAGE and any(map(listed, type_.arms))
        for type_ in types
    )
    ids = [
        field.presence
        for type_ in types
        if isinstance(type_, Struct) and {"error", *roles.ENVELOPE} <= {field.wire for field in type_.fields}
        for field in type_.fields
        if field.wire == "id"
    ]
    return Envelope(batches, bool(ids) and Presence.OPTIONAL not in ids)


def _constant(struct: Struct, wire: str) -> int | None:
    for field in struct.fields:
        if field.wire == wire and isinstance(field.type, LiteralOf) and len(field.type.values) == 1:
            value = field.type.values[0]
            return value if isinstance(value, int) and not isinstance(value, bool) else None
    return None


def _member(struct: Struct, wire: str) -> str | None:
    for field in struct.fields:
        if field.wire == wire and isinstance(field.type, Ref):
            return field.type.name
    return None


def untyped_members(types: Sequence[TypeDef]) -> int:
    """How many members the document leaves untyped; the generated code must have as many."""
    return sum(
        isinstance(field.type, Anything) for type_ in types if isinstance(type_, Struct) for field in type_.fields
    )


def bags(types: Sequence[TypeDef]) -> tuple[Struct, ...]:
    """The object types that keep every key."""
    return tuple(type_ for type_ in types if isinstance(type_, Struct) and type_.openness is Openness.KEPT)
