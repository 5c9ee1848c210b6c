"""Python text for types, in the two spellings of the back ends; reads the IR, prints expressions."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Callable, Iterable, Mapping
from dataclasses import fields, replace

from ..graph import recursive_aliases
from ..ir import (
    Alias,
    Anything,
    Case,
    Constraints,
    Document,
    JsonScalar,
    ListOf,
    LiteralOf,
    MapOf,
    Nullable,
    OneOf,
    Openness,
    Ref,
    Scalar,
    Struct,
    TypeDef,
    TypeExpr,
    Union,
)

_TYPING = ("Annotated", "Any", "ClassVar", "Literal", "TypeAlias")
KEYS = "Keys"
"""What the struct of a bag's declared keys is called after the bag."""
_EXACT_IN_FLOATS = 2**53
_BUILTINS = {"string": "str", "integer": "int", "boolean": "bool"}


class Names:
    """The helper names a module needs, spelled so that no generated type shadows them; remembers which were used."""

    def __init__(self, document: Document, helpers: Mapping[str, str]) -> None:
        self._taken = {type_.name for type_ in document.types}
        self._taken |= {f"{type_.name}{KEYS}" for type_ in document.types if isinstance(type_, Struct)}
        self._modules = {**dict.fromkeys(_TYPING, "typing"), **helpers}
        self.used: set[str] = set()

    def __call__(self, name: str) -> str:
        """The name as the module can write it: bare, or through its module where a type has that name."""
        module = self._modules[name]
        self.used.add(module if name in self._taken else f"{module}.{name}")
        return f"{module.rpartition('.')[2]}.{name}" if name in self._taken else name


def literal(value: JsonScalar) -> str:
    """A constant as Python text, in double quotes."""
    if not isinstance(value, str):
        return repr(value)
    # repr picks double quotes for what holds a single one and no double one: so one is lent to each part.
    parts = (repr(part + "'")[1:-2] for part in value.split('"'))
    return '"' + '\\"'.join(parts) + '"'


def strings(values: Iterable[str]) -> str:
    """A tuple of strings as Python text."""
    items = [literal(value) for value in values]
    return f"({', '.join(items)}{',' if len(items) == 1 else ''})"


class Printer:
    """Prints type expressions for one back end of one document."""

    def __init__(self, document: Document, names: Names, *, structs: bool) -> None:
        self.types = {type_.name: type_ for type_ in document.types}
        self.names = names
        self.structs = structs
        self.lazy = recursive_aliases(document.types)

    def type(self, expr: TypeExpr, *, arm: bool = False) -> str:
        """The annotation of a type. `arm`: inside a union that insists on the tag itself."""
        match expr:
            case Ref(name=name):
                target = self.meant(name)
                tagged = isinstance(target, Struct) and target.tag is not None and target.openness is not Openness.KEPT
                return f"{self.names('Tagged')}[{name}]" if self.structs and tagged and not arm else name
            case Scalar(kind="number", constraints=constraints):
                marks = [] if self.structs else self._exactly(constraints)
                return f"{self._bound('int', _whole(constraints))} | {self._bound('float', constraints, *marks)}"
            case Scalar(kind="string", format="byte", constraints=constraints) if not self.structs:
                return self._bound(self.names("Base64Text"), constraints)
            case Scalar(kind=kind, constraints=constraints):
                return self._bound(_BUILTINS[kind], constraints)
            case LiteralOf(values=values):
                if values == (None,):
                    return "None"
                text = f"{self.names('Literal')}[{', '.join(literal(value) for value in values)}]"
                if self.structs or all(isinstance(value, str) for value in values):
                    return text
                # pydantic takes true for 1, and 1 for true.
                return f"{self.names('Annotated')}[{text}, {self.names('Exact')}]"
            case ListOf(item=item, constraints=constraints):
                return self._bound(f"list[{self.type(item)}]", constraints)
            case MapOf(value=value, constraints=constraints):
                return self._bound(f"dict[str, {self.type(value)}]", constraints)
            case OneOf(arms=arms):
                return " | ".join(self.type(inner) for inner in arms)
            case Nullable(inner=inner):
                return f"{self.type(inner, arm=arm)} | None"
            case Anything():
                return self.names("Any")

    def meant(self, name: str) -> TypeDef:
        """What a name stands for, through aliases and unions of one arm."""
        target = self.types[name]
        while name not in self.lazy:
            only = target.type if isinstance(target, Alias) else target.arms[0] if isinstance(target, Union) else None
            if not isinstance(only, Ref) or (isinstance(target, Union) and len(target.arms) > 1):
                break
            name = only.name
            target = self.types[name]
        return target

    def _exactly(self, bounds: Constraints) -> list[str]:
        """What pydantic takes too lightly: near multiples, and whole numbers out of bounds tried as floats."""
        step = bounds.multiple_of
        others = (bounds.minimum, bounds.maximum, bounds.exclusive_minimum, bounds.exclusive_maximum)
        if step is None and all(bound is None or abs(bound) < _EXACT_IN_FLOATS for bound in others):
            return []
        return [f"{self.names('Real')}({'' if step is None else literal(step)})"]

    def _bound(self, text: str, constraints: Constraints, *marks: str) -> str:
        words = {
            "minimum": "ge",
            "maximum": "le",
            "exclusive_minimum": "gt",
            "exclusive_maximum": "lt",
            "multiple_of": "multiple_of",
            "min_length": "min_length",
            "max_length": "max_length",
            "pattern": "pattern",
        }
        given = [(words[item.name], getattr(constraints, item.name)) for item in fields(constraints)]
        arguments = [f"{word}={literal(value)}" for word, value in given if value is not None]
        if not arguments:
            return text
        bound = f"{self.names('Meta' if self.structs else 'Field')}({', '.join(arguments)})"
        return f"{self.names('Annotated')}[{', '.join([text, bound, *marks])}]"

    def case(self, case: Case) -> str:
        """A call of `case` for one arm of a union that its cases decide."""
        tests: list[str] = []
        for test in case.tests:
            arguments = [literal(step) for step in test.path]
            if test.values:
                listed = ", ".join(literal(value) for value in test.values)
                arguments.append(f"values=({listed},)")
            if test.or_absent:
                arguments.append("or_absent=True")
            tests.append(f"{self.names('Test')}({', '.join(arguments)})")
        arm = literal(self.type(case.arm))
        return f"{self.names('case')}({', '.join([arm, literal(case.kind), *tests])})"

    def holds_bag(self, expr: TypeExpr, seen: frozenset[str] = frozenset()) -> bool:
        """Whether a value of the type holds a bag that no struct and no decided union on the way checks."""
        match expr:
            case Ref(name=name):
                target = self.types[name]
                if name in seen:
                    return False
                if isinstance(target, Struct):
                    return target.openness is Openness.KEPT
                if isinstance(target, Alias):
                    return self.holds_bag(target.type, seen | {name})
                return target.plan.native and any(self.holds_bag(arm, seen | {name}) for arm in target.arms)
            case ListOf(item=inner) | MapOf(value=inner) | Nullable(inner=inner):
                return self.holds_bag(inner, seen)
            case OneOf(arms=arms):
                return any(self.holds_bag(arm, seen) for arm in arms)
            case _:
                return False


def _whole(bounds: Constraints) -> Constraints:
    """The bounds of a number as those of an integer, which can have no fractions."""

    def rounded(value: float | None, to: Callable[[float], int]) -> float | None:
        return None if value is None else to(value)

    return replace(
        bounds,
        minimum=rounded(bounds.minimum, math.ceil),
        maximum=rounded(bounds.maximum, math.floor),
        exclusive_minimum=rounded(bounds.exclusive_minimum, math.floor),
        exclusive_maximum=rounded(bounds.exclusive_maximum, math.ceil),
        # A fraction that gets here divides 1, and so every integer.
        multiple_of=None if bounds.multiple_of is not None and bounds.multiple_of % 1 else bounds.multiple_of,
    )


def docstring(text: str, indent: int, *, width: int = 116) -> str:
    """A text as the body of a docstring: escaped, wrapped, continued at the indent."""
    text = text.replace("\\", "\\\\").replace('"""', '\\"\\"\\"')
    lines = "\n\n".join(_wrapped(paragraph, width - indent) for paragraph in text.split("\n\n")).split("\n")
    pad = " " * indent
    joined = "\n".join([lines[0], *(pad + line if line else "" for line in lines[1:])])
    if len(lines) > 1:
        joined += "\n" + pad
    return joined + (" " if joined.endswith('"') else "")


def _wrapped(paragraph: str, width: int) -> str:
    return textwrap.fill(paragraph, max(width - 6, 40), break_long_words=False, break_on_hyphens=False)
