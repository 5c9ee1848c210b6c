"""Everything printed that is no class: method tables, package inits, the revision table, the error codes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from .. import names
from ..digest import Span
from ..ir import Document, Method, Side, Struct
from ..projections import Projection
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


@dataclass(frozen=True, slots=True)
class Stub:
    """One message as a method of a generated class: its name, and the text of its signature."""

    name: str
    wire: str
    request: bool
    type: str
    argument: str
    passed: str
    result: str
    doc: str


def peer(document: Document, back_end: str, side: Side, header: str) -> str:
    """The classes of one side: what it may send and what it must answer."""
    other: Side = "server" if side == "client" else "client"
    sent = [method for method in document.methods if side in method.senders and method.carrier == "rpc"]
    answered = [method for method in document.methods if other in method.senders]
    return render(
        "peer.py.j2",
        header=header,
        back_end=back_end,
        side=side,
        other=other,
        calls=_stubs(sent, "notify"),
        capabilities=_capabilities(document, side),
        handlers=_stubs(answered, "on"),
    )


def _capabilities(document: Document, side: Side) -> str:
    name = f"{side.capitalize()}Capabilities"
    return name if isinstance(document.named(name), Struct) else ""


def _stubs(methods: Sequence[Method], prefix: str) -> list[Stub]:
    spelled = names.stubs([(method.wire, method.kind == "notification") for method in methods], prefix)
    found: list[Stub] = []
    for method in methods:
        request = method.kind == "request"
        # An exporter's one-sided document has the requests of one side and the results of the other's.
        results = " | ".join(f"types.{arm.type}" for arm in method.results) or "Any"
        type_ = f"types.{method.params}" if method.params else "None"
        argument = f", params: {type_}" if method.params_required else f", params: {type_} | None = None"
        found.append(
            Stub(
                name=spelled[method.wire],
                wire=method.wire,
                request=request,
                type=type_,
                argument=argument if method.params else "",
                passed="params" if method.params else "None",
                result=results if request else "None",
                doc=method.doc or f"`{method.wire}`.",
            )
        )
    return found


def faults(document: Document, back_end: str, header: str) -> str:
    """The exceptions of the error codes that carry typed data; empty where the document has none."""
    typed = [error for error in document.errors if error.data is not None]
    return render("faults.py.j2", header=header, back_end=back_end, errors=typed) if typed else ""


def projections(header: str, newest: str, rows: Sequence[Projection]) -> str:
    """How values of the newest revision are told in an older one."""
    return render("projections.py.j2", header=header, newest=newest, rows=rows)


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
