"""The reply to one batch that came: collected as its requests are answered, in whatever order, and given out once."""

from __future__ import annotations

from .messages import Batch, Failure, Success


class Replies:
    """What a batch is answered (JSON-RPC 2.0, section 6): an entry for each request and each element that is none."""

    __slots__ = ("_entries", "_waiting")

    def __init__(self) -> None:
        self._entries: list[Success | Failure] = []
        # One for the batch itself: while its elements are still looked at, nothing is complete.
        self._waiting = 1

    def expect(self) -> None:
        """One more request will be answered, or given up."""
        self._waiting += 1

    def add(self, entry: Success | Failure) -> None:
        """An answer that nobody waited for: that of an element that is no message."""
        self._entries.append(entry)

    def settle(self, entry: Success | Failure | None) -> Batch | None:
        """An expected answer, None for a request that was cancelled, or for the batch itself once it is read.

        Returns the whole reply when nothing more is missing and there is anything to say.
        """
        self._waiting -= 1
        if entry is not None:
            self._entries.append(entry)
        return Batch(list(self._entries)) if self._waiting == 0 and self._entries else None
