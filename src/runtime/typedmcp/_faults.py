"""The slow path of a refusal: what is wrong and where, as a JSON pointer. Imported only once something is wrong."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterable
from typing import Any

import msgspec

from ._unions import NOT_THIS_ARM, Fault, is_object
from .errors import DecodeError, EncodeError

Steps = tuple[str | int, ...]


def explain(error: Exception, data: bytes | str, decode: Callable[[Any], Any]) -> DecodeError:
    """The error to raise for a text that a decoder refused."""
    if isinstance(error, UnicodeDecodeError):
        return DecodeError(f"Not UTF-8: byte {error.start} is not part of a character")
    if isinstance(error, RecursionError):
        return DecodeError("Nested too deeply")
    if type(error) is msgspec.DecodeError:
        return DecodeError(f"Not JSON: {error}")
    try:
        value = json.loads(data)
    except (ValueError, RecursionError):
        return DecodeError(f"Not JSON: {error}")
    return explain_value(error, value, lambda part: decode(json.dumps(part).encode()))


def explain_value(error: Exception, value: Any, read: Callable[[Any], Any]) -> DecodeError:
    """The error to raise for a value that was refused; `read` is what refused it."""
    if isinstance(error, RecursionError):
        return DecodeError("Nested too deeply")
    errors = getattr(error, "errors", None)
    if callable(errors):
        told: Any = errors(include_url=False, include_context=False)
        first: Any = next((one for one in told if one["type"] != NOT_THIS_ARM), told[0])
        return DecodeError(first["msg"], pointer(_along(first["loc"], value)))
    reason, steps = _told(error, _Trial(value, read, str(error)), ())
    return DecodeError(reason, pointer(steps))


class _Trial:
    """A refused value and its reader: what is needed to find out which key of a map a refusal means."""

    def __init__(self, value: Any, read: Callable[[Any], Any], text: str) -> None:
        self.value = value
        self._read = read
        self._text = text

    def guilty(self, steps: Steps) -> str | None:
        """The key of the map at `steps` whose value is refused.

        The reader stops at the first fault, so the shortest run of members that brings the same refusal ends with it;
        found by halving, since each trial reads the whole value.
        """
        members = _members(_at(self.value, steps))
        low, high = 0, len(members)
        while low < high:
            middle = (low + high) // 2
            if self._refused(_replaced(self.value, steps, dict(members[: middle + 1]))):
                high = middle
            else:
                low = middle + 1
        return members[low][0] if low < len(members) else None

    def _refused(self, value: Any) -> bool:
        try:
            self._read(value)
        except ValueError as error:
            return str(error) == self._text
        return False


def _told(error: BaseException, trial: _Trial, outer: Steps) -> tuple[str, Steps]:
    """The reason and the steps of a refusal: those to the hook that refused, then those it knows itself."""
    text, inner = str(error), error.__cause__
    if isinstance(error, Fault):
        steps = (*outer, *error.steps)
    else:
        # msgspec writes what a hook said first, then the way to where it said it.
        own = text.removeprefix(str(inner)) if inner is not None else text
        told, _, path = own.rpartition(" - at `$") if " - at `$" in own else (own, "", "")
        steps = _parsed(path.removesuffix("`"), trial, outer)
        text = told
    return _told(inner, trial, steps) if inner is not None else (text, steps)


def _parsed(path: str, trial: _Trial, outer: Steps) -> Steps:
    """The steps of a path as msgspec writes it: `.name`, `[3]`, and `[...]` for a key it does not tell."""
    steps = outer
    while path:
        if path.startswith("[...]"):
            key = trial.guilty(steps)
            if key is None:
                break
            steps, path = (*steps, key), path[5:]
        elif path.startswith("["):
            number, _, path = path[1:].partition("]")
            steps = (*steps, int(number))
        else:
            held = [key for key, _ in _members(_at(trial.value, steps))]
            fits = [n for n in held if path[1:].startswith(n) and path[1 + len(n) : 2 + len(n)] in ("", ".", "[")]
            name = max(fits, key=len, default=re.split(r"[.\[]", path[1:], maxsplit=1)[0])
            steps, path = (*steps, name), path[1 + len(name) :]
    return steps


def _replaced(value: Any, steps: Steps, part: Any) -> Any:
    if not steps:
        return part
    first, rest = steps[0], steps[1:]
    if isinstance(value, dict):
        return {key: _replaced(item, rest, part) if key == first else item for key, item in _members(value)}
    return [_replaced(item, rest, part) if index == first else item for index, item in enumerate(value)]


def _members(value: Any) -> list[tuple[str, Any]]:
    """The members of a JSON object, in order; none of anything else."""
    return list(value.items()) if is_object(value) else []


def _at(value: Any, steps: Iterable[str | int]) -> Any:
    for step in steps:
        try:
            value = value[step]
        except (KeyError, IndexError, TypeError):
            return None
    return value


def _along(location: Iterable[str | int], value: Any) -> Steps:
    """The part of a pydantic location that leads through the value; the rest names validators."""
    steps: list[str | int] = []
    for step in location:
        if (isinstance(value, dict) and step in value) or (isinstance(value, list) and isinstance(step, int)):
            steps.append(step)
            value = _at(value, (step,))
    return tuple(steps)


def pointer(steps: Iterable[str | int]) -> str:
    """The JSON pointer of some steps (RFC 6901 section 3)."""
    return "".join("/" + str(step).replace("~", "~0").replace("/", "~1") for step in steps)


def refuse_non_finite(value: Any) -> None:
    """Raises EncodeError when a float anywhere in a value is not finite."""
    pending: list[Any] = [value]
    while pending:
        item: Any = pending.pop()
        if isinstance(item, float) and not math.isfinite(item):
            raise EncodeError(f"{item} is no JSON number")
        pending.extend(_inside(item))


def _inside(item: Any) -> Iterable[Any]:
    """The values a container holds, whichever kind of container a caller may have built."""
    if is_object(item):
        return [member for _, member in _members(item)]
    if isinstance(item, msgspec.Struct):
        return [getattr(item, name) for name in item.__struct_fields__]
    if hasattr(item.__class__, "__pydantic_serializer__"):
        model: Any = item
        members: dict[str, Any] = {**model.__dict__, **(model.__pydantic_extra__ or {})}
        return list(members.values())
    if item.__class__ in (list, tuple, set, frozenset):
        return iter(item)
    return ()
