"""The errors this package raises; knows nothing of what raises them."""

from __future__ import annotations

from typing import Any


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


class RegistrationError(TypedMcpError, ValueError):
    """A declaration that cannot be registered; one line that names the function and says what to do."""


class AbiError(TypedMcpError, ImportError):
    """A generated package that was made for another version of this runtime."""


class ProtocolError(TypedMcpError):
    """A rule of the protocol was broken: by our caller or by the peer, see the two subclasses."""


class LocalProtocolError(ProtocolError):
    """Our own caller asked for what the protocol does not allow now; the message says what to do. Nothing was sent."""


class RemoteProtocolError(ProtocolError):
    """The peer's answer to a call is none: no result and no error, both, or a result not of the method's type."""


class Closed(TypedMcpError, ConnectionError):
    """The connection has ended; calls that were waiting fail with it, and new ones at once."""


class CallTimeout(TypedMcpError, TimeoutError):
    """A call was not answered in time. Local: the peer was told that its answer is no longer wanted."""


class RpcError(TypedMcpError):
    """An error response: what a peer answered instead of a result, and what a handler raises to answer so.

    `code` is a JSON-RPC error code, `message` one sentence, `data` any JSON value or, for a code that has one, a value
    of the revision's type; None where there is none.
    """

    code: int = -32603

    def __init__(self, message: str, *, data: Any = None, code: int | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.data = data
        if code is not None:
            self.code = code

    def __str__(self) -> str:
        return f"{self.message} ({self.code})"


class ParseError(RpcError):
    """The text is not JSON in UTF-8 (JSON-RPC 2.0, section 5.1)."""

    code: int = -32700


class InvalidRequest(RpcError):
    """JSON, but no valid message (JSON-RPC 2.0, section 5.1)."""

    code: int = -32600


class MethodNotFound(RpcError):
    """No such method, or not offered (JSON-RPC 2.0, section 5.1)."""

    code: int = -32601


class InvalidParams(RpcError):
    """The params are not those of the method (JSON-RPC 2.0, section 5.1)."""

    code: int = -32602


class InternalError(RpcError):
    """The receiver failed (JSON-RPC 2.0, section 5.1)."""

    code: int = -32603
