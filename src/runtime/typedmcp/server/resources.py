"""Resources: a function, a value or a file under a URI, or under all URIs of a template."""

from __future__ import annotations

import asyncio
import mimetypes
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Protocol, cast

import msgspec
from msgspec import UNSET, UnsetType

from typedmcp_types.v2026_07_28 import structs as types

from .. import base
from ..errors import EncodeError, RegistrationError
from ..uritemplate import UriTemplate
from .content import contents
from .errors import ResourceNotFound
from .functions import Function
from .tools import WrongResult

_CONTENTS = (types.TextResourceContents, types.BlobResourceContents)
_SEVERAL = (*_CONTENTS, bytes, os.PathLike)
"""What makes a list one of contents, and not a value to be told as JSON."""


class ReadsResource(Protocol):
    """Who reads one resource, or those of one template."""

    async def __call__(self, uri: str, values: dict[str, Any], context: Any, /) -> types.ReadResourceResult:
        """Read what is under a URI; `values` are those of the template's variables."""
        ...


class FunctionResource:
    """A function that reads; the parameters of a template's function are its variables."""

    def __init__(
        self, function: Function, template: UriTemplate | None = None, mime_type: str | UnsetType = UNSET
    ) -> None:
        self.function = function
        self._mime_type = mime_type
        self._types = {parameter.name: parameter.type for parameter in function.parameters}
        variables: set[str] = set() if template is None else set(template.names)
        what = "a resource" if template is None else template.text
        for name in sorted(variables - self._types.keys()):
            raise RegistrationError(f"{function.name} has no parameter for the variable {name!r} of {what}: add one")
        for parameter in function.parameters:
            if parameter.name not in variables and parameter.required:
                told = f"{function.name} has a parameter {parameter.name!r} that is no variable of {what}"
                raise RegistrationError(f"{told}: remove it, or give it a default")

    async def __call__(self, uri: str, values: dict[str, Any], context: Any, /) -> types.ReadResourceResult:
        """See `ReadsResource`. A value that is not of its parameter's type is a URI of nothing."""
        try:
            found = {name: _parsed(value, self._types[name]) for name, value in values.items()}
        except msgspec.ValidationError as error:
            raise ResourceNotFound(str(error)) from None
        value = await self.function.call(context, found)
        return await as_contents(value, uri, self._mime_type, self.function.name)


class ValueResource:
    """A text, bytes, or a file that is read when it is asked for."""

    def __init__(self, value: str | bytes | os.PathLike[str], mime_type: str | UnsetType = UNSET) -> None:
        self._value = value
        self._mime_type = mime_type

    async def __call__(self, uri: str, values: dict[str, Any], context: Any, /) -> types.ReadResourceResult:
        """See `ReadsResource`."""
        return await as_contents(self._value, uri, self._mime_type, uri)


def _parsed(value: Any, type_: Any) -> Any:
    return value if type_ is str or type_ is Any else msgspec.convert(value, type_, strict=False)


async def as_contents(value: Any, uri: str, mime_type: str | UnsetType, name: str) -> types.ReadResourceResult:
    """What a reader returned as contents: text, bytes, a path to a file, contents as they are, a list of these.

    Anything else is told as its JSON text. Raises WrongResult for what has no JSON form, ResourceNotFound for None and
    for a file that is not there.
    """
    if isinstance(value, types.ReadResourceResult):
        return value
    if value is None:
        raise ResourceNotFound(f"{name} found nothing under {uri}")
    items = cast("Sequence[Any]", value if isinstance(value, (list, tuple)) else ())
    if not any(isinstance(item, _SEVERAL) for item in items):
        items = (cast("Any", value),)
    return types.ReadResourceResult(contents=[await _one(item, uri, mime_type, name) for item in items])


async def _one(value: Any, uri: str, mime_type: str | UnsetType, name: str) -> Any:
    if isinstance(value, _CONTENTS):
        return value
    if isinstance(value, os.PathLike):
        path = Path(cast("os.PathLike[str]", value))
        if mime_type is UNSET:
            mime_type = mimetypes.guess_type(path.name)[0] or UNSET
        try:
            value = await asyncio.to_thread(path.read_bytes)
        except (FileNotFoundError, IsADirectoryError) as error:
            raise ResourceNotFound(f"{name}: {error.strerror}") from None
        value = _as_text(value, mime_type)
    if isinstance(value, (str, bytes)):
        return contents(uri, value, mime_type)
    try:
        return contents(uri, base.encode(value).decode(), "application/json" if mime_type is UNSET else mime_type)
    except EncodeError as error:
        raise WrongResult(f"{name} returned what has no JSON form: {error}") from None


def _as_text(data: bytes, mime_type: str | UnsetType) -> str | bytes:
    """A file as text where its type says that it is one and its bytes are."""
    if not (isinstance(mime_type, str) and (mime_type.startswith("text/") or mime_type == "application/json")):
        return data
    try:
        return data.decode()
    except UnicodeDecodeError:
        return data
