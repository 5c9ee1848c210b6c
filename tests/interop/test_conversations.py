"""Interop over stdio beyond plain calls: who asks the other side, typed contents, logs, changes, tasks, cancelling.

What either side can call is in `test_official_sdk` and `test_everything`.
"""

from __future__ import annotations

import asyncio
import base64
import importlib
import json
import os
import subprocess
import sys
from collections.abc import Coroutine
from pathlib import Path
from typing import Any

import pytest

from interop.conversation import PATIENCE, STATELESS, Conversation, conversation
from support import peers
from support.packages import BACK_ENDS
from support.paths import needs, npm_server
from typedmcp.base import convert, encode
from typedmcp.errors import InvalidParams, RpcError
from typedmcp.presence import given

HERE = Path(__file__).parent
HANDSHAKE = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
STATELESS_REVISION = "2026-07-28"
PAGE = "http://127.0.0.1/page"
FIELDS = {
    "name": "StringSchema",
    "check": "BooleanSchema",
    "integer": "NumberSchema",
    "untitledSingleSelectEnum": "UntitledSingleSelectEnumSchema",
    "untitledMultipleSelectEnum": "UntitledMultiSelectEnumSchema",
    "titledSingleSelectEnum": "TitledSingleSelectEnumSchema",
    "titledMultipleSelectEnum": "TitledMultiSelectEnumSchema",
    "legacyTitledEnum": "LegacyTitledEnumSchema",
}
"""The fields of the form of server-everything, and the types they have in the bindings."""

# Both back ends, in the newest revision of either kind; that they agree in all of them is tested elsewhere.
IN_HANDSHAKE = [*((revision, "structs") for revision in HANDSHAKE), (HANDSHAKE[-1], "models")]
IN_ALL = [*IN_HANDSHAKE, *((STATELESS_REVISION, back_end) for back_end in BACK_ENDS)]
in_every_revision = pytest.mark.parametrize(("revision", "back_end"), IN_ALL)
with_a_handshake = pytest.mark.parametrize(("revision", "back_end"), IN_HANDSHAKE)
in_both_back_ends = pytest.mark.parametrize("back_end", BACK_ENDS)


def run(play: Coroutine[Any, Any, None]) -> None:
    """Run a conversation, which bounds its own time."""
    asyncio.run(play)


@pytest.fixture(scope="module")
def official() -> list[str | Path]:
    """How the server of the official SDK is started."""
    return [needs("peers"), "-W", "ignore", HERE / "asking_server.py"]


@pytest.fixture(scope="module")
def everything() -> list[str | Path]:
    """How the npm package server-everything is started."""
    return [*npm_server(peers.everything_server), "stdio"]


def content_types(result: Any) -> list[str]:
    """The names of the types of a result's content."""
    return [type(block).__name__ for block in result.content]


def kinds(revision: str) -> dict[str, str]:
    """The kinds of content of a revision, and the types they have in the bindings."""
    found = {"text": "TextContent", "image": "ImageContent", "resource": "EmbeddedResource"}
    if revision >= "2025-03-26":
        found["audio"] = "AudioContent"
    if revision >= "2025-06-18":
        found["resource_link"] = "ResourceLink"
    return found


# Our client and a server of the official SDK.


@in_every_revision
def test_the_official_server_asks_and_our_handlers_answer(
    revision: str, back_end: str, official: list[str | Path]
) -> None:
    async def play() -> None:
        async with conversation(official, revision, back_end) as talk:
            await talk.hello()
            assert await talk.text("rooted") == "here=file:///here"
            assert await talk.text("sampled", text="hi") == "m: sampled hi"
            (asked,) = talk.heard.of("sampling")
            talk.of(asked, "CreateMessageRequestParams")
            talk.of(asked.messages[0], "SamplingMessage")
            assert (asked.max_tokens, asked.system_prompt) == (9, "Be brief.")
            if revision < "2025-06-18":
                with pytest.raises(RpcError, match="elicitation"):
                    await talk.tool("form", text="Who?")
                return
            assert await talk.text("form", text="Who?") == "accept Person(name='Ann', age=7)"
            assert await talk.text("form", text="Refuse?") == "decline"
            asked, _ = talk.heard.of("elicitation")
            talk.of(asked, "ElicitRequestParams" if revision < "2025-11-25" else "ElicitRequestFormParams")
            talk.of(asked.requested_schema, "ElicitRequestedSchema")
            talk.of(asked.requested_schema.properties["name"], "StringSchema")
            talk.of(asked.requested_schema.properties["age"], "NumberSchema")

    run(play())


@in_both_back_ends
def test_the_official_server_sends_the_user_to_a_page(back_end: str, official: list[str | Path]) -> None:
    async def play() -> None:
        async with conversation(official, "2025-11-25", back_end) as talk:
            await talk.hello()
            assert await talk.text("page", url=PAGE) == "accept"
            (asked,) = talk.heard.of("elicitation")
            assert (talk.of(asked, "ElicitRequestURLParams").url, asked.elicitation_id) == (PAGE, "page-1")
            done = await talk.heard.first("on_elicitation_complete")
            assert talk.of(done, "ElicitationCompleteNotificationParams").elicitation_id == "page-1"

    run(play())


def test_what_a_revision_cannot_be_asked_is_refused_in_words_the_official_server_understands(
    official: list[str | Path],
) -> None:
    async def play() -> None:
        async with conversation(official, "2025-06-18") as talk:
            await talk.hello()
            # Its pages came with the next revision: to this one they are forms without a form.
            with pytest.raises(InvalidParams, match="requestedSchema"):
                await talk.tool("page", url=PAGE)
            assert talk.heard.of("elicitation") == []
            assert await talk.text("rooted") == "here=file:///here"

    run(play())


@in_every_revision
def test_all_content_of_the_official_server_is_of_generated_types(
    revision: str, back_end: str, official: list[str | Path]
) -> None:
    async def play() -> None:
        async with conversation(official, revision, back_end) as talk:
            told = await talk.hello()
            talk.of(told.capabilities, "ServerCapabilities")
            listed = talk.of(await talk.calls.tools_list(talk.params("tools/list")), "ListToolsResult")
            assert {type(tool) for tool in listed.tools} == {talk.types.Tool}
            result = await talk.tool("blocks", kinds=list(kinds(revision)))
            assert content_types(result) == list(kinds(revision).values())
            text, image, embedded = result.content[:3]
            assert talk.of(text.annotations, "Annotations").priority == 0.5
            assert (image.data, image.mime_type) == ("+/8=", "image/png")
            assert talk.of(embedded.resource, "TextResourceContents").text == "inside"
            structured = given(await talk.tool("measured", name="n"), "structured_content")
            assert structured == ({"name": "n", "age": 3} if revision >= "2025-06-18" else None)
            read = await talk.calls.resources_read(talk.params("resources/read", uri="mem://bytes"))
            (contents,) = talk.of(read, "ReadResourceResult").contents
            assert base64.b64decode(talk.of(contents, "BlobResourceContents").blob) == b"\xfb\xff\xfe"

    run(play())


@with_a_handshake
def test_the_official_server_logs_and_announces_what_has_changed(
    revision: str, back_end: str, official: list[str | Path]
) -> None:
    async def play() -> None:
        async with conversation(official, revision, back_end) as talk:
            calls, heard = talk.calls, talk.heard
            await talk.hello()
            talk.of(await calls.logging_set_level(talk.params("logging/setLevel", level="notice")), "EmptyResult")
            await talk.text("logs")
            logged = [talk.of(one, "LoggingMessageNotificationParams") for one in heard.of("on_message")]
            assert [(one.level, one.data) for one in logged] == [("debug", "too much"), ("error", {"set": "notice"})]
            uri = {"uri": "mem://bytes"}
            talk.of(await calls.resources_subscribe(talk.params("resources/subscribe", **uri)), "EmptyResult")
            await talk.text("changes")
            updated = await heard.first("on_resources_updated")
            assert talk.of(updated, "ResourceUpdatedNotificationParams").uri == "mem://bytes"
            assert (len(heard.of("on_tools_list_changed")), len(heard.of("on_prompts_list_changed"))) == (1, 1)
            await calls.resources_unsubscribe(talk.params("resources/unsubscribe", **uri))
            await talk.text("changes")
            # Each announcement is sent before the answer, so that nothing can be on its way any more.
            assert len(heard.of("on_resources_updated")) == 1

    run(play())


@in_both_back_ends
def test_without_a_session_logs_and_changes_come_where_they_are_asked_for(
    back_end: str, official: list[str | Path]
) -> None:
    async def play() -> None:
        async with conversation(official, STATELESS_REVISION, back_end) as talk:
            heard = talk.heard
            await talk.hello()
            await talk.text("logs")
            assert heard.of("on_message") == []
            talk.meta = {"io.modelcontextprotocol/logLevel": "warning"}
            await talk.text("logs")
            assert [one.level for one in heard.of("on_message")] == ["error"]
            talk.meta = {}

            wanted = {"toolsListChanged": True, "resourceSubscriptions": ["mem://bytes"]}
            params = talk.params("subscriptions/listen", notifications=wanted)
            listening = asyncio.ensure_future(talk.calls.subscriptions_listen(params))
            agreed = await heard.first("on_subscriptions_acknowledged")
            agreed = talk.of(agreed, "SubscriptionsAcknowledgedNotificationParams").notifications
            assert (agreed.tools_list_changed, agreed.resource_subscriptions) == (True, ["mem://bytes"])
            await talk.text("changes")
            updated = await heard.first("on_resources_updated")
            assert talk.of(updated, "ResourceUpdatedNotificationParams").uri == "mem://bytes"
            assert len(heard.of("on_tools_list_changed")) == 1
            assert heard.of("on_prompts_list_changed") == []
            listening.cancel()
            with pytest.raises(asyncio.CancelledError):
                await listening
            await talk.text("changes")
            assert len(heard.of("on_tools_list_changed")) == 1

    run(play())


@pytest.mark.parametrize("revision", ["2024-11-05", "2025-11-25", "2026-07-28"])
def test_cancelling_our_call_stops_the_tool_of_the_official_server(revision: str, official: list[str | Path]) -> None:
    async def play() -> None:
        async with conversation(official, revision) as talk:
            await talk.hello()
            begun: asyncio.Future[tuple[Any, ...]] = asyncio.get_running_loop().create_future()
            params = talk.params("tools/call", name="waits")
            call = asyncio.ensure_future(
                talk.calls.tools_call(params, on_progress=lambda *news: begun.set_result(news))
            )
            message = None if revision < "2025-03-26" else "waiting"
            assert await begun == (1, 2, message)
            assert talk.heard.of("stderr") == []
            call.cancel()
            with pytest.raises(asyncio.CancelledError):
                await call
            assert await talk.heard.first("stderr") == "stopped waiting"
            assert await talk.text("rooted") == "here=file:///here"

    run(play())


# Our client and the npm package server-everything.


async def _settle(talk: Conversation) -> None:
    """Begin, and let it ask for our roots: afterwards it asks, and logs, nothing at a time of its own."""
    await talk.hello()
    # What asks is there only once it has seen what the client can do.
    await talk.heard.first("on_tools_list_changed")
    assert "file:///here" in await talk.text("get-roots-list")
    assert len(talk.heard.of("roots")) == 1


@with_a_handshake
def test_all_content_of_server_everything_is_of_generated_types(
    revision: str, back_end: str, everything: list[str | Path]
) -> None:
    async def play() -> None:
        async with conversation(everything, revision, back_end) as talk:
            await _settle(talk)
            listed = talk.of(await talk.calls.tools_list(), "ListToolsResult")
            assert {type(tool) for tool in listed.tools} == {talk.types.Tool}
            assert content_types(await talk.tool("get-tiny-image")) == ["TextContent", "ImageContent", "TextContent"]
            result = await talk.tool("get-annotated-message", messageType="error", includeImage=True)
            assert content_types(result) == ["TextContent", "ImageContent"]
            assert [talk.of(one.annotations, "Annotations").priority for one in result.content] == [1, 0.5]
            for kind, contents in (("Text", "TextResourceContents"), ("Blob", "BlobResourceContents")):
                result = await talk.tool("get-resource-reference", resourceType=kind, resourceId=2)
                talk.of(talk.of(result.content[1], "EmbeddedResource").resource, contents)
                uri = f"demo://resource/dynamic/{kind.lower()}/3"
                read = await talk.calls.resources_read(talk.params("resources/read", uri=uri))
                (found,) = talk.of(read, "ReadResourceResult").contents
                assert talk.of(found, contents).uri == uri
            arguments = {"resourceType": "Blob", "resourceId": "1"}
            params = talk.params("prompts/get", name="resource-prompt", arguments=arguments)
            said, shown = talk.of(await talk.calls.prompts_get(params), "GetPromptResult").messages
            talk.of(talk.of(said, "PromptMessage").content, "TextContent")
            talk.of(talk.of(shown.content, "EmbeddedResource").resource, "BlobResourceContents")
            result = await talk.tool("get-sum", a="no number", b=1)
            assert (result.is_error, content_types(result)) == (True, ["TextContent"])
            if revision >= "2025-06-18":
                result = await talk.tool("get-structured-content", location="Chicago")
                assert result.structured_content["humidity"] == 82
                links = (await talk.tool("get-resource-links", count=2)).content[1:]
                assert [talk.of(link, "ResourceLink").mime_type for link in links] == ["text/plain"] * 2

    run(play())


@with_a_handshake
def test_server_everything_asks_and_our_handlers_answer(
    revision: str, back_end: str, everything: list[str | Path]
) -> None:
    async def play() -> None:
        async with conversation(everything, revision, back_end) as talk:
            await _settle(talk)
            assert "sampled Resource trigger-sampling-request context: hi" in await talk.text(
                "trigger-sampling-request", prompt="hi", maxTokens=5
            )
            (asked,) = talk.heard.of("sampling")
            assert (talk.of(asked, "CreateMessageRequestParams").temperature, asked.max_tokens) == (0.7, 5)
            if revision >= "2025-06-18":
                await _fill_in_the_form(talk)
            if revision >= "2025-11-25":
                await _visit_the_page(talk)

    run(play())


async def _fill_in_the_form(talk: Conversation) -> None:
    result = await talk.tool("trigger-elicitation-request")
    if talk.revision < "2025-11-25":
        # The form has fields that are new in the next revision; whoever sends it here is told which.
        assert "untitledMultipleSelectEnum" in result.content[0].text
        assert (result.is_error, talk.heard.of("elicitation")) == (True, [])
        return
    assert "- Name: Ann" in result.content[1].text
    (asked,) = talk.heard.of("elicitation")
    fields = asked.requested_schema.properties
    for name, kind in FIELDS.items():
        talk.of(fields[name], kind)
    assert (fields["integer"].maximum, fields["email"].format) == (100, "email")


async def _visit_the_page(talk: Conversation) -> None:
    text = await talk.text("trigger-url-elicitation", url=PAGE, elicitationId="e")
    assert "User completed the URL elicitation flow" in text
    asked = talk.of(talk.heard.of("elicitation")[-1], "ElicitRequestURLParams")
    assert (asked.url, asked.elicitation_id) == (PAGE, "e")
    errors: Any = importlib.import_module(f"{talk.types.__name__}.errors")
    with pytest.raises(errors.URLElicitationRequiredError) as caught:
        await talk.tool("trigger-url-elicitation", url=PAGE, errorPath=True)
    data = talk.of(caught.value.data, "URLElicitationRequiredErrorData")
    if isinstance(data, dict):
        (visit,) = (convert(one, talk.types.ElicitRequestURLParams) for one in data["elicitations"])
    else:
        (visit,) = data.elicitations
    assert talk.of(visit, "ElicitRequestURLParams").url == "https://modelcontextprotocol.io"


@with_a_handshake
def test_server_everything_logs_and_announces_updates_as_it_is_told(
    revision: str, back_end: str, everything: list[str | Path]
) -> None:
    async def play() -> None:
        async with conversation(everything, revision, back_end) as talk:
            calls, heard = talk.calls, talk.heard
            await _settle(talk)
            before = len(heard.of("on_message"))
            uri = {"uri": "demo://resource/dynamic/text/1"}
            talk.of(await calls.logging_set_level(talk.params("logging/setLevel", level="error")), "EmptyResult")
            await calls.resources_subscribe(talk.params("resources/subscribe", **uri))
            assert len(heard.of("on_message")) == before
            await calls.logging_set_level(talk.params("logging/setLevel", level="debug"))
            await calls.resources_subscribe(talk.params("resources/subscribe", **uri))
            logged = talk.of(heard.of("on_message")[-1], "LoggingMessageNotificationParams")
            assert (logged.level, uri["uri"] in logged.data) == ("info", True)
            await talk.text("toggle-subscriber-updates")
            updated = await heard.first("on_resources_updated")
            assert talk.of(updated, "ResourceUpdatedNotificationParams").uri == uri["uri"]
            await talk.text("toggle-subscriber-updates")
            talk.of(await calls.resources_unsubscribe(talk.params("resources/unsubscribe", **uri)), "EmptyResult")

    run(play())


@pytest.mark.parametrize("revision", HANDSHAKE)
def test_server_everything_completes_arguments_of_prompts_and_of_templates(
    revision: str, everything: list[str | Path]
) -> None:
    async def play() -> None:
        async with conversation(everything, revision) as talk:
            await _settle(talk)

            async def complete(ref: dict[str, Any], name: str, value: str, **more: Any) -> list[str]:
                asked = {"ref": ref, "argument": {"name": name, "value": value}, **more}
                result = await talk.calls.completion_complete(talk.params("completion/complete", **asked))
                return list(talk.of(result, "CompleteResult").completion.values)

            templates = talk.of(await talk.calls.resources_templates_list(), "ListResourceTemplatesResult")
            (template, *_) = templates.resource_templates
            ref = {"type": "ref/resource", "uri": talk.of(template, "ResourceTemplate").uri_template}
            assert await complete(ref, "resourceId", "7") == ["7"]
            prompt = {"type": "ref/prompt", "name": "completable-prompt"}
            assert await complete(prompt, "department", "S") == ["Sales", "Support"]
            # What else has been filled in can be told since 2025-06-18.
            context = {"context": {"arguments": {"department": "Sales"}}}
            found = await complete(prompt, "name", "E", **context)
            assert found == (["Eve"] if revision >= "2025-06-18" else [])

    run(play())


@in_both_back_ends
def test_server_everything_runs_a_task_that_asks_us_on_its_way(back_end: str, everything: list[str | Path]) -> None:
    async def play() -> None:
        # It does not end by itself while it would still keep a task.
        async with conversation(everything, "2025-11-25", back_end, patience=0.2) as talk:
            calls, task = talk.calls, {"task": {"ttl": 60_000}}
            await _settle(talk)

            async def begin(topic: str) -> str:
                call = {"name": "simulate-research-query", "arguments": {"topic": topic, "ambiguous": True}}
                begun = await calls.tools_call(talk.params("tools/call", **call, **task))
                return str(talk.of(talk.of(begun, "CreateTaskResult").task, "Task").task_id)

            given_up, kept = await begin("x"), await begin("python")
            cancelled = await calls.tasks_cancel(talk.params("tasks/cancel", taskId=given_up))
            assert talk.of(cancelled, "CancelTaskResult").status == "cancelled"
            listed = talk.of(await calls.tasks_list(), "ListTasksResult").tasks
            assert {talk.of(one, "Task").task_id for one in listed} == {given_up, kept}
            found = await calls.tasks_get(talk.params("tasks/get", taskId=kept))
            assert talk.of(found, "GetTaskResult").status in ("working", "input_required")
            # It asks while we wait for this, and answers when it is done.
            result = await calls.tasks_result(talk.params("tasks/result", taskId=kept))
            assert "**Clarification**: snake" in encode(talk.of(result, "GetTaskPayloadResult")).decode()
            (asked,) = talk.heard.of("elicitation")
            talk.of(asked.requested_schema.properties["interpretation"], "TitledSingleSelectEnumSchema")
            found = await calls.tasks_get(talk.params("tasks/get", taskId=kept))
            assert found.status == "completed"

    run(play())


# A server of ours and the official client.


@in_every_revision
def test_our_handlers_ask_the_official_client_and_it_understands_all_they_say(revision: str, back_end: str) -> None:
    command = [needs("peers"), "-W", "ignore", HERE / "asked_client.py"]
    command += [sys.executable, HERE / "our_server.py", revision, back_end]
    done = subprocess.run(
        list(map(str, command)),
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(HERE.parent), *sys.path])},
    )
    assert done.returncode == 0, done.stderr[-3000:]
    assert json.loads(done.stdout) == _told(revision)


def _told(revision: str) -> dict[str, Any]:
    """What the official client should have got."""
    answers: dict[str, Any] = {"roots": "file:///there", "model": "sampled hi"}
    types = {"roots": "ListRootsResult", "model": "CreateMessageResult"}
    structured: dict[str, Any] = {"measured": None, "wrong": None}
    if revision >= "2025-06-18":
        answers["form"], types["form"] = ["accept", {"name": "Ann"}], "ElicitResult"
        wrong = "Invalid structured content returned by tool wrong: 'x' is not of type 'integer'"
        structured = {"measured": {"n": 3}, "wrong": wrong}
    if revision >= "2025-11-25":
        answers["page"], types["page"] = ["decline", None], "ElicitResult"
    told = {
        "revision": revision,
        "instructions": "asked",
        "tools": 8,
        "ask": [answers, types],
        **structured,
        "blocks": list(kinds(revision).values()),
        "blob": "+//+",
        "completed": [["v0", "v1"], 2],
        "tools changed": True,
        "updated": "mem://a",
        "logged": ["error", {"set": "warning"}, "l"],
        "started": [1, 2, None if revision < "2025-03-26" else "waiting"],
        "stopped": "it was stopped",
    }
    if revision < STATELESS:
        return {**told, "refused": [-32602, "Unknown resource"]}
    return {**told, "instructions": None, "changes": ["ToolsListChanged()", "ResourceUpdated(uri='mem://a')"]}
