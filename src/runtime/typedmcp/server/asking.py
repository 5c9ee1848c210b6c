"""How a handler's questions reach the client: by a live request, or by ending the round and being called again.

From 2026-07-28 on a server sends no requests: a question ends the handler, its text goes out in an input-required
result, and the handler runs anew when the client comes back with the answer. Which questions there are is in `context`.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any, Protocol

import msgspec
from msgspec import UNSET, UnsetType

from typedmcp_types.v2026_07_28 import structs as types

from .. import base
from ..capabilities import declares
from ..errors import DecodeError, InvalidParams, LocalProtocolError, RemoteProtocolError, RpcError
from ..peer import Peer
from ..projection import Projector
from ..stubs import Capabilities
from .errors import ClientCannot, ClientRefused
from .sealing import BrokenSeal, Sealer

_REQUESTS: dict[str, Any] = {
    kind.method: kind for kind in (types.CreateMessageRequest, types.ElicitRequest, types.ListRootsRequest)
}
_RESULTS: dict[str, Any] = {
    types.CreateMessageRequest.method: types.CreateMessageResult,
    types.ElicitRequest.method: types.ElicitResult,
    types.ListRootsRequest.method: types.ListRootsResult,
}


class Asker(Protocol):
    """Whoever carries questions of one request."""

    capabilities: Capabilities
    """What the client can be asked, as JSON values."""

    async def ask(self, method: str, params: Any, /, **added: Any) -> Any:
        """Ask, with params of the newest revision; the answer is of it too."""
        ...


def require(capabilities: Capabilities, path: str) -> None:
    """Raises ClientCannot where the client did not declare a capability."""
    if not declares(capabilities, path):
        raise ClientCannot(path)


class Live:
    """Asks by a request of the server, as the handshake revisions do."""

    def __init__(self, peer: Peer, project: Projector, capabilities: Capabilities) -> None:
        self._peer = peer
        self._project = project
        self.capabilities = capabilities

    async def ask(self, method: str, params: Any, /, **added: Any) -> Any:
        """See `Asker`. Raises what `Peer.call` does, Inexpressible for what the revision cannot ask."""
        if method not in self._peer.codec.tables.outgoing_requests:
            raise LocalProtocolError(f"{method} does not exist in {self._project.revision}")
        given = None if params is None else self._project(params, **added)
        try:
            answer = await self._peer.call(method, given)
        except RpcError as refusal:
            raise ClientRefused(method, refusal) from None
        try:
            return base.decode(base.encode(answer), _RESULTS[method])
        except DecodeError as error:
            raise RemoteProtocolError(f"{method}: the answer cannot be read: {error}") from None


class InputRequired(BaseException):
    """Ends a handler whose question must first be answered. No error: nothing that catches errors should stop it."""

    def __init__(self, requests: dict[str, Any], state: str) -> None:
        super().__init__("the client must answer first")
        self.requests = requests
        self.state = state


class Rounds:
    """Asks by ending the round. What was answered in earlier rounds comes back in the sealed state.

    A question is known again by its place among the handler's questions, and by what it says: a handler that asks
    something else the next time asks anew.
    """

    def __init__(self, params: Any, method: str, capabilities: Capabilities, sealer: Sealer, principal: str) -> None:
        self._method = method
        self._params = params
        self._sealer = sealer
        self._principal = principal
        self.capabilities = capabilities
        self._asked = 0
        self._answers: dict[str, Any] | None = None

    async def ask(self, method: str, params: Any, /, **added: Any) -> Any:
        """See `Asker`. Raises InputRequired, which the server answers with."""
        if self._answers is None:
            self._answers = self._read()
        self._asked += 1
        request = _REQUESTS[method](params=params) if params is not None else _REQUESTS[method]()
        key = f"{self._asked}-{method}"
        digest = hashlib.sha256(base.encode(request)).hexdigest()
        known = self._answers.get(key)
        if known is None or known["asked"] != digest:
            answered = {name: entry for name, entry in self._answers.items() if _place(name) < self._asked}
            state = {**answered, key: {"asked": digest}}
            raise InputRequired({key: request}, self._sealer.seal(state, bound_to=self._bound_to()))
        try:
            return base.convert(known["answer"], _RESULTS[method])
        except DecodeError as error:
            raise InvalidParams(f"The answer to {key} is none: {error}") from None

    def _read(self) -> dict[str, Any]:
        """The answers of earlier rounds and of this one, each with the digest of its question."""
        state: str | UnsetType = self._params.request_state
        if state is UNSET:
            # Answers without our state answer nothing we know of.
            return {}
        try:
            known: dict[str, Any] = self._sealer.open(state, bound_to=self._bound_to())
        except BrokenSeal as error:
            raise InvalidParams(f"Invalid requestState: {error}") from None
        given: Mapping[str, Any] = self._params.input_responses or {}
        found: dict[str, Any] = {}
        for key, entry in known.items():
            if "answer" in entry:
                found[key] = entry
            elif key in given:
                answer = base.decode(base.encode(given[key]), dict[str, Any])
                found[key] = {**entry, "answer": answer}
        return found

    def _bound_to(self) -> Sequence[str]:
        members = base.decode(base.encode(self._params), dict[str, Any])
        for name in ("inputResponses", "requestState", "_meta"):
            members.pop(name, None)
        told = msgspec.json.encode(members, order="deterministic")
        return (self._method, hashlib.sha256(told).hexdigest(), self._principal)


def _place(key: str) -> int:
    return int(key.partition("-")[0])


class Nobody:
    """Where nothing can be asked: in what neither a person nor a model waits for."""

    def __init__(self, why: str) -> None:
        self.capabilities: Capabilities = {}
        self._why = why

    async def ask(self, method: str, params: Any, /, **added: Any) -> Any:
        """Raises LocalProtocolError."""
        raise LocalProtocolError(f"{method} cannot be asked: {self._why}")
