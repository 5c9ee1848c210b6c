"""What our own callers do wrong: a LocalProtocolError that says what to do, and nothing is sent."""

from __future__ import annotations

import importlib
import re
from collections.abc import Callable
from typing import Any

import pytest

from support.fixture_server import package
from support.packages import BACK_ENDS
from support.pairs import HELLO, Pair, handlers, nothing, played, turns
from typedmcp.base import convert
from typedmcp.codec import Codec
from typedmcp.engine import Engine
from typedmcp.errors import Closed, InvalidParams, LocalProtocolError, ProtocolError, TypedMcpError
from typedmcp.events import Incoming, Outgoing
from typedmcp.messages import Success
from typedmcp.peer import Peer
from typedmcp.rows import Side
from typedmcp.transports.memory import join

PING = b'{"jsonrpc":"2.0","id":1,"method":"ping"}'


def engine_of(revision: str, side: Side, back_end: str = "structs") -> Engine:
    """An engine before any handshake."""
    return Engine(Codec(package(revision, back_end), side))


def greeted(revision: str = "2025-11-25", capabilities: Any = None, back_end: str = "structs") -> Engine:
    """A client's engine after a handshake with a server that declares these capabilities."""
    engine = engine_of(revision, "client", back_end)
    params = engine.codec.build("initialize", {"protocolVersion": revision, "capabilities": {}, **HELLO})
    call = engine.call("initialize", params)
    told = {"protocolVersion": revision, "capabilities": capabilities or {}, "serverInfo": HELLO["clientInfo"]}
    server = Codec(package(revision, back_end), "server")
    engine.receive(server.write(Success(call.message.id, convert(told, server.tables.types.InitializeResult))))
    return engine


def refused(words: str) -> Any:
    """A LocalProtocolError whose message holds these words."""
    return pytest.raises(LocalProtocolError, match=re.escape(words))


def test_a_local_protocol_error_is_one_of_ours_and_no_remote_one() -> None:
    assert issubclass(LocalProtocolError, ProtocolError)
    assert issubclass(ProtocolError, TypedMcpError)
    assert issubclass(Closed, ConnectionError)


CAPABILITIES: list[tuple[str, Any, str]] = [
    ("tools/list", {}, "tools"),
    ("prompts/list", {"tools": {}}, "prompts"),
    ("resources/subscribe", {"resources": {}}, "resources.subscribe"),
    ("resources/subscribe", {"resources": {"subscribe": False}}, "resources.subscribe"),
    ("logging/setLevel", {}, "logging"),
    ("completion/complete", {}, "completions"),
    ("tasks/list", {"tasks": {}}, "tasks.list"),
]


@pytest.mark.parametrize("back_end", BACK_ENDS)
@pytest.mark.parametrize(("method", "capabilities", "missing"), CAPABILITIES)
def test_what_the_other_side_did_not_declare_cannot_be_called(
    method: str, capabilities: Any, missing: str, back_end: str
) -> None:
    engine = greeted(capabilities=capabilities, back_end=back_end)
    with refused(f"{method} cannot be called: the server did not declare the capability {missing}"):
        engine.call(method)
    assert engine.calls == 0


def test_what_we_did_not_declare_ourselves_cannot_be_sent() -> None:
    with refused("notifications/roots/list_changed cannot be sent: the client did not declare the capability roots"):
        greeted().notify("notifications/roots/list_changed")


def test_what_is_declared_can_be_called() -> None:
    engine = greeted(capabilities={"tools": {}, "resources": {"subscribe": True}})
    for method, params in (("tools/list", {}), ("resources/subscribe", {"uri": "a:b"}), ("ping", {})):
        engine.call(method, engine.codec.build(method, params))
    assert engine.calls == 3


FOREIGN: list[tuple[Side, str, str, str]] = [
    ("client", "call", "sampling/createMessage", "sampling/createMessage is no request of a client in 2025-11-25"),
    ("server", "call", "tools/list", "tools/list is no request of a server in 2025-11-25"),
    ("client", "call", "tools/lst", "tools/lst is no request of a client in 2025-11-25"),
    ("client", "call", "server/discover", "server/discover is no request of a client in 2025-11-25"),
    ("client", "call", "notifications/initialized", "notifications/initialized is no request of a client"),
    ("client", "notify", "ping", "ping is no notification of a client in 2025-11-25"),
    ("server", "notify", "notifications/initialized", "notifications/initialized is no notification of a server"),
    ("client", "notify", "", " is no notification of a client"),
]


@pytest.mark.parametrize(("side", "how", "method", "words"), FOREIGN)
def test_a_method_that_is_not_ours_cannot_be_used(side: Side, how: str, method: str, words: str) -> None:
    engine = engine_of("2025-11-25", side)
    engine.lifecycle.begun()
    with refused(words):
        getattr(engine, how)(method)


@pytest.mark.parametrize("side", ["client", "server"])
def test_nothing_but_a_ping_can_be_called_before_the_handshake(side: Side) -> None:
    engine = engine_of("2025-11-25", side)
    method = "tools/list" if side == "client" else "roots/list"
    with refused(f"{method} cannot be called: {method} before initialize"):
        engine.call(method)
    assert engine.call("ping").message.method == "ping"


def test_the_handshake_is_made_once() -> None:
    engine = greeted()
    with refused("initialize cannot be called: the connection is initialized already"):
        engine.call("initialize")


def test_a_revision_without_a_handshake_needs_none() -> None:
    with refused("initialize is no request of a client in 2026-07-28"):
        engine_of("2026-07-28", "client").call("initialize")


@pytest.mark.parametrize("first", ["reply", "fail"])
@pytest.mark.parametrize("second", ["reply", "fail"])
def test_a_request_has_one_answer(first: str, second: str) -> None:
    engine = engine_of("2025-11-25", "server")
    [incoming] = engine.receive(PING)
    assert isinstance(incoming, Incoming)

    def answer(how: str) -> Any:
        return engine.reply(incoming, None) if how == "reply" else engine.fail(incoming, InvalidParams("no"))

    assert answer(first) is not None
    with refused("ping (1) was answered already: a request has one answer"):
        answer(second)


def test_a_second_answer_to_the_handshake_does_not_undo_it() -> None:
    engine = engine_of("2025-11-25", "server")
    hello = b'{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}'
    [incoming] = engine.receive(b'{"jsonrpc":"2.0","id":1,"method":"initialize","params":%b}' % hello)
    assert isinstance(incoming, Incoming)
    engine.reply(incoming, {})
    with refused("was answered already"):
        engine.fail(incoming, InvalidParams("no"))
    assert engine.lifecycle.objection("roots/list") == ""


def test_a_server_that_sends_initialize_does_not_open_the_client_s_connection() -> None:
    engine = engine_of("2025-11-25", "client")
    [event] = engine.receive(b'{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}')
    assert isinstance(event, (Incoming, Outgoing))
    with refused("tools/list before initialize"):
        engine.call("tools/list")
    params = {"protocolVersion": "2025-11-25", "capabilities": {}, **HELLO}
    assert engine.call("initialize", engine.codec.build("initialize", params))


def test_an_engine_that_is_closed_takes_nothing_more() -> None:
    engine = greeted()
    call = engine.call("ping")
    assert engine.close() == [call]
    for how in (engine.call, engine.notify):
        with pytest.raises(Closed, match="the connection has ended"):
            how("ping")
    assert engine.abandon(call) is None


@pytest.mark.parametrize("revision", ["2024-11-05", "2025-06-18", "2025-11-25", "2026-07-28"])
def test_a_batch_cannot_be_made_where_the_revision_has_none(revision: str) -> None:
    engine = engine_of(revision, "client")
    with refused(f"{revision} has no batches: send the messages one by one"):
        engine.batch([])


def test_an_empty_batch_cannot_be_made() -> None:
    with refused("an empty batch cannot be sent: put a message into it"):
        engine_of("2025-03-26", "client").batch([])


@pytest.mark.parametrize("side", ["client", "server"])
def test_nothing_is_told_before_the_handshake(side: Side) -> None:
    with refused("notifications/progress cannot be sent: notifications/progress before initialize"):
        engine_of("2025-11-25", side).notify("notifications/progress")


def test_a_peer_without_a_channel_says_so_and_keeps_nothing() -> None:
    async def play() -> None:
        peer = Peer(handlers("2025-11-25", "client"))
        peer._engine.lifecycle.begun()
        words = "this peer has no connection: attach it to a channel first"
        with refused(words):
            await peer.call("ping")
        with refused(words):
            await peer.notify("notifications/initialized")
        assert peer._engine.calls == 0
        await peer.aclose()

    played(play)


def test_a_peer_has_one_connection() -> None:
    async def play() -> None:
        async with Pair() as pair:
            other = Peer(handlers("2025-11-25", "server"))
            with refused("this peer has a connection already: make another for another connection"):
                join(pair.client, other)
            await pair.calls.ping()

    played(play)


@pytest.mark.parametrize("other", ["structs of 2025-06-18", "models of 2025-11-25"])
def test_peers_of_different_packages_have_no_objects_in_common(other: str) -> None:
    async def play() -> None:
        back_end, _, revision = other.split()
        server = Peer(handlers(revision, "server", back_end))
        with refused("peers of different packages have no objects in common: join them by bytes"):
            join(Peer(handlers("2025-11-25", "client")), server, objects=True)

    played(play)


def test_a_peer_that_is_closed_says_so() -> None:
    async def play() -> None:
        async with Pair("2025-03-26") as pair:
            await pair.client.aclose()
            await pair.client.aclose()
            with pytest.raises(Closed, match="the connection has ended"):
                await pair.calls.ping()
            with pytest.raises(Closed):
                await pair.calls.notify_initialized()
            async with pair.client.batch() as batch:
                task = batch.start(type(pair.calls)(batch).ping())
            with pytest.raises(Closed):
                await task
            assert pair.sent["client"] == []

    played(play)


def test_a_call_in_a_batch_is_started() -> None:
    async def play() -> None:
        async with Pair("2025-03-26") as pair:
            async with pair.client.batch() as batch:
                with refused("a batch is sent when its block ends: start the call with `batch.start(...)`"):
                    await type(pair.calls)(batch).ping()
            assert pair.client._engine.calls == 0

    played(play)


@pytest.mark.parametrize("revision", ["2025-03-26", "2025-11-25"])
def test_a_batch_is_used_inside_its_block(revision: str) -> None:
    async def play() -> None:
        async with Pair(revision) as pair:
            async with pair.client.batch() as batch:
                pass
            calls = type(pair.calls)(batch)
            with refused("the batch was sent already: start calls inside its block"):
                batch.start(calls.ping())
            with refused("the batch was sent already: call inside its block"):
                await calls.ping()
            with refused("the batch was sent already: notify inside its block"):
                await calls.notify_initialized()
            await turns()
            assert pair.sent["client"] == []

    played(play)


def _plain(self: Any, params: Any, context: Any) -> None: ...


async def _too_few(self: Any, params: Any) -> None: ...


async def _too_many(self: Any, params: Any, context: Any, more: Any) -> None: ...


async def _keyword(self: Any, params: Any, *, context: Any) -> None: ...


async def _generator(self: Any, params: Any, context: Any) -> Any:
    yield None


async def _enough(self: Any, params: Any, context: Any, more: Any = None) -> None: ...


WRONG: list[tuple[str, Any, str]] = [
    ("tools_call", _plain, "Bad.tools_call is no coroutine function: write it with `async def`"),
    ("tools_call", _generator, "Bad.tools_call is no coroutine function: write it with `async def`"),
    ("tools_call", None, "Bad.tools_call is no coroutine function: write it with `async def`"),
    ("tools_call", _too_few, "Bad.tools_call cannot be called with (self, params, context)"),
    ("tools_call", _too_many, "Bad.tools_call cannot be called with (self, params, context)"),
    ("ping", _keyword, "Bad.ping cannot be called with (self, params, context)"),
    ("notifications_initialized", _too_few, ""),
    ("unknown_request", _enough, ""),
    ("unknown_request", _too_few, "Bad.unknown_request cannot be called with (self, method, params, context)"),
    ("unknown_notification", _plain, "Bad.unknown_notification is no coroutine function"),
    ("tools_call", _enough, ""),
    ("tools_cal", _plain, ""),
]
"""A handler under a name, and what is said of it; nothing where there is nothing wrong, or nobody's name."""


@pytest.mark.parametrize("back_end", BACK_ENDS)
@pytest.mark.parametrize(("name", "handler", "words"), WRONG)
def test_a_handler_is_a_coroutine_function_of_two_arguments(
    name: str, handler: Callable[..., Any] | None, words: str, back_end: str
) -> None:
    async def play() -> None:
        stubs: Any = importlib.import_module(f"{package('2025-11-25', back_end)}.server")
        bad = type("Bad", (stubs.Handlers,), {name: handler})()
        if not words:
            Peer(bad)
            return
        with refused(words):
            Peer(bad)

    played(play)


def test_handlers_that_are_right_are_taken() -> None:
    async def play() -> None:
        Peer(handlers("2025-11-25", "server", tools_call=nothing, unknown_request=nothing))

    played(play)


def test_initialize_cannot_be_put_into_a_batch() -> None:
    async def play() -> None:
        pair = Pair("2025-03-26")
        async with pair.client.batch() as batch:
            task = batch.start(type(pair.calls)(batch).initialize(pair.hello()))
        with pytest.raises(Exception, match="initialize must not be part of a batch"):
            await task
        async with pair:
            await pair.calls.ping()

    played(play)


@pytest.mark.parametrize("progress", [False, True])
def test_a_call_is_not_made_without_the_params_it_needs(progress: bool) -> None:
    engine = greeted(capabilities={"tools": {}})
    with refused("tools/call cannot be called: it needs params"):
        engine.call("tools/call", progress=progress)
    assert engine.calls == 0


def test_a_batch_of_far_too_many_messages_is_one_error() -> None:
    engine = engine_of("2025-03-26", "server")
    [event] = engine.receive(b"[" + b",".join([b"1"] * 1001) + b"]")
    assert isinstance(event, Outgoing)
    assert b"A batch of more than 1000 messages" in engine.codec.write(event.message)


def test_null_is_no_progress_token_and_no_id() -> None:
    codec = Codec(package("2025-11-25"), "server")
    message: Any = codec.read(b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"_meta":{"progressToken":null}}}')
    assert isinstance(message.error, InvalidParams)
    assert message.error.data["pointer"] == "/params/_meta/progressToken"
