"""What a live connection bears although the schema does not: two habits of peers, and nothing else.

Null for an absent optional member counts as absence, a number like 5.0 as the integer it is; an id or a token must be
of its type all the same. Only what was refused comes by here, so a clean message costs nothing.
"""

from __future__ import annotations

from typing import Any, Final

from . import base
from ._unions import is_array, is_object
from .errors import DecodeError

_EXACT: Final = frozenset(("id", "requestId", "progressToken"))
_REPAIRS: Final = 100
"""How many faults of one value are borne; each costs a reading of the whole."""


def tolerant(data: bytes, type_: Any) -> Any:
    """A JSON text as a type. Raises DecodeError, that of the strict reading, for what tolerance does not mend."""
    try:
        return base.decode(data, type_)
    except DecodeError as error:
        return _mended(base.decode(data, Any), type_, error)


def tolerant_value(value: Any, type_: Any) -> Any:
    """A JSON value as a type, as `tolerant` reads a text; the value may be changed."""
    try:
        return base.convert(value, type_)
    except DecodeError as error:
        return _mended(value, type_, error)


def _mended(value: Any, type_: Any, refusal: DecodeError) -> Any:
    error = refusal
    for _ in range(_REPAIRS):
        if not _repair(value, error.pointer):
            break
        try:
            return base.convert(value, type_)
        except DecodeError as next_error:
            error = next_error
    raise refusal


def _repair(value: Any, pointer: str) -> bool:
    """Mend what a pointer names, if it is one of the two habits."""
    steps = [step.replace("~1", "/").replace("~0", "~") for step in pointer.split("/")[1:]]
    if not steps or steps[-1] in _EXACT:
        return False
    place: Any = value
    for step in steps[:-1]:
        try:
            place = place[int(step)] if is_array(place) else place[step]
        except (KeyError, IndexError, ValueError, TypeError):
            # Of a member that is there twice, the reader may have refused the one that does not count.
            return False
    key: Any = int(steps[-1]) if is_array(place) else steps[-1]
    try:
        found: Any = place[key]
    except (LookupError, TypeError):
        return False
    if found is None and is_object(place):
        del place[key]
        return True
    if isinstance(found, float) and found.is_integer():
        place[key] = int(found)
        return True
    return False
