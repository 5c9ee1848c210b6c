"""What a docstring says of a function, and of each of its parameters, in the three usual styles."""

from __future__ import annotations

import re
from collections.abc import Iterable

_SECTION = re.compile(
    r"^(args|arguments|parameters|params|returns?|raises?|yields?|examples?|notes?|attributes):\s*$", re.I
)
_UNDERLINED = re.compile(r"^-{3,}\s*$")
_FIELD = re.compile(r"^:(?:param|parameter|arg|argument)\s+(?:[^:]*\s)?(\w+)\s*:\s*(.*)$")
_OTHER_FIELD = re.compile(r"^:\w+[^:]*:")
_GOOGLE = re.compile(r"^\*{0,2}(\w+)\s*(?:\([^)]*\))?\s*:\s*(.*)$")
_NUMPY = re.compile(r"^(\w+)\s*(?::.*)?$")
_PARAMETERS = ("args", "arguments", "parameters", "params")


def described(docstring: str) -> tuple[str, dict[str, str]]:
    """The description, without its sections, and what is said of each parameter. Takes a docstring without indents."""
    lines = docstring.splitlines()
    end = next((number for number in range(len(lines)) if _begins(lines, number)), len(lines))
    return "\n".join(lines[:end]).strip(), _parameters(lines[end:])


def _begins(lines: list[str], number: int) -> bool:
    line = lines[number]
    underlined = number + 1 < len(lines) and _UNDERLINED.match(lines[number + 1]) is not None
    return bool(_SECTION.match(line) or _OTHER_FIELD.match(line) or (underlined and line.strip()))


def _parameters(lines: list[str]) -> dict[str, str]:
    found: dict[str, str] = {}
    number = 0
    while number < len(lines):
        line = lines[number]
        if field := _FIELD.match(line):
            rest = _indented(lines[number + 1 :])
            found[field[1]] = _joined([field[2], *rest])
            number += 1 + len(rest)
            continue
        title = line.strip().rstrip(":").lower()
        if title in _PARAMETERS and _SECTION.match(line):
            body = _indented(lines[number + 1 :])
            found |= _google(body)
            number += 1 + len(body)
            continue
        if title in _PARAMETERS and number + 1 < len(lines) and _UNDERLINED.match(lines[number + 1]):
            found |= _numpy(lines[number + 2 :])
        number += 1
    return found


def _indented(lines: Iterable[str]) -> list[str]:
    """The lines that belong to the one before: those that are indented, or blank."""
    found: list[str] = []
    for line in lines:
        if line.strip() and not line[0].isspace():
            break
        found.append(line)
    return found


def _google(body: list[str]) -> dict[str, str]:
    indents = [len(line) - len(line.lstrip()) for line in body if line.strip()]
    found: dict[str, list[str]] = {}
    name = ""
    for line in body:
        entry = _GOOGLE.match(line.strip()) if len(line) - len(line.lstrip()) == min(indents) else None
        if entry is not None:
            name = entry[1]
            found[name] = [entry[2]]
        elif name:
            found[name].append(line)
    return {name: _joined(words) for name, words in found.items()}


def _numpy(lines: list[str]) -> dict[str, str]:
    found: dict[str, str] = {}
    for number, line in enumerate(lines):
        if number and number + 1 < len(lines) and _UNDERLINED.match(lines[number + 1]):
            break
        if line[:1].isspace() or not (entry := _NUMPY.match(line)):
            continue
        found[entry[1]] = _joined(_indented(lines[number + 1 :]))
    return found


def _joined(lines: Iterable[str]) -> str:
    return " ".join(" ".join(lines).split())
