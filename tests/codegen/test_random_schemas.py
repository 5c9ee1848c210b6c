"""Small schemas drawn at random: each is refused with a pointer, or both back ends keep its meaning exactly."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import jsonschema_rs
from hypothesis import given, settings

from oracle.boundary import boundary_documents
from support import packages
from support.effort import effort
from support.json_values import canonical
from support.random_schemas import DEFINITIONS, documents
from typedmcp.base import decode
from typedmcp.errors import DecodeError
from typedmcp_codegen.errors import CodegenError

COMMON: list[Any] = [None, True, 0, 1, 1.5, "", "a", "b", [], ["a"], [None], {}, {"kind": "a"}, {"kind": 1}, {"n": []}]


def test_a_random_schema_is_refused_or_kept_exactly(tmp_path: Path) -> None:
    numbered = itertools.count()
    outcomes = {"refused": 0, "kept": 0}

    @settings(max_examples=effort().pick(40, 1_500))
    @given(documents)
    def judge(document: dict[str, Any]) -> None:
        outcome = judged(document, tmp_path / str(next(numbered)))
        outcomes[outcome] += 1

    judge()
    assert min(outcomes.values()) > 0, outcomes


def judged(document: dict[str, Any], folder: Path) -> str:
    """What became of a schema; fails where a generated type and an independent validator disagree."""
    package: packages.Package | CodegenError
    try:
        package = packages.from_schema(document, folder)
    except CodegenError as error:
        package = error
    if isinstance(package, CodegenError):
        assert package.pointer, str(package)
        assert "\n" not in str(package)
        return "refused"
    for name in DEFINITIONS:
        validator = jsonschema_rs.validator_for({**document, "$ref": f"#/$defs/{name}"}, validate_formats=False)
        values = {canonical(value): value for value in [*COMMON, *boundary_documents(document, name, 60)]}
        verdicts = {text: validator.is_valid(value) for text, value in values.items() if not _integral(value)}
        for back_end in packages.BACK_ENDS:
            type_ = package.type(back_end, name)
            wrong = [text for text, verdict in verdicts.items() if _accepts(text, type_) != verdict]
            assert not wrong, (back_end, name, wrong[:5])
    return "kept"


def _integral(value: Any) -> bool:
    """Whether a whole number stands somewhere as a float: refused for an integer on purpose."""
    if isinstance(value, dict):
        return any(map(_integral, value.values()))
    if isinstance(value, list):
        return any(map(_integral, value))
    return isinstance(value, float) and value.is_integer()


def _accepts(text: str, type_: Any) -> bool:
    try:
        decode(text, type_)
    except DecodeError:
        return False
    return True
