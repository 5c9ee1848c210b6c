"""The answer to the one call that waits is read in one pass; whatever is none takes the way of all others."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from typedmcp.codec import Codec
from typedmcp.errors import RemoteProtocolError
from typedmcp.messages import Failure, Request, Success, Unusable
from typedmcp_types.v2025_11_25 import structs as types

CODEC = Codec(types.__name__, "client")
ASKED = CODEC.request("tools/list", 1, None)
PAGE = '{"tools":[],"nextCursor":"c"}'


def read(text: str, asked: Request = ASKED) -> Any:
    """One frame, while one call waits."""
    return CODEC.read(text.encode(), asked)


def test_the_answer_that_is_waited_for_is_read_at_once() -> None:
    message = read(f'{{"jsonrpc":"2.0","id":1,"result":{PAGE},"unknown":1}}')
    assert type(message.result) is types.ListToolsResult
    assert CODEC.result(ASKED, message.result) is message.result
    assert message.result.next_cursor == "c"


@pytest.mark.parametrize("id_", ["2", '"1"', '"x"'])
def test_the_answer_to_another_call_stays_raw(id_: str) -> None:
    message = read(f'{{"jsonrpc":"2.0","id":{id_},"result":{PAGE}}}')
    assert isinstance(message, Success)
    assert isinstance(message.result, msgspec.Raw)


@pytest.mark.parametrize("method", ["tools/call", "ping", "tasks/result"])
def test_what_takes_more_than_one_pass_stays_raw(method: str) -> None:
    asked = CODEC.request(method, 1, None)
    assert isinstance(read('{"jsonrpc":"2.0","id":1,"result":{}}', asked).result, msgspec.Raw)


ODD: list[tuple[str, type[Any]]] = [
    ('{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"m"}}', Failure),
    (f'{{"jsonrpc":"2.0","id":1,"result":{PAGE},"error":{{"code":1,"message":"m"}}}}', Unusable),
    (f'{{"jsonrpc":"1.0","id":1,"result":{PAGE}}}', Unusable),
    (f'{{"jsonrpc":"2.0","id":null,"result":{PAGE}}}', Unusable),
]


@pytest.mark.parametrize(("text", "kind"), ODD)
def test_what_is_no_answer_is_what_it_is_without_anybody_waiting(text: str, kind: type[Any]) -> None:
    assert type(read(text)) is kind
    assert type(CODEC.read(text.encode())) is kind


def test_a_result_that_is_none_is_told_with_its_place() -> None:
    message = read('{"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":1}]}}')
    with pytest.raises(RemoteProtocolError, match=r"tools/list: .* at /tools/0/name|tools/list: .*inputSchema"):
        CODEC.result(ASKED, message.result)


def test_a_result_that_tolerance_mends_is_mended() -> None:
    message = read('{"jsonrpc":"2.0","id":1,"result":{"tools":[],"nextCursor":null}}')
    assert CODEC.result(ASKED, message.result) == types.ListToolsResult(tools=[])


def test_a_member_that_is_there_twice_and_wrong_once_is_a_wrong_result() -> None:
    codec = Codec("typedmcp_types.v2025_03_26.structs", "client")
    twice = b'{"resources":[{"name":"n","uri":"u:x","description":1}],"resources":{"type":"text"}}'
    with pytest.raises(RemoteProtocolError, match="resources/list: the result is none of this method"):
        codec.result(codec.request("resources/list", 1, None), msgspec.Raw(twice))
