"""stdio: a server on its own standard streams, and a client that starts a server and shuts it down.

(MCP, transports, stdio; lifecycle, shutdown.) Only the protocol reaches stdout: the real descriptor is set aside, and
what a handler, a library or a child process prints goes to stderr.
"""

from __future__ import annotations

import asyncio
import importlib
import os
import signal
import stat
import sys
import threading
from collections.abc import AsyncGenerator, Callable, Coroutine, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from typing import Any, Final, TypeVar

from ..channels import Ending, Receiver
from ..errors import Closed, LocalProtocolError
from ..peer import Peer
from ..stubs import Handlers
from .streams import LineChannel

T = TypeVar("T")
GRACE: Final = 4.0
"""How many seconds running handlers get to answer after the end of input."""
_CHUNK: Final = 2**18


def run(main: Coroutine[Any, Any, T], *, uvloop: bool = True) -> T:
    """Run a program as asyncio.run does, on uvloop where that is installed and wanted."""
    try:
        factory = None if not uvloop else importlib.import_module("uvloop").new_event_loop
    except ImportError:
        factory = None
    with asyncio.Runner(loop_factory=factory) as runner:
        return runner.run(main)


def run_server(handlers: Handlers, *, uvloop: bool = True, **options: Any) -> None:
    """Serve on the process's standard streams until input ends; see `serve` and `run`."""
    run_program(serve(handlers, **options), uvloop=uvloop)


def run_program(main: Coroutine[Any, Any, None], *, uvloop: bool = True) -> None:
    """Run a program as `run` does; interrupted, it ends as a program that was."""
    try:
        run(main, uvloop=uvloop)
    except KeyboardInterrupt:
        sys.exit(130)


async def serve(
    handlers: Handlers, *, grace: float = GRACE, on_start: Callable[[Peer], None] | None = None, **options: Any
) -> None:
    """Serve on the process's standard streams until input ends, then flush and return.

    At the end of input our own calls fail at once, and running handlers get `grace` seconds to answer. `on_start` gets
    the peer before the first message; `options` are those of `Peer`.
    """
    peer = Peer(handlers, **options)
    if on_start is not None:
        on_start(peer)
    await serve_receiver(peer, grace=grace)


async def serve_receiver(receiver: Ending, *, grace: float = GRACE) -> None:
    """Serve whatever receives and ends as a peer does; see `serve`."""
    try:
        await attach_standard_streams(receiver)
        await receiver.wait_ended()
    finally:
        await receiver.aclose(grace=grace)


async def attach_standard_streams(receiver: Receiver) -> LineChannel:
    """Connect a peer, or one end of a relay, to the process's standard streams; from then on prints go to stderr."""
    source, sink = _set_aside()
    channel = LineChannel(receiver)
    receiver.attach(channel)
    writer = await _writer(sink, channel)
    channel.write_to(writer, await _reader(source, channel))
    return channel


def _set_aside() -> tuple[int, int]:
    """The real standard streams as new descriptors; in their place an empty input, and stderr for output."""
    sys.stdout.flush()
    source, sink = os.dup(0), os.dup(1)
    empty = os.open(os.devnull, os.O_RDONLY)
    os.dup2(empty, 0)
    os.close(empty)
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    return source, sink


async def _writer(descriptor: int, channel: LineChannel) -> Any:
    loop = asyncio.get_running_loop()
    pipe = os.fdopen(descriptor, "wb", buffering=0)
    if not _can_wait(descriptor):
        return _FileWriter(pipe, channel)
    transport, _ = await loop.connect_write_pipe(lambda: channel, pipe)
    return transport


def _can_wait(descriptor: int) -> bool:
    """Whether a loop can wait for a descriptor: not for a regular file or a null device, which are always ready."""
    mode = os.fstat(descriptor).st_mode
    return stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode) or os.isatty(descriptor)


class _FileWriter:
    """Writes to what is always ready, as with `server > file`."""

    def __init__(self, file: Any, channel: LineChannel) -> None:
        self._file = file
        self._channel = channel

    def set_write_buffer_limits(self, high: int) -> None:
        """Nothing ever waits."""

    def write(self, data: bytes) -> None:
        """Write all of it."""
        rest = memoryview(data)
        try:
            while rest:
                rest = rest[self._file.write(rest) :]
        except OSError as error:
            self._channel.connection_lost(error)

    def is_closing(self) -> bool:
        """Whether the file is closed."""
        return bool(self._file.closed)

    def close(self) -> None:
        """Close the file."""
        self._file.close()
        self._channel.connection_lost(None)

    def abort(self) -> None:
        """Nothing waits, so this is no different."""
        self.close()


class _Feed(asyncio.Protocol):
    """Reads for a channel whose writing end is another transport."""

    def __init__(self, channel: LineChannel) -> None:
        self._channel = channel

    def data_received(self, data: bytes) -> None:
        self._channel.feed(data)

    def eof_received(self) -> None:
        self._channel.finish()

    def connection_lost(self, exc: Exception | None) -> None:
        if exc is not None:
            self._channel.finish()


async def _reader(descriptor: int, channel: LineChannel) -> Any:
    loop = asyncio.get_running_loop()
    pipe = os.fdopen(descriptor, "rb", buffering=0)
    if not _can_wait(descriptor):
        threading.Thread(target=_read_file, args=(pipe, loop, channel), daemon=True).start()
        return None
    transport, _ = await loop.connect_read_pipe(lambda: _Feed(channel), pipe)
    return transport


def _read_file(file: Any, loop: asyncio.AbstractEventLoop, channel: LineChannel) -> None:
    with file:
        while data := file.read(_CHUNK):
            loop.call_soon_threadsafe(channel.feed, data)
        loop.call_soon_threadsafe(channel.finish)


class _Process(asyncio.SubprocessProtocol):
    """A server's process: its stdout feeds the channel, its stderr is passed on and its last lines are kept."""

    def __init__(self, channel: LineChannel, on_stderr: Callable[[str], None] | None) -> None:
        self._channel = channel
        self._group = 0
        self.exited = asyncio.Event()
        self._last = ""
        self._on_stderr = on_stderr
        self._rest = b""

    def connection_made(self, transport: Any) -> None:
        self._group = transport.get_pid()

    def signal(self, sign: signal.Signals) -> None:
        """Signal the process and what it has started, unless it has exited."""
        if not self.exited.is_set():
            _signal(self._group, sign)

    def pipe_data_received(self, fd: int, data: bytes) -> None:
        if fd == 1:
            self._channel.feed(data)
        elif fd == 2:
            *lines, self._rest = (self._rest + data).split(b"\n")
            if len(self._rest) > _CHUNK:
                lines, self._rest = [*lines, self._rest], b""
            for line in lines:
                self._told(line)

    def _told(self, line: bytes) -> None:
        text = line.decode("utf-8", "replace").rstrip("\r")
        self._last = text.strip() or self._last
        if self._on_stderr is not None:
            self._on_stderr(text)
        else:
            print(text, file=sys.stderr)

    def pipe_connection_lost(self, fd: int, exc: Exception | None) -> None:
        if fd == 1:
            words = f"; its last words: {self._last[:200]}" if self._last else ""
            self._channel.finish(f"the server ended its output{words}")
        elif fd == 0:
            self._channel.writer_lost()

    def pause_writing(self) -> None:
        self._channel.pause_writing()

    def resume_writing(self) -> None:
        self._channel.resume_writing()

    def process_exited(self) -> None:
        if self._rest:
            self._told(self._rest)
            self._rest = b""
        # What it started and left behind is of its group. Later, the number may be another's.
        _signal(self._group, signal.SIGKILL)
        self.exited.set()


@asynccontextmanager
async def connect(
    command: Sequence[str | os.PathLike[str]],
    handlers: Handlers,
    *,
    env: Mapping[str, str] | None = None,
    cwd: str | os.PathLike[str] | None = None,
    on_stderr: Callable[[str], None] | None = None,
    patience: float = 2.0,
    **options: Any,
) -> AsyncGenerator[Peer]:
    """Start a server and speak to it; on leaving, shut it down as `spawn` does. `options` are those of `Peer`."""
    peer = Peer(handlers, **options)
    async with spawn(command, peer, env=env, cwd=cwd, on_stderr=on_stderr, patience=patience):
        try:
            yield peer
        finally:
            await peer.aclose()


@asynccontextmanager
async def spawn(
    command: Sequence[str | os.PathLike[str]],
    receiver: Receiver,
    *,
    env: Mapping[str, str] | None = None,
    cwd: str | os.PathLike[str] | None = None,
    on_stderr: Callable[[str], None] | None = None,
    patience: float = 2.0,
) -> AsyncGenerator[LineChannel]:
    """Start a server and connect a peer, or one end of a relay, to it; on leaving, shut it down as the protocol says.

    Its input is closed, and it gets `patience` seconds to end before it is told to (SIGTERM), and as many before it is
    made to (SIGKILL), together with what it has started. `env`: None for this process's. `on_stderr` gets each line
    the server writes there; without it the lines go to ours.

    Raises Closed when the command cannot be started, with the reason.
    """
    if isinstance(command, str):
        raise LocalProtocolError(f"the command {command!r} is one text: give its words as a list")
    channel = LineChannel(receiver)
    process = _Process(channel, on_stderr)
    try:
        transport, _ = await asyncio.get_running_loop().subprocess_exec(
            lambda: process,
            *(os.fspath(part) for part in command),
            env=None if env is None else dict(env),
            cwd=cwd,
            start_new_session=True,
        )
    except OSError as error:
        blamed = "" if error.filename in (None, os.fspath(command[0])) else f"{error.filename}: "
        raise Closed(f"{os.fspath(command[0])} cannot be started: {blamed}{error.strerror}") from None
    try:
        receiver.attach(channel)
        channel.write_to(transport.get_pipe_transport(0), transport.get_pipe_transport(1))
        yield channel
    finally:
        ending = asyncio.ensure_future(_shut_down(channel, transport, process, patience))
        try:
            await asyncio.shield(ending)
        except asyncio.CancelledError:
            # Whoever does not even wait for the end gets one.
            process.signal(signal.SIGKILL)
            raise


async def _shut_down(
    channel: LineChannel, transport: asyncio.SubprocessTransport, process: _Process, patience: float
) -> None:
    """Close input, then wait, ask, and force (MCP, lifecycle, shutdown, stdio)."""
    closing = asyncio.ensure_future(channel.aclose())
    for sign in (None, signal.SIGTERM, signal.SIGKILL):
        if sign is not None:
            process.signal(sign)
        try:
            await asyncio.wait_for(process.exited.wait(), patience)
            break
        except TimeoutError:
            continue
    transport.close()
    await closing


def _signal(group: int, sign: signal.Signals) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(group, sign)
