"""Valid frames of every method, and what a hostile peer makes of them: mutations of values, texts and bytes."""

from __future__ import annotations

import importlib
import json
from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass
from random import Random
from typing import Any, Literal

from hypothesis import HealthCheck, Phase, given, settings

from typedmcp.rows import Side
from typedmcp.testing import documents

Json = Any
Kind = Literal["message", "answer"]

DEEP = 3_000
"""Nesting that no interpreter's own limit lets through."""
RAW = (
    b"9" * 400,
    b"9" * 5_000,
    b"1e999",
    b"-1e999",
    b"1e-999",
    b"-0",
    b"01",
    b"5.0",
    b"1." + b"0" * 400,
    b"1e300",
    b"9007199254740993",
    b"18446744073709551616",
    b"-9223372036854775809",
    b"NaN",
    b"Infinity",
    b"tru",
    b'"\\ud800"',
    b'"\\udc00\\ud800"',
    b'"\\ud83d\\ude00"',
    b'"\\u0000"',
    b'"\x00"',
    b'"\xff"',
    b'"\xc0\x80"',
    b'"\xed\xa0\x80"',
    b'"\xf4\x90\x80\x80"',
    b'"\xe2\x80\xa8"',
    b'"\\x"',
    b"'a'",
    b"[" * DEEP + b"]" * DEEP,
    b'{"a":' * DEEP + b"1" + b"}" * DEEP,
    b"[" * DEEP,
    b"[" * 300 + b"]" * 300,
    b'{"a":' * 700 + b"1" + b"}" * 700,
    b"",
)
"""Texts that stand where a value should."""
VALUES: tuple[Json, ...] = (
    *(None, True, False, 0, 1, -1, 5.0, 0.5, -1.5, 2**53, 2**63, 2**64, -(2**63), 10**30, 1e300),
    *("", "a", "0", "\0", "2.0", "2025-11-25", "ping", "initialize", "notifications/cancelled", "\U0010ffff", "~/~0~1"),
    *([], {}, [[]], [{}], {"": {}}, [None], {"_meta": None}, {"_meta": {"progressToken": 1.0}}, {"a.b": {"[0]": 1}}),
    *({"type": "text"}, {"type": "text", "text": None}, {"type": "\0"}, {"$ref": "#"}, {"method": "ping"}),
)
"""Values that stand where another should."""
KEYS = ("", "id", "method", "params", "result", "error", "_meta", "type", "\0", "a.b", "a[0]", "~", "/", "jsonrpc", "é")
_MARK = "\x1araw{}\x1a"


@dataclass(frozen=True, slots=True)
class Seed:
    """A valid frame: a message as it comes, or the answer to a call of ours with these params."""

    kind: Kind
    method: str
    text: str
    params: str = ""


def seeds(package: str, side: Side, each: int) -> list[Seed]:
    """Valid frames of everything that may come to a side of a package, `each` for each type."""
    types: Any = importlib.import_module(package)
    methods: Any = importlib.import_module(f"{package.rpartition('.')[0]}.methods")
    found: list[Seed] = []
    for row in methods.METHODS:
        if row.carrier == "embedded":
            continue
        if any(sender != side for sender in row.senders):
            found += [Seed("message", row.wire, json.dumps(one)) for one in _examples(types, row.type, each)]
        if side in row.senders and row.kind == "request":
            asked = [json.dumps(one) for one in _examples(types, row.params, each)] if row.params else ["{}"]
            results = [{"result": one} for each_ in row.results for one in _examples(types, each_.type, each)]
            for number, answer in enumerate([*results, *_errors(types, methods, each)]):
                text = json.dumps({"jsonrpc": "2.0", "id": 1, **answer})
                found.append(Seed("answer", row.wire, text, asked[number % len(asked)]))
    return found


def _errors(types: Any, methods: Any, each: int) -> list[Json]:
    plain = [{"code": -32602, "message": "m", "data": {"a": [1]}}, {"code": 1, "message": "\u2028"}]
    typed = [
        {"code": row.code, "message": "m", "data": data}
        for row in methods.ERRORS
        if row.data is not None
        for data in _examples(types, row.data, each)
    ]
    return [{"error": error} for error in [*plain, *typed]]


_kept: dict[Any, list[Json]] = {}


def _examples(types: Any, name: str, each: int) -> list[Json]:
    """Some documents of a type, always the same ones."""
    key = (types.__name__, name, each)
    if key in _kept:
        return _kept[key]
    found: list[Json] = []

    @settings(
        max_examples=each, derandomize=True, database=None, phases=[Phase.generate], suppress_health_check=HealthCheck
    )
    @given(documents(getattr(types, name)))
    def keep(document: Json) -> None:
        found.append(document)

    keep()
    _kept[key] = found
    return found


class Mutator:
    """Changes values and their texts, by a source of chance."""

    def __init__(self, random: Random) -> None:
        self.random = random
        self._raw: list[bytes] = []

    def frame(self, value: Json, *, batches: bool = False) -> bytes:
        """A frame made of a message; the value is changed."""
        chance = self.random.random
        root = [value]
        for _ in range(self.random.choice((0, 1, 1, 1, 2, 3, 6))):
            self._spoil(root)
        if batches and chance() < 0.3:
            root[0] = [root[0], *(self._other() for _ in range(self.random.randrange(3)))]
        data = self._text(root[0])
        for _ in range(self.random.choice((0, 0, 0, 1, 2))):
            data = self.random.choice(_ON_BYTES)(self.random, data)
        return data

    def _spoil(self, root: list[Json]) -> None:
        """One change somewhere in a value."""
        place: Any = root
        key: Any = 0
        while isinstance(place[key], (dict, list)) and place[key] and self.random.random() < 0.8:
            place = place[key]
            key = self.random.choice(list(place)) if isinstance(place, dict) else self.random.randrange(len(place))
        random = self.random
        match random.randrange(9):
            case 0 | 1:
                place[key] = self._other()
            case 2:
                place[key] = self._mark(random.choice(RAW))
            case 3 if place is not root:
                del place[key]
            case 4 if isinstance(place, dict):
                place[random.choice(KEYS)] = random.choice((place[key], self._other()))
            case 5 if isinstance(place, dict):
                other = random.choice(list(place))
                place[key], place[other] = place[other], place[key]
            case 6:
                place[key] = random.choice(([place[key]], {"a": place[key]}, [place[key]] * 3, str(place[key])[:100]))
            case 7 if isinstance(place, dict):
                # The same member once more.
                other = random.choice((place[key], self._other()))
                twice = b"%b:%b" % (json.dumps(key).encode(), self._text(other))
                place[key] = self._mark(self._text(place[key]) + b"," + twice)
            case _:
                place[key] = random.choice((None, place[key], 5.0, [], {}, ""))

    def _other(self) -> Json:
        return deepcopy(self.random.choice(VALUES))

    def _mark(self, raw: bytes) -> str:
        self._raw.append(raw)
        return _MARK.format(len(self._raw) - 1)

    def _text(self, value: Json) -> bytes:
        """The text of a value, with the raw texts in their places."""
        data = json.dumps(value, ensure_ascii=self.random.random() < 0.5).encode("utf-8", "surrogatepass")
        for number in reversed(range(len(self._raw))):
            mark = json.dumps(_MARK.format(number)).encode()
            data = data.replace(mark, self._raw[number])
        return data


def _at(random: Random, data: bytes) -> int:
    return random.randrange(len(data) + 1)


def _flip(random: Random, data: bytes) -> bytes:
    at = _at(random, data)
    return data[:at] + bytes([random.randrange(256)]) + data[at + 1 :]


def _cut(random: Random, data: bytes) -> bytes:
    return data[: _at(random, data)]


def _drop(random: Random, data: bytes) -> bytes:
    at = _at(random, data)
    return data[:at] + data[at + random.randrange(1, 9) :]


def _double(random: Random, data: bytes) -> bytes:
    start, end = sorted((_at(random, data), _at(random, data)))
    return data[:end] + data[start:]


def _insert(random: Random, data: bytes) -> bytes:
    at = _at(random, data)
    return (
        data[:at] + random.choice((b"\0", b"\xff", b'"', b"\\", b"{", b"]", b",", b"\xef\xbb\xbf", b"\r")) + data[at:]
    )


def _around(random: Random, data: bytes) -> bytes:
    before = random.choice((b"\xef\xbb\xbf", b" \t", b"\0", b"[", b"\r", b"\x1e"))
    return before + data + random.choice((b"", b" ", b"]", b"\0", data))


def _noise(random: Random, data: bytes) -> bytes:
    return random.randbytes(min(len(data), 200))


_ON_BYTES: tuple[Callable[[Random, bytes], bytes], ...] = (_flip, _flip, _cut, _drop, _double, _insert, _around, _noise)
