"""What a client carries for us between two rounds of a request: sealed, so that it comes back as it went or not at all.

Sealed, not hidden: whoever carries it can read it.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import secrets
import time
from collections.abc import Callable, Sequence
from typing import Any, Final

import msgspec

from ..errors import RegistrationError, TypedMcpError

MOST: Final = 2**20
"""How many characters a sealed state may have."""
_VERSION: Final = b"\1"
_MAC: Final = hashlib.sha256().digest_size
_SHORTEST_KEY: Final = 32


class BrokenSeal(TypedMcpError):
    """A state that is not ours, has changed, is too old, or belongs to another request.

    The message does not tell which, to whoever may have tried; `reason` does, for the log.
    """

    def __init__(self, reason: str) -> None:
        super().__init__("invalid or expired")
        self.reason = reason


class _Sealed(msgspec.Struct, array_like=True):
    expires: float
    salt: bytes
    state: Any


class Sealer:
    """Seals by HMAC-SHA256 over all of it, the time it expires and what it is bound to included.

    `key`: at least 32 bytes, the same in every process that is to open what another has sealed; None for one of this
    process alone. Several keys: the first seals, each opens. `lifetime` in seconds.
    """

    def __init__(
        self,
        key: bytes | Sequence[bytes] | None = None,
        *,
        lifetime: float = 600.0,
        clock: Callable[[], float] = time.time,
    ) -> None:
        """Raises RegistrationError for a key that is too short."""
        keys = [secrets.token_bytes(_SHORTEST_KEY)] if key is None else [key] if isinstance(key, bytes) else list(key)
        if not keys or any(len(one) < _SHORTEST_KEY for one in keys):
            raise RegistrationError(f"a state key has at least {_SHORTEST_KEY} bytes: make one by secrets.token_bytes")
        self._keys = keys
        self._lifetime = lifetime
        self._clock = clock

    def seal(self, state: Any, *, bound_to: Sequence[str]) -> str:
        """A text for JSON values. Raises EncodeError for a state that is too large to be carried."""
        body = msgspec.json.encode(_Sealed(self._clock() + self._lifetime, secrets.token_bytes(8), state))
        text = _text(_VERSION + self._mac(self._keys[0], body, bound_to) + body)
        if len(text) > MOST:
            from ..errors import EncodeError

            raise EncodeError(f"a request state of {len(text)} characters is too large: {MOST} are the most")
        return text

    def open(self, text: str, *, bound_to: Sequence[str]) -> Any:
        """What was sealed. Raises BrokenSeal."""
        data = _bytes(text)
        mac, body = data[1 : 1 + _MAC], data[1 + _MAC :]
        if data[:1] != _VERSION or len(mac) != _MAC:
            raise BrokenSeal("not one of ours")
        if not any(hmac.compare_digest(mac, self._mac(key, body, bound_to)) for key in self._keys):
            raise BrokenSeal("changed, or of another request, principal or key")
        sealed = msgspec.json.decode(body, type=_Sealed)
        if self._clock() >= sealed.expires:
            raise BrokenSeal("expired")
        return sealed.state

    def _mac(self, key: bytes, body: bytes, bound_to: Sequence[str]) -> bytes:
        parts = [_VERSION, *(part.encode("utf-8", "surrogatepass") for part in bound_to), body]
        counted = b"".join(len(part).to_bytes(8, "big") + part for part in parts)
        return hmac.digest(key, counted, "sha256")


def _text(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


def _bytes(text: str) -> bytes:
    if len(text) > MOST:
        raise BrokenSeal("too long")
    try:
        data = base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)
    except ValueError:
        raise BrokenSeal("no base64") from None
    if _text(data) != text:
        # Several texts would be one state.
        raise BrokenSeal("base64 in another spelling")
    return data
