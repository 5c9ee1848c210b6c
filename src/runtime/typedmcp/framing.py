"""Lines out of bytes as they come: one message a line (MCP, transports, stdio). No I/O.

Only LF ends a line, a CR before it belongs to the end; U+2028 and its kind are text. Blank lines carry no message.
"""

from __future__ import annotations


class Lines:
    """The lines of one stream. `max_bytes` bounds what is kept of a line that has no end yet."""

    __slots__ = ("_held", "_max", "_parts", "_skipping", "skipped")

    def __init__(self, max_bytes: int) -> None:
        self._max = max_bytes
        self._parts: list[bytes] = []
        self._held = 0
        self._skipping = False
        self.skipped = 0
        """How many lines were too long, since `feed` last said so."""

    def feed(self, data: bytes) -> list[bytes]:
        """The lines that are whole now, without their ends."""
        lines = data.split(b"\n")
        rest = lines.pop()
        if lines:
            if self._skipping:
                # This was the end of the line that is too long.
                self._skipping = False
                lines.pop(0)
            elif self._parts:
                self._parts.append(lines[0])
                lines[0] = b"".join(self._parts)
                self._parts.clear()
                self._held = 0
        if rest and not self._skipping:
            self._parts.append(rest)
            self._held += len(rest)
            if self._held > self._max + rest.endswith(b"\r"):
                self._parts.clear()
                self._held = 0
                self._skipping = True
                self.skipped += 1
        return [line[:-1] if line.endswith(b"\r") else line for line in lines if line and not line.isspace()]

    def end(self) -> list[bytes]:
        """What stands after the last end of line when the stream is over: a line like the others."""
        rest = b"".join(self._parts)
        self._parts.clear()
        self._held = 0
        return [rest] if rest and not rest.isspace() else []
