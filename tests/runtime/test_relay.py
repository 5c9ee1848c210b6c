"""What goes through a relay comes out byte for byte, and reads as its type when somebody asks."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from typedmcp.errors import LocalProtocolError
from typedmcp.messages import Malformed, Request
from typedmcp.relay import Frame, Relay
from typedmcp_types.v2025_11_25 import structs as types

ASKED = b'{ "id":1.0e0 ,"method":"tools/list", "jsonrpc":"2.0", "other":[1.50, "\\u00e9"], "id":1}'
ANSWERED = b'{"jsonrpc":"2.0","id":1,"result":{"tools":[],"x":1e2}}'


class Channel:
    """Remembers what was sent."""

    objects = False
    full = False

    def __init__(self) -> None:
        self.sent: list[bytes] = []
        self.reading: list[bool] = []

    def send(self, frame: Any, /, *, now: bool = False) -> None:
        """Keep a frame."""
        self.sent.append(frame)

    def pause_reading(self) -> None:
        """Remember it."""
        self.reading.append(False)

    def resume_reading(self) -> None:
        """Remember it."""
        self.reading.append(True)

    async def drain(self) -> None:
        """There is always room."""

    async def aclose(self) -> None:
        """Nothing is open."""


def play(watch: Any = None) -> tuple[list[bytes], list[bytes]]:
    """Send a request, garbage and a result through a relay; what the server and what the client got."""

    async def run() -> tuple[list[bytes], list[bytes]]:
        relay = Relay(types.__name__, watch=watch)
        to_client, to_server = Channel(), Channel()
        relay.client.attach(to_client)
        relay.server.attach(to_server)
        for frame in (ASKED, b"\xff no JSON"):
            relay.client.received(frame)
        relay.server.received(ANSWERED)
        relay.server.ended()
        await relay.over.wait()
        return to_server.sent, to_client.sent

    return asyncio.run(run())


def test_frames_go_on_byte_for_byte() -> None:
    assert play() == ([ASKED, b"\xff no JSON"], [ANSWERED])


def test_frames_are_read_on_demand() -> None:
    seen: list[Frame] = []
    play(seen.append)
    asked, garbage, answered = seen
    assert isinstance(garbage.message, Malformed)
    assert isinstance(asked.message, Request)
    assert asked.message is asked.message
    result = answered.result_of(asked)
    assert (type(result), result.tools) == (types.ListToolsResult, [])
    with pytest.raises(LocalProtocolError, match="no request and its result"):
        asked.result_of(answered)


def test_a_watch_may_keep_a_frame_back() -> None:
    assert play(lambda frame: frame.sender == "server") == ([], [ANSWERED])


def test_what_comes_before_the_other_side_is_there_waits_for_it() -> None:
    async def run() -> None:
        relay, to_client, to_server = Relay(types.__name__), Channel(), Channel()
        relay.client.attach(to_client)
        relay.client.received(ASKED)
        assert to_client.reading == [False]
        relay.server.attach(to_server)
        assert (to_server.sent, to_client.reading) == ([ASKED], [False, True])

    asyncio.run(run())


def test_who_sends_faster_than_the_other_takes_is_not_read_from_meanwhile() -> None:
    async def run() -> None:
        relay, to_client, to_server = Relay(types.__name__), Channel(), Channel()
        relay.client.attach(to_client)
        relay.server.attach(to_server)
        relay.server.congested(True)
        relay.server.congested(False)
        assert (to_client.reading, to_server.reading) == ([False, True], [])

    asyncio.run(run())


def test_a_frame_goes_on_when_the_watch_fails(caplog: pytest.LogCaptureFixture) -> None:
    def watch(frame: Frame) -> None:
        raise ZeroDivisionError

    assert play(watch) == ([ASKED, b"\xff no JSON"], [ANSWERED])
    assert "the watch of a relay failed" in caplog.text


def test_a_frame_that_is_too_long_is_told_in_the_log(caplog: pytest.LogCaptureFixture) -> None:
    async def run() -> None:
        Relay(types.__name__, max_bytes=10).client.oversized(b"12345678901")

    asyncio.run(run())
    assert "a frame of the client is longer than 10 bytes" in caplog.text
