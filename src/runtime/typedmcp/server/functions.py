"""A user's function as a server calls it: what it takes, what it says of itself, and how it is run.

Everything about it is found out once, when it is registered. Knows no message and no revision.
"""

from __future__ import annotations

import asyncio
import functools
import inspect
import types
import typing
from collections.abc import Awaitable, Callable
from typing import Any, NamedTuple

import msgspec
from msgspec import UNSET

from ..errors import RegistrationError
from .docstrings import described
from .options import Options


class Parameter(NamedTuple):
    """One parameter that a caller gives; `default` is meaningless where it is required."""

    name: str
    type: Any
    required: bool
    default: Any
    description: str


Call = Callable[..., Awaitable[Any]]


class Function:
    """A function, its parameters without the context, and a way to call it that costs no second look at it."""

    def __init__(
        self,
        name: str,
        description: str,
        parameters: tuple[Parameter, ...],
        returns: Any,
        context_name: str | None,
        call: Call,
    ) -> None:
        self.name = name
        self.description = description
        self.parameters = parameters
        self.returns = returns
        """The annotation of what it returns; `inspect.Parameter.empty` where there is none."""
        self.context_name = context_name
        """The parameter that gets the context, if one does."""
        self._call = call

    @classmethod
    def of(cls, function: Callable[..., Any], *, context: type, inline: bool = False, kind: str = "tool") -> Function:
        """Look at a function. `inline`: it is quick, and runs in the loop even though it is no coroutine function.

        Raises RegistrationError for what cannot be called by name with JSON values.
        """
        if not callable(function):
            raise RegistrationError(f"a {kind} needs a function that answers, not {function!r}")
        name = _name(function, kind)
        plain = _plain(function)
        hints = _hints(plain, name)
        summary, told = described(_documentation(function, plain))
        parameters: list[Parameter] = []
        context_name: str | None = None
        for parameter in inspect.signature(function).parameters.values():
            type_ = hints.get(parameter.name, Any)
            if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
                raise RegistrationError(f"{name} takes *{parameter.name}: name each of its parameters")
            if parameter.kind is parameter.POSITIONAL_ONLY:
                raise RegistrationError(f"{name} takes {parameter.name!r} by position alone: remove the `/`")
            if _is_context(type_, context):
                if context_name is not None:
                    raise RegistrationError(f"{name} has two contexts, {context_name!r} and {parameter.name!r}")
                context_name = parameter.name
                continue
            required = parameter.default is parameter.empty
            words = _described(type_) or told.get(parameter.name, "")
            parameters.append(Parameter(parameter.name, type_, required, parameter.default, words))
        returns = hints.get("return", inspect.Parameter.empty)
        call = _runner(function, plain, name, inline)
        return cls(name, summary, tuple(parameters), returns, context_name, call)

    def call(self, context: Any, arguments: dict[str, Any]) -> Awaitable[Any]:
        """Call it by name, with the context where it takes one; `arguments` is the function's from now on."""
        if self.context_name is not None:
            arguments[self.context_name] = context
        return self._call(**arguments)


def shared(function: Function, options: Options) -> dict[str, Any]:
    """What every declaration has, from the function where the options do not say. Raises RegistrationError."""
    return {
        "name": options.get("name") or function.name,
        "title": options.get("title") or UNSET,
        "description": options.get("description") or function.description or UNSET,
        "icons": options.get("icons") or UNSET,
        "meta": options.get("meta") or UNSET,
    }


def _name(function: Any, kind: str) -> str:
    found = getattr(function, "__name__", None)
    if found is None and isinstance(function, functools.partial):
        return _name(function.func, kind)
    found = found or type(function).__name__
    return "" if found == "<lambda>" else str(found)


def _plain(function: Any) -> Any:
    """What has the annotations: the function itself, or what an object or a partial calls."""
    while isinstance(function, functools.partial):
        function = function.func
    if inspect.isroutine(function) or inspect.isclass(function):
        return function
    return type(function).__call__


def _hints(plain: Any, name: str) -> dict[str, Any]:
    try:
        return typing.get_type_hints(plain, include_extras=True)
    except NameError as error:
        raise RegistrationError(f"{name} is annotated with {error.name!r}, which is not defined there") from None
    except TypeError as error:
        raise RegistrationError(f"{name} has an annotation that is no type: {error}") from None


def _documentation(function: Any, plain: Any) -> str:
    return inspect.getdoc(function if inspect.isroutine(function) else plain) or ""


def _is_context(type_: Any, context: type) -> bool:
    origin = typing.get_origin(type_)
    if origin in (typing.Union, types.UnionType):
        return any(_is_context(arm, context) for arm in typing.get_args(type_))
    found = origin if origin is not None else type_
    return isinstance(found, type) and issubclass(found, context)


def _described(type_: Any) -> str:
    marks = typing.get_args(type_)[1:] if typing.get_origin(type_) is typing.Annotated else ()
    return next((mark.description for mark in marks if isinstance(mark, msgspec.Meta) and mark.description), "")


def _runner(function: Callable[..., Any], plain: Any, name: str, inline: bool) -> Call:
    if inspect.isgeneratorfunction(plain) or inspect.isasyncgenfunction(plain):
        raise RegistrationError(f"{name} yields: return a value, all at once")
    if inspect.iscoroutinefunction(plain):
        return function
    if inline:

        async def run(**arguments: Any) -> Any:
            return await _settled(function(**arguments))

    else:

        async def run(**arguments: Any) -> Any:
            return await _settled(await asyncio.to_thread(function, **arguments))

    return run


async def _settled(value: Any) -> Any:
    """What a plain function returned; a decorator may have made a coroutine function look like one."""
    return await value if inspect.isawaitable(value) else value


__all__ = ["Function", "Parameter"]
