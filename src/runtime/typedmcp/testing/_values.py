"""JSON values and their pieces: kinds, equality, and texts spelled from single numbers.

A leaf of the testing package: knows no schema.
"""

from __future__ import annotations

import base64
from typing import Any, Final, TypeGuard

_PLAIN_DIGITS: Final = "abcdefghijklmnopqrstuvwxyz0123456789"
_ODD_DIGITS: Final = "AZ _-./:%\"\\'<&{\n\x00\x7féßñжあ漢\u0301\u200d\u2028\ufeff\ufffd😀\U0010ffff"
_DIGITS: Final = _PLAIN_DIGITS + _ODD_DIGITS
_LONGEST: Final = 8

EXAMPLES: Final = (
    *("", "a", "A", "0", " ", "é", "\t", "日本", "😀", "1.0", "a b", "a/b", "null", "true", "text", "user", "tool"),
    *("~0~1", "</p>", "urn:x", "x-y_z.1", "__proto__", "text/plain", "2025-11-25", "input_required"),
    *("file:///tmp/a%20b", "name@example.com", "2025-01-31T12:00:00Z", "https://example.com/a?b=c#d", "a" * 80),
)
"""Texts that trip programs up, shortest first."""
FORMATS: Final = {
    "uri": ("urn:x", "file:///a", "https://example.com", "https://example.com/a%20b?c=d#e", "custom+x://host:1/%C3%A9"),
    "uri-template": ("urn:{x}", "file:///{path}", "https://example.com/{+path}{?query,page}", "x:{/a*}"),
    "date-time": ("2025-01-01T00:00:00Z", "2025-12-31T23:59:59.999Z", "2024-02-29T12:00:00+05:30"),
    "date": ("2025-01-01", "2024-02-29"),
    "email": ("a@b.cd", "first.last+tag@example.com"),
}
"""Examples of the formats that schemas of the protocol name, shortest first."""

SIMPLE: Final[tuple[Any, ...]] = (
    *(None, False, True, 0, 1, "", "a", [], {}, -1, 1.5, "é", 2**53 + 1, 2**64, -(2**70), 1e100, -0.5, "https://x.yz"),
)
"""Values for a place that admits any JSON value, beside arrays and objects of such."""


def kind_of(value: Any) -> str:
    """Return the JSON type of a value, `integer` and `number` told apart by their Python types."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, int):
        return "integer"
    if isinstance(value, float):
        return "number"
    if isinstance(value, str):
        return "string"
    return "array" if isinstance(value, list) else "object"


def is_array(value: Any) -> TypeGuard[list[Any]]:
    """Whether a JSON value is an array."""
    return isinstance(value, list)


def is_object(value: Any) -> TypeGuard[dict[str, Any]]:
    """Whether a JSON value is an object."""
    return isinstance(value, dict)


def equal(a: Any, b: Any) -> bool:
    """Whether two JSON values are equal by JSON Schema: 1 equals 1.0, and neither equals true."""
    if isinstance(a, bool) or isinstance(b, bool):
        return a is b
    if is_array(a) and is_array(b):
        return len(a) == len(b) and all(map(equal, a, b))
    if is_object(a) and is_object(b):
        return a.keys() == b.keys() and all(equal(value, b[key]) for key, value in a.items())
    return bool(a == b)


def texts(longest: float) -> int:
    """Return the largest number that `spelled` turns into a text of at most this length."""
    return sum(len(_DIGITS) ** length for length in range(1, int(min(longest, _LONGEST)) + 1))


def spelled(number: int, shortest: int) -> str:
    """Return the text for a number: the smaller the number, the shorter and plainer the text."""
    text = ""
    while number:
        number, digit = divmod(number - 1, len(_DIGITS))
        text += _DIGITS[digit]
    return text.ljust(shortest, "a")


def base64_text(number: int) -> str:
    """Return a number as base64 text, the empty text for 0."""
    return base64.b64encode(number.to_bytes((number.bit_length() + 7) // 8, "big")).decode("ascii")
