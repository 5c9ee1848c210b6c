"""Which capability a method hangs on, and what follows for either side; declared capabilities are JSON values."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from ._unions import is_object
from .rows import Method, Side
from .stubs import Capabilities


def declares(capabilities: Capabilities, path: str) -> bool:
    """Whether capabilities declare a path like `tools.listChanged`: by the presence of the key, be its value `{}`."""
    place: Any = capabilities
    for step in path.split("."):
        if not is_object(place) or place.get(step, False) is False:
            return False
        place = place[step]
    return True


def missing(row: Method, declared: dict[Side, Capabilities]) -> str:
    """Who did not declare what a method needs, as a text; empty where it may be used or nothing is known yet."""
    side, _, path = row.capability.partition(".")
    for known, capabilities in declared.items():
        if known == side and not declares(capabilities, path):
            return f"the {side} did not declare the capability {path}"
    return ""


def following(rows: Iterable[Method], implemented: Iterable[str], side: Side) -> Capabilities:
    """The capabilities of a side that follow from the requests it answers."""
    answered = set(implemented)
    found: Capabilities = {}
    for path in _paths(rows, answered, side):
        place = found
        for step in path:
            place = place.setdefault(step, {})
    return found


def _paths(rows: Iterable[Method], answered: set[str], side: Side) -> Iterator[list[str]]:
    for row in rows:
        owner, _, path = row.capability.partition(".")
        if row.kind == "request" and row.wire in answered and owner == side and path:
            yield path.split(".")
