"""The rules of request ids and progress tokens (MCP, base protocol): strings and integers, told apart by JSON type."""

from __future__ import annotations

from typing import Any, TypeGuard

RequestId = int | str
"""`1` and `"1"` are two ids; as keys of a dict they differ, and nothing equal to an integer that is none gets here."""


def is_id(value: Any) -> TypeGuard[RequestId]:
    """Whether a JSON value can be an id: true is no 1 and a number with a fraction none at all."""
    return value.__class__ is int or value.__class__ is str
