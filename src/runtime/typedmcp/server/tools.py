"""Tools: a function, or a JSON Schema and a function, as something a model can call."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from typing import Any, Protocol

from msgspec import UNSET

from typedmcp_types.v2026_07_28 import structs as types

from ..errors import DecodeError, EncodeError, RegistrationError
from .content import blocks, text
from .functions import Function, shared
from .options import ToolOptions
from .schemas import Arguments, Output

_log = logging.getLogger("typedmcp.server")
_WANTED = "give the function one parameter, which gets the arguments as a dict"


class WrongResult(Exception):
    """What a handler returned is not what it said it would; for the log."""


class BadArguments(Exception):
    """Arguments that are not those of a tool."""

    def __init__(self, fault: DecodeError) -> None:
        super().__init__(f"Invalid arguments: {fault}")
        self.fault = fault


class RunsTool(Protocol):
    """Who answers calls of one tool."""

    async def __call__(self, arguments: Mapping[str, Any], context: Any, /) -> types.CallToolResult:
        """Call it. Raises BadArguments, WrongResult, and whatever the tool raises."""
        ...


class FunctionTool:
    """A function whose parameters are the arguments, and whose result is content, structured where its type says so."""

    def __init__(self, function: Function, *, structured: bool) -> None:
        self.function = function
        self.arguments = Arguments(function.name, function.parameters)
        self.output = Output.of(function.name, function.returns) if structured else None

    async def __call__(self, arguments: Mapping[str, Any], context: Any, /) -> types.CallToolResult:
        """See `RunsTool`."""
        try:
            found = self.arguments.read(arguments)
        except DecodeError as error:
            raise BadArguments(error) from None
        value = await self.function.call(context, found)
        if self.output is None or isinstance(value, types.CallToolResult):
            return as_result(value, self.function.name)
        try:
            structured = self.output.dump(value)
        except (DecodeError, EncodeError) as error:
            raise WrongResult(f"{self.function.name} returned what is not of its annotated type: {error}") from None
        return types.CallToolResult(content=blocks(structured), structured_content=structured)


class SchemaTool:
    """A function of all arguments as a dict, described by a schema that is passed on as it is."""

    def __init__(self, function: Function, input_schema: dict[str, Any], output_schema: dict[str, Any] | None) -> None:
        if len(function.parameters) != 1:
            raise RegistrationError(
                f"{function.name} has a schema and {len(function.parameters)} parameters: {_WANTED}"
            )
        self.function = function
        self._parameter = function.parameters[0].name
        self._structured = output_schema is not None
        self._accept = _validator(function.name, input_schema)
        self._confirm = None if output_schema is None else _validator(function.name, output_schema)

    async def __call__(self, arguments: Mapping[str, Any], context: Any, /) -> types.CallToolResult:
        """See `RunsTool`."""
        if self._accept is not None:
            try:
                self._accept(arguments)
            except DecodeError as error:
                raise BadArguments(error) from None
        value = await self.function.call(context, {self._parameter: arguments})
        if not self._structured or isinstance(value, types.CallToolResult):
            return as_result(value, self.function.name)
        if self._confirm is not None:
            try:
                self._confirm(value)
            except DecodeError as error:
                raise WrongResult(f"{self.function.name} returned what its output schema refuses: {error}") from None
        return types.CallToolResult(content=blocks(value), structured_content=value)


def as_result(value: Any, name: str) -> types.CallToolResult:
    """What a tool returned as a result. Raises WrongResult for what has no JSON form."""
    if isinstance(value, types.CallToolResult):
        return value
    if isinstance(value, str):
        return types.CallToolResult(content=[types.TextContent(text=value)])
    try:
        return types.CallToolResult(content=blocks(value))
    except EncodeError as error:
        raise WrongResult(f"{name} returned what has no JSON form: {error}") from None


def failed(message: str) -> types.CallToolResult:
    """A result that tells the model what went wrong."""
    return types.CallToolResult(content=[text(message)], is_error=True)


def declared_tool(function: Function, options: ToolOptions) -> tuple[RunsTool, types.Tool]:
    """Who answers for a function's tool, and its declaration. Raises RegistrationError."""
    schema, output_schema = options.get("input_schema"), options.get("output_schema")
    if schema is not None:
        run: FunctionTool | SchemaTool = SchemaTool(function, schema, output_schema)
    else:
        run = FunctionTool(function, structured=options.get("structured", True))
        schema = run.arguments.schema
        if output_schema is None and run.output is not None:
            output_schema = run.output.schema
    return run, types.Tool(
        input_schema=schema,
        output_schema=UNSET if output_schema is None else output_schema,
        annotations=options.get("annotations") or UNSET,
        **shared(function, options),
    )


def _validator(name: str, schema: dict[str, Any]) -> Callable[[Any], None] | None:
    try:
        import jsonschema_rs
    except ImportError:
        _log.warning(
            '%s: its schema is not checked, since jsonschema-rs is missing: pip install "typedmcp[schema]"', name
        )
        return None
    try:
        validator = jsonschema_rs.validator_for(schema)
    except (ValueError, jsonschema_rs.ReferencingError) as error:
        told = str(error).splitlines()[0]
        raise RegistrationError(f"{name}: its JSON Schema is none: {told}") from None

    def check(value: Any) -> None:
        try:
            validator.validate(value)
        except jsonschema_rs.ValidationError as error:
            pointer = "".join(f"/{part}" for part in error.instance_path)
            raise DecodeError(error.message.splitlines()[0], pointer) from None

    return check
