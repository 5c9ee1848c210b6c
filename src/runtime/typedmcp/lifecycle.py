"""What may be asked when: the phases of a connection as tables, one for the handshake revisions, one for the others.

Both directions keep to the same table: a request that a peer must not send is refused, what we must not send is our
caller's mistake. (MCP, lifecycle; base protocol of 2026-07-28, which has no phases.)
"""

from __future__ import annotations

from enum import Enum
from typing import Final

INITIALIZE: Final = "initialize"
_PING: Final = "ping"


class Phase(Enum):
    """Where a connection stands."""

    NEW = "new"
    """Nothing was agreed on yet."""
    OPEN = "open"
    """The handshake is done or under way, or the revision has none."""
    CLOSED = "closed"
    """The connection has ended."""


class Lifecycle:
    """The phase of one connection."""

    __slots__ = ("_handshake", "phase")

    def __init__(self, *, handshake: bool) -> None:
        self._handshake = handshake
        self.phase = Phase.NEW if handshake else Phase.OPEN

    def objection(self, method: str) -> str:
        """Why a message must not be sent now; empty where it may."""
        if self.phase is Phase.OPEN:
            repeated = self._handshake and method == INITIALIZE
            return "the connection is initialized already" if repeated else ""
        if self.phase is Phase.CLOSED:
            return "the connection has ended"
        return "" if method in (INITIALIZE, _PING) else f"{method[:100]} before {INITIALIZE}"

    def begun(self) -> None:
        """The handshake is under way: what a client sends with it, without waiting, is served."""
        if self.phase is Phase.NEW:
            self.phase = Phase.OPEN

    def refused(self) -> None:
        """The handshake failed; it may be tried again."""
        if self.phase is Phase.OPEN and self._handshake:
            self.phase = Phase.NEW

    def ended(self) -> None:
        """Nothing may be asked any more."""
        self.phase = Phase.CLOSED
