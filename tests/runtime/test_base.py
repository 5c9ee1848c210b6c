"""The one way in and out: what `decode`, `convert` and `encode` accept, refuse and say, in both back ends."""

from __future__ import annotations

import importlib
import json
from typing import Any

import pytest

from support.packages import BACK_ENDS
from typedmcp.base import UNSET, convert, decode, encode
from typedmcp.errors import DecodeError, EncodeError
from typedmcp_types.v2025_11_25 import structs


def generated(back_end: str, name: str, revision: str = "2025-11-25") -> Any:
    """A generated type."""
    return getattr(importlib.import_module(f"typedmcp_types.v{revision.replace('-', '_')}.{back_end}"), name)


CALL = {"method": "tools/call", "params": {"name": "t", "_meta": {"progressToken": 1.5}}}
BLOCKS = {"content": [{"type": "text", "text": "a"}, {"type": "resource", "resource": {"uri": "u", "text": 5}}]}
FORM = {
    "type": "object",
    "properties": {"a": {"type": "string"}, "b": {"type": "boolean", "default": "x"}},
}

# Type, value, pointer of the fault.
FAULTS: dict[str, tuple[str, Any, str]] = {
    "in a member": ("Tool", {"name": 5, "inputSchema": {"type": "object"}}, "/name"),
    "in a bag": ("CallToolRequest", CALL, "/params/_meta/progressToken"),
    "in an arm that a key decides": ("CallToolResult", BLOCKS, "/content/1/resource/text"),
    "in a map": ("GetPromptRequestParams", {"name": "p", "arguments": {"x": "1", "y~/z": 2}}, "/arguments/y~0~1z"),
    "in a map of decided unions": ("ElicitRequestedSchema", FORM, "/properties/b/default"),
    "in a list": ("CompleteResultCompletion", {"values": ["a", 1]}, "/values/1"),
    "at the top": ("Tool", [], ""),
}


@pytest.mark.parametrize(
    "read", [convert, lambda value, type_: decode(json.dumps(value), type_)], ids=["convert", "decode"]
)
@pytest.mark.parametrize("back_end", BACK_ENDS)
@pytest.mark.parametrize("fault", FAULTS)
def test_a_refusal_says_where_it_is_as_a_json_pointer(fault: str, back_end: str, read: Any) -> None:
    name, value, pointer = FAULTS[fault]
    with pytest.raises(DecodeError) as caught:
        read(value, generated(back_end, name))
    assert caught.value.pointer == pointer
    assert caught.value.reason
    assert "\n" not in str(caught.value)


# Texts that are no JSON value of the type, whatever the type.
NO_JSON: dict[str, bytes] = {
    "empty": b"",
    "cut off": b'{"name": "t"',
    "followed by more": b'{"name": "t"} x',
    "a byte order mark": b'\xef\xbb\xbf{"name": "t"}',
    "a NUL byte": b'{"name": "t"}\x00',
    "no UTF-8": b'{"name": "\xff"}',
    "no UTF-8 in what is skipped": b'{"name": "t", "other": "\xff"}',
    "a lone surrogate": b'{"name": "\\ud800"}',
    "NaN": b'{"name": "t", "version": NaN}',
}


@pytest.mark.parametrize("back_end", BACK_ENDS)
@pytest.mark.parametrize("text", NO_JSON)
def test_what_is_not_json_is_refused(text: str, back_end: str) -> None:
    with pytest.raises(DecodeError):
        decode(NO_JSON[text], generated(back_end, "BaseMetadata"))


def test_deep_nesting_is_refused_and_not_followed() -> None:
    depth = 100_000
    with pytest.raises(DecodeError, match="deep"):
        decode(b'{"a":' + b"[" * depth + b"]" * depth + b"}", structs.Result)


@pytest.mark.parametrize("back_end", BACK_ENDS)
@pytest.mark.parametrize("number", [1, -7, 0, 2**70, -(2**70)])
def test_an_integer_keeps_its_value_and_its_type(number: int, back_end: str) -> None:
    request = decode(json.dumps({"method": "ping", "id": number}), generated(back_end, "PingRequest"))
    assert request.id == number
    assert json.loads(encode(request))["id"] == number
    assert type(request.id) is int


@pytest.mark.parametrize("back_end", BACK_ENDS)
@pytest.mark.parametrize("identifier", ["true", "1.0", "1e2", "null", "[]", "{}"])
def test_an_id_is_a_string_or_an_integer_and_nothing_else(identifier: str, back_end: str) -> None:
    with pytest.raises(DecodeError):
        decode(f'{{"method": "ping", "id": {identifier}}}', generated(back_end, "PingRequest"))


@pytest.mark.parametrize("back_end", BACK_ENDS)
@pytest.mark.parametrize("text", ["1", "1.0", "0.5", "-0.0", "1e300"])
def test_a_number_keeps_what_kind_of_number_it_was(text: str, back_end: str) -> None:
    type_ = generated(back_end, "ProgressNotificationParams")
    value = decode(f'{{"progressToken": 1, "progress": {text}}}', type_)
    assert repr(json.loads(encode(value))["progress"]) == repr(json.loads(text))


@pytest.mark.parametrize("back_end", BACK_ENDS)
@pytest.mark.parametrize("number", [float("nan"), float("inf"), float("-inf")])
def test_a_number_that_is_not_finite_is_never_written(number: float, back_end: str) -> None:
    params = generated(back_end, "ProgressNotificationParams")
    with pytest.raises(EncodeError):
        encode(params(progress_token=1, progress=number))
    with pytest.raises(EncodeError):
        encode(generated(back_end, "CallToolRequestParams")(name="t", arguments={"deep": [{"x": number}]}))


@pytest.mark.parametrize("back_end", BACK_ENDS)
def test_absent_and_null_stay_apart(back_end: str) -> None:
    error = generated(back_end, "Error")
    assert json.loads(encode(decode('{"code": 1, "message": "m"}', error))) == {"code": 1, "message": "m"}
    with_null = {"code": 1, "message": "m", "data": None}
    assert json.loads(encode(decode(json.dumps(with_null), error))) == with_null


@pytest.mark.parametrize("back_end", BACK_ENDS)
@pytest.mark.parametrize("name", ["RequestMeta", "Result", "ToolInputSchema", "GetTaskPayloadResult"])
def test_a_bag_keeps_every_key(name: str, back_end: str) -> None:
    value = {"type": "object", "$defs": {"a": None}, "x": [1.0, {"y": None}], "_meta": {"z": 1}}
    assert json.loads(encode(decode(json.dumps(value), generated(back_end, name)))) == value


@pytest.mark.parametrize("back_end", BACK_ENDS)
def test_members_have_python_names_and_only_json_names_on_the_wire(back_end: str) -> None:
    tool = generated(back_end, "Tool")
    made = tool(name="t", input_schema=convert({"type": "object"}, generated(back_end, "ToolInputSchema")))
    assert json.loads(encode(made)) == {"name": "t", "inputSchema": {"type": "object"}}
    with pytest.raises(DecodeError):
        decode('{"name": "t", "input_schema": {"type": "object"}}', tool)


@pytest.mark.parametrize("back_end", BACK_ENDS)
def test_a_missing_tag_is_refused_even_where_no_union_asks_for_it(back_end: str) -> None:
    with pytest.raises(DecodeError):
        decode('{"text": "x"}', generated(back_end, "TextContent"))
    assert decode('{"type": "text", "text": "x"}', generated(back_end, "TextContent")).type == "text"


@pytest.mark.parametrize("back_end", BACK_ENDS)
def test_bytes_are_written_as_base64(back_end: str) -> None:
    blob = generated(back_end, "BlobResourceContents")(uri="mem://b", blob=b"\xfb\xff\xfe")
    assert json.loads(encode(blob))["blob"] == "+//+"


@pytest.mark.parametrize("back_end", BACK_ENDS)
def test_a_constant_is_filled_in_on_construction_and_required_on_the_wire(back_end: str) -> None:
    schema = generated(back_end, "BooleanSchema")
    assert json.loads(encode(schema(title="t"))) == {"type": "boolean", "title": "t"}
    with pytest.raises(DecodeError):
        decode('{"title": "t"}', schema)


@pytest.mark.parametrize("back_end", BACK_ENDS)
def test_result_type_may_be_absent_on_receipt_and_is_always_sent(back_end: str) -> None:
    type_ = generated(back_end, "CallToolResult", "2026-07-28")
    assert json.loads(encode(decode('{"content": []}', type_))) == {"content": [], "resultType": "complete"}


def test_an_untagged_union_answers_isinstance() -> None:
    text = structs.TextResourceContents(uri="u", text="t")
    assert isinstance(text, structs.EmbeddedResourceResource)
    assert not isinstance(structs.Root(uri="u"), structs.EmbeddedResourceResource)


def test_a_struct_inside_plain_values_is_written() -> None:
    models = importlib.import_module("typedmcp_types.v2025_11_25.models")
    assert json.loads(encode({"a": [structs.Root(uri="u"), models.Root(uri="v")]})) == {
        "a": [{"uri": "u"}, {"uri": "v"}]
    }


def test_a_foreign_object_is_refused_with_one_line() -> None:
    with pytest.raises(EncodeError, match="object"):
        encode({"a": object()})


def test_the_keys_of_a_bag_have_a_typed_view() -> None:
    meta = structs.RequestMetaKeys.of({"progressToken": "t", "other": 1})
    assert meta.progress_token == "t"
    assert structs.RequestMetaKeys.of({}).progress_token is UNSET
    with pytest.raises(DecodeError) as caught:
        structs.RequestMetaKeys.of({"progressToken": []})
    assert caught.value.pointer == "/progressToken"


def test_a_deprecated_type_says_since_when() -> None:
    for back_end in BACK_ENDS:
        assert generated(back_end, "Root", "2026-07-28").__deprecated__ == "2026-07-28"
        assert "Deprecated since 2026-07-28." in generated(back_end, "Root", "2026-07-28").__doc__
        assert not hasattr(generated(back_end, "Root"), "__deprecated__")


def test_the_place_of_a_fault_in_a_large_map_is_found_in_few_readings(monkeypatch: pytest.MonkeyPatch) -> None:
    faults = importlib.import_module("typedmcp._faults")
    readings: list[int] = []
    refused = faults._Trial._refused
    monkeypatch.setattr(faults._Trial, "_refused", lambda self, value: readings.append(1) or refused(self, value))
    content: dict[str, Any] = {f"k{number}": "x" for number in range(4_000)} | {"bad": {}} | {"after": "x"}
    with pytest.raises(DecodeError) as caught:
        decode(json.dumps({"action": "accept", "content": content}), structs.ElicitResult)
    assert caught.value.pointer == "/content/bad"
    assert 0 < len(readings) < 20


def test_a_subclass_of_a_struct_with_constants_fills_them_in_too() -> None:
    from typedmcp_types.v2025_11_25.structs import JSONRPCNotification

    class Own(JSONRPCNotification):
        """A user's own."""

    assert Own(method="m").jsonrpc == JSONRPCNotification(method="m").jsonrpc == "2.0"
