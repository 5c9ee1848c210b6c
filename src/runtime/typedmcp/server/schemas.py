"""JSON Schemas of what functions take and return, and the reading and writing of such values by their types.

msgspec makes the schemas and reads the values; models of pydantic are asked themselves. Knows functions by their
parameters, and no message.
"""

from __future__ import annotations

import dataclasses
import inspect
import keyword
import sys
import typing
from collections.abc import Mapping, Sequence
from typing import Any, cast

import msgspec
from msgspec import UNSET

from .._faults import explain
from .._unions import Fault, is_array, is_object
from ..errors import EncodeError, RegistrationError
from .functions import Parameter

_ROOT = "Arguments"
_MCP = "typedmcp_types."
_TEMPLATE = "#/$defs/{name}"


class Arguments:
    """The arguments of a function as one JSON object."""

    def __init__(self, function_name: str, parameters: Sequence[Parameter]) -> None:
        """Raises RegistrationError for a parameter whose annotation has no JSON form."""
        self._names = tuple(parameter.name for parameter in parameters)
        for parameter in parameters:
            _require_supported(f"{function_name}: the parameter {parameter.name!r}", parameter.type)
        self._struct = _struct(parameters)
        self._fields = self._struct.__struct_fields__
        self.schema: dict[str, Any] = _object_schema(self._struct, _components(self._struct))
        """JSON Schema 2020-12; the root is an object, definitions are under `$defs`."""
        for parameter in parameters:
            self.schema["properties"][parameter.name] |= _words(parameter)

    def read(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """What the function is called with; what was not given is left out, what it does not know is ignored.

        Raises DecodeError for a value that is not of its parameter's type, or one that is missing.
        """
        found = read_as(given, self._struct)
        return {
            name: value
            for name, field in zip(self._names, self._fields, strict=True)
            if (value := getattr(found, field)) is not UNSET
        }


def _whole(value: Any) -> Any:
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if is_array(value):
        return [_whole(item) for item in value]
    if is_object(value):
        return {key: _whole(item) for key, item in value.items()}
    return value


class Output:
    """What a function returns as structured content: an object."""

    def __init__(self, type_: Any, schema: dict[str, Any]) -> None:
        self._type = type_
        self.schema = schema
        """JSON Schema 2020-12; the root is an object."""

    @classmethod
    def of(cls, function_name: str, annotation: Any) -> Output | None:
        """The output of a function with this annotation; None where that is no object type.

        Raises RegistrationError for an object type that has no JSON form.
        """
        if not _is_object_type(annotation):
            return None
        _require_supported(f"{function_name}: what it returns", annotation)
        return cls(annotation, _object_schema(annotation, _components(annotation, serialization=True)))

    def dump(self, value: Any) -> dict[str, Any]:
        """The value as JSON values. Raises DecodeError, or EncodeError, for one that is not of the type."""
        try:
            told: Any = msgspec.to_builtins(value, enc_hook=_enc_hook)
        except (TypeError, ValueError, RecursionError) as error:
            raise EncodeError(str(error)) from None
        try:
            msgspec.convert(told, self._type, dec_hook=_dec_hook)
        except (ValueError, RecursionError) as error:
            reader = msgspec.json.Decoder(self._type, dec_hook=_dec_hook)
            raise explain(error, msgspec.json.encode(told), reader.decode) from None
        return cast("dict[str, Any]", told)


def _words(parameter: Parameter) -> dict[str, Any]:
    """What a parameter says beside its type: its description, and its default where that has a JSON form."""
    found: dict[str, Any] = {"description": parameter.description} if parameter.description else {}
    if not parameter.required:
        try:
            found["default"] = msgspec.json.decode(msgspec.json.encode(parameter.default, enc_hook=_enc_hook))
        except (TypeError, ValueError):
            return found
    return found


def object_schema(type_: Any, name: str) -> dict[str, Any]:
    """The schema of an object type, its root in place. Raises RegistrationError for a type that is none."""
    if not _is_object_type(type_):
        raise RegistrationError(f"{name} is no object type: use a msgspec.Struct, a dataclass or a TypedDict")
    _require_supported(name, type_)
    return _object_schema(type_, _components(type_))


def read_as(value: Mapping[str, Any], type_: Any) -> Any:
    """A JSON object as an object type; a whole number may be written as 1.0, as some clients do. Raises DecodeError."""
    try:
        return msgspec.convert(value, type_, dec_hook=_dec_hook)
    except (ValueError, RecursionError):
        whole: Any = _whole(dict(value))

    def read(data: bytes) -> Any:
        return msgspec.convert(msgspec.json.decode(data), type_, dec_hook=_dec_hook)

    try:
        return msgspec.convert(whole, type_, dec_hook=_dec_hook)
    except (ValueError, RecursionError) as error:
        raise explain(error, msgspec.json.encode(whole), read) from None


def _struct(parameters: Sequence[Parameter]) -> type[msgspec.Struct]:
    """A struct with a field for each parameter; one that is not given stays UNSET."""
    fields: list[tuple[str, Any] | tuple[str, Any, Any]] = []
    names: dict[str, str] = {}
    for number, parameter in enumerate(parameters):
        awkward = keyword.iskeyword(parameter.name) or parameter.name.startswith("__")
        field = f"field_{number}" if awkward else parameter.name
        names[field] = parameter.name
        if parameter.required:
            fields.append((field, parameter.type))
        else:
            fields.append((field, typing.Union[parameter.type, msgspec.UnsetType], UNSET))  # noqa: UP007
    return msgspec.defstruct(_ROOT, fields, rename=names, kw_only=True)


def _components(type_: Any, *, serialization: bool = False) -> tuple[dict[str, Any], dict[str, Any]]:
    definitions: dict[str, Any] = {}

    def hook(kind: Any) -> dict[str, Any]:
        if not _is_model(kind):
            raise NotImplementedError
        mode: Any = "serialization" if serialization else "validation"
        made: dict[str, Any] = kind.model_json_schema(mode=mode, ref_template="#/$defs/{model}")
        definitions.update(made.pop("$defs", {}))
        return made

    (schema,), components = msgspec.json.schema_components((type_,), schema_hook=hook, ref_template=_TEMPLATE)
    return schema, {**components, **definitions}


def _object_schema(type_: Any, made: tuple[dict[str, Any], dict[str, Any]]) -> dict[str, Any]:
    """The schema with its root in place and its definitions beside it."""
    schema, definitions = made
    root = schema
    while set(root) == {"$ref"}:
        name = root["$ref"].rpartition("/")[2]
        root = definitions[name]
    found = {key: value for key, value in root.items() if not (key == "title" and value == _ROOT)}
    if type_.__class__ is type(msgspec.Struct) and type_.__name__ == _ROOT:
        definitions = {name: body for name, body in definitions.items() if name != _ROOT}
    found.setdefault("type", "object")
    found.setdefault("properties", {})
    used = _used(found, definitions)
    return {**found, "$defs": used} if used else found


def _used(schema: Any, definitions: Mapping[str, Any]) -> dict[str, Any]:
    """The definitions that a schema mentions, directly or not."""
    found: dict[str, Any] = {}
    pending: list[Any] = [schema]
    while pending:
        node = pending.pop()
        if is_object(node):
            name = str(node.get("$ref", "")).removeprefix("#/$defs/")
            if name in definitions and name not in found:
                found[name] = definitions[name]
                pending.append(definitions[name])
            pending += node.values()
        elif is_array(node):
            pending += node
    return dict(sorted(found.items()))


def _require_supported(what: str, type_: Any) -> None:
    advice = "use a type of JSON values, a dataclass, a TypedDict, a msgspec.Struct or a pydantic model"
    try:
        for custom in _custom(type_):
            if not _is_model(custom):
                raise RegistrationError(f"{what} cannot be a {custom.__name__}, which has no JSON form: {advice}")
        _components(type_)
        msgspec.json.Decoder(type_, dec_hook=_dec_hook)
    except TypeError as error:
        told = str(error).splitlines()[0]
        raise RegistrationError(f"{what} cannot be of this type, {told}: {advice}") from None


def _custom(type_: Any) -> list[Any]:
    """The types in a type that msgspec does not know."""
    from msgspec import inspect as shapes

    found: list[Any] = []
    seen: set[int] = set()
    pending: list[Any] = [shapes.type_info(type_)]
    while pending:
        info = pending.pop()
        if isinstance(info, shapes.CustomType):
            found.append(info.cls)
        elif isinstance(info, (shapes.Type, shapes.Field)) and id(info) not in seen:
            seen.add(id(info))
            pending += [getattr(info, name) for name in info.__struct_fields__]
        elif isinstance(info, tuple):
            pending += [*info]
    return found


def _is_object_type(annotation: Any) -> bool:
    if annotation in (inspect.Parameter.empty, None, Any):
        return False
    origin = typing.get_origin(annotation)
    if origin is typing.Annotated:
        return _is_object_type(typing.get_args(annotation)[0])
    if origin is not None:
        arguments = typing.get_args(annotation)
        if isinstance(origin, type) and issubclass(origin, Mapping):
            return arguments[0] is str
        return _is_object_type(origin)
    # Content and results say themselves what they are.
    return isinstance(annotation, type) and not annotation.__module__.startswith(_MCP) and _has_members(annotation)


def _has_members(kind: Any) -> bool:
    structured = issubclass(kind, msgspec.Struct) or dataclasses.is_dataclass(kind) or hasattr(kind, "__attrs_attrs__")
    return structured or typing.is_typeddict(kind) or _is_model(kind)


def _is_model(kind: Any) -> bool:
    pydantic = sys.modules.get("pydantic")
    return pydantic is not None and isinstance(kind, type) and issubclass(kind, pydantic.BaseModel)


def _dec_hook(kind: Any, value: Any) -> Any:
    if not _is_model(kind):
        raise NotImplementedError(f"{kind} cannot be read")
    import pydantic

    try:
        return kind.model_validate_json(msgspec.json.encode(value))
    except pydantic.ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        raise Fault(first["msg"], first["loc"]) from None


def _enc_hook(value: Any) -> Any:
    if not _is_model(type(value)):
        raise TypeError(f"{type(value).__name__} has no JSON form")
    return value.model_dump(mode="json", by_alias=True)


__all__ = ["Arguments", "Output"]
