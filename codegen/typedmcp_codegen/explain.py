"""`explain`: what a type, a member or a method is, in which revisions, and why; for people and for machines.

Reads what the stages decided and decides nothing. A thing is shown once for all revisions in which it is the same.
"""

from __future__ import annotations

import difflib
import shutil
import textwrap
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from . import digest, pipeline, sources, stages
from .commands import require_known
from .errors import CodegenError
from .graph import mentions
from .ir import Alias, Method, Openness, Struct, TypeDef
from .jsonio import JsonObject, compact, pretty
from .pipeline import Knowledge, Staged
from .report import Outcome, Progress, aligned
from .stages import Subject, as_json, spelled

_INDENT = "    "


def explain(name: str, stage: str, revision: str, knowledge: Knowledge, progress: Progress) -> Outcome:
    """Everything known of a name; with `stage`, what that stage has of it; with `revision`, in that document only.

    Without a revision, a stage is shown for the newest that has the name. Raises CodegenError for an unknown name.
    """
    if stage and stage not in pipeline.STAGES:
        raise CodegenError(f"no stage is called {stage!r}", hint=f"one of {', '.join(pipeline.STAGES)}")
    if revision:
        require_known(revision, knowledge)
    progress("reading the documents")
    dated = pipeline.official(knowledge)
    read = dated
    if revision in sources.REVISIONS:
        read = tuple(staged for staged in dated if staged.document.revision == revision)
    elif revision:
        read = pipeline.kept(knowledge, (revision,))
    subjects = [subject for staged in reversed(read) for subject in _found(name, staged)]
    if not subjects:
        raise _unknown(name, read, revision)
    newest = subjects[0]
    if stage:
        progress(f"reading the stage {stage}")
        data = stages.dump(newest, stage)
        told: JsonObject = {"name": name, "stage": stage, "revision": newest.revision, "data": data}
        return Outcome(0, told, tuple(pretty(told).splitlines()))
    spans = _spans(dated) if revision in ("", *sources.REVISIONS) else {}
    if newest.method is not None:
        return _method(name, subjects, spans)
    if newest.field is not None:
        return _member(name, subjects, spans)
    return _type(name, subjects, spans)


def _found(name: str, staged: Staged) -> list[Subject]:
    document = staged.document
    type_ = document.named(name)
    if type_ is not None:
        return [Subject(staged, type_)]
    owner, dot, member = name.partition(".")
    struct = document.named(owner)
    if dot and isinstance(struct, Struct):
        fields = [field for field in struct.fields if member == field.wire]
        fields += [field for field in struct.fields if member == field.py]
        return [Subject(staged, struct, field) for field in fields[:1]]
    rows = [row for row in document.methods if row.wire == name]
    return [Subject(staged, _named(staged, row.type), method=row) for row in rows]


def _named(staged: Staged, name: str) -> TypeDef:
    type_ = staged.document.named(name)
    if type_ is None:
        raise CodegenError(f"{name} is no type of {staged.document.revision}")
    return type_


def _unknown(name: str, read: Sequence[Staged], revision: str) -> CodegenError:
    known: set[str] = set()
    owner = name.partition(".")[0]
    for staged in read:
        known.update(row.wire for row in staged.document.methods)
        for type_ in staged.document.types:
            known.add(type_.name)
            if isinstance(type_, Struct) and "." in name:
                known.update(f"{type_.name}.{field.wire}" for field in type_.fields)
    close = difflib.get_close_matches(name, sorted(known), 4)
    if not close:
        close = difflib.get_close_matches(owner, sorted(known), 4)
    if not close:
        folded = {entry.lower(): entry for entry in sorted(known)}
        close = [folded[match] for match in difflib.get_close_matches(name.lower(), sorted(folded), 4)]
    where = f" in {revision}" if revision else ""
    hint = (
        f"did you mean {', '.join(close)}?"
        if close
        else "a type (Tool), a member (Tool.title) or a method (tools/call)"
    )
    return CodegenError(f"nothing is called {name!r}{where}", hint=hint)


Spans = dict[str, digest.Span]


def _spans(dated: Sequence[Staged]) -> Spans:
    documents = [staged.document for staged in dated]
    return {**digest.spans(documents), **digest.method_spans(documents)}


def _since(name: str, spans: Spans) -> JsonObject:
    since, until = spans.get(name, ("", ""))
    return {"since": since or None, "until": until or None}


def _lifetime(name: str, spans: Spans) -> str:
    since, until = spans.get(name, ("", ""))
    if not since:
        return ""
    return f", only in {since}" if since == until else f", {since} to {until}" if until else f", since {since}"


def _grouped(subjects: Sequence[Subject], keys: Sequence[str]) -> list[list[Subject]]:
    """The subjects that are the same, newest first."""
    groups: dict[str, list[Subject]] = {}
    for subject, key in zip(subjects, keys, strict=True):
        groups.setdefault(key, []).append(subject)
    return list(groups.values())


def _heading(group: Sequence[Subject], mark: str = "", newer: str = "") -> list[str]:
    revisions = ", ".join(subject.revision for subject in reversed(group))
    pointers = ", ".join(dict.fromkeys(subject.pointer for subject in group))
    compared = f", compared with {newer}" if newer else ""
    return ["", f"{revisions}{compared}: {pointers}" + (f" (digest {mark})" if mark else "")]


def _pointers(group: Sequence[Subject]) -> JsonObject:
    return {"revisions": [s.revision for s in reversed(group)], "pointers": {s.revision: s.pointer for s in group}}


def _wrapped(text: str, indent: str = "") -> list[str]:
    width = min(max(shutil.get_terminal_size().columns, 60), 110)
    lines: list[str] = []
    for paragraph in text.split("\n\n") if text else ():
        lines += textwrap.wrap(
            paragraph,
            width,
            initial_indent=indent,
            subsequent_indent=indent,
            break_long_words=False,
            break_on_hyphens=False,
        )
    return lines


def _type(name: str, subjects: Sequence[Subject], spans: Spans) -> Outcome:
    keys = [digest.digests(subject.staged.document)[name] for subject in subjects]
    newest = subjects[0].type
    lines = [f"{name}: {_kind(newest)}{_lifetime(name, spans)}"]
    lines += [f"deprecated: {newest.deprecated}"] if newest.deprecated else []
    lines += _wrapped(newest.doc)
    versions: list[JsonObject] = []
    newer: Subject | None = None
    for group in _grouped(subjects, keys):
        mark = digest.digests(group[0].staged.document)[name]
        lines += _heading(group, mark, newer.revision if newer is not None else "")
        shown = _shape(group[0].type, spans) if newer is None else _changes(newer, group[0])
        lines += [_INDENT + line for line in shown]
        versions.append({**_pointers(group), "digest": mark, "definition": as_json(group[0].type)})
        newer = group[0]
    data: JsonObject = {"name": name, "what": "type", **_since(name, spans), "doc": newest.doc, "versions": versions}
    return Outcome(0, data, tuple(lines))


def _kind(type_: TypeDef) -> str:
    if isinstance(type_, Struct):
        told = {
            Openness.IGNORED: "an object type",
            Openness.FORBIDDEN: "an object type that admits no other members",
            Openness.KEPT: "a bag: an object type that keeps every member",
        }
        return told[type_.openness]
    return "a name for another type" if isinstance(type_, Alias) else "a union"


def _shape(type_: TypeDef, spans: Spans) -> list[str]:
    if isinstance(type_, Alias):
        return [spelled(type_.type)]
    if isinstance(type_, Struct):
        own = spans.get(type_.name)
        rows: list[tuple[str, ...]] = []
        for field in type_.fields:
            span = spans.get(f"{type_.name}.{field.wire}")
            later = _lifetime(f"{type_.name}.{field.wire}", spans).removeprefix(", ") if span != own else ""
            python = field.py if field.py != field.wire else ""
            rows.append((field.wire, python, spelled(field.type), field.presence.value, later))
        tag = [f"told from the other arms of its unions by {type_.tag!r}"] if type_.tag else []
        return [*aligned(_filled(rows)), *tag]
    lines = [f"arm: {spelled(arm)}" for arm in type_.arms]
    lines.append(f"plan: {type_.plan.kind}" + (", exclusive" if type_.plan.exclusive else ""))
    lines.append(f"reason: {type_.plan.reason}")
    for number, case in enumerate(type_.plan.cases, 1):
        tests = " and ".join(_test(".".join(test.path), test.values, test.or_absent) for test in case.tests)
        lines.append(f"case {number}: {spelled(case.arm)}" + (f" if {tests}" if tests else ""))
    return lines


def _filled(rows: Sequence[tuple[str, ...]]) -> list[tuple[str, ...]]:
    """The rows without the columns in which no row has anything."""
    used = [column for column in range(len(rows[0]) if rows else 0) if any(row[column] for row in rows)]
    return [tuple(row[column] for column in used) for row in rows]


def _test(path: str, values: Sequence[Any], or_absent: bool) -> str:
    text = f"{path} is {' or '.join(map(compact, values))}" if values else f"{path} is there"
    return f"({text}, or absent)" if or_absent else text


def _changes(newer: Subject, older: Subject) -> list[str]:
    """How an older version differs from the next newer one shown."""
    old, new = older.type, newer.type
    if not (isinstance(old, Struct) and isinstance(new, Struct)):
        shown = [f"is {_kind(old)}", *_shape(old, {})]
        return shown if shown[1:] != _shape(new, {}) else _below(newer, older)
    have, had = ({field.wire: field for field in type_.fields} for type_ in (new, old))
    lines = [f"lacks {wire}" for wire in have if wire not in had]
    lines += [
        f"has {wire}: {spelled(field.type)}, {field.presence.value}" for wire, field in had.items() if wire not in have
    ]
    for wire, field in had.items():
        told = (spelled(field.type), field.presence.value)
        if wire in have and told != (spelled(have[wire].type), have[wire].presence.value):
            lines.append(f"{wire} is {told[0]}, {told[1]}")
    if (old.openness, old.tag) != (new.openness, new.tag):
        lines.append(f"is {_kind(old)}" + (f", tagged by {old.tag!r}" if old.tag else ""))
    return lines or _below(newer, older)


def _below(newer: Subject, older: Subject) -> list[str]:
    """Where nothing differs in the type itself: the types it reaches that do."""
    new, old = ({t.name: t for t in subject.staged.document.types} for subject in (newer, older))
    pending, seen = list(mentions(older.type)), {older.type.name}
    different: list[str] = []
    while pending:
        name = pending.pop(0)
        if name in seen:
            continue
        seen.add(name)
        pending += mentions(old[name])
        if name not in new or digest.bare(new[name]) != digest.bare(old[name]):
            different.append(name)
    return [f"the same, but for {', '.join(sorted(different))}"] if different else ["the same"]


def _member(name: str, subjects: Sequence[Subject], spans: Spans) -> Outcome:
    views: list[JsonObject] = []
    for subject in subjects:
        field = subject.field
        view: JsonObject = as_json(replace(field, doc="", pointer="")) if field is not None else {}
        views.append(view)
    newest = subjects[0].field
    wire = f"{subjects[0].type.name}.{newest.wire}" if newest is not None else name
    doc = newest.doc if newest is not None else ""
    lines = [f"{wire}: a member{_lifetime(wire, spans)}", *_wrapped(doc)]
    versions: list[JsonObject] = []
    for group in _grouped(subjects, [compact(view) for view in views]):
        field = group[0].field
        if field is None:
            continue
        lines += _heading(group)
        rows = [("type", spelled(field.type)), ("presence", field.presence.value), ("Python", field.py)]
        rows += [("value", compact(field.default))] if field.default is not None else []
        rows += [("deprecated", field.deprecated)] if field.deprecated else []
        lines += aligned(rows, _INDENT)
        versions.append({**_pointers(group), "definition": as_json(field)})
    data: JsonObject = {"name": wire, "what": "member", **_since(wire, spans), "doc": doc, "versions": versions}
    return Outcome(0, data, tuple(lines))


def _method(name: str, subjects: Sequence[Subject], spans: Spans) -> Outcome:
    rows = [subject.method for subject in subjects if subject.method is not None]
    kind = "a request" if rows[0].kind == "request" else "a notification"
    lines = [f"{name}: {kind}{_lifetime(name, spans)}", *_wrapped(rows[0].doc)]
    versions: list[JsonObject] = []
    bare = [compact(as_json(replace(row, doc="", pointer="", since="", until=""))) for row in rows]
    for group in _grouped(subjects, bare):
        row = group[0].method
        if row is None:
            continue
        lines += _heading(group)
        lines += aligned(_row(row), _INDENT)
        versions.append({**_pointers(group), "definition": as_json(row)})
    data: JsonObject = {"name": name, "what": "method", **_since(name, spans), "doc": rows[0].doc, "versions": versions}
    return Outcome(0, data, tuple(lines))


def _row(row: Method) -> list[tuple[str, str]]:
    params = f"{row.params or 'none'}, {'required' if row.params_required else 'optional'}" if row.params else "none"
    told = [
        ("sent by", " and ".join(row.senders)),
        ("carrier", "a message of its own" if row.carrier == "rpc" else "inside a result"),
        ("message", row.type),
        ("params", params),
    ]
    told += [("result", f"{arm.type} ({arm.when})") for arm in row.results]
    told += [("capability", row.capability)] if row.capability else []
    told += [("related", row.related)] if row.related else []
    return told
