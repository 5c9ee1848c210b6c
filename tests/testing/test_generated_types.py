"""Values of every generated type can be drawn, and survive the wire."""

from __future__ import annotations

import importlib
import json
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings

from support.effort import effort
from support.packages import BACK_ENDS
from typedmcp.base import decode, encode
from typedmcp.testing import strategy
from typedmcp_codegen import sources

REVISIONS = [f"v{revision.replace('-', '_')}" for revision in sources.REVISIONS]
BATCH = ["rmcp_batch.server", "rmcp_batch.client"]
DRAWS = effort().pick(4, 200)


@pytest.mark.parametrize("back_end", effort().pick(BACK_ENDS[:1], BACK_ENDS))
@pytest.mark.parametrize("package", effort().pick(REVISIONS[-1:], REVISIONS) + BATCH)
def test_values_of_every_type_can_be_drawn_and_survive_the_wire(package: str, back_end: str) -> None:
    module = importlib.import_module(f"typedmcp_types.{package}.{back_end}")
    for name in module.__all__:
        _survives(getattr(module, name))


def _survives(type_: Any) -> None:
    @settings(max_examples=DRAWS, phases=(Phase.generate,), suppress_health_check=list(HealthCheck), deadline=None)
    @given(strategy(type_))
    def survives(value: Any) -> None:
        written = encode(value)
        # Models write their members in the order in which they were given, so texts may differ.
        assert json.loads(encode(decode(written, type_))) == json.loads(written)

    survives()
