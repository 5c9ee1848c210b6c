"""The asyncio shell around an engine: a task for each request that comes, a future for each that goes, deadlines.

Any channel that carries frames will do (`transports`). Knows no revision: stubs and codec bring one.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any, Unpack

from .channels import Channel
from .codec import MAX_BATCH, MAX_BYTES, Codec
from .engine import Call, Engine, masked
from .errors import CallTimeout, Closed, EncodeError, LocalProtocolError, RpcError
from .events import Answered, Cancelled, Event, Ignored, Incoming, Outgoing, Progressed, Refused, Told
from .ids import RequestId
from .lifecycle import Phase
from .messages import Message, Notification, UnknownNotification, UnknownRequest
from .presence import given
from .router import Handler, Router, Routes
from .stubs import Handlers, Options, Progress, not_found

if TYPE_CHECKING:
    from .together import CallBatch

_STUBBORN = 1.0
"""How many seconds a handler that was told to stop may take before it is left behind."""
_log = logging.getLogger("typedmcp")


class Context:
    """What a handler knows of the message it answers; see `stubs.Context`."""

    __slots__ = ("_incoming", "method", "peer")

    def __init__(self, peer: Peer, method: str, incoming: Incoming | None) -> None:
        self.peer = peer
        self.method = method
        self._incoming = incoming

    @property
    def id(self) -> RequestId | None:
        """The id of the request; None for a notification."""
        return None if self._incoming is None else self._incoming.id

    @property
    def cancelled(self) -> bool:
        """Whether the peer has given the request up; its handler is stopped at its next await."""
        return self._incoming is not None and self._incoming.cancelled

    async def progress(self, progress: float, total: float | None = None, message: str | None = None) -> None:
        """Tell the caller how far this request is; sends nothing unless it asked and `progress` has grown."""
        if self._incoming is not None:
            await self.peer.progress(self._incoming, progress, total, message)


class _Waiting:
    """A call of ours as the shell sees it: who waits for it, until when, and who hears of its progress."""

    __slots__ = ("at_most", "future", "held", "on_progress", "timeout", "timer")

    def __init__(self, future: asyncio.Future[Any], on_progress: Progress | None, timeout: float | None) -> None:
        self.future = future
        self.on_progress = on_progress
        self.timeout = timeout
        self.held = False
        """Whether it was begun and not sent, so that the peer need not be told of its end."""
        self.timer: asyncio.TimerHandle | None = None
        self.at_most: asyncio.TimerHandle | None = None

    def stop(self) -> None:
        """Nothing is waited for any more."""
        for timer in (self.timer, self.at_most):
            if timer is not None:
                timer.cancel()


class Peer:
    """One side of a live connection, in the loop it was made in.

    `handlers` answer what the other side asks: an instance of a generated `Handlers` class, or routes. `strict`,
    `max_bytes`: as of `Codec`. `max_inbound`: as of `Engine`; as many notifications are handled at a time, one more is
    dropped. `on_ignored` is told of everything the protocol says to ignore.
    """

    def __init__(
        self,
        handlers: Handlers | Routes,
        *,
        strict: bool = False,
        max_bytes: int = MAX_BYTES,
        max_inbound: int = 1000,
        on_ignored: Callable[[str], None] | None = None,
    ) -> None:
        if isinstance(handlers, type):
            raise LocalProtocolError(f"{handlers!r} is a class: give an instance of it")
        self.codec = Codec.of(handlers.binding, strict=strict, max_bytes=max_bytes)
        self.max_bytes = max_bytes
        self._engine = Engine(self.codec, max_inbound=max_inbound)
        self._router: Routes = Router(handlers) if isinstance(handlers, Handlers) else handlers
        self._loop = asyncio.get_running_loop()
        self._channel: Channel | None = None
        self._running: set[asyncio.Task[None]] = set()
        self._listening: set[asyncio.Task[None]] = set()
        self._stopping: set[asyncio.Task[None]] = set()
        self._on_ignored = on_ignored
        self.codec.on_unwritable = _log_unwritable
        self._over = asyncio.Event()
        self._congested = self._paused = False

    # What the channel calls.

    def attach(self, channel: Channel, /) -> None:
        """Begin to speak over a channel. Raises LocalProtocolError for a peer that has one already."""
        if self._channel is not None:
            raise LocalProtocolError("this peer has a connection already: make another for another connection")
        self._channel = channel

    def received(self, frame: bytes, /) -> None:
        """A frame has come, without its end of line."""
        for event in self._engine.receive(frame):
            self._handle(event)

    def accepted(self, message: Message) -> None:
        """A message has come as an object."""
        for event in self._engine.accept(self.codec.adopted(message)):
            self._handle(event)

    def oversized(self, outline: bytes, /) -> None:
        """A frame was longer than allowed and was dropped; its first and last bytes."""
        for event in self._engine.accept(self.codec.too_long(outline)):
            self._handle(event)

    def ended(self, reason: str = "the peer ended the connection", /) -> None:
        """Nothing more will come: every call that waits fails at once."""
        for call in self._engine.close():
            self._settle(call, error=Closed(reason))
        self._over.set()

    # What happened.

    def _handle(self, event: Event) -> None:
        match event:
            case Incoming():
                self._start(event)
            case Answered(call=call, result=result):
                self._settle(call, result=result)
            case Refused(call=call, error=error):
                self._settle(call, error=error)
            case Told():
                self._told(event)
            case Outgoing(message=message):
                self._send(message)
            case Cancelled():
                self._stop(event)
            case Progressed():
                self._progressed(event)
            case Ignored(reason=reason, message=message):
                self._ignored(reason)
                if message is not None:
                    self._told(Told(message))

    def _start(self, incoming: Incoming) -> None:
        handler = self._router.handler(incoming.method)
        if isinstance(incoming.message, UnknownRequest):
            handler = partial(self._router.unknown_request, incoming.method)
        if handler is None:
            self._answered(self._engine.fail(incoming, not_found(incoming.method)))
            return
        task = self._loop.create_task(self._answer(incoming, handler))
        incoming.task = task
        self._running.add(task)

    async def _answer(self, incoming: Incoming, handler: Handler) -> None:
        try:
            result = await handler(incoming.params, Context(self, incoming.method, incoming))
        except asyncio.CancelledError as error:
            if incoming.cancelled or self._over.is_set():
                raise
            # Nobody but the handler itself has stopped it, and whoever asked still waits.
            _log.exception("the handler of %s was cancelled", incoming.method)
            message = self._engine.fail(incoming, masked(error))
        except Exception as error:
            if not isinstance(error, RpcError):
                _log.exception("the handler of %s failed", incoming.method)
            message = self._engine.fail(incoming, masked(error))
        else:
            message = self._engine.reply(incoming, result)
        self._running.discard(incoming.task)
        if message is not None:
            # Answers to what came together go as one: with the last of them, and without another turn of the loop.
            self._send(message, now=not self._running)
        if self._channel is not None and self._channel.full:
            await self._channel.drain()

    async def _room(self, method: str, timeout: float | None) -> None:
        """Wait while more is to be sent than should be. Raises CallTimeout."""
        if self._channel is None or not self._channel.full:
            return
        try:
            async with asyncio.timeout(timeout):
                await self._channel.drain()
        except TimeoutError:
            raise CallTimeout(f"{method} could not be sent within {timeout:g} s") from None

    def congested(self, full: bool, /) -> None:
        """More waits to be sent than should, or does not any more.

        Who does not read its answers is not read from; but a call of ours waits for an answer that must be read, or two
        peers that do this could wait for each other for ever.
        """
        self._congested = full
        self._steer()

    def _steer(self) -> None:
        pause = self._congested and self._engine.calls == 0
        if pause == self._paused or self._channel is None:
            return
        self._paused = pause
        if pause:
            self._channel.pause_reading()
        else:
            self._channel.resume_reading()

    def _answered(self, message: Message | None) -> None:
        if message is not None:
            self._send(message)

    def _told(self, event: Told) -> None:
        method, handler = event.message.method, self._listener(event.message)
        if handler is None:
            return
        if len(self._listening) >= self._engine.max_inbound:
            self._ignored(f"{method[:100]}: {self._engine.max_inbound} notifications are being handled already")
            return
        task = self._loop.create_task(self._listen(handler(event.message.params, Context(self, method, None)), method))
        self._listening.add(task)
        task.add_done_callback(self._listening.discard)

    def _listener(self, message: Notification | UnknownNotification) -> Handler | None:
        if isinstance(message, Notification):
            return self._router.handler(message.method)
        if (unknown := self._router.unknown_notification) is not None:
            return partial(unknown, message.method)
        self._ignored(f"a notification of an unknown method, {message.method[:100]}")
        return None

    async def _listen(self, work: Any, method: str) -> None:
        try:
            await work
        except Exception:
            _log.exception("the handler of %s failed", method)

    def _stop(self, event: Cancelled) -> None:
        task = event.incoming.task
        if task is not None:
            # A task that never began would not get to leave the set by itself.
            self._running.discard(task)
            self._stopping.add(task)
            task.add_done_callback(self._stopping.discard)
            task.cancel()
        self._answered(event.settled)
        self._told(Told(event.message))

    def _progressed(self, event: Progressed) -> None:
        call, params = event.call, event.message.params
        waiting: _Waiting = call.waiter
        if waiting.timer is not None and waiting.at_most is not None and waiting.timeout is not None:
            waiting.timer.cancel()
            waiting.timer = self._loop.call_later(waiting.timeout, self._expire, call, waiting.timeout)
        if waiting.on_progress is not None:
            try:
                waiting.on_progress(params.progress, given(params, "total"), given(params, "message"))
            except Exception:
                _log.exception("on_progress of %s failed", call.message.method)
        self._told(Told(event.message))

    def _ignored(self, reason: str) -> None:
        _log.debug("ignored: %s", reason)
        if self._on_ignored is not None:
            try:
                self._on_ignored(reason)
            except Exception:
                _log.exception("on_ignored failed")

    def _settle(self, call: Call, *, result: Any = None, error: Exception | None = None) -> None:
        waiting: _Waiting = call.waiter
        waiting.stop()
        if self._congested:
            self._steer()
        if waiting.future.done():
            return
        if error is None:
            waiting.future.set_result(result)
        else:
            waiting.future.set_exception(error)

    # What is sent.

    def _send(self, message: Message, *, now: bool = False) -> None:
        channel = self._channel
        if channel is None:
            raise LocalProtocolError("this peer has no connection: attach it to a channel first")
        channel.send(message if channel.objects else self.codec.write(message), now=now)

    async def call(self, method: str, params: Any = None, /, **options: Unpack[Options]) -> Any:
        """Send a request and wait for its result; generated `Calls` are the typed way to do so.

        Raises RpcError, RemoteProtocolError, CallTimeout, Closed, LocalProtocolError, EncodeError. When the task is
        cancelled, the peer is told.
        """
        await self._room(method, options.get("timeout"))
        return await self.outcome(self.begin(method, params, self._send, **options))

    def begin(self, method: str, params: Any, send: Callable[[Message], None], /, **options: Unpack[Options]) -> Call:
        """Begin a call and hand its message to `send`; what is raised is what `call` raises before it waits."""
        timeout, max_timeout = options.get("timeout"), options.get("max_timeout")
        on_progress = options.get("on_progress")
        progress = on_progress is not None or max_timeout is not None
        call = self._engine.call(method, params, progress=progress)
        if self._paused:
            self._steer()
        waiting = call.waiter = _Waiting(self._loop.create_future(), on_progress, timeout)
        try:
            send(call.message)
        except (EncodeError, LocalProtocolError):
            self._engine.forget(call)
            raise
        if timeout is not None:
            waiting.timer = self._loop.call_later(timeout, self._expire, call, timeout)
        if max_timeout is not None:
            waiting.at_most = self._loop.call_later(max_timeout, self._expire, call, max_timeout)
        return call

    def forget(self, call: Call, error: Exception | None = None) -> None:
        """Give up a call that was begun and not sent; whoever waits for it gets the error."""
        self._engine.forget(call)
        if error is not None:
            self._settle(call, error=error)

    async def outcome(self, call: Call) -> Any:
        """Wait for the result of a call that was begun."""
        waiting: _Waiting = call.waiter
        try:
            return await waiting.future
        except asyncio.CancelledError:
            self._give_up(call, "")
            raise

    def _expire(self, call: Call, seconds: float) -> None:
        self._give_up(call, "timeout")
        self._settle(call, error=CallTimeout(f"{call.message.method} was not answered within {seconds:g} s"))

    def _give_up(self, call: Call, reason: str) -> None:
        waiting: _Waiting = call.waiter
        waiting.stop()
        message = self._engine.abandon(call, reason)
        if not waiting.held:
            self._answered(message)

    async def notify(self, method: str, params: Any = None, /) -> None:
        """Send a notification. Raises Closed, LocalProtocolError, EncodeError."""
        await self._room(method, None)
        self._send(self.notification(method, params))

    def tell(self, method: str, params: Any = None, /) -> None:
        """Send a notification at once, however much waits to be sent already. Raises as `notify` does."""
        self._send(self.notification(method, params))

    def notification(self, method: str, params: Any = None) -> Notification:
        """A notification of ours, not sent yet. Raises as `notify` does."""
        return self._engine.notify(method, params)

    async def progress(self, incoming: Incoming, progress: float, total: float | None, text: str | None) -> None:
        """Send news of a request in progress; `Context.progress` is the way to do so."""
        message = self._engine.progress(incoming, progress, total, text)
        if message is not None:
            await self._room(incoming.method, None)
            self._send(message)

    def batch(self) -> CallBatch:
        """Calls that go together: as one message where the revision has batches, one after the other elsewhere."""
        from .together import CallBatch

        return CallBatch(self)

    def send_together(self, messages: list[Message]) -> list[tuple[Message, EncodeError]]:
        """Send messages as a batch, or one by one where the revision has none. Returns those without a JSON form."""
        if not self.codec.tables.batches:
            return self._unwritable(messages, self._send)
        failed: list[tuple[Message, EncodeError]] = []
        for start in range(0, len(messages), MAX_BATCH):
            part = messages[start : start + MAX_BATCH]
            try:
                self._send(self._engine.batch(part))
            except EncodeError:
                bad = self._unwritable(part, self.codec.write)
                failed += bad
                if rest := [one for one in part if not any(one is message for message, _ in bad)]:
                    self._send(self._engine.batch(rest))
        return failed

    def _unwritable(
        self, messages: list[Message], attempt: Callable[[Message], Any]
    ) -> list[tuple[Message, EncodeError]]:
        failed: list[tuple[Message, EncodeError]] = []
        for message in messages:
            try:
                attempt(message)
            except EncodeError as error:
                failed.append((message, error))
        return failed

    async def aclose(self, *, grace: float = 0) -> None:
        """End the connection: calls fail, handlers get `grace` seconds to answer, what is written is sent."""
        self.ended("the connection was closed")
        try:
            # Whoever closes the connection from inside a handler goes on to its end.
            if grace > 0 and (working := (self._running | self._listening) - {asyncio.current_task()}):
                await asyncio.wait(working, timeout=grace)
            left = (self._running | self._listening | self._stopping) - {asyncio.current_task()}
            for task in left:
                task.cancel()
            if left:
                _, stubborn = await asyncio.wait(left, timeout=_STUBBORN)
                for task in stubborn:
                    _log.error("a handler does not stop: %r", task)
            self._running.clear()
        finally:
            if self._channel is not None:
                await self._channel.aclose()

    @property
    def phase(self) -> Phase:
        """Where the connection stands."""
        return self._engine.lifecycle.phase

    @property
    def revision(self) -> str:
        """The revision spoken here."""
        return self.codec.tables.revision

    async def wait_ended(self) -> None:
        """Wait until nothing more can come."""
        await self._over.wait()

    async def __aenter__(self) -> Peer:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()


def _log_unwritable(error: EncodeError) -> None:
    _log.error("an answer has no JSON form", exc_info=error)
