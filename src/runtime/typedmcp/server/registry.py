"""What a server offers, by kind: declarations and who answers for them; safe to change from any task or thread.

Knows no client and no revision: whoever wants to hear of changes is told that there was one.
"""

from __future__ import annotations

import copy
import logging
import threading
from bisect import bisect_right
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from operator import attrgetter
from typing import Any, Generic, Literal, TypeVar

import msgspec

from .. import base
from ..errors import DecodeError, EncodeError, RegistrationError

D = TypeVar("D", bound=msgspec.Struct)
OnDuplicate = Literal["error", "replace", "ignore", "warn"]
"""What becomes of a second declaration of one name: refused, taken, left out, or left out with a warning."""
_log = logging.getLogger("typedmcp.server")


class Entry(Generic[D]):
    """A declaration, who answers for it, and its place: numbers only grow, so an order by them survives changes."""

    __slots__ = ("declared", "number", "run")

    def __init__(self, declared: D, run: Any, number: int) -> None:
        self.declared = declared
        self.run = run
        self.number = number


class Registry(Generic[D]):
    """Declarations of one kind. What goes in and what comes out is a copy; use `edit` to change one.

    `key` is the member they are told apart by; `changed` is called after each change, from whichever thread made it.
    """

    def __init__(self, kind: str, key: str, changed: Callable[[], None], on_duplicate: OnDuplicate = "error") -> None:
        self.kind = kind
        self.version = 0
        """Grows with every change."""
        self._key_name = key
        self._key: Callable[[D], str] = attrgetter(key)
        self._changed = changed
        self._on_duplicate: OnDuplicate = on_duplicate
        self._entries: dict[str, Entry[D]] = {}
        self._lock = threading.RLock()
        self._next = 1
        self._snapshot: tuple[Entry[D], ...] | None = ()

    def add(self, declared: D, run: Any, *, on_duplicate: OnDuplicate | None = None) -> bool:
        """Declare something; whether it is in now. `run` answers for it.

        Raises RegistrationError for an empty name, a missing handler, a declaration that is none, or a duplicate.
        """
        declared = self._sound(copy.copy(declared))
        if run is None:
            raise RegistrationError(
                f"{self.kind} {self._key(declared)!r} has no handler: give the function that answers"
            )
        with self._lock:
            key = self._key(declared)
            if key in self._entries and not self._replaces(key, on_duplicate or self._on_duplicate):
                return False
            before = self._entries.get(key)
            number = self._next if before is None else before.number
            self._next += before is None
            self._entries[key] = Entry(declared, run, number)
            self._touch()
        self._changed()
        return True

    def ensure(self, declared: D, run: Any) -> bool:
        """Declare something unless its name is taken; whether it was declared. For code that may run twice."""
        return self.add(declared, run, on_duplicate="ignore")

    def remove(self, key: str) -> None:
        """Take something back. Raises KeyError for what is not there."""
        with self._lock:
            if key not in self._entries:
                raise KeyError(f"there is no {self.kind} {key!r}")
            del self._entries[key]
            self._touch()
        self._changed()

    @contextmanager
    def edit(self, key: str) -> Generator[D]:
        """Change a declaration: its copy, which takes its place when the block ends without an error.

        Raises KeyError for what is not there, RegistrationError for a declaration that is none afterwards.
        """
        draft = self.get(key)
        if draft is None:
            raise KeyError(f"there is no {self.kind} {key!r}")
        yield draft
        declared = self._sound(draft)
        with self._lock:
            entry = self._entries.get(key)
            if entry is None:
                raise KeyError(f"{self.kind} {key!r} was removed while it was edited")
            if (now := self._key(declared)) != key:
                if now in self._entries:
                    raise RegistrationError(f"{self.kind} {key!r} cannot become {now!r}: there is one already")
                del self._entries[key]
            self._entries[now] = Entry(declared, entry.run, entry.number)
            self._touch()
        self._changed()

    def get(self, key: str) -> D | None:
        """A copy of a declaration, or None. Raises RegistrationError for an empty name."""
        if not key:
            raise RegistrationError(f"a {self.kind} is looked up by an empty name")
        entry = self._entries.get(key)
        return None if entry is None else copy.deepcopy(entry.declared)

    def entry(self, key: str) -> Entry[D] | None:
        """What is declared, itself: to be read, not to be changed."""
        return self._entries.get(key)

    def entries(self) -> tuple[Entry[D], ...]:
        """All of it as it is now, in the order of declaration."""
        with self._lock:
            if self._snapshot is None:
                self._snapshot = tuple(sorted(self._entries.values(), key=attrgetter("number")))
            return self._snapshot

    def after(self, number: int) -> int:
        """Where in `entries` what comes after a number begins."""
        return bisect_right(self.entries(), number, key=attrgetter("number"))

    def __contains__(self, key: object) -> bool:
        return key in self._entries

    def __len__(self) -> int:
        return len(self._entries)

    def __iter__(self) -> Iterator[D]:
        """Copies of all declarations."""
        return (copy.deepcopy(entry.declared) for entry in self.entries())

    def _touch(self) -> None:
        self.version += 1
        self._snapshot = None

    def _replaces(self, key: str, policy: OnDuplicate) -> bool:
        told = f"{self.kind} {key!r} is declared already"
        if policy == "error":
            raise RegistrationError(f"{told}: give another name, or say on_duplicate")
        if policy == "warn":
            _log.warning("%s; the second declaration is left out", told)
        return policy == "replace"

    def _sound(self, declared: D) -> D:
        key = self._key(declared)
        if not key or not str(key).strip():
            raise RegistrationError(f"a {self.kind} has no {self._key_name}: give it one")
        try:
            # What the schema forbids would otherwise be found by every client that lists it.
            return base.decode(base.encode(declared), type(declared))
        except (DecodeError, EncodeError) as error:
            raise RegistrationError(f"{self.kind} {key!r} cannot be declared: {error}") from None
