"""Generated packages for tests: made from any document, written to a folder, imported under a name of their own."""

from __future__ import annotations

import importlib
import itertools
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

from typedmcp_codegen import jsonio, pipeline, sources
from typedmcp_codegen.emit import package, tree
from typedmcp_codegen.emit.models import BackEnd
from typedmcp_codegen.ir import Document

BACK_ENDS: tuple[BackEnd, ...] = ("structs", "models")
KNOWLEDGE = pipeline.Knowledge.default()
_numbers = itertools.count(1)


@dataclass(frozen=True, slots=True)
class Package:
    """A generated and imported package, and what it was made from."""

    staged: pipeline.Staged
    name: str
    folder: Path

    @property
    def document(self) -> Document:
        """The IR it was printed from."""
        return self.staged.document

    def module(self, part: str) -> ModuleType:
        """One of its sub-modules: `structs`, `models` or `methods`."""
        return importlib.import_module(f"{self.name}.{part}")

    def type(self, back_end: BackEnd, name: str) -> Any:
        """A type by name, from one back end."""
        return getattr(self.module(back_end), name)


def from_document(document: Document, folder: Path, back_ends: Sequence[BackEnd] = BACK_ENDS) -> str:
    """Write the package of a document into a folder and make it importable; the name to import."""
    name = f"generated_{next(_numbers)}"
    tree.write(package.single(document, back_ends), folder / name)
    if str(folder) not in sys.path:
        sys.path.insert(0, str(folder))
    importlib.invalidate_caches()
    return name


def from_source(source: sources.Source, folder: Path, back_ends: Sequence[BackEnd] = BACK_ENDS) -> Package:
    """Generate a package from a source."""
    staged = pipeline.run(source, KNOWLEDGE)
    name = from_document(staged.document, folder, back_ends)
    return Package(staged, name, folder / name)


def from_file(path: Path, folder: Path, back_ends: Sequence[BackEnd] = BACK_ENDS) -> Package:
    """Generate a package from a schema file."""
    return from_source(sources.read(path), folder, back_ends)


def from_schema(schema: Any, folder: Path, back_ends: Sequence[BackEnd] = BACK_ENDS) -> Package:
    """Generate a package from a schema given as a value."""
    data = jsonio.pretty(schema).encode()
    return from_source(sources.Source("case", "case.json", schema, jsonio.sha256(data)), folder, back_ends)
