"""The documents each type is judged on: a walk over its constraints, and drawn ones, valid and nearly so."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from oracle.boundary import boundary_documents
from oracle.reference import Reference, at
from support.json_values import canonical
from typedmcp.testing import documents

AT_ONCE = 10


def boundary(reference: Reference, pointer: str, limit: int) -> list[Any]:
    """Documents around the constraints of the place a pointer names."""
    if pointer == "#":
        return boundary_documents(reference.document, "", limit)
    group, name = reference.group, "Place"
    source = reference.document if reference.has(pointer) else reference.patched
    node = at(source, pointer)
    held = {**source[group], name: node}
    return boundary_documents({"$schema": source["$schema"], group: held}, name, limit)


def drawn(type_: Any, valid: int, near: int) -> list[Any]:
    """Documents drawn for a generated type: some it should accept, some with a mutation or two."""
    found: list[Any] = []
    for strategy, number in ((documents(type_), valid), (documents(type_, valid="near"), near)):
        # Several a draw: the engine's own work is per draw, and is most of the time.
        several = st.tuples(*[strategy] * AT_ONCE)

        @settings(
            max_examples=max(number // AT_ONCE, 1),
            phases=(Phase.generate,),
            suppress_health_check=list(HealthCheck),
            derandomize=True,
            database=None,
            deadline=None,
        )
        @given(several)
        def draw(values: tuple[Any, ...]) -> None:
            found.extend(values)

        draw()
    return found


def distinct(values: list[Any]) -> Iterator[Any]:
    """Each JSON value once, in order."""
    seen: set[str] = set()
    for value in values:
        text = canonical(value)
        if text not in seen:
            seen.add(text)
            yield value
