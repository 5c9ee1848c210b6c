"""Lines out of bytes as they come: one message a line (MCP, transports, stdio). No I/O.

Only LF ends a line, a CR before it belongs to the end; U+2028 and its kind are text. Blank lines carry no message.
"""

from __future__ import annotations

from typing import Final

_OUTLINE: Final = 512
"""How many bytes are kept of either end of a line that is too long, to tell what it was."""


def outline(data: bytes) -> bytes:
    """The first and the last bytes of a frame."""
    return data if len(data) <= 2 * _OUTLINE else data[:_OUTLINE] + data[-_OUTLINE:]


class Lines:
    """The lines of one stream.

    `max_bytes` bounds what is kept of a line that has no end yet; one that came whole is its reader's to measure.
    """

    __slots__ = ("_held", "_max", "_parts", "_skipping", "skipped")

    def __init__(self, max_bytes: int) -> None:
        self._max = max_bytes
        self._parts: list[bytes] = []
        self._held = 0
        self._skipping: bytes | None = None
        self.skipped: list[bytes] = []
        """The outlines of lines that were too long, the first and last bytes of each; for whoever reads to take."""

    def feed(self, data: bytes) -> list[bytes]:
        """The lines that are whole now, without their ends."""
        lines = data.split(b"\n")
        rest = lines.pop()
        if lines:
            if self._skipping is not None:
                # This was the end of the line that is too long.
                self._skip(lines.pop(0))
                self.skipped.append(self._skipping)
                self._skipping = None
            elif self._parts:
                self._parts.append(lines[0])
                lines[0] = b"".join(self._parts)
                self._parts.clear()
                self._held = 0
        if rest and self._skipping is not None:
            self._skip(rest)
        elif rest:
            self._parts.append(rest)
            self._held += len(rest)
            if self._held > self._max + rest.endswith(b"\r"):
                self._skip(b"".join(self._parts))
                self._parts.clear()
                self._held = 0
        return [line[:-1] if line.endswith(b"\r") else line for line in lines if line and not line.isspace()]

    def end(self) -> list[bytes]:
        """What stands after the last end of line when the stream is over: a line like the others."""
        if self._skipping is not None:
            self.skipped.append(self._skipping)
            self._skipping = None
        rest = b"".join(self._parts)
        self._parts.clear()
        self._held = 0
        return [rest] if rest and not rest.isspace() else []

    def _skip(self, more: bytes) -> None:
        self._skipping = outline(more if self._skipping is None else self._skipping + more)
