"""Everything printed that is no class: method tables, package inits, the revision table, the error codes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from ..digest import Span
from ..ir import Document
from .text import docstring, literal, strings

_ENVIRONMENT = Environment(
    loader=FileSystemLoader(Path(__file__).parent.parent / "templates" / "stubs"),
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
    keep_trailing_newline=True,
    autoescape=False,
)
_FILTERS: dict[str, Any] = {"literal": literal, "strings": strings, "docstring": docstring}
_ENVIRONMENT.filters.update(_FILTERS)


def render(template: str, **data: Any) -> str:
    """One template with its data; a name the template knows and the data lack is an error."""
    return _ENVIRONMENT.get_template(template).render(**data)


def methods(document: Document, header: str) -> str:
    """The method table and the error codes of one document."""
    return render("methods.py.j2", document=document, header=header)


def package(header: str, abi: int, modules: Sequence[tuple[str, str]]) -> str:
    """The lazy `__init__` of a package: its sub-modules, each with a line that says what it is."""
    return render("init.py.j2", header=header, abi=abi, modules=modules)


def revisions(
    header: str, packages: Sequence[tuple[str, str]], methods: Mapping[str, Span], members: Mapping[str, Span]
) -> str:
    """The ordered revisions, and since when and until when each method, type and member exists."""
    return render("revisions.py.j2", header=header, packages=packages, methods=methods, members=members)


def errors(header: str, codes: Mapping[str, tuple[int, str]]) -> str:
    """The error codes of all revisions as constants, by name."""
    return render("errors.py.j2", header=header, codes=codes)
