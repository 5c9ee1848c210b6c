"""Reviewed facts a schema cannot say, each with the old value it expects; knows the normal form, not what follows.

A record names a place of the input file by its JSON pointer. Corrections (`defect`, `type`, `open`, `optional`)
change the node at once; the others leave a note on it that a later stage reads (`name`, `defaults`, `constants`,
`union`, `deprecated`). A record that does not find the value it expects is an error: upstream has moved, someone has
to look.
"""

from __future__ import annotations

import copy
import json
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .errors import CodegenError
from .jsonio import JsonObject, compact, is_array, is_object

KINDS = frozenset(["defect", "type", "open", "rename", "optional", "default", "constant", "union", "deprecated"])
_PROSE = frozenset(("@", "description", "deprecated", "name", "defaults", "constants", "union", "requires"))


@dataclass(frozen=True, slots=True)
class Record:
    """One reviewed fact: where (`paths`), what kind, the value expected there, the value to set, and why."""

    kind: str
    paths: tuple[str, ...]
    expect: Any
    set: Any
    why: str
    origin: str


def read(file: Path) -> tuple[Record, ...]:
    """The records of one overlay file.

    TOML: `[[record]]` tables, whose `expect` and `set` are JSON texts, and one table `[rename]` from a pointer to the
    name the naming rule gives there and the name to use instead.
    Raises CodegenError for a file that is no such table.
    """
    try:
        data = tomllib.loads(file.read_text("utf-8"))
    except tomllib.TOMLDecodeError as error:
        raise CodegenError(f"not TOML: {error}", where=file.name) from None
    records: list[Record] = []
    for number, entry in enumerate(data.get("record", ()), 1):
        origin = f"{file.name} record {number}"
        kind, paths = entry.get("kind"), entry.get("paths")
        if kind not in KINDS or not paths or not entry.get("why"):
            raise CodegenError("a record needs a known kind, paths and a why", where=origin)
        try:
            expect, value = json.loads(entry.get("expect", "null")), json.loads(entry.get("set", "null"))
        except ValueError as error:
            raise CodegenError(f"expect and set are JSON texts: {error}", where=origin) from None
        records.append(Record(kind, tuple(paths), expect, value, entry["why"], origin))
    for path, names in data.get("rename", {}).items():
        origin = f"{file.name} rename"
        records.append(Record("rename", (path,), names[0], names[1], "agrees with the other revisions", origin))
    return tuple(records)


def apply(document: JsonObject, records: Sequence[Record]) -> JsonObject:
    """The document with every record applied; the argument stays as it was.

    Raises CodegenError when a record's path or expected value is not found.
    """
    document = copy.deepcopy(document)
    places: dict[str, JsonObject] = {}
    for place in _nodes(document):
        places.setdefault(place["@"], place)
    for record in records:
        for path in record.paths:
            node = places.get(path)
            if node is None:
                raise CodegenError(
                    f"overlay {record.kind}: {path} is no longer there", where=record.origin, hint="review the record"
                )
            _apply_one(node, record, path)
    return document


def _apply_one(node: JsonObject, record: Record, path: str) -> None:
    def require(found: Any) -> None:
        if found != record.expect:
            raise CodegenError(
                f"overlay {record.kind}: expected {compact(record.expect)} at {path}, found {compact(found)}",
                where=record.origin,
                hint="review the record",
            )

    if record.kind in ("defect", "type"):
        require(plain(node))
        kept = {key: value for key, value in node.items() if key in _PROSE}
        node.clear()
        node.update(kept)
        node.update(_placed(record.set, path))
    elif record.kind == "open":
        require(plain(node.get("additionalProperties")))
        node["additionalProperties"] = {"@": path}
    elif record.kind == "rename":
        node["name"] = [record.expect, record.set]
    elif record.kind in ("optional", "default", "constant"):
        member, *value = record.set
        require([member in node.get("required", ()), plain(node.get("properties", {}).get(member))])
        if value:
            node.setdefault("defaults" if record.kind == "default" else "constants", {})[member] = value[0]
        if record.kind != "constant":
            node["required"] = [name for name in node["required"] if name != member]
    elif record.kind == "union":
        node["union"] = {"expect": record.expect, "set": record.set, "why": record.why, "origin": record.origin}
    elif record.kind == "deprecated":
        require(node.get("deprecated", None))
        node["deprecated"] = record.set


def _placed(value: Any, at: str) -> Any:
    """A node given by a record, with the pointer of the place it was set at in each of its nodes."""
    node: JsonObject = {"@": at}
    for key, child in value.items():
        if key in ("anyOf", "oneOf", "allOf"):
            node[key] = [_placed(arm, at) for arm in child]
        elif key in ("items", "additionalProperties") and is_object(child):
            node[key] = _placed(child, at)
        elif key == "properties":
            node[key] = {name: _placed(schema, at) for name, schema in child.items()}
        else:
            node[key] = child
    return node


def children(node: JsonObject) -> Iterator[tuple[str, JsonObject]]:
    """The schemas directly inside a node, with the step that leads there; never the data beside them."""
    for name, child in node.get("properties", {}).items():
        yield name, child
    if is_object(node.get("items")):
        yield "Item", node["items"]
    if is_object(node.get("additionalProperties")):
        yield "Value", node["additionalProperties"]
    for keyword in ("allOf", "anyOf", "oneOf"):
        for index, child in enumerate(node.get(keyword, ())):
            yield f"{keyword}/{index}", child


def _nodes(document: JsonObject) -> Iterator[JsonObject]:
    pending = [node for node in (*document["defs"].values(), document["root"]) if node is not None]
    while pending:
        node = pending.pop(0)
        yield node
        pending.extend(child for _, child in children(node))


def plain(node: Any) -> Any:
    """A node without pointers, prose and notes: what two places have in common when they say the same."""
    if is_array(node):
        return [plain(child) for child in node]
    if not is_object(node):
        return node
    result: JsonObject = {}
    for key, child in node.items():
        if key == "properties":
            result[key] = {name: plain(schema) for name, schema in child.items()}
        elif key not in _PROSE:
            result[key] = child if key == "enum" else plain(child)
    return result
