"""The method tables against the inventory the project was founded on, and against the schemas they come from."""

from __future__ import annotations

import importlib
from typing import Any

import pytest

from support import packages
from typedmcp.rows import Method
from typedmcp_codegen import pipeline, sources
from typedmcp_types import revisions

# The inventory as it was written: method to the sides it says may send it.
INVENTORY: dict[str, tuple[str, ...]] = {
    "initialize": ("client",),
    "ping": ("client", "server"),
    "tools/list": ("client",),
    "tools/call": ("client",),
    "resources/list": ("client",),
    "resources/read": ("client",),
    "resources/templates/list": ("client",),
    "resources/subscribe": ("client",),
    "resources/unsubscribe": ("client",),
    "prompts/list": ("client",),
    "prompts/get": ("client",),
    "logging/setLevel": ("client",),
    "roots/list": ("client",),
    "sampling/createMessage": ("server",),
    "elicitation/create": ("server",),
    "completion/complete": ("server",),
}
NOTIFICATIONS = {
    "notifications/initialized",
    "notifications/cancelled",
    "notifications/progress",
    "notifications/tools/list_changed",
    "notifications/resources/list_changed",
    "notifications/prompts/list_changed",
    "notifications/message",
}
# What the inventory has the wrong way round: who sends it, says the schema.
WRONG_DIRECTION = {"roots/list": ("server",), "completion/complete": ("client",)}
# What the inventory leaves out.
OMITTED = {
    "notifications/elicitation/complete",
    "notifications/resources/updated",
    "notifications/roots/list_changed",
    "notifications/subscriptions/acknowledged",
    "notifications/tasks/status",
    "server/discover",
    "subscriptions/listen",
    "tasks/cancel",
    "tasks/get",
    "tasks/list",
    "tasks/result",
}


def table(revision: str) -> dict[str, Method]:
    """The rows of one revision by method."""
    module = importlib.import_module(f"typedmcp_types.v{revision.replace('-', '_')}.methods")
    return {row.wire: row for row in module.METHODS}


TABLES = {revision: table(revision) for revision in sources.REVISIONS}
NEWEST_WITH = {wire: TABLES[last or sources.REVISIONS[-1]][wire] for wire, (_, last) in revisions.METHODS.items()}


def test_there_are_34_methods_and_the_inventory_omits_eleven_of_them() -> None:
    assert len(revisions.METHODS) == 34
    assert set(revisions.METHODS) - INVENTORY.keys() - NOTIFICATIONS == OMITTED
    assert len(OMITTED) == 11
    assert INVENTORY.keys() | NOTIFICATIONS <= set(revisions.METHODS)


@pytest.mark.parametrize("wire", INVENTORY)
def test_a_method_goes_the_way_the_schema_says(wire: str) -> None:
    assert NEWEST_WITH[wire].senders == WRONG_DIRECTION.get(wire, INVENTORY[wire])
    assert NEWEST_WITH[wire].kind == "request"


def test_the_inventory_has_just_two_directions_wrong() -> None:
    wrong = {wire for wire, senders in INVENTORY.items() if NEWEST_WITH[wire].senders != senders}
    assert wrong == set(WRONG_DIRECTION)


@pytest.mark.parametrize("revision", sources.REVISIONS)
def test_every_row_names_types_that_both_back_ends_have(revision: str) -> None:
    package = f"typedmcp_types.v{revision.replace('-', '_')}"
    for end in ("structs", "models"):
        module: Any = importlib.import_module(f"{package}.{end}")
        for row in TABLES[revision].values():
            named = [row.type, *([row.params] if row.params else []), *(result.type for result in row.results)]
            assert all(hasattr(module, name) for name in named)


@pytest.mark.parametrize("revision", sources.REVISIONS)
def test_every_request_has_a_result_and_no_notification_has_one(revision: str) -> None:
    for row in TABLES[revision].values():
        assert bool(row.results) == (row.kind == "request")


def test_input_requests_of_2026_07_28_travel_inside_a_result() -> None:
    embedded = {wire for wire, row in TABLES["2026-07-28"].items() if row.carrier == "embedded"}
    assert embedded == {"sampling/createMessage", "roots/list", "elicitation/create"}
    assert all(row.carrier == "rpc" for r in sources.REVISIONS[:-1] for row in TABLES[r].values())


def test_the_cancelled_notification_stands_once_although_a_union_was_printed_as_a_copy_of_it() -> None:
    row = TABLES["2026-07-28"]["notifications/cancelled"]
    assert row.type == "CancelledNotification"
    assert row.senders == ("client", "server")


def test_task_augmented_requests_may_answer_with_a_task() -> None:
    augmented = {
        wire
        for wire, row in TABLES["2025-11-25"].items()
        if ("CreateTaskResult", "params.task present") in [tuple(result) for result in row.results]
    }
    assert augmented == {"tools/call", "sampling/createMessage", "elicitation/create"}


def test_results_of_2026_07_28_are_told_apart_by_their_result_type() -> None:
    results = TABLES["2026-07-28"]["tools/call"].results
    assert [tuple(result) for result in results] == [
        ("InputRequiredResult", "resultType input_required"),
        ("CallToolResult", "resultType complete"),
    ]


def test_params_may_be_absent_where_the_schema_says_so() -> None:
    assert not TABLES["2025-11-25"]["ping"].params_required
    assert TABLES["2025-11-25"]["tools/call"].params_required
    assert all(
        row.params_required for row in TABLES["2026-07-28"].values() if row.kind == "request" and row.carrier == "rpc"
    )


@pytest.mark.parametrize(
    ("revision", "wire", "capability"),
    [
        ("2024-11-05", "completion/complete", ""),
        ("2025-03-26", "completion/complete", "server.completions"),
        ("2025-11-25", "resources/subscribe", "server.resources.subscribe"),
        ("2025-11-25", "tasks/list", "server.tasks.list"),
        ("2025-11-25", "notifications/elicitation/complete", "client.elicitation.url"),
        ("2025-11-25", "ping", ""),
    ],
)
def test_a_row_names_the_capability_its_revision_has_for_it(revision: str, wire: str, capability: str) -> None:
    assert TABLES[revision][wire].capability == capability


def test_the_error_codes_of_each_revision_are_those_its_schema_names() -> None:
    codes = {
        revision: {
            error.code
            for error in importlib.import_module(f"typedmcp_types.v{revision.replace('-', '_')}.methods").ERRORS
        }
        for revision in sources.REVISIONS
    }
    assert codes["2025-06-18"] == set()
    assert codes["2025-11-25"] == {-32042}
    assert codes["2026-07-28"] == {-32700, -32600, -32601, -32602, -32603, -32020, -32021, -32022}


def test_spans_name_the_first_and_the_last_revision() -> None:
    assert revisions.METHODS["elicitation/create"] == ("2025-06-18", None)
    assert revisions.METHODS["ping"] == ("2024-11-05", "2025-11-25")
    assert revisions.MEMBERS["Tool.title"] == ("2025-06-18", None)
    assert revisions.MEMBERS["Tool.execution"] == ("2025-11-25", "2025-11-25")
    assert [name for name, _ in revisions.REVISIONS] == list(sources.REVISIONS)


def _all_rows() -> list[Method]:
    return [row for revision in sources.REVISIONS for row in TABLES[revision].values()]


def test_every_fact_about_a_method_speaks_of_a_method_some_document_has() -> None:
    known = {
        row.wire
        for source in packages.KNOWLEDGE.kept
        for row in pipeline.run(source, packages.KNOWLEDGE).document.methods
    }
    facts = packages.KNOWLEDGE.facts
    capabilities = {row.capability for row in _all_rows()}
    assert set(facts.capabilities.values()) == capabilities - {""}
    arms = {result.type for row in _all_rows() for result in row.results}
    assert {arm for extra in facts.arms.values() for arm in extra} <= arms
    named = {*facts.empty_results, *facts.capabilities, *facts.related, *facts.related.values(), *facts.arms}
    assert named - known == set()


@pytest.mark.parametrize("revision", sources.REVISIONS)
def test_a_capability_of_the_schema_is_needed_by_some_method(revision: str) -> None:
    rows = TABLES[revision].values()
    wanted = {"server.tools", "server.resources", "server.prompts", "client.sampling", "client.roots"}
    assert wanted <= {row.capability for row in rows}
