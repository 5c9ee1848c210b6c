"""The rows of generated method tables: neutral data, strings and flags; knows no back end and no decoder."""

from __future__ import annotations

from typing import Literal, NamedTuple

Side = Literal["client", "server"]


class Result(NamedTuple):
    """A result type of a request, by name, and when it is the answer.

    `when` is `always`, `params.task present` (decided by the request), or `resultType VALUE` (by the result).
    """

    type: str
    when: str = "always"


class Method(NamedTuple):
    """One method of one revision. Types are named as in the revision's `structs` and `models`."""

    wire: str
    """The name on the wire."""
    kind: Literal["request", "notification"]
    senders: tuple[Side, ...]
    """The sides that may send it."""
    carrier: Literal["rpc", "embedded"]
    """`embedded`: never a message of its own, travels inside an input-required result."""
    type: str
    """The type of the whole message."""
    params: str | None
    params_required: bool
    results: tuple[Result, ...] = ()
    capability: str = ""
    """What must have been declared, as `server.tools.listChanged`; empty where nothing must."""
    related: str = ""
    """The notification that belongs to a request; empty where there is none."""
    since: str = ""
    """The first revision that has the method; empty where the document is no dated revision."""
    until: str = ""
    """The last revision that has the method; empty where the newest still has it."""


class Envelope(NamedTuple):
    """How one revision wraps its messages."""

    batches: bool
    """Whether a list of messages is one (JSON-RPC 2.0, section 6)."""
    error_needs_id: bool
    """Whether an error must have an `id`; it is null then where the request's could not be read."""


class Projection(NamedTuple):
    """A type of the newest revision as an older one has it. Members are named as on the wire."""

    type: str
    target: str
    """Its counterpart; empty where it has none, and a value of it cannot be told."""
    dropped: tuple[str, ...] = ()
    """Members the counterpart does not have."""
    narrowed: tuple[str, ...] = ()
    """Members that may hold what the counterpart does not allow."""
    added: tuple[str, ...] = ()
    """Members the counterpart requires and the type does not have."""


class ErrorCode(NamedTuple):
    """An error code of one revision; `data` and `response` name types, None where the revision defines none."""

    name: str
    code: int
    data: str | None = None
    response: str | None = None
