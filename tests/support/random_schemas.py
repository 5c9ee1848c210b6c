"""Small schemas drawn at random, of the keywords the generator knows and names that are hard to spell."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

DIALECT = "https://json-schema.org/draft/2020-12/schema"
DEFINITIONS = ("A", "AKeys", "tool", "Any")
MEMBERS = ("kind", "tool", "list", "$kind", "_meta", "class", "n")
CONSTANTS = ("a", "b", "", 1, 2, True, None)

references = st.sampled_from(DEFINITIONS).map(lambda name: {"$ref": f"#/$defs/{name}"})
counts = st.integers(0, 2)
numbers = st.sampled_from((-1, 0, 1, 2.5, 2**60))


def _some(**keywords: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries({}, optional=keywords)


def _typed(kind: str, **keywords: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    return _some(**keywords).map(lambda found: {"type": kind, **found})


leaves = st.one_of(
    st.sampled_from(({"type": "null"}, {"type": "boolean"}, {})),
    _typed("string", minLength=counts, maxLength=counts),
    _typed("integer", minimum=st.integers(-1, 2), exclusiveMaximum=numbers),
    _typed("number", exclusiveMinimum=numbers, maximum=numbers, multipleOf=st.sampled_from((0.5, 2))),
    st.sampled_from(CONSTANTS).map(lambda value: {"const": value}),
    st.lists(st.sampled_from(CONSTANTS), min_size=1, max_size=3, unique_by=repr).map(lambda values: {"enum": values}),
    st.sampled_from(({"type": ["string", "null"]}, {"type": ["integer", "string"]})),
    references,
)


def _compound(inner: st.SearchStrategy[dict[str, Any]]) -> st.SearchStrategy[dict[str, Any]]:
    members = st.dictionaries(st.sampled_from(MEMBERS), inner, max_size=3)
    required = st.lists(st.sampled_from(MEMBERS[:3]), unique=True, max_size=2)
    extra = st.one_of(st.just(False), st.just({}), inner)
    arms = st.lists(inner, min_size=1, max_size=3)
    return st.one_of(
        _typed("object", properties=members, required=required),
        _typed("object", properties=members, required=required, additionalProperties=extra),
        _typed("array", items=inner, minItems=counts, maxItems=counts),
        arms.map(lambda found: {"anyOf": found}),
        arms.map(lambda found: {"oneOf": found}),
        st.lists(inner, min_size=1, max_size=2).map(lambda found: {"allOf": found}),
        st.tuples(members, arms).map(lambda found: {"type": "object", "properties": found[0], "anyOf": found[1]}),
    )


schemas = st.recursive(leaves, _compound, max_leaves=6)
anything = st.fixed_dictionaries(dict.fromkeys(DEFINITIONS, schemas))


def _shape(members: dict[str, Any], required: list[str]) -> dict[str, Any]:
    return {"type": "object", "properties": members, "required": [name for name in required if name in members]}


few = st.one_of(
    st.sampled_from(CONSTANTS[:4]).map(lambda value: {"const": value}),
    st.sampled_from(({"type": "string"}, {"type": "integer"}, {"type": "null"}, {"enum": ["a", "b"]})),
    references,
    references.map(lambda found: {"type": "array", "items": found}),
)
shapes = st.builds(
    _shape,
    st.dictionaries(st.sampled_from(MEMBERS[:3]), few, min_size=1),
    st.lists(st.sampled_from(MEMBERS[:3]), unique=True, min_size=1),
)
loose = st.tuples(shapes, st.sampled_from(({}, False, {"type": "string"}))).map(
    lambda found: {**found[0], "additionalProperties": found[1]}
)
arms = st.one_of(references, references, references, shapes, leaves)
choices = st.tuples(st.sampled_from(("anyOf", "oneOf")), st.lists(arms, min_size=2, max_size=4)).map(
    lambda found: {found[0]: found[1]}
)
unions = st.fixed_dictionaries(
    {"A": shapes, "AKeys": st.one_of(shapes, loose), "tool": st.one_of(shapes, choices), "Any": choices}
)
documents = st.one_of(anything, unions, unions).map(lambda defs: {"$schema": DIALECT, "$defs": defs})
"""Definitions of anything, and, more often, objects and unions of them."""
