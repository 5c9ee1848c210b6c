"""The generator: an MCP JSON Schema in, a package of exact types, method tables and stubs out.

A developer's tool with dependencies of its own (the extra `codegen`); nothing in `typedmcp` imports it but the command
line, and it imports neither `typedmcp` nor generated code.
"""

from __future__ import annotations

__version__ = "0.1.0"
