"""What a server answers, each method once for all revisions, from its registries; results are of the newest revision.

Methods are named as the generated handlers of a revision name them, which is how `routes` finds them.
"""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING, Any, Final

from msgspec import UNSET

from typedmcp_types.v2026_07_28 import structs as types
from typedmcp_types.v2026_07_28.structs.errors import MissingRequiredClientCapabilityError

from .. import base
from ..errors import InternalError, InvalidParams, RpcError
from ..presence import given
from ..projection import projector
from ..stubs import Capabilities
from ..stubs import Context as RequestContext
from .asking import Asker, InputRequired, Live, Nobody, Rounds
from .context import Context
from .errors import ClientCannot, ResourceNotFound, ToolError
from .revisions import HANDSHAKE, PACKAGES, since
from .session import LISTS, Session, Stream
from .tools import BadArguments, WrongResult, failed

if TYPE_CHECKING:
    from ..peer import Peer
    from .server import Server

_log = logging.getLogger("typedmcp.server")
PREFIX: Final = "io.modelcontextprotocol/"
_DROPPABLE: Final = frozenset({"CallToolResult.structuredContent", "Tool.outputSchema"})
"""What a revision that takes only objects there does without: the text says the same."""
_ARGUMENTS_ARE_FOR_THE_MODEL: Final = "2025-11-25"
"""Since then wrong arguments of a tool are a result the model can learn from (MCP, tools, error handling)."""
_RESOURCE_NOT_FOUND: Final = -32002
"""Of the handshake revisions, by their prose alone (MCP, resources, error handling)."""
_ACKNOWLEDGED: Final = "notifications/subscriptions/acknowledged"
_CANCELLED: Final = "notifications/cancelled"


class Answers:
    """The answers of one server to one client in one revision."""

    def __init__(self, server: Server, session: Session, revision: str) -> None:
        self.server = server
        self.session = session
        self.revision = revision
        self.handshake = revision in HANDSHAKE
        self.project = projector(PACKAGES[revision], _DROPPABLE)
        self.peer: Peer | None = None
        """Set once there is one."""
        self._arguments_are_for_the_model = since(_ARGUMENTS_ARE_FOR_THE_MODEL, revision)

    # Who is there.

    async def initialize(self, params: Any, request: RequestContext) -> Any:
        """The handshake."""
        session, server = self.session, self.server
        session.client = base.decode(base.encode(params.client_info), types.Implementation)
        session.capabilities = base.decode(base.encode(params.capabilities), dict[str, Any])
        session.peer = self.peer
        session.announces = {kind for kind in LISTS if server.offers(f"{kind}.listChanged")}
        capabilities = base.convert(server.capabilities(), types.ServerCapabilities)
        target: Any = self.project.types.InitializeResult
        return target(
            protocol_version=self.revision,
            capabilities=self.project(capabilities),
            server_info=self.project(server.info),
            instructions=server.instructions or UNSET,
        )

    async def server_discover(self, params: Any, request: RequestContext) -> types.DiscoverResult:
        """What this server speaks and offers."""
        return types.DiscoverResult(
            supported_versions=list(self.server.revisions),
            capabilities=base.convert(self.server.capabilities(), types.ServerCapabilities),
            instructions=self.server.instructions or UNSET,
            **self.server.cached("discover"),
        )

    async def ping(self, params: Any, request: RequestContext) -> None:
        """Here I am."""

    async def logging_set_level(self, params: Any, request: RequestContext) -> None:
        """From which level on this client wants log records."""
        self.session.level = params.level

    # Lists.

    async def tools_list(self, params: Any, request: RequestContext) -> Any:
        """One page of the tools."""
        return await self._page("tools", "tools/list", params, request)

    async def prompts_list(self, params: Any, request: RequestContext) -> Any:
        """One page of the prompts."""
        return await self._page("prompts", "prompts/list", params, request)

    async def resources_list(self, params: Any, request: RequestContext) -> Any:
        """One page of the resources."""
        return await self._page("resources", "resources/list", params, request)

    async def resources_templates_list(self, params: Any, request: RequestContext) -> Any:
        """One page of the resource templates."""
        return await self._page("templates", "resources/templates/list", params, request)

    async def _page(self, kind: str, method: str, params: Any, request: RequestContext) -> Any:
        server = self.server
        members = server.cached(kind)
        if not self.handshake:
            members["meta"] = server.identity
        return await server.listings[kind].page(
            given(params, "cursor"),
            server.page_size,
            self.project,
            lambda: self.context(request, params, method),
            members,
        )

    # What is asked for by name.

    async def tools_call(self, params: Any, request: RequestContext) -> Any:
        """What a tool returned, or why it did not."""
        name = params.name
        entry = self.server.tools.entry(name)
        if entry is None:
            raise InvalidParams(f"Unknown tool: {name[:100]}")
        try:
            return await entry.run(params.arguments or {}, self.context(request, params, "tools/call"))
        except ToolError as error:
            return failed(str(error))
        except BadArguments as error:
            if self._arguments_are_for_the_model:
                return failed(str(error))
            fault = {"pointer": error.fault.pointer, "reason": error.fault.reason}
            raise InvalidParams(str(error), data=fault) from None
        except InputRequired as round_:
            return self._input_required(round_)
        except ClientCannot as error:
            if not self.handshake:
                raise self._lacking(error) from None
            return failed(str(error))
        except RpcError:
            raise
        except WrongResult as error:
            _log.error("%s", error)
        except Exception:
            _log.exception("the tool %s failed", name)
        return failed(f"The tool {name} failed")

    async def prompts_get(self, params: Any, request: RequestContext) -> Any:
        """The messages of a prompt."""
        entry = self.server.prompts.entry(params.name)
        if entry is None:
            raise InvalidParams(f"Unknown prompt: {params.name[:100]}")
        context = self.context(request, params, "prompts/get")
        result = await self._run(entry.run(params.arguments or {}, context))
        if isinstance(result, types.GetPromptResult) and result.description is UNSET:
            result.description = entry.declared.description
        return result

    async def resources_read(self, params: Any, request: RequestContext) -> Any:
        """What is under a URI."""
        uri = params.uri
        found = self.server.resource_at(uri)
        if found is None:
            raise self._not_found(uri)
        run, values = found
        try:
            result = await self._run(run(uri, values, self.context(request, params, "resources/read")))
        except ResourceNotFound as error:
            _log.debug("%s", error)
            raise self._not_found(uri) from None
        if isinstance(result, types.ReadResourceResult):
            for name, value in self.server.cached("read").items():
                if getattr(result, name) is UNSET:
                    setattr(result, name, value)
        return result

    async def _run(self, answer: Any) -> Any:
        try:
            return await answer
        except InputRequired as round_:
            return self._input_required(round_)
        except ClientCannot as error:
            if self.handshake:
                raise InternalError(str(error)) from None
            raise self._lacking(error) from None
        except ToolError as error:
            raise InternalError(str(error)) from None
        except WrongResult as error:
            _log.error("%s", error)
            raise InternalError("Internal error") from None

    def _not_found(self, uri: str) -> RpcError:
        code = _RESOURCE_NOT_FOUND if self.handshake else InvalidParams.code
        return RpcError("Resource not found", code=code, data={"uri": uri})

    def _input_required(self, round_: InputRequired) -> types.InputRequiredResult:
        return types.InputRequiredResult(input_requests=round_.requests, request_state=round_.state)

    def _lacking(self, error: ClientCannot) -> RpcError:
        wanted: dict[str, Any] = {}
        place = wanted
        for step in error.capability.split("."):
            place = place.setdefault(step, {})
        data = types.MissingRequiredClientCapabilityErrorData(
            required_capabilities=base.convert(wanted, types.ClientCapabilities)
        )
        return MissingRequiredClientCapabilityError("The client lacks a capability", data=data)

    # Completion and subscriptions.

    async def completion_complete(self, params: Any, request: RequestContext) -> types.CompleteResult:
        """What the user may want to type."""
        argument, ref = params.argument, params.ref
        name: str = ref.name if ref.type == types.PromptReference.type else ref.uri
        known = self.server.arguments_of(ref.type == types.PromptReference.type, name)
        if known is None:
            raise InvalidParams(f"Unknown reference: {name[:100]}")
        if argument.name not in known:
            raise InvalidParams(f"Unknown argument: {argument.name[:100]}")
        completer = self.server.completions.find(name, argument.name)
        if completer is None:
            return types.CompleteResult(completion=types.CompleteResultCompletion(values=[]))
        chosen: dict[str, str] = given(given(params, "context"), "arguments") or {}
        context = self.context(request, params, "completion/complete")
        found = await self._run(completer(name, argument.name, argument.value, chosen, context))
        return types.CompleteResult(completion=found)

    async def resources_subscribe(self, params: Any, request: RequestContext) -> None:
        """Tell this client when what is under a URI changes."""
        if self.server.resource_at(params.uri) is None:
            raise self._not_found(params.uri)
        self.session.uris.add(params.uri)

    async def resources_unsubscribe(self, params: Any, request: RequestContext) -> None:
        """Tell it no more."""
        self.session.uris.discard(params.uri)

    async def subscriptions_listen(self, params: Any, request: RequestContext) -> types.SubscriptionsListenResult:
        """Tell what changes for as long as the stream is open."""
        peer, id_ = self.peer, request.id
        assert peer is not None
        assert id_ is not None
        stream = Stream(peer, id_, params.notifications)
        stream.kinds = {kind for kind in stream.kinds if self.server.offers(f"{kind}.listChanged")}
        if not self.server.offers("resources.subscribe"):
            stream.uris = set()
        agreed: dict[str, Any] = {f"{kind}ListChanged": True for kind in sorted(stream.kinds)}
        if stream.uris:
            agreed["resourceSubscriptions"] = sorted(stream.uris)
        told = {"notifications": agreed, "_meta": stream.meta}
        await peer.notify(_ACKNOWLEDGED, peer.codec.build(_ACKNOWLEDGED, told))
        self.session.streams[id_] = stream
        try:
            await self.session.closing.wait()
        finally:
            del self.session.streams[id_]
        # Some clients take the one for the end of a stream, some the other.
        asyncio.get_running_loop().call_soon(self._say_cancelled, peer, id_)
        return types.SubscriptionsListenResult(meta=stream.meta)

    def _say_cancelled(self, peer: Peer, id_: int | str) -> None:
        peer.tell(_CANCELLED, peer.codec.build(_CANCELLED, {"requestId": id_}))

    # What a handler is given.

    def context(self, request: RequestContext, params: Any, method: str) -> Context:
        """What the handler of a request may use."""
        session = self.session
        if self.handshake:
            assert self.peer is not None
            asker: Asker = Live(self.peer, self.project, session.capabilities)
            client = session.client
            level: str | None = session.level or self.server.log_level
        else:
            meta: dict[str, Any] = params.meta
            capabilities: Capabilities = meta[f"{PREFIX}clientCapabilities"]
            if hasattr(params, "request_state"):
                asker = Rounds(params, method, capabilities, self.server.sealer, self.server.principal)
            else:
                asker = Nobody("only tools, prompts and resources can ask in this revision")
            level = meta.get(f"{PREFIX}logLevel")
            told = meta.get(f"{PREFIX}clientInfo")
            client = None if told is None else base.convert(told, types.Implementation)
        return Context(self.server, session, request, asker, revision=self.revision, client=client, level=level)
