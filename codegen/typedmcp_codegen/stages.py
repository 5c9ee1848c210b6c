"""What each stage of the pipeline has of one type, member or method, as JSON: `explain --stage`. Decides nothing."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, is_dataclass
from enum import Enum
from typing import Any, Literal, TypeGuard

from . import digest, names
from .errors import CodegenError
from .graph import references
from .ir import (
    Anything,
    Field,
    ListOf,
    LiteralOf,
    MapOf,
    Method,
    Nullable,
    OneOf,
    Ref,
    Scalar,
    Struct,
    TypeDef,
    TypeExpr,
    Union,
)
from .jsonio import JsonObject, split
from .overlay import children
from .pipeline import Staged
from .protocol import bags

_BACK_ENDS: tuple[Literal["structs", "models"], ...] = ("structs", "models")


@dataclass(frozen=True, slots=True)
class Subject:
    """One thing that has a name, in one document: a type, a member of a type, or a method and its message type."""

    staged: Staged
    type: TypeDef
    field: Field | None = None
    method: Method | None = None

    @property
    def revision(self) -> str:
        """The document it is in."""
        return self.staged.document.revision

    @property
    def pointer(self) -> str:
        """Where the input file has it."""
        return self.field.pointer if self.field is not None else self.type.pointer


def dump(subject: Subject, stage: str) -> Any:
    """What a stage has of the subject. Raises CodegenError for an unknown stage."""
    try:
        read = _STAGES[stage]
    except KeyError:
        raise CodegenError(f"no stage is called {stage!r}", hint=f"one of {', '.join(_STAGES)}") from None
    return read(subject)


def as_json(node: Any) -> Any:
    """A node of the IR as JSON: its class under `is`, then its members; empty ones are left out."""
    if is_dataclass(node) and not isinstance(node, type):
        members = {field.name: as_json(getattr(node, field.name)) for field in fields(node)}
        given = {
            name: value for name, value in members.items() if value not in ("", None, [], False, {"is": "Constraints"})
        }
        return {"is": type(node).__name__, **given}
    if isinstance(node, Enum):
        return node.value
    return [as_json(item) for item in node] if _is_tuple(node) else node


def spelled(expr: TypeExpr) -> str:
    """A type as a reader of Python would write it; bounds in parentheses."""
    match expr:
        case Ref(name=name):
            return name
        case Scalar(kind=kind, constraints=constraints, format=format_):
            plain = {"string": "str", "integer": "int", "number": "int | float", "boolean": "bool"}[kind]
            return plain + _bounds(as_json(constraints), format_)
        case LiteralOf(values=values):
            return " | ".join("None" if value is None else repr(value) for value in values)
        case ListOf(item=item, constraints=constraints):
            return f"list[{spelled(item)}]" + _bounds(as_json(constraints), None)
        case MapOf(value=value, constraints=constraints):
            return f"dict[str, {spelled(value)}]" + _bounds(as_json(constraints), None)
        case OneOf(arms=arms):
            return " | ".join(spelled(arm) for arm in arms)
        case Nullable(inner=inner):
            return f"{spelled(inner)} | None"
        case Anything():
            return "Any"


def _bounds(constraints: Mapping[str, Any], format_: str | None) -> str:
    told = [f"{name.replace('_', ' ')} {value}" for name, value in constraints.items() if name != "is"]
    told += [f"format {format_}"] if format_ else []
    return f" ({', '.join(told)})" if told else ""


def _source(subject: Subject) -> Any:
    node: Any = subject.staged.source.document
    for step in split(subject.pointer):
        node = node[int(step)] if _is_list(node) else node[step]
    return node


def _is_list(value: Any) -> TypeGuard[list[Any]]:
    return isinstance(value, list)


def _is_tuple(value: Any) -> TypeGuard[tuple[Any, ...]]:
    return isinstance(value, tuple)


def _at(document: JsonObject, pointer: str) -> Any:
    """The node of a normal form that was read from a place, the outermost where several were."""
    pending = [node for node in (*document["defs"].values(), document["root"]) if node is not None]
    while pending:
        node = pending.pop(0)
        if node["@"] == pointer:
            return node
        pending += [child for _, child in children(node)]
    return None


def _lower(subject: Subject) -> Any:
    node = subject.staged.lower["defs"][subject.type.name]
    return node if subject.field is None else node["properties"][subject.field.wire]


def _names(subject: Subject) -> Any:
    type_ = subject.type
    told: JsonObject = {"type": type_.name, "pointer": subject.pointer}
    if subject.field is not None:
        return {**told, "wire": subject.field.wire, "python": subject.field.py}
    if isinstance(type_, Struct):
        told["members"] = {field.wire: field.py for field in type_.fields}
        types = subject.staged.lower["defs"].keys()
        told["notes"] = names.members((field.wire for field in type_.fields), types)[1]
    written = split(type_.pointer)
    if len(written) == 2 and written[1] != type_.name:
        told["renamed_from"] = written[1]
    if len(written) > 2:
        told["hoisted"] = True
    return told


def _read(subject: Subject) -> Any:
    return as_json(subject.field or subject.type)


def _unions(subject: Subject) -> Any:
    types = subject.staged.document.types
    asked = set(references(subject.field.type)) if subject.field is not None else {subject.type.name}
    plans = {t.name: as_json(t.plan) for t in types if isinstance(t, Union) and t.name in asked}
    arms = [t.name for t in types if isinstance(t, Union) and asked & {a.name for a in t.arms if isinstance(a, Ref)}]
    tags = {t.name: t.tag for t in types if isinstance(t, Struct) and t.name in asked and t.tag}
    return {"plans": plans, "tags": tags, "arm_of": arms}


def _protocol(subject: Subject) -> Any:
    if subject.method is not None:
        return as_json(subject.method)
    name = subject.type.name
    document = subject.staged.document
    rows = [
        method
        for method in document.methods
        if name in (method.type, method.params) or any(arm.type == name for arm in method.results)
    ]
    errors = [error for error in document.errors if name in (error.name, error.data, error.response)]
    return {
        "methods": [as_json(row) for row in rows],
        "errors": [as_json(error) for error in errors],
        "bag": any(type_.name == name for type_ in bags(document.types)),
    }


def _digest(subject: Subject) -> Any:
    return {"type": subject.type.name, "digest": digest.digests(subject.staged.document)[subject.type.name]}


def _emit(subject: Subject) -> Any:
    """The printed text of the type, in both back ends; a member is part of its class."""
    from .emit import models, tree

    document, name = subject.staged.document, subject.type.name
    modules = {f"{end}.py": models.render(document, end, "").text for end in _BACK_ENDS}
    texts = tree.formatted(modules)
    return {end: _cut(texts[f"{end}.py"], {name, f"{name}Keys"}) for end in _BACK_ENDS}


def _cut(text: str, wanted: set[str]) -> str:
    """The statements of a module that define the names, each with the comment above and the docstring below."""
    lines = text.splitlines()
    body = ast.parse(text).body
    parts: list[str] = []
    for index, statement in enumerate(body):
        inner = statement.body[0] if isinstance(statement, ast.If) else statement
        if isinstance(inner, ast.ClassDef):
            name = inner.name
        elif isinstance(inner, ast.AnnAssign) and isinstance(inner.target, ast.Name):
            name = inner.target.id
        else:
            continue
        if name not in wanted:
            continue
        last = statement
        if index + 1 < len(body) and isinstance(body[index + 1], ast.Expr):
            last = body[index + 1]
        first = statement.lineno
        while first > 1 and lines[first - 2].startswith("#"):
            first -= 1
        parts.append("\n".join(lines[first - 1 : last.end_lineno]))
    return "\n\n".join(parts) + "\n"


_STAGES: Mapping[str, Callable[[Subject], Any]] = {
    "sources": _source,
    "dialect": lambda subject: _at(subject.staged.dialect, subject.pointer),
    "overlay": lambda subject: _at(subject.staged.overlay, subject.pointer),
    "lower": _lower,
    "names": _names,
    "read": _read,
    "unions": _unions,
    "protocol": _protocol,
    "digest": _digest,
    "emit": _emit,
}
