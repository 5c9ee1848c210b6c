"""Who completes the arguments of prompts and the variables of templates while a user types."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from typedmcp_types.v2026_07_28 import structs as types

from ..errors import RegistrationError
from .functions import Function
from .tools import WrongResult

MOST: Final = 100
"""How many values one answer may have (MCP, completion); more are cut off, and the answer says so."""
_GIVEN: Final = ("value", "argument", "ref", "arguments")


class Completer:
    """A function of what it names of: `value` so far, `argument`, `ref`, and `arguments` chosen already."""

    def __init__(self, function: Function) -> None:
        self.function = function
        self._wanted = [parameter.name for parameter in function.parameters]
        for parameter in function.parameters:
            if parameter.name not in _GIVEN and parameter.required:
                told = f"{function.name} has a parameter {parameter.name!r}"
                raise RegistrationError(f"{told}: a completion gets {', '.join(_GIVEN)}, each by its name")

    async def __call__(
        self, ref: str, argument: str, value: str, arguments: Mapping[str, str], context: Any, /
    ) -> types.CompleteResultCompletion:
        """The best values first. Raises whatever the function raises."""
        given = {"ref": ref, "argument": argument, "value": value, "arguments": dict(arguments)}
        found = await self.function.call(context, {name: given[name] for name in self._wanted if name in given})
        return cut(found, self.function.name)


def cut(found: Any, name: str) -> types.CompleteResultCompletion:
    """What a function returned as a completion. Raises WrongResult for what is no list of strings."""
    if isinstance(found, types.CompleteResultCompletion):
        return found
    values: Sequence[Any] = () if found is None else list(found)
    if isinstance(found, str) or not all(isinstance(value, str) for value in values):
        raise WrongResult(f"{name} returned no list of strings")
    if len(values) <= MOST:
        return types.CompleteResultCompletion(values=list(values))
    return types.CompleteResultCompletion(values=list(values[:MOST]), total=len(values), has_more=True)


class Completions:
    """The completers of a server, by what they complete: the most particular one answers."""

    def __init__(self) -> None:
        self._found: dict[tuple[str, str], Completer] = {}

    def add(self, ref: str, argument: str, completer: Completer) -> None:
        """Register one; empty texts stand for any prompt or template, any argument. Raises RegistrationError."""
        if (ref, argument) in self._found:
            what = f"{argument!r} of {ref!r}" if argument else ref or "everything"
            raise RegistrationError(f"{completer.function.name}: {what} has a completion already")
        self._found[ref, argument] = completer

    def find(self, ref: str, argument: str) -> Completer | None:
        """Who completes an argument, or None."""
        for key in ((ref, argument), (ref, ""), ("", "")):
            if key in self._found:
                return self._found[key]
        return None

    @property
    def any(self) -> bool:
        """Whether there is any."""
        return bool(self._found)
