"""Typed bindings for the Model Context Protocol: the runtime's front door, light enough to import for nothing.

The types themselves are in `typedmcp_types`; `decode`, `convert` and `encode` are the one way in and out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .base import UNSET as UNSET
    from .base import UnsetType as UnsetType
    from .base import convert as convert
    from .base import decode as decode
    from .base import encode as encode
    from .errors import DecodeError as DecodeError
    from .errors import EncodeError as EncodeError
    from .errors import TypedMcpError as TypedMcpError
else:

    def __getattr__(name: str) -> object:
        # Generated code imports `typedmcp.base`, which runs this file first: anything eager here would be a circle.
        from importlib import import_module

        if name in ("DecodeError", "EncodeError", "TypedMcpError"):
            return getattr(import_module(".errors", __name__), name)
        if name in __all__:
            return getattr(import_module(".base", __name__), name)
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


__version__ = "0.1.0"
__all__ = [
    "UNSET",
    "DecodeError",
    "EncodeError",
    "TypedMcpError",
    "UnsetType",
    "__version__",
    "convert",
    "decode",
    "encode",
]
