"""The conformance kit: what a test of an MCP server or client needs; the only part that imports hypothesis."""

from __future__ import annotations

try:
    from ._compile import UnsatisfiableType
    from .strategies import documents, strategy
except ModuleNotFoundError as error:
    if error.name != "hypothesis":
        raise
    raise ImportError('typedmcp.testing needs hypothesis: pip install "typedmcp[testing]"') from error

__all__ = ["UnsatisfiableType", "documents", "strategy"]
