"""The nodes a lowered schema is compiled to, each of which draws, recognises and oversteps its values: the scalars.

Drawing makes as few choices as it can, for each costs time.  Smaller choices give smaller documents, so hypothesis
shrinks to required members, short texts and zeros.
"""

from __future__ import annotations

import copy
import math
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from typing import Any, Final, NamedTuple

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from ._values import EXAMPLES, FORMATS, SIMPLE, base64_text, equal, kind_of, spelled, texts

Sites = list["Site"] | None

THRIFT_DEPTH: Final = 7
"""Below this depth only what is required is drawn, of unions the flattest arm."""
_BASE64_LENGTH: Final = 16
_PATTERN_ALPHABET: Final = st.characters(
    # Python and ECMAScript disagree on which of these are spaces.
    codec="utf-8",
    exclude_categories=("Zs", "Zl", "Zp", "Cc"),
    include_characters=" \t\n",
)


class Site(NamedTuple):
    """A place in a drawn document: the list or object, the index or name in it, and what describes the value there."""

    container: Any
    key: Any
    node: Node


class Node(ABC):
    """A schema that values can be drawn from."""

    def __init__(self, where: str) -> None:
        self.where = where
        self.height = math.inf
        """The least nesting a value needs; infinite as long as no value is known to exist."""
        self.settled = False

    def parts(self) -> Iterable[Node]:
        """Return the nodes of the values inside, and of the alternatives."""
        return ()

    @abstractmethod
    def measure(self) -> float:
        """Return the height that follows from the heights of the parts."""

    @abstractmethod
    def draw(self, draw: DrawFn, depth: int, sites: Sites) -> Any:
        """Draw a value, and record the places in it if they are wanted."""

    @abstractmethod
    def accepts(self, value: Any) -> bool:
        """Whether a JSON value is valid."""

    def beyond(self) -> Sequence[Any]:
        """Return values just outside the bounds."""
        return ()

    def capacity(self) -> float:
        """Return how many items or members a value may have."""
        return math.inf

    def blame(self, seen: set[int]) -> tuple[str, str]:
        """Return the pointer and the reason of the contradiction, for a node without values."""
        return self.where, "its constraints contradict each other"


class Anything(Node):
    """Any JSON value."""

    _first = st.integers(0, len(SIMPLE) * 4 // 3)
    _size = st.integers(0, 2)

    def measure(self) -> float:
        return 0

    def draw(self, draw: DrawFn, depth: int, sites: Sites) -> Any:
        number = draw(self._first)
        if number < len(SIMPLE):
            return copy.copy(SIMPLE[number])
        size = draw(self._size) if depth < THRIFT_DEPTH else 0
        if number % 2:
            return [self.draw(draw, depth + 1, sites) for _ in range(size)]
        return {EXAMPLES[index + 1]: self.draw(draw, depth + 1, sites) for index in range(size)}

    def accepts(self, value: Any) -> bool:
        return True


class Constants(Node):
    """One of some values."""

    def __init__(self, where: str, values: list[Any]) -> None:
        super().__init__(where)
        self.values = values
        self._strategy = st.sampled_from(values) if len(values) > 1 else None
        self._deep = any(isinstance(value, list | dict) for value in values)
        wrong: list[Any] = []
        for value in values:
            if isinstance(value, str):
                wrong += [value + "x", value.swapcase(), value[:-1]]
            elif isinstance(value, int | float) and not isinstance(value, bool):
                wrong += [value + 1, -value, float(value), str(value)]
        self._beyond = [value for value in [*wrong, "x"] if not self.accepts(value) or isinstance(value, float)]

    def measure(self) -> float:
        return 0 if self.values else math.inf

    def draw(self, draw: DrawFn, depth: int, sites: Sites) -> Any:
        value = self.values[0] if self._strategy is None else draw(self._strategy)
        return copy.deepcopy(value) if self._deep else value

    def accepts(self, value: Any) -> bool:
        return any(equal(value, known) for known in self.values)

    def beyond(self) -> Sequence[Any]:
        return self._beyond

    def blame(self, seen: set[int]) -> tuple[str, str]:
        return self.where, "none of the listed values meets the other constraints"


class Number(Node):
    """An integer, or any finite number."""

    def __init__(self, where: str, schema: dict[str, Any]) -> None:
        super().__init__(where)
        self._integral = schema["type"] == "integer"
        step = schema.get("multipleOf")
        self._step = None if step is None else Fraction(str(step))
        self._low = _bound(schema, "minimum", "exclusiveMinimum", -1)
        self._high = _bound(schema, "maximum", "exclusiveMaximum", 1)
        self._beyond: list[Any] = [1.5, 1.0] if self._integral else []
        for bound, outwards in ((self._low, -1), (self._high, 1)):
            if bound is not None:
                edge, is_open = bound
                self._beyond += [edge + outwards, *([edge] if is_open else [])]
                self._beyond += [edge + outwards / 2] if abs(edge) < 2**50 else []
        if self._step is not None:
            self._beyond.append(float(self._step * Fraction(3, 2)))
        # An integer is a multiple of p/q exactly if it is one of p.
        self._unit = 1 if self._step is None else self._step.numerator
        choices: list[SearchStrategy[Any]] = []
        low, high = self._multiples(Fraction(self._unit))
        if low is None or high is None or low <= high:
            choices.append(st.integers(low, high).map(self._scaled) if self._unit > 1 else st.integers(low, high))
        if not self._integral:
            choices.extend(self._fractions(has_integers=bool(choices)))
        self._strategy = st.one_of(choices) if choices else None

    def _fractions(self, *, has_integers: bool) -> list[SearchStrategy[Any]]:
        if self._step is None:
            low = None if self._low is None else _float_from(*self._low, math.inf)
            high = None if self._high is None else _float_from(*self._high, -math.inf)
            if low is not None and high is not None and low > high:
                return []
            return [st.floats(low, high, allow_nan=False, allow_infinity=False)]
        # Decimal fractions are no multiples in binary to every validator, so they are the last resort.
        if has_integers:
            return []
        step = self._step
        low, high = self._multiples(step)
        if low is not None and high is not None and low > high:
            return []
        return [st.integers(low, high).map(lambda count: float(count * step))]

    def _scaled(self, count: int) -> int:
        return count * self._unit

    def _multiples(self, step: Fraction) -> tuple[int | None, int | None]:
        low = high = None
        if self._low is not None:
            edge, is_open = self._low
            low = math.floor(Fraction(edge) / step) + 1 if is_open else math.ceil(Fraction(edge) / step)
        if self._high is not None:
            edge, is_open = self._high
            high = math.ceil(Fraction(edge) / step) - 1 if is_open else math.floor(Fraction(edge) / step)
        return low, high

    def measure(self) -> float:
        return math.inf if self._strategy is None else 0

    def draw(self, draw: DrawFn, depth: int, sites: Sites) -> Any:
        assert self._strategy is not None
        return draw(self._strategy)

    def accepts(self, value: Any) -> bool:
        if not isinstance(value, int | float) or isinstance(value, bool):
            return False
        if self._integral and value != math.floor(value):
            return False
        if self._low is not None and (value < self._low[0] or (self._low[1] and value == self._low[0])):
            return False
        if self._high is not None and (value > self._high[0] or (self._high[1] and value == self._high[0])):
            return False
        return self._step is None or Fraction(str(value)) % self._step == 0

    def beyond(self) -> Sequence[Any]:
        return self._beyond

    def blame(self, seen: set[int]) -> tuple[str, str]:
        return self.where, "no number meets its bounds"


class String(Node):
    """A text."""

    def __init__(self, where: str, schema: dict[str, Any]) -> None:
        super().__init__(where)
        self._shortest: int = schema.get("minLength", 0)
        self._longest: float = schema.get("maxLength", math.inf)
        self._pattern = _pattern(where, schema["pattern"]) if "pattern" in schema else None
        self._examples = [text for text in EXAMPLES if self._fits(text)]
        for length in (self._longest, self._shortest):
            if 0 < length <= 1000 and self._shortest <= length:
                self._examples += ["a" * int(length), "😀" * int(length)]
        self._formed = [text for text in FORMATS.get(schema.get("format", ""), ()) if self._fits(text)]
        self._beyond = [
            "a" * int(length) for length in (self._shortest - 1, self._longest + 1) if 0 <= length <= 10_000
        ]
        self._finish: Callable[[Any], Any] = str
        self._strategy: SearchStrategy[Any]
        if self._pattern is not None:
            # A pattern and bounds of length have no common construction; this is the one place that filters.
            matching = st.from_regex(self._pattern, alphabet=_PATTERN_ALPHABET)
            self._strategy = matching.filter(self._fits) if {"minLength", "maxLength"} & set(schema) else matching
            self._beyond += [text for text in ("", "\n", "!") if not self._pattern.search(text)]
        elif schema.get("format") == "byte" and self._shortest == 0 and self._longest >= _BASE64_LENGTH:
            self._strategy, self._finish = st.integers(0, 2 ** (_BASE64_LENGTH * 6) - 1), base64_text
        elif self._formed:
            # Only an address may grow without losing its form.
            grows = "uri" in schema["format"] and self._longest == math.inf
            self._strategy = st.integers(0, len(self._formed) * (1000 if grows else 1) - 1)
            self._finish = self._address
        else:
            self._strategy, self._finish = st.integers(0, texts(self._longest)), self._text

    def _fits(self, text: str) -> bool:
        return self._shortest <= len(text) <= self._longest

    def measure(self) -> float:
        return 0 if self._shortest <= self._longest else math.inf

    def draw(self, draw: DrawFn, depth: int, sites: Sites) -> Any:
        return self._finish(draw(self._strategy))

    def _address(self, number: int) -> str:
        rest, index = divmod(number, len(self._formed))
        return f"{self._formed[index]}{rest or ''}"

    def _text(self, number: int) -> str:
        rest, kind = divmod(number, 4)
        if kind == 3 and self._examples:
            return self._examples[rest % len(self._examples)]
        return spelled(rest * 3 + kind, self._shortest)

    def accepts(self, value: Any) -> bool:
        if not isinstance(value, str) or not self._fits(value):
            return False
        return self._pattern is None or self._pattern.search(value) is not None

    def beyond(self) -> Sequence[Any]:
        return self._beyond

    def blame(self, seen: set[int]) -> tuple[str, str]:
        return self.where, f"minLength {self._shortest} is more than maxLength {self._longest}"


class Simple(Node):
    """A boolean or null."""

    def __init__(self, where: str, kind: str) -> None:
        super().__init__(where)
        self._kind = kind
        self._boolean = st.booleans()

    def measure(self) -> float:
        return 0

    def draw(self, draw: DrawFn, depth: int, sites: Sites) -> Any:
        return draw(self._boolean) if self._kind == "boolean" else None

    def accepts(self, value: Any) -> bool:
        return kind_of(value) == self._kind


def blamed(node: Node, seen: set[int]) -> tuple[str, str]:
    """Return where a node without values contradicts itself and why, unless that was already asked."""
    if id(node) in seen:
        return node.where, "every value would contain another one without end"
    seen.add(id(node))
    return node.blame(seen)


def _bound(schema: dict[str, Any], closed: str, opened: str, outwards: int) -> tuple[Any, bool] | None:
    """Return the tighter of two bounds and whether it is exclusive."""
    bounds = [(schema[key], is_open) for key, is_open in ((closed, False), (opened, True)) if key in schema]
    return min(bounds, key=lambda bound: (bound[0] * outwards, not bound[1]), default=None)


def _float_from(edge: Any, is_open: bool, inwards: float) -> float:
    """Return the float nearest to a bound on its inner side."""
    nearest = float(edge)
    exact, wanted = Fraction(nearest), Fraction(edge)
    outside = exact < wanted if inwards > 0 else exact > wanted
    return math.nextafter(nearest, inwards) if outside or (is_open and exact == wanted) else nearest


def _pattern(where: str, pattern: str) -> re.Pattern[str]:
    # In Python a dollar also matches before a final line break, in ECMAScript it does not.
    translated = re.sub(r"\\.|\[(?:\\.|[^\]\\])*\]|\$", lambda found: "\\Z" if found[0] == "$" else found[0], pattern)
    try:
        return re.compile(translated, re.ASCII)
    except re.error as error:
        raise ValueError(f"{where}: cannot draw from the pattern {pattern!r}: {error}") from error
