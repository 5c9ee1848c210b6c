"""From a lowered schema to the nodes that draw its values.

Owns the reading of the schema subset and the proof that a type has values at all.
"""

from __future__ import annotations

import math
from functools import cache, partial
from typing import Any, Final

from ._compounds import Array, Exclusive, Object, Reference, Union
from ._nodes import Anything, Constants, Node, Number, Simple, String, blamed
from ._schemas import schema_of, types_of

_ANNOTATIONS: Final = frozenset(
    ("title", "description", "default", "deprecated", "examples", "format", "readOnly", "writeOnly", "$comment")
)
_KEYWORDS: Final[dict[str, frozenset[str]]] = {
    "object": frozenset(("properties", "required", "additionalProperties", "minProperties", "maxProperties")),
    "array": frozenset(("items", "minItems", "maxItems", "uniqueItems")),
    "string": frozenset(("minLength", "maxLength", "pattern")),
    **dict.fromkeys(
        ("integer", "number"),
        frozenset(("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf")),
    ),
    **dict.fromkeys(("boolean", "null"), frozenset[str]()),
}


class UnsatisfiableType(ValueError):
    """A type that admits no value; `pointer` names the contradiction in its schema."""

    def __init__(self, type_name: str, pointer: str, reason: str) -> None:
        super().__init__(f"{type_name} admits no value: {reason} at {pointer}")
        self.type_name = type_name
        self.pointer = pointer
        self.reason = reason


def node_of(type_: Any) -> Node:
    """Return the node of a generated type or of a typing object made of such.

    Raises TypeError for a foreign type and UnsatisfiableType for one that admits no value.
    """
    node = compiled(schema_of(type_), "", "#")
    settle(node)
    if node.height == math.inf:
        name = f"{type_.__module__}.{type_.__qualname__}" if isinstance(type_, type) else repr(type_)
        raise UnsatisfiableType(name, *blamed(node, set()))
    return node


@cache
def _named(package: str, name: str) -> Node:
    return compiled(types_of(package)[name], package, f"#/types/{name}")


def settle(root: Node) -> None:
    """Find the least heights of a node and of all it leads to."""
    found: list[Node] = []
    seen: set[int] = set()
    waiting = [root]
    while waiting:
        node = waiting.pop()
        if not node.settled and id(node) not in seen:
            seen.add(id(node))
            found.append(node)
            waiting.extend(node.parts())
    changed = True
    while changed:
        changed = False
        for node in reversed(found):
            height = node.measure()
            if height < node.height:
                node.height = height
                changed = True
    for node in found:
        node.settled = True


def compiled(schema: Any, package: str, where: str) -> Node:
    """Return the node of a lowered schema, whose plain references are to types of the package.

    Raises ValueError for a keyword outside the lowered subset.
    """
    if isinstance(schema, bool):
        return Anything(where) if schema else Constants(where, [])
    keywords = {key for key in schema if key not in _ANNOTATIONS}
    if not keywords:
        return Anything(where)
    if len(keywords) == 1:
        if "$ref" in schema:
            target, _, name = schema["$ref"].partition("#/types/")
            return Reference(where, partial(_named, target or package, name))
        for key, kind in (("anyOf", Union), ("oneOf", Exclusive)):
            if key in schema:
                return kind(where, [compiled(arm, package, f"{where}/{key}/{i}") for i, arm in enumerate(schema[key])])
    values = [schema["const"]] if "const" in schema else schema.get("enum")
    if values is not None:
        rest = {key: value for key, value in schema.items() if key not in ("const", "enum")}
        limits = compiled(rest, package, where)
        return Constants(where, [value for value in values if limits.accepts(value)])
    kind = schema.get("type")
    if foreign := keywords - {"type"} - _KEYWORDS.get(kind, frozenset()):
        raise ValueError(f"{where}: unexpected in a lowered schema: {', '.join(sorted(foreign))}")
    if kind in ("integer", "number"):
        return Number(where, schema)
    if kind == "string":
        return String(where, schema)
    if kind == "array":
        return Array(where, schema, compiled(schema.get("items", {}), package, f"{where}/items"))
    if kind == "object":
        return Object(
            where,
            schema,
            {
                name: compiled(member, package, f"{where}/properties/{name}")
                for name, member in schema.get("properties", {}).items()
            },
            compiled(schema.get("additionalProperties", {}), package, f"{where}/additionalProperties"),
        )
    return Simple(where, kind)
