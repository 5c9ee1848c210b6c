"""Calls that are sent together: as one batch where the revision has batches, one right after the other elsewhere."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import TYPE_CHECKING, Any, TypeVar, Unpack

from .errors import LocalProtocolError
from .lifecycle import INITIALIZE
from .messages import Message

if TYPE_CHECKING:
    from .engine import Call
    from .peer import Peer
    from .stubs import Options

T = TypeVar("T")


class CallBatch:
    """Calls and notifications that are sent together when the block ends. A `Caller` for generated `Calls`."""

    def __init__(self, peer: Peer) -> None:
        self._peer = peer
        self._messages: list[Message] = []
        self._calls: list[Call] = []
        self._tasks: set[asyncio.Task[Any]] = set()
        self._unsaid: set[asyncio.Task[Any]] = set()
        self._said = asyncio.Event()
        self._sent = False

    def start(self, call: Coroutine[Any, Any, T]) -> asyncio.Task[T]:
        """Put a call into the batch, as a coroutine of `Calls` made for this batch; await the task after the block.

        Raises LocalProtocolError when the block has ended.
        """
        if self._sent:
            call.close()
            raise LocalProtocolError("the batch was sent already: start calls inside its block")
        task = asyncio.get_running_loop().create_task(call)
        self._tasks.add(task)
        self._unsaid.add(task)
        self._said.clear()
        task.add_done_callback(self._heard)
        return task

    def _heard(self, task: asyncio.Task[Any]) -> None:
        self._unsaid.discard(task)
        if not self._unsaid:
            self._said.set()

    async def call(self, method: str, params: Any = None, /, **options: Unpack[Options]) -> Any:
        """Put a request into the batch and wait for its result, as `Peer.call` does."""
        if self._sent:
            raise LocalProtocolError("the batch was sent already: call inside its block")
        if method == INITIALIZE:
            raise LocalProtocolError(f"{INITIALIZE} must not be part of a batch: call it on the peer")
        task = asyncio.current_task()
        if task not in self._tasks:
            raise LocalProtocolError("a batch is sent when its block ends: start the call with `batch.start(...)`")
        call = self._peer.begin(method, params, self._messages.append, **options)
        self._calls.append(call)
        call.waiter.held = True
        self._heard(task)
        return await self._peer.outcome(call)

    async def notify(self, method: str, params: Any = None, /) -> None:
        """Put a notification into the batch."""
        if self._sent:
            raise LocalProtocolError("the batch was sent already: notify inside its block")
        self._messages.append(self._peer.notification(method, params))

    async def __aenter__(self) -> CallBatch:
        return self

    async def __aexit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: object) -> None:
        if kind is not None:
            self._drop()
            return
        try:
            if self._unsaid:
                await self._said.wait()
        except asyncio.CancelledError:
            self._drop()
            raise
        self._sent = True
        given_up = [call.message for call in self._calls if call.waiter.future.done()]
        for call in self._calls:
            call.waiter.held = False
        failed = self._peer.send_together([one for one in self._messages if not any(one is gone for gone in given_up)])
        of = {id(call.message): call for call in self._calls}
        for message, error in failed:
            if id(message) not in of:
                raise error
            self._peer.forget(of[id(message)], error)

    def _drop(self) -> None:
        """Nothing is sent, so there is nothing to tell the peer of."""
        self._sent = True
        for call in self._calls:
            self._peer.forget(call)
        for task in self._tasks:
            task.cancel()
