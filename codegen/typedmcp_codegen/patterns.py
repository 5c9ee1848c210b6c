"""A pattern of JSON Schema (ECMA-262) as the Python pattern that matches the same; knows nothing of schemas."""

from __future__ import annotations

import re

_SETS = {"d": "0-9", "w": "A-Za-z0-9_"}
"""ECMA-262 counts ASCII only (section 22.2.2.9), Python every script."""


def to_python(pattern: str) -> str:
    """The pattern for `re.search`.

    Raises ValueError for what cannot be said there.
    """
    told: list[str] = []
    inside = False
    position = 0
    while position < len(pattern):
        token = pattern[position : position + 2] if pattern[position] == "\\" else pattern[position]
        position += len(token)
        letter = token[1:]
        if letter.lower() in _SETS and letter:
            if inside and letter.isupper():
                raise ValueError(f"{token} inside a class")
            known = _SETS[letter.lower()]
            token = known if inside else f"[{'^' if letter.isupper() else ''}{known}]"
        elif letter in ("A", "Z", "z") or (letter in ("b", "B") and not inside):
            raise ValueError(f"{token} means something else in Python")
        elif token == "$" and not inside:
            # Python's would also match before a last line feed.
            token = r"\Z"
        elif token in ("[", "]"):
            inside = token == "["
        told.append(token)
    text = "".join(told)
    try:
        re.compile(text)
    except re.error as error:
        raise ValueError(str(error)) from None
    return text
