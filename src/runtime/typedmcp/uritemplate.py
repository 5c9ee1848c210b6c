"""URI templates (RFC 6570): a URI from values, and the values from a URI. Knows no resource.

The RFC defines the way from values to a URI only; the way back is ours. What can be expanded in more than one way
back, or could lead out of where it belongs, is no match.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final, NamedTuple
from urllib.parse import quote, unquote_to_bytes

from .errors import RegistrationError

Value = str | list[str]
"""A variable's value; a list only for one that is exploded, as `{/path*}`."""
_RESERVED: Final = ":/?#[]@!$&'()*+,;="
_VARIABLE = re.compile(r"^([A-Za-z0-9_.]|%[0-9A-Fa-f]{2})+(\*|:[1-9][0-9]{0,3})?$")
_ENCODED = re.compile(r"%(?![0-9A-Fa-f]{2})")


class _Operator(NamedTuple):
    first: str
    between: str
    named: bool
    empty: str
    """What follows a name whose value is empty."""
    reserved: bool
    allowed: str
    """What a value may be made of, as a class of characters in a regular expression."""


_OPERATORS: Final = {
    "": _Operator("", ",", False, "", False, r"[^/?#,]"),
    "+": _Operator("", ",", False, "", True, r"[^?#]"),
    "#": _Operator("#", ",", False, "", True, r"."),
    ".": _Operator(".", ".", False, "", False, r"[^/?#,.]"),
    "/": _Operator("/", "/", False, "", False, r"[^/?#,]"),
    ";": _Operator(";", ";", True, "", False, r"[^/?#,;]"),
    "?": _Operator("?", "&", True, "=", False, r"[^#&]"),
    "&": _Operator("&", "&", True, "=", False, r"[^#&]"),
}
"""RFC 6570, appendix A."""


class _Variable(NamedTuple):
    name: str
    exploded: bool
    prefix: int


class _Expression(NamedTuple):
    operator: _Operator
    variables: tuple[_Variable, ...]

    @property
    def query(self) -> bool:
        return self.operator.first in ("?", "&")


class UriTemplate:
    """One template, compiled once."""

    def __init__(self, text: str) -> None:
        """Raises RegistrationError for what is no template, or cannot be read back."""
        self.text = text
        self._parts = _parsed(text)
        expressions = [part for part in self._parts if isinstance(part, _Expression)]
        self.names = tuple(variable.name for part in expressions for variable in part.variables)
        """The variables, in order."""
        self._require_readable(expressions)
        self._literal = sum(len(part) for part in self._parts if isinstance(part, str))
        self._groups: list[tuple[str, _Expression, tuple[_Variable, ...]]] = []
        self._pattern = re.compile("".join(map(self._expression_of, self._parts)), re.DOTALL)

    @property
    def specificity(self) -> tuple[int, int]:
        """A key to sort by: of several templates that match, the first says most of the URI itself."""
        return (-self._literal, len(self.names))

    def match(self, uri: str) -> dict[str, Value] | None:
        """The values in a URI, decoded; None where it is none of this template.

        A value never holds a step upwards, `..`, nor, but for those of `{+v}`, `{#v}` and lists, a slash that was not
        encoded. Of two variables that could share a text, the first gets the shortest part.
        """
        found = self._pattern.fullmatch(_literal_form(uri))
        if found is None:
            return None
        values: dict[str, Value] = {}
        for group, expression, variables in self._groups:
            text = found[group]
            if text is None:
                continue
            read = _query(text, variables) if expression.query else _read(text, expression, variables)
            if read is None:
                return None
            values |= read
        return values

    def expand(self, values: Mapping[str, Value]) -> str:
        """The URI of some values. Raises ValueError for a variable that must be given and is not."""
        return "".join(part if isinstance(part, str) else _expanded(part, values) for part in self._parts)

    def _require_readable(self, expressions: list[_Expression]) -> None:
        for name in self.names:
            if self.names.count(name) > 1:
                raise self._refused(f"names {name!r} twice", "name each variable once")
        for expression in expressions:
            for variable in expression.variables:
                if variable.prefix:
                    raise self._refused(f"cuts {variable.name!r} off", "take the whole value, without `:`")
        for before, after in zip(self._parts, self._parts[1:], strict=False):
            if isinstance(before, _Expression) and isinstance(after, _Expression) and not after.operator.first:
                raise self._refused("has two variables with nothing between them", "put a character between them")

    def _refused(self, what: str, advice: str) -> RegistrationError:
        return RegistrationError(f"the URI template {self.text!r} {what}: {advice}")

    def _expression_of(self, part: str | _Expression) -> str:
        if isinstance(part, str):
            return re.escape(_literal_form(part))
        operator = part.operator
        if part.query:
            group = self._group(part, part.variables)
            first = re.escape(operator.first)
            return f"(?:{first}(?P<{group}>[^#]*))?"
        pieces: list[str] = []
        for number, variable in enumerate(part.variables):
            group = self._group(part, (variable,))
            lead = operator.first if number == 0 else operator.between
            name = re.escape(variable.name) + "=?" if operator.named else ""
            if variable.exploded:
                one = f"{operator.allowed}*?"
                pieces.append(f"(?P<{group}>(?:{re.escape(operator.between)}{one})*)" if operator.first else one)
                continue
            some = "+?" if not operator.named else "*?"
            pieces.append(f"{re.escape(lead)}{name}(?P<{group}>{operator.allowed}{some})")
        return "".join(pieces)

    def _group(self, expression: _Expression, variables: tuple[_Variable, ...]) -> str:
        group = f"g{len(self._groups)}"
        self._groups.append((group, expression, variables))
        return group


def _parsed(text: str) -> list[str | _Expression]:
    parts: list[str | _Expression] = []
    place = 0
    while place < len(text):
        opening = text.find("{", place)
        literal = text[place : opening if opening >= 0 else None]
        if "}" in literal:
            raise _fault(text, place + literal.index("}"), "a `}` without its `{`")
        if literal:
            parts.append(literal)
        if opening < 0:
            break
        closing = text.find("}", opening)
        if closing < 0:
            raise _fault(text, opening, "a `{` without its `}`")
        parts.append(_expression(text, opening, text[opening + 1 : closing]))
        place = closing + 1
    return parts


def _expression(text: str, place: int, body: str) -> _Expression:
    sign = body[:1] if body[:1] in _OPERATORS else ""
    if body[:1] in "=,!@|":
        raise _fault(text, place, f"the operator {body[:1]!r}, which is reserved" if body else "an empty expression")
    variables: list[_Variable] = []
    for spec in body[len(sign) :].split(","):
        if not _VARIABLE.match(spec):
            raise _fault(text, place, f"{spec!r}, which is no variable")
        name, _, prefix = spec.rstrip("*").partition(":")
        exploded = spec.endswith("*")
        if exploded and sign not in ("/", "."):
            raise _fault(text, place, f"{spec!r}: only {{/v*}} and {{.v*}} can be read back as lists")
        variables.append(_Variable(name, exploded, int(prefix or 0)))
    return _Expression(_OPERATORS[sign], tuple(variables))


def _fault(text: str, place: int, what: str) -> RegistrationError:
    return RegistrationError(f"the URI template {text!r} has {what} at character {place + 1}")


def _literal_form(text: str) -> str:
    """Text as it stands in a URI: what no URI may hold is encoded, hexadecimal digits are capitals."""
    encoded = quote(text, safe=_RESERVED + '%-._~ \n\r\t<>"\\^`{|}\0')
    return re.sub(r"%[0-9A-Fa-f]{2}", lambda found: found[0].upper(), encoded)


def _decoded(text: str) -> str | None:
    """The characters behind a text of a URI; None where they are none."""
    if _ENCODED.search(text):
        return None
    try:
        return unquote_to_bytes(text).decode()
    except UnicodeDecodeError:
        return None


def _safe(value: str, *, path: bool) -> bool:
    """Whether a value stays where it belongs: nothing in it leads upwards, or ends a text early."""
    steps = re.split(r"[/\\]", value)
    return "\0" not in value and "\n" not in value and ".." not in steps and (path or value != ".")


def _read(text: str, expression: _Expression, variables: tuple[_Variable, ...]) -> dict[str, Value] | None:
    variable = variables[0]
    operator = expression.operator
    if not variable.exploded:
        value = _decoded(text)
        return None if value is None or not _safe(value, path=operator.reserved) else {variable.name: value}
    items: list[str] = []
    for piece in text.split(operator.between)[1:]:
        value = _decoded(piece)
        if value is None or not _safe(value, path=False):
            return None
        items.append(value)
    return {variable.name: items} if items else {}


def _query(text: str, variables: tuple[_Variable, ...]) -> dict[str, Value] | None:
    names = {variable.name for variable in variables}
    values: dict[str, Value] = {}
    for pair in text.split("&") if text else ():
        key, _, raw = pair.partition("=")
        name, value = _decoded(key), _decoded(raw)
        if name not in names or name in values or value is None or "\0" in value:
            return None
        values[name] = value
    return values


def _expanded(expression: _Expression, values: Mapping[str, Value]) -> str:
    operator = expression.operator
    pieces: list[str] = []
    for variable in expression.variables:
        value = values.get(variable.name)
        if value is None or value == []:
            if expression.query or variable.exploded or operator.first in (";", "#"):
                continue
            raise ValueError(f"the variable {variable.name!r} is missing")
        pieces.append(_piece(variable, value, operator))
    return operator.first + operator.between.join(pieces) if pieces else ""


def _piece(variable: _Variable, value: Value, operator: _Operator) -> str:
    safe = _RESERVED if operator.reserved else ""
    texts = [quote(one, safe=safe + "-._~") for one in ([value] if isinstance(value, str) else value)]
    if variable.exploded:
        return operator.between.join(texts)
    told = ",".join(texts)
    if not operator.named:
        return told
    return f"{variable.name}={told}" if told else variable.name + operator.empty
