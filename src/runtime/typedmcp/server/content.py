"""Content of results and messages, made from what a handler has at hand; of the newest revision's types."""

from __future__ import annotations

import base64
from collections.abc import Iterable, Sequence
from typing import Any, Literal, cast

from msgspec import UNSET, UnsetType

from typedmcp_types.v2026_07_28.structs import (
    Annotations,
    AudioContent,
    BlobResourceContents,
    ContentBlock,
    EmbeddedResource,
    ImageContent,
    PromptMessage,
    ResourceLink,
    TextContent,
    TextResourceContents,
)

from .. import base

BLOCKS = (TextContent, ImageContent, AudioContent, ResourceLink, EmbeddedResource)


def text(value: str, *, annotations: Annotations | UnsetType = UNSET) -> TextContent:
    """A text."""
    return TextContent(text=value, annotations=annotations)


def image(data: bytes, mime_type: str, *, annotations: Annotations | UnsetType = UNSET) -> ImageContent:
    """An image, from its bytes."""
    return ImageContent(data=base64.b64encode(data).decode(), mime_type=mime_type, annotations=annotations)


def audio(data: bytes, mime_type: str, *, annotations: Annotations | UnsetType = UNSET) -> AudioContent:
    """A sound, from its bytes. Revisions before 2025-03-26 cannot be told of one."""
    return AudioContent(data=base64.b64encode(data).decode(), mime_type=mime_type, annotations=annotations)


def embedded(
    uri: str, data: str | bytes, mime_type: str | UnsetType = UNSET, *, annotations: Annotations | UnsetType = UNSET
) -> EmbeddedResource:
    """A resource with its contents, text or bytes."""
    return EmbeddedResource(resource=contents(uri, data, mime_type), annotations=annotations)


def link(
    uri: str,
    name: str,
    *,
    title: str | UnsetType = UNSET,
    description: str | UnsetType = UNSET,
    mime_type: str | UnsetType = UNSET,
    size: int | UnsetType = UNSET,
    annotations: Annotations | UnsetType = UNSET,
) -> ResourceLink:
    """A reference to a resource. Revisions before 2025-06-18 cannot be told of one."""
    return ResourceLink(
        uri=uri,
        name=name,
        title=title,
        description=description,
        mime_type=mime_type,
        size=size,
        annotations=annotations,
    )


def contents(
    uri: str, data: str | bytes, mime_type: str | UnsetType = UNSET
) -> TextResourceContents | BlobResourceContents:
    """What a resource holds: a text, or bytes."""
    if isinstance(data, str):
        return TextResourceContents(uri=uri, text=data, mime_type=mime_type)
    return BlobResourceContents(uri=uri, blob=base64.b64encode(data).decode(), mime_type=mime_type)


def user(*content: str | ContentBlock) -> list[PromptMessage]:
    """Messages of the user, one for each piece of content."""
    return _said("user", content)


def assistant(*content: str | ContentBlock) -> list[PromptMessage]:
    """Messages of the assistant, one for each piece of content."""
    return _said("assistant", content)


def _said(role: Literal["user", "assistant"], content: Iterable[Any]) -> list[PromptMessage]:
    return [PromptMessage(role=role, content=block(one)) for one in content]


def block(value: Any) -> ContentBlock:
    """One piece of content: a block as it is, a text as text, any other value as its JSON text.

    Raises EncodeError for a value without a JSON form.
    """
    if isinstance(value, BLOCKS):
        return value
    if isinstance(value, str):
        return TextContent(text=value)
    return TextContent(text=base.encode(value).decode())


def blocks(value: Any) -> list[ContentBlock]:
    """What a tool returned as content: nothing for None, a block for each item of a list that holds blocks."""
    if value is None:
        return []
    items = cast("Sequence[Any]", value if isinstance(value, (list, tuple)) else ())
    if any(isinstance(item, BLOCKS) for item in items):
        return [block(item) for item in items]
    return [block(value)]


__all__ = ["assistant", "audio", "block", "blocks", "contents", "embedded", "image", "link", "text", "user"]
