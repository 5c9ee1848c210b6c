"""What a revision has, by the generated table; revisions are a list in order, never compared as text."""

from __future__ import annotations

from typing import Final

from typedmcp_types.revisions import MEMBERS, METHODS, REVISIONS

ORDER: Final = tuple(revision for revision, _ in REVISIONS)
NEWEST: Final = ORDER[-1]
PACKAGES: Final = {revision: f"{package}.structs" for revision, package in REVISIONS}
"""The package of each revision's structs."""


def has(name: str, revision: str) -> bool:
    """Whether a revision has a method, a type (`Tool`) or a member (`Tool.title`)."""
    first, last = METHODS[name] if name in METHODS else MEMBERS[name]
    place = ORDER.index(revision)
    return ORDER.index(first) <= place <= (len(ORDER) - 1 if last is None else ORDER.index(last))


def since(first: str, revision: str) -> bool:
    """Whether a revision is this one or a later one."""
    return ORDER.index(revision) >= ORDER.index(first)


HANDSHAKE: Final = tuple(revision for revision in ORDER if has("initialize", revision))
"""The revisions that begin with a handshake, oldest first."""
STATELESS: Final = tuple(revision for revision in ORDER if revision not in HANDSHAKE)
"""The revisions whose requests each say which revision they speak."""
