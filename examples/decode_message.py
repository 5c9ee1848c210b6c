"""Decode a message, look at a member of it, answer it: with structs of one revision."""

from __future__ import annotations

from typedmcp import decode, encode
from typedmcp_types.v2025_11_25.structs import CallToolRequest, CallToolResult, ClientRequest, TextContent

MESSAGE = """
{
  "jsonrpc": "2.0",
  "id": 7,
  "method": "tools/call",
  "params": {"name": "add", "arguments": {"a": 1, "b": 2}, "_meta": {"progressToken": "p-1"}}
}
"""


def main() -> None:
    """Show what becomes of the message above."""
    # `ClientRequest` is the union of all requests of a client; the method decides which one it is.
    message = decode(MESSAGE, ClientRequest)
    print(f"decoded    {message}")
    assert isinstance(message, CallToolRequest)
    arguments = message.params.arguments or {}
    print(f"a member   message.params.arguments = {arguments}")
    print(f"encoded    {encode(message).decode()}")
    total = arguments["a"] + arguments["b"]
    answer = CallToolResult(content=[TextContent(text=str(total))], structured_content={"total": total})
    print(f"an answer  {encode(answer).decode()}")


if __name__ == "__main__":
    main()
