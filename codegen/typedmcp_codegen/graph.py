"""Which types mention which, and where mentions run in circles; reads the IR."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from .ir import Alias, ListOf, MapOf, Nullable, OneOf, Ref, Struct, TypeDef, TypeExpr, Union


def references(expr: TypeExpr) -> Iterable[str]:
    """The names a type expression mentions."""
    match expr:
        case Ref(name=name):
            yield name
        case ListOf(item=inner) | MapOf(value=inner) | Nullable(inner=inner):
            yield from references(inner)
        case OneOf(arms=arms):
            for arm in arms:
                yield from references(arm)
        case _:
            return


def mentions(type_: TypeDef) -> list[str]:
    """The names a type definition mentions, each once, in order."""
    match type_:
        case Struct(fields=members, others=others):
            found = [name for member in members for name in references(member.type)] + list(references(others))
        case Alias(type=expr):
            found = list(references(expr))
        case Union(arms=arms):
            found = [name for arm in arms for name in references(arm)]
    return list(dict.fromkeys(found))


def _reachable(start: str, edges: Mapping[str, Sequence[str]]) -> set[str]:
    """What is mentioned from a name on, directly or not; the name itself only where it lies on a circle."""
    seen: set[str] = set()
    pending = list(edges.get(start, ()))
    while pending:
        name = pending.pop()
        if name not in seen:
            seen.add(name)
            pending.extend(edges.get(name, ()))
    return seen


def circles(types: Iterable[TypeDef]) -> dict[str, frozenset[str]]:
    """For each type, the types that lie on a circle of mentions with it."""
    edges = {type_.name: mentions(type_) for type_ in types}
    reach = {name: _reachable(name, edges) for name in edges}
    return {name: frozenset(other for other in reach[name] if name in reach[other]) for name in edges}


def recursive_aliases(types: Iterable[TypeDef]) -> frozenset[str]:
    """Aliases and unions that reach themselves without a struct in between: their text cannot be evaluated in order."""
    edges = {type_.name: mentions(type_) for type_ in types if not isinstance(type_, Struct)}
    return frozenset(name for name in edges if name in _reachable(name, edges))
