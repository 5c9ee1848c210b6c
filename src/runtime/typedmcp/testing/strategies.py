"""Hypothesis strategies for every generated type: documents as JSON values, and the typed values made of them."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from functools import partial
from typing import Any, Literal, TypeVar, overload

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from ._compile import node_of
from ._near import spoil
from ._nodes import Node, Site

T = TypeVar("T")

_made: dict[Hashable, SearchStrategy[Any]] = {}


@st.composite
def _valid(draw: DrawFn, node: Node) -> Any:
    return node.draw(draw, 0, None)


@st.composite
def _near(draw: DrawFn, node: Node) -> Any:
    sites: list[Site] = []
    root: list[Any] = [node.draw(draw, 0, sites)]
    spoil(draw, [Site(root, 0, node), *sites])
    return root[0]


def documents(type_: Any, *, valid: Literal[True, "near"] = True) -> SearchStrategy[Any]:
    """Return a strategy for JSON values of a generated type: valid ones, or such as one or two mutations changed.

    What becomes of a changed document is open: not every mutation makes it invalid.
    Raises TypeError for a foreign type and UnsatisfiableType for one that admits no value.
    """
    if valid is True:
        return _remembered("valid", type_, lambda: _valid(node_of(type_)))
    return _remembered("near", type_, lambda: _near(node_of(type_)))


@overload
def strategy(type_: type[T], *, valid: Literal[True] = True) -> SearchStrategy[T]: ...
@overload
def strategy(type_: Any, *, valid: Literal[True] = True) -> SearchStrategy[Any]: ...
@overload
def strategy(type_: Any, *, valid: Literal["near"]) -> SearchStrategy[Any]: ...
def strategy(type_: Any, *, valid: Literal[True, "near"] = True) -> SearchStrategy[Any]:
    """Return a strategy for values of a generated type, or for nearly valid documents of it.

    Raises TypeError for a foreign type and UnsatisfiableType for one that admits no value.
    """
    if valid is not True:
        return documents(type_, valid=valid)
    from typedmcp.base import convert

    return _remembered("typed", type_, lambda: documents(type_).map(partial(convert, type=type_)))


def _remembered(kind: str, type_: Any, make: Callable[[], SearchStrategy[Any]]) -> SearchStrategy[Any]:
    key = (kind, type_)
    try:
        hash(key)
    except TypeError:
        # The metadata of an alias need not be hashable; such a type gets a new strategy each time.
        return make()
    if key not in _made:
        _made[key] = make()
    return _made[key]
