"""The official SDK's way from bytes to a handler's params, from a result to bytes, and back; run in its environment.

Its own functions in the order in which its server and its client call them, without tasks and streams.
"""

from __future__ import annotations

import json
import sys
import time
from typing import Any

import mcp_types as types
from mcp_types import methods

REVISION = "2025-11-25"
PARAMS: dict[str, Any] = {
    "tools/call": types.CallToolRequestParams,
    "tools/list": types.PaginatedRequestParams,
    "resources/read": types.ReadResourceRequestParams,
    "prompts/get": types.GetPromptRequestParams,
    "ping": types.RequestParams,
}


def read_request(line: str) -> Any:
    message = types.jsonrpc_message_adapter.validate_json(line, by_name=False)
    params = message.params
    if params and "_meta" in params:
        types.RequestParams.model_validate(params, by_name=False)
    methods.validate_client_request(message.method, REVISION, params)
    return PARAMS[message.method].model_validate(params or {}, by_name=False)


def read_result(line: str) -> Any:
    message = types.jsonrpc_message_adapter.validate_json(line, by_name=False)
    methods.validate_server_result("tools/list", REVISION, message.result)
    return types.ListToolsResult.model_validate(message.result, by_name=False)


def write_result(result: Any) -> bytes:
    dumped = result.model_dump(by_alias=True, mode="json", exclude_none=True)
    dumped = methods.serialize_server_result("tools/list", REVISION, dumped)
    message = types.JSONRPCResponse(jsonrpc="2.0", id=1, result=dumped)
    return message.model_dump_json(by_alias=True, exclude_unset=True).encode()


def best(function: Any, inputs: list[Any], rounds: int) -> float:
    """Seconds for one call, the least of several rounds."""
    found = float("inf")
    for _ in range(rounds):
        start = time.perf_counter()
        for given in inputs:
            function(given)
        found = min(found, (time.perf_counter() - start) / len(inputs))
    return found


def main() -> None:
    given = json.load(sys.stdin)
    result = read_result(given["result"])
    print(
        json.dumps(
            {
                "request": best(read_request, given["requests"] * 40, given["rounds"]),
                "result": best(read_result, [given["result"]] * 20, given["rounds"]),
                "encode": best(write_result, [result] * 20, given["rounds"]),
            }
        )
    )


if __name__ == "__main__":
    main()
