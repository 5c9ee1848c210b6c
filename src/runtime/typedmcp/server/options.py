"""What a registration may say beside the function: keywords of `Server.tool`, `Server.prompt` and `Server.resource`."""

from __future__ import annotations

from typing import Any, TypedDict

from typedmcp_types.v2026_07_28 import structs as types

from .registry import OnDuplicate


class Options(TypedDict, total=False):
    """What every registration may say."""

    name: str | None
    """What programs call it; the function's name by default."""
    title: str | None
    """What people see."""
    description: str | None
    """What it is for; the function's docstring by default."""
    icons: list[types.Icon] | None
    """Pictures of it. Not told before 2025-11-25."""
    meta: dict[str, Any] | None
    """Whatever else clients should know, under keys with a prefix of yours."""
    inline: bool
    """For functions that are no coroutines: run in the loop, and not in a worker thread, since they are quick."""
    on_duplicate: OnDuplicate | None
    """What becomes of it where the name is taken; what the server says by default."""


class ToolOptions(Options, total=False):
    """What a tool may say."""

    annotations: types.ToolAnnotations | None
    """Hints about what it does."""
    structured: bool
    """Whether a result whose annotated type is an object is told as structured content too; it is, by default."""
    input_schema: dict[str, Any] | None
    """A JSON Schema that is passed on as it is; the function then gets all arguments as one dict."""
    output_schema: dict[str, Any] | None
    """The same for what the function returns."""


class PromptOptions(Options, total=False):
    """What a prompt may say."""

    arguments: list[types.PromptArgument] | None
    """Its arguments; those of the function's parameters by default."""
    positional: bool
    """Whether the function gets them in the order of declaration, and not by name."""


class ResourceOptions(Options, total=False):
    """What a resource or a resource template may say."""

    mime_type: str | None
    """Of what it holds."""
    size: int | None
    """How many bytes it holds, where that is known."""
    annotations: types.Annotations | None
    """For whom it is, and how much it matters."""
