"""From draft-07 or 2020-12 to one normal form; knows JSON Schema, nothing of MCP.

The normal form is JSON again: `{"defs": {name: node}, "root": node or null}`. A node uses only the keywords listed in
`NORMAL`, says each thing in one way (constants as `enum`, several types as `anyOf`), and carries `@`, the JSON pointer
of the place it was read from. Prose is kept under `description`; whatever this generator cannot honour is an error
here, never dropped.
"""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Iterable, Set
from typing import Any

from . import patterns
from .errors import CodegenError
from .jsonio import JsonObject, is_array, is_object, join, split, types_of

NORMAL = frozenset(
    "@ description deprecated $ref allOf anyOf oneOf enum type properties required additionalProperties items format "
    "minimum maximum exclusiveMinimum exclusiveMaximum multipleOf minLength maxLength pattern minItems maxItems "
    "minProperties maxProperties".split()
)
DIALECTS = {
    "http://json-schema.org/draft-07/schema": "draft-07",
    "https://json-schema.org/draft-07/schema": "draft-07",
    "https://json-schema.org/draft/2020-12/schema": "2020-12",
}
_ANNOTATIONS = frozenset(
    "title $comment examples default readOnly writeOnly contentEncoding contentMediaType $schema $id".split()
)
_BY_TYPE = {
    "object": "properties required additionalProperties minProperties maxProperties".split(),
    "array": "items minItems maxItems".split(),
    "string": "minLength maxLength pattern format".split(),
    "integer": "minimum maximum exclusiveMinimum exclusiveMaximum multipleOf".split(),
    "number": "minimum maximum exclusiveMinimum exclusiveMaximum multipleOf".split(),
    "boolean": [],
    "null": [],
}
_CONSTANT = frozenset(("@", "description", "deprecated", "enum"))
_LARGEST = 2**63 - 1
"""No bound and no constant of the struct decoder reaches it."""
_TYPED = frozenset(keyword for keywords in _BY_TYPE.values() for keyword in keywords)


def normalise(document: Any) -> JsonObject:
    """The normal form of a whole document.

    Raises CodegenError when it is not a schema, its dialect is unknown, a reference leads nowhere, or a construct
    cannot be generated; the error names the JSON pointer.
    """
    if not is_object(document):
        raise CodegenError("not a schema: the document is no JSON object", pointer="#")
    dialect = _dialect(document)
    reader = _Reader(document, dialect)
    groups = [key for key in ("$defs", "definitions") if key in document]
    defs: JsonObject = {}
    for group in groups:
        members = document[group]
        if not is_object(members):
            raise CodegenError(f"not a schema: {group} is no object", pointer=join("#", group))
        for name, schema in members.items():
            pointer = join("#", group, name)
            if not name.isidentifier() or unicodedata.normalize("NFKC", name) != name:
                raise CodegenError(
                    f"the definition name {name!r} is no identifier", pointer=pointer, hint="rename the definition"
                )
            if name in defs:
                raise CodegenError(f"{name} is defined under both $defs and definitions", pointer=pointer)
            defs[name] = reader.schema(schema, pointer)
    rest = {key: value for key, value in document.items() if key not in ("$defs", "definitions")}
    root = None
    if any(key not in _ANNOTATIONS and key != "description" for key in rest):
        root = reader.schema(rest, "#")
        root["name"] = rest["title"] if isinstance(rest.get("title"), str) else "Root"
    if not defs and root is None:
        raise CodegenError("not a schema: no $defs, no definitions and no root schema", pointer="#")
    return {"dialect": dialect, "defs": defs, "root": root, "notes": reader.notes}


def _dialect(document: JsonObject) -> str:
    name = document.get("$schema", "https://json-schema.org/draft/2020-12/schema")
    dialect = DIALECTS.get(name.rstrip("#")) if isinstance(name, str) else None
    if dialect is None:
        known = "draft-07 and 2020-12 are known"
        raise CodegenError(f"unknown dialect {name!r}", pointer="#/$schema", hint=known)
    return dialect


class _Reader:
    """Holds what every node needs to know: the document its references stay inside of, and the dialect."""

    def __init__(self, document: JsonObject, dialect: str) -> None:
        self.document = document
        self.dialect = dialect
        self.notes: list[str] = []

    def schema(self, schema: Any, at: str) -> JsonObject:
        if schema is True:
            return {"@": at}
        if not is_object(schema):
            raise CodegenError(f"not a schema: {schema!r} where a schema must stand", pointer=at)
        if "$ref" in schema:
            return self._reference(schema, at)
        self._refuse_unknown(schema, at)
        node: JsonObject = {"@": at}
        _prose(schema, node)
        for keyword in ("allOf", "anyOf", "oneOf"):
            if keyword in schema:
                node[keyword] = self._arms(schema[keyword], join(at, keyword))
        values = self._values(schema, at)
        types = self._types(schema, at)
        if values is not None:
            self._refuse_beside(schema, "enum", (_TYPED - {"format"}) | {"allOf", "anyOf", "oneOf"}, at)
            node["enum"] = [value for value in values if types is None or set(types) & set(types_of(value))]
            if not node["enum"]:
                raise CodegenError("no value satisfies both type and enum/const", pointer=at)
            return node
        if "anyOf" in schema:
            self._refuse_beside(schema, "anyOf", {"oneOf"}, at)
        if schema.get("properties") or any(key in schema for key in ("anyOf", "oneOf")):
            self._refuse_beside(schema, "members", {"minProperties", "maxProperties"}, at)
        if types is None:
            types = self._implied(schema, at)
        if len(types) == 1:
            self._typed(schema, types[0], node, at)
        elif types:
            arms = [self._typed(schema, name, {"@": at}, at) for name in types]
            if "anyOf" in node:
                raise CodegenError("a type list beside anyOf cannot be generated", pointer=at)
            node["anyOf"] = arms
        return _simplified(node, at)

    def _reference(self, schema: JsonObject, at: str) -> JsonObject:
        target = schema["$ref"]
        if not isinstance(target, str):
            raise CodegenError("a $ref is no string", pointer=at)
        name = self._target(target, at)
        node: JsonObject = {"@": at, "$ref": name}
        _prose(schema, node)
        rest = {k: v for k, v in schema.items() if k not in ("$ref", "description") and k not in _ANNOTATIONS}
        rest.pop("deprecated", None)
        # Draft-07 readers ignore what stands beside a $ref (draft-07 core, section 8.3).
        if not rest or self.dialect == "draft-07":
            return node
        return {"@": at, "allOf": [node, self.schema(rest, at)]}

    def _target(self, target: str, at: str) -> str:
        if not target.startswith("#"):
            raise CodegenError(
                f"the $ref {target!r} leads outside the document", pointer=at, hint="put the definition into the file"
            )
        parts = split(target)
        if len(parts) != 2 or parts[0] not in ("$defs", "definitions"):
            raise CodegenError(f"the $ref {target!r} does not name a definition", pointer=at)
        group = self.document.get(parts[0])
        if not is_object(group) or parts[1] not in group:
            raise CodegenError(f"the $ref {target!r} leads nowhere", pointer=at)
        return parts[1]

    def _refuse_unknown(self, schema: JsonObject, at: str) -> None:
        for keyword in schema:
            if keyword in NORMAL or keyword in _ANNOTATIONS or keyword.startswith("x-"):
                continue
            if keyword in ("const", "$defs", "definitions"):
                continue
            if keyword == "uniqueItems" and schema[keyword] is False:
                continue
            raise CodegenError(f"the keyword {keyword!r} cannot be generated", pointer=join(at, keyword))

    def _refuse_beside(self, schema: JsonObject, what: str, keywords: Set[str], at: str) -> None:
        for keyword in schema:
            if keyword in keywords:
                raise CodegenError(f"{keyword!r} beside {what} cannot be generated", pointer=join(at, keyword))

    def _arms(self, arms: Any, at: str) -> list[JsonObject]:
        if not is_array(arms) or not arms:
            raise CodegenError("not a schema: a list of schemas must stand here", pointer=at)
        return [self.schema(arm, join(at, index)) for index, arm in enumerate(arms)]

    def _values(self, schema: JsonObject, at: str) -> list[Any] | None:
        values: Any = [schema["const"]] if "const" in schema else schema.get("enum")
        if "const" in schema and "enum" in schema:
            raise CodegenError("const beside enum cannot be generated", pointer=at, hint="keep one of them")
        if values is None:
            return None
        if not is_array(values) or not values:
            raise CodegenError("not a schema: enum is no list of values", pointer=join(at, "enum"))
        for value in values:
            if isinstance(value, (dict, list, float)) or (isinstance(value, int) and abs(value) >= _LARGEST):
                raise CodegenError(f"the constant {value!r} cannot be generated", pointer=at)
        _refuse_mixed(values, at)
        return values

    def _types(self, schema: JsonObject, at: str) -> list[str] | None:
        types = schema.get("type")
        if types is None:
            return None
        names = types if is_array(types) else [types]
        for name in names:
            if not isinstance(name, str) or name not in _BY_TYPE:
                raise CodegenError(f"not a schema: unknown type {name!r}", pointer=join(at, "type"))
        if not names:
            raise CodegenError("not a schema: an empty list of types", pointer=join(at, "type"))
        if "number" in names and "integer" in names:
            return [name for name in names if name != "integer"]
        return names

    def _implied(self, schema: JsonObject, at: str) -> list[str]:
        """The type that the keywords speak of, where none is written; the usual shorthand of hand-written schemas."""
        found = {name for name in _BY_TYPE for keyword in _BY_TYPE[name] if keyword in schema and keyword != "format"}
        found.discard("integer")
        if len(found) > 1:
            raise CodegenError("keywords of several types and no type", pointer=at, hint="add a type")
        if found:
            self.notes.append(f"{at}: no type is written, taken for {min(found)}")
        return sorted(found)

    def _typed(self, schema: JsonObject, name: str, node: JsonObject, at: str) -> JsonObject:
        node["type"] = name
        for keyword in _BY_TYPE[name]:
            if keyword not in schema:
                continue
            value, place = schema[keyword], join(at, keyword)
            if keyword == "properties":
                if not is_object(value):
                    raise CodegenError("not a schema: properties is no object", pointer=place)
                node[keyword] = {key: self.schema(child, join(place, key)) for key, child in value.items()}
                _refuse_names(value, place)
            elif keyword == "items":
                if is_array(value):
                    raise CodegenError("a list of item schemas (a tuple) cannot be generated", pointer=place)
                node[keyword] = self.schema(value, place)
            elif keyword == "additionalProperties":
                node[keyword] = False if value is False else self.schema(value, place)
            elif keyword == "required":
                if not is_array(value) or not all(isinstance(key, str) for key in value):
                    raise CodegenError("not a schema: required is no list of names", pointer=place)
                node[keyword] = list(dict.fromkeys(value))
                _refuse_names(node[keyword], place)
            elif keyword in ("pattern", "format"):
                if not isinstance(value, str):
                    raise CodegenError(f"not a schema: {keyword} is no string", pointer=place)
                node[keyword] = _pattern(value, place) if keyword == "pattern" else value
            else:
                node[keyword] = _number(value, keyword, name, place)
        if name == "object":
            # A name may be required without being declared: the member exists and may hold anything.
            extra = node.get("additionalProperties", {"@": at})
            for key in node.get("required", ()):
                if key not in node.get("properties", {}) and extra is False:
                    raise CodegenError(f"{key!r} is required and not allowed", pointer=join(at, "required"))
                node.setdefault("properties", {}).setdefault(key, extra)
        for plain, exclusive, tighter in (("minimum", "exclusiveMinimum", max), ("maximum", "exclusiveMaximum", min)):
            if plain in node and exclusive in node:
                # The back ends take one bound a side; of two equal ones the exclusive is the tighter.
                weaker = plain if tighter(node[exclusive], node[plain]) == node[exclusive] else exclusive
                del node[weaker]
        return node


def _refuse_mixed(values: Iterable[Any], at: str) -> None:
    """True and 1 are one value to Python."""
    if {bool, int} <= {value.__class__ for value in values}:
        raise CodegenError("an enum of both booleans and numbers cannot be generated", pointer=at)


def _refuse_names(members: Iterable[str], at: str) -> None:
    """Names that the struct decoder cannot have."""
    for name in members:
        if any(char < " " or char in '"\\' for char in name):
            raise CodegenError(f"the member name {name!r} cannot be generated", pointer=at)


def _pattern(pattern: str, at: str) -> str:
    try:
        return patterns.to_python(pattern)
    except ValueError as error:
        raise CodegenError(f"the pattern {pattern!r} cannot be generated: {error}", pointer=at) from None


def _number(value: Any, keyword: str, kind: str, at: str) -> int | float:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise CodegenError(f"not a schema: {keyword} is no number", pointer=at)
    if kind in ("object", "array", "string") and (value < 0 or value != int(value)):
        raise CodegenError(f"not a schema: {keyword} is no count", pointer=at)
    if abs(value) >= _LARGEST:
        raise CodegenError(f"the bound {value} is beyond 64 bits and cannot be generated", pointer=at)
    if keyword == "multipleOf":
        if value <= 0:
            raise CodegenError("not a schema: multipleOf is not positive", pointer=at)
        if not float(value).is_integer() and (kind == "integer" or not (1 / value).is_integer()):
            raise CodegenError(f"multiples of {value} cannot be generated", pointer=at)
    if kind != "integer" or isinstance(value, int):
        return int(value) if float(value).is_integer() else value
    return math.ceil(value) if keyword in ("minimum", "exclusiveMaximum") else math.floor(value)


def _prose(schema: JsonObject, node: JsonObject) -> None:
    if isinstance(schema.get("description"), str):
        node["description"] = schema["description"]
    if schema.get("deprecated") is True:
        node["deprecated"] = True


def _simplified(node: JsonObject, at: str) -> JsonObject:
    """Wrappers that say nothing fall away: one-element lists, and unions of nothing but constants."""
    for keyword in ("anyOf", "oneOf"):
        arms = node.get(keyword)
        alone = set(node) <= {"@", "description", "deprecated", keyword}
        if alone and arms and all(set(arm) <= _CONSTANT and "enum" in arm for arm in arms):
            values = [value for arm in arms for value in arm["enum"]]
            if keyword == "oneOf" and len(set(map(repr, values))) != len(values):
                raise CodegenError("a oneOf with the same constant twice accepts it never", pointer=at)
            _refuse_mixed(values, at)
            del node[keyword]
            node["enum"] = list(dict.fromkeys(values))
    for keyword in ("allOf", "anyOf", "oneOf"):
        arms = node.get(keyword)
        if arms and len(arms) == 1 and set(node) <= {"@", "description", "deprecated", keyword}:
            only = {k: v for k, v in arms[0].items() if k != "description"}
            prose = {k: v for k, v in node.items() if k in ("description", "deprecated")}
            return {**only, **prose}
    return node
