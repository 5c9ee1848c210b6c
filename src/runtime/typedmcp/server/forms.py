"""Forms that a user fills in, made of types: flat, with fields of a few kinds (MCP, elicitation).

Knows types and JSON Schemas; no request and no client.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import Any, Final, Generic, TypeVar, cast

from ..errors import RegistrationError
from .schemas import object_schema, read_as

T = TypeVar("T")
F = TypeVar("F")
_TEXT: Final = ("minLength", "maxLength", "format")
_NUMBER: Final = ("minimum", "maximum")
_LIST: Final = ("minItems", "maxItems")
_WORDS: Final = ("title", "description", "default")
_FORMATS: Final = ("email", "uri", "date", "date-time")
_ALLOWED: Final = "a form has texts, numbers, booleans, and choices of texts, one or several"


class Form(Generic[T]):
    """A form made of a type: a msgspec.Struct, a dataclass, a TypedDict or a pydantic model.

    Its fields are texts, whole numbers, numbers, booleans, choices (`Literal` of texts, or an Enum of texts, whose
    members' names are shown) and lists of choices. One that has a default, or may be None, may be left empty.
    """

    def __init__(self, type_: type[T]) -> None:
        """Raises RegistrationError for a type that is no form, with the field that makes it none."""
        self.type = type_
        self._name = type_.__name__
        made = object_schema(type_, self._name)
        self._definitions: dict[str, Any] = made.get("$defs", {})
        fields = {name: self._field(name, schema) for name, schema in made["properties"].items()}
        self.schema: dict[str, Any] = {"type": "object", "properties": fields}
        """As the newest revision has it."""
        if made.get("required"):
            self.schema["required"] = list(made["required"])
        plain = {name: _plain(schema) for name, schema in fields.items()}
        several = any(schema is None for schema in plain.values())
        self.plain_schema: dict[str, Any] | None = None if several else {**self.schema, "properties": plain}
        """As 2025-06-18 has it; None where it has no words for a choice of several."""

    @staticmethod
    def of(type_: type[F]) -> Form[F]:
        """The form of a type, made once. Raises RegistrationError."""
        key: Any = type_
        return cast("Form[F]", _made(key))

    def read(self, content: Mapping[str, Any]) -> T:
        """What was filled in, with the defaults of what was not. Raises DecodeError."""
        return cast("T", read_as(content, self.type))

    def _field(self, name: str, schema: dict[str, Any]) -> dict[str, Any]:
        words: dict[str, Any] = {key: schema[key] for key in _WORDS if schema.get(key) is not None}
        body = self._one(schema)
        found = self._shaped(body)
        if found is None:
            kind = body.get("type") or next(iter(body), "anything")
            raise RegistrationError(f"{self._name} is no form: {name!r} is of {kind}; {_ALLOWED}")
        return {**found, **words}

    def _one(self, schema: dict[str, Any]) -> dict[str, Any]:
        """A schema without references, and without null beside one other type: a field may be left empty."""
        if "$ref" in schema:
            return self._one(self._definitions[schema["$ref"].rpartition("/")[2]])
        arms = [arm for arm in schema.get("anyOf", ()) if arm.get("type") != "null"]
        if len(arms) == 1:
            return self._one(arms[0])
        if "allOf" in schema and len(schema["allOf"]) == 1:
            return self._one(schema["allOf"][0])
        return schema

    def _shaped(self, body: dict[str, Any]) -> dict[str, Any] | None:
        match body.get("type"):
            case "boolean":
                return {"type": "boolean"}
            case "integer" | "number" as kind:
                return {"type": kind, **_kept(body, _NUMBER)} if "enum" not in body else None
            case "array":
                items = self._one(body.get("items") or {})
                choices = self._choices(items, "anyOf")
                return None if choices is None else {"type": "array", "items": choices, **_kept(body, _LIST)}
            case _:
                return self._choices(body, "oneOf") or _text(body)

    def _choices(self, body: dict[str, Any], titled: str) -> dict[str, Any] | None:
        """A choice of texts: by title where there are titles, which `enumNames` gives."""
        values = body.get("enum")
        if not values or not all(isinstance(value, str) for value in values):
            return None
        names = body.get("enumNames")
        if names is None:
            return {"type": "string", "enum": list(values)}
        options = [{"const": value, "title": name} for value, name in zip(values, names, strict=True)]
        return {"type": "string", titled: options} if titled == "oneOf" else {titled: options}


def _text(body: dict[str, Any]) -> dict[str, Any] | None:
    if body.get("type") != "string" or body.get("format", "email") not in _FORMATS or "pattern" in body:
        return None
    return {"type": "string", **_kept(body, _TEXT)}


def _kept(body: Mapping[str, Any], keys: tuple[str, ...]) -> dict[str, Any]:
    return {key: body[key] for key in keys if key in body}


def _plain(schema: dict[str, Any]) -> dict[str, Any] | None:
    """A field as the first revision with forms has it: titles beside the values, defaults for booleans alone."""
    if schema["type"] == "array":
        return None
    found = {key: value for key, value in schema.items() if key != "default" or schema["type"] == "boolean"}
    if options := found.pop("oneOf", None):
        found["enum"] = [option["const"] for option in options]
        found["enumNames"] = [option["title"] for option in options]
    return found


@functools.cache
def _made(type_: Any) -> Form[Any]:
    return Form(type_)
