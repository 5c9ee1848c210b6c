"""The agreement between generated packages and this runtime; imports nothing, since every generated package does."""

from __future__ import annotations

ABI = 1
"""Raised whenever generated code needs something the runtime did not have, or the runtime drops something."""


def require_abi(abi: int, package: str) -> None:
    """Refuse a generated package made for another runtime. Raises AbiError, which says what to do."""
    if abi != ABI:
        from .errors import AbiError

        raise AbiError(f"{package} was generated for ABI {abi}, this typedmcp has {ABI}: generate it again")
