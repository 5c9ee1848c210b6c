"""Lists in pages, encoded once for each revision while nothing changes; cursors that survive changes."""

from __future__ import annotations

import base64
import binascii
import copy
import inspect
import logging
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import UNSET

from .. import base
from ..errors import InvalidParams
from ..projection import Inexpressible, Projector
from .registry import Registry

if TYPE_CHECKING:
    from .context import Context

_log = logging.getLogger("typedmcp.server")
ListHook = Callable[[list[Any], "Context"], Awaitable[list[Any] | None] | list[Any] | None]
"""Sees what one caller is about to be told, copies of the declarations: changes the list, or returns another."""


class Listing:
    """The pages of one registry. `result` is the type of the newest revision that holds them, `member` its list."""

    def __init__(self, registry: Registry[Any], result: Any, member: str) -> None:
        self.registry = registry
        self.hooks: list[ListHook] = []
        self._result = result
        self._member = member
        self._version = -1
        self._pages: dict[tuple[str, str | None], msgspec.Raw] = {}

    async def page(
        self,
        cursor: str | None,
        size: int,
        project: Projector,
        context: Callable[[], Context],
        members: dict[str, Any],
    ) -> msgspec.Raw:
        """One page as a result; `members` are what the result has beside. Raises InvalidParams for a wrong cursor."""
        if self.hooks:
            return await self._hooked(cursor, size, project, context(), members)
        version = self.registry.version
        if version != self._version:
            self._version, self._pages = version, {}
        key = (project.revision, cursor)
        found = self._pages.get(key)
        if found is None:
            found = self._pages[key] = self._made(cursor, size, project, members)
        return found

    def _made(self, cursor: str | None, size: int, project: Projector, members: dict[str, Any]) -> msgspec.Raw:
        entries = self.registry.entries()
        start = 0 if cursor is None else self.registry.after(self._number(cursor))
        shown = entries[start : start + size]
        more = start + size < len(entries)
        following = self._cursor(shown[-1].number) if more else UNSET
        return self._encoded([entry.declared for entry in shown], following, project, members)

    async def _hooked(
        self, cursor: str | None, size: int, project: Projector, context: Context, members: dict[str, Any]
    ) -> msgspec.Raw:
        """What hooks make of the list is nobody else's: it is neither kept nor in the registry."""
        items = [copy.deepcopy(entry.declared) for entry in self.registry.entries()]
        for hook in self.hooks:
            answer = hook(items, context)
            changed = await answer if inspect.isawaitable(answer) else answer
            items = items if changed is None else list(changed)
        start = 0 if cursor is None else self._number(cursor)
        following = self._cursor(start + size) if start + size < len(items) else UNSET
        return self._encoded(items[start : start + size], following, project, members)

    def _encoded(self, items: list[Any], following: Any, project: Projector, members: dict[str, Any]) -> msgspec.Raw:
        told: list[Any] = []
        for item in items:
            try:
                project(item)
            except Inexpressible as error:
                _log.warning("%s %r is not listed: %s", self.registry.kind, item.name, error)
            else:
                told.append(item)
        result = self._result(**{self._member: told}, next_cursor=following, **members)
        return msgspec.Raw(base.encode(project(result)))

    def _cursor(self, number: int) -> str:
        return base64.urlsafe_b64encode(f"{self._member}:{number}".encode()).decode().rstrip("=")

    def _number(self, cursor: str) -> int:
        try:
            text = base64.b64decode(cursor + "=" * (-len(cursor) % 4), altchars=b"-_", validate=True).decode()
        except (binascii.Error, ValueError):
            text = ""
        member, _, number = text.partition(":")
        if member != self._member or not number.isascii() or not number.isdigit() or len(number) > _DIGITS:
            raise InvalidParams("Invalid cursor")
        return int(number)


_DIGITS = 18
