"""Boundary documents: JSON values at, just inside and just outside every constraint of a source JSON Schema.

Owns the walk over an unmodified schema document (draft-07 or 2020-12) that finds the constraints and spoils them one
at a time.  It gives no verdict: whether a document is valid is for an independent validator to say.  It must not know
anything of typedmcp, neither of the generated types nor of the generator that made them.
"""

from __future__ import annotations

import json
import math
import zlib
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from fractions import Fraction
from typing import Any, Final, NamedTuple, TypeGuard

Plug = Callable[[Any], Any]
"""Puts a value at one place and returns the whole document."""

_ASSERTIONS: Final = (
    *("type", "const", "enum", "properties", "required", "additionalProperties", "minProperties", "maxProperties"),
    *("items", "minItems", "maxItems", "uniqueItems", "minLength", "maxLength"),
    *("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"),
)
_UNSUPPORTED: Final = (
    *("not", "if", "then", "else", "pattern", "patternProperties", "propertyNames", "dependencies", "contains"),
    *("dependentRequired", "dependentSchemas", "prefixItems", "unevaluatedProperties", "unevaluatedItems"),
    *("$dynamicRef", "$recursiveRef"),
)
_TIGHTEST: Final[dict[str, Callable[[Any, Any], Any]]] = {
    **dict.fromkeys(("minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties"), max),
    **dict.fromkeys(("maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties"), min),
    "uniqueItems": lambda a, b: a or b,
}
_OF_EACH_TYPE: Final[tuple[Any, ...]] = (None, True, 0, 1.5, "", "x", [], {}, False, [None], {"x": None})
_NUMBERS: Final[tuple[Any, ...]] = (
    *(0, 1, -1, 1.0, 1.5, -0.0, 0.0, True, "1", 2**31, 2**53 + 1, 2**63, 2**64, -(2**64) - 1, 10**30),
    *(1e15, 1e300, -1e300, 5e-324, 0.1),
)
_USUAL: Final[dict[str | None, tuple[Any, ...]]] = {
    "string": ("a", "é", "😀", "A B", "a\x00b", "line\nbreak", "null", "1", "\u2028", "%", "://", "{", "a" * 300),
    "integer": _NUMBERS,
    "number": _NUMBERS,
    "boolean": (True, False, "true", 1),
    None: ({"x": {"y": [1, "z", None]}}, [[[]]], "x" * 300, 2**64, -0.0),
}
"""Values worth trying for each JSON type whatever its bounds, and for a schema without a type."""
_PLAIN: Final[tuple[Any, ...]] = (5, "x", [], None)
_EXTRA: Final = "unknownMember"
_FULL_DEPTH: Final = 7
_LEAST_DEPTH: Final = 12


class _Nothing:
    """The absence of an instance, where `None` would be the JSON null."""


_NOTHING: Final = _Nothing()


class _Flat(NamedTuple):
    """One way to satisfy a schema: keywords of one JSON type, free of references and of combinators."""

    label: str
    parts: tuple[int, ...]
    referred: bool
    keywords: dict[str, Any]


class _Place(NamedTuple):
    """A position in the documents; `own` if the definition itself describes it, not one that it refers to."""

    label: str
    plug: Plug
    own: bool

    def at(self, step: str, plug: Plug) -> _Place:
        """Return a place inside this one."""
        return _Place(self.label + step, plug, self.own)


class _Bucket(NamedTuple):
    """The mutations of one place; the sharp ones follow from its own constraints, the plain ones suit any schema."""

    own: bool
    sharp: list[tuple[Plug, Any]]
    plain: list[tuple[Plug, Any]]


def boundary_documents(document: dict[str, Any], name: str, limit: int) -> list[Any]:
    """Return at most `limit` distinct JSON values around the constraints of one definition (of the root for `""`)."""
    walk = _Walk(document)
    schema = walk.definition(name)
    first = [value for value in (walk.least(schema), walk.full(schema)) if value is not _NOTHING]
    if limit >= 3 * len(_OF_EACH_TYPE):
        first.extend(_OF_EACH_TYPE)
    return _choose(first, walk.mutations(schema), limit)


def least_and_full(document: dict[str, Any], name: str) -> list[Any]:
    """Return the smallest and the fullest instance built for one definition, fewer if it has none."""
    walk = _Walk(document)
    schema = walk.definition(name)
    return [value for value in (walk.least(schema), walk.full(schema)) if value is not _NOTHING]


class _Walk:
    """The instances of one schema document and the places where they can be spoilt."""

    def __init__(self, document: dict[str, Any]) -> None:
        self._document = document
        # Before 2019-09 a reference hides whatever stands beside it.
        self._ref_alone = "draft-07" in str(document.get("$schema", ""))
        self._flats: dict[int, list[_Flat]] = {}
        self._fulls: dict[tuple[int, int], Any] = {}
        self._leasts: dict[int, Any] = {}
        # The caches above are keyed by identity, so the keyed objects must stay alive.
        self._kept: list[Any] = []

    def definition(self, name: str) -> Any:
        """Return the schema of a named definition, or the root schema without its definitions."""
        if name:
            return next(self._document[key][name] for key in ("definitions", "$defs") if key in self._document)
        return {key: value for key, value in self._document.items() if key not in ("definitions", "$defs")}

    def alternatives(self, schema: Any) -> list[_Flat]:
        """Return every way to satisfy a schema, in the order of its arms."""
        if (found := self._flats.get(id(schema))) is None:
            # A union that is its own arm gains nothing from that arm.
            self._flats[id(schema)] = []
            self._kept.append(schema)
            found = self._flats[id(schema)] = list(self._expand(schema))
        return found

    def _expand(self, schema: Any) -> Iterator[_Flat]:
        if isinstance(schema, bool):
            if schema:
                yield _Flat("", (), False, {})
            return
        if unsupported := [key for key in _UNSUPPORTED if key in schema]:
            raise ValueError(f"the boundary walk does not know the keywords {unsupported}")
        reference = schema.get("$ref")
        if reference is not None and self._ref_alone:
            yield from self._referred(reference)
            return
        own = {key: schema[key] for key in _ASSERTIONS if key in schema}
        flats = [_Flat("", (id(schema),) if own else (), False, keywords) for keywords in _one_type_each(own)]
        if reference is not None:
            flats = _product(flats, self._referred(reference))
        for part in schema.get("allOf", ()):
            flats = _product(flats, self.alternatives(part))
        for key in ("anyOf", "oneOf"):
            if key in schema:
                arms = [
                    flat._replace(label=f"|{index}{flat.label}")
                    for index, arm in enumerate(schema[key])
                    for flat in self.alternatives(arm)
                ]
                flats = _product(flats, arms)
        yield from flats

    def _referred(self, reference: str) -> list[_Flat]:
        target: Any = self._document
        for step in reference.removeprefix("#").split("/")[1:]:
            target = target[step.replace("~1", "/").replace("~0", "~")]
        return [flat._replace(referred=True) for flat in self.alternatives(target)]

    def least(self, schema: Any, depth: int = _LEAST_DEPTH) -> Any:
        """Return a valid instance with nothing optional in it."""
        instances = (self.least_of(flat, depth) for flat in self.alternatives(schema))
        return next((value for value in instances if value is not _NOTHING), _NOTHING)

    def least_of(self, flat: _Flat, depth: int = _LEAST_DEPTH) -> Any:
        if (found := self._leasts.get(id(flat))) is not None:
            return found
        value = self._build(flat, depth, self.least, whole=False)
        # Running out of depth is the caller's failure, not this schema's.
        if value is not _NOTHING and value is not None:
            self._kept.append(flat)
            self._leasts[id(flat)] = value
        return value

    def full(self, schema: Any, depth: int = _FULL_DEPTH) -> Any:
        """Return a valid instance with every optional member in it, down to a bounded depth."""
        instances = (self.full_of(flat, depth) for flat in self.alternatives(schema))
        return next((value for value in instances if value is not _NOTHING), _NOTHING)

    def full_of(self, flat: _Flat, depth: int = _FULL_DEPTH) -> Any:
        if depth <= 0:
            return self.least_of(flat)
        key = (id(flat), depth)
        if key not in self._fulls:
            self._kept.append(flat)
            self._fulls[key] = self._build(flat, depth, self.full, whole=True)
        return self._fulls[key]

    def _build(self, flat: _Flat, depth: int, inner: Callable[[Any, int], Any], *, whole: bool) -> Any:
        keywords = flat.keywords
        if values := _listed(keywords):
            return values[-1] if whole else values[0]
        if depth <= 0:
            return _NOTHING
        match _kind(keywords):
            case "object":
                return self._build_object(keywords, depth, inner, whole=whole)
            case "array":
                return self._build_array(keywords, depth, inner, whole=whole)
            case "string":
                # One letter more than needed tells the full string from the empty one.
                fewest, most = keywords.get("minLength", 0), keywords.get("maxLength", math.inf)
                return "a" * min(fewest + whole, most) if fewest <= most else _NOTHING
            case "integer" | "number" as kind:
                return _number(keywords, integral=kind == "integer")
            case "boolean":
                return whole
            case "null":
                return None
            case _:
                return {"any": [1, None]} if whole else None

    def _build_object(
        self, keywords: dict[str, Any], depth: int, inner: Callable[[Any, int], Any], *, whole: bool
    ) -> Any:
        properties: dict[str, Any] = keywords.get("properties", {})
        required: list[str] = keywords.get("required", [])
        others: Any = keywords.get("additionalProperties", True)
        most = keywords.get("maxProperties", math.inf)
        members: dict[str, Any] = {}
        for name in dict.fromkeys([*required, *properties]):
            if name in required or (whole and len(members) < most):
                value = inner(properties.get(name, others), depth - 1)
                if value is not _NOTHING:
                    members[name] = value
                elif name in required:
                    return _NOTHING
        wanted = max(keywords.get("minProperties", 0), len(members) + (whole and not properties))
        for index in range(min(wanted, most) - len(members)):
            value = inner(others, depth - 1)
            if value is _NOTHING:
                break
            members[f"key{index}"] = value
        return members if len(members) >= keywords.get("minProperties", 0) else _NOTHING

    def _build_array(
        self, keywords: dict[str, Any], depth: int, inner: Callable[[Any, int], Any], *, whole: bool
    ) -> Any:
        items: Any = keywords.get("items", True)
        fewest, most = keywords.get("minItems", 0), keywords.get("maxItems", math.inf)
        wanted = max(fewest, min(2, most)) if whole else fewest
        if not 0 < wanted <= most:
            return [] if wanted == 0 else _NOTHING
        # After the first item the other arms, last one first, so that a full list shows more than one of them.
        flats = self.alternatives(items)
        pool = [inner(items, depth - 1)]
        for flat in [*flats[:0:-1], *flats[:1]]:
            pool.extend(_listed(flat.keywords) or [self.least_of(flat, depth - 1)])
        pool = [value for value in pool if value is not _NOTHING]
        if keywords.get("uniqueItems"):
            pool = list({json.dumps(value, sort_keys=True): value for value in pool}.values())
            wanted = max(fewest, min(wanted, len(pool)))
            return pool[:wanted] if len(pool) >= wanted else _NOTHING
        return [pool[index % len(pool)] for index in range(wanted)] if pool else [] if fewest == 0 else _NOTHING

    def spoilt(self, flat: _Flat, avoid: Iterable[str] = ()) -> Any:
        """Return an instance that is wrong in one member, preferably in none of the members to avoid."""
        keywords = flat.keywords
        least: Any = self.least_of(flat)
        if _is_object(least):
            properties: dict[str, Any] = keywords.get("properties", {})
            required: list[str] = keywords.get("required", [])
            # Constants last: without its tag an object is no longer a member of the arm it should spoil.
            order = sorted(
                properties,
                key=lambda name: (name in avoid, self._is_constant(properties[name]), name not in required),
            )
            for name in order:
                if (wrong := self.wrong(properties[name])) is not _NOTHING:
                    return {**least, name: wrong}
            return {name: value for name, value in least.items() if name != required[-1]} if required else _NOTHING
        if _is_array(least):
            wrong = self.wrong(keywords.get("items", True))
            return _NOTHING if wrong is _NOTHING else [*least, wrong]
        return next(_wrong_constants(least)) if _listed(keywords) else _NOTHING

    def _is_constant(self, schema: Any) -> bool:
        return all(_listed(flat.keywords) for flat in self.alternatives(schema))

    def wrong(self, schema: Any) -> Any:
        """Return a value of a JSON type that the schema does not allow."""
        allowed: set[str] = set()
        for flat in self.alternatives(schema):
            if values := _listed(flat.keywords):
                allowed.update(_type_of(value) for value in values)
            elif "type" in flat.keywords:
                allowed.add(flat.keywords["type"])
            else:
                return _NOTHING
        if "number" in allowed:
            allowed.add("integer")
        for value in _PLAIN:
            if _type_of(value) not in allowed:
                return value
        return _NOTHING

    def mutations(self, schema: Any) -> dict[str, _Bucket]:
        """Return the mutations by the pointer they mutate, outermost places first."""
        buckets: dict[str, _Bucket] = {}
        queue: deque[tuple[_Flat, _Place]] = deque()
        seen: set[tuple[Any, ...]] = set()

        def emit(place: _Place, *values: Any, sharp: bool = True) -> None:
            bucket = buckets.setdefault(place.label, _Bucket(place.own, [], []))
            found = ((place.plug, value) for value in values if value is not _NOTHING)
            (bucket.sharp if sharp else bucket.plain).extend(found)

        def enter(sub: Any, place: _Place) -> None:
            flats = self.alternatives(sub)
            emit(place, *_OF_EACH_TYPE, sharp=False)
            for flat in flats:
                arm = place.at(flat.label, place.plug)
                emit(arm, self.spoilt(flat), self.full_of(flat), self.least_of(flat))
                # A type used in several places is walked where it stands outermost; elsewhere the three above do.
                key = (*flat.parts, flat.keywords.get("type"))
                if key not in seen:
                    seen.add(key)
                    queue.append((flat, arm._replace(own=place.own and not flat.referred)))
            for value, pair in self._mixtures(flats):
                emit(place.at(pair, place.plug), value)

        def whole(value: Any) -> Any:
            return value

        enter(schema, _Place("", whole, True))
        while queue:
            flat, place = queue.popleft()
            if values := _listed(flat.keywords):
                wrongs = [wrong for value in values[:4] for wrong in _wrong_constants(value)]
                emit(place, *wrongs[:2], *values, *wrongs[2:])
            kind = _kind(flat.keywords)
            if kind == "object":
                self._object_places(flat, place, emit, enter)
            elif kind == "array":
                self._array_places(flat, place, emit, enter)
            elif not values:
                emit(place, *_at_bounds(flat.keywords, kind))
                emit(place, *_USUAL.get(kind, ()), sharp=False)
        return buckets

    def _mixtures(self, flats: list[_Flat]) -> Iterator[tuple[Any, str]]:
        objects = [flat for flat in flats if _is_object(self.least_of(flat))]
        count = len(objects)
        for i, one in enumerate(objects):
            # All pairs of a short union, neighbours of a long one.
            partners = range(count) if count <= 4 else ((i + 1) % count,)
            for other in (objects[j] for j in partners if j != i):
                pair = f"{one.label}&{other.label}"
                least, names = self.least_of(one), [*one.keywords.get("properties", {})]
                yield {**self.least_of(other), **least}, pair
                yield {**self.full_of(other), **self.full_of(one)}, pair
                spoilt_other = self.spoilt(other, names)
                if spoilt_other is not _NOTHING:
                    yield {**spoilt_other, **least}, pair
                spoilt_one = self.spoilt(one, other.keywords.get("properties", {}))
                if spoilt_one is not _NOTHING:
                    yield {**self.least_of(other), **spoilt_one}, pair

    def _object_places(
        self, flat: _Flat, place: _Place, emit: Callable[..., None], enter: Callable[[Any, _Place], None]
    ) -> None:
        keywords, plug = flat.keywords, place.plug
        least: Any = self.least_of(flat)
        full: Any = self.full_of(flat)
        if not _is_object(least) or not _is_object(full):
            return
        properties: dict[str, Any] = keywords.get("properties", {})
        others: Any = keywords.get("additionalProperties", True)

        def member(name: str) -> Plug:
            return lambda value: plug({**least, name: value})

        for name in dict.fromkeys([*properties, *keywords.get("required", [])]):
            inner = place.at(f"/{name}", member(name))
            missing = [{key: value for key, value in base.items() if key != name} for base in (full, least)]
            wrong = [value for value in (self.wrong(properties.get(name, others)), None) if value is not _NOTHING]
            emit(inner._replace(plug=plug), missing[0], *({**full, name: value} for value in wrong), missing[1])
            enter(properties.get(name, others), inner)
        unknown = place.at("/*", plug)
        emit(unknown, {**least, _EXTRA: None}, {**full, _EXTRA: {"x": [1.5]}})
        emit(unknown, {**least, "": "x"}, sharp=False)
        if isinstance(others, dict):
            enter(others, place.at("/*", member(_EXTRA)))
        for key in ("minProperties", "maxProperties"):
            for size in _around(keywords.get(key)):
                extra = self.least(others)
                padding = {f"key{index}": extra for index in range(size) if extra is not _NOTHING}
                emit(unknown, dict([*least.items(), *padding.items()][:size]))

    def _array_places(
        self, flat: _Flat, place: _Place, emit: Callable[..., None], enter: Callable[[Any, _Place], None]
    ) -> None:
        keywords = flat.keywords
        items: Any = keywords.get("items", True)
        least: Any = self.least_of(flat)
        item, wrong = self.least(items), self.wrong(items)
        emit(place, [], sharp=False)
        if item is _NOTHING or not _is_array(least):
            return
        emit(place, [item], [item, item], [item, None], {"0": item}, sharp=False)
        if wrong is not _NOTHING:
            emit(place, [item, wrong], [wrong, item])
        for key in ("minItems", "maxItems"):
            emit(place, *([item] * size for size in _around(keywords.get(key))))
        enter(items, place.at("/0", lambda value: place.plug([value, *least[1:]])))


def _choose(first: list[Any], buckets: dict[str, _Bucket], limit: int) -> list[Any]:
    """Take one mutation of each pointer in turn, of evenly spaced pointers where a whole turn is too much."""
    chosen: dict[str, Any] = {}
    for value in first[:limit]:
        chosen.setdefault(json.dumps(value, sort_keys=True), value)
    own = [_in_order(bucket, 0) for bucket in buckets.values() if bucket.own]
    others = [_in_order(bucket, zlib.crc32(label.encode())) for label, bucket in buckets.items() if not bucket.own]
    # Types referred to have walks of their own, so they leave most of the room here to the definition itself.
    _take(own, chosen, limit - (limit - len(chosen)) // 4)
    _take(others, chosen, limit)
    _take(own, chosen, limit)
    # Shared parts would let a test that edits one document change its neighbours.
    return [json.loads(key) for key in chosen]


def _take(waiting: list[Iterator[tuple[Plug, Any]]], chosen: dict[str, Any], limit: int) -> None:
    while waiting and len(chosen) < limit:
        room = limit - len(chosen)
        turn = waiting if len(waiting) <= room else [waiting[index * len(waiting) // room] for index in range(room)]
        spent: set[int] = set()
        for bucket in turn:
            for plug, value in bucket:
                result = plug(value)
                key = json.dumps(result, sort_keys=True)
                if key not in chosen:
                    chosen[key] = result
                    break
            else:
                spent.add(id(bucket))
        waiting = [bucket for bucket in waiting if id(bucket) not in spent]


def _in_order(bucket: _Bucket, start: int) -> Iterator[tuple[Plug, Any]]:
    """Go through the sharp mutations, then the plain ones, in strides: a few steps already try different kinds."""
    for mutations, pace in ((bucket.sharp, 1), (bucket.plain, len(bucket.plain) * 5 // 8)):
        count = len(mutations)
        stride = next((step for step in range(max(1, pace), count) if math.gcd(step, count) == 1), 1)
        yield from (mutations[(start + index * stride) % count] for index in range(count))


def _one_type_each(own: dict[str, Any]) -> list[dict[str, Any]]:
    kinds: Any = own.get("type")
    if not _is_array(kinds):
        return [own]
    return [{**own, "type": kind} for kind in kinds if "const" not in own or _is_a(own["const"], kind)]


def _product(left: list[_Flat], right: list[_Flat]) -> list[_Flat]:
    merged: list[_Flat] = []
    for a in left:
        for b in right:
            keywords = _merge(a.keywords, b.keywords)
            if keywords is not None:
                merged.append(_Flat(a.label + b.label, a.parts + b.parts, a.referred or b.referred, keywords))
    return merged


def _merge(a: dict[str, Any], b: dict[str, Any]) -> dict[str, Any] | None:
    """Return keywords that demand what both demand, or `None` where no value can satisfy both."""
    if not a or not b:
        return a or b
    merged = {**a, **b}
    if "type" in a and "type" in b and a["type"] != b["type"]:
        if {a["type"], b["type"]} != {"integer", "number"}:
            return None
        merged["type"] = "integer"
    for key, tightest in _TIGHTEST.items():
        if key in a and key in b:
            merged[key] = tightest(a[key], b[key])
    if "multipleOf" in a and "multipleOf" in b:
        one, other = Fraction(str(a["multipleOf"])), Fraction(str(b["multipleOf"]))
        common = Fraction(math.lcm(one.numerator, other.numerator), math.gcd(one.denominator, other.denominator))
        merged["multipleOf"] = int(common) if common.denominator == 1 else float(common)
    listed = [values for values in (_listed(a), _listed(b)) if values]
    if listed:
        allowed = [value for value in listed[0] if all(any(_same(value, x) for x in other) for other in listed[1:])]
        allowed = [value for value in allowed if "type" not in merged or _is_a(value, merged["type"])]
        if not allowed:
            return None
        merged.pop("const", None)
        merged["enum"] = allowed
    if "required" in a and "required" in b:
        merged["required"] = list(dict.fromkeys([*a["required"], *b["required"]]))
    if "items" in a and "items" in b:
        merged["items"] = {"allOf": [a["items"], b["items"]]}
    _merge_members(a, b, merged)
    return merged


def _merge_members(a: dict[str, Any], b: dict[str, Any], merged: dict[str, Any]) -> None:
    ours, theirs = a.get("properties", {}), b.get("properties", {})
    properties: dict[str, Any] = {}
    for name in dict.fromkeys([*ours, *theirs]):
        # A member that one side does not declare is an additional one there.
        demands = [
            side.get("properties", {}).get(name, side.get("additionalProperties", True))
            for side in (a, b)
            if "properties" in side or "additionalProperties" in side
        ]
        demands = [demand for demand in demands if demand is not True]
        properties[name] = demands[0] if len(demands) == 1 else {"allOf": demands} if demands else True
    if properties:
        merged["properties"] = properties
    if "additionalProperties" in a and "additionalProperties" in b:
        merged["additionalProperties"] = {"allOf": [a["additionalProperties"], b["additionalProperties"]]}


def _kind(keywords: dict[str, Any]) -> str | None:
    if "type" in keywords:
        return str(keywords["type"])
    for kind, signs in (
        ("object", ("properties", "required", "additionalProperties", "minProperties", "maxProperties")),
        ("array", ("items", "minItems", "maxItems", "uniqueItems")),
        ("string", ("minLength", "maxLength")),
        ("number", ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf")),
    ):
        if any(sign in keywords for sign in signs):
            return kind
    return None


def _listed(keywords: dict[str, Any]) -> list[Any]:
    return [keywords["const"]] if "const" in keywords else list(keywords.get("enum", ()))


def _type_of(value: Any) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, int):
        return "integer"
    if isinstance(value, float):
        return "number"
    if isinstance(value, str):
        return "string"
    return "array" if isinstance(value, list) else "object"


def _is_a(value: Any, kind: str) -> bool:
    actual = _type_of(value)
    return actual == kind or (actual == "integer" and kind == "number")


def _is_object(value: Any) -> TypeGuard[dict[str, Any]]:
    return isinstance(value, dict)


def _is_array(value: Any) -> TypeGuard[list[Any]]:
    return isinstance(value, list)


def _same(a: Any, b: Any) -> bool:
    return json.dumps(a, sort_keys=True) == json.dumps(b, sort_keys=True)


def _around(bound: int | None) -> list[int]:
    return [] if bound is None else [size for size in (bound - 1, bound, bound + 1) if size >= 0]


def _number(keywords: dict[str, Any], *, integral: bool) -> Any:
    low, low_open = _bound(keywords, "minimum", "exclusiveMinimum", max)
    high, high_open = _bound(keywords, "maximum", "exclusiveMaximum", min)
    step = Fraction(str(keywords.get("multipleOf", 1)))
    if integral:
        step = Fraction(step.numerator)
    candidates = [Fraction(0)]
    for bound in (low, high):
        if bound is not None:
            near = math.floor(Fraction(bound) / step)
            candidates.extend(step * (near + move) for move in (0, 1, -1))
            # Without a step every number does, so two close bounds still leave their middle.
            if not integral and "multipleOf" not in keywords:
                candidates.append((Fraction(bound) + Fraction(bound if low is None else low)) / 2)
                candidates.append((Fraction(bound) + Fraction(bound if high is None else high)) / 2)
    for candidate in candidates:
        above = low is None or candidate > low or (candidate == low and not low_open)
        below = high is None or candidate < high or (candidate == high and not high_open)
        if above and below:
            return int(candidate) if candidate.denominator == 1 else float(candidate)
    return _NOTHING


def _bound(keywords: dict[str, Any], closed: str, opened: str, tightest: Callable[[Any, Any], Any]) -> tuple[Any, bool]:
    if closed in keywords and opened in keywords:
        bound = tightest(keywords[closed], keywords[opened])
        return bound, bound == keywords[opened]
    return (keywords[opened], True) if opened in keywords else (keywords.get(closed), False)


def _at_bounds(keywords: dict[str, Any], kind: str | None) -> Iterator[Any]:
    if kind == "string":
        for key in ("minLength", "maxLength"):
            for size in _around(keywords.get(key)):
                # Outside the first plane a code point is two UTF-16 units and four UTF-8 bytes.
                yield from ("a" * size, "😀" * size)
    elif kind in ("integer", "number"):
        for key in ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"):
            if (bound := keywords.get(key)) is not None:
                yield from (bound, bound - 1, bound + 1, bound - 0.5, bound + 0.5, float(bound), -bound, 2 * bound)
                yield from (math.nextafter(bound, -math.inf), math.nextafter(bound, math.inf))
        yield 1.5


def _wrong_constants(value: Any) -> Iterator[Any]:
    if isinstance(value, str):
        yield from (value + "x", value.swapcase(), value[:-1], " " + value, {value: value})
    elif isinstance(value, bool):
        yield from (not value, int(value), str(value).lower())
    elif isinstance(value, int | float):
        yield from (value + 1, float(value), value + 0.5, -value, str(value))
    yield [value]
