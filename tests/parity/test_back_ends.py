"""The two back ends say the same: names, members, presence, unions. Verdicts are compared by the oracle."""

from __future__ import annotations

import importlib
from types import ModuleType
from typing import Annotated, Any, get_args, get_origin

import msgspec
import pytest
from pydantic import BaseModel

from typedmcp.base import Bag
from typedmcp_codegen import sources

PACKAGES = [f"v{revision.replace('-', '_')}" for revision in sources.REVISIONS]
PACKAGES += ["rmcp_batch.server", "rmcp_batch.client"]


def modules(package: str) -> tuple[ModuleType, ModuleType]:
    """The structs and the models of a package."""
    structs, models = (importlib.import_module(f"typedmcp_types.{package}.{end}") for end in ("structs", "models"))
    return structs, models


def bag(type_: Any) -> Bag | None:
    """What a struct alias says of its keys, where it is a bag."""
    return next((mark for mark in getattr(type_, "__metadata__", ()) if isinstance(mark, Bag)), None)


@pytest.mark.parametrize("package", PACKAGES)
def test_both_back_ends_have_the_same_types(package: str) -> None:
    structs, models = modules(package)
    views = {found.keys.__name__ for name in structs.__all__ if (found := bag(getattr(structs, name)))}
    assert set(structs.__all__) - views == set(models.__all__)


@pytest.mark.parametrize("package", PACKAGES)
def test_both_back_ends_have_the_same_members_with_the_same_presence(package: str) -> None:
    structs, models = modules(package)
    different = [name for name in models.__all__ if _struct(getattr(structs, name)) != _model(getattr(models, name))]
    assert different == []


def _struct(type_: Any) -> Any:
    """Python name, JSON name and whether it must be on the wire, for each member; None for what has no members."""
    found = bag(type_)
    if found is not None:
        type_ = found.keys
    if not (isinstance(type_, type) and issubclass(type_, msgspec.Struct)):
        return None
    fields = [(field.name, field.encode_name, field.required) for field in msgspec.structs.fields(type_)]
    tag = type_.__struct_config__.tag_field
    return sorted([*fields, *([(_python(type_, tag), tag, True)] if tag else [])])


def _python(type_: Any, wire: str) -> str:
    own = [name for name, value in vars(type_).items() if value == type_.__struct_config__.tag and name[0] != "_"]
    return own[0] if own else wire


def _model(type_: Any) -> Any:
    if not (isinstance(type_, type) and issubclass(type_, BaseModel)):
        return None
    constants = getattr(type_, "__constants__", ())
    named = [(name, str(field.validation_alias or name), field) for name, field in type_.model_fields.items()]
    return sorted((name, wire, field.is_required() or wire in constants) for name, wire, field in named)


@pytest.mark.parametrize("package", PACKAGES)
def test_both_back_ends_have_the_same_unions(package: str) -> None:
    structs, models = modules(package)
    different = {}
    for name in models.__all__:
        ours, theirs = _arms(getattr(structs, name), structs), _arms(getattr(models, name), models)
        if ours != theirs:
            different[name] = (ours, theirs)
    assert different == {}


def _arms(type_: Any, module: ModuleType) -> Any:
    """The arms of a union as names, in the order they are tried; None for what is no union."""
    cases = getattr(type_, "__cases__", None)
    if cases is None and get_origin(type_) is Annotated:
        cases = next((mark.cases for mark in type_.__metadata__ if hasattr(mark, "cases")), None)
    if cases is not None:
        return [case.arm for case in cases]
    found = bag(type_)
    if found is not None or isinstance(type_, type):
        return None
    return sorted(_leaves(type_))


def _leaves(type_: Any) -> list[str]:
    found = bag(type_)
    if found is not None:
        return [found.name]
    if get_origin(type_) is Annotated:
        return _leaves(get_args(type_)[0])
    arguments = get_args(type_)
    if not arguments or get_origin(type_) in (list, dict):
        return [getattr(type_, "__name__", repr(type_))]
    return [leaf for argument in arguments for leaf in _leaves(argument)]
