"""The errors this package raises; knows nothing of what raises them."""

from __future__ import annotations


class TypedMcpError(Exception):
    """The base of every error of this package."""


class DecodeError(TypedMcpError, ValueError):
    """A JSON text or value that is not of the type asked for.

    `reason` says what is wrong, `pointer` where: a JSON pointer (RFC 6901) into the value, empty for the whole of it.
    """

    def __init__(self, reason: str, pointer: str = "") -> None:
        super().__init__(f"{reason} at {pointer}" if pointer else reason)
        self.reason = reason
        self.pointer = pointer


class EncodeError(TypedMcpError, ValueError):
    """A value that has no JSON form: a number that is not finite, or an object of a foreign type."""


class AbiError(TypedMcpError, ImportError):
    """A generated package that was made for another version of this runtime."""
