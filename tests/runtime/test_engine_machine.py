"""Two engines and a wire between them, in every order of events: each request gets its own answer, at most once."""

from __future__ import annotations

import json
from collections import Counter, deque
from typing import Any, NamedTuple

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule, run_state_machine_as_test

from support.effort import effort
from support.fixture_server import package
from typedmcp.codec import Codec
from typedmcp.engine import Call, Engine
from typedmcp.errors import RemoteProtocolError, RpcError
from typedmcp.events import Answered, Cancelled, Event, Ignored, Incoming, Outgoing, Progressed, Refused, Told
from typedmcp.messages import Batch, Failure, Malformed, Message, Success
from typedmcp.presence import given
from typedmcp.rows import Side

EXAMPLES = effort().pick(60, 1_500)
STEPS = effort().pick(40, 80)
MOST = 6
"""How many requests a side serves at a time; few enough to be reached."""
OTHER: dict[Side, Side] = {"client": "server", "server": "client"}
CALLS: dict[Side, tuple[str, str]] = {"client": ("tools/call", "name"), "server": ("sampling/createMessage", "model")}
"""What each side asks the other, and the member that is the tag of a call or of its answer."""
META_2026 = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
    "io.modelcontextprotocol/clientInfo": {"name": "c", "version": "1"},
}
BUSY, TWICE, ENDED = f"Busy: {MOST}", "Invalid request: a request with this id", "Invalid request: the connection has"

ANSWERED_ONCE = (b"{", b"\xff", b"5", b'"text"', b"null", b"{}", b'{"id":[],"method":"ping","jsonrpc":"2.0"}', b"\0")
"""Each of these is answered by one error without an id."""
IN_A_BATCH = (b"5", b'"text"', b"null", b"{}", b'{"id":1.5,"method":"ping","jsonrpc":"2.0"}', b"[]", b"[1]")
UNANSWERED = (
    b'{"jsonrpc":"2.0","id":"nobody","result":{}}',
    b'{"jsonrpc":"2.0","id":-1,"result":{"a":1}}',
    b'{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"m"}}',
    b'{"jsonrpc":"2.0","error":{"code":-32700,"message":"m"}}',
    b'{"jsonrpc":"2.0","id":"1","error":{"code":1,"message":"the id is a string"}}',
    b'{"jsonrpc":"2.0","id":1.0,"result":{}}',
    b'{"jsonrpc":"2.0","id":true,"result":{}}',
    b'{"jsonrpc":"2.0","id":"nobody","result":{},"error":{"code":1,"message":"both"}}',
    b'{"id":"nobody","result":{}}',
    b'{"jsonrpc":"2.0","method":"notifications/unheard_of"}',
    b'{"jsonrpc":"2.0","method":"tools/call","params":{"name":"without an id"}}',
    b'{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"nobody"}}',
    b'{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1.0}}',
    b'{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"nobody","progress":1}}',
    b'{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":[],"progress":1}}',
)
"""Responses nobody waits for, and notifications of all kinds."""


class Asked:
    """A call as the test knows it."""

    def __init__(self, tag: str, call: Call, frame: bytes) -> None:
        self.tag = tag
        self.call = call
        self.frame = frame
        self.outcome = ""
        self.repeated = False
        self.progress = 0.0


class End:
    """One side: its engine, what it asked, what it is asked, what comes to it, and what was counted."""

    def __init__(self, revision: str, back_end: str, side: Side) -> None:
        self.side = side
        self.codec = Codec(package(revision, back_end), side)
        self.engine = Engine(self.codec, max_inbound=MOST)
        self.coming: deque[bytes] = deque()
        self.asked: dict[Call, Asked] = {}
        self.tasks: list[Incoming] = []
        self.answers: list[bytes] = []
        self.closed = False
        self.due: Counter[Any] = Counter()
        """How many answers this side owes for an id; under None, errors without one."""
        self.given: Counter[Any] = Counter()

    @property
    def waiting(self) -> list[Asked]:
        return [asked for asked in self.asked.values() if not asked.outcome]


class Item(NamedTuple):
    """A frame, and how many errors without an id it will be answered by."""

    frame: bytes
    errors: int = 0


class Machine(RuleBasedStateMachine):
    """What two peers, their callers and whoever sits on the wire can do."""

    revision = ""
    back_end = "structs"

    def __init__(self) -> None:
        super().__init__()
        self.ends: dict[Side, End] = {side: End(self.revision, self.back_end, side) for side in OTHER}
        self.batches = self.ends["client"].codec.tables.batches
        self.stateless = self.revision >= "2026"
        self.errors: dict[bytes, int] = {}
        self.count = 0

    @initialize()
    def shake_hands(self) -> None:
        if self.stateless:
            return
        who = {"name": "n", "version": "1"}
        hello = {"protocolVersion": self.revision, "capabilities": {"sampling": {}}, "clientInfo": who}
        told = {"protocolVersion": self.revision, "capabilities": {"tools": {}}, "serverInfo": who}
        client, server = self.ends["client"], self.ends["server"]
        call = client.engine.call("initialize", client.codec.build("initialize", hello))
        [incoming] = server.engine.receive(client.codec.write(call.message))
        assert isinstance(incoming, Incoming)
        answer = server.engine.reply(incoming, self._result(server, "InitializeResult", told))
        assert answer is not None
        [answered] = client.engine.receive(server.codec.write(answer))
        assert isinstance(answered, Answered)

    # What the callers do.

    @rule(side=st.sampled_from(list(OTHER)), progress=st.booleans())
    def call(self, side: Side, progress: bool) -> None:
        end = self.ends[side]
        if self._may_ask(end):
            self._send(end, Item(self._call(end, progress).frame))

    @rule(side=st.sampled_from(list(OTHER)), which=st.integers(0))
    def give_up(self, side: Side, which: int) -> None:
        end = self.ends[side]
        if end.waiting:
            frame = self._abandon(end, end.waiting[which % len(end.waiting)])
            if frame is not None:
                self._send(end, Item(frame))

    @precondition(lambda self: self.batches)
    @rule(side=st.sampled_from(list(OTHER)), calls=st.integers(1, 3), progress=st.booleans())
    def call_together(self, side: Side, calls: int, progress: bool) -> None:
        end = self.ends[side]
        if self._may_ask(end):
            asked = [self._call(end, progress) for _ in range(calls)]
            self._send(end, Item(end.codec.write(end.engine.batch([one.call.message for one in asked]))))

    @precondition(lambda self: self.batches)
    @rule(side=st.sampled_from(list(OTHER)), data=st.data())
    def send_all_sorts_together(self, side: Side, data: st.DataObject) -> None:
        end = self.ends[side]
        parts: list[bytes] = []
        errors = 0
        for kind in data.draw(st.lists(st.sampled_from(("call", "give up", "bad", "unanswered")), min_size=1)):
            if kind == "call" and self._may_ask(end):
                parts.append(self._call(end, False).frame)
            elif kind == "give up" and end.waiting:
                frame = self._abandon(end, data.draw(st.sampled_from(end.waiting[-3:])))
                parts += [] if frame is None else [frame]
            elif kind == "bad":
                parts.append(data.draw(st.sampled_from(IN_A_BATCH)))
                errors += 1
            elif kind == "unanswered":
                parts.append(data.draw(st.sampled_from(UNANSWERED[:6])))
        self._send(end, Item(b"[%b]" % b",".join(parts), errors if parts else 1))

    @rule(side=st.sampled_from(list(OTHER)))
    def close(self, side: Side) -> None:
        # Seldom, since not much happens afterwards.
        self.count += 1
        if self.count % 8 == 0:
            self._close(self.ends[side])

    # What those who answer do.

    @rule(side=st.sampled_from(list(OTHER)), which=st.integers(0), result=st.booleans())
    def answer(self, side: Side, which: int, result: bool) -> None:
        end = self.ends[side]
        if end.tasks:
            self._answer(end, end.tasks.pop(which % len(end.tasks)), result)

    @rule(side=st.sampled_from(list(OTHER)), which=st.integers(0), progress=st.integers(0, 5))
    def tell_progress(self, side: Side, which: int, progress: int) -> None:
        end = self.ends[side]
        if end.tasks:
            message = end.engine.progress(end.tasks[which % len(end.tasks)], progress, 5, "news")
            if message is not None:
                self._send(end, Item(end.codec.write(message)))

    # What the wire does.

    @rule(side=st.sampled_from(list(OTHER)), frames=st.integers(1, 4))
    def deliver(self, side: Side, frames: int) -> None:
        end = self.ends[side]
        for _ in range(min(frames, len(end.coming))):
            self._deliver(end)

    @rule(side=st.sampled_from(list(OTHER)), frame=st.sampled_from(ANSWERED_ONCE))
    def send_what_is_no_message(self, side: Side, frame: bytes) -> None:
        self._send(self.ends[side], Item(frame, 1))

    @precondition(lambda self: not self.batches)
    @rule(side=st.sampled_from(list(OTHER)), frame=st.sampled_from(IN_A_BATCH))
    def send_a_batch_where_there_are_none(self, side: Side, frame: bytes) -> None:
        self._send(self.ends[side], Item(b" [%b]" % frame, 1))

    @rule(side=st.sampled_from(list(OTHER)), noise=st.binary(min_size=1, max_size=20))
    def send_noise(self, side: Side, noise: bytes) -> None:
        self._send(self.ends[side], Item(b"\xfe" + noise, 1))

    @rule(side=st.sampled_from(list(OTHER)), frame=st.sampled_from(UNANSWERED))
    def send_what_nobody_answers(self, side: Side, frame: bytes) -> None:
        self._send(self.ends[side], Item(frame))

    @rule(side=st.sampled_from(list(OTHER)), which=st.integers(0))
    def repeat_an_answer(self, side: Side, which: int) -> None:
        end = self.ends[side]
        if end.answers:
            self._send(end, Item(end.answers[which % len(end.answers)]))

    @rule(side=st.sampled_from(list(OTHER)), which=st.integers(0))
    def repeat_a_request(self, side: Side, which: int) -> None:
        end = self.ends[side]
        if end.asked:
            asked = list(end.asked.values())[which % len(end.asked)]
            asked.repeated = True
            self._send(end, Item(asked.frame))

    # How it is done.

    def _may_ask(self, end: End) -> bool:
        return not end.closed and not (self.stateless and end.side == "server")

    def _call(self, end: End, progress: bool) -> Asked:
        self.count += 1
        tag = f"{end.side} {self.count}"
        method, _ = CALLS[end.side]
        if end.side == "client":
            given: dict[str, Any] = {"name": tag, **({"_meta": META_2026} if self.stateless else {})}
        else:
            said = {"role": "user", "content": {"type": "text", "text": tag}}
            given = {"messages": [said], "maxTokens": 1, "systemPrompt": tag}
        call = end.engine.call(method, end.codec.build(method, given), progress=progress)
        end.asked[call] = Asked(tag, call, end.codec.write(call.message))
        return end.asked[call]

    def _abandon(self, end: End, asked: Asked) -> bytes | None:
        asked.outcome = "given up"
        message = end.engine.abandon(asked.call, "no longer wanted")
        assert (message is None) == (end.closed or (end.side == "server" and self.stateless))
        return None if message is None else end.codec.write(message)

    def _send(self, end: End, item: Item) -> None:
        if item.errors:
            self.errors[item.frame] = item.errors
        self.ends[OTHER[end.side]].coming.append(item.frame)

    def _emit(self, end: End, message: Message | None) -> None:
        """A message that answers something goes out: count what is in it."""
        if message is None:
            return
        entries: list[Any] = message.messages if isinstance(message, Batch) else [message]
        assert entries
        for entry in entries:
            assert isinstance(entry, (Success, Failure, Malformed))
            end.given[entry.id] += 1
            assert end.given[entry.id] <= end.due[entry.id], f"more answers to {entry.id!r} than requests"
        frame = end.codec.write(message)
        if not isinstance(message, Malformed):
            end.answers.append(frame)
        self._send(end, Item(frame))

    def _close(self, end: End) -> None:
        calls = end.engine.close()
        assert {id(call) for call in calls} == {id(asked.call) for asked in end.waiting}
        for call in calls:
            end.asked[call].outcome = "closed"
        end.closed = True

    def _answer(self, end: End, incoming: Incoming, result: bool) -> None:
        tag = incoming.params.name if end.side == "server" else given(incoming.params, "system_prompt")
        if not result:
            message = end.engine.fail(incoming, RpcError(tag, code=1))
        elif end.side == "server":
            members = {
                "content": [{"type": "text", "text": tag}],
                **({"resultType": "complete"} if self.stateless else {}),
            }
            message = end.engine.reply(incoming, self._result(end, "CallToolResult", members))
        else:
            members = {"role": "assistant", "content": {"type": "text", "text": ""}, "model": tag}
            message = end.engine.reply(incoming, self._result(end, "CreateMessageResult", members))
        assert message is None or not incoming.cancelled, "an answer to a cancelled request"
        self._emit(end, message)

    def _result(self, end: End, name: str, members: dict[str, Any]) -> Any:
        from typedmcp.base import convert

        return convert(members, getattr(end.codec.tables.types, name))

    def _deliver(self, end: End) -> None:
        frame = end.coming.popleft()
        self._expect(end, frame)
        for event in end.engine.receive(frame):
            self._happened(end, event)

    def _expect(self, end: End, frame: bytes) -> None:
        """Count what a frame will have to be answered by."""
        if end.side == "client" and self.stateless:
            # Who is asked nothing answers nothing.
            return
        end.due[None] += self.errors.get(frame, 0)
        try:
            value = json.loads(frame)
        except ValueError:
            return
        for one in value if isinstance(value, list) and self.batches else [value]:
            if isinstance(one, dict) and "method" in one and type(one.get("id")) in (int, str):
                end.due[one["id"]] += 1

    def _happened(self, end: End, event: Event) -> None:
        match event:
            case Incoming():
                end.tasks.append(event)
            case Outgoing(message=message):
                self._emit(end, message)
            case Answered(call=call, result=result):
                asked = self._settled(end, call, "answered")
                assert (result.content[0].text if end.side == "client" else result.model) == asked.tag
            case Refused(call=call, error=error):
                asked = self._settled(end, call, "refused")
                self._judge(end, asked, error)
            case Progressed(call=call, message=message):
                params = message.params
                asked = end.asked[call]
                assert not asked.outcome
                assert params.progress > asked.progress or asked.progress == 0
                asked.progress = params.progress
            case Cancelled(incoming=incoming, settled=settled):
                assert incoming.cancelled
                end.due[incoming.id] -= 1
                self._emit(end, settled)
            case Told() | Ignored():
                pass
            case _:
                raise AssertionError(event)

    def _settled(self, end: End, call: Call, outcome: str) -> Asked:
        asked = end.asked[call]
        assert not asked.outcome, f"{outcome}, and before that {asked.outcome}"
        asked.outcome = outcome
        return asked

    def _judge(self, end: End, asked: Asked, error: RpcError | RemoteProtocolError) -> None:
        assert isinstance(error, RpcError), error
        accepted = {asked.tag, *((TWICE,) if asked.repeated else ()), BUSY}
        accepted |= {ENDED} if self.ends[OTHER[end.side]].closed else set()
        assert any(error.message.startswith(one) for one in accepted), error
        assert error.code == (1 if error.message == asked.tag else -32603 if error.message.startswith(BUSY) else -32600)

    def teardown(self) -> None:
        ends = list(self.ends.values())
        while any(end.coming or end.tasks for end in ends):
            for end in ends:
                while end.coming:
                    self._deliver(end)
                while end.tasks:
                    self._answer(end, end.tasks.pop(), True)
        for end in ends:
            assert (end.engine.calls, end.engine.inbound) == (0, 0), end.side
            assert not end.waiting, [asked.tag for asked in end.waiting]
            assert +end.given == +end.due, f"{end.side} gave {+end.given}, owed {+end.due}"


WAYS = [
    ("2025-03-26", "structs", EXAMPLES),
    ("2025-11-25", "structs", EXAMPLES),
    ("2026-07-28", "structs", EXAMPLES),
    ("2025-03-26", "models", EXAMPLES // 4),
]


@pytest.mark.parametrize(("revision", "back_end", "examples"), WAYS, ids=[f"{way[0]}-{way[1]}" for way in WAYS])
def test_every_request_gets_its_own_answer_at_most_once(revision: str, back_end: str, examples: int) -> None:
    machine = type("Machine", (Machine,), {"revision": revision, "back_end": back_end})
    run_state_machine_as_test(
        machine, settings=settings(max_examples=examples, stateful_step_count=STEPS, report_multiple_bugs=False)
    )
