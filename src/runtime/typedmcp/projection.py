"""Values of the newest revision as another revision has them, by the generated tables (`projections`).

One projector for each package of types; it walks values, not types. Knows no method and no message.
"""

from __future__ import annotations

import functools
import typing
from importlib import import_module
from typing import Any, NamedTuple

import msgspec
from msgspec import UNSET, UnsetType

from . import base
from .errors import DecodeError, TypedMcpError
from .rows import Projection

_LEAVES = frozenset((str, int, float, bool, type(None), UnsetType, bytes))


class Inexpressible(TypedMcpError):
    """A value that the negotiated revision has no words for; the message names what, where and which revision."""


class _Member(NamedTuple):
    source: str
    target: str
    fits: Any
    """The type to check the value against, for a member that may hold less here; None elsewhere."""
    droppable: bool


class _Plan(NamedTuple):
    target: Any
    members: tuple[_Member, ...]
    missing: tuple[str, ...]
    """Members the counterpart requires and the type does not have."""


class Projector:
    """Turns values of the newest revision's structs into those of one revision.

    `droppable` names members, as `Tool.outputSchema`, that are left out where they do not fit and are not needed.
    """

    def __init__(self, package: str, droppable: frozenset[str] = frozenset()) -> None:
        parent = package.rpartition(".")[0]
        self.revision: str = import_module(f"{parent}.methods").REVISION
        self.types: Any = import_module(package)
        self._rows: dict[str, Projection] = {}
        self.identical = False
        """Whether this is the newest revision, where every value stays what it is."""
        try:
            table: Any = import_module(f"{parent}.projections")
        except ModuleNotFoundError:
            self.identical = True
        else:
            self._rows = {row.type: row for row in table.PROJECTIONS}
        self._droppable = droppable
        self._plans: dict[type, _Plan] = {}

    def __call__(self, value: Any, /, **added: Any) -> Any:
        """The value in this revision; `added` are members the counterpart requires and the newest revision lacks.

        Raises Inexpressible for what this revision cannot say.
        """
        return value if self.identical else self._project(value, added)

    def _project(self, value: Any, added: dict[str, Any]) -> Any:
        kind = value.__class__
        if kind in _LEAVES:
            return value
        if kind is list:
            return [self._project(item, {}) for item in value]
        if kind is dict:
            # A map's values are of one type, and a bag holds JSON values.
            first = next(iter(value.values()), None)
            structs = isinstance(first, msgspec.Struct)
            return {key: self._project(item, {}) for key, item in value.items()} if structs else value
        if not isinstance(value, msgspec.Struct):
            return value
        plan = self._plans.get(kind) or self._plan(kind)
        given = dict(added) if added else {}
        for source, target, fits, droppable in plan.members:
            found = getattr(value, source)
            if found is UNSET:
                continue
            if found.__class__ not in _LEAVES:
                found = self._project(found, {})
            if fits is not None:
                found = self._fitting(found, fits, droppable, f"{kind.__name__}.{source}")
                if found is UNSET:
                    continue
            given[target] = found
        if plan.missing and (lacking := [name for name in plan.missing if name not in given]):
            raise Inexpressible(f"{kind.__name__} needs {', '.join(lacking)} in {self.revision}")
        return plan.target(**given)

    def _fitting(self, value: Any, fits: Any, droppable: bool, place: str) -> Any:
        candidates = [value, value[0]] if value.__class__ is list and len(value) == 1 else [value]
        refused: DecodeError | None = None
        for candidate in candidates:
            try:
                base.decode(base.encode(candidate), fits)
            except DecodeError as error:
                refused = refused or error
            else:
                return candidate
        if droppable:
            return UNSET
        raise Inexpressible(f"{place} cannot be told in {self.revision}: {refused}")

    def _plan(self, kind: type) -> _Plan:
        row = self._rows.get(kind.__name__, Projection(kind.__name__, kind.__name__))
        target = getattr(self.types, row.target, None) if row.target else None
        if target is None:
            raise Inexpressible(f"{kind.__name__} cannot be told in {self.revision}")
        theirs = _by_wire(target)
        members = tuple(
            _Member(
                source=name,
                target=theirs[wire],
                fits=_annotation(target, theirs[wire]) if wire in row.narrowed else None,
                droppable=f"{kind.__name__}.{wire}" in self._droppable,
            )
            for wire, name in _by_wire(kind).items()
            if wire in theirs
        )
        plan = _Plan(target, members, tuple(theirs[wire] for wire in row.added))
        self._plans[kind] = plan
        return plan


def _by_wire(kind: Any) -> dict[str, str]:
    return dict(zip(kind.__struct_encode_fields__, kind.__struct_fields__, strict=True))


def _annotation(kind: Any, name: str) -> Any:
    """A member's type without the mark of its absence: what is there is not absent."""
    annotation = typing.get_type_hints(kind, include_extras=True)[name]
    arms = [arm for arm in typing.get_args(annotation) if arm is not UnsetType]
    if UnsetType not in typing.get_args(annotation):
        return annotation
    return functools.reduce(lambda one, other: one | other, arms)


@functools.cache
def projector(package: str, droppable: frozenset[str] = frozenset()) -> Projector:
    """The projector of a package of structs."""
    return Projector(package, droppable)
