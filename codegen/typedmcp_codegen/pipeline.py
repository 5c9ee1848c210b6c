"""The stages in their order, from a schema file to the IR; knows where the repository keeps what the stages need."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, cast

from . import dialect, digest, jsonio, lower, overlay, protocol, read, sources
from . import docs as documentation
from .errors import CodegenError
from .ir import Document
from .jsonio import JsonObject, is_object

STAGES = ("sources", "dialect", "overlay", "lower", "names", "read", "unions", "protocol", "digest", "emit")
EXPORTED: Mapping[str, str] = {
    "rmcp_batch/server": "rmcp-server-batch",
    "rmcp_batch/client": "rmcp-client-batch",
}
"""What the distribution holds beside the dated revisions: package path to document."""

_ALIKE = 0.8
"""The share of a known document's definitions that another must hold unchanged to count as an extension of it."""


@dataclass(frozen=True)
class Knowledge:
    """What the generator knows beside a schema file: documentation texts, overlays, facts about methods."""

    folder: Path

    @staticmethod
    def default() -> Knowledge:
        """The repository's `schema/`, or the copy of it that an installed package carries."""
        here = Path(__file__).resolve().parent
        for folder in (here / "schema", here.parent.parent / "schema"):
            if (folder / "SOURCES.json").is_file():
                return Knowledge(folder)
        raise CodegenError(
            "the schema folder is missing from this installation", hint="install typedmcp[codegen] again"
        )

    @cached_property
    def texts(self) -> Mapping[str, Any]:
        """Our own documentation of types and members."""
        return documentation.read(self.folder / "docs")

    @cached_property
    def facts(self) -> protocol.Facts:
        """What the prose says about methods."""
        return protocol.read_facts(self.folder / "overlays" / "methods.toml")

    @cached_property
    def records(self) -> Mapping[str, Any]:
        """`SOURCES.json`: file name to what is recorded of it."""
        data: Mapping[str, Any] = jsonio.load((self.folder / "SOURCES.json").read_bytes(), "SOURCES.json")
        return data

    def overlays(self, name: str) -> tuple[overlay.Record, ...]:
        """The reviewed facts about one known document; none where it needs none."""
        path = self.folder / "overlays" / f"{name}.toml"
        return overlay.read(path) if path.is_file() else ()

    @cached_property
    def kept(self) -> tuple[sources.Source, ...]:
        """Every document the folder holds."""
        return tuple(sources.read(self.folder / name) for name in sorted(self.records))

    def base_of(self, source: sources.Source) -> str:
        """The known document that a file is, or extends; empty where it resembles none.

        A file extends a document when it holds nearly all of its definitions unchanged.
        """
        own = _bodies(source.document)
        best, share = "", _ALIKE
        for known in self.kept:
            theirs = _bodies(known.document)
            alike = sum(own.get(name) == body for name, body in theirs.items()) / max(len(theirs), 1)
            if alike > share or (alike == share and known.name == source.name):
                best, share = known.name, alike
        return best


def _bodies(document: Any) -> dict[str, str]:
    if not is_object(document):
        return {}
    groups = [document.get(group) for group in ("$defs", "definitions")]
    plain = [sources.structure(group_) for group_ in groups if is_object(group_)]
    return {name: jsonio.compact(sources.structure(body)) for group_ in plain for name, body in group_.items()}


@dataclass(frozen=True, slots=True)
class Staged:
    """A document at every stage: what `explain --stage` shows."""

    source: sources.Source
    base: str
    dialect: JsonObject
    overlay: JsonObject
    lower: JsonObject
    document: Document


def run(source: sources.Source, knowledge: Knowledge, *, base: str | None = None) -> Staged:
    """All stages for one schema file. `base` is the known document it is or extends; None: find out.

    Raises CodegenError for whatever cannot be generated, with the file and the JSON pointer.
    """
    try:
        return _run(source, knowledge, knowledge.base_of(source) if base is None else base)
    except CodegenError as error:
        raise error.located(source.file) from None
    except RecursionError:
        raise CodegenError("nested too deeply to be generated", where=source.file) from None


def _run(source: sources.Source, knowledge: Knowledge, base: str) -> Staged:
    normal = dialect.normalise(source.document)
    corrected = overlay.apply(normal, knowledge.overlays(base))
    lowered = lower.lower(corrected)
    docs = documentation.Docs(knowledge.texts if base else {}, base)
    types, notes = read.read(lowered, docs)
    document = Document(
        revision=source.name,
        source=source.file,
        sha256=source.sha256,
        types=types,
        methods=protocol.methods(lowered, types, knowledge.facts, docs),
        errors=protocol.errors(types, docs),
        envelope=protocol.envelope(types),
        lowered=lowered_text(source.name, lowered["defs"]),
        notes=notes,
    )
    return Staged(source, base, normal, corrected, lowered, document)


def lowered_text(revision: str, defs: JsonObject) -> str:
    """The lowered types as the data file of a package: what strategies and explanations are built from."""
    types = {name: _published(_as_decided(node, defs)) for name, node in defs.items()}
    return json.dumps({"revision": revision, "types": types}, sort_keys=True, ensure_ascii=False, indent=1) + "\n"


def _as_decided(node: JsonObject, defs: JsonObject) -> JsonObject:
    """A union whose plan accepts less than its arms do, with the arms cut down to what the plan lets through."""
    reviewed = node.get("union", {}).get("set", {})
    if reviewed and not reviewed["exact"]:
        arms = [_narrowed(defs[case["arm"]], case["when"], defs) for case in reviewed["cases"]]
        return {"@": node["@"], "anyOf": arms}
    found: list[JsonObject] = node.get("anyOf", [])
    if any(defs[arm["$ref"]].get("requires") for arm in found if "$ref" in arm):
        return {**node, "anyOf": [_with_required(arm, defs) for arm in found]}
    return node


def _with_required(arm: JsonObject, defs: JsonObject) -> JsonObject:
    required = cast("list[str]", defs[arm["$ref"]].get("requires", []) if "$ref" in arm else [])
    return _narrowed(defs[arm["$ref"]], [[[name]] for name in required], defs) if required else arm


def _narrowed(node: JsonObject, conditions: list[list[Any]], defs: JsonObject) -> JsonObject:
    """An object type, or each arm of a union of such, that meets the conditions of a case (path, values, absent)."""
    if "$ref" in node:
        return _narrowed(defs[node["$ref"]], conditions, defs)
    if "anyOf" in node:
        return {**node, "anyOf": [_narrowed(arm, conditions, defs) for arm in node["anyOf"]]}
    properties: JsonObject = dict(node["properties"])
    required = dict.fromkeys(cast("list[str]", node.get("required", [])))
    for condition in conditions:
        name: str = condition[0][0]
        values: list[Any] = condition[1:]
        if values:
            properties[name] = {"@": node["@"], "enum": [values[0]]}
        if len(values) < 2:
            required[name] = None
    return {**node, "properties": properties, "required": list(required)}


def _published(node: Any) -> Any:
    result: JsonObject = {}
    for key, value in overlay.plain(node).items():
        if key == "properties":
            result[key] = {name: _published(child) for name, child in value.items()}
        elif key in ("anyOf", "oneOf"):
            result[key] = [_published(arm) for arm in value]
        elif key in ("items", "additionalProperties") and is_object(value):
            result[key] = _published(value) if value else True
        elif key == "$ref":
            result[key] = f"#/types/{value}"
        elif key == "enum" and len(value) == 1:
            result["const"] = value[0]
        else:
            result[key] = value
    return result


def official(knowledge: Knowledge) -> tuple[Staged, ...]:
    """The dated revisions as the folder holds them, in order, with the spans of their methods."""
    staged = [run(_kept(knowledge, revision), knowledge, base=revision) for revision in sources.REVISIONS]
    methods = digest.method_spans([stage.document for stage in staged])
    return tuple(
        Staged(s.source, s.base, s.dialect, s.overlay, s.lower, digest.dated(s.document, methods)) for s in staged
    )


def _kept(knowledge: Knowledge, name: str) -> sources.Source:
    source = sources.read(knowledge.folder / f"{name}.json", name)
    sources.verify(source, knowledge.records)
    return source


def kept(knowledge: Knowledge, names: Sequence[str]) -> tuple[Staged, ...]:
    """Other documents of the folder, by name."""
    return tuple(run(_kept(knowledge, name), knowledge, base=name) for name in names)
