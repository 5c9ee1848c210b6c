"""Walks a schema document beside the module generated from it; knows both by what they show, not the generator."""

from __future__ import annotations

from collections.abc import Set
from types import ModuleType
from typing import Any, get_args

import msgspec

from typedmcp.base import Bag

ENVELOPE = {"jsonrpc", "id"}


def differences(document: Any, module: ModuleType, left_out: Set[str] = frozenset()) -> list[str]:
    """What a generated module lacks or has beyond the definitions of its document, a line each.

    `left_out`: members (`Tool.title`) that may be absent although the document requires them.
    """
    found: list[str] = []
    defs = document.get("$defs") or document["definitions"]
    for name, node in defs.items():
        if not hasattr(module, name):
            found.append(f"{name} is missing")
            continue
        arms = [arm["$ref"].rpartition("/")[2] for arm in node.get("anyOf", ()) if "$ref" in arm]
        if arms and len(arms) == len(node["anyOf"]):
            found += _arms(name, arms, module, defs)
        elif node.get("properties"):
            found += _members(name, node, module, left_out)
    return found


def _arms(name: str, arms: list[str], module: ModuleType, defs: Any) -> list[str]:
    """Every arm of the union is an arm of the type, and there are no more."""
    wanted = {_key(getattr(module, leaf)) for arm in arms for leaf in _leaves(arm, defs)}
    type_ = getattr(module, name)
    cases = getattr(type_, "__cases__", None)
    if cases is not None:
        held = {_key(getattr(module, case.arm, None)) for case in cases}
    else:
        held = {_key(arm) for arm in _flat(type_)}
    return [] if held == wanted else [f"{name} has other arms: {held ^ wanted}"]


def _leaves(name: str, defs: Any) -> list[str]:
    arms = [arm["$ref"].rpartition("/")[2] for arm in defs[name].get("anyOf", ()) if "$ref" in arm]
    return [leaf for arm in arms for leaf in _leaves(arm, defs)] or [name]


def _flat(type_: Any) -> list[Any]:
    base, *marks = get_args(type_) or (type_,)
    if hasattr(type_, "__metadata__"):
        return list(_flat(base)) if any(not _is_bag(mark) for mark in marks) else [type_]
    return [leaf for arm in get_args(type_) for leaf in _flat(arm)] if get_args(type_) else [type_]


def _is_bag(mark: Any) -> bool:
    return isinstance(mark, Bag)


def _key(type_: Any) -> str:
    for mark in getattr(type_, "__metadata__", ()):
        if _is_bag(mark):
            return str(mark.name)
    return getattr(type_, "__name__", repr(type_))


def _members(name: str, node: Any, module: ModuleType, left_out: Set[str]) -> list[str]:
    type_ = getattr(module, name)
    for mark in getattr(type_, "__metadata__", ()):
        if _is_bag(mark):
            type_ = mark.keys
    if not isinstance(type_, type):
        return []
    members = _declared(type_)
    found: list[str] = []
    required = {wire for wire in node.get("required", ()) if f"{name}.{wire}" not in left_out} - ENVELOPE
    for wire, schema in node["properties"].items():
        if wire not in members:
            found.append(f"{name} has no member {wire}")
            continue
        if (wire in required) != members[wire] and wire not in ENVELOPE:
            found.append(f"{name}.{wire} is {'not ' if wire in required else ''}required")
        if "const" in schema and wire in required and not _has_constant(type_, wire, schema["const"]):
            found.append(f"{name}.{wire} has not the constant {schema['const']!r}")
    return found


def _declared(type_: Any) -> dict[str, bool]:
    """Each member by its JSON name, and whether it must be on the wire."""
    if issubclass(type_, msgspec.Struct):
        config = type_.__struct_config__
        required = {field.encode_name: field.required for field in msgspec.structs.fields(type_)}
        return {**required, config.tag_field: True} if config.tag_field else required
    constants = type_.__constants__
    return {
        str(field.validation_alias or name): field.is_required() or str(field.validation_alias or name) in constants
        for name, field in type_.model_fields.items()
    }


def _has_constant(type_: Any, wire: str, value: Any) -> bool:
    if issubclass(type_, msgspec.Struct):
        config = type_.__struct_config__
        if config.tag_field == wire:
            return bool(config.tag == value)
        field = next(field for field in msgspec.structs.fields(type_) if field.encode_name == wire)
        return get_args(field.type) == (value,)
    field = next(f for n, f in type_.model_fields.items() if str(f.validation_alias or n) == wire)
    return get_args(field.annotation) == (value,)
