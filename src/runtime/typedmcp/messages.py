"""What travels between two peers, as objects: read from bytes by the codec, understood by the engine.

Knows neither JSON nor a revision. A request or notification of a revision's method is a subclass the codec makes.
"""

from __future__ import annotations

from typing import Any, ClassVar

import msgspec
from msgspec import UNSET

from .errors import RpcError
from .ids import RequestId
from .rows import Method


class Request(msgspec.Struct, kw_only=True):
    """A request. Its params are of the method's type; JSON values for a method the revision does not have."""

    row: ClassVar[Method]
    method: ClassVar[str]
    id: RequestId
    params: Any = UNSET


class Notification(msgspec.Struct, kw_only=True):
    """A notification; its params as those of a request."""

    row: ClassVar[Method]
    method: ClassVar[str]
    params: Any = UNSET


class UnknownRequest(msgspec.Struct, kw_only=True):
    """A request of a method the revision does not have for its receiver, with its params as JSON values."""

    method: str
    id: RequestId
    params: Any = UNSET


class UnknownNotification(msgspec.Struct, kw_only=True):
    """A notification of a method the revision does not have for its receiver, with its params as JSON values."""

    method: str
    params: Any = UNSET


class Success(msgspec.Struct):
    """A result: raw JSON when it comes, an object of the method's type when it goes."""

    id: RequestId
    result: Any


class Failure(msgspec.Struct):
    """An error response. Without an id it answers a request whose id could not be read."""

    id: RequestId | None
    error: RpcError


class Malformed(msgspec.Struct):
    """What is no message, and the answer it gets; the id where it could be read."""

    error: RpcError
    id: RequestId | None = None


class Unusable(msgspec.Struct):
    """What must not be answered and cannot be used: a broken response, a notification with wrong params.

    The id is that of a response, if it has one.
    """

    reason: str
    id: RequestId | None = None


class Batch(msgspec.Struct):
    """Several messages that came, or go, as one list."""

    messages: list[Any]


Message = (
    Request | Notification | UnknownRequest | UnknownNotification | Success | Failure | Malformed | Unusable | Batch
)
