"""The documents the Rust SDK exported while batches existed: one for each side's messages."""

from __future__ import annotations

from typing import TYPE_CHECKING

from typedmcp.abi import require_abi

require_abi(1, __name__)

if TYPE_CHECKING:
    from . import client as client
    from . import server as server
else:

    def __getattr__(name):
        # Importing the package costs nothing; a sub-module is loaded when it is first asked for.
        if name in __all__:
            from importlib import import_module

            return import_module(f".{name}", __name__)
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


__all__ = [
    "client",
    "server",
]
