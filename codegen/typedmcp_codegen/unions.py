"""How each union is decided: a tag, a key, a value, a small tree; proven or refused, never first match by luck.

A plan that a back end does not know by itself is an ordered list of cases. A case is skipped only where its arm could
not accept the value (its tests are necessary conditions), and when the preferred case refuses, the next one is tried:
so the verdict is exactly that of JSON Schema, and the order only says which type a value gets that several accept.
Knows the lowered document and the IR; no back end.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any

from . import roles
from .errors import CodegenError
from .ir import Anything, Case, ListOf, LiteralOf, MapOf, Nullable, OneOf, Plan, PlanKind, Ref, Scalar, Test, TypeExpr
from .jsonio import JsonObject, is_array, types_of

Expression = Callable[[JsonObject], TypeExpr]


def is_union(node: JsonObject) -> bool:
    """Whether a node is a union."""
    return "anyOf" in node or "oneOf" in node


def arms_of(node: JsonObject) -> list[JsonObject]:
    """The arms of a union node, in the order of the file."""
    arms: list[JsonObject] = node.get("anyOf") or node["oneOf"]
    return arms


def circular(name: str, defs: Mapping[str, JsonObject]) -> bool:
    """Whether a definition reaches itself with no object type in between."""
    seen: set[str] = set()
    pending = [defs[name]]
    while pending:
        node = pending.pop()
        if node.get("type") == "object" and node.get("properties"):
            continue
        target = node.get("$ref")
        if target == name:
            return True
        if target is not None and target not in seen:
            seen.add(target)
            pending.append(defs[target])
        inner = [node.get("items"), node.get("additionalProperties"), *node.get("anyOf", ()), *node.get("oneOf", ())]
        pending += [child for child in inner if isinstance(child, dict)]
    return False


class Planner:
    """Plans the unions of one document and remembers which object types they tag (`tags`: type to member)."""

    def __init__(self, defs: Mapping[str, JsonObject], expression: Expression) -> None:
        self._defs = defs
        self._expression = expression
        self.tags: dict[str, str] = {}
        self._tagged_by: dict[str, str] = {}

    def plan(self, name: str, node: JsonObject) -> tuple[Plan, tuple[TypeExpr, ...]]:
        """The plan of one named union and its arms as types.

        Raises CodegenError when nothing tells two arms apart.
        """
        exclusive = "oneOf" in node
        arms = list(self._flat(node)) if exclusive else list(self._distinct(self._flat(node)))
        types = tuple(self._expression(arm) for arm in arms)
        if exclusive and len(set(types)) < len(types):
            raise CodegenError(f"two arms of the oneOf {name} are the same: it accepts neither", pointer=node["@"])
        if "union" in node:
            return self._reviewed(name, node, arms, exclusive), types
        if name in roles.RESULT_UNIONS:
            return self._by_method(arms), types
        tag = self._tag(name, arms)
        if tag is not None:
            return tag, types
        kinds = [self._kind(arm) for arm in arms]
        objects = [arm for arm, kind in zip(arms, kinds, strict=True) if kind == "object"]
        distinct = len(set(kinds)) == len(kinds) and "any" not in kinds and not {"integer", "number"} <= set(kinds)
        if distinct and not any(self._decided_elsewhere(arm) for arm in arms):
            return Plan("Scalars", "the arms differ in JSON type"), types
        self._prove(name, node, objects)
        return self._ordered(arms, exclusive), types

    def _flat(self, node: JsonObject) -> Iterator[JsonObject]:
        """The arms, with those of nested unions in their place; an exclusive union keeps a nested one whole."""
        for arm in arms_of(node):
            target = self._follow(arm)
            whole = "oneOf" in node or "oneOf" in target or "union" in target or "requires" in target
            if is_union(target) and not whole:
                yield from self._flat(target)
            else:
                yield arm

    def _distinct(self, arms: Iterable[JsonObject]) -> Iterator[JsonObject]:
        """Each arm once, and one null: what stands twice in an anyOf says nothing the second time."""
        seen: set[TypeExpr] = set()
        for arm in arms:
            type_ = LiteralOf((None,)) if self._kind(arm) == "null" else self._expression(arm)
            if type_ not in seen:
                seen.add(type_)
                yield arm

    def _decided_elsewhere(self, arm: JsonObject) -> bool:
        """Whether an arm is no native type to the back ends: a union of its own, or an alias that mentions itself."""
        return is_union(self._follow(arm)) or ("$ref" in arm and circular(arm["$ref"], self._defs))

    def _follow(self, node: JsonObject) -> JsonObject:
        while "$ref" in node:
            node = self._defs[node["$ref"]]
        return node

    def _kind(self, node: JsonObject) -> str:
        node = self._follow(node)
        if "enum" in node:
            kinds = {types_of(value)[0] for value in node["enum"]}
            return kinds.pop() if len(kinds) == 1 else "any"
        if is_union(node):
            kinds = {self._kind(arm) for arm in arms_of(node)}
            return kinds.pop() if len(kinds) == 1 else "any"
        return str(node.get("type", "any"))

    def _constants(self, arm: JsonObject) -> dict[str, tuple[object, ...]]:
        """The required members of an object type that hold constants, with the values each may have."""
        node = self._follow(arm)
        found: dict[str, tuple[object, ...]] = {}
        for name in node.get("required", ()):
            values = self._follow(node["properties"][name]).get("enum")
            if values:
                found[name] = tuple(values)
        return found

    def _tag(self, name: str, arms: Sequence[JsonObject]) -> Plan | None:
        """A native tag: a required constant in every object arm, all different, and no other arm an object."""
        objects = [arm for arm in arms if self._kind(arm) == "object"]
        others = [self._kind(arm) for arm in arms if self._kind(arm) != "object"]
        if len(objects) < 2 or any("$ref" not in arm for arm in objects) or len(set(others)) != len(others):
            return None
        if "any" in others or any(not self._taggable(arm) for arm in objects):
            return None
        constants = [self._constants(arm) for arm in objects]
        for member in constants[0]:
            values = [found.get(member, ()) for found in constants]
            if not all(len(value) == 1 for value in values) or len(set(values)) != len(values):
                continue
            if not (all(isinstance(v[0], str) for v in values) or all(type(v[0]) is int for v in values)):
                continue
            names = [self._target(arm) for arm in objects]
            if any(self.tags.get(arm, member) != member for arm in names):
                continue
            for arm in names:
                self.tags[arm] = member
            rest = f", or {' or '.join(others)} by JSON type" if others else ""
            return Plan("ByTag", f"`{member}` is a required constant, different in each arm{rest}", tag=member)
        return None

    def _taggable(self, arm: JsonObject) -> bool:
        """A bag is a plain dict at run time and can carry no tag; a union as an arm is decided by itself."""
        node = self._follow(arm)
        return not is_union(node) and not isinstance(node.get("additionalProperties"), dict)

    def _target(self, arm: JsonObject) -> str:
        name = arm["$ref"]
        while "$ref" in self._defs[name]:
            name = self._defs[name]["$ref"]
        return str(name)

    def _necessary(self, arm: JsonObject) -> tuple[Test, ...]:
        """Conditions every value of an object arm meets: required members, their constants, one level of nesting."""
        node = self._follow(arm)
        tests = [Test((name,)) for name in node.get("requires", ())]
        for name, schema in node.get("properties", {}).items():
            target = self._follow(schema)
            values = tuple(target.get("enum", ()))
            if name in node.get("required", ()):
                tests.append(Test((name,), values))
                if target.get("type") == "object":
                    tests += [Test((name, inner)) for inner in target.get("required", ())]
            elif values:
                tests.append(Test((name,), values, or_absent=True))
        return tuple(tests)

    def _prove(self, name: str, node: JsonObject, objects: Sequence[JsonObject]) -> None:
        for left, right in combinations(objects, 2):
            if _told_apart(self._necessary(left), self._necessary(right)) is None:
                arms = ", ".join(str(arm.get("$ref", arm["@"])) for arm in objects)
                raise CodegenError(
                    f"nothing decides the union {name} of {arms}: {left.get('$ref', left['@'])} and "
                    f"{right.get('$ref', right['@'])} overlap and neither requires a member the other does not",
                    pointer=node["@"],
                    hint="give the arms different constants or required members, or add an overlay record",
                )

    def _ordered(self, arms: Sequence[JsonObject], exclusive: bool) -> Plan:
        tests = {id(arm): self._necessary(arm) if self._kind(arm) == "object" else () for arm in arms}
        # The more an arm requires, the earlier it is tried: what also fits a looser arm gets the narrower type.
        order = sorted(arms, key=lambda arm: (*_looseness(tests[id(arm)]), arms.index(arm)))
        cases = tuple(Case(self._expression(arm), self._kind(arm), tests[id(arm)]) for arm in order)
        kind: PlanKind = "ByKey"
        reason = "required members decide; the arm that requires more is tried first"
        members = dict.fromkeys(t.path for case in cases for t in case.tests if t.values and len(t.path) == 1)
        shared = [path for path in members if all(any(t.path == path for t in case.tests) for case in cases)]
        if shared and any(test.or_absent for case in cases for test in case.tests if test.path in shared):
            kind, reason = "Decide", f"`{shared[0][0]}` decides; the arm where it is optional is the default"
        elif any(len(test.path) > 1 for case in cases for test in case.tests):
            kind, reason = "Decide", "required members decide, also inside a member"
        return Plan(kind, reason, cases=cases, exclusive=exclusive)

    def _by_method(self, arms: Sequence[JsonObject]) -> Plan:
        """Results are decoded by the method they answer; what is decoded as this union is kept whole."""
        order = sorted(arms, key=lambda arm: (not self._keeps_all(arm), len(_strict(self._necessary(arm)))))
        cases = tuple(Case(self._expression(arm), self._kind(arm)) for arm in order)
        reason = "the method of the request decides, not the bytes: decode a result by its method's type"
        return Plan("ByMethod", reason, cases=cases)

    def _keeps_all(self, arm: JsonObject) -> bool:
        node = self._follow(arm)
        return self._kind(arm) == "any" or isinstance(node.get("additionalProperties"), dict)

    def _reviewed(self, name: str, node: JsonObject, arms: Sequence[JsonObject], exclusive: bool) -> Plan:
        record = node["union"]
        found = [arm.get("$ref") for arm in arms]
        if found != record["expect"]:
            raise CodegenError(
                f"overlay union: expected the arms {record['expect']} at {node['@']}, found {found}",
                where=record["origin"],
                hint="review the record",
            )
        chosen = record["set"]
        by_name = {str(arm.get("$ref")): arm for arm in arms}
        cases: list[Case] = []
        for case in chosen["cases"]:
            arm = by_name[case["arm"]]
            tests = tuple(_test(*entry) for entry in case["when"])
            cases.append(Case(self._expression(arm), self._kind(arm), tests))
        if chosen["exact"]:
            # What the preferred order skips is still tried last, so that the verdict stays that of the schema.
            cases += [Case(self._expression(arm), self._kind(arm), self._necessary(arm)) for arm in arms]
        return Plan(chosen["kind"], record["why"], cases=tuple(cases), exclusive=exclusive)


def _test(path: Sequence[str], values: Any = (), or_absent: bool = False) -> Test:
    listed: Sequence[Any] = values if is_array(values) or values == () else (values,)
    return Test(tuple(path), tuple(listed), or_absent)


def _strict(tests: Sequence[Test]) -> list[Test]:
    return [test for test in tests if not test.or_absent]


def _looseness(tests: Sequence[Test]) -> tuple[int, int]:
    strict = _strict(tests)
    return -len(strict), -sum(1 for test in strict if test.values)


def _told_apart(left: Sequence[Test], right: Sequence[Test]) -> str | None:
    """Why two arms can be told apart or ordered: a constant excludes or narrows, or one requires a member more."""
    for test in left:
        for other in right:
            both = test.path == other.path and test.values and other.values
            if both and not set(test.values) & set(other.values) and not (test.or_absent and other.or_absent):
                return "constant"
    mine, theirs = {test.path for test in _strict(left)}, {test.path for test in _strict(right)}
    if mine != theirs:
        return "key"
    return "constant" if _looseness(left) != _looseness(right) else None


def refuse_same_kind(arms: Sequence[TypeExpr], at: str) -> None:
    """Raises CodegenError when two arms of an inline union have one JSON type, which no back end could decide."""
    kinds: dict[str, TypeExpr] = {}
    for arm in arms:
        for kind in _kinds(arm):
            if kind in kinds:
                raise CodegenError(
                    f"nothing decides an inline union with two arms of JSON type {kind}",
                    pointer=at,
                    hint="make the union a definition",
                )
            kinds[kind] = arm


def _kinds(arm: TypeExpr) -> tuple[str, ...]:
    match arm:
        case Scalar(kind="number"):
            return ("number", "integer")
        case Scalar(kind=kind):
            return (kind,)
        case LiteralOf(values=values):
            return tuple({types_of(value)[0] for value in values})
        case ListOf():
            return ("array",)
        case MapOf():
            return ("object",)
        case OneOf(arms=arms):
            return tuple(kind for inner in arms for kind in _kinds(inner))
        case Nullable(inner=inner):
            return _kinds(inner)
        case Anything():
            return ("any",)
        case Ref(name=name):
            return (f"reference {name}",)
