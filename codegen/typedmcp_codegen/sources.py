"""The documents: reading any schema file, and importing the structure of an official one into `schema/`.

What the repository keeps of a document is its structure: prose is removed, keys are in one order. `SOURCES.json` says
where each came from and the digest its structure must have.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from . import jsonio
from .errors import CodegenError
from .jsonio import JsonObject, is_array, is_object

_PROSE = frozenset(("description", "title", "$comment", "examples"))
_SCHEMA_MAPS = frozenset(("properties", "$defs", "definitions", "patternProperties", "dependentSchemas"))
_SCHEMAS = frozenset("items additionalProperties not if then else contains propertyNames allOf anyOf oneOf".split())

REVISIONS = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28")
"""The dated revisions, in order; an unknown one is not supported, never newer."""


@dataclass(frozen=True, slots=True)
class Source:
    """One schema file as it was read: a name, the document, the SHA-256 of its bytes."""

    name: str
    file: str
    document: Any
    sha256: str

    @property
    def digest(self) -> str:
        """The digest of the document's structure, prose aside."""
        return jsonio.sha256(jsonio.compact(structure(self.document)))


def read(path: Path, name: str = "") -> Source:
    """One schema file.

    Raises CodegenError when it cannot be read, or is not JSON as the specification has it.
    """
    try:
        data = path.read_bytes()
    except OSError as error:
        raise CodegenError(f"cannot be read: {error.strerror}", where=str(path)) from None
    # A file system may have names that are no text; they go into headers and messages.
    file = path.name.encode("utf-8", "replace").decode()
    return Source(name or Path(file).stem, file, jsonio.load(data, file), jsonio.sha256(data))


def structure(schema: Any) -> Any:
    """A schema without its prose; the root's title stays, since it names the root type."""
    if is_object(schema) and isinstance(schema.get("title"), str) and "type" not in schema:
        return {**_structure(schema), "title": schema["title"]}
    return _structure(schema)


def _structure(schema: Any) -> Any:
    if is_array(schema):
        return [_structure(item) for item in schema]
    if not is_object(schema):
        return schema
    result: JsonObject = {}
    for key, value in schema.items():
        if key in _PROSE:
            continue
        if key in _SCHEMA_MAPS and is_object(value):
            result[key] = {name: _structure(child) for name, child in value.items()}
        else:
            result[key] = _structure(value) if key in _SCHEMAS else value
    return result


def record(source: Source, known: Mapping[str, Any]) -> JsonObject:
    """The entry of `SOURCES.json` for an imported document; what was known of its origin is kept."""
    kept = {key: known[key] for key in ("repository", "path", "commit", "licence") if key in known}
    return {**kept, "sha256": source.sha256, "structure": source.digest}


def verify(source: Source, records: Mapping[str, Any]) -> None:
    """Raises CodegenError when a kept document is not the one `SOURCES.json` records, or another revision's."""
    entry = records.get(source.file)
    if entry is None or entry["structure"] == source.digest:
        return
    owner = next((name for name, other in records.items() if other["structure"] == source.digest), None)
    told = f"its structure is that of {owner}" if owner else "its structure is not the recorded one"
    raise CodegenError(
        f"{told}; SOURCES.json records another for {source.file}",
        where=source.file,
        hint="import the document again",
    )


def differences(old: Any, new: Any) -> list[str]:
    """What changed between two documents, a line a member: `+` added, `-` removed, `~` changed.

    Compares structure only; `Tool.title` names a member, `Tool` a definition.
    """
    before, after = _definitions(old), _definitions(new)
    lines = [f"- {name}" for name in sorted(before.keys() - after.keys())]
    lines += [f"+ {name}" for name in sorted(after.keys() - before.keys())]
    for name in sorted(before.keys() & after.keys()):
        lines += _changes(name, before[name], after[name])
    return lines


def _definitions(document: Any) -> JsonObject:
    plain = structure(document)
    found: JsonObject = {}
    for group in ("$defs", "definitions"):
        found.update(plain.get(group, {}))
    root = {key: value for key, value in plain.items() if key not in ("$defs", "definitions", "$schema", "title")}
    return {**found, "(root)": root} if root else found


def _changes(name: str, old: Any, new: Any) -> list[str]:
    if old == new:
        return []
    if not (is_object(old) and is_object(new)):
        return [f"~ {name}: {jsonio.compact(old)} became {jsonio.compact(new)}"]
    lines: list[str] = []
    before, after = old.get("properties", {}), new.get("properties", {})
    must, now_must = set(old.get("required", ())), set(new.get("required", ()))
    for member in sorted(before.keys() | after.keys()):
        path = f"{name}.{member}"
        if member not in after:
            lines.append(f"- {path}")
        elif member not in before:
            lines.append(f"+ {path}: {jsonio.compact(after[member])}{' (required)' if member in now_must else ''}")
        else:
            lines += _changes(path, before[member], after[member])
            if (member in must) != (member in now_must):
                lines.append(f"~ {path}: now {'required' if member in now_must else 'optional'}")
    for keyword in sorted((old.keys() | new.keys()) - {"properties", "required"}):
        if old.get(keyword) != new.get(keyword):
            was, now = jsonio.compact(old.get(keyword)), jsonio.compact(new.get(keyword))
            lines.append(f"~ {name}: {keyword} {was} became {now}")
    return lines
