"""Small mutations of a valid document, in place: what a careless peer might send.

Knows the places that the drawing recorded and the values just outside their bounds; not how documents are drawn.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from typing import Any, Final

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from ._nodes import Site
from ._values import is_array, is_object, kind_of

_OF_OTHER_TYPES: Final[tuple[Any, ...]] = (True, 0, "x", [], {}, 1.5, False, -1, "", [None], {"x": None}, 2**64)
_NAMES: Final = ("unknown", "x", "type", "_meta", "", "méta", "__proto__")
_MOST: Final = 1000
_COUNT: Final = st.integers(1, 2)

Mutation = Callable[[DrawFn, Site], None]


def spoil(draw: DrawFn, sites: list[Site]) -> None:
    """Change one or two of the recorded places, of which the first is the whole document."""
    for _ in range(draw(_COUNT)):
        index = draw(st.integers(0, len(sites) - 1))
        site = sites[index]
        # The first mutation may have taken the place of the second away.
        if _exists(site):
            draw(st.sampled_from(_possible(site, removable=index > 0)))(draw, site)


def _exists(site: Site) -> bool:
    return site.key in site.container if is_object(site.container) else site.key < len(site.container)


def _possible(site: Site, *, removable: bool) -> list[Mutation]:
    value = site.container[site.key]
    mutations: list[Mutation] = [_remove] if removable else []
    mutations += [_make_null, _change_type]
    if site.node.beyond():
        mutations.append(_cross)
    if is_object(value):
        mutations.append(_add_member)
    if is_array(value):
        mutations.append(_add_item)
    if value and (is_array(value) or is_object(value)) and site.node.capacity() <= _MOST:
        mutations.append(_overfill)
    return mutations


def _remove(_: DrawFn, site: Site) -> None:
    del site.container[site.key]


def _make_null(_: DrawFn, site: Site) -> None:
    site.container[site.key] = None


def _change_type(draw: DrawFn, site: Site) -> None:
    kind = kind_of(site.container[site.key])
    site.container[site.key] = _fresh(draw, [value for value in _OF_OTHER_TYPES if kind_of(value) != kind])


def _cross(draw: DrawFn, site: Site) -> None:
    site.container[site.key] = _fresh(draw, site.node.beyond())


def _add_member(draw: DrawFn, site: Site) -> None:
    site.container[site.key][draw(st.sampled_from(_NAMES))] = _fresh(draw, (None, *_OF_OTHER_TYPES))


def _add_item(draw: DrawFn, site: Site) -> None:
    site.container[site.key].append(_fresh(draw, (None, *_OF_OTHER_TYPES)))


def _overfill(_: DrawFn, site: Site) -> None:
    value = site.container[site.key]
    missing = int(site.node.capacity()) + 1 - len(value)
    if is_array(value):
        value.extend(copy.deepcopy(value[-1]) for _ in range(missing))
    else:
        value.update({f"x{number}": None for number in range(missing)})


def _fresh(draw: DrawFn, values: Sequence[Any]) -> Any:
    # A copy, since later mutations act in place.
    return copy.deepcopy(draw(st.sampled_from(values)))
