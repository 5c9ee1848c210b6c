"""Typed bindings for the Model Context Protocol: the runtime's front door, light enough to import for nothing.

The types themselves are in `typedmcp_types`; `decode`, `convert` and `encode` are the one way in and out. Generated
stubs (`typedmcp_types.<revision>.<back end>.server` and `.client`) speak over a `Peer`, which `typedmcp.transports`
connects.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .base import UNSET as UNSET
    from .base import UnsetType as UnsetType
    from .base import convert as convert
    from .base import decode as decode
    from .base import encode as encode
    from .codec import Codec as Codec
    from .engine import Engine as Engine
    from .errors import CallTimeout as CallTimeout
    from .errors import Closed as Closed
    from .errors import DecodeError as DecodeError
    from .errors import EncodeError as EncodeError
    from .errors import LocalProtocolError as LocalProtocolError
    from .errors import ProtocolError as ProtocolError
    from .errors import RegistrationError as RegistrationError
    from .errors import RemoteProtocolError as RemoteProtocolError
    from .errors import RpcError as RpcError
    from .errors import TypedMcpError as TypedMcpError
    from .peer import Peer as Peer
    from .stubs import Context as Context
else:
    _PLACES = {
        **dict.fromkeys(("UNSET", "UnsetType", "convert", "decode", "encode"), "base"),
        **dict.fromkeys(("CallTimeout", "Closed", "DecodeError", "EncodeError", "LocalProtocolError"), "errors"),
        **dict.fromkeys(
            ("ProtocolError", "RegistrationError", "RemoteProtocolError", "RpcError", "TypedMcpError"), "errors"
        ),
        "Codec": "codec",
        "Context": "stubs",
        "Engine": "engine",
        "Peer": "peer",
    }

    def __getattr__(name: str) -> object:
        # Generated code imports `typedmcp.base`, which runs this file first: anything eager here would be a circle.
        from importlib import import_module

        place = _PLACES.get(name)
        if place is None:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        return getattr(import_module(f".{place}", __name__), name)


__version__ = "0.1.0"
__all__ = [
    "UNSET",
    "CallTimeout",
    "Closed",
    "Codec",
    "Context",
    "DecodeError",
    "EncodeError",
    "Engine",
    "LocalProtocolError",
    "Peer",
    "ProtocolError",
    "RegistrationError",
    "RemoteProtocolError",
    "RpcError",
    "TypedMcpError",
    "UnsetType",
    "__version__",
    "convert",
    "decode",
    "encode",
]
