"""The intermediate representation: frozen data, nothing else. Templates print it, no stage after it decides anything.

Every node that comes from the input carries `pointer`, the JSON pointer of that place in the input file.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from typing import Literal

JsonScalar = str | int | float | bool | None
Side = Literal["client", "server"]


class Presence(Enum):
    """Whether a member must be there, and what stands for it where it is not."""

    REQUIRED = "required"
    OPTIONAL = "optional"
    DEFAULTED = "defaulted"
    """May be absent on receipt, is always sent."""
    CONSTANT = "constant"
    """Required on the wire; a caller need not give it, since its value is known."""


class Openness(Enum):
    """What becomes of members the schema does not name."""

    IGNORED = "ignored"
    FORBIDDEN = "forbidden"
    KEPT = "kept"
    """A bag: mostly keys; all of them are kept."""


@dataclass(frozen=True, slots=True)
class Constraints:
    """Assertions on one value, in the keywords of JSON Schema."""

    minimum: float | None = None
    maximum: float | None = None
    exclusive_minimum: float | None = None
    exclusive_maximum: float | None = None
    multiple_of: float | None = None
    min_length: int | None = None
    max_length: int | None = None
    pattern: str | None = None


@dataclass(frozen=True, slots=True)
class Ref:
    """A named type of the same document."""

    name: str


@dataclass(frozen=True, slots=True)
class Scalar:
    """One JSON scalar type; `number` is an integer or a float, and 1 stays 1."""

    kind: Literal["string", "integer", "number", "boolean"]
    constraints: Constraints = Constraints()
    format: str | None = None


@dataclass(frozen=True, slots=True)
class LiteralOf:
    """One of some constants."""

    values: tuple[JsonScalar, ...]


@dataclass(frozen=True, slots=True)
class ListOf:
    """An array whose items have one type; `constraints` bound its length."""

    item: TypeExpr
    constraints: Constraints = Constraints()


@dataclass(frozen=True, slots=True)
class MapOf:
    """An object whose keys are data; `constraints` bound the number of keys."""

    value: TypeExpr
    constraints: Constraints = Constraints()


@dataclass(frozen=True, slots=True)
class OneOf:
    """An inline union whose arms differ in JSON type, so that both back ends decide it natively."""

    arms: tuple[TypeExpr, ...]


@dataclass(frozen=True, slots=True)
class Nullable:
    """The inner type or null."""

    inner: TypeExpr


@dataclass(frozen=True, slots=True)
class Anything:
    """Any JSON value, null included: what the schema leaves untyped."""


TypeExpr = Ref | Scalar | LiteralOf | ListOf | MapOf | OneOf | Nullable | Anything


@dataclass(frozen=True, slots=True)
class Field:
    """One declared member: `wire` is its JSON name, `py` its Python name."""

    wire: str
    py: str
    type: TypeExpr
    presence: Presence
    doc: str
    pointer: str
    default: JsonScalar = None
    deprecated: str = ""


@dataclass(frozen=True, slots=True)
class Struct:
    """An object with declared members. For a bag, `others` is the type of all members it does not declare."""

    name: str
    doc: str
    pointer: str
    fields: tuple[Field, ...]
    openness: Openness
    others: TypeExpr = field(default_factory=Anything)
    tag: str | None = None
    """The member whose constant tells this type from the other arms of a union the back ends decide natively."""
    deprecated: str = ""


@dataclass(frozen=True, slots=True)
class Alias:
    """A name for a type that is no object of its own."""

    name: str
    doc: str
    pointer: str
    type: TypeExpr
    deprecated: str = ""


@dataclass(frozen=True, slots=True)
class Test:
    """A condition on an object: at `path` stands one of `values`, or anything where there are none.

    With `or_absent`, the condition holds too where nothing stands at `path`.
    """

    path: tuple[str, ...]
    values: tuple[JsonScalar, ...] = ()
    or_absent: bool = False


@dataclass(frozen=True, slots=True)
class Case:
    """An arm and the conditions under which it is tried: its JSON kind, then every test."""

    arm: TypeExpr
    kind: str
    tests: tuple[Test, ...] = ()


PlanKind = Literal["ByTag", "ByKey", "ByValue", "Decide", "ByMethod", "Scalars"]


@dataclass(frozen=True, slots=True)
class Plan:
    """How a union is decided. `tag` is set for ByTag; every other plan but Scalars is an ordered list of cases."""

    kind: PlanKind
    reason: str
    tag: str = ""
    cases: tuple[Case, ...] = ()
    exclusive: bool = False
    """oneOf: a value that two arms accept is refused."""

    @property
    def native(self) -> bool:
        """Whether the back ends decide this union by themselves."""
        return self.kind in ("ByTag", "Scalars")


@dataclass(frozen=True, slots=True)
class Union:
    """A named union and the plan that decides it."""

    name: str
    doc: str
    pointer: str
    arms: tuple[TypeExpr, ...]
    plan: Plan
    deprecated: str = ""


TypeDef = Struct | Alias | Union


@dataclass(frozen=True, slots=True)
class ResultArm:
    """A result type and when it is the answer: `always`, or a condition on the request or on the result."""

    type: str
    when: str


@dataclass(frozen=True, slots=True)
class Method:
    """One row of the method table. `since` and `until` are the first and the last revision that have it."""

    wire: str
    kind: Literal["request", "notification"]
    senders: tuple[Side, ...]
    carrier: Literal["rpc", "embedded"]
    type: str
    params: str | None
    params_required: bool
    results: tuple[ResultArm, ...]
    capability: str
    related: str
    doc: str
    pointer: str
    since: str = ""
    until: str = ""


@dataclass(frozen=True, slots=True)
class ErrorDef:
    """An error code with a name of its own. `data` is the type of the error's data, `response` the whole response."""

    name: str
    code: int
    data: str | None
    response: str | None
    doc: str
    pointer: str


@dataclass(frozen=True, slots=True)
class Envelope:
    """How a document wraps its messages: whether lists of them are one, and whether an error must name its request."""

    batches: bool
    error_needs_id: bool


@dataclass(frozen=True, slots=True)
class Document:
    """Everything the generator knows of one input; `notes` are decisions a reader should see."""

    revision: str
    source: str
    sha256: str
    types: tuple[TypeDef, ...]
    methods: tuple[Method, ...]
    errors: tuple[ErrorDef, ...]
    envelope: Envelope
    lowered: str
    """The lowered types as JSON text, what strategies are built from."""
    notes: tuple[str, ...] = ()

    def named(self, name: str) -> TypeDef | None:
        """The type of that name, or None."""
        return next((type_ for type_ in self.types if type_.name == name), None)
