"""Structural digests: which types of which revisions are the same; and the spans of types, members and methods."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from .errors import CodegenError
from .graph import mentions
from .ir import Document, Method, Struct, TypeDef
from .jsonio import sha256


def digests(document: Document) -> dict[str, str]:
    """A digest for each type: equal for two types exactly when they and all they mention have the same structure.

    Documentation, pointers and the order of members do not count. References go by name, so the digest is taken over
    the shapes of everything a type reaches, recursion included.
    """
    shapes = {type_.name: sha256(repr(bare(type_))) for type_ in document.types}
    edges = {type_.name: mentions(type_) for type_ in document.types}
    return {name: _closure(name, shapes, edges) for name in shapes}


def _closure(name: str, shapes: Mapping[str, str], edges: Mapping[str, Sequence[str]]) -> str:
    """All that a type reaches, by name: equal closures are equal structures, since references go by name."""
    seen = {name}
    pending = [name]
    while pending:
        for other in edges[pending.pop()]:
            if other not in seen:
                seen.add(other)
                pending.append(other)
    return sha256(shapes[name] + "".join(f"{other}{shapes[other]}" for other in sorted(seen)))[:16]


def bare(type_: TypeDef) -> TypeDef:
    """The type without documentation, pointers and deprecation: what its structure is."""
    if isinstance(type_, Struct):
        fields = tuple(
            sorted(
                (replace(field, doc="", pointer="", deprecated="") for field in type_.fields),
                key=lambda field: field.wire,
            )
        )
        return replace(type_, doc="", pointer="", deprecated="", fields=fields)
    return replace(type_, doc="", pointer="", deprecated="")


Span = tuple[str, str]
"""The first revision that has something, and the last; the last is empty where the newest revision has it."""


def spans(documents: Sequence[Document]) -> dict[str, Span]:
    """For each type (`Tool`) and member (`Tool.title`) of the dated revisions, given in order, when it exists."""
    have: dict[str, list[str]] = {}
    for document in documents:
        for type_ in document.types:
            have.setdefault(type_.name, []).append(document.revision)
            for field in type_.fields if isinstance(type_, Struct) else ():
                have.setdefault(f"{type_.name}.{field.wire}", []).append(document.revision)
    return {name: _span(name, revisions, documents) for name, revisions in sorted(have.items())}


def method_spans(documents: Sequence[Document]) -> dict[str, Span]:
    """For each method of the dated revisions, given in order, when it exists."""
    have: dict[str, list[str]] = {}
    for document in documents:
        for method in document.methods:
            have.setdefault(method.wire, []).append(document.revision)
    return {name: _span(name, revisions, documents) for name, revisions in sorted(have.items())}


def _span(name: str, revisions: Sequence[str], documents: Sequence[Document]) -> Span:
    order = [document.revision for document in documents]
    first, last = order.index(revisions[0]), order.index(revisions[-1])
    if order[first : last + 1] != list(revisions):
        raise CodegenError(f"{name} is missing from a revision between two that have it, which no table can say")
    return revisions[0], "" if last == len(order) - 1 else revisions[-1]


def dated(document: Document, methods: Mapping[str, Span]) -> Document:
    """The document with the spans of its methods filled in."""
    rows: list[Method] = []
    for method in document.methods:
        since, until = methods.get(method.wire, ("", ""))
        rows.append(replace(method, since=since, until=until))
    return replace(document, methods=tuple(rows))
