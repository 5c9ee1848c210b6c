"""The nodes whose values hold others or are those of others: arrays, objects, unions, references.

Owns the bounding of recursion and the size of documents.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, Final

from hypothesis import reject
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from ._nodes import THRIFT_DEPTH, Constants, Node, Simple, Site, Sites, String, blamed
from ._values import equal, is_array, is_object

_CROWDED_DEPTH: Final = 4
"""From this depth on an object has one optional member at most."""
_GROUP: Final = 3
"""One choice decides on so many optional members: more would be cheaper to draw and harder to shrink."""
_STRANGER: Final = st.integers(0, 15)
_STRANGER_NAMES: Final = ("x", "x-unknown", "vendor.example/extension", "ünknown", "")
_ATTEMPTS: Final = 12


class Array(Node):
    """A list of values of one kind."""

    def __init__(self, where: str, schema: dict[str, Any], items: Node) -> None:
        super().__init__(where)
        self._items = items
        self._fewest: int = schema.get("minItems", 0)
        self._most: float = schema.get("maxItems", math.inf)
        self._unique: bool = schema.get("uniqueItems", False)
        if self._unique:
            # Only what lists its values is known to run out of different ones.
            kinds = len(items.values) if isinstance(items, Constants) else math.inf
            self._most = min(self._most, 2 if isinstance(items, Simple) else kinds)
        self._sizes = [
            st.integers(self._fewest, int(min(self._most, self._fewest + room)))
            for room in (3, 3, 2, 2, 1)
            if self._fewest <= self._most
        ]

    def parts(self) -> Iterable[Node]:
        return (self._items,)

    def measure(self) -> float:
        if self._fewest > self._most:
            return math.inf
        return 1 + self._items.height if self._fewest else 0

    def draw(self, draw: DrawFn, depth: int, sites: Sites) -> Any:
        values: list[Any] = []
        if self._items.height == math.inf:
            return values
        size = draw(self._sizes[min(depth, len(self._sizes) - 1)]) if depth < THRIFT_DEPTH else self._fewest
        for _ in range(size * (_ATTEMPTS if self._unique else 1)):
            value = self._items.draw(draw, depth + 1, sites)
            if not self._unique or not any(equal(value, other) for other in values):
                if sites is not None:
                    sites.append(Site(values, len(values), self._items))
                values.append(value)
            if len(values) == size:
                break
        return values if len(values) >= self._fewest else reject()

    def accepts(self, value: Any) -> bool:
        if not is_array(value) or not self._fewest <= len(value) <= self._most:
            return False
        if not all(map(self._items.accepts, value)):
            return False
        return not self._unique or not any(equal(a, b) for i, a in enumerate(value) for b in value[:i])

    def capacity(self) -> float:
        return self._most

    def blame(self, seen: set[int]) -> tuple[str, str]:
        if self._fewest > self._most:
            return self.where, f"minItems {self._fewest} is more than there can be, {self._most}"
        return blamed(self._items, seen)


class Object(Node):
    """Named members, and perhaps others."""

    def __init__(self, where: str, schema: dict[str, Any], declared: Mapping[str, Node], others: Node) -> None:
        super().__init__(where)
        self._declared = declared
        self._others = others
        required: list[str] = schema.get("required", [])
        self._required = {name: declared.get(name, others) for name in required}
        self._optional = {name: node for name, node in declared.items() if name not in self._required}
        self._fewest: int = schema.get("minProperties", 0)
        self._most: float = schema.get("maxProperties", math.inf)
        extras = schema.get("additionalProperties")
        # A map lives of its other members; elsewhere one is a rare stranger.
        self._is_map = isinstance(extras, dict) or extras is True
        self._has_strangers = extras is None
        members = list(self._optional.items())
        groups = [members[start : start + _GROUP] for start in range(0, len(members), _GROUP)]
        self._groups = [(st.integers(0, 2 ** len(group) - 1), group) for group in groups]
        self._one = st.sampled_from([(), *((member,) for member in members)])
        self._sizes = [st.integers(0, room) for room in (3, 3, 2, 2, 1)]
        self._name = String(where, {})
        self._stranger_name = st.sampled_from(_STRANGER_NAMES)

    def parts(self) -> Iterable[Node]:
        return (*self._declared.values(), self._others)

    def measure(self) -> float:
        if max(len(self._required), self._fewest) > self._most:
            return math.inf
        needed = [node.height for node in self._required.values()]
        spare = sorted(node.height for node in self._optional.values() if node.height < math.inf)
        missing = max(0, self._fewest - len(needed))
        needed += spare[:missing] + [self._others.height] * (missing > len(spare))
        return 1 + max(needed) if needed else 0

    def draw(self, draw: DrawFn, depth: int, sites: Sites) -> Any:
        members: dict[str, Any] = {}

        def add(name: str, node: Node) -> None:
            members[name] = node.draw(draw, depth + 1, sites)
            if sites is not None:
                sites.append(Site(members, name, node))

        for name, node in self._required.items():
            add(name, node)
        if depth < THRIFT_DEPTH:
            for name, node in self._chosen(draw, depth):
                if node.height < math.inf and len(members) < self._most:
                    add(name, node)
            for name in self._other_names(draw, depth):
                if name not in self._declared and name not in members and len(members) < self._most:
                    add(name, self._others)
        fillers = self._fillers()
        while len(members) < self._fewest:
            name, node = next(fillers)
            if name not in members:
                add(name, node)
        return members

    def _chosen(self, draw: DrawFn, depth: int) -> Iterator[tuple[str, Node]]:
        if depth >= _CROWDED_DEPTH:
            yield from draw(self._one)
            return
        for choice, group in self._groups:
            mask = draw(choice)
            yield from (member for bit, member in enumerate(group) if mask >> bit & 1)

    def _other_names(self, draw: DrawFn, depth: int) -> Iterator[str]:
        if self._is_map and self._others.height < math.inf:
            for _ in range(draw(self._sizes[min(depth, len(self._sizes) - 1)])):
                yield self._name.draw(draw, depth, None)
        elif self._has_strangers and depth < _CROWDED_DEPTH and draw(_STRANGER) == 15:
            yield draw(self._stranger_name)

    def _fillers(self) -> Iterator[tuple[str, Node]]:
        flattest_first = sorted(self._optional.items(), key=lambda member: member[1].height)
        yield from (member for member in flattest_first if member[1].height < math.inf)
        yield from (
            (name, self._others) for number in itertools.count() if (name := f"x{number}") not in self._declared
        )

    def accepts(self, value: Any) -> bool:
        if not is_object(value) or not self._fewest <= len(value) <= self._most:
            return False
        if any(name not in value for name in self._required):
            return False
        return all(self._declared.get(name, self._others).accepts(member) for name, member in value.items())

    def capacity(self) -> float:
        return self._most

    def blame(self, seen: set[int]) -> tuple[str, str]:
        if (most := self._most) < max(self._fewest, len(self._required)):
            return self.where, f"more members are required than maxProperties {most}"
        for name, node in self._required.items():
            if node.height == math.inf:
                return (
                    blamed(node, seen) if name in self._declared else (self.where, f"required {name!r} is not allowed")
                )
        return self.where, f"there are fewer members than minProperties {self._fewest}"


class Union(Node):
    """Any of some alternatives."""

    def __init__(self, where: str, arms: list[Node]) -> None:
        super().__init__(where)
        self.arms = arms

    def parts(self) -> Iterable[Node]:
        return self.arms

    def measure(self) -> float:
        return min((arm.height for arm in self.arms), default=math.inf)

    @cached_property
    def _choices(self) -> list[Node]:
        """The arms that have values, flattest first, without detours over unions of unions."""
        found: list[Node] = []
        waiting: list[Node] = [self]
        seen: set[int] = set()
        while waiting:
            node = waiting.pop(0)
            target = node.target if isinstance(node, Reference) else node
            if id(target) not in seen and target.height < math.inf:
                seen.add(id(target))
                if isinstance(target, Union) and (target is self or not isinstance(target, Exclusive)):
                    waiting[:0] = target.arms
                else:
                    found.append(target)
        return sorted(found, key=lambda arm: arm.height)

    @cached_property
    def _pick(self) -> SearchStrategy[int]:
        return st.integers(0, len(self._choices) - 1)

    @cached_property
    def _pick_flattest(self) -> SearchStrategy[int]:
        return st.integers(0, sum(arm.height == self.height for arm in self._choices) - 1)

    def draw(self, draw: DrawFn, depth: int, sites: Sites) -> Any:
        if len(self._choices) == 1:
            return self._choices[0].draw(draw, depth, sites)
        arm = draw(self._pick if depth < THRIFT_DEPTH else self._pick_flattest)
        return self._choices[arm].draw(draw, depth, sites)

    def accepts(self, value: Any) -> bool:
        return any(arm.accepts(value) for arm in self.arms)

    @cached_property
    def _beyond(self) -> Sequence[Any]:
        return [value for arm in self._choices for value in arm.beyond()]

    def beyond(self) -> Sequence[Any]:
        return self._beyond

    def capacity(self) -> float:
        return max((size for arm in self._choices if (size := arm.capacity()) < math.inf), default=math.inf)

    def blame(self, seen: set[int]) -> tuple[str, str]:
        return blamed(self.arms[0], seen) if len(self.arms) == 1 else (self.where, "no alternative admits a value")


class Exclusive(Union):
    """Exactly one of some alternatives."""

    def draw(self, draw: DrawFn, depth: int, sites: Sites) -> Any:
        for _ in range(_ATTEMPTS):
            inner: Sites = None if sites is None else []
            value = super().draw(draw, depth, inner)
            if self.accepts(value):
                if sites is not None:
                    sites.extend(inner or ())
                return value
        return reject()

    def accepts(self, value: Any) -> bool:
        return sum(arm.accepts(value) for arm in self.arms) == 1


class Reference(Node):
    """A named type, compiled when it is first needed, so that types can contain themselves."""

    def __init__(self, where: str, resolve: Callable[[], Node]) -> None:
        super().__init__(where)
        self._resolve = resolve

    @cached_property
    def target(self) -> Node:
        """What the name stands for."""
        return self._resolve()

    def parts(self) -> Iterable[Node]:
        return (self.target,)

    def measure(self) -> float:
        return self.target.height

    def draw(self, draw: DrawFn, depth: int, sites: Sites) -> Any:
        return self.target.draw(draw, depth, sites)

    def accepts(self, value: Any) -> bool:
        return self.target.accepts(value)

    def beyond(self) -> Sequence[Any]:
        return self.target.beyond()

    def capacity(self) -> float:
        return self.target.capacity()

    def blame(self, seen: set[int]) -> tuple[str, str]:
        return blamed(self.target, seen)
