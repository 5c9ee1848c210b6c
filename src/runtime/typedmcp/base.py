"""What generated code stands on, and the one way in and out of it: `decode`, `convert`, `encode`.

A leaf: it imports msgspec and the error classes, nothing generated and nothing else of this package. Plain
`msgspec.json.decode(…, type=…)` lacks the hooks that decide unions and check bags, and is not supported.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar, overload

import msgspec
from msgspec import UNSET, Meta, StructMeta, UnsetType, field

from ._unions import (
    Bag,
    Tagged,
    Test,
    case,
    checker_of,
    dec_hook,
    plain_keys,
    quick_check,
    reader,
    strict_type,
    untagged,
)
from .errors import EncodeError

if TYPE_CHECKING:
    from typing_extensions import dataclass_transform
else:

    def dataclass_transform(**_: object) -> Callable[[type], type]:
        """Only for type checkers; the standard library's costs an import of nothing else."""
        return lambda cls: cls


__all__ = [
    "UNSET",
    "Bag",
    "BagKeys",
    "ConstantModel",
    "Meta",
    "Model",
    "Tagged",
    "Test",
    "UnsetType",
    "case",
    "constant",
    "convert",
    "decode",
    "encode",
    "field",
    "untagged",
]

T = TypeVar("T")
Json: TypeAlias = Any
"""A value as the json module makes it: dict, list, str, int, float, bool or None."""


class _Constant:
    """What `constant` leaves in a class body until the class is made."""

    __slots__ = ("default", "name")

    def __init__(self, *, default: object, name: str | None = None) -> None:
        self.default = default
        self.name = name


if TYPE_CHECKING:

    def constant(*, default: T, name: str | None = None) -> T:
        """A member that must be on the wire and that a caller need not give, since its value is known."""
        ...

else:
    constant = _Constant


class _ModelMeta(StructMeta):
    """Keyword-only fields without every generated class having to say so; `holds_bags`: what it holds is checked."""

    def __new__(mcls, name: str, bases: tuple[type, ...], namespace: dict[str, Any], **options: Any) -> Any:
        options.setdefault("kw_only", True)
        if options.pop("holds_bags", False):
            namespace["__post_init__"] = _checking()
        return super().__new__(mcls, name, bases, namespace, **options)


class _ConstantMeta(_ModelMeta):
    """Constants are required when decoding (which does not come by here) and filled in when constructing."""

    def __new__(mcls, name: str, bases: tuple[type, ...], namespace: dict[str, Any], **options: Any) -> Any:
        found = {key: value for key, value in namespace.items() if isinstance(value, _Constant)}
        for key, value in found.items():
            if value.name is None:
                del namespace[key]
            else:
                namespace[key] = field(name=value.name)
        inherited: dict[str, Any] = {}
        for base in reversed(bases):
            inherited |= getattr(base, "__constants__", {})
        namespace["__constants__"] = inherited | {key: value.default for key, value in found.items()}
        return super().__new__(mcls, name, bases, namespace, **options)

    if not TYPE_CHECKING:
        # A checker that saw this would take a class call for Any, and no longer look at the arguments.
        def __call__(cls, *args, **members):
            for name, value in cls.__constants__.items():
                if name not in members:
                    members[name] = value
            return super().__call__(*args, **members)


@dataclass_transform(kw_only_default=True, field_specifiers=(field, constant))
class Model(msgspec.Struct, metaclass=_ModelMeta, repr_omit_defaults=True):
    """The base of every generated struct. Members are keywords; an absent one is `UNSET`, which is falsy."""


@dataclass_transform(kw_only_default=True, field_specifiers=(field, constant))
class ConstantModel(Model, metaclass=_ConstantMeta):
    """A struct with members whose only value is known: required on the wire, filled in on construction."""


@dataclass_transform(kw_only_default=True, field_specifiers=(field, constant))
class BagKeys(Model):
    """The declared keys of a bag. The bag itself is a plain dict, which keeps every key."""

    @classmethod
    def of(cls: type[T], bag: dict[str, Any]) -> T:
        """A typed view of the keys the protocol declares. Raises DecodeError for one that is missing or wrong."""
        return convert(bag, cls)


def _checking() -> Callable[[Any], None]:
    """A `__post_init__` for one class that holds bags: it checks them, which are plain dicts to the decoder."""
    checks: tuple[_Check, ...] | None = None

    def check(struct: msgspec.Struct) -> None:
        nonlocal checks
        if checks is None:
            checks = _checks_of(struct.__class__)
        for name, key, classes, verify in checks:
            bag = getattr(struct, name)
            # Metadata is on nearly every message, and what it holds is nearly always right by its class alone.
            if bag is not UNSET and (key is None or (key in bag and bag[key].__class__ not in classes)):
                verify(bag)

    return check


_Check: TypeAlias = tuple[str, str | None, tuple[type, ...], Callable[[Any], None]]
"""A member that holds a bag; a key of it and the classes that need no closer look, or None; the closer look."""


def _checks_of(cls: type[msgspec.Struct]) -> tuple[_Check, ...]:
    from typing import get_type_hints

    hints = get_type_hints(cls, include_extras=True)
    wires = dict(zip(cls.__struct_fields__, cls.__struct_encode_fields__, strict=True))
    found: list[_Check] = []
    for name, wire in wires.items():
        verify = checker_of(hints[name], wire)
        if verify is None:
            continue
        plain = plain_keys(hints[name])
        quick = quick_check(hints[name], verify)
        found += [(name, key, classes, verify) for key, classes in plain.items()] or [(name, None, (), quick)]
    return tuple(found)


_decoders: dict[Any, Callable[[bytes | str], Any]] = {}


def _decoder(type_: Any) -> Callable[[bytes | str], Any]:
    if _is_pydantic(type_):
        from .base_models import decoder

        made: Callable[[bytes | str], Any] = decoder(type_)
    else:
        decode_json = msgspec.json.Decoder(strict_type(type_), dec_hook=dec_hook).decode
        verify = checker_of(type_, "")
        made = decode_json if verify is None else _checked(decode_json, verify)
    _decoders[type_] = made
    return made


def _checked(decode_json: Callable[[bytes | str], Any], verify: Callable[[Any], None]) -> Callable[[bytes | str], Any]:
    def decode_and_check(data: bytes | str) -> Any:
        value = decode_json(data)
        verify(value)
        return value

    return decode_and_check


def _is_pydantic(type_: Any) -> bool:
    if "pydantic" not in sys.modules:
        return False
    from .base_models import is_pydantic

    return is_pydantic(type_)


@overload
def decode(data: bytes | str, type: type[T]) -> T: ...
@overload
def decode(data: bytes | str, type: Any) -> Any: ...
def decode(data: bytes | str, type: Any) -> Any:
    """Read one JSON text strictly as a generated type (struct or model), or as a union or alias of such.

    Raises DecodeError for a text that is not JSON, not UTF-8, or not of that type; `pointer` says where.
    """
    decoder = _decoders.get(type) or _decoder(type)
    try:
        if isinstance(data, bytes) and not data.isascii():
            # The decoder does not look into what it skips.
            data = data.decode("utf-8")
        return decoder(data)
    except (ValueError, RecursionError) as error:
        from ._faults import explain

        raise explain(error, data, decoder) from None


@overload
def convert(value: Json, type: type[T]) -> T: ...
@overload
def convert(value: Json, type: Any) -> Any: ...
def convert(value: Json, type: Any) -> Any:
    """Read a value of dicts, lists and scalars strictly as a generated type; `decode` for what is parsed already.

    Raises DecodeError as `decode` does.
    """
    if _is_pydantic(type):
        from .base_models import converter

        read = converter(type)
    else:
        read = reader(type)
    try:
        return read(value)
    except (ValueError, RecursionError) as error:
        from ._faults import explain_value

        raise explain_value(error, value, read) from None


def encode(value: Any) -> bytes:
    """Write a struct, a model, or plain JSON values as one line of UTF-8; absent members stay absent, null stays null.

    Bytes become base64 text. Raises EncodeError for a number that is not finite and for foreign objects.
    """
    try:
        # Structs are asked for first: the question for a serializer costs more than writing a small one.
        if not isinstance(value, msgspec.Struct) and hasattr(value.__class__, "__pydantic_serializer__"):
            from .base_models import encode_model

            data = encode_model(value)
        else:
            data = msgspec.json.encode(value, enc_hook=_enc_hook)
    except (TypeError, ValueError, RecursionError, OverflowError) as error:
        raise EncodeError(f"cannot be written as JSON: {error}") from None
    if b"null" in data:
        # Both writers turn a number that is not finite into null without a word.
        from ._faults import refuse_non_finite

        refuse_non_finite(value)
    return data


def _enc_hook(value: Any) -> Any:
    if hasattr(value.__class__, "__pydantic_serializer__"):
        from .base_models import to_builtins

        return to_builtins(value)
    raise TypeError(f"objects of type {type(value).__name__} are not JSON")
