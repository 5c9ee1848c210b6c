"""Strict JSON in, canonical JSON out, and JSON pointers; knows nothing of schemas."""

from __future__ import annotations

import hashlib
import json
import math
from typing import Any, TypeGuard

from .errors import CodegenError

JsonObject = dict[str, Any]


def is_object(value: Any) -> TypeGuard[JsonObject]:
    """Whether a JSON value is an object."""
    return isinstance(value, dict)


def is_array(value: Any) -> TypeGuard[list[Any]]:
    """Whether a JSON value is an array."""
    return isinstance(value, list)


class _Twice(dict[str, Any]):
    """An object in which a key stands twice; found again by a walk, which knows the pointer."""

    key = ""


def _pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result = dict(pairs)
    if len(result) == len(pairs):
        return result
    twice = _Twice(result)
    seen: set[str] = set()
    for key, _ in pairs:
        if key in seen:
            twice.key = key
            break
        seen.add(key)
    return twice


class _NoNumber(str):
    """A number that JSON or this machine does not have; found again by a walk, which knows the pointer."""

    __slots__ = ()


def _float(text: str) -> float | _NoNumber:
    value = float(text)
    return value if math.isfinite(value) else _NoNumber(text)


def _int(text: str) -> int | _NoNumber:
    try:
        return int(text)
    except ValueError:
        # Python reads no more than a few thousand digits.
        return _NoNumber(f"{text[:20]}... of {len(text)} digits")


def load(data: bytes, where: str) -> Any:
    """Read one JSON text; refuses what the standard library lets pass.

    Raises CodegenError for text that is not JSON or not UTF-8, for a key that stands twice in one object, for NaN and
    numbers without bounds, for half a surrogate pair.
    """
    try:
        value = json.loads(
            data.decode("utf-8"),
            object_pairs_hook=_pairs,
            parse_constant=_NoNumber,
            parse_float=_float,
            parse_int=_int,
        )
        _refuse_odd(value, "#", where)
    except UnicodeDecodeError as error:
        raise CodegenError(f"not JSON: not UTF-8 at byte {error.start}", where=where) from None
    except json.JSONDecodeError as error:
        message = f"not JSON: {error.msg} at line {error.lineno} column {error.colno}"
        raise CodegenError(message, where=where) from None
    except RecursionError:
        raise CodegenError("not usable: nested too deeply", where=where) from None
    return value


def _refuse_odd(value: Any, pointer: str, where: str) -> None:
    if isinstance(value, _Twice):
        raise CodegenError(
            f"the key {value.key!r} stands twice in this object", where=where, pointer=pointer, hint="keep one of them"
        )
    if isinstance(value, _NoNumber):
        raise CodegenError(f"not JSON: the number {value} does not exist in JSON", where=where, pointer=pointer)
    if is_object(value):
        for key, child in value.items():
            _refuse_surrogate(key, pointer, where)
            _refuse_odd(child, join(pointer, key), where)
    elif is_array(value):
        for index, child in enumerate(value):
            _refuse_odd(child, join(pointer, index), where)
    elif isinstance(value, str):
        _refuse_surrogate(value, pointer, where)


def _refuse_surrogate(text: str, pointer: str, where: str) -> None:
    """Such a text can be written in no encoding, so neither into a Python file."""
    if not text.isascii() and any("\ud800" <= char <= "\udfff" for char in text):
        raise CodegenError("a text holds half a surrogate pair", where=where, pointer=pointer)


def types_of(value: Any) -> tuple[str, ...]:
    """The JSON Schema types a scalar is of, the narrowest first; none for an object or an array."""
    kinds: dict[type, tuple[str, ...]] = {
        bool: ("boolean",),
        int: ("integer", "number"),
        float: ("number",),
        str: ("string",),
        type(None): ("null",),
    }
    return kinds.get(value.__class__, ())


def join(pointer: str, *keys: str | int) -> str:
    """The pointer with more reference tokens, escaped as RFC 6901 section 3 asks."""
    return pointer + "".join("/" + str(key).replace("~", "~0").replace("/", "~1") for key in keys)


def split(pointer: str) -> list[str]:
    """The reference tokens of a pointer in fragment form (`#/a/b`)."""
    return [part.replace("~1", "/").replace("~0", "~") for part in pointer.split("/")[1:]]


def pretty(value: Any) -> str:
    """The canonical form of the documents kept in this repository: sorted keys, one item a line."""
    return json.dumps(value, indent=2, sort_keys=True, ensure_ascii=False) + "\n"


def compact(value: Any) -> str:
    """One line, sorted keys: for digests and messages."""
    return json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":"))


def sha256(data: bytes | str) -> str:
    """Hexadecimal SHA-256 of bytes, or of text in UTF-8."""
    return hashlib.sha256(data.encode() if isinstance(data, str) else data).hexdigest()
