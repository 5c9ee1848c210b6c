"""Prompts: a function, its arguments and the messages it makes; declared in one call or by a builder."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol, cast

import msgspec
from msgspec import UNSET, UnsetType

from typedmcp_types.v2026_07_28 import structs as types

from ..errors import EncodeError, InvalidParams, RegistrationError
from .content import BLOCKS, block
from .functions import Function, Parameter
from .tools import WrongResult


class RunsPrompt(Protocol):
    """Who makes the messages of one prompt."""

    async def __call__(self, arguments: Mapping[str, str], context: Any, /) -> types.GetPromptResult:
        """Make them. Raises InvalidParams for arguments that are none of its, and whatever the prompt raises."""
        ...


class FunctionPrompt:
    """A function whose parameters are the arguments: strings on the wire, parsed where a parameter has another type.

    `declared`: the arguments, in the order in which a `positional` function gets them.
    """

    def __init__(
        self, function: Function, declared: Sequence[types.PromptArgument] | None = None, *, positional: bool = False
    ) -> None:
        self.function = function
        self.positional = positional
        self.declared = list(_inferred(function.parameters) if declared is None else declared)
        self._parameters = {parameter.name: parameter for parameter in function.parameters}
        if not positional:
            self._require_parameters()
        elif len(function.parameters) < len(self.declared):
            told = f"{len(self.declared)} arguments and {len(function.parameters)} parameters"
            raise RegistrationError(f"prompt {function.name} has {told}: positional ones need a parameter each")

    def _require_parameters(self) -> None:
        names = {argument.name for argument in self.declared}
        for name in names - self._parameters.keys():
            raise RegistrationError(f"{self.function.name} has no parameter for the argument {name!r}: add one")
        for parameter in self._parameters.values():
            if parameter.required and parameter.name not in names:
                raise RegistrationError(
                    f"{self.function.name} needs {parameter.name!r}, which is no argument: declare it"
                )

    async def __call__(self, arguments: Mapping[str, str], context: Any, /) -> types.GetPromptResult:
        """See `RunsPrompt`."""
        missing = [one.name for one in self.declared if one.required is True and one.name not in arguments]
        if missing:
            raise InvalidParams(f'Required argument "{missing[0]}" is missing', data={"missing": missing})
        found: dict[str, Any] = {}
        for place, argument in enumerate(self.declared):
            parameter = self._parameter(place, argument.name)
            if argument.name in arguments:
                found[parameter.name] = _parsed(argument.name, arguments[argument.name], parameter.type)
            elif parameter.required:
                found[parameter.name] = UNSET
        return as_messages(await self.function.call(context, found), self.function.name)

    def _parameter(self, place: int, name: str) -> Parameter:
        return self.function.parameters[place] if self.positional else self._parameters[name]


def _inferred(parameters: Sequence[Parameter]) -> list[types.PromptArgument]:
    return [
        types.PromptArgument(
            name=parameter.name,
            description=parameter.description or UNSET,
            required=True if parameter.required else UNSET,
        )
        for parameter in parameters
    ]


def _parsed(name: str, value: str, type_: Any) -> Any:
    if type_ is str or type_ is Any:
        return value
    try:
        return msgspec.convert(value, type_, strict=False)
    except msgspec.ValidationError as error:
        refused = str(error)
    try:
        return msgspec.json.decode(value, type=type_)
    except (msgspec.DecodeError, RecursionError):
        raise InvalidParams(f'Argument "{name}": {refused}', data={"argument": name}) from None


def as_messages(value: Any, name: str) -> types.GetPromptResult:
    """What a prompt returned as messages: a text, a piece of content, a message, or a list of these.

    Raises WrongResult for anything else.
    """
    if isinstance(value, types.GetPromptResult):
        return value
    items = cast("Sequence[Any]", value if isinstance(value, (list, tuple)) else [value])
    messages: list[types.PromptMessage] = []
    for item in items:
        if isinstance(item, types.PromptMessage):
            messages.append(item)
        elif isinstance(item, (list, tuple)):
            messages += as_messages(item, name).messages
        elif isinstance(item, (str, *BLOCKS)):
            try:
                messages.append(types.PromptMessage(role="user", content=block(item)))
            except EncodeError as error:
                raise WrongResult(f"{name} returned what has no JSON form: {error}") from None
        else:
            raise WrongResult(f"{name} returned {type(item).__name__}, which is no message and no content")
    return types.GetPromptResult(messages=messages)


class DeclaredPrompt:
    """A prompt and who makes its messages, ready for `Server.add_prompt`."""

    __slots__ = ("declared", "run")

    def __init__(self, declared: types.Prompt, run: RunsPrompt) -> None:
        self.declared = declared
        self.run = run


class Prompt:
    """Declares a prompt step by step: `Prompt.build("name").title(…).argument("x", required=True).handler(f).done()`.

    The function gets the declared arguments by name, or in the order they were declared if it is `positional`.
    """

    def __init__(self, name: str) -> None:
        if not name.strip():
            raise RegistrationError("a prompt has no name: give it one")
        self._prompt = types.Prompt(name=name)
        self._arguments: list[types.PromptArgument] = []

    @classmethod
    def build(cls, name: str) -> Prompt:
        """Begin. Raises RegistrationError for an empty name."""
        return cls(name)

    def title(self, title: str) -> Prompt:
        """How people see it."""
        self._prompt.title = title
        return self

    def description(self, description: str) -> Prompt:
        """What it is for."""
        self._prompt.description = description
        return self

    def icon(
        self, src: str, *, mime_type: str | UnsetType = UNSET, sizes: str | list[str] | UnsetType = UNSET
    ) -> Prompt:
        """One more variant of its icon; `sizes` as `48x48` or `any`. Not told before 2025-11-25."""
        given = [sizes] if isinstance(sizes, str) else sizes
        self._prompt.icons = [*(self._prompt.icons or []), types.Icon(src=src, mime_type=mime_type, sizes=given)]
        return self

    def argument(
        self,
        name: str,
        *,
        title: str | UnsetType = UNSET,
        description: str | UnsetType = UNSET,
        required: bool = False,
    ) -> Prompt:
        """One more argument. Raises RegistrationError for an empty name, or one that is there already."""
        if not name.strip() or any(argument.name == name for argument in self._arguments):
            raise RegistrationError(f"prompt {self._prompt.name!r}: the argument {name!r} has no name of its own")
        self._arguments.append(
            types.PromptArgument(name=name, title=title, description=description, required=True if required else UNSET)
        )
        return self

    def handler(
        self, function: Callable[..., Any], *, positional: bool = False, inline: bool = False
    ) -> PreparedPrompt:
        """Who makes the messages; `inline` as of `Server.prompt`. What is left is `done`."""
        if not callable(function):
            raise RegistrationError(f"prompt {self._prompt.name!r} has no handler: give the function that answers")
        self._prompt.arguments = self._arguments or UNSET
        return PreparedPrompt(self._prompt, self._arguments, function, positional=positional, inline=inline)

    if not TYPE_CHECKING:
        # For checkers there is nothing to be done before there is a handler.
        def done(self):
            """Raises RegistrationError."""
            raise RegistrationError(f"prompt {self._prompt.name!r} has no handler: call handler(…) before done()")


class PreparedPrompt:
    """A prompt with its handler."""

    def __init__(
        self,
        declared: types.Prompt,
        arguments: list[types.PromptArgument],
        function: Callable[..., Any],
        *,
        positional: bool,
        inline: bool,
    ) -> None:
        self._declared = declared
        self._arguments = arguments
        self._function = function
        self._positional = positional
        self._inline = inline

    def done(self) -> DeclaredPrompt:
        """The declaration. Raises RegistrationError where function and arguments do not fit."""
        from .context import Context

        function = Function.of(self._function, context=Context, inline=self._inline, kind="prompt")
        return DeclaredPrompt(self._declared, FunctionPrompt(function, self._arguments, positional=self._positional))
