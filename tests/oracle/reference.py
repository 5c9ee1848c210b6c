"""The reference: JSON Schema verdicts of the unmodified documents, and of the same documents with known differences.

Knows the source documents and the table of intended differences (`differences.toml`); nothing of the generator.
"""

from __future__ import annotations

import copy
import json
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema_rs

TABLE = Path(__file__).with_name("differences.toml")
Json = Any


@dataclass(frozen=True, slots=True)
class Difference:
    """One intended difference: where it is (pointers by document), what the schema would have to say, and why."""

    id: str
    reason: str
    pointers: dict[str, list[str]]
    patch: Json
    reproducer: dict[str, Json]


@cache
def differences() -> tuple[Difference, ...]:
    """The rows of the table."""
    data = tomllib.loads(TABLE.read_text("utf-8"))
    rows: list[Difference] = []
    for row in data["difference"]:
        patch = json.loads(row["patch"]) if "patch" in row else None
        reproducer = {key: json.loads(value) if key == "value" else value for key, value in row["reproducer"].items()}
        rows.append(Difference(row["id"], row["reason"], row.get("pointers", {}), patch, reproducer))
    return tuple(rows)


def left_out(document: str) -> set[str]:
    """The members (`Tool.title`) that the table lets be absent although the document requires them."""
    return {
        f"{pointer.rpartition('/')[2]}.{member}"
        for row in differences()
        for pointer in row.pointers.get(document, ())
        for member in (row.patch or {}).get("required-", ())
    }


class Reference:
    """Verdicts for the definitions of one document, as it is and as the table says it is meant."""

    def __init__(self, name: str, document: Json) -> None:
        self.name = name
        self.document = document
        self.group = "$defs" if "$defs" in document else "definitions"
        self.patched = copy.deepcopy(document)
        for row in differences():
            apply(row, name, self.patched)

    @cache  # noqa: B019 - a reference lives as long as the run
    def validators(self, pointer: str) -> tuple[Any, Any]:
        """The validator of the place a pointer names: of the document, and of the document as it is meant.

        A place that only a row of the table adds has but the second.
        """
        patched = _compile(self.patched, pointer)
        return (_compile(self.document, pointer) if self.has(pointer) else patched), patched

    def has(self, pointer: str) -> bool:
        """Whether the document itself has a place of that pointer."""
        try:
            at(self.document, pointer)
        except KeyError:
            return False
        return True

    def explains(self, pointer: str, value: Json, ours: bool) -> bool:
        """Whether the table accounts for our verdict on a value that the document judges otherwise."""
        patched = self.validators(pointer)[1]
        if bool(patched.is_valid(value)) == ours:
            return True
        # An integral float is no integer to us: the verdict must be the one on fractions in their place.
        variants = [_fractional(value, step) for step in (2.0**-10, -(2.0**-10))]
        return not ours and all(v != value and not patched.is_valid(v) for v in variants)


def _compile(document: Json, pointer: str) -> Any:
    rest = {key: value for key, value in document.items() if key in ("$schema", "$defs", "definitions")}
    if pointer == "#":
        return jsonschema_rs.validator_for(document, validate_formats=False)
    schema: Json = {**rest, "allOf": [{"$ref": pointer}]}
    parent, _, arm = pointer.rpartition("/")
    if arm.isdigit():
        # An arm of a union that stands beside members: what the members demand holds for the arm as well.
        owner = at(document, parent.rpartition("/")[0])
        if isinstance(owner, dict) and "properties" in owner:
            schema["allOf"].append({key: owner[key] for key in ("type", "properties", "required") if key in owner})
    return jsonschema_rs.validator_for(schema, validate_formats=False)


def at(document: Json, pointer: str) -> Json:
    """The value a pointer names."""
    for step in pointer.split("/")[1:]:
        step = step.replace("~1", "/").replace("~0", "~")
        document = document[int(step)] if isinstance(document, list) else document[step]
    return document


def apply(row: Difference, name: str, document: Json) -> None:
    """Change a document to what one row says it is meant to be."""
    if row.id == "envelope":
        for node, kind in messages(document):
            _envelope(document, node, kind)
        return
    for pointer in row.pointers.get(name, ()):
        node = at(document, pointer)
        for key, value in row.patch.items():
            if key == "required-":
                node["required"] = [member for member in node["required"] if member not in value]
            elif key == "properties":
                node.setdefault("properties", {}).update(value)
            elif key == "replace":
                value = _with_arms(value, node.get("anyOf", []))
                node.clear()
                node.update(value)
            else:
                node[key] = value


def _with_arms(patch: Json, arms: list[Json]) -> Json:
    """A patch in which `{"$arm": N}` stands for the N-th arm of the union it replaces."""
    if isinstance(patch, list):
        return [_with_arms(item, arms) for item in patch]
    if not isinstance(patch, dict):
        return patch
    return arms[patch["$arm"]] if "$arm" in patch else {key: _with_arms(value, arms) for key, value in patch.items()}


def messages(document: Json) -> Iterator[tuple[Json, str]]:
    """Every request and notification type, by membership in the unions of the document."""
    defs = document.get("$defs") or document["definitions"]
    seen: set[str] = set()
    for union, node in defs.items():
        kind = "request" if "Request" in union else "notification"
        known = union in ("ClientRequest", "ServerRequest", "ClientNotification", "ServerNotification", "InputRequest")
        exported = union.partition("_for_")[0] in ("JsonRpcRequest", "JsonRpcNotification")
        if not (known or exported):
            continue
        if "anyOf" not in node or exported:
            yield node, kind
        for arm in node.get("anyOf", ()):
            name = arm.get("allOf", [arm])[0]["$ref"].rpartition("/")[2]
            if name not in seen:
                seen.add(name)
                yield defs[name], kind


def _envelope(document: Json, node: Json, kind: str) -> None:
    group = "$defs" if "$defs" in document else "definitions"
    defs = document[group]
    node["required"] = [member for member in node.get("required", ()) if member not in ("id", "jsonrpc")]
    members = node.setdefault("properties", {})
    members.setdefault("jsonrpc", {"const": "2.0", "type": "string"})
    identifier = next((name for name in ("RequestId", "NumberOrString") if name in defs), None)
    if kind == "request" and identifier:
        members.setdefault("id", {"$ref": f"#/{group}/{identifier}"})


def _fractional(value: Json, step: float) -> Json:
    if isinstance(value, float) and value.is_integer():
        return value + step if abs(value) < 2**40 else 0.5
    if isinstance(value, list):
        return [_fractional(item, step) for item in value]
    if isinstance(value, dict):
        return {key: _fractional(item, step) for key, item in value.items()}
    return value
