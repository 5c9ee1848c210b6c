"""What `generate`, `check` and `build` do, from paths to an outcome; they print nothing and parse no arguments."""

from __future__ import annotations

import difflib
import keyword
import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from . import pipeline, sources
from .emit import tree
from .emit.models import BackEnd
from .errors import CodegenError
from .ir import Document, Struct, Union
from .jsonio import JsonObject, sha256
from .pipeline import Knowledge
from .protocol import untyped_members
from .report import Outcome, Progress, aligned

MORE = 'this command needs more: pip install "typedmcp[codegen]"'
BACK_ENDS: Mapping[str, tuple[BackEnd, ...]] = {
    "structs": ("structs",),
    "models": ("models",),
    "both": ("structs", "models"),
}
NO_BASE = "none"
"""The value of `--revision` for a document that is, and extends, nothing known."""
_OWN = frozenset(("typedmcp", "typedmcp_types", "typedmcp_codegen", "msgspec", "pydantic", "pydantic_core"))


@dataclass(frozen=True, slots=True)
class Request:
    """What a user asks `generate` or `check` for; empty where nothing was said."""

    file: Path
    out: Path
    package: str = ""
    backend: str = ""
    revision: str = ""
    name: str = ""


@dataclass(frozen=True, slots=True)
class _Made:
    """A package in memory, where it belongs, and what it was made from."""

    source: sources.Source
    base: str
    same: bool
    document: Document
    folder: Path
    files: Mapping[str, str]


def generate(request: Request, knowledge: Knowledge, progress: Progress) -> Outcome:
    """Turn a schema file into a package.

    Raises CodegenError, with nothing written, when the file or the target is not usable.
    """
    back_ends = BACK_ENDS[request.backend or "both"]
    made = _made(request, back_ends, knowledge, progress)
    progress(f"writing {made.folder}")
    changes = _put(made.files, made.folder)
    document = made.document
    kinds = {
        "objects": sum(isinstance(type_, Struct) for type_ in document.types),
        "unions": sum(isinstance(type_, Union) for type_ in document.types),
    }
    kinds["aliases"] = len(document.types) - sum(kinds.values())
    requests = sum(method.kind == "request" for method in document.methods)
    data: JsonObject = {
        "file": str(request.file),
        "sha256": made.source.sha256,
        "name": document.revision,
        "base": made.base or None,
        "same_as_base": made.same,
        "types": {"all": len(document.types), **kinds},
        "methods": {"requests": requests, "notifications": len(document.methods) - requests},
        "errors": len(document.errors),
        "untyped_members": untyped_members(document.types),
        "notes": list(document.notes),
        "back_ends": list(back_ends),
        "folder": str(made.folder),
        "files": sorted(made.files),
        "changed": changes,
        "import": _import_line(made.folder, document, back_ends[0]),
    }
    rows = [
        ("read", f"{request.file} (sha256 {made.source.sha256[:12]}), called {document.revision}"),
        ("base", _base_told(made)),
        ("types", f"{len(document.types)}: " + ", ".join(_counted(count, kind) for kind, count in kinds.items())),
        ("methods", f"{_counted(requests, 'requests')}, {_counted(len(document.methods) - requests, 'notifications')}"),
        ("errors", f"{len(document.errors)} named"),
        ("untyped", f"{_counted(data['untyped_members'], 'members')} of any JSON value"),
        *(("note", note) for note in document.notes),
        ("written", f"{made.folder} ({_files(made.files)}, {_changes_told(changes)})"),
        ("import", data["import"]),
    ]
    return Outcome(0, data, tuple(aligned(rows)))


def check(request: Request, knowledge: Knowledge, progress: Progress) -> Outcome:
    """Compare a package with what its schema file would be turned into; writes nothing."""
    back_ends = BACK_ENDS[request.backend] if request.backend else _there(request.out / package_name(request))
    made = _made(request, back_ends, knowledge, progress)
    return _compared(made.files, made.folder)


def build(out: Path, knowledge: Knowledge, progress: Progress) -> Outcome:
    """Write the whole distribution of generated types: every dated revision, and the exports with batches."""
    files = _distribution(knowledge, progress)
    progress(f"writing {out}")
    changes = _put(files, out)
    data: JsonObject = {
        "folder": str(out),
        "files": sorted(files),
        "changed": changes,
        "documents": [*sources.REVISIONS, *pipeline.EXPORTED.values()],
    }
    documents = f"{len(sources.REVISIONS)} revisions and {len(pipeline.EXPORTED)} exports"
    return Outcome(0, data, (f"{out}: {documents} in {_files(files)}, {_changes_told(changes)}",))


def check_distribution(out: Path, knowledge: Knowledge, progress: Progress) -> Outcome:
    """Compare the whole distribution with what `build` would write; writes nothing."""
    return _compared(_distribution(knowledge, progress), out)


def check_manifest(out: Path, package: str) -> Outcome:
    """Compare packages with their manifests only, which needs neither the schema file nor the generator's tools.

    `out` is a package itself, or a folder of packages. Raises CodegenError when no package is there.
    """
    folder = out / package if package else out
    folders = [folder] if (folder / tree.MANIFEST).is_file() else []
    if not folders and not package and out.is_dir():
        folders = sorted(path.parent for path in out.glob(f"*/{tree.MANIFEST}"))
    if not folders:
        raise CodegenError("holds no generated package", where=str(folder), hint="name the folder given to generate")
    data: list[JsonObject] = []
    lines: list[str] = []
    for each in folders:
        listed, found = tree.recorded(each), tree.on_disk(each)
        edited, missing, extra = _edits(listed, found)
        data.append({"folder": str(each), "edited": edited, "missing": missing, "extra": extra})
        rows = [("edited by hand", path) for path in edited]
        rows += [("missing", path) for path in missing] + [("not generated", path) for path in extra]
        lines += aligned(rows)
        verdict = f"{len(rows)} not as recorded" if rows else f"{_files(listed)}, all as recorded"
        lines.append(f"{each}: {verdict} in {tree.MANIFEST}")
    same = not any(entry["edited"] or entry["missing"] or entry["extra"] for entry in data)
    return Outcome(0 if same else 1, {"same": same, "packages": data}, tuple(lines))


def known_names(knowledge: Knowledge) -> list[str]:
    """The names of all documents the generator knows."""
    return [name.removesuffix(".json") for name in knowledge.records]


def require_known(name: str, knowledge: Knowledge) -> None:
    """Raises CodegenError, with what may have been meant, unless a document has that name."""
    known = known_names(knowledge)
    if name not in known:
        close = difflib.get_close_matches(name, known, 2)
        meant = f"did you mean {' or '.join(close)}?" if close else f"known: {', '.join(known)}"
        raise CodegenError(f"no known document is called {name!r}", hint=meant)


def package_name(request: Request) -> str:
    """The name of the package: the one given, else one made from the file's name (`2025-11-25` to `v2025_11_25`).

    Raises CodegenError for a name that cannot be imported.
    """
    name = request.package
    if not name:
        name = re.sub(r"[^a-z0-9]+", "_", request.file.stem.lower()).strip("_")
        name = f"v{name}" if name[:1].isdigit() else f"{name}_" if keyword.iskeyword(name) else name
        if not name:
            raise CodegenError(
                "no package name can be made from this file's name", where=str(request.file), hint="--package NAME"
            )
    if not name.isidentifier() or keyword.iskeyword(name):
        what = "a keyword of Python" if keyword.iskeyword(name) else "no identifier"
        raise CodegenError(f"{name!r} cannot be a package name: it is {what}", hint="--package NAME")
    inside = (request.out / "__init__.py").is_file()
    if not inside and (name in _OWN or name in sys.stdlib_module_names):
        raise CodegenError(f"a package called {name!r} would hide the module of that name", hint="--package NAME")
    return name


def _there(folder: Path) -> tuple[BackEnd, ...]:
    """The back ends that a package was generated with; all, where that cannot be told."""
    try:
        listed = tree.recorded(folder) if (folder / tree.MANIFEST).is_file() else {}
    except CodegenError:
        listed = {}
    return tuple(end for end in BACK_ENDS["both"] if f"{end}/__init__.py" in listed) or BACK_ENDS["both"]


def _made(request: Request, back_ends: tuple[BackEnd, ...], knowledge: Knowledge, progress: Progress) -> _Made:
    folder = request.out / package_name(request)
    _require_folder(request.out)
    if request.name and (not request.name.strip() or not request.name.isprintable()):
        raise CodegenError(f"{request.name!r} is no name that could be printed", hint="--name LABEL")
    if request.revision not in ("", NO_BASE):
        require_known(request.revision, knowledge)
    _require_tools()
    progress(f"reading {request.file}")
    source = sources.read(request.file)
    try:
        base = "" if request.revision == NO_BASE else request.revision or knowledge.base_of(source)
        same = bool(base) and knowledge.records[f"{base}.json"]["structure"] == source.digest
        # A known document is called by its own name, whatever the user called the file.
        source = replace(source, name=request.name or (base if same else source.name))
        document = pipeline.run(source, knowledge, base=base).document
        progress(f"printing {len(document.types)} types")
        from .emit import package

        files = package.single(document, back_ends)
    except CodegenError as error:
        raise error.located(source.file) from None
    except RecursionError:
        raise CodegenError("nested too deeply to be generated", where=source.file) from None
    return _Made(source, base, same, document, folder, files)


def _distribution(knowledge: Knowledge, progress: Progress) -> dict[str, str]:
    _require_tools()
    from .emit import package

    progress("reading the documents")
    revisions = [stage.document for stage in pipeline.official(knowledge)]
    exported = [stage.document for stage in pipeline.kept(knowledge, tuple(pipeline.EXPORTED.values()))]
    progress(f"printing {len(revisions) + len(exported)} documents")
    return package.distribution(revisions, dict(zip(pipeline.EXPORTED, exported, strict=True)))


def _require_tools() -> None:
    try:
        tree.tools()
    except CodegenError:
        raise CodegenError(MORE) from None


def _require_folder(out: Path) -> None:
    """The system's own words for this ("File exists") would not say what is wrong."""
    for path in (out, *out.parents):
        if path.exists():
            if not path.is_dir():
                raise CodegenError(
                    "is a file, and no folder can be made there", where=str(path), hint="name another folder"
                )
            return


def _put(files: Mapping[str, str], folder: Path) -> JsonObject:
    """Write the package unless it is there already; says how many files are new, changed and gone."""
    drift = tree.compare(files, folder)
    if drift:
        tree.write(files, folder)
    return {"new": len(drift.missing), "changed": len(drift.changed), "removed": len(drift.extra)}


def _compared(files: Mapping[str, str], folder: Path) -> Outcome:
    drift = tree.compare(files, folder)
    edited = _edited(folder) if drift else []
    data: JsonObject = {
        "folder": str(folder),
        "same": not drift,
        "changed": list(drift.changed),
        "missing": list(drift.missing),
        "extra": list(drift.extra),
        "edited": edited,
        "diff": drift.diff,
    }
    if not drift:
        return Outcome(0, data, (f"{folder}: {_files(files)}, all as generated",))
    if not folder.exists():
        return Outcome(1, data, (f"{folder}: does not exist, {_files(files)} would be written",))
    rows = [("changed", path) for path in drift.changed] + [("missing", path) for path in drift.missing]
    rows += [("not generated", path) for path in drift.extra] + [("edited by hand", path) for path in edited]
    counts = f"{len(drift.changed)} changed, {len(drift.missing)} missing, {len(drift.extra)} not generated"
    return Outcome(1, data, (*aligned(rows), f"{folder}: {counts}"), drift.diff)


def _edited(folder: Path) -> list[str]:
    """The files that are not what their manifest says."""
    try:
        listed = tree.recorded(folder) if (folder / tree.MANIFEST).is_file() else {}
    except CodegenError:
        # Then the manifest is among the changed files, which the comparison shows.
        listed = {}
    return _edits(listed, tree.on_disk(folder))[0]


def _edits(listed: Mapping[str, str], found: Mapping[str, bytes]) -> tuple[list[str], list[str], list[str]]:
    """What differs from a manifest: files edited by hand, files that are gone, files it does not list."""
    edited = [path for path in sorted(listed.keys() & found) if sha256(found[path]) != listed[path]]
    missing = sorted(listed.keys() - found.keys())
    return edited, missing, sorted(found.keys() - listed.keys() - {tree.MANIFEST})


def _base_told(made: _Made) -> str:
    if not made.base:
        return "no known document: no overlay and no documentation texts apply"
    verb = "is" if made.same else "extends"
    return f"{verb} {made.base}: its overlay and our documentation texts apply"


def _counted(count: int, things: str) -> str:
    one = things.removesuffix("es") if things == "aliases" else things.removesuffix("s")
    return f"1 {one}" if count == 1 else f"{count} {things}"


def _files(files: Mapping[str, str]) -> str:
    return _counted(len(files), "files")


def _changes_told(changes: JsonObject) -> str:
    told = [f"{count} {what}" for what, count in changes.items() if count]
    return ", ".join(told) or "unchanged"


def _import_line(folder: Path, document: Document, back_end: str) -> str:
    """A line that works with the target folder on the path; a folder inside a package is imported through it."""
    place = folder.resolve()
    dotted, parent = place.name, place.parent
    while (parent / "__init__.py").is_file():
        dotted, parent = f"{parent.name}.{dotted}", parent.parent
    structs = [type_.name for type_ in document.types if isinstance(type_, Struct)]
    names = structs or [type_.name for type_ in document.types]
    name = "Tool" if "Tool" in names else (names or ["*"])[0]
    return f"from {dotted}.{back_end} import {name}"
