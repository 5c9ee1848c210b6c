"""Documentation texts: the descriptions in a document, and over them our own from `schema/docs`; knows no types."""

from __future__ import annotations

import re
import tomllib
import unicodedata
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from .errors import CodegenError

_LINK = re.compile(r"\{@link\s+([^}|]+?)\s*(?:\|\s*([^}]*?)\s*)?\}")


class Docs:
    """Texts for the types and members of one document.

    Our own text wins over a description in the document; a text given for one revision wins over the general one.
    """

    def __init__(self, texts: Mapping[str, Any], document: str) -> None:
        self._texts = texts
        self._document = document

    def type(self, name: str, description: str) -> str:
        """The docstring of a type; empty where nobody wrote one."""
        entry = self._texts.get(name, {})
        return str(self._revised(entry).get("doc") or entry.get("doc") or clean(description))

    def member(self, owner: str, wire: str, description: str) -> str:
        """The text of a member; empty where its name says it all."""
        entry = self._texts.get(owner, {})
        own = self._revised(entry).get("members", {}).get(wire) or entry.get("members", {}).get(wire)
        return str(own or clean(description))

    def _revised(self, entry: Mapping[str, Any]) -> Mapping[str, Any]:
        revised: Mapping[str, Any] = entry.get("revisions", {}).get(self._document, {})
        return revised


def read(folder: Path) -> dict[str, Any]:
    """All texts of the folder. Raises CodegenError when two files document one type."""
    texts: dict[str, Any] = {}
    for path in sorted(folder.glob("*.toml")):
        try:
            data = tomllib.loads(path.read_text("utf-8"))
        except tomllib.TOMLDecodeError as error:
            raise CodegenError(f"not TOML: {error}", where=path.name) from None
        for name, entry in data.items():
            if name in texts:
                raise CodegenError(f"{name} is documented in another file too", where=path.name)
            texts[name] = entry
    return texts


def unused(texts: Mapping[str, Any], known: Mapping[str, Sequence[str]]) -> list[str]:
    """The entries that document a type or member which no document (`known`: type to members) has any more."""
    found: list[str] = []
    for name, entry in texts.items():
        if name not in known:
            found.append(name)
            continue
        found += [f"{name}.{wire}" for wire in entry.get("members", {}) if wire not in known[name]]
    return found


def clean(text: str) -> str:
    """A description fit for a docstring: links as their text, white space as one blank, paragraphs kept.

    Control characters are dropped.
    """
    text = _LINK.sub(lambda match: match.group(2) or f"`{match.group(1)}`", text)
    text = "".join(char for char in text if char.isspace() or unicodedata.category(char) != "Cc")
    paragraphs = [" ".join(part.split()) for part in re.split(r"\n\s*\n", text)]
    return "\n\n".join(part for part in paragraphs if part)
