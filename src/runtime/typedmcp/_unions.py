"""How a struct type is read beyond what msgspec does by itself: undiscriminated unions, required tags, bags.

A leaf below `base`, which re-exports what generated code uses. Knows msgspec; no generated package, no pydantic.
"""

from __future__ import annotations

import sys
import types
import typing
from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal, TypeGuard, TypeVar, Union, get_args, get_origin

import msgspec

T = TypeVar("T")

NOT_THIS_ARM: Final = "not_this_arm"
"""The kind of refusal of an arm that was not tried: what another arm says is more to the point."""
Check = Callable[[Any], None]
_KINDS: dict[type, str] = {
    dict: "object",
    list: "array",
    str: "string",
    int: "integer",
    float: "number",
    bool: "boolean",
    types.NoneType: "null",
}


class Fault(ValueError):
    """A refusal inside a value, with the steps that lead to it; msgspec adds the way to the value itself."""

    def __init__(self, reason: str, steps: tuple[str | int, ...] = ()) -> None:
        super().__init__(reason)
        self.steps = steps


def is_object(value: Any) -> TypeGuard[dict[str, Any]]:
    """Whether a value is a JSON object."""
    return isinstance(value, dict)


def is_array(value: Any) -> TypeGuard[list[Any]]:
    """Whether a value is a JSON array."""
    return isinstance(value, list)


class Test:
    """A condition on a JSON object: at a path stands one of some values, or anything.

    `or_absent`: it holds too where nothing stands there.
    """

    __slots__ = ("or_absent", "path", "values")

    def __init__(self, *path: str, values: tuple[Any, ...] = (), or_absent: bool = False) -> None:
        self.path = path
        self.values = values
        self.or_absent = or_absent

    def holds(self, value: Any) -> bool:
        """Whether the condition holds for a JSON object."""
        for key in self.path:
            try:
                value = value[key]
            except (KeyError, TypeError, IndexError):
                return self.or_absent
        if not self.values:
            return True
        return any(value == wanted and isinstance(value, bool) == isinstance(wanted, bool) for wanted in self.values)


class Case:
    """An arm of a union, as the text of its type, and the conditions under which it is tried."""

    __slots__ = ("arm", "kind", "tests")

    def __init__(self, arm: str, kind: str, tests: tuple[Test, ...]) -> None:
        self.arm = arm
        self.kind = kind
        self.tests = tests

    def admits(self, value: Any) -> bool:
        """Whether the arm could accept the value."""
        if self.kind != "any":
            kind = _KINDS.get(value.__class__)
            if kind is not None and kind != self.kind and not (kind == "integer" and self.kind == "number"):
                return False
        return not isinstance(value, dict) or all(test.holds(value) for test in self.tests)


def case(arm: str, kind: str, *tests: Test) -> Case:
    """One case of an `untagged` union: the arm's type as text, its JSON kind (or "any"), its conditions."""
    return Case(arm, kind, tests)


class UntaggedMeta(type):
    """The run-time stand-in of a union that no tag decides: answers isinstance, and reads values by its cases."""

    __cases__: tuple[Case, ...]
    __exclusive__: bool
    __readers__: tuple[Callable[[Any], Any], ...] | None
    __classes__: tuple[type, ...] | None

    def __instancecheck__(cls, value: object) -> bool:
        # The decoder asks this of every value it gets from `read`, so it must cost next to nothing.
        classes = cls.__classes__
        if classes is None:
            arms = [evaluate(case.arm, cls.__module__) for case in cls.__cases__]
            classes = cls.__classes__ = tuple(dict.fromkeys(kind for arm in arms for kind in _classes(arm)))
        return isinstance(value, classes)

    def read(cls, value: Any) -> Any:
        """The value as the first arm that accepts it, in the order of the cases.

        Raises Fault, with the refusal of the preferred arm as its cause.
        """
        readers = cls.__readers__
        if readers is None:
            arms = [evaluate(case.arm, cls.__module__) for case in cls.__cases__]
            readers = cls.__readers__ = tuple(reader(arm) for arm in arms)
        first: ValueError | None = None
        found: list[tuple[str, Any]] = []
        for number, candidate in enumerate(cls.__cases__):
            if not candidate.admits(value):
                continue
            try:
                result = readers[number](value)
            except ValueError as error:
                first = first or error
                continue
            if not cls.__exclusive__:
                return result
            found.append((candidate.arm, result))
        if len({arm for arm, _ in found}) > 1:
            raise Fault(f"Matches more than one of {', '.join(arm for arm, _ in found)}")
        if found:
            return found[0][1]
        if first is None:
            raise Fault(f"Matches no arm of `{cls.__name__}`")
        # A ValidationError would pass through the decoder as it is, without the way to this value.
        raise Fault(str(first)) from first


def untagged(module: str, name: str, *cases: Case, exclusive: bool = False) -> Any:
    """The run-time form of a union decided by its cases; for type checkers the alias is the real union.

    The arms are texts, resolved in the generated module on first use, so they may stand later in it. `exclusive`
    refuses a value that two arms accept (oneOf).
    """
    namespace = {
        "__module__": module,
        "__cases__": cases,
        "__exclusive__": exclusive,
        "__readers__": None,
        "__classes__": None,
        "__slots__": (),
    }
    return UntaggedMeta(name, (), namespace)


def _classes(arm: Any) -> tuple[type, ...]:
    """The classes whose instances an arm can be."""
    origin = get_origin(arm)
    if origin in (Union, types.UnionType):
        return tuple(kind for inner in get_args(arm) for kind in _classes(inner))
    if origin is Annotated:
        return _classes(get_args(arm)[0])
    if origin is Literal:
        values: tuple[object, ...] = get_args(arm)
        return tuple(value.__class__ for value in values)
    if arm is Any:
        return (object,)
    if arm is None:
        return (types.NoneType,)
    return (origin or arm,)


def evaluate(text: str, module: str, **helpers: Any) -> Any:
    """The type a text of a generated module stands for; the module need not import what only such texts mention."""
    known = {"Annotated": Annotated, "Any": Any, "Literal": Literal, "Meta": msgspec.Meta, "Tagged": Tagged}
    names = {**known, "typing": typing, **helpers, **vars(sys.modules[module])}
    return eval(text, names)  # noqa: S307 - a generated module's own text


def reader(type_: Any) -> Callable[[Any], Any]:
    """A function that reads a plain value strictly as a type; it raises ValueError for what is not of it."""
    strict = strict_type(type_)
    verify = checker_of(type_, "")
    if isinstance(type_, UntaggedMeta):
        return type_.read

    def read(value: Any) -> Any:
        result = msgspec.convert(value, strict, dec_hook=dec_hook)
        if verify is not None:
            verify(result)
        return result

    return read


def dec_hook(type_: Any, value: Any) -> Any:
    """msgspec's hook for types it does not know: the unions above."""
    if isinstance(type_, UntaggedMeta):
        return type_.read(value)
    raise TypeError(f"{type_!r} is no type of a generated package")


_guards: dict[tuple[str, str | int], Any] = {}


def _refuse_guard(_: Any) -> None:
    raise Fault("Invalid tag")


def _guarded(type_: Any) -> Any:
    """A tagged struct together with one no message can be, so that the decoder insists on the tag."""
    config = getattr(type_, "__struct_config__", None)
    if config is None or config.tag is None:
        return type_
    # Any tag but the type's own will do, since nothing with the guard's is ever read.
    tag: str | int = f"{config.tag}\0" if isinstance(config.tag, str) else ~config.tag
    key: tuple[str, str | int] = (config.tag_field, tag)
    guard = _guards.get(key)
    if guard is None:
        namespace = {"__post_init__": _refuse_guard}
        guard = msgspec.defstruct("_Guard", [], tag_field=config.tag_field, tag=tag, namespace=namespace)
        _guards[key] = guard
    return type_ | guard


if TYPE_CHECKING:
    Tagged = Annotated[T, "its tag must be on the wire"]
else:

    class Tagged:
        """`Tagged[T]` is `T`, read so that its tag must be on the wire also where no union asks for it."""

        def __class_getitem__(cls, type_):
            return _guarded(type_)


def strict_type(type_: Any) -> Any:
    """The type to build a decoder of, so that a tag is required at the top too."""
    if isinstance(type_, msgspec.StructMeta):
        return _guarded(type_)
    if get_origin(type_) in (Union, types.UnionType):
        structs = [arm for arm in get_args(type_) if isinstance(arm, msgspec.StructMeta)]
        # With two tagged arms or more the decoder asks for the tag by itself.
        return type_ | _guarded(structs[0]) if len(structs) == 1 else type_
    return type_


class Bag:
    """What an alias of `dict[str, Any]` says about its keys: a struct of the declared ones, a type for all others."""

    __slots__ = ("_others", "_read", "closed_over", "keys", "name")

    def __init__(self, name: str, keys: type[msgspec.Struct], others: str = "") -> None:
        self.name = name
        self.keys = keys
        self._others = others
        self.closed_over = frozenset(keys.__struct_encode_fields__)
        self._read: Callable[[Any], Any] | None = None

    @property
    def others(self) -> bool:
        """Whether keys that are not declared have a type too."""
        return bool(self._others)

    @property
    def __typedmcp_name__(self) -> tuple[str, str]:
        """The package of the document and the name of the type in it."""
        return self.keys.__module__.rpartition(".")[0], self.name

    def check(self, value: Any) -> None:
        """Raises Fault or msgspec.ValidationError for a declared key that is missing or wrong."""
        msgspec.convert(value, self.keys, dec_hook=dec_hook)
        if not self._others:
            return
        if self._read is None:
            self._read = reader(evaluate(self._others, self.keys.__module__))
        for key, member in value.items():
            if key not in self.closed_over:
                _within(self._read, member, key)


def _within(check: Callable[[Any], Any], value: Any, step: str | int) -> None:
    try:
        check(value)
    except ValueError as error:
        raise Fault(str(error), (step,)) from error


def checker_of(type_: Any, step: str) -> Check | None:
    """A check of the bags inside a type that msgspec reads without looking into them, or None where there are none.

    Structs check their own bags and unions decided by cases their arms, so the walk ends there. `step` is the member
    the value stands under, for the error; empty at the top.
    """
    inner = _checker(type_)
    if inner is None or not step:
        return inner

    def check(value: Any) -> None:
        try:
            inner(value)
        except ValueError as error:
            raise Fault(str(error), (step,)) from error

    return check


def quick_check(type_: Any, exact: Check) -> Check:
    """The exact check of a type, behind one that passes most right bags at once."""
    bag = _bag(type_)
    if bag is None or bag.others or _hooked(bag.keys):
        return exact
    keys = bag.keys

    def check(value: Any) -> None:
        try:
            # Without a hook it takes two thirds of the time, and few keys need one.
            msgspec.convert(value, keys)
        except ValueError:
            exact(value)

    return check


def _hooked(keys: type[msgspec.Struct]) -> bool:
    """Whether a hook must see what is in some keys: msgspec asks it for nothing that already passes `isinstance`."""
    from msgspec import inspect

    pending: list[Any] = [inspect.type_info(keys)]
    seen: set[int] = set()
    while pending:
        info = pending.pop()
        if isinstance(info, inspect.CustomType):
            return True
        if isinstance(info, (inspect.Type, inspect.Field)) and id(info) not in seen:
            seen.add(id(info))
            pending += [getattr(info, name) for name in info.__struct_fields__]
        elif isinstance(info, tuple):
            pending += info
    return False


def plain_keys(type_: Any) -> dict[str, tuple[type, ...]]:
    """For a type that is a bag of optional scalars without bounds: the classes each declared key may be of."""
    bag = _bag(type_)
    if bag is None or bag.others:
        return {}
    members = msgspec.structs.fields(bag.keys)
    found = {member.encode_name: _scalars(member.type) for member in members}
    return found if all(found.values()) and not any(member.required for member in members) else {}


def _scalars(type_: Any) -> tuple[type, ...]:
    """The classes of a type that is nothing but scalars without bounds, absent or not; empty for any other."""
    union = get_origin(type_) in (Union, types.UnionType)
    arms = tuple(arm for arm in (get_args(type_) if union else (type_,)) if arm is not msgspec.UnsetType)
    return arms if all(arm in (str, int, bool) for arm in arms) else ()


def _bag(type_: Any) -> Bag | None:
    """The mark of a type that is a bag, or a bag that may be absent."""
    if get_origin(type_) in (Union, types.UnionType):
        arms = [arm for arm in get_args(type_) if arm is not msgspec.UnsetType]
        return _bag(arms[0]) if len(arms) == 1 else None
    marks = get_args(type_)[1:] if get_origin(type_) is Annotated else ()
    return next((mark for mark in marks if isinstance(mark, Bag)), None)


def _checker(type_: Any) -> Check | None:
    origin, args = get_origin(type_), get_args(type_)
    if origin is Annotated:
        for mark in args[1:]:
            if isinstance(mark, Bag):
                return mark.check
        return _checker(args[0])
    if origin is list and args:
        return _each(_checker(args[0]), enumerate)
    if origin is dict and args:
        return _each(_checker(args[1]), lambda value: value.items())
    if origin in (Union, types.UnionType):
        return _union_checker(args)
    return None


def _each(inner: Check | None, steps: Callable[[Any], Any]) -> Check | None:
    """The check of a container: `inner` on each thing in it, under the step that leads there."""
    if inner is None:
        return None

    def check(value: Any) -> None:
        for step, item in steps(value):
            _within(inner, item, step)

    return check


def _union_checker(arms: tuple[Any, ...]) -> Check | None:
    """A native union has at most one arm of each container type, so the value's type says which check is meant."""
    by_type: dict[Any, Check] = {}
    for arm in arms:
        inner = _checker(arm)
        if inner is not None:
            bare = get_args(arm)[0] if get_origin(arm) is Annotated else arm
            by_type[get_origin(bare) or bare] = inner
    if not by_type:
        return None

    def check(value: Any) -> None:
        inner = by_type.get(value.__class__)
        if inner is not None:
            inner(value)

    return check
