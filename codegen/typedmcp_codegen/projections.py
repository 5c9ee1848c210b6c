"""How values of the newest revision are told in an older one: what has a counterpart, what is dropped, what narrows.

Both documents are walked in step from the methods they share, so counterparts are found by where they stand and not
only by name. Reads the IR; decides what `rows.Projection` says.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from .errors import CodegenError
from .graph import mentions
from .ir import (
    Alias,
    Anything,
    Document,
    Field,
    ListOf,
    LiteralOf,
    MapOf,
    Nullable,
    OneOf,
    Openness,
    Presence,
    Ref,
    ResultArm,
    Scalar,
    Struct,
    TypeDef,
    TypeExpr,
    Union,
)


@dataclass(frozen=True, slots=True)
class Projection:
    """A type of the newest revision and its counterpart; `target` is empty where it has none. Members by wire name."""

    type: str
    target: str
    dropped: tuple[str, ...] = ()
    """Members the counterpart does not have."""
    narrowed: tuple[str, ...] = ()
    """Members that may hold what the counterpart does not allow there."""
    added: tuple[str, ...] = ()
    """Members the counterpart requires and the type does not have."""

    @property
    def trivial(self) -> bool:
        """Whether there is nothing to say: the same name, the same members."""
        return self.type == self.target and not (self.dropped or self.narrowed or self.added)


def projections(newest: Document, older: Document) -> tuple[Projection, ...]:
    """What differs for every type that a message of the newest revision may hold, in order of name."""
    walk = _Walk(newest, older)
    for ours, theirs in _roots(newest, older):
        walk.pair(ours, theirs)
    # What stands only in messages the older revision does not have still has counterparts by name.
    for name in sorted(_reached(newest)):
        if name not in walk.targets and isinstance(older.named(name), Struct):
            walk.pair(Ref(name), Ref(name))
    found = [walk.projection(name) for name in sorted(_reached(newest))]
    return tuple(projection for projection in found if not projection.trivial)


def _roots(newest: Document, older: Document) -> Iterator[tuple[TypeExpr, TypeExpr]]:
    known = {method.wire: method for method in older.methods}
    for method in newest.methods:
        other = known.get(method.wire)
        if other is None:
            continue
        if method.params and other.params:
            yield Ref(method.params), Ref(other.params)
        for ours, theirs in zip(_final(method.results), _final(other.results), strict=False):
            yield Ref(ours), Ref(theirs)


def _final(results: Sequence[ResultArm]) -> list[str]:
    """The result types that end a request, without those of one revision's own ways of putting it off."""
    return [arm.type for arm in results if arm.when == "always"]


def _reached(document: Document) -> set[str]:
    """The structs that messages with a method, and results, may hold; a bag is no struct, but what it holds."""
    pending: list[str] = []
    for method in document.methods:
        pending += [method.params] if method.params else []
        pending += [arm.type for arm in method.results]
    seen: set[str] = set()
    while pending:
        name = pending.pop()
        type_ = document.named(name)
        if name in seen or type_ is None:
            continue
        seen.add(name)
        pending.extend(mentions(type_))
    return {name for name in seen if isinstance(struct := document.named(name), Struct) and not _bag(struct)}


class _Walk:
    """Two documents walked in step."""

    def __init__(self, newest: Document, older: Document) -> None:
        self._newest = {type_.name: type_ for type_ in newest.types}
        self._older = {type_.name: type_ for type_ in older.types}
        self._revision = older.revision
        self.targets: dict[str, str] = {}

    def pair(self, ours: TypeExpr, theirs: TypeExpr) -> None:
        """Note the counterparts of every struct that two types hold at the same places."""
        pending = [(ours, theirs)]
        while pending:
            for one, other in self._counterparts(*pending.pop()):
                if one.name in self.targets:
                    self._agree(one, other)
                    continue
                self.targets[one.name] = other.name
                have = {field.wire: field for field in other.fields}
                pending += [(field.type, have[field.wire].type) for field in one.fields if field.wire in have]

    def _agree(self, one: Struct, other: Struct) -> None:
        before = self.targets[one.name]
        if before != other.name and one.name in (before, other.name):
            # A counterpart of the same name is the plainer one; both are read alike.
            self.targets[one.name] = one.name
        elif before != other.name:
            raise CodegenError(f"{one.name} is both {before} and {other.name} in {self._revision}", pointer=one.pointer)

    def _counterparts(self, ours: TypeExpr, theirs: TypeExpr) -> Iterator[tuple[Struct, Struct]]:
        others = {struct.name: struct for struct in self._structs(theirs, self._older)}
        for struct in self._structs(ours, self._newest):
            found = others.get(struct.name) or next((o for o in others.values() if _fits(struct, o)), None)
            if found is not None:
                yield struct, found

    def _structs(self, expr: TypeExpr, types: dict[str, TypeDef]) -> Iterator[Struct]:
        match expr:
            case Ref(name=name):
                match types[name]:
                    case Struct() as struct:
                        yield struct
                    case Alias(type=inner):
                        yield from self._structs(inner, types)
                    case Union(arms=arms):
                        for arm in arms:
                            yield from self._structs(arm, types)
            case ListOf(item=inner) | MapOf(value=inner) | Nullable(inner=inner):
                yield from self._structs(inner, types)
            case OneOf(arms=arms):
                for arm in arms:
                    yield from self._structs(arm, types)
            case _:
                return

    def projection(self, name: str) -> Projection:
        """What is to be said of one struct."""
        struct, target = self._newest[name], self._older.get(self.targets.get(name, ""))
        if not isinstance(struct, Struct) or not isinstance(target, Struct):
            return Projection(name, "")
        ours, theirs = ({field.wire: field for field in one.fields} for one in (struct, target))
        shared = [wire for wire in ours if wire in theirs]
        return Projection(
            name,
            target.name,
            dropped=tuple(sorted(set(ours) - set(theirs))),
            narrowed=tuple(sorted(wire for wire in shared if self._narrows(ours[wire], theirs[wire]))),
            added=tuple(sorted(w for w, f in theirs.items() if w not in ours and f.presence is Presence.REQUIRED)),
        )

    def _narrows(self, ours: Field, theirs: Field) -> bool:
        required = theirs.presence is Presence.REQUIRED and ours.presence is Presence.OPTIONAL
        return required or not self._takes(theirs.type, ours.type)

    def _takes(self, theirs: TypeExpr, ours: TypeExpr) -> bool:
        """Whether the older type takes every value of ours whose structs have a counterpart."""
        theirs, ours = _plain(theirs, self._older), _plain(ours, self._newest)
        if isinstance(theirs, Anything) or (theirs == ours and not isinstance(theirs, Ref)):
            return True
        match theirs, ours:
            case _, OneOf(arms=arms):
                return all(self._takes(theirs, arm) for arm in arms)
            case OneOf(arms=arms), _:
                return any(self._takes(arm, ours) for arm in arms)
            case Nullable(inner=inner), Nullable(inner=other):
                return self._takes(inner, other)
            case Nullable(inner=inner), _:
                return self._takes(inner, ours)
            case (ListOf(item=inner, constraints=bounds), ListOf(item=other, constraints=own)):
                return bounds == own and self._takes(inner, other)
            case (MapOf(value=inner, constraints=bounds), MapOf(value=other, constraints=own)):
                return bounds == own and self._takes(inner, other)
            case Scalar(kind="string", constraints=bounds), LiteralOf(values=values):
                return bounds == type(bounds)() and all(isinstance(value, str) for value in values)
            case Scalar(kind=kind, constraints=bounds), Scalar(kind=other, constraints=own):
                return bounds == own and (kind == other or (kind == "number" and other == "integer"))
            case LiteralOf(values=values), LiteralOf(values=own):
                return set(own) <= set(values)
            case Ref(name=name), Ref(name=other):
                return self._keeps(self._older[name], self._newest[other])
            case MapOf(value=Anything(), constraints=bounds), Ref(name=other):
                return bounds == type(bounds)() and _bag(self._newest[other])
            case _:
                return False

    def _keeps(self, theirs: TypeDef, ours: TypeDef) -> bool:
        """Whether a bag takes whatever ours may hold; which counterpart a struct has is decided by the value."""
        if not isinstance(theirs, Struct) or not isinstance(ours, Struct) or not _bag(theirs):
            return True
        have = {field.wire: field for field in ours.fields}
        return all(
            not self._narrows(have[field.wire], field) if field.wire in have else isinstance(field.type, Anything)
            for field in theirs.fields
        )


def _plain(expr: TypeExpr, types: dict[str, TypeDef]) -> TypeExpr:
    """A type with aliases looked through; a union by its arms."""
    if not isinstance(expr, Ref):
        return expr
    match types[expr.name]:
        case Alias(type=inner):
            return _plain(inner, types)
        case Union(arms=arms):
            kinds = [_plain(arm, types) for arm in arms]
            # Which struct stands there is decided by the value, by its counterpart.
            return expr if all(isinstance(kind, Ref) for kind in kinds) else OneOf(tuple(kinds))
        case _:
            return expr


def _bag(type_: TypeDef) -> bool:
    return isinstance(type_, Struct) and type_.openness is Openness.KEPT


def _fits(struct: Struct, other: Struct) -> bool:
    """Whether a struct of another name can stand for this one: it has whatever this one must have, tag included."""
    have = {field.wire: field for field in other.fields}
    must = [field for field in struct.fields if field.presence in (Presence.REQUIRED, Presence.CONSTANT)]
    return all(field.wire in have and _constant(field, have[field.wire]) for field in must)


def _constant(ours: Field, theirs: Field) -> bool:
    mine, other = ours.type, theirs.type
    return not (isinstance(mine, LiteralOf) and isinstance(other, LiteralOf)) or set(mine.values) <= set(other.values)
