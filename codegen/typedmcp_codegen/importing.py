"""`import`: the structure of an official document into `schema/`, and what changed since the last import.

Both files (the document and `SOURCES.json`) are written or neither is. Knows the schema folder; prints nothing.
"""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeGuard

from . import dialect, digest, jsonio, pipeline, sources
from .errors import CodegenError
from .ir import Document
from .jsonio import JsonObject
from .pipeline import Knowledge
from .report import Outcome, Progress

_NAME = re.compile(r"[a-z0-9]+(?:[.-][a-z0-9]+)*")
_DATED = re.compile(r"\d{4}-\d{2}-\d{2}")
_ORIGIN = ("repository", "path", "commit", "licence")
_RECORDS = "SOURCES.json"


def import_document(
    file: Path, name: str, origins: Path | None, knowledge: Knowledge, progress: Progress, *, new: bool = False
) -> Outcome:
    """Record a document under a name. `origins` is a SOURCES.json that says where it comes from.

    Raises CodegenError, with nothing written, for what is no schema, and for a document that is another known one;
    `new` admits one that merely resembles another, under a name not recorded yet.
    """
    if _NAME.fullmatch(name) is None:
        raise CodegenError(f"{name!r} cannot name a document", hint="like 2025-11-25 or rmcp-server")
    progress(f"reading {file}")
    source = replace(sources.read(file, name), file=f"{name}.json")
    try:
        dialect.normalise(source.document)
    except CodegenError as error:
        raise error.located(file.name) from None
    _refuse_other(source, file, knowledge, new=new)

    known = knowledge.records.get(source.file, {})
    origin = _origin(source, file, origins) if origins is not None else {}
    entry = sources.record(source, {**known, **origin})
    old = sources.read(knowledge.folder / source.file, name) if (knowledge.folder / source.file).is_file() else None
    notes = _notes(source, known, origin, entry)
    data: JsonObject = {"name": name, "file": source.file, "record": entry, "notes": notes}
    lines: list[str] = []
    if old is None:
        data |= {"status": "new"}
        lines.append(f"{source.file}: new")
    else:
        changes = sources.differences(old.document, source.document)
        if not changes and old.digest != source.digest:
            changes = ["~ (document): its dialect, title or grouping"]
        data |= {"status": "changed" if changes else "unchanged", "differences": changes}
        lines += changes
        if changes:
            progress("comparing the generated types")
            told, types = _types_told(old, source, knowledge)
            data["types"] = types
            count = "1 difference" if len(changes) == 1 else f"{len(changes)} differences"
            lines += [f"{source.file}: {count}; {told}"]
        else:
            prose = " in structure; its prose is not the same" if known.get("sha256") != source.sha256 else ""
            lines.append(f"{source.file}: unchanged{prose}")
    lines += [f"note: {note}" for note in notes]

    records = {**knowledge.records, source.file: entry}
    progress(f"writing {source.file}")
    write_both(
        {
            knowledge.folder / source.file: jsonio.pretty(sources.structure(source.document)),
            knowledge.folder / _RECORDS: jsonio.pretty(records),
        }
    )
    return Outcome(0, data, tuple(lines))


def _refuse_other(source: sources.Source, file: Path, knowledge: Knowledge, *, new: bool) -> None:
    for other, record in knowledge.records.items():
        if other != source.file and record["structure"] == source.digest:
            raise CodegenError(
                f"its structure is that of {other}, which is recorded already",
                where=file.name,
                hint=f"it cannot be {source.name} too",
            )
    if _DATED.fullmatch(source.name) is None:
        return
    base = knowledge.base_of(source)
    if base in ("", source.name) or (new and source.file not in knowledge.records):
        return
    recorded = source.file in knowledge.records
    hint = "name the right file" if recorded else "--new, where it really is another revision"
    raise CodegenError(f"this is {base}, or a variant of it, not {source.name}", where=file.name, hint=hint)


def _origin(source: sources.Source, file: Path, origins: Path) -> JsonObject:
    """The origin facts of one file from a SOURCES.json whose `files` table has them.

    Raises CodegenError when the table lacks the file, or means other bytes.
    """
    table: Any = jsonio.load(_bytes(origins), origins.name)
    files = table.get("files") if _is_object(table) else None
    if not _is_object(files):
        raise CodegenError("has no table called files", where=origins.name, pointer="#/files")
    key = next((name for name in (file.name, source.file) if name in files), None)
    entry = files.get(key) if key is not None else None
    if key is None or not _is_object(entry):
        raise CodegenError(f"says nothing of {file.name}", where=origins.name, pointer="#/files")
    if entry.get("sha256", source.sha256) != source.sha256:
        raise CodegenError(
            f"means another {key}: the sha256 differs",
            where=origins.name,
            pointer=jsonio.join("#/files", key, "sha256"),
        )
    return {fact: entry[fact] for fact in _ORIGIN if fact in entry}


def _bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise CodegenError(f"cannot be read: {error.strerror}", where=str(path)) from None


def _notes(
    source: sources.Source, known: Mapping[str, Any], origin: Mapping[str, Any], entry: Mapping[str, Any]
) -> list[str]:
    notes: list[str] = []
    if "commit" not in entry:
        notes.append("no origin is recorded: give --from")
    elif known and not origin and known.get("sha256") != source.sha256:
        notes.append("the recorded origin is that of the older import: give --from")
    if _DATED.fullmatch(source.name) and source.name not in sources.REVISIONS:
        notes.append(f"{source.name} is no revision of the distribution until sources.REVISIONS lists it")
    return notes


def _types_told(old: sources.Source, new: sources.Source, knowledge: Knowledge) -> tuple[str, JsonObject]:
    """Whether the generated types change, documentation aside; a document that cannot be generated says why."""
    before: dict[str, str] = {}
    with suppress(CodegenError):
        before = _shapes(pipeline.run(old, knowledge, base=old.name).document)
    try:
        after = _shapes(pipeline.run(new, knowledge, base=new.name).document)
    except CodegenError as error:
        return f"nothing can be generated from it yet: {error}", {"problem": str(error)}
    changed = sorted(name for name in before.keys() & after.keys() if before[name] != after[name])
    added, removed = sorted(after.keys() - before.keys()), sorted(before.keys() - after.keys())
    types: JsonObject = {"changed": changed, "added": added, "removed": removed}
    if not any(types.values()):
        return "the generated types stay the same", types
    told = "; ".join(f"{what} {', '.join(names)}" for what, names in types.items() if names)
    return f"the generated types change: {told}", types


def _shapes(document: Document) -> dict[str, str]:
    """Types and methods by name, documentation and places aside."""
    shapes = {type_.name: repr(digest.bare(type_)) for type_ in document.types}
    rows = {method.wire: repr(replace(method, doc="", pointer="")) for method in document.methods}
    return {**shapes, **rows}


def _is_object(value: Any) -> TypeGuard[JsonObject]:
    return isinstance(value, dict)


def write_both(texts: Mapping[Path, str]) -> None:
    """Write some files, all or none.

    Raises CodegenError when one cannot be written; then none has changed.
    """
    staged: dict[Path, Path] = {}
    undo: list[Callable[[], object]] = []
    path = Path()
    try:
        for path, text in texts.items():
            handle, name = tempfile.mkstemp(prefix=f".{path.name}-", dir=path.parent)
            staged[path] = Path(name)
            with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as stream:
                stream.write(text)
            # A temporary file is its owner's alone; these are files of a checkout.
            Path(name).chmod(path.stat().st_mode & 0o777 if path.exists() else 0o644)
        for path, stage in staged.items():
            undo.append(_undo(path))
            stage.replace(path)
    except BaseException as error:
        for step in reversed(undo):
            step()
        if isinstance(error, OSError):
            raise CodegenError(f"cannot be written: {error.strerror}", where=str(path)) from None
        raise
    finally:
        for stage in staged.values():
            stage.unlink(missing_ok=True)


def _undo(path: Path) -> Callable[[], object]:
    if not path.exists():
        return lambda: path.unlink(missing_ok=True)
    data = path.read_bytes()
    return lambda: path.write_bytes(data)
