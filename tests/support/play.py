"""A recorded case as a conversation: what is sent, what must come back, and how it is judged."""

from __future__ import annotations

import asyncio
import base64
import importlib
import json
from collections import Counter
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from support.fixture_server import package
from support.matching import Pattern
from support.talk import Talk, message
from typedmcp.base import encode
from typedmcp.errors import RpcError

JUDGED = frozenset(
    "reply reply_any_of reply_batch any_order replies replies_any_order reply_is_object reply_text_has id_json_type "
    "bytes_out alive output_utf8 max_replies_per_id returns errors_raised prefer".split()
)
"""What of a case's expectations is judged here."""


class Play:
    """The tester's side of one conversation."""

    def __init__(self, talk: Talk, revision: str, peer: Any, back_end: str) -> None:
        self.talk = talk
        self.revision = revision
        self.peer = peer
        self.back_end = back_end
        self.pattern = Pattern(revision)
        self.started: dict[str, asyncio.Task[Any]] = {}
        self.probes = 0
        self.to_client = False

    async def hello_to_server(self) -> None:
        """The handshake, by the tester."""
        who = {"name": "tester", "version": "1"}
        capabilities = {"roots": {"listChanged": True}, "sampling": {}}
        params = {"protocolVersion": self.revision, "capabilities": capabilities, "clientInfo": who}
        await self.send({"jsonrpc": "2.0", "id": "hello", "method": "initialize", "params": params})
        assert json.loads(await self.talk.line())["result"]["protocolVersion"] == self.revision
        await self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    async def hello_from_client(self) -> None:
        """The handshake, by the client under test."""
        self.to_client = True
        types: Any = importlib.import_module(package(self.revision, self.back_end))
        who = types.Implementation(name="c", version="1")
        hello = types.InitializeRequestParams(
            protocol_version=self.revision, capabilities=types.ClientCapabilities(), client_info=who
        )
        waiting = asyncio.ensure_future(self.peer.call("initialize", hello))
        id_ = json.loads(await self.talk.line())["id"]
        told = {
            "protocolVersion": self.revision,
            "capabilities": {"tools": {}},
            "serverInfo": {"name": "t", "version": "1"},
        }
        await self.send({"jsonrpc": "2.0", "id": id_, "result": told})
        await waiting

    async def send(self, value: Any) -> None:
        """One message."""
        await self.talk.write(message(self.pattern.filled(value)))

    async def case(self, case: dict[str, Any]) -> None:
        """Play a case and judge it."""
        expect = case["expect"]
        if case["kind"] == "session":
            seen = [line async for line in self.steps(case["input"])]
            most = expect.get("max_replies_per_id", len(seen))
            ids = Counter(repr(value.get("id")) for value in seen if isinstance(value, dict) and "method" not in value)
            assert not ids or max(ids.values()) <= most
            await self.returns(expect.get("returns"))
        else:
            await self.talk.write(self.input(case))
            self.judge(expect, await self.replies(expect))

    def input(self, case: dict[str, Any]) -> bytes:
        """The bytes of a case that is one input."""
        given = case["input"]
        match case["kind"]:
            case "message":
                return message(given)
            case "text":
                return given.encode()
            case "bytes":
                return base64.b64decode(given)
            case kind:
                assert kind == "built"
                return "".join(text * times for text, times in given["parts"]).encode()

    async def replies(self, expect: dict[str, Any]) -> list[bytes]:
        """What was answered before an answered ping, which is a sign of life too."""
        self.probes += 1
        probe = f"probe-{self.probes}"
        wanted = len(expect.get("replies_any_order", ())) or expect.get("replies", 1)
        if expect.get("reply", 0) is None or None in expect.get("reply_any_of", ()):
            wanted = 0
        found = [await self.talk.line() for _ in range(wanted)]
        await self.send({"jsonrpc": "2.0", "id": probe, "method": "ping"})
        while json.loads(line := await self.talk.line()) != {"jsonrpc": "2.0", "id": probe, "result": {}}:
            found.append(line)
        assert self.talk.waiting() == []
        return found

    def judge(self, expect: dict[str, Any], lines: list[bytes]) -> None:
        """Whether the replies are what a case expects."""
        values = [json.loads(line) for line in lines]
        told = f"got {[line[:300] for line in lines]}"
        fits = self.pattern.fits
        any_order = expect.get("any_order", False)
        if "reply" in expect:
            assert len(values) == (0 if expect["reply"] is None else 1), told
            assert expect["reply"] is None or fits(expect["reply"], values[0]), told
        if "reply_any_of" in expect:
            accepted = [one for one in expect["reply_any_of"] if one is not None]
            none = not values and None in expect["reply_any_of"]
            assert none or (len(values) == 1 and any(fits(one, values[0]) for one in accepted)), told
        if "reply_batch" in expect:
            assert len(values) == 1, told
            assert isinstance(values[0], list), told
            assert fits(expect["reply_batch"], values[0], any_order=any_order), told
        if "replies_any_order" in expect:
            assert self.pattern.fits_all(expect["replies_any_order"], values), told
        if "replies" in expect:
            assert len(values) == expect["replies"], told
        if "reply_is_object" in expect:
            assert isinstance(values[0], dict), told
        if "reply_text_has" in expect:
            assert expect["reply_text_has"].encode() in lines[0], told
        if "id_json_type" in expect:
            assert type(values[0]["id"]) is {"integer": int, "string": str}[expect["id_json_type"]], told
        if "bytes_out" in expect:
            assert sum(map(len, lines)) == expect["bytes_out"], told

    async def steps(self, steps: list[dict[str, Any]]) -> Any:
        """Play the steps of a session; yields what came."""
        for step in steps:
            if "repeat" in step:
                for number in range(1, step["repeat"] + 1):
                    self.pattern.bound["n"] = number
                    async for value in self.steps(step["steps"]):
                        yield value
            elif "send" in step:
                await self.send(step["send"])
            elif "send_bytes" in step:
                await self.talk.write(base64.b64decode(step["send_bytes"]))
            elif "do" in step:
                await DO[step["do"]](self)
            elif "none" in step:
                # What would come without being asked has come before the answer to a ping.
                assert await self.replies({"reply": None}) == []
            elif "wait_ms" in step:
                assert await self.replies({"reply": None}) is not None
            else:
                yield await self.receive(step)

    async def receive(self, step: dict[str, Any]) -> Any:
        """A step that waits for something."""
        value = json.loads(await self.talk.line())
        if "recv_batch" in step:
            assert isinstance(value, list), value
            assert self.pattern.fits(step["recv_batch"], value), value
        elif "recv_skipping" in step:
            while value.get("method") == step["recv_skipping"]:
                value = json.loads(await self.talk.line())
            assert self.pattern.fits(step["match"], value), value
        elif "recv_last" in step:
            while not self.pattern.fits(step["recv_last"], value):
                value = json.loads(await self.talk.line())
            assert self.talk.waiting() == []
        else:
            assert self.pattern.fits(step["recv"], value), value
            if "bind" in step:
                self.pattern.bound[step["bind"]] = value["id"]
            self.pattern.bound.setdefault(
                {"ping": "x", "tools/call": "y"}.get(value.get("method"), ""), value.get("id")
            )
        return value

    async def returns(self, wanted: Any) -> None:
        """What the callers of the side under test got."""
        told = {"ping": wanted} if isinstance(wanted, str) else wanted or {}
        for name, task in self.started.items():
            match told.get(name):
                case "empty result":
                    assert encode(await task) == b"{}"
                case "error -32602":
                    with pytest.raises(RpcError) as caught:
                        await task
                    assert caught.value.code == -32602
                case nothing:
                    assert nothing is None


async def _ping(play: Play) -> None:
    play.started["ping"] = asyncio.ensure_future(play.peer.call("ping"))


async def _ping_and_echo(play: Play) -> None:
    types: Any = importlib.import_module(package(play.revision, play.back_end))
    params = types.CallToolRequestParams(name="echo", arguments={"text": "t"})
    play.started["x"] = asyncio.ensure_future(play.peer.call("ping"))
    play.started["y"] = asyncio.ensure_future(play.peer.call("tools/call", params))


async def _ask_roots(play: Play) -> None:
    play.started["roots"] = asyncio.ensure_future(play.peer.call("roots/list"))


async def _cancel_asking(play: Play) -> None:
    task = play.started.pop("roots")
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


DO: dict[str, Callable[[Play], Awaitable[None]]] = {
    "call ping": _ping,
    "start ping (id x) and tools/call echo (id y)": _ping_and_echo,
    "a handler sends roots/list to the client": _ask_roots,
    "cancel that handler's task": _cancel_asking,
}
