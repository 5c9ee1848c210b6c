"""Two peers joined by memory, by bytes and by objects, of both back ends: what callers and handlers see."""

from __future__ import annotations

import asyncio
import importlib
import json
import logging
from typing import Any

import pytest

from support.fixture_server import package
from support.packages import BACK_ENDS
from support.pairs import PATIENCE, Pair, handlers, nothing, played, turns
from typedmcp.base import encode
from typedmcp.errors import CallTimeout, Closed, EncodeError, InternalError, InvalidParams, MethodNotFound, RpcError
from typedmcp.peer import Peer
from typedmcp.presence import given
from typedmcp.transports.memory import join

SECRET = "the password is 1234"
WAYS = [(back_end, objects) for back_end in BACK_ENDS for objects in (False, True)]
every_way = pytest.mark.parametrize(("back_end", "objects"), WAYS, ids=lambda value: str(value))


class Slow:
    """A handler that waits until it is told to go on, and notes what became of it."""

    def __init__(self, result: Any = None) -> None:
        self.started = asyncio.Event()
        self.go = asyncio.Event()
        self.cancelled = asyncio.Event()
        self.contexts: list[Any] = []
        self.result = result

    async def __call__(self, params: Any, context: Any) -> Any:
        self.contexts.append(context)
        self.started.set()
        try:
            await self.go.wait()
        except asyncio.CancelledError:
            self.cancelled.set()
            raise
        return self.result


@every_way
def test_a_result_is_of_its_method_s_type(back_end: str, objects: bool) -> None:
    async def play() -> None:
        async def call(params: Any, context: Any) -> Any:
            assert (context.method, context.id) == ("tools/call", 2)
            return pair.text(params.name)

        async with Pair(back_end=back_end, objects=objects, server={"tools_call": call}) as pair:
            result = await pair.calls.tools_call(pair.tool("echo"))
            assert type(result) is pair.types.CallToolResult
            assert result.content[0].text == "echo"
            assert encode(await pair.back.ping()) == b"{}"

    played(play)


@every_way
def test_params_that_are_not_given_are_an_empty_object_to_the_handler(back_end: str, objects: bool) -> None:
    seen: list[Any] = []

    async def play() -> None:
        async def tools(params: Any, context: Any) -> Any:
            seen.append(given(params, "cursor"))
            seen.append(type(params).__name__)
            return pair.made("ListToolsResult", tools=[])

        async with Pair("2025-03-26", back_end, objects=objects, server={"tools_list": tools}) as pair:
            await pair.calls.tools_list()
            async with pair.client.batch() as batch:
                listing = batch.start(type(pair.calls)(batch).tools_list())
            await listing

    played(play)
    assert seen[:2] == seen[2:]
    assert seen[1] != "UnsetType"


@every_way
def test_an_error_a_handler_raises_reaches_the_caller_as_what_it_is(back_end: str, objects: bool) -> None:
    errors: Any = importlib.import_module(f"{package('2025-11-25', back_end)}.errors")

    async def play() -> None:
        elicitation = {"mode": "url", "message": "m", "elicitationId": "e", "url": "https://example.com/"}

        async def call(params: Any, context: Any) -> Any:
            match params.name:
                case "url":
                    data = pair.made("URLElicitationRequiredErrorData", elicitations=[elicitation])
                    raise errors.URLElicitationRequiredError("visit", data)
                case "params":
                    raise InvalidParams("no such tool", data={"name": "params"})
                case _:
                    raise RpcError("mine", code=7, data=[1])

        async with Pair(back_end=back_end, objects=objects, server={"tools_call": call}) as pair:
            with pytest.raises(errors.URLElicitationRequiredError, match="visit") as typed:
                await pair.calls.tools_call(pair.tool("url"))
            assert json.loads(encode(typed.value.data)) == {"elicitations": [elicitation]}
            # Of the structs it is a bag, and that a dict.
            assert (type(typed.value.data) is dict) == (back_end == "structs")
            with pytest.raises(InvalidParams) as known:
                await pair.calls.tools_call(pair.tool("params"))
            assert known.value.data == {"name": "params"}
            with pytest.raises(RpcError) as own:
                await pair.calls.tools_call(pair.tool("other"))
            assert (own.value.code, own.value.message, own.value.data) == (7, "mine", [1])

    played(play)


@every_way
def test_an_exception_of_a_handler_is_for_the_log_and_not_for_the_wire(
    back_end: str, objects: bool, caplog: pytest.LogCaptureFixture
) -> None:
    async def play() -> None:
        async def call(params: Any, context: Any) -> Any:
            raise ZeroDivisionError(SECRET)

        async with Pair(back_end=back_end, objects=objects, server={"tools_call": call}) as pair:
            with caplog.at_level(logging.ERROR, "typedmcp"), pytest.raises(InternalError) as caught:
                await pair.calls.tools_call(pair.tool("x"))
            assert (caught.value.code, caught.value.message, caught.value.data) == (-32603, "Internal error", None)
            assert SECRET not in "".join(map(str, pair.sent["server"]))

    played(play)
    [record] = caplog.records
    assert record.name == "typedmcp"
    assert SECRET in caplog.text
    assert "Traceback" in caplog.text


@pytest.mark.parametrize(
    "value",
    [object(), float("nan"), {"a": float("inf")}, "\ud800"],
    ids=["object", "nan", "infinity", "surrogate"],
)
def test_an_answer_that_has_no_json_form_is_an_internal_error(value: Any) -> None:
    async def play() -> None:
        async def call(params: Any, context: Any) -> Any:
            return {"content": [], "x": value}

        async def raising(params: Any, context: Any) -> Any:
            raise RpcError("m", code=1, data=value)

        async with Pair(server={"tools_call": call, "tools_list": raising}) as pair:
            with pytest.raises(InternalError, match=r"^Internal error \(-32603\)$"):
                await pair.calls.tools_call(pair.tool("x"))
            with pytest.raises(InternalError, match=r"^Internal error \(-32603\)$"):
                await pair.calls.tools_list()

    played(play)


@every_way
def test_cancelling_a_call_cancels_its_handler(back_end: str, objects: bool) -> None:
    async def play() -> None:
        slow = Slow()
        async with Pair(back_end=back_end, objects=objects, server={"tools_call": slow}) as pair:
            task = asyncio.create_task(pair.calls.tools_call(pair.tool("x")))
            await slow.started.wait()
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            await slow.cancelled.wait()
            assert slow.contexts[0].cancelled
            await pair.calls.ping()
            assert pair.methods("client") == ["tools/call", "notifications/cancelled", "ping"]
            assert pair.methods("server") == [None]
            assert pair.server._engine.inbound == 0

    played(play)


def test_giving_up_initialize_is_not_told() -> None:
    async def play() -> None:
        slow = Slow()
        pair = Pair(server={"initialize": slow})
        task = asyncio.create_task(pair.calls.initialize(pair.hello()))
        await slow.started.wait()
        task.cancel()
        await turns()
        assert task.cancelled()
        assert pair.methods("client") == ["initialize"]
        with pytest.raises(CallTimeout):
            await Pair(server={"initialize": Slow()}).calls.initialize(pair.hello(), timeout=0.001)
        assert not slow.cancelled.is_set()
        await pair.__aexit__(None, None, None)

    played(play)


@every_way
def test_progress_is_told_in_order_and_only_grows(back_end: str, objects: bool) -> None:
    seen: list[Any] = []

    async def play() -> None:
        async def call(params: Any, context: Any) -> Any:
            for step in (1, 2, 2, 1.5, 3):
                await context.progress(step, 4, f"step {step}")
            await context.progress(3.5)
            return pair.text("")

        async with Pair(back_end=back_end, objects=objects, server={"tools_call": call}) as pair:
            await pair.calls.tools_call(pair.tool("x"), on_progress=lambda *news: seen.append(news))
            assert pair.methods("server") == ["notifications/progress"] * 4 + [None]
            await pair.calls.tools_call(pair.tool("x"))
            assert pair.methods("server")[5:] == [None]

    played(play)
    assert seen == [(1, 4, "step 1"), (2, 4, "step 2"), (3, 4, "step 3"), (3.5, None, None)]


def test_progress_of_a_peer_that_does_not_grow_is_not_told() -> None:
    seen: list[float] = []
    ignored: list[str] = []

    async def play() -> None:
        slow = Slow({"content": []})
        async with Pair(server={"tools_call": slow}, client_options={"on_ignored": ignored.append}) as pair:
            ask = pair.calls.tools_call(pair.tool("x"), on_progress=lambda progress, *_: seen.append(progress))
            task = asyncio.create_task(ask)
            await slow.started.wait()
            for progress in (2, 1, 2, 3):
                params = {"progressToken": slow.contexts[0].id, "progress": progress}
                await pair.back.notify_progress(pair.made("ProgressNotificationParams", **params))
            slow.go.set()
            await task

    played(play)
    assert seen == [2, 3]
    assert ignored == ["notifications/progress that does not grow"] * 2


def test_a_handler_of_progress_hears_of_all_of_it() -> None:
    seen: list[tuple[Any, float]] = []

    async def play() -> None:
        async def progressed(params: Any, context: Any) -> None:
            seen.append((params.progress_token, params.progress))

        async with Pair(client={"on_progress": progressed}) as pair:
            for token in ("nobody's", 1):
                params = {"progressToken": token, "progress": 1}
                await pair.back.notify_progress(pair.made("ProgressNotificationParams", **params))
            await turns()

    played(play)
    assert seen == [("nobody's", 1), (1, 1)]


def test_more_notifications_than_may_be_handled_are_dropped_and_told() -> None:
    ignored: list[str] = []

    async def play() -> None:
        go, seen = asyncio.Event(), 0

        async def changed(params: Any, context: Any) -> None:
            nonlocal seen
            await go.wait()
            seen += 1

        options = {"on_ignored": ignored.append, "max_inbound": 3}
        async with Pair(server={"on_initialized": changed}, server_options=options) as pair:
            for _ in range(5):
                await pair.calls.notify_initialized()
            await turns()
            go.set()
            await turns()
            assert seen == 3

    played(play)
    assert ignored == ["notifications/initialized: 3 notifications are being handled already"] * 2


def test_an_error_of_on_progress_is_for_the_log(caplog: pytest.LogCaptureFixture) -> None:
    def fail(*_: Any) -> None:
        raise ZeroDivisionError

    async def play() -> None:
        async def call(params: Any, context: Any) -> Any:
            await context.progress(1)
            return pair.text("")

        async with Pair(server={"tools_call": call}) as pair:
            await pair.calls.tools_call(pair.tool("x"), on_progress=fail)

    played(play)
    assert "on_progress of tools/call failed" in caplog.text


@every_way
def test_a_call_that_is_not_answered_in_time_fails_and_its_late_answer_is_ignored(back_end: str, objects: bool) -> None:
    ignored: list[str] = []

    async def play() -> None:
        async def stubborn(params: Any, context: Any) -> Any:
            try:
                await slow(params, context)
            finally:
                return pair.text("late")  # noqa: B012

        slow = Slow()
        options = {"on_ignored": ignored.append}
        async with Pair(
            back_end=back_end, objects=objects, server={"tools_call": stubborn}, client_options=options
        ) as pair:
            with pytest.raises(CallTimeout, match=r"tools/call was not answered within 0\.001 s"):
                await pair.calls.tools_call(pair.tool("x"), timeout=0.001)
            await pair.calls.ping()
            assert pair.methods("client")[1:] == ["notifications/cancelled", "ping"]
            assert pair.methods("server") == [None]
            # What a peer sends that had not heard of it yet.
            pair.client.received(b'{"jsonrpc":"2.0","id":2,"result":{"content":[]}}')

    played(play)
    assert ignored == ["a response to no request that is waiting"]


def test_progress_starts_the_timeout_anew_where_there_is_a_greatest_one() -> None:
    async def play() -> None:
        slow = Slow({"content": []})
        async with Pair(server={"tools_call": slow}) as pair:
            task = asyncio.create_task(
                pair.calls.tools_call(pair.tool("x"), timeout=PATIENCE, max_timeout=2 * PATIENCE)
            )
            await slow.started.wait()
            [call] = pair.client._engine._calls.values()
            before = call.waiter.timer
            await slow.contexts[0].progress(1)
            await turns()
            assert before.cancelled()
            assert call.waiter.timer.when() > before.when()
            at_most = call.waiter.at_most
            assert not at_most.cancelled()
            slow.go.set()
            await task
            assert at_most.cancelled()
            assert call.waiter.timer.cancelled()

    played(play)


def test_without_a_greatest_timeout_progress_does_not_change_the_deadline() -> None:
    async def play() -> None:
        slow = Slow({"content": []})
        async with Pair(server={"tools_call": slow}) as pair:
            seen = asyncio.Event()
            ask = pair.calls.tools_call(pair.tool("x"), timeout=PATIENCE, on_progress=lambda *_: seen.set())
            task = asyncio.create_task(ask)
            await slow.started.wait()
            [call] = pair.client._engine._calls.values()
            before = call.waiter.timer
            await slow.contexts[0].progress(1)
            await seen.wait()
            assert call.waiter.timer is before
            slow.go.set()
            await task

    played(play)


def test_the_greatest_timeout_holds_whatever_progress_there_is() -> None:
    async def play() -> None:
        async def call(params: Any, context: Any) -> Any:
            step = 0
            while True:
                step += 1
                await context.progress(step)
                await asyncio.sleep(0)

        async with Pair(server={"tools_call": call}) as pair:
            with pytest.raises(CallTimeout, match=r"within 0\.02 s"):
                await pair.calls.tools_call(pair.tool("x"), timeout=PATIENCE, max_timeout=0.02)

    played(play)


@every_way
@pytest.mark.parametrize("who", ["server", "client"])
def test_calls_that_wait_fail_when_either_end_closes(who: str, back_end: str, objects: bool) -> None:
    async def play() -> None:
        slow = Slow()
        async with Pair(back_end=back_end, objects=objects, server={"tools_call": slow}) as pair:
            task = asyncio.create_task(pair.calls.tools_call(pair.tool("x")))
            await slow.started.wait()
            await {"server": pair.server, "client": pair.client}[who].aclose()
            with pytest.raises(Closed, match={"server": "the peer ended", "client": "was closed"}[who]):
                await task
            with pytest.raises(Closed):
                await pair.calls.ping()
            await pair.client.wait_ended()
            await pair.server.wait_ended()
            assert "notifications/cancelled" not in pair.methods("client")

    played(play)


def test_handlers_may_finish_within_the_grace_of_a_close() -> None:
    async def play() -> None:
        slow = Slow()
        async with Pair(server={"tools_call": slow}) as pair:
            task = asyncio.create_task(pair.calls.tools_call(pair.tool("x")))
            await slow.started.wait()
            slow.result = pair.text("done")
            closing = asyncio.create_task(pair.server.aclose(grace=PATIENCE))
            await turns()
            slow.go.set()
            await closing
            assert (await task).content[0].text == "done"

    played(play)


@every_way
def test_more_requests_than_allowed_are_told_that_the_peer_is_busy(back_end: str, objects: bool) -> None:
    async def play() -> None:
        slow = Slow()
        options = {"max_inbound": 2}
        async with Pair(
            back_end=back_end, objects=objects, server={"tools_call": slow}, server_options=options
        ) as pair:
            slow.result = pair.text("")
            tasks = [asyncio.create_task(pair.calls.tools_call(pair.tool("x"))) for _ in range(2)]
            await turns()
            with pytest.raises(InternalError, match="Busy: 2 requests are in progress"):
                await pair.calls.ping()
            slow.go.set()
            await asyncio.gather(*tasks)
            await pair.calls.ping()

    played(play)


@every_way
@pytest.mark.parametrize("revision", ["2025-03-26", "2025-11-25"])
def test_calls_of_a_batch_go_together(revision: str, back_end: str, objects: bool) -> None:
    async def play() -> None:
        async with Pair(revision, back_end, objects=objects) as pair:
            async with pair.client.batch() as batch:
                calls = type(pair.calls)(batch)
                tasks = [batch.start(calls.ping()) for _ in range(3)]
                await calls.notify_initialized()
                await turns()
                assert pair.sent["client"] == []
            assert [encode(await task) for task in tasks] == [b"{}"] * 3
            sent = ["notifications/initialized", "ping", "ping", "ping"]
            if revision == "2025-03-26":
                assert pair.methods("client") == [sent]
                assert pair.methods("server") == [[None] * 3]
            else:
                assert pair.methods("client") == sent
                assert pair.methods("server") == [None] * 3

    played(play)


def test_an_empty_batch_sends_nothing() -> None:
    async def play() -> None:
        async with Pair("2025-03-26") as pair:
            async with pair.client.batch():
                pass
            assert pair.sent["client"] == []

    played(play)


def test_a_call_started_after_another_was_said_is_in_the_batch_too() -> None:
    async def play() -> None:
        async with Pair("2025-03-26") as pair:
            async with pair.client.batch() as batch:
                calls = type(pair.calls)(batch)
                first = batch.start(calls.ping())
                await turns()
                second = batch.start(calls.ping())
            await first
            await second
            assert pair.methods("client") == [["ping", "ping"]]

    played(play)


def test_nothing_of_a_batch_is_sent_when_its_block_fails() -> None:
    async def play() -> None:
        async with Pair("2025-03-26") as pair:
            with pytest.raises(ZeroDivisionError):  # noqa: PT012
                async with pair.client.batch() as batch:
                    task = batch.start(type(pair.calls)(batch).ping())
                    await turns()
                    raise ZeroDivisionError
            await turns()
            assert task.cancelled()
            assert pair.sent["client"] == []
            assert pair.client._engine.calls == 0

    played(play)


def test_a_call_given_up_before_its_batch_is_sent_is_not_sent() -> None:
    async def play() -> None:
        async with Pair("2025-03-26") as pair:
            async with pair.client.batch() as batch:
                calls = type(pair.calls)(batch)
                given_up, kept = batch.start(calls.ping()), batch.start(calls.ping())
                await turns()
                given_up.cancel()
                await turns()
            await kept
            assert pair.methods("client") == [["ping"]]

    played(play)


@pytest.mark.parametrize("revision", ["2025-03-26", "2025-06-18"])
def test_a_call_that_cannot_be_written_fails_alone_in_its_batch(revision: str) -> None:
    async def play() -> None:
        async with Pair(revision, server={"tools_call": nothing}) as pair:
            bad = pair.tool("x")
            bad.arguments = {"a": float("nan")}
            async with pair.client.batch() as batch:
                calls = type(pair.calls)(batch)
                good, wrong, last = [batch.start(one) for one in (calls.ping(), calls.tools_call(bad), calls.ping())]
            await good
            await last
            with pytest.raises(EncodeError, match="nan"):
                await wrong
            assert pair.client._engine.calls == 0

    played(play)


@pytest.mark.parametrize("revision", ["2025-03-26", "2025-06-18"])
def test_a_notification_that_cannot_be_written_is_told_by_its_batch(revision: str) -> None:
    async def play() -> None:
        async with Pair(revision, server={"tools_call": nothing}) as pair:
            with pytest.raises(EncodeError, match="nan"):  # noqa: PT012
                async with pair.client.batch() as batch:
                    good = batch.start(type(pair.calls)(batch).ping())
                    progress = {"progressToken": 1, "progress": 1.0}
                    wrong = pair.client.codec.build("notifications/progress", progress)
                    wrong.progress = float("nan")
                    await batch.notify("notifications/progress", wrong)
            await good

    played(play)


def test_a_call_that_must_not_be_made_fails_alone_in_its_batch() -> None:
    async def play() -> None:
        async with Pair("2025-03-26") as pair:
            async with pair.client.batch() as batch:
                calls = type(pair.calls)(batch)
                good, bad = batch.start(calls.ping()), batch.start(calls.tools_list())
            await good
            with pytest.raises(Exception, match="did not declare the capability tools"):
                await bad

    played(play)


@pytest.mark.parametrize("objects", [False, True])
def test_a_sender_waits_while_the_other_side_is_behind(objects: bool) -> None:
    async def play() -> None:
        async with Pair(objects=objects, most=2) as pair:
            channel: Any = pair.client._channel
            order: list[Any] = []
            for number in range(3):
                channel.send(pair.client.notification("notifications/initialized") if objects else b"{}")
                order.append((number, channel.full))
            assert order == [(0, False), (1, False), (2, True)]
            waiting = asyncio.create_task(channel.drain())
            await asyncio.sleep(0)
            assert not channel.full
            await waiting
            tasks = [asyncio.create_task(pair.calls.ping()) for _ in range(10)]
            await asyncio.gather(*tasks)
            await channel.drain()

    played(play)


@pytest.mark.parametrize("back_end", BACK_ENDS)
def test_unknown_methods_have_handlers_of_their_own(back_end: str) -> None:
    heard: list[Any] = []

    async def play() -> None:
        told = asyncio.Event()

        async def unknown_request(method: str, params: Any, context: Any) -> Any:
            if method == "x/fails":
                raise InvalidParams("no")
            return {"method": method, "params": params, "id": context.id}

        async def unknown_notification(method: str, params: Any, context: Any) -> None:
            heard.append((method, params, context.id))
            told.set()

        async with Pair(
            back_end=back_end,
            server={"unknown_request": unknown_request, "unknown_notification": unknown_notification},
        ) as pair:
            pair.server.received(b'{"jsonrpc":"2.0","id":"a","method":"x/y","params":[1]}')
            pair.server.received(b'{"jsonrpc":"2.0","id":"b","method":"x/fails"}')
            pair.server.received(b'{"jsonrpc":"2.0","method":"notifications/x","params":{"a":1}}')
            await told.wait()
            await turns()
            answers = {answer["id"]: answer for answer in map(json.loads, pair.sent["server"])}
            assert answers["a"]["result"] == {"method": "x/y", "params": [1], "id": "a"}
            assert answers["b"]["error"]["code"] == -32602

    played(play)
    assert heard == [("notifications/x", {"a": 1}, None)]


def test_without_handlers_unknown_requests_are_refused_and_notifications_ignored() -> None:
    ignored: list[str] = []

    async def play() -> None:
        async with Pair(server_options={"on_ignored": ignored.append}) as pair:
            pair.server.received(b'{"jsonrpc":"2.0","id":"a","method":"x/y"}')
            pair.server.received(b'{"jsonrpc":"2.0","method":"notifications/x"}')
            await turns()
            assert [json.loads(frame)["error"]["code"] for frame in pair.sent["server"]] == [-32601]
            # As if nothing were known of what the server declares.
            pair.client._engine.declared.clear()
            with pytest.raises(MethodNotFound):
                await pair.calls.tools_list()

    played(play)
    assert ignored == ["a notification of an unknown method, notifications/x"]


@pytest.mark.parametrize(
    ("implemented", "declared"),
    [
        ((), {}),
        (("ping",), {}),
        (("tools_list",), {"tools": {}}),
        (("tools_call", "prompts_get"), {"tools": {}, "prompts": {}}),
        (("resources_read",), {"resources": {}}),
        (("resources_read", "resources_subscribe"), {"resources": {"subscribe": {}}}),
        (("logging_set_level", "completion_complete"), {"logging": {}, "completions": {}}),
    ],
)
def test_capabilities_follow_from_the_handlers_there_are(implemented: tuple[str, ...], declared: Any) -> None:
    made = handlers("2025-11-25", "server", **dict.fromkeys(implemented, nothing))
    found = made.declared()
    assert set(found) == set(declared)
    assert all(bool(found[name]) == bool(declared[name]) for name in declared)


def test_a_handler_that_is_cancelled_by_itself_is_an_internal_error(caplog: pytest.LogCaptureFixture) -> None:
    async def play() -> None:
        async def call(params: Any, context: Any) -> Any:
            raise asyncio.CancelledError

        async with Pair(server={"tools_call": call}) as pair:
            with pytest.raises(InternalError):
                await pair.calls.tools_call(pair.tool("x"))

    played(play)
    assert "tools/call was cancelled" in caplog.text


def test_handlers_can_ask_back_while_they_answer() -> None:
    async def play() -> None:
        async def call(params: Any, context: Any) -> Any:
            await context.peer.call("ping")
            return pair.text("asked")

        async with Pair(server={"tools_call": call}) as pair:
            assert (await pair.calls.tools_call(pair.tool("x"))).content[0].text == "asked"
            assert pair.methods("server") == ["ping", None]

    played(play)


def test_a_refused_handshake_may_be_tried_again() -> None:
    async def play() -> None:
        refusals = [InvalidParams("not this one")]

        async def initialize(params: Any, context: Any) -> Any:
            if refusals:
                raise refusals.pop()
            return await Pair._initialize(pair, params, context)

        pair = Pair(server={"initialize": initialize})
        with pytest.raises(InvalidParams):
            await pair.calls.initialize(pair.hello())
        async with pair:
            await pair.calls.ping()

    played(play)


def test_peers_of_different_revisions_can_be_joined_by_bytes() -> None:
    async def play() -> None:
        old = Peer(handlers("2024-11-05", "server", ping=nothing))
        new = Peer(handlers("2025-11-25", "client", "models"))
        join(new, old)
        assert encode(await new.call("ping")) == b"{}"
        await new.aclose()
        await old.aclose()

    played(play)


def test_a_handler_may_close_the_connection_it_answers_on() -> None:
    async def play() -> None:
        ended = asyncio.Event()

        async def leave(params: Any, context: Any) -> None:
            await context.peer.aclose()
            ended.set()

        async with Pair(server={"tools_call": leave}) as pair:
            with pytest.raises(Closed):
                await pair.client.call("tools/call", pair.types.CallToolRequestParams(name="x"))
            await ended.wait()

    played(play)
