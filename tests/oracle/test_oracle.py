"""The reference oracle: a generated type accepts a document exactly when the schema it was made from does.

The schema is compiled by an independent validator from the unmodified official document, prose and all, with formats
as annotations. Where the verdicts differ, the table of intended differences must account for it.
"""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from oracle import pool
from oracle.reference import Reference, differences
from support import packages
from support.effort import Effort
from support.paths import needs
from typedmcp.base import decode
from typedmcp.errors import DecodeError
from typedmcp_codegen import sources

FOLDER = needs("shared") / "schema"
DOCUMENTS = sorted(path.stem for path in FOLDER.glob("*.json") if path.name != "SOURCES.json")
ROWS_AT_MOST = 12
# The rows that may speak of a class of types; all others list their places.
OF_A_CLASS = {"envelope", "integral-float"}


def accepts(data: bytes, type_: Any) -> bool:
    """Our verdict on one text."""
    try:
        decode(data, type_)
    except DecodeError:
        return False
    return True


@pytest.mark.parametrize("name", DOCUMENTS)
def test_every_type_accepts_exactly_what_its_document_accepts(name: str, effort: Effort, tmp_path: Path) -> None:
    package = packages.from_file(FOLDER / f"{name}.json", tmp_path)
    reference = Reference(name, package.staged.source.document)
    walked, valid, near = effort.pick((130, 20, 50), (700, 400, 900))
    wrong: list[str] = []
    verdicts: Counter[bool] = Counter()
    for type_ in package.document.types:
        ours = {end: package.type(end, type_.name) for end in packages.BACK_ENDS}
        values = pool.boundary(reference, type_.pointer, walked) + pool.drawn(ours["structs"], valid, near)
        validator = reference.validators(type_.pointer)[0]
        for value in pool.distinct(values):
            data = json.dumps(value).encode()
            wanted = bool(validator.is_valid(value))
            verdicts[wanted] += 1
            for end, generated in ours.items():
                verdict = accepts(data, generated)
                if verdict != wanted and not reference.explains(type_.pointer, value, verdict):
                    wrong.append(f"{type_.name} ({end}) {'accepts' if verdict else 'refuses'} {data[:200]!r}")
    assert wrong[:20] == []
    # Both kinds of evidence must be there: neither back end may pass by accepting or refusing everything.
    assert min(verdicts.values()) > len(package.document.types) * 20


@pytest.mark.parametrize("row", differences(), ids=lambda row: row.id)
def test_an_intended_difference_still_is_one(row: Any, tmp_path: Path) -> None:
    name, pointer, value = (row.reproducer[key] for key in ("document", "pointer", "value"))
    package = packages.from_file(FOLDER / f"{name}.json", tmp_path)
    reference = Reference(name, package.staged.source.document)
    type_ = next(type_ for type_ in package.document.types if type_.pointer == pointer)
    wanted = bool(reference.validators(pointer)[0].is_valid(value))
    for end in packages.BACK_ENDS:
        verdict = accepts(json.dumps(value).encode(), package.type(end, type_.name))
        assert verdict != wanted
        assert reference.explains(pointer, value, verdict)


def test_the_table_of_intended_differences_is_short_and_names_its_places() -> None:
    assert len(differences()) <= ROWS_AT_MOST
    assert {row.id for row in differences() if not row.pointers} == OF_A_CLASS
    assert all(row.reason for row in differences())


def test_every_place_a_row_names_is_needed() -> None:
    for row in differences():
        for name, pointers in row.pointers.items():
            document = sources.read(FOLDER / f"{name}.json").document
            reference = Reference(name, document)
            assert all(reference.has(pointer) for pointer in pointers)
            assert len(set(pointers)) == len(pointers)
