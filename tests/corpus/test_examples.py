"""The official examples of 2026-07-28: each decodes to the type its folder names and comes back as equal JSON."""

from __future__ import annotations

import importlib
import json
from pathlib import Path
from typing import Any

import pytest

from support import json_values
from support.packages import BACK_ENDS
from support.paths import needs
from typedmcp.base import convert, decode, encode

EXPECTED = 129
FOLDER = needs("shared") / "schema" / "examples" / "2026-07-28"


def _examples() -> list[Any]:
    return [pytest.param(path, id=f"{path.parent.name}/{path.stem}") for path in sorted(FOLDER.glob("*/*.json"))]


def test_all_official_examples_are_here() -> None:
    assert len(_examples()) == EXPECTED


@pytest.mark.parametrize("back_end", BACK_ENDS)
@pytest.mark.parametrize("path", _examples())
def test_an_official_example_comes_back_as_equal_json(path: Path, back_end: str) -> None:
    module = importlib.import_module(f"typedmcp_types.v2026_07_28.{back_end}")
    type_ = getattr(module, path.parent.name)
    data = path.read_bytes()
    value = decode(data, type_)
    assert json_values.same(json.loads(encode(value)), json.loads(data))
    assert encode(convert(json.loads(data), type_)) == encode(value)
