"""A server of ours that asks, logs, announces changes and waits: `our_server.py REVISION [structs|models]`."""

from __future__ import annotations

import asyncio
import importlib
import json
import sys
from typing import Any

from support.fixture_server import package
from typedmcp.base import convert
from typedmcp.errors import InvalidParams
from typedmcp.presence import given
from typedmcp.transports.stdio import run_server

STATELESS = "2026"
BLOCKS: dict[str, Any] = {
    "text": {"type": "text", "text": "t", "annotations": {"priority": 0.5}},
    "image": {"type": "image", "data": "+/8=", "mimeType": "image/png"},
    "audio": {"type": "audio", "data": "/g==", "mimeType": "audio/wav"},
    "resource": {"type": "resource", "resource": {"uri": "mem://in", "text": "inside"}},
    "resource_link": {"type": "resource_link", "uri": "mem://one", "name": "one", "size": 3},
}
FORM = {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}
MEASURED = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}


def handlers(revision: str, back_end: str) -> Any:
    """The handlers of one revision."""
    types: Any = importlib.import_module(package(revision, back_end))
    stubs: Any = importlib.import_module(f"{package(revision, back_end)}.server")
    stateless = revision >= STATELESS
    stopped = asyncio.Event()

    def made(name: str, **members: Any) -> Any:
        return convert(members, getattr(types, name))

    def text(value: str, **rest: Any) -> Any:
        return types.CallToolResult(content=[types.TextContent(text=value)], **rest)

    def listed(name: str, **members: Any) -> Any:
        return made(name, **members, **({"ttlMs": 0, "cacheScope": "private"} if stateless else {}))

    def asked_level(meta: Any) -> str:
        """Metadata is a dictionary in one back end and a model in the other."""
        return str(given(meta, "log_level") or meta["io.modelcontextprotocol/logLevel"])

    def questions() -> dict[str, Any]:
        """Params of what this revision lets a server ask, by a name for each."""
        said = {"role": "user", "content": {"type": "text", "text": "hi"}}
        found = {"model": made("CreateMessageRequestParams", messages=[said], maxTokens=9)}
        if revision >= "2025-06-18":
            kind = "ElicitRequestParams" if revision < "2025-11-25" else "ElicitRequestFormParams"
            found["form"] = made(kind, message="Who?", requestedSchema=FORM)
        if revision >= "2025-11-25":
            page = {"mode": "url", "message": "Look", "url": "http://127.0.0.1/x"}
            identity = {} if stateless else {"elicitationId": "page-1"}
            found["page"] = made("ElicitRequestURLParams", **page, **identity)
        return found

    async def ask(params: Any, context: Any) -> Any:
        """Ask all there is to ask, and tell the types and contents of the answers."""
        calls = stubs.Calls(context.peer)
        if not stateless:
            await calls.ping()
            answers = {"roots": await calls.roots_list()}
            for name, question in questions().items():
                call = calls.sampling_create_message if name == "model" else calls.elicitation_create
                answers[name] = await call(question)
        elif given(params, "request_state") != "round two":
            wrapped = {
                name: (types.CreateMessageRequest if name == "model" else types.ElicitRequest)(params=question)
                for name, question in questions().items()
            }
            return types.InputRequiredResult(
                input_requests={"roots": types.ListRootsRequest(), **wrapped}, request_state="round two"
            )
        else:
            answers = params.input_responses
        told = {"roots": answers["roots"].roots[0].uri, "model": answers["model"].content.text}
        told |= {name: [answers[name].action, given(answers[name], "content")] for name in answers if name not in told}
        types_of = {name: type(answer).__name__ for name, answer in answers.items()}
        return text(json.dumps([told, types_of], sort_keys=True))

    class Ours(stubs.Handlers):  # type: ignore[misc, name-defined]
        level: str | None = None

        async def initialize(self, params: Any, context: Any) -> Any:
            all_of_them = {"tools": {"listChanged": True}, "resources": {"subscribe": True}, "logging": {}}
            if revision >= "2025-03-26":
                all_of_them["completions"] = {}
            who = {"name": "ours", "version": "1"}
            hello = {"protocolVersion": revision, "capabilities": all_of_them, "serverInfo": who}
            return made("InitializeResult", **hello, instructions=params.client_info.name)

        async def server_discover(self, params: Any, context: Any) -> Any:
            capabilities = {"tools": {"listChanged": True}, "resources": {"subscribe": True}, "completions": {}}
            return listed("DiscoverResult", supportedVersions=[revision], capabilities=capabilities)

        async def tools_list(self, params: Any, context: Any) -> Any:
            tools: list[dict[str, Any]] = [
                {"name": name, "inputSchema": {"type": "object"}}
                for name in ("ask", "measured", "wrong", "blocks", "logs", "changes", "waits", "stopped")
            ]
            if revision >= "2025-06-18":
                tools[1]["outputSchema"] = tools[2]["outputSchema"] = MEASURED
            return listed("ListToolsResult", tools=tools)

        async def tools_call(self, params: Any, context: Any) -> Any:
            calls = stubs.Calls(context.peer)
            match params.name:
                case "ask":
                    return await ask(params, context)
                case "measured":
                    return text("3", **({"structured_content": {"n": 3}} if revision >= "2025-06-18" else {}))
                case "wrong":
                    return text("x", **({"structured_content": {"n": "x"}} if revision >= "2025-06-18" else {}))
                case "blocks":
                    return made("CallToolResult", content=[BLOCKS[kind] for kind in params.arguments["kinds"]])
                case "logs":
                    level = asked_level(params.meta) if stateless else self.level
                    told = types.LoggingMessageNotificationParams(level="error", data={"set": level}, logger="l")
                    await calls.notify_message(told)
                    return text("logged")
                case "changes":
                    await calls.notify_tools_list_changed()
                    await calls.notify_resources_updated(types.ResourceUpdatedNotificationParams(uri="mem://a"))
                    return text("changed")
                case "waits":
                    await context.progress(1, 2, "waiting")
                    try:
                        await asyncio.Event().wait()
                    finally:
                        stopped.set()
                case "stopped":
                    await stopped.wait()
                    return text("it was stopped")
            raise InvalidParams(f"Unknown tool: {params.name}")

        async def resources_list(self, params: Any, context: Any) -> Any:
            return listed("ListResourcesResult", resources=[{"uri": "mem://a", "name": "a", "mimeType": "a/b"}])

        async def resources_read(self, params: Any, context: Any) -> Any:
            return listed("ReadResourceResult", contents=[{"uri": params.uri, "blob": "+//+"}])

        async def resources_subscribe(self, params: Any, context: Any) -> None:
            if params.uri != "mem://a":
                raise InvalidParams("Unknown resource")

        async def resources_unsubscribe(self, params: Any, context: Any) -> None:
            return None

        async def completion_complete(self, params: Any, context: Any) -> Any:
            found = [f"{params.argument.value}{number}" for number in range(2)]
            return made("CompleteResult", completion={"values": found, "total": 2, "hasMore": False})

        async def logging_set_level(self, params: Any, context: Any) -> None:
            self.level = params.level

        async def subscriptions_listen(self, params: Any, context: Any) -> Any:
            """Agree to all, announce two changes, and end the stream."""
            calls = stubs.Calls(context.peer)
            meta = {"io.modelcontextprotocol/subscriptionId": context.id}
            agreed = types.SubscriptionsAcknowledgedNotificationParams(notifications=params.notifications, meta=meta)
            await calls.notify_subscriptions_acknowledged(agreed)
            await calls.notify_tools_list_changed(types.NotificationParams(meta=meta))
            for uri in params.notifications.resource_subscriptions:
                await calls.notify_resources_updated(types.ResourceUpdatedNotificationParams(uri=uri, meta=meta))
            return types.SubscriptionsListenResult(meta=meta)

        async def ping(self, params: Any, context: Any) -> None:
            return None

    if stateless:
        del Ours.initialize, Ours.ping
    return Ours()


if __name__ == "__main__":
    run_server(handlers(*sys.argv[1:]))
