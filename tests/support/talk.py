"""A conversation with one peer by bytes: in this process, or with a program on its standard streams."""

from __future__ import annotations

import asyncio
import json
import sys
from collections import deque
from pathlib import Path
from typing import Any, Protocol

from typedmcp.channels import Ending
from typedmcp.transports.streams import LineChannel

PATIENCE = 20
"""Seconds until a wait counts as in vain; nothing that works comes near."""
AT_ONCE = 65_536


class Talk(Protocol):
    """The tester's side."""

    async def write(self, data: bytes) -> None:
        """Send bytes."""
        ...

    async def line(self) -> bytes:
        """The next line; TimeoutError when none comes."""
        ...

    def waiting(self) -> list[bytes]:
        """The lines that have come and were not asked for yet."""
        ...


class Inside:
    """A peer in this process, fed whole or a byte at a time."""

    def __init__(self, receiver: Ending, *, whole: bool = True) -> None:
        self.receiver = receiver
        self._whole = whole
        self._lines: deque[bytes] = deque()
        self._rest = b""
        self._came = asyncio.Event()
        self._channel = LineChannel(receiver)
        receiver.attach(self._channel)
        self._channel.write_to(_Out(self, self._channel))

    async def write(self, data: bytes) -> None:
        """Feed the peer."""
        step = AT_ONCE if self._whole else 1 if len(data) < AT_ONCE else 997
        for start in range(0, len(data), step):
            self._channel.feed(data[start : start + step])

    async def line(self) -> bytes:
        """See `Talk`."""
        async with asyncio.timeout(PATIENCE):
            while not self._lines:
                self._came.clear()
                await self._came.wait()
        return self._lines.popleft()

    def waiting(self) -> list[bytes]:
        """See `Talk`."""
        return list(self._lines)

    async def aclose(self) -> None:
        """End the conversation; the peer must not have anything left to do."""
        self._channel.finish()
        await self.receiver.aclose(grace=PATIENCE)

    def take(self, data: bytes) -> None:
        """The peer has written."""
        *lines, self._rest = (self._rest + data).split(b"\n")
        self._lines.extend(lines)
        self._came.set()


class _Out:
    """The transport that a peer in this process writes to."""

    def __init__(self, talk: Inside, channel: LineChannel) -> None:
        self._talk = talk
        self._channel = channel

    def set_write_buffer_limits(self, high: int) -> None:
        """Nothing ever waits here."""

    def write(self, data: bytes) -> None:
        """What was written can be asked for."""
        self._talk.take(data)

    def is_closing(self) -> bool:
        """Open for as long as anybody asks."""
        return False

    def close(self) -> None:
        """The channel has ended."""
        self._channel.connection_lost(None)


class Program:
    """A program on its standard streams."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self.process = process
        self._lines: asyncio.Queue[bytes] = asyncio.Queue()
        self._reading = asyncio.ensure_future(self._read())

    @classmethod
    async def start(cls, program: Path, *arguments: str) -> Program:
        """Start a Python program with these arguments."""
        pipe = asyncio.subprocess.PIPE
        return cls(
            await asyncio.create_subprocess_exec(
                sys.executable, str(program), *arguments, stdin=pipe, stdout=pipe, stderr=pipe, limit=2**28
            )
        )

    async def _read(self) -> None:
        assert self.process.stdout is not None
        while line := await self.process.stdout.readline():
            self._lines.put_nowait(line.removesuffix(b"\n"))

    async def write(self, data: bytes) -> None:
        """See `Talk`."""
        assert self.process.stdin is not None
        self.process.stdin.write(data)
        await self.process.stdin.drain()

    async def line(self) -> bytes:
        """See `Talk`."""
        async with asyncio.timeout(PATIENCE):
            return await self._lines.get()

    def waiting(self) -> list[bytes]:
        """See `Talk`."""
        return list(self._lines._queue)  # type: ignore[attr-defined]

    async def finish(self) -> tuple[int, list[bytes], str]:
        """Close its input; how it ended, the lines that came, and what it wrote to stderr."""
        assert self.process.stdin is not None
        assert self.process.stderr is not None
        self.process.stdin.close()
        async with asyncio.timeout(PATIENCE):
            errors = await self.process.stderr.read()
            status = await self.process.wait()
            await self._reading
        return status, self.waiting(), errors.decode()


def message(value: Any) -> bytes:
    """A message as a line."""
    return json.dumps(value, ensure_ascii=False).encode() + b"\n"
