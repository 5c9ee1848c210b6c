"""From a Python type to the JSON Schema it was generated from.

Owns the lookup of `_schema.json` beside a generated package and the reading of plain typing objects. Schemas leave
here with references of the form `package#/types/Name`; it must not know how values are drawn from them.
"""

from __future__ import annotations

import importlib.resources
import json
import types
from collections.abc import Iterator
from functools import cache
from typing import Annotated, Any, Final, Literal, Union, cast, get_args, get_origin

import msgspec

from ..base import BagKeys

Schema = dict[str, Any]

_SCALARS: Final[dict[Any, str]] = {
    str: "string",
    int: "integer",
    float: "number",
    bool: "boolean",
    None: "null",
    types.NoneType: "null",
}
_NUMBER_BOUNDS: Final = {
    "ge": "minimum",
    "gt": "exclusiveMinimum",
    "le": "maximum",
    "lt": "exclusiveMaximum",
    "multiple_of": "multipleOf",
}
_BOUNDS: Final[dict[str, dict[str, str]]] = {
    "integer": _NUMBER_BOUNDS,
    "number": _NUMBER_BOUNDS,
    "string": {"min_length": "minLength", "max_length": "maxLength", "pattern": "pattern"},
    "array": {"min_length": "minItems", "max_length": "maxItems"},
    "object": {"min_length": "minProperties", "max_length": "maxProperties"},
}
"""Attributes of msgspec.Meta, annotated_types and pydantic metadata, by the JSON type they bound."""


@cache
def types_of(package: str) -> dict[str, Schema]:
    """Return the schemas of a generated document package by type name.

    Raises LookupError if the package has no schema file.
    """
    try:
        text = importlib.resources.files(package).joinpath("_schema.json").read_text(encoding="utf-8")
    except (ModuleNotFoundError, FileNotFoundError) as error:
        raise LookupError(f"{package} is no generated package: it has no _schema.json") from error
    return cast("dict[str, Schema]", json.loads(text)["types"])


def schema_of(type_: Any) -> Schema:
    """Return the schema of a generated type, or of a typing object built of such types.

    Raises TypeError for a type that is neither.
    """
    if type_ is Any or type_ is object:
        return {}
    # An unhashable thing is no scalar, and is refused below with its name.
    if type_ is None or (isinstance(type_, type) and type_ in _SCALARS):
        return {"type": _SCALARS[type_]}
    origin, arguments = get_origin(type_) or type_, get_args(type_)
    if origin is Annotated:
        return _annotated(arguments[0], arguments[1:])
    if origin in (Union, types.UnionType):
        return {"anyOf": [schema_of(arm) for arm in arguments if arm is not msgspec.UnsetType]}
    if origin is Literal:
        return {"enum": list(arguments)}
    if origin is list:
        return {"type": "array", "items": schema_of(arguments[0]) if arguments else {}}
    if origin is dict:
        return {"type": "object", "additionalProperties": schema_of(arguments[1]) if arguments else True}
    if isinstance(type_, type):
        return _reference(type_)
    # PEP 695 aliases and their backport have no common class.
    if (value := getattr(type_, "__value__", None)) is not None:
        return schema_of(value)
    raise TypeError(f"{type_!r} is no type of a generated package")


def _reference(type_: type) -> Schema:
    package, _, kind = type_.__module__.rpartition(".")
    # The struct of a bag's declared keys is read from the bag, whose schema names the same members.
    name = type_.__name__.removesuffix("Keys") if issubclass(type_, BagKeys) else type_.__name__
    try:
        known = package and kind in ("structs", "models") and name in types_of(package)
    except LookupError as error:
        raise TypeError(f"{type_!r} is no type of a generated package: {error}") from error
    if not known:
        raise TypeError(f"{type_!r} is no type of a generated package")
    return {"$ref": f"{package}#/types/{name}"}


def _annotated(inner: Any, metadata: tuple[Any, ...]) -> Schema:
    for mark in metadata:
        if (found := getattr(mark, "__typedmcp_name__", None)) is not None:
            package, name = found
            return {"$ref": f"{package}#/types/{name}"}
    bounds = {
        attribute: value
        for mark in _flattened(metadata)
        for attribute in ("ge", "gt", "le", "lt", "multiple_of", "min_length", "max_length", "pattern")
        if (value := getattr(mark, attribute, None)) is not None
    }
    return _bounded(schema_of(inner), bounds)


def _flattened(metadata: tuple[Any, ...]) -> Iterator[Any]:
    for mark in metadata:
        yield mark
        # pydantic's Field() keeps its bounds in a list of its own.
        yield from getattr(mark, "metadata", ())


def _bounded(schema: Schema, bounds: dict[str, Any]) -> Schema:
    if not bounds:
        return schema
    if "anyOf" in schema:
        return {"anyOf": [_bounded(arm, bounds) for arm in schema["anyOf"]]}
    keywords = _BOUNDS.get(schema.get("type", ""), {})
    return {**schema, **{keywords[attribute]: value for attribute, value in bounds.items() if attribute in keywords}}
