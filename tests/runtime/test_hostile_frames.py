"""What a hostile peer may send: nothing it can write raises, is answered in a shape of its own, or is kept."""

from __future__ import annotations

import gc
import json
import sys
from random import Random
from typing import Any

import pytest

from support.effort import effort
from support.fixture_server import package
from support.hostile import Mutator, Seed, seeds
from support.packages import BACK_ENDS
from typedmcp.codec import MAX_BYTES, Codec
from typedmcp.engine import CANCELLED, PROGRESS, Call, Engine
from typedmcp.errors import RemoteProtocolError
from typedmcp.events import Answered, Cancelled, Event, Ignored, Incoming, Outgoing, Refused, Told
from typedmcp.framing import Lines
from typedmcp.lifecycle import INITIALIZE
from typedmcp.rows import Side
from typedmcp.stubs import not_found

FRAMES = effort().pick(20_000, 1_000_000)
SHARES: dict[tuple[str, str], int] = {
    ("2025-03-26", "structs"): 3,
    ("2025-11-25", "structs"): 4,
    ("2026-07-28", "structs"): 3,
    ("2025-03-26", "models"): 1,
    ("2025-11-25", "models"): 1,
    ("2026-07-28", "models"): 1,
}
"""How much of the frames goes to which revision and back end."""
SIDES: tuple[Side, ...] = ("client", "server")
CODES = {-32700, -32600, -32601, -32602, -32603}
INSIDES = ("Traceback", ".py", "site-packages", "msgspec", "pydantic", "typedmcp", "object at 0x")
"""What tells of our insides; the mutations bring none of it."""
BLOCKS = 4_000
"""How many blocks of memory more are within what caches and error texts take."""


def engine_of(revision: str, side: Side, back_end: str = "structs", *, opened: bool = True, **options: Any) -> Engine:
    """An engine past its handshake."""
    engine = Engine(Codec(package(revision, back_end), side, **options))
    if opened:
        engine.lifecycle.begun()
    return engine


def fine(message: Any, codec: Codec) -> Any:
    """Write an answer of ours and judge its shape; what was written, read again."""
    data = codec.write(message)
    assert b"\n" not in data, data[:300]
    value = json.loads(data.decode())
    for one in value if isinstance(value, list) else [value]:
        assert one["jsonrpc"] == "2.0", one
        assert set(one) in ({"jsonrpc", "id", "result"}, {"jsonrpc", "id", "error"}, {"jsonrpc", "error"}), one
        if "error" in one:
            error = one["error"]
            assert error["code"] in CODES, error
            assert set(error) <= {"code", "message", "data"}, error
            assert isinstance(error["message"], str), error
            assert not any(word in json.dumps(error) for word in INSIDES), str(error)[:300]
        assert "id" in one or not codec.tables.error_needs_id, one
    return value


class Target:
    """One side of one package under fire. The same engine takes frame after frame, so nothing may be left in it."""

    def __init__(self, revision: str, side: Side, back_end: str) -> None:
        self.codec = Codec(package(revision, back_end), side)
        self.seeds = seeds(package(revision), side, effort().pick(2, 12))
        self.askable = [seed for seed in self.seeds if seed.kind == "answer" and seed.method != INITIALIZE]
        self.engine = self._fresh()
        self.name = f"{revision} {back_end} {side}"
        self.failures: dict[str, bytes] = {}

    def _fresh(self) -> Engine:
        engine = Engine(self.codec)
        engine.lifecycle.begun()
        return engine

    def play(self, random: Random) -> None:
        """Send one frame, and see to what comes of it."""
        mutator, seed = Mutator(random), random.choice(self.seeds)
        if seed.method == INITIALIZE:
            self.engine = Engine(self.codec)
        value: Any = json.loads(seed.text)
        call = self._prepare(seed, value, random)
        frame = mutator.frame(value, batches=self.codec.tables.batches)
        try:
            events = self.engine.receive(frame)
            answers = self._settle(events, random)
            self._tidy(call, random)
            self._judge(frame, answers)
        except Exception as error:
            self.failures.setdefault(f"{self.name}: {type(error).__name__}: {str(error)[:90]}", frame)
            self.engine = self._fresh()
        if seed.method == INITIALIZE:
            self.engine = self._fresh()

    def _prepare(self, seed: Seed, value: Any, random: Random) -> Call | None:
        """Bring about what a frame speaks of: a call of ours, or a request of theirs in progress."""
        params = value.get("params")
        if seed.kind == "answer":
            call = self._call(seed)
            value["id"] = call.message.id
            return call
        if seed.method == PROGRESS and self.askable:
            call = self._call(random.choice(self.askable))
            params["progressToken"] = call.message.id
            return call
        if seed.method == CANCELLED:
            params.setdefault("requestId", 1)
            self.engine.receive(json.dumps({"jsonrpc": "2.0", "id": params["requestId"], "method": "x"}).encode())
        return None

    def _call(self, seed: Seed) -> Call:
        return self.engine.call(seed.method, self.codec.build(seed.method, json.loads(seed.params)))

    def _settle(self, events: list[Event], random: Random) -> list[Any]:
        """What is answered, read again."""
        messages: list[Any] = []
        for event in events:
            match event:
                case Incoming():
                    messages.append(self._answer(event, random))
                case Outgoing(message=message):
                    messages.append(message)
                case Cancelled(settled=settled):
                    messages.append(settled)
                case _:
                    pass
        return [fine(message, self.codec) for message in messages if message is not None]

    def _answer(self, incoming: Incoming, random: Random) -> Any:
        if random.random() < 0.5:
            return self.engine.reply(incoming, None)
        return self.engine.fail(incoming, not_found(incoming.method))

    def _judge(self, frame: bytes, answers: list[Any]) -> None:
        """Whether a frame was answered as often as it must be, by a reader of our own."""
        assert len(json.dumps(answers)) < 1_000 + 12 * len(frame) or self.codec.tables.batches
        try:
            # Without the interpreter's limit for the digits of an integer.
            value = json.loads(frame.decode(), parse_int=float)
        except (ValueError, RecursionError):
            value = None
        if isinstance(value, list) and self.codec.tables.batches:
            return
        if not self.codec.tables.answers:
            assert not answers, "a side that is asked nothing answered"
            return
        codes = [one["error"]["code"] for one in answers if "error" in one]
        if isinstance(value, dict) and value.get("jsonrpc") == "2.0" and "id" not in value and "method" in value:
            # Our reader takes NaN and its kind.
            assert set(codes) <= {-32700} or not isinstance(value["method"], str), "a notification was answered"
        elif isinstance(value, dict) and "method" not in value and {"result", "error"} & set(value):
            assert set(codes) <= {-32700}, "a response was answered"
        elif isinstance(value, dict) and "method" not in value and isinstance(value.get("id"), (str, float)):
            # A broken response, unless the id is no id, which our reader does not tell.
            assert len(answers) <= 1, f"{len(answers)} answers"
        else:
            assert len(answers) == 1, f"{len(answers)} answers"

    def _tidy(self, call: Call | None, random: Random) -> None:
        if call is not None:
            self.engine.abandon(call)
        for incoming in list(self.engine._inbound.values()):
            message = self._answer(incoming, random)
            assert message is None or fine(message, self.codec)
        assert (self.engine.calls, self.engine.inbound) == (0, 0)


@pytest.mark.parametrize(("revision", "back_end"), SHARES)
def test_no_mutated_frame_raises_or_leaves_anything_behind(revision: str, back_end: str) -> None:
    random = Random(f"{revision} {back_end}")
    targets = [Target(revision, side, back_end) for side in SIDES]
    count = FRAMES * SHARES[revision, back_end] // sum(SHARES.values())
    blocks = 0
    for number in range(count):
        if number == count // 2:
            gc.collect()
            blocks = sys.getallocatedblocks()
        random.choice(targets).play(random)
    failures = {key: frame for target in targets for key, frame in target.failures.items()}
    told = "\n".join(f"{key}\n    {frame[:300]!r}" for key, frame in failures.items())
    assert not failures, f"{len(failures)} kinds\n{told}"
    gc.collect()
    assert sys.getallocatedblocks() - blocks < BLOCKS


def told(engine: Engine, frame: bytes) -> Any:
    """The one answer to a frame, read again: the refusal, or an empty result for what is served."""
    [event] = engine.receive(frame)
    if isinstance(event, Incoming):
        return fine(engine.reply(event, None), engine.codec)
    assert isinstance(event, Outgoing), event
    return fine(event.message, engine.codec)


def code(engine: Engine, frame: bytes) -> int:
    """The code a frame is refused with; 0 for one that is served."""
    return told(engine, frame).get("error", {"code": 0})["code"]


def ping(members: bytes = b"", params: bytes = b"{}") -> bytes:
    """A ping with members beside it."""
    return b'{"jsonrpc":"2.0","id":1,"method":"ping","params":%b%b}' % (params, members)


NESTS = {"lists": (b"[", b"]"), "objects": (b'{"a":', b"}"), "only opened": (b"[", b""), "only objects": (b'{"":', b"")}


def nested(kind: str, depth: int) -> bytes:
    """Brackets inside brackets."""
    opening, closing = NESTS[kind]
    return opening * depth + b"1" + closing * depth


@pytest.mark.parametrize("back_end", BACK_ENDS)
@pytest.mark.parametrize("kind", NESTS)
def test_a_hundred_thousand_brackets_are_a_parse_error(kind: str, back_end: str) -> None:
    engine, deep = engine_of("2025-03-26", "server", back_end), nested(kind, 100_000)
    for frame in (deep, b"[%b]" % deep, ping(b',"x":' + deep), ping(params=b'{"x":%b}' % deep), b'{"id":%b}' % deep):
        assert code(engine, frame) == -32700
    assert (engine.inbound, code(engine, ping())) == (0, 0)


@pytest.mark.parametrize("back_end", BACK_ENDS)
def test_an_answer_nested_too_deeply_fails_its_call_or_is_no_message(back_end: str) -> None:
    engine = engine_of("2025-11-25", "client", back_end)
    for depth in (*range(200, 300, 7), *range(900, 1_010), 100_000):
        for frame in (
            b'{"jsonrpc":"2.0","id":%d,"result":{"a":%b}}',
            b'{"jsonrpc":"2.0","id":%d,"error":{"code":-32042,"message":"m","data":%b}}',
            b'{"jsonrpc":"2.0","id":null,"id":%d,"result":{"a":%b}}',
        ):
            call = engine.call("ping")
            [event] = engine.receive(frame % (call.message.id, nested("lists", depth)))
            assert isinstance(event, (Answered, Refused, Outgoing)), event
            assert (engine.abandon(call) is None) == (not isinstance(event, Outgoing))
    assert engine.calls == 0


BROKEN_ANSWERS = {
    "neither result nor error": b'{"jsonrpc":"2.0","id":%d}',
    "too long, id first": b'{"jsonrpc":"2.0","id":%d,"result":{"a":"' + b"a" * 5_000 + b'"}}',
    "too long, id last": b'{"result":{"a":"' + b"a" * 5_000 + b'"},"jsonrpc":"2.0","id":%d}',
    "too long, an error, id before the version": b'{"error":"' + b"a" * 5_000 + b'" , "id":%d, "jsonrpc": "2.0" }\r',
}


@pytest.mark.parametrize("frame", BROKEN_ANSWERS.values(), ids=BROKEN_ANSWERS.keys())
@pytest.mark.parametrize("size", [1_000, 100_000], ids=["in pieces", "at once"])
def test_a_broken_answer_fails_its_call_at_once(frame: bytes, size: int) -> None:
    engine = engine_of("2025-11-25", "client", max_bytes=4_000)
    other, call, lines = engine.call("ping"), engine.call("ping"), Lines(4_000)
    data = frame % call.message.id + b"\n"
    events: list[Event] = []
    for start in range(0, len(data), size):
        for line in lines.feed(data[start : start + size]):
            events += engine.receive(line)
        for ends in lines.skipped:
            events += engine.accept(engine.codec.too_long(ends))
        lines.skipped.clear()
    [event] = events
    assert isinstance(event, Refused)
    assert isinstance(event.error, RemoteProtocolError)
    assert (event.call, engine.forget(other)) == (call, True)


@pytest.mark.parametrize("back_end", BACK_ENDS)
@pytest.mark.parametrize("kind", ["lists", "objects"])
def test_no_depth_of_what_a_client_declares_raises(kind: str, back_end: str) -> None:
    frame = (
        b'{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":'
        b'{"experimental":{"a":{"b":%b}}},"clientInfo":{"name":"c","version":"1"}}}'
    )
    for depth in (10, *range(245, 265), *range(900, 1_010), 100_000):
        engine = engine_of("2025-11-25", "server", back_end, opened=False)
        assert code(engine, frame % nested(kind, depth)) in (0, -32700), depth


@pytest.mark.parametrize(
    ("frame", "expected"),
    [
        (ping(b',"x":[[[]]]'), 0),
        (ping(b',"x":[[[[]]]]'), -32700),
        (ping(params=b'{"x":[{}]}'), 0),
        (ping(params=b'{"x":[{"y":{}}]}'), -32700),
        (ping(b',"x":"[[[[[[[[{{{{{{{{"'), 0),
        (ping(b',"x":"\\"[[[[[[[[{{{{{{{{\\\\"'), 0),
        (ping(b',"x":"\\\\","y":[[[[]]]]'), -32700),
        (ping(b',"x":[[],[],[],[],{},[{}]]'), 0),
    ],
)
def test_a_codec_can_be_told_how_deep_a_frame_may_be_nested(frame: bytes, expected: int) -> None:
    assert code(engine_of("2025-11-25", "server", max_depth=4), frame) == expected


@pytest.mark.parametrize("data", [b"[" * 10**6, b"[" * 10**6 + b"]" * 10**6, b"[]" * 10**6, b'"[' * 10**6])
def test_many_brackets_do_not_take_long_to_be_counted(data: bytes) -> None:
    assert code(engine_of("2025-11-25", "server", max_depth=50), data) in (-32700, -32600)


@pytest.mark.parametrize("end", [b"\n", b"\r\n"], ids=["lf", "crlf"])
@pytest.mark.parametrize("longer", [0, 1], ids=["just allowed", "just too long"])
@pytest.mark.parametrize("at_once", [2**16, 2**27], ids=["in pieces", "at once"])
def test_after_the_longest_line_the_connection_goes_on(longer: int, at_once: int, end: bytes) -> None:
    lines, engine = Lines(MAX_BYTES), engine_of("2025-11-25", "server")
    padding = b"a" * (MAX_BYTES + longer - len(ping(b',"x":""')))
    data = memoryview(b"".join((ping(b',"x":"%b"' % padding), end, ping(), end)))
    codes: list[int] = []
    for start in range(0, len(data), at_once):
        codes += [code(engine, line) for line in lines.feed(bytes(data[start : start + at_once]))]
        for ends in lines.skipped:
            codes.append(fine(engine.codec.too_long(ends), engine.codec)["error"]["code"])
        lines.skipped.clear()
    assert sorted(codes) == [-32600] * longer + [0] * (2 - longer)


@pytest.mark.parametrize("size", [1, 2, 3])
@pytest.mark.parametrize("end", [b"\n", b"\r\n"], ids=["lf", "crlf"])
def test_a_line_of_just_the_length_allowed_is_one_in_whatever_pieces_it_comes(size: int, end: bytes) -> None:
    lines = Lines(4)
    data = b"1234" + end + b"12" + end
    found = [line for start in range(0, len(data), size) for line in lines.feed(data[start : start + size])]
    assert (found, lines.skipped) == ([b"1234", b"12"], [])


BAD_UTF8 = (b"\xff", b"\xc3", b"\xc0\x80", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\xe2\x28\xa1")
TEXTS = {
    "a method": b'{"jsonrpc":"2.0","id":1,"method":"%b"}',
    "an id": b'{"jsonrpc":"2.0","id":"%b","method":"ping"}',
    "a key": b'{"jsonrpc":"2.0","id":1,"%b":1,"method":"ping"}',
    "a skipped member": ping(b',"x":["%b"]'),
    "a key of params": ping(params=b'{"%b":1}'),
    "a kept result": b'{"jsonrpc":"2.0","id":1,"result":{"a":"%b"}}',
    "an error": b'{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"%b"}}',
    "no string": b'{"jsonrpc":"2.0","id":1,%b"method":"ping"}',
}


@pytest.mark.parametrize("back_end", BACK_ENDS)
@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("place", TEXTS)
def test_what_is_no_utf8_or_holds_a_bare_nul_is_a_parse_error_wherever_it_stands(
    place: str, side: Side, back_end: str
) -> None:
    engine = engine_of("2025-11-25", side, back_end)
    call = engine.call("ping")
    for bad in (*BAD_UTF8, b"\0"):
        assert code(engine, TEXTS[place] % bad) == -32700, bad
    assert engine.calls == 1
    assert engine.abandon(call) is not None


def test_a_nul_that_is_escaped_is_text() -> None:
    engine = engine_of("2025-11-25", "server")
    assert told(engine, TEXTS["an id"] % b"\\u0000")["id"] == "\0"


@pytest.mark.parametrize("back_end", BACK_ENDS)
def test_a_method_that_is_but_a_nul_is_an_unknown_one(back_end: str) -> None:
    for side in SIDES:
        [event] = engine_of("2025-11-25", side, back_end).receive(TEXTS["a method"] % b"\\u0000")
        assert isinstance(event, Incoming)
        assert event.method == "\0"


@pytest.mark.parametrize("back_end", BACK_ENDS)
def test_a_notification_s_method_with_an_id_that_is_but_a_nul_is_a_request(back_end: str) -> None:
    frame = b'{"jsonrpc":"2.0","id":"\\u0000","method":"notifications/cancelled","params":{"requestId":1}}'
    [event] = engine_of("2025-11-25", "server", back_end).receive(frame)
    assert isinstance(event, Incoming)
    assert event.id == "\0"


def test_a_byte_order_mark_is_a_parse_error() -> None:
    assert code(engine_of("2025-11-25", "server"), b"\xef\xbb\xbf" + ping()) == -32700


def test_a_batch_is_answered_once_when_a_request_in_it_is_cancelled_in_it() -> None:
    engine = engine_of("2025-03-26", "server")
    cancel = b'{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}'
    events = engine.receive(b"[5,%b,%b]" % (ping(), cancel))
    said = [event.settled for event in events if isinstance(event, Cancelled) and event.settled is not None]
    said += [event.message for event in events if isinstance(event, Outgoing)]
    assert [len(fine(message, engine.codec)) for message in said] == [1]


@pytest.mark.parametrize("back_end", BACK_ENDS)
@pytest.mark.parametrize("result", ["5", "null", "[]", '""', '{"resultType":1}', '{"resultType":null}', '{"a":1e999}'])
@pytest.mark.parametrize("revision", ["2024-11-05", "2025-11-25", "2026-07-28"])
def test_a_result_that_is_none_fails_its_call(revision: str, result: str, back_end: str) -> None:
    engine = engine_of(revision, "client", back_end)
    meta = {"io.modelcontextprotocol/protocolVersion": revision, "io.modelcontextprotocol/clientCapabilities": {}}
    given = {"name": "x", "_meta": {**meta, "io.modelcontextprotocol/clientInfo": {"name": "c", "version": "1"}}}
    call = engine.call("tools/call", engine.codec.build("tools/call", given))
    [event] = engine.receive(b'{"jsonrpc":"2.0","id":%d,"result":%b}' % (call.message.id, result.encode()))
    assert isinstance(event, Refused)
    assert isinstance(event.error, RemoteProtocolError)


TASK = {"name": "x", "arguments": {}}
BAD_ARGUMENT = {"ref": {"type": "ref/prompt", "name": "a"}, "argument": {"name": 1, "value": ""}}
SAMPLING = {"messages": [{"role": "user", "content": {"type": "text", "text": ""}}], "maxTokens": 1}
HABITS: list[tuple[Side, str, Any, str]] = [
    ("server", "prompts/list", {"cursor": None}, "/params/cursor"),
    ("server", "tools/call", {"name": "x", "arguments": None}, "/params/arguments"),
    ("server", "tools/call", {**TASK, "task": {"ttl": 5.0}}, "/params/task/ttl"),
    ("server", "tools/call", {**TASK, "task": {"ttl": None}}, "/params/task/ttl"),
    ("client", "sampling/createMessage", {**SAMPLING, "maxTokens": 5.0}, "/params/maxTokens"),
    (
        "client",
        "sampling/createMessage",
        {**SAMPLING, "modelPreferences": {"hints": None}},
        "/params/modelPreferences/hints",
    ),
    ("client", "sampling/createMessage", {**SAMPLING, "maxTokens": 5.0, "temperature": None}, "/params/"),
]
"""What a tolerant codec bears; the pointer is that of the strict one's refusal."""
FAULTS: list[tuple[Side, str, Any, str]] = [
    ("server", "tools/call", {"name": None}, "/params/name"),
    ("server", "tools/call", {"name": 5}, "/params/name"),
    ("server", "tools/call", {}, "/params"),
    ("server", "tools/call", [], "/params"),
    ("server", "tools/call", {**TASK, "task": {"ttl": 5.5}}, "/params/task/ttl"),
    ("server", "ping", {"_meta": {"progressToken": 5.0}}, "/params/_meta/progressToken"),
    ("server", "ping", {"_meta": {"progressToken": True}}, "/params/_meta/progressToken"),
    (
        "server",
        "completion/complete",
        {"ref": {"type": "ref/prompt", "name": "a"}, "argument": {"name": 1, "value": ""}},
        "/params/argument/name",
    ),
    ("client", "sampling/createMessage", {**SAMPLING, "maxTokens": "5"}, "/params/maxTokens"),
    ("client", "sampling/createMessage", {**SAMPLING, "maxTokens": 1e400}, ""),
]
"""What no codec bears."""


def request(method: str, params: Any) -> bytes:
    """A request as a frame."""
    return json.dumps({"jsonrpc": "2.0", "id": 7, "method": method, "params": params}).encode()


@pytest.mark.parametrize("back_end", BACK_ENDS)
@pytest.mark.parametrize(("side", "method", "params", "pointer"), HABITS)
def test_two_habits_are_borne_unless_the_codec_is_strict(
    side: Side, method: str, params: Any, pointer: str, back_end: str
) -> None:
    assert code(engine_of("2025-11-25", side, back_end), request(method, params)) == 0
    error = told(engine_of("2025-11-25", side, back_end, strict=True), request(method, params))["error"]
    assert error["code"] == -32602
    assert error["data"]["pointer"].startswith(pointer)
    assert error["data"]["reason"]


@pytest.mark.parametrize("back_end", BACK_ENDS)
@pytest.mark.parametrize("strict", [True, False])
@pytest.mark.parametrize(("side", "method", "params", "pointer"), FAULTS)
def test_other_faults_are_refused_with_a_pointer_to_them(
    side: Side, method: str, params: Any, pointer: str, strict: bool, back_end: str
) -> None:
    engine = engine_of("2025-11-25", side, back_end, strict=strict)
    if not pointer:
        assert code(engine, request(method, params)) == -32700
        return
    answer = told(engine, request(method, params))
    assert (answer["id"], answer["error"]["code"]) == (7, -32602)
    assert answer["error"]["data"]["pointer"] == pointer


@pytest.mark.parametrize("strict", [True, False])
@pytest.mark.parametrize("id_", [b"5.0", b"1e0", b"null", b"true", b"[]", b"{}"])
def test_an_id_is_never_borne(id_: bytes, strict: bool) -> None:
    engine = engine_of("2025-11-25", "server", strict=strict)
    answer = told(engine, b'{"jsonrpc":"2.0","id":%b,"method":"ping"}' % id_)
    assert (answer["error"]["code"], "id" in answer) == (-32600, False)
    [event] = engine.receive(
        b'{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%b}}' % id_.replace(b"null", b"[]")
    )
    assert isinstance(event, Ignored)


def test_a_notification_with_wrong_params_is_ignored_and_one_nobody_knows_is_told() -> None:
    engine = engine_of("2025-11-25", "server")
    [wrong] = engine.receive(b'{"jsonrpc":"2.0","method":"notifications/progress","params":{"progress":"x"}}')
    [unknown] = engine.receive(b'{"jsonrpc":"2.0","method":"notifications/x","params":[1]}')
    assert isinstance(wrong, Ignored)
    assert isinstance(unknown, Told)


@pytest.mark.parametrize("size", [1, 2, 3])
def test_a_line_that_is_much_too_long_is_dropped_once_and_whole(size: int) -> None:
    lines = Lines(4)
    data = b"1" * 50 + b"\n" + b"12\n" + b"2" * 50 + b"\n"
    found = [line for start in range(0, len(data), size) for line in lines.feed(data[start : start + size])]
    assert (found, lines.skipped, lines.end()) == ([b"12"], [b"1" * 50, b"2" * 50], [])
