"""Every message of every revision has its place in the generated stubs, and a capability follows from what is there."""

from __future__ import annotations

import asyncio
import importlib
import inspect
from typing import Any

import pytest

from support.fixture_server import handlers
from support.packages import BACK_ENDS
from typedmcp import errors
from typedmcp.errors import MethodNotFound
from typedmcp_types.revisions import REVISIONS

PACKAGES = [package for _, package in REVISIONS] + [
    "typedmcp_types.rmcp_batch.server",
    "typedmcp_types.rmcp_batch.client",
]
SIDES = ("client", "server")


def stubs(package: str, back_end: str, side: str) -> Any:
    """The stubs of one side."""
    return importlib.import_module(f"{package}.{back_end}.{side}")


def rows(package: str) -> Any:
    """The method table of a package."""
    return importlib.import_module(f"{package}.methods").METHODS


@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("back_end", BACK_ENDS)
@pytest.mark.parametrize("package", PACKAGES)
def test_every_message_has_its_place(package: str, back_end: str, side: str) -> None:
    module = stubs(package, back_end, side)
    received = {row.wire for row in rows(package) if any(sender != side for sender in row.senders)}
    assert set(module.Handlers.stub_names()) == received
    sent = [row for row in rows(package) if side in row.senders and row.carrier == "rpc"]
    calls = {name: member for name, member in vars(module.Calls).items() if inspect.iscoroutinefunction(member)}
    assert len(calls) == len(sent)
    said: list[tuple[str, Any]] = []

    class Caller:
        async def call(self, method: str, params: Any, /, **options: Any) -> Any:
            said.append((method, options))

        async def notify(self, method: str, params: Any, /) -> None:
            said.append((method, None))

    async def play() -> None:
        for name, member in calls.items():
            given = [object()] if "params" in inspect.signature(member).parameters else []
            await getattr(module.Calls(Caller()), name)(*given)
            assert inspect.getdoc(member)

    asyncio.run(play())
    kinds = {row.wire: {} if row.kind == "request" else None for row in sent}
    assert dict(said) == kinds


@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("package", PACKAGES)
def test_what_nobody_overrides_is_refused_or_ignored(package: str, side: str) -> None:
    made = stubs(package, "structs", side).Handlers()
    assert list(made.implemented()) == []
    assert made.declared() == {}

    async def play() -> None:
        for row in rows(package):
            if row.wire in made.stub_names():
                handler = getattr(made, made.stub_names()[row.wire])
                if row.kind == "request":
                    with pytest.raises(MethodNotFound):
                        await handler(None, None)
                else:
                    assert await handler(None, None) is None

    asyncio.run(play())


def test_a_capability_follows_from_what_a_subclass_answers() -> None:
    fixture: Any = handlers("2025-11-25")
    found = {"tools": {}, "prompts": {}, "resources": {"subscribe": {}}, "logging": {}, "completions": {}}
    del found["completions"]
    assert fixture.declared() == found


def test_the_codes_of_the_protocol_are_those_of_every_revision() -> None:
    by_code = {
        kind.code: kind.__name__
        for kind in (
            errors.ParseError,
            errors.InvalidRequest,
            errors.MethodNotFound,
            errors.InvalidParams,
            errors.InternalError,
        )
    }
    for _, package in REVISIONS:
        for row in importlib.import_module(f"{package}.methods").ERRORS:
            if row.code in by_code:
                assert row.name.removesuffix("Error") in (by_code[row.code], by_code[row.code].removesuffix("Error"))
    newest = {row.code for row in importlib.import_module(f"{REVISIONS[-1][1]}.methods").ERRORS}
    assert newest >= by_code.keys()


@pytest.mark.parametrize("package", [package for _, package in REVISIONS])
def test_errors_with_typed_data_are_exceptions(package: str) -> None:
    typed = {row.code: row for row in importlib.import_module(f"{package}.methods").ERRORS if row.data}
    if not typed:
        with pytest.raises(ModuleNotFoundError):
            importlib.import_module(f"{package}.structs.errors")
        return
    module = importlib.import_module(f"{package}.structs.errors")
    found = {
        kind.code: kind for kind in vars(module).values() if isinstance(kind, type) and kind is not errors.RpcError
    }
    assert {code: kind.__name__ for code, kind in found.items()} == {code: row.name for code, row in typed.items()}
