"""What a JSON value is as a message, and what is wrong with it: the slow path, by the presence of keys alone.

JSON-RPC 2.0 sections 4 to 6 as MCP narrows them. Knows values, not bytes; what a revision has it asks the tables.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import UNSET

from . import base
from ._unions import is_object
from .errors import DecodeError, EncodeError, InvalidParams, InvalidRequest
from .ids import RequestId, is_id
from .messages import (
    Failure,
    Malformed,
    Message,
    Request,
    Success,
    UnknownNotification,
    UnknownRequest,
    Unusable,
)
from .tolerance import tolerant_value

if TYPE_CHECKING:
    from .frames import Tables


def classify(value: Any, tables: Tables, *, strict: bool) -> Message:
    """The message a value is. Raises nothing."""
    if not is_object(value):
        return Malformed(InvalidRequest("Invalid request: a message is an object"))
    members = value
    id_ = members.get("id")
    known: RequestId | None = id_ if is_id(id_) else None
    if "method" not in members:
        return _response(members, known, tables)
    if "id" in members and known is None:
        return Malformed(InvalidRequest("Invalid request: an id is a string or an integer"))
    if members.get("jsonrpc") != "2.0":
        return Malformed(InvalidRequest('Invalid request: jsonrpc is not "2.0"'), known)
    method = members["method"]
    if not isinstance(method, str):
        return Malformed(InvalidRequest("Invalid request: a method is a string"), known)
    frame = tables.incoming.get(method)
    if frame is None or issubclass(frame, Request) != ("id" in members):
        params = members.get("params", UNSET)
        if "id" in members and known is not None:
            return UnknownRequest(method=method, id=known, params=params)
        return UnknownNotification(method=method, params=params)
    try:
        return _read(frame, members, tables, strict)
    except DecodeError as error:
        if known is None:
            return Unusable(f"{method}: {error}")
        fault = {"pointer": error.pointer, "reason": error.reason}
        return Malformed(InvalidParams(f"Invalid params: {error}", data=fault), known)


def _read(frame: Any, members: dict[str, Any], tables: Tables, strict: bool) -> Message:
    """The message as its method's, with the params strictly or tolerantly read."""
    type_ = tables.params[frame.method]
    envelope: dict[str, Any] = {"jsonrpc": "2.0"}
    if "id" in members:
        envelope["id"] = members["id"]
    given = members.get("params", UNSET)
    if given is None and not strict and not frame.row.params_required:
        given = UNSET
    if given is UNSET:
        if frame.row.params_required:
            raise DecodeError("Object missing required field `params`", "")
        params = tables.empty(frame.method)
    elif not is_object(given):
        raise DecodeError("params are no object", "/params")
    else:
        try:
            params = base.convert(given, type_) if strict else tolerant_value(given, type_)
        except DecodeError as error:
            raise DecodeError(error.reason, f"/params{error.pointer}") from None
    made: Message = frame(**envelope, params=params)
    return made


def _response(members: dict[str, Any], id_: RequestId | None, tables: Tables) -> Message:
    has_result, has_error = "result" in members, "error" in members
    if not has_result and not has_error:
        neither = "no method, no result and no error"
        return Malformed(InvalidRequest(f"Invalid request: {neither}")) if id_ is None else Unusable(neither, id_)
    # A response is never answered, or two peers could go on for ever.
    if has_result and has_error:
        return Unusable("a response with both a result and an error", id_)
    if members.get("jsonrpc") != "2.0":
        return Unusable('a response whose jsonrpc is not "2.0"', id_)
    if has_result:
        if id_ is None:
            return Unusable("a result without the id of a request")
        try:
            return Success(id_, msgspec.Raw(base.encode(members["result"])))
        except EncodeError as fault:
            return Unusable(str(fault), id_)
    error = members["error"]
    if not is_object(error) or error.get("code").__class__ is not int or not isinstance(error.get("message"), str):
        return Unusable("an error without a code and a message", id_)
    return Failure(id_, tables.error(error["code"], error["message"], error.get("data")))
