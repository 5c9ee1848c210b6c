"""What a server knows of one connection: who is there, what they want to hear of, and what they were promised.

From 2026-07-28 on every request brings its own client along; only the streams it listens on last longer.
"""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING, Any, Final

from typedmcp_types.v2026_07_28 import structs as types

from ..errors import Closed, LocalProtocolError
from ..lifecycle import Phase
from ..presence import given
from ..stubs import Capabilities

if TYPE_CHECKING:
    from ..peer import Peer

_log = logging.getLogger("typedmcp.server")
LEVELS: Final = ("debug", "info", "notice", "warning", "error", "critical", "alert", "emergency")
"""By severity (RFC 5424, section 6.2.1); the schema has them by the alphabet."""
UPDATED: Final = "notifications/resources/updated"
SUBSCRIPTION: Final = "io.modelcontextprotocol/subscriptionId"
LISTS: Final = {
    "tools": "notifications/tools/list_changed",
    "prompts": "notifications/prompts/list_changed",
    "resources": "notifications/resources/list_changed",
}
"""The notification of each list that may change."""


class Stream:
    """A `subscriptions/listen` request that is open: what it wants to hear of, under which id."""

    __slots__ = ("id", "kinds", "peer", "uris")

    def __init__(self, peer: Peer, id_: int | str, wanted: types.SubscriptionFilter) -> None:
        self.peer = peer
        self.id = id_
        self.kinds = {kind for kind in LISTS if given(wanted, f"{kind}_list_changed")}
        self.uris: set[str] = set(given(wanted, "resource_subscriptions") or ())

    @property
    def meta(self) -> dict[str, Any]:
        """What marks a message as one of this stream."""
        return {SUBSCRIPTION: self.id}


class Session:
    """One connection. Its methods are for its own loop, but for `changed` and `updated`."""

    def __init__(self) -> None:
        self.data: dict[str, Any] = {}
        """Whatever handlers keep of this client. In 2026-07-28 requests have no session: use handles there."""
        self.peer: Peer | None = None
        """The client of the handshake revisions, once it has shaken hands."""
        self.client: types.Implementation | None = None
        self.capabilities: Capabilities = {}
        self.announces: set[str] = set()
        """The lists whose changes this client was promised to hear of."""
        self.level: str | None = None
        self.closing = asyncio.Event()
        """Set when the connection is about to end: streams end by it."""
        self.uris: set[str] = set()
        self.streams: dict[int | str, Stream] = {}
        self._loop = asyncio.get_running_loop()
        self._dirty: dict[tuple[str, str], None] = {}
        self._sending: asyncio.Task[None] | None = None

    def changed(self, kind: str) -> None:
        """A list has changed. For any thread; several changes become one notification."""
        self._later((kind, ""))

    def updated(self, uri: str) -> None:
        """What is under a URI has changed. For any thread."""
        self._later(("", uri))

    def _later(self, change: tuple[str, str]) -> None:
        try:
            self._loop.call_soon_threadsafe(self._note, change)
        except RuntimeError:
            # The loop of this client has ended, and the client with it.
            return

    def _note(self, change: tuple[str, str]) -> None:
        self._dirty[change] = None
        if self._sending is None:
            self._sending = self._loop.create_task(self._send())
            self._sending.add_done_callback(self._sent)

    def _sent(self, task: asyncio.Task[None]) -> None:
        self._sending = None

    async def _send(self) -> None:
        while self._dirty:
            kind, uri = next(iter(self._dirty))
            del self._dirty[kind, uri]
            try:
                await self._tell(kind, uri)
            except (Closed, LocalProtocolError) as error:
                _log.debug("a change was not told: %s", error)

    async def _tell(self, kind: str, uri: str) -> None:
        peer = self.peer
        if peer is not None and peer.phase is Phase.OPEN and (kind in self.announces or uri in self.uris):
            if kind:
                await peer.notify(LISTS[kind])
            else:
                await peer.notify(UPDATED, peer.codec.build(UPDATED, {"uri": uri}))
        for stream in tuple(self.streams.values()):
            if kind in stream.kinds:
                await stream.peer.notify(LISTS[kind], types.NotificationParams(meta=stream.meta))
            elif uri and uri in stream.uris:
                told = types.ResourceUpdatedNotificationParams(uri=uri, meta=stream.meta)
                await stream.peer.notify(UPDATED, told)

    async def settled(self) -> None:
        """Wait until every change noted so far was told."""
        if self._sending is not None:
            await asyncio.wait([self._sending])
