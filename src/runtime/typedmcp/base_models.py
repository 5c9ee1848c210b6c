"""What generated pydantic models stand on; the twin of `base` for those who want models instead of structs.

Needs pydantic (the extra of that name). Strict by construction: the same texts are accepted as by the structs.
"""

from __future__ import annotations

import base64
import types
from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, TypeVar, Union, get_args, get_origin

import msgspec

try:
    from pydantic import MISSING, BaseModel, BeforeValidator, ConfigDict, Field, TypeAdapter, model_validator
    from pydantic.errors import PydanticUndefinedAnnotation
    from pydantic_core import PydanticCustomError, core_schema
    from typing_extensions import TypeAliasType
except ImportError as error:  # pragma: no cover - the message is the point
    raise ImportError('models need pydantic 2.14 or later: pip install "typedmcp[pydantic]"') from error

from ._unions import NOT_THIS_ARM, Case, Test, case, evaluate, is_object

if TYPE_CHECKING:
    from pydantic import GetCoreSchemaHandler, ValidationInfo

__all__ = ["MISSING", "Base64Text", "ConfigDict", "Exact", "Field", "Model", "Real", "Test", "Untagged", "case"]

T = TypeVar("T")
_DECODING = {"typedmcp": "decoding"}
"""The context of every decode: constants are required then, and filled in on construction."""


class Model(BaseModel):
    """The base of every generated model. Members have Python names; on the wire only their JSON names are known."""

    model_config = ConfigDict(
        strict=True,
        extra="ignore",
        validate_by_name=True,
        validate_by_alias=True,
        protected_namespaces=(),
        regex_engine="python-re",
    )

    __constants__: ClassVar[tuple[str, ...]] = ()
    """JSON names of the members that must be on the wire although they have a default."""

    @model_validator(mode="before")
    @classmethod
    def _require_constants(cls, value: Any, info: ValidationInfo) -> Any:
        if info.context is _DECODING and is_object(value):
            for name in cls.__constants__:
                if name not in value:
                    raise ValueError(f"Object missing required field `{name}`")
        return value


def _to_base64(value: object) -> object:
    return base64.b64encode(value).decode() if isinstance(value, bytes) else value


Base64Text = Annotated[str, BeforeValidator(_to_base64)]
"""Base64 text; bytes given to a constructor are written as such."""


class _Exact:
    """Marks constants that are no text: they are compared with their JSON type."""

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> core_schema.CoreSchema:
        """pydantic's own check of the constants, behind one of the type."""
        kinds = {(value.__class__, value) for value in get_args(source)}

        def exact(value: Any) -> Any:
            if value.__class__ in (bool, int) and (value.__class__, value) not in kinds:
                raise PydanticCustomError("literal_error", "Invalid constant")
            return value

        return core_schema.no_info_before_validator_function(exact, handler(source))


Exact = _Exact()


class Real:
    """Marks the fractional half of a bounded number: no integer, and an exact multiple of `step` if that is given."""

    def __init__(self, step: float | None = None) -> None:
        self.step = step

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> core_schema.CoreSchema:
        """pydantic's own check of the float, behind one of what it takes too lightly."""

        def exact(value: Any) -> Any:
            if value.__class__ is int or (self.step is not None and value.__class__ is float and value % self.step):
                raise PydanticCustomError("real", "Invalid number")
            return value

        return core_schema.no_info_before_validator_function(exact, handler(source))


class Untagged:
    """Marks a union that its cases decide, in the order of the cases; the twin of `untagged` for structs."""

    def __init__(self, module: str, name: str, *cases: Case, exclusive: bool = False) -> None:
        self.module = module
        self.name = name
        self.cases = cases
        self.exclusive = exclusive

    @property
    def __typedmcp_name__(self) -> tuple[str, str]:
        """The package of the document and the name of the type in it."""
        return self.module.rpartition(".")[0], self.name

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> core_schema.CoreSchema:
        """pydantic's own union, tried from left to right, each arm behind its conditions."""
        choices: list[core_schema.CoreSchema | tuple[core_schema.CoreSchema, str]] = []
        for number, candidate in enumerate(self.cases):
            try:
                arm = _evaluate(candidate.arm, self.module)
            except NameError as error:
                raise PydanticUndefinedAnnotation.from_name_error(error) from error
            schema = handler.generate_schema(arm)
            guarded = core_schema.no_info_before_validator_function(_guard(candidate), schema)
            choices.append((guarded, f"{number} {candidate.arm}"))
        if self.exclusive:
            return core_schema.no_info_before_validator_function(
                _Exclusive(self.module, self.cases), core_schema.union_schema(choices, mode="left_to_right")
            )
        return core_schema.union_schema(choices, mode="left_to_right")


def _evaluate(text: str, module: str) -> Any:
    return evaluate(text, module, Field=Field, Base64Text=Base64Text, Exact=Exact, Real=Real)


def _guard(candidate: Case) -> Callable[[Any], Any]:
    def admit(value: Any) -> Any:
        if candidate.admits(value):
            return value
        raise PydanticCustomError(NOT_THIS_ARM, "Matches no arm of the union, not {arm} either", {"arm": candidate.arm})

    return admit


class _Exclusive:
    """Refuses what two arms of a oneOf accept. Values a caller built are of one arm by their class."""

    def __init__(self, module: str, cases: tuple[Case, ...]) -> None:
        self.module = module
        self.cases = cases
        self._readers: list[Callable[[Any], Any]] = []

    def __call__(self, value: Any) -> Any:
        # The arms may stand later in the module than the union, so they are looked up when the first value comes.
        if not self._readers:
            self._readers = [converter(_evaluate(candidate.arm, self.module)) for candidate in self.cases]
        fitting: list[str] = []
        plain = value is None or value.__class__ in (dict, list, str, int, float, bool)
        for candidate, read in zip(self.cases, self._readers, strict=True) if plain else ():
            if candidate.arm in fitting or not candidate.admits(value):
                continue
            try:
                read(value)
            except ValueError:
                continue
            fitting.append(candidate.arm)
        if len(fitting) > 1:
            raise ValueError(f"Matches more than one of {', '.join(fitting)}")
        return value


_PATTERNS = ConfigDict(regex_engine="python-re")
_adapters: dict[Any, TypeAdapter[Any]] = {}


def _adapter(type_: Any) -> TypeAdapter[Any]:
    adapter = _adapters.get(type_)
    if adapter is None:
        # A model has its own configuration, and pydantic admits no second.
        plain = get_args(type_)[0] if get_origin(type_) is Annotated else type_
        model = isinstance(plain, type) and get_origin(plain) is None and issubclass(plain, BaseModel)
        adapter = _adapters[type_] = TypeAdapter(type_, config=None if model else _PATTERNS)
    return adapter


def decoder(type_: Any) -> Callable[[bytes | str], Any]:
    """A function that reads a JSON text as a model, strictly and by JSON names.

    The text is parsed by the parser of the structs: pydantic's own lets NaN and the like pass.
    """
    validate = converter(type_)
    return lambda data: validate(msgspec.json.decode(data))


def converter(type_: Any) -> Callable[[Any], Any]:
    """A function that reads a plain value as a model, strictly and by JSON names."""
    validate = _adapter(type_).validate_python
    return lambda value: validate(value, strict=True, by_alias=True, by_name=False, context=_DECODING)


def encode_model(value: BaseModel) -> bytes:
    """The JSON text of a model, with JSON names."""
    return value.__pydantic_serializer__.to_json(value, by_alias=True)


def to_builtins(value: BaseModel) -> Any:
    """A model as plain values, for a model inside something else."""
    return value.model_dump(mode="json", by_alias=True)


def is_pydantic(type_: Any) -> bool:
    """Whether a type is a model, or an alias or union that holds one."""
    if isinstance(type_, TypeAliasType):
        # Only models have aliases of this kind: those that mention themselves.
        return True
    if isinstance(type_, type):
        return issubclass(type_, BaseModel) if get_origin(type_) is None else _any(type_)
    return _any(type_)


def _any(type_: Any) -> bool:
    if get_origin(type_) is Annotated:
        base, *marks = get_args(type_)
        ours = any(type(mark).__module__.startswith(("pydantic", __name__)) for mark in marks)
        return ours or is_pydantic(base)
    if get_origin(type_) in (Union, types.UnionType, list, dict):
        return any(is_pydantic(argument) for argument in get_args(type_))
    return False
