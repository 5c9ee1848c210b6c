"""How things are called: definitions, hoisted types and members; knows nothing of what they mean."""

from __future__ import annotations

import keyword
import re
import unicodedata
from collections.abc import Container, Iterable

from .errors import CodegenError
from .jsonio import JsonObject

SPELLED = {"$schema": "schema_uri"}
"""Members whose Python name no rule gives well."""

RESERVED = frozenset(
    "list dict str int float bool field constant tagged schema json copy dict construct validate parse_obj from_orm "
    "model_config model_fields model_computed_fields model_extra model_fields_set model_construct model_copy "
    "model_dump model_dump_json model_json_schema model_parametrized_name model_post_init model_rebuild "
    "model_validate model_validate_json model_validate_strings parse_file parse_raw schema_json update_forward_refs "
    "self mro read register of base base_models typing pydantic typing_extensions".split()
)
"""Names that would shadow what a class body needs (a builtin in an annotation, a helper) or what pydantic reserves.

One set for both back ends, so that a member has one name wherever it is used.
"""


TAKEN = frozenset(
    "str int float bool list dict typing pydantic typing_extensions base base_models TYPE_CHECKING".split()
)
"""Names that no type can have: builtins of annotations, and the modules a type's name is written through."""


def pascal(text: str) -> str:
    """`inputSchema` to `InputSchema`: a member's part in the name of a hoisted type."""
    words = re.findall(r"[^\W_]+", unicodedata.normalize("NFKC", text.rsplit("/", 1)[-1]))
    return "".join(word[0].upper() + word[1:] for word in words)


def snake(text: str) -> str:
    """`inputSchema` to `input_schema`, `URLElicitation` to `url_elicitation`, `x-y` to `x_y`."""
    # Python reads identifiers in this form; another one would be another name to a class and the same to its source.
    text = re.sub(r"[^\w]+", "_", unicodedata.normalize("NFKC", text))
    text = re.sub(r"([A-Z]+)([A-Z][a-z])", r"\1_\2", text)
    text = re.sub(r"([a-z0-9])([A-Z])", r"\1_\2", text)
    return re.sub(r"_+", "_", text).strip("_").lower()


def member(wire: str) -> str:
    """The Python name of one JSON member, before collisions are looked at."""
    if wire in SPELLED:
        return SPELLED[wire]
    name = snake(wire.rsplit("/", 1)[-1])
    if not name:
        return "empty"
    if not name.isidentifier():
        return f"field_{name}"
    if keyword.iskeyword(name) or keyword.iskeyword(name.capitalize()) or name in RESERVED:
        return f"{name}_"
    return name


def members(wires: Iterable[str], types: Container[str] = ()) -> tuple[dict[str, str], list[str]]:
    """Python names for all members of one object, and a line for each collision.

    A member that already is what another one would become keeps its name; the others get `_2`, `_3` in the order of
    their wire names, so the outcome does not depend on the order in the file. `types` are the names of the document's
    types: a member called like one would hide it in the annotations of its class.
    """

    def spelled(wire: str) -> str:
        name = member(wire)
        return f"{name}_" if name in types else name

    taken: dict[str, str] = {}
    notes: list[str] = []
    for wire in sorted(wires, key=lambda wire: (spelled(wire) != wire, wire)):
        base = name = spelled(wire)
        number = 2
        while name in taken or name in types:
            name = f"{base.rstrip('_')}_{number}"
            number += 1
        if name != base:
            notes.append(f"member {wire!r} is called {name!r}: {base!r} already stands for {taken[base]!r}")
        taken[name] = wire
    return {wire: name for name, wire in taken.items()}, notes


_STUBS = frozenset(
    "binding caller stubs types call notify capabilities declared implemented stub_names unknown_request "
    "unknown_notification".split()
)


def stubs(wires: Iterable[tuple[str, bool]], prefix: str) -> dict[str, str]:
    """The method names of messages, each given by wire name and whether it is a notification.

    `resources/templates/list` to `resources_templates_list`, `notifications/tools/list_changed` to
    `PREFIX_tools_list_changed`; two that would be one get `_2`, `_3` in the order of their wire names.
    """
    taken: dict[str, str] = {}
    for wire, notification in sorted(wires):
        told = f"{prefix}_{snake(wire.removeprefix('notifications/'))}" if notification else snake(wire) or "empty"
        base = f"_{told}" if not told.isidentifier() else told
        name = f"{base}_" if keyword.iskeyword(base) or base in _STUBS else base
        number = 2
        while name in taken:
            name, number = f"{base}_{number}", number + 1
        taken[name] = wire
    return {wire: name for name, wire in taken.items()}


def definitions(defs: JsonObject) -> dict[str, str]:
    """The readable name of each definition (old name to new), for the spellings a Rust exporter prints.

    Requests and notifications are called after the definition of their method constant; `Annotated_for_RawX` is `X`;
    any other `Base_for_Args` is `Base`; `…Param` becomes `…Params`. Everything else keeps its name. A name given by
    an overlay (`name` in the node) wins.
    """
    renamed: dict[str, str] = {}
    for name, node in defs.items():
        given = node.get("name")
        renamed[name] = given[1] if given and given[0] == name else _readable(name, node, defs)
    return renamed


def _readable(name: str, node: JsonObject, defs: JsonObject) -> str:
    method = _method_constant(node, defs)
    if method is not None and name.startswith(("Request", "Notification")):
        kind = "Request" if name.startswith("Request") else "Notification"
        return method.removesuffix("Method").removesuffix("Result").removesuffix(kind) + kind
    base, _, arguments = name.partition("_for_")
    if arguments.startswith("Raw"):
        return arguments.removeprefix("Raw")
    if arguments:
        return base
    if name.endswith("Param") and node.get("type") == "object" and f"{name}s" not in defs:
        return f"{name}s"
    return name


def _method_constant(node: JsonObject, defs: JsonObject) -> str | None:
    method = node.get("properties", {}).get("method", {}).get("$ref")
    return method if method is not None and method.endswith("Method") else None


def unique(renamed: dict[str, str], defs: JsonObject) -> None:
    """Raises CodegenError when two definitions would share one name, and for a name no class can have."""
    owners: dict[str, str] = {}
    for old, new in renamed.items():
        what = ""
        if not new.isidentifier():
            what = "is no identifier"
        elif keyword.iskeyword(new):
            what = "is a keyword of Python"
        elif new in TAKEN or (new.startswith("__") and new.endswith("__")):
            what = "would hide what generated code needs"
        if what:
            raise CodegenError(
                f"the definition name {new!r} {what}", pointer=defs[old]["@"], hint="rename the definition"
            )
        if new in owners:
            raise CodegenError(
                f"the type name {new} is already that of {owners[new]}",
                pointer=defs[old]["@"],
                hint="rename one of them with an overlay record",
            )
        owners[new] = old
