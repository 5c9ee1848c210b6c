"""Our own documentation: every type has its sentence, no text documents what is gone, none is the official one."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from support.packages import KNOWLEDGE
from support.paths import needs
from typedmcp_codegen import docs, pipeline
from typedmcp_codegen.ir import Struct

LONGEST = 140
RUN = 8
WORD = re.compile(r"[A-Za-z0-9_']+")


def _documents() -> Iterator[Any]:
    for source in KNOWLEDGE.kept:
        yield pipeline.run(source, KNOWLEDGE, base=source.name).document


def test_every_type_of_every_document_has_its_sentence() -> None:
    missing = [f"{document.revision}: {t.name}" for document in _documents() for t in document.types if not t.doc]
    assert missing == []


def test_a_type_is_documented_in_one_short_sentence() -> None:
    odd = [name for name, entry in KNOWLEDGE.texts.items() if not re.fullmatch(r"[A-Z].{5,}\.", entry["doc"])]
    assert odd == []
    assert [name for name, entry in KNOWLEDGE.texts.items() if len(entry["doc"]) > LONGEST] == []


def test_no_text_documents_a_type_or_member_that_is_gone() -> None:
    known: dict[str, list[str]] = {}
    for document in _documents():
        for type_ in document.types:
            members = [field.wire for field in type_.fields] if isinstance(type_, Struct) else []
            known.setdefault(type_.name, []).extend(members)
    assert docs.unused(KNOWLEDGE.texts, known) == []


def test_no_text_is_taken_from_the_official_documents() -> None:
    folder = needs("shared") / "schema"
    official: set[tuple[str, ...]] = set()
    for path in folder.glob("*.json"):
        if path.name != "SOURCES.json":
            for text in _prose(json.loads(path.read_text("utf-8"))):
                official |= _runs(text)
    ours = {text: _runs(text) & official for text in _prose(KNOWLEDGE.texts)}
    assert {text: runs for text, runs in ours.items() if runs} == {}
    assert len(official) > 1_000


def _prose(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        for key, child in value.items():
            if isinstance(child, str) and key not in ("$ref", "const", "type", "format"):
                yield child
            yield from _prose(child)
    elif isinstance(value, list):
        for child in value:
            yield from _prose(child)


def _runs(text: str) -> set[tuple[str, ...]]:
    words = [word.lower() for word in WORD.findall(text)]
    return {tuple(words[start : start + RUN]) for start in range(len(words) - RUN + 1)}
