"""Which definitions are messages, of which side and how they travel; reads the lowered document, decides nothing else.

Membership in a union decides, never a name or the mere presence of a method constant (`protocol.md` of the plan: one
union is an inlined copy of its arm, input requests are no messages of their own).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

from .jsonio import JsonObject

Side = Literal["client", "server"]
Kind = Literal["request", "notification"]

ENVELOPE = frozenset(("jsonrpc", "id"))
ANY_MESSAGE = "jsonrpcmessage"
"""The union of whatever may stand on the wire, in lower case: its spelling differs between exporters."""
MESSAGE_UNIONS: dict[str, tuple[Side, Kind]] = {
    "ClientRequest": ("client", "request"),
    "ClientNotification": ("client", "notification"),
    "ServerRequest": ("server", "request"),
    "ServerNotification": ("server", "notification"),
}
RESULT_UNIONS: dict[str, Side] = {"ClientResult": "client", "ServerResult": "server"}
_EXPORTED: dict[str, Kind] = {"JsonRpcRequest": "request", "JsonRpcNotification": "notification"}
_EMBEDDED = "InputRequest"


@dataclass(frozen=True, slots=True)
class Message:
    """A definition with a method constant that some union makes a message of `side`.

    An embedded one is never a message of its own: it travels in a result.
    """

    type: str
    method: str
    side: Side
    kind: Kind
    embedded: bool


def method_of(node: JsonObject, defs: JsonObject) -> str | None:
    """The method constant of an object type, also where it is a reference to a constant."""
    members: JsonObject = node.get("properties", {}) if node.get("type") == "object" else {}
    method: JsonObject = members.get("method", {})
    while "$ref" in method:
        method = defs[method["$ref"]]
    values: list[Any] = method.get("enum", [])
    return values[0] if len(values) == 1 and isinstance(values[0], str) else None


def arms(node: JsonObject, defs: JsonObject) -> list[str]:
    """The names of the object types a union consists of, nested unions and aliases unfolded."""
    found: list[str] = []
    listed: list[JsonObject] = node.get("anyOf") or node.get("oneOf") or []
    for arm in listed:
        name = arm.get("$ref")
        if name is None:
            continue
        target = defs[name]
        found += arms(target, defs) or ([name] if "$ref" not in target else arms({"anyOf": [target]}, defs))
    return found


def members(union: str, defs: JsonObject) -> list[str]:
    """The names of the object types of a union of messages; one of a single arm is a reference by now."""
    node = defs.get(union, {})
    return arms({"anyOf": [node]} if "$ref" in node else node, defs)


def document_side(defs: JsonObject) -> Side | None:
    """Whose messages an exporter's one-sided document describes: the side whose result union it holds."""
    held: list[Side] = [side for name, side in RESULT_UNIONS.items() if name in defs]
    return held[0] if len(held) == 1 and not any(name in defs for name in MESSAGE_UNIONS) else None


def messages(defs: JsonObject) -> Iterator[Message]:
    """Every message of the document, in the order of the unions and their arms."""
    side = document_side(defs)
    unions: dict[str, tuple[Side, Kind]] = dict(MESSAGE_UNIONS)
    if side is not None:
        unions = {name: (side, kind) for name, kind in _EXPORTED.items()}
    sent: set[str] = set()
    for union, (sender, kind) in unions.items():
        for name in members(union, defs):
            method = method_of(defs[name], defs)
            if method is not None:
                sent.add(name)
                yield Message(name, method, sender, kind, embedded=False)
    for name in arms(defs.get(_EMBEDDED, {}), defs):
        method = method_of(defs[name], defs)
        if method is not None and name not in sent:
            yield Message(name, method, "server", "request", embedded=True)
