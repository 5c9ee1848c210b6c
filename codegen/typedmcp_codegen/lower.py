"""The passes that leave a document of nothing but named objects, unions, maps and scalars; JSON to JSON, each pure.

Cleverness lives here, where it acts on data: intersections are merged, wrappers unfolded, inline objects and unions
hoisted to definitions with stable names, envelope members and `_meta` added where the protocol has them. Knows the
normal form and the naming policy; not the IR, not a back end.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

from . import names, roles
from .errors import CodegenError
from .jsonio import JsonObject, is_object, join, types_of
from .overlay import children, plain
from .unions import arms_of, circular

Pass = Callable[[JsonObject], JsonObject]


def rename(document: JsonObject) -> JsonObject:
    """Readable names for the definitions, and the root schema as a definition like the others."""
    defs: JsonObject = dict(document["defs"])
    root = document["root"]
    if root is not None:
        title = names.pascal(root.get("name", "Root").partition("_for_")[0]) or "Root"
        if title in defs:
            raise CodegenError(f"the root's title {title} is the name of a definition too", pointer="#")
        defs[title] = {key: value for key, value in root.items() if key != "name"}
    renamed = names.definitions(defs)
    names.unique(renamed, defs)
    document = {**document, "root": None, "defs": {renamed[name]: copy.deepcopy(node) for name, node in defs.items()}}

    def follow(node: JsonObject) -> None:
        if "$ref" in node:
            node["$ref"] = renamed[node["$ref"]]
        for _, child in children(node):
            follow(child)

    for node in document["defs"].values():
        follow(node)
        node.pop("name", None)
    return document


def merge(document: JsonObject) -> JsonObject:
    """Every `allOf` as the one object it means; every object beside a union spread over the union's arms."""
    return _each(document, lambda node: _merged(node, document["defs"], ()))


def _merged(node: JsonObject, defs: JsonObject, chain: tuple[str, ...]) -> JsonObject:
    node = _rebuilt(node, lambda child: _merged(child, defs, chain))
    if "allOf" in node:
        parts = [_resolved(part, defs, chain) for part in node["allOf"]]
        own = {key: value for key, value in node.items() if key not in ("allOf", "description", "deprecated")}
        result: JsonObject = {"@": node["@"]}
        for part in [own, *parts]:
            result = _both(result, part, node["@"])
        node = {**result, **{key: node[key] for key in ("@", "description", "deprecated", "name") if key in node}}
    base: JsonObject = {
        key: node[key] for key in ("type", "properties", "required", "additionalProperties") if key in node
    }
    keyword = next((key for key in ("anyOf", "oneOf") if key in node), None)
    if keyword and base.get("type") == "object":
        rest = {key: value for key, value in node.items() if key not in base}
        bare = not base.get("properties") and "additionalProperties" not in base
        if bare and all(_resolved(arm, defs, chain).get("type") == "object" for arm in node[keyword]):
            return rest
        if (
            base.get("properties")
            and set(base["properties"]) <= roles.ENVELOPE
            and all("$ref" in arm and "method" in defs[arm["$ref"]].get("properties", {}) for arm in node[keyword])
        ):
            # Rust's flattened envelope; its members go to the messages themselves (see `envelope`).
            return {**rest, "envelope": base["properties"], "requires": base.get("required", [])}
        rest[keyword] = [_both(_resolved(arm, defs, chain), base, arm["@"]) for arm in node[keyword]]
        return rest
    return node


def _resolved(node: JsonObject, defs: JsonObject, chain: tuple[str, ...]) -> JsonObject:
    seen = chain
    while "$ref" in node:
        if node["$ref"] in seen:
            raise CodegenError("an intersection that contains itself cannot be generated", pointer=node["@"])
        seen = (*seen, node["$ref"])
        node = _merged(defs[node["$ref"]], defs, seen)
    return {key: value for key, value in node.items() if key not in ("description", "deprecated", "name")}


def _both(left: JsonObject, right: JsonObject, at: str) -> JsonObject:
    """The node that admits what both admit; only for parts whose conjunction is one plain node."""
    if "@" in left and not plain(left) and plain(right):
        # The part that says something is the one later stages point to.
        left, right = right, left
    _refuse_closed(left, right, at)
    _refuse_closed(right, left, at)
    result = dict(left)
    for key, value in right.items():
        if key == "@" or key not in left:
            result.setdefault(key, value)
        elif key == "properties":
            merged = dict(left[key])
            for name, schema in value.items():
                merged[name] = _both(merged[name], schema, at) if name in merged else schema
            result[key] = merged
        elif key == "required":
            result[key] = sorted({*left[key], *value})
        elif key == "additionalProperties" and left[key] is not False and value is not False:
            result[key] = _both(left[key], value, at)
        elif key == "enum":
            result[key] = [item for item in left[key] if item in value]
        elif key in ("defaults", "constants"):
            result[key] = left[key] | value
        elif plain(left[key]) != plain(value) and key not in ("description", "deprecated", "format"):
            raise CodegenError(f"an allOf whose parts differ in {key} cannot be generated", pointer=at)
    one_sided = left.get("additionalProperties", left) is left or right.get("additionalProperties", right) is right
    if (
        one_sided
        and left.get("properties")
        and right.get("properties")
        and plain(result.get("additionalProperties")) == {}
    ):
        # An open base does not make a bag of what it is merged with; the rest is ignored as in any other object.
        del result["additionalProperties"]
    shapes = [key for key in ("$ref", "enum", "anyOf", "oneOf", "type") if key in result]
    if len(shapes) > 1 and set(shapes) != {"enum", "type"}:
        raise CodegenError(f"an allOf of {' and '.join(shapes)} cannot be generated", pointer=at)
    if "enum" in result:
        bounds = sorted(set(result) & _ASSERTIONS)
        if bounds:
            raise CodegenError(f"an allOf of enum and {bounds[0]} cannot be generated", pointer=at)
        kind = result.pop("type", None)
        result = {key: value for key, value in result.items() if key in ("@", "description", "deprecated", "enum")}
        if not result["enum"] or (kind and not all(kind in types_of(item) for item in result["enum"])):
            raise CodegenError("an allOf that no value satisfies cannot be generated", pointer=at)
    return result


_ASSERTIONS = frozenset(
    "minimum maximum exclusiveMinimum exclusiveMaximum multipleOf minLength maxLength pattern minItems maxItems "
    "minProperties maxProperties".split()
)


def _refuse_closed(part: JsonObject, other: JsonObject, at: str) -> None:
    """What one part says of undeclared members would speak of the other's declared ones."""
    extra = part.get("additionalProperties")
    if extra is None or plain(extra) == {}:
        return
    odd = sorted(set(other.get("properties", {})) - set(part.get("properties", {})))
    if odd:
        raise CodegenError(f"an allOf whose part leaves no room for {odd[0]!r} cannot be generated", pointer=at)


def collapse(document: JsonObject) -> JsonObject:
    """A union of messages that was printed as a copy of its only arm becomes a union of that arm again."""
    document = copy.deepcopy(document)
    defs = document["defs"]
    for name in roles.MESSAGE_UNIONS:
        method = roles.method_of(defs.get(name, {}), defs)
        if method is None:
            continue
        same = [other for other, node in defs.items() if other != name and roles.method_of(node, defs) == method]
        if len(same) != 1 or plain(defs[same[0]]) != plain(defs[name]):
            raise CodegenError(f"{name} is an object, and no single type with its method equals it", pointer="#")
        at = defs[name]["@"]
        kept: JsonObject = {key: defs[name][key] for key in ("@", "description", "deprecated") if key in defs[name]}
        defs[name] = {**kept, "anyOf": [{"@": at, "$ref": same[0]}]}
    return document


def hoist(document: JsonObject) -> JsonObject:
    """Every inline object with members and every inline union of objects becomes a definition, named by its path."""
    lifted: JsonObject = {}
    defs: JsonObject = {}

    def lift(node: JsonObject, name: str) -> JsonObject:
        expected, given = node.get("name", (name, name))
        if expected != name:
            raise CodegenError(
                f"overlay rename: expected the name {expected}, found {name}",
                pointer=node["@"],
                hint="review the record",
            )
        if not given.isidentifier():
            raise CodegenError(
                f"the type name {given!r}, made from the path to here, is no identifier",
                pointer=node["@"],
                hint="name it with an overlay record, or make it a definition",
            )
        body = {key: value for key, value in node.items() if key != "name"}
        known: JsonObject | None = lifted.get(given) or document["defs"].get(given)
        if known is not None and plain(known) != plain(body):
            raise CodegenError(
                f"the type name {given} is already that of {known['@']}, which differs",
                pointer=node["@"],
                hint="rename one of them with an overlay record",
            )
        if given not in document["defs"]:
            lifted.setdefault(given, body)
        reference: JsonObject = {"@": node["@"], "$ref": given}
        return {**reference, "description": node["description"]} if "description" in node else reference

    def walk(node: JsonObject, path: str, top: bool) -> JsonObject:
        def step(child: JsonObject, label: str) -> JsonObject:
            if not label.startswith(("anyOf/", "oneOf/", "allOf/")):
                return walk(child, path + names.pascal(label), False)
            if _is_struct(child):
                return walk(child, path + _arm_label(child, node), False)
            return walk(child, path, False)

        node = _rebuilt_with(node, step)
        if top:
            return node
        if _is_struct(node) or (_is_union(node) and _wants_name(node, {**document["defs"], **lifted})):
            rest = [arm for arm in node.get("anyOf", ()) if arm.get("type") != "null"]
            if "anyOf" in node and len(rest) == 1:
                return node
            if "anyOf" in node and len(rest) < len(node["anyOf"]):
                # X or null is no union to name; the null stays outside.
                return {**node, "anyOf": [lift({**node, "anyOf": rest}, path), {"@": node["@"], "type": "null"}]}
            return lift(node, path)
        return node

    for name, node in document["defs"].items():
        defs[name] = walk(node, name, True)
    return {**document, "defs": {**defs, **lifted}}


def _is_struct(node: JsonObject) -> bool:
    return node.get("type") == "object" and bool(node.get("properties"))


def _is_union(node: JsonObject) -> bool:
    return "anyOf" in node or "oneOf" in node


def _wants_name(union: JsonObject, defs: JsonObject) -> bool:
    """Whether an inline union is more than values of different JSON type, and so needs a plan and a name."""
    # Of an anyOf the null stays outside, once; a oneOf may count it twice.
    kinds = [kind for kind in _kinds(union, defs) if kind != "null" or "oneOf" in union]
    numbers = {"integer", "number"} <= set(kinds)
    named = [arm["$ref"] for arm in arms_of(union) if "$ref" in arm]
    apart = any("oneOf" in defs[name] or circular(name, defs) for name in named)
    return apart or "object" in kinds or "any" in kinds or len(set(kinds)) < len(kinds) or numbers


def _kinds(node: JsonObject, defs: JsonObject) -> list[str]:
    """The JSON types a node admits, one entry an arm; a circle of references ends where it closes."""
    seen: set[str] = set()
    while "$ref" in node:
        if node["$ref"] in seen:
            return []
        seen.add(node["$ref"])
        node = defs[node["$ref"]]
    if _is_union(node):
        inner = {name: target for name, target in defs.items() if name not in seen}
        return [kind for arm in arms_of(node) for kind in (_kinds(arm, inner) if arm.get("$ref") not in seen else ())]
    if "enum" in node:
        return list(dict.fromkeys(types_of(value)[0] for value in node["enum"]))
    return [node.get("type", "any")]


def _arm_label(arm: JsonObject, union: JsonObject) -> str:
    """What tells an inline arm from its siblings, as part of its name: a constant's value, else a member of its own."""
    others = [other for other in arms_of(union) if other is not arm and "required" in other]
    for name in arm.get("required", ()):
        values = arm["properties"][name].get("enum", ())
        if len(values) == 1 and isinstance(values[0], str) and names.pascal(values[0]):
            return names.pascal(values[0])
    own = [name for name in arm.get("required", ()) if all(name not in other["required"] for other in others)]
    if own:
        return names.pascal(own[0])
    if "name" in arm:
        return "Unnamed"
    raise CodegenError(
        "this arm of a union has neither a constant nor a required member of its own to be named after",
        pointer=arm["@"],
        hint="name it with an overlay record, or make it a definition",
    )


def envelope(document: JsonObject) -> JsonObject:
    """`jsonrpc` and `id` as optional members of every message, in every revision.

    Up to 2025-06-18 the schema has them on no message type, from 2025-11-25 on it requires them, and of embedded
    requests the official examples carry them; a caller who builds a message has to give neither, the engine does.
    """
    document = copy.deepcopy(document)
    defs = document["defs"]
    identifier = next((name for name in ("RequestId", "NumberOrString") if name in defs), None)
    for message in roles.messages(defs):
        node = defs[message.type]
        at = node["@"]
        added: JsonObject = {"jsonrpc": {"@": at, "enum": ["2.0"]}}
        if message.kind == "request" and identifier:
            added["id"] = {"@": at, "$ref": identifier}
        for name, schema in added.items():
            node["properties"].setdefault(name, schema)
        node["required"] = [name for name in node.get("required", ()) if name not in roles.ENVELOPE]
    for node in defs.values():
        members = node.pop("envelope", None)
        for arm in arms_of(node) if members else ():
            target = defs[arm["$ref"]]
            for member, schema in members.items():
                target["properties"].setdefault(member, schema)
    return document


def meta(document: JsonObject) -> JsonObject:
    """An optional `_meta` on the params of every message that travels by itself.

    Up to 2025-06-18 the schema declares it on almost none, the protocol has it on all; progress tokens travel in it.
    """
    document = copy.deepcopy(document)
    defs = document["defs"]
    token = next((name for name in ("ProgressToken", "NumberOrString") if name in defs), None)
    for message in roles.messages(defs):
        reference = defs[message.type]["properties"].get("params", {})
        for arm in reference.get("anyOf", (reference,)):
            for params in _structs(arm.get("$ref"), defs):
                if message.embedded or "_meta" in params["properties"]:
                    continue
                at = join(params["@"], "properties", "_meta")
                schema: JsonObject = {"@": at, "type": "object", "additionalProperties": {"@": at}}
                if message.kind == "request" and token:
                    wanted = {**schema, "properties": {"progressToken": {"@": at, "$ref": token}}}
                    known = defs.setdefault("RequestMeta", wanted)
                    if plain(known) != plain(wanted):
                        raise CodegenError(
                            "RequestMeta is not the request metadata of this protocol", pointer=known["@"]
                        )
                    schema = {"@": at, "$ref": "RequestMeta"}
                params["properties"]["_meta"] = schema
    return document


def _structs(name: str | None, defs: JsonObject) -> list[JsonObject]:
    """The object types that a definition stands for: itself, or the arms of a union."""
    if name is None:
        return []
    node = defs[name]
    if _is_struct(node):
        return [node]
    arms: list[JsonObject] = [node] if "$ref" in node else node.get("anyOf", node.get("oneOf", []))
    return [struct for arm in arms for struct in _structs(arm.get("$ref"), defs)]


PASSES: tuple[Pass, ...] = (rename, merge, collapse, hoist, envelope, meta)
"""In the order in which they run; each can be dumped by its name."""


def lower(document: JsonObject) -> JsonObject:
    """All passes. Raises CodegenError for what cannot be brought into this form."""
    # Every pass follows references, so a circle must be found before the first.
    _refuse_circles(document["defs"])
    for step in PASSES:
        document = step(document)
    return document


def _refuse_circles(defs: JsonObject) -> None:
    """Raises CodegenError where references and unions lead back to themselves with no object, map or list between."""
    done: set[str] = set()

    def walk(name: str, chain: tuple[str, ...]) -> None:
        if name in chain:
            circle = " -> ".join([*chain[chain.index(name) :], name])
            raise CodegenError(f"the references {circle} form a circle that holds no type", pointer=defs[name]["@"])
        if name in done:
            return
        pending = [defs[name]]
        while pending:
            node = pending.pop()
            if "$ref" in node:
                walk(node["$ref"], (*chain, name))
            pending += [arm for keyword in ("allOf", "anyOf", "oneOf") for arm in node.get(keyword, ())]
        done.add(name)

    for name in defs:
        walk(name, ())


def _each(document: JsonObject, change: Callable[[JsonObject], JsonObject]) -> JsonObject:
    return {**document, "defs": {name: change(node) for name, node in document["defs"].items()}}


def _rebuilt(node: JsonObject, change: Callable[[JsonObject], JsonObject]) -> JsonObject:
    return _rebuilt_with(node, lambda child, _: change(child))


def _rebuilt_with(node: JsonObject, change: Callable[[JsonObject, str], JsonObject]) -> JsonObject:
    """A copy of the node with each schema inside it changed."""
    result: dict[str, Any] = dict(node)
    if "properties" in node:
        result["properties"] = {name: change(child, name) for name, child in node["properties"].items()}
    if is_object(node.get("items")):
        result["items"] = change(node["items"], "Item")
    if is_object(node.get("additionalProperties")):
        result["additionalProperties"] = change(node["additionalProperties"], "Value")
    for keyword in ("allOf", "anyOf", "oneOf"):
        if keyword in node:
            result[keyword] = [change(arm, f"{keyword}/{index}") for index, arm in enumerate(node[keyword])]
    return result
