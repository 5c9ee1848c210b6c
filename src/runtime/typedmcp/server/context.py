"""What a handler may do beside answering: tell progress, log, ask the client; the same in every revision."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, Literal, TypeVar
from uuid import uuid4

from msgspec import UNSET, UnsetType

from typedmcp_types.v2026_07_28 import structs as types

from .. import base
from ..capabilities import declares
from ..errors import RemoteProtocolError
from ..presence import given
from ..projection import Inexpressible
from ..stubs import Capabilities
from ..stubs import Context as RequestContext
from .asking import Asker, require
from .errors import ClientCannot
from .forms import Form
from .revisions import has
from .session import LEVELS, Session

if TYPE_CHECKING:
    from .server import Server

T = TypeVar("T")
Level = Literal["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"]
_LOG = "notifications/message"


@dataclass(frozen=True, slots=True)
class Accepted(Generic[T]):
    """The user filled the form in."""

    data: T
    action: Literal["accept"] = "accept"


@dataclass(frozen=True, slots=True)
class Declined:
    """The user said no."""

    action: Literal["decline"] = "decline"


@dataclass(frozen=True, slots=True)
class Dismissed:
    """The user did not answer."""

    action: Literal["cancel"] = "cancel"


class Context:
    """One request as its handler sees it. A parameter of this type gets it, whatever its name."""

    __slots__ = ("_asker", "_level", "_request", "client", "revision", "server", "session")

    def __init__(
        self,
        server: Server,
        session: Session,
        request: RequestContext,
        asker: Asker,
        *,
        revision: str,
        client: types.Implementation | None,
        level: str | None,
    ) -> None:
        self.server = server
        self.session = session
        """The connection; what handlers keep in its `data` lasts as long as it does."""
        self.revision = revision
        """The revision this request speaks."""
        self.client = client
        """Who the client says it is, if it does; for display only."""
        self._request = request
        self._asker = asker
        self._level = level

    @property
    def id(self) -> int | str | None:
        """The id of the request."""
        return self._request.id

    @property
    def state(self) -> Any:
        """What the server's lifespan yielded; None without one."""
        return self.server.state

    @property
    def cancelled(self) -> bool:
        """Whether the client has given the request up; the handler is stopped at its next await."""
        return self._request.cancelled

    @property
    def client_capabilities(self) -> Capabilities:
        """What the client declared, as JSON values."""
        return self._asker.capabilities

    async def progress(self, progress: float, total: float | None = None, message: str | None = None) -> None:
        """Tell the client how far the request is; sends nothing unless it asked and `progress` has grown."""
        await self._request.progress(progress, total, message)

    async def log(self, level: Level, data: Any, logger: str | None = None) -> None:
        """Send a log record, any JSON value, to a client that wants records of this level."""
        if not self.server.offers("logging") or self._level is None:
            return
        if LEVELS.index(level) >= LEVELS.index(self._level):
            members = {"level": level, "data": data, **({} if logger is None else {"logger": logger})}
            peer: Any = self._request.peer
            await peer.notify(_LOG, peer.codec.build(_LOG, members))

    async def debug(self, data: Any, logger: str | None = None) -> None:
        """Send a record of level debug."""
        await self.log("debug", data, logger)

    async def info(self, data: Any, logger: str | None = None) -> None:
        """Send a record of level info."""
        await self.log("info", data, logger)

    async def warning(self, data: Any, logger: str | None = None) -> None:
        """Send a record of level warning."""
        await self.log("warning", data, logger)

    async def error(self, data: Any, logger: str | None = None) -> None:
        """Send a record of level error."""
        await self.log("error", data, logger)

    # Questions. From 2026-07-28 on each ends the handler until the answer is there, and then it runs anew.

    async def elicit(self, form: type[T], message: str = "") -> Accepted[T] | Declined | Dismissed:
        """Ask the user to fill in a form made of a type, see `Form`; `message` says what for.

        From 2026-07-28 on the handler runs again from its start once the answer is there, so that what it does before
        a question must bear being done twice. Raises ClientCannot, RegistrationError for a type that is no form,
        RemoteProtocolError for an answer that does not fit the form.
        """
        made = Form.of(form)
        self._require_elicitation("form")
        message = message or inspect.getdoc(form) or form.__name__
        try:
            answer = await self._ask_form(made.schema, message)
        except Inexpressible:
            if made.plain_schema is None:
                raise
            answer = await self._ask_form(made.plain_schema, message)
        return self._outcome(answer, made)

    async def _ask_form(self, schema: dict[str, Any], message: str) -> types.ElicitResult:
        requested = base.convert(schema, types.ElicitRequestedSchema)
        asked = types.ElicitRequestFormParams(message=message, requested_schema=requested)
        answer: types.ElicitResult = await self._asker.ask("elicitation/create", asked)
        return answer

    def _outcome(self, answer: types.ElicitResult, form: Form[T]) -> Accepted[T] | Declined | Dismissed:
        if answer.action != "accept":
            return Declined() if answer.action == "decline" else Dismissed()
        try:
            return Accepted(form.read(given(answer, "content") or {}))
        except ValueError as error:
            raise RemoteProtocolError(f"the form came back wrong: {error}") from None

    async def elicit_url(
        self, url: str, message: str, *, id: str | None = None
    ) -> Accepted[None] | Declined | Dismissed:
        """Ask the user to open a page; accepting means to open it, not that they are done there.

        `id` is how `Server.elicitation_complete` names it later, in 2025-11-25. Raises as `elicit`.
        """
        self._require_elicitation("url")
        asked = types.ElicitRequestURLParams(url=url, message=message)
        answer: types.ElicitResult = await self._asker.ask(
            "elicitation/create", asked, elicitation_id=id or uuid4().hex
        )
        if answer.action != "accept":
            return Declined() if answer.action == "decline" else Dismissed()
        return Accepted(None)

    def _require_elicitation(self, mode: str) -> None:
        require(self.client_capabilities, "elicitation")
        modes = self.client_capabilities["elicitation"]
        # Without a mode it means forms, as it did before there were others.
        if (mode == "url" or modes.keys() & {"form", "url"}) and not declares(modes, mode):
            raise ClientCannot(f"elicitation.{mode}")

    async def sample(
        self,
        messages: str | Sequence[types.SamplingMessage],
        *,
        max_tokens: int,
        system_prompt: str | UnsetType = UNSET,
        temperature: float | UnsetType = UNSET,
        stop_sequences: list[str] | UnsetType = UNSET,
        model_preferences: types.ModelPreferences | UnsetType = UNSET,
        include_context: Literal["allServers", "none", "thisServer"] | UnsetType = UNSET,
        tools: list[types.Tool] | UnsetType = UNSET,
        tool_choice: types.ToolChoice | UnsetType = UNSET,
        metadata: dict[str, Any] | UnsetType = UNSET,
    ) -> types.CreateMessageResult:
        """Ask the client's model; a text is one message of the user. Deprecated by the protocol since 2026-07-28.

        Raises ClientCannot, ClientRefused.
        """
        require(self.client_capabilities, "sampling")
        if tools is not UNSET or tool_choice is not UNSET:
            require(self.client_capabilities, "sampling.tools")
        if include_context not in (UNSET, "none") and has("ClientCapabilitiesSampling.context", self.revision):
            require(self.client_capabilities, "sampling.context")
        if isinstance(messages, str):
            messages = [types.SamplingMessage(role="user", content=types.TextContent(text=messages))]
        asked = types.CreateMessageRequestParams(
            messages=list(messages),
            max_tokens=max_tokens,
            system_prompt=system_prompt,
            temperature=temperature,
            stop_sequences=stop_sequences,
            model_preferences=model_preferences,
            include_context=include_context,
            tools=tools,
            tool_choice=tool_choice,
            metadata=metadata,
        )
        answer: types.CreateMessageResult = await self._asker.ask("sampling/createMessage", asked)
        return answer

    async def list_roots(self) -> list[types.Root]:
        """Ask the client for its roots. Deprecated by the protocol since 2026-07-28. Raises ClientCannot."""
        require(self.client_capabilities, "roots")
        answer: types.ListRootsResult = await self._asker.ask("roots/list", None)
        return answer.roots
