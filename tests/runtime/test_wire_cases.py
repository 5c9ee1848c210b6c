"""Recorded faults of other implementations, played against the core: whole, byte by byte, and over real stdio."""

from __future__ import annotations

import asyncio
import importlib
import json
from typing import Any

import pytest

from support.fixture_server import PROGRAM, handlers, package
from support.packages import BACK_ENDS
from support.paths import REPOSITORY
from support.play import JUDGED, Play
from support.talk import Inside, Program
from typedmcp.peer import Peer

CASES = REPOSITORY / "tests" / "data" / "cases"
AREAS = ("codec", "routing", "batch", "transport")
ALL = json.loads((CASES / "wire.json").read_text("utf-8"))
PLAYED = [case for case in ALL if case["area"] in AREAS]
WAITING: dict[str, list[str]] = json.loads((CASES / "waiting.json").read_text("utf-8"))
SCENARIOS_HERE = {"B022.1", "B023.1", "B095.1", "B096.1", "B105.3", "B113.1"}
REVISIONS = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
TO_A_CLIENT = ("s2c", "client")


def test_every_case_is_played_or_waits_for_something() -> None:
    scenarios = json.loads((CASES / "scenarios.json").read_text("utf-8"))
    waiting = {id_ for ids in WAITING.values() for id_ in ids}
    played = {case["id"] for case in PLAYED} | SCENARIOS_HERE
    assert played.isdisjoint(waiting)
    assert played | waiting == {case["id"] for case in [*ALL, *scenarios]}
    assert all(set(case["expect"]) <= JUDGED for case in PLAYED)


def variants() -> list[Any]:
    """Each case at each revision it holds for."""
    return [
        pytest.param(case, revision, id=f"{case['id']}-{revision}") for case in PLAYED for revision in case["revision"]
    ]


@pytest.mark.parametrize("how", ["whole", "byte by byte"])
@pytest.mark.parametrize(("case", "revision"), variants())
def test_a_recorded_case_holds(case: dict[str, Any], revision: str, how: str) -> None:
    back_ends = BACK_ENDS if how == "whole" else BACK_ENDS[:1]
    for back_end in back_ends:
        asyncio.run(_inside(case, revision, back_end, whole=how == "whole"))


async def _inside(case: dict[str, Any], revision: str, back_end: str, *, whole: bool) -> None:
    to_client = case["direction"] in TO_A_CLIENT
    fixture = _client(revision, back_end) if to_client else handlers(revision, back_end)
    peer = Peer(fixture)
    talk = Inside(peer, whole=whole)
    play = Play(talk, revision, peer, back_end)
    if to_client:
        await play.hello_from_client()
    else:
        await play.hello_to_server()
    await play.case(case)
    await talk.aclose()


@pytest.mark.parametrize("revision", REVISIONS)
def test_the_recorded_cases_hold_over_stdio(revision: str) -> None:
    cases = [case for case in PLAYED if revision in case["revision"] and case["direction"] not in TO_A_CLIENT]
    cases = [case for case in cases if case["kind"] != "session" or not any("do" in step for step in case["input"])]
    assert len(cases) > 60
    asyncio.run(_over_stdio(cases, revision))


async def _over_stdio(cases: list[dict[str, Any]], revision: str) -> None:
    program = await Program.start(PROGRAM, revision)
    try:
        play = Play(program, revision, None, "structs")
        await play.hello_to_server()
        for case in cases:
            try:
                await play.case(case)
            except AssertionError as error:
                raise AssertionError(f"{case['id']}: {error}") from None
        status, left, _ = await program.finish()
        assert (status, left) == (0, [])
    finally:
        if program.process.returncode is None:
            program.process.kill()


def _client(revision: str, back_end: str) -> Any:
    stubs: Any = importlib.import_module(f"{package(revision, back_end)}.client")

    class Client(stubs.Handlers):  # type: ignore[misc, name-defined]
        async def ping(self, params: Any, context: Any) -> None:
            return None

        async def sampling_create_message(self, params: Any, context: Any) -> Any:
            raise AssertionError("must not be reached")

    return Client()
