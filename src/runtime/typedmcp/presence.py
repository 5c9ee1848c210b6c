"""Whether an optional member was given, in either back end: structs have `UNSET` where it was not, models `MISSING`."""

from __future__ import annotations

import sys
from typing import Any

from msgspec import UNSET


def given(value: Any, name: str) -> Any:
    """A member of a struct or model, None where it is absent or the type has no such member."""
    found = getattr(value, name, None)
    return found if is_given(found) else None


def is_given(value: Any) -> bool:
    """Whether a value is none of the two marks of absence."""
    # There is no model while pydantic is not loaded, and this must not load it.
    pydantic = sys.modules.get("pydantic")
    return value is not UNSET and (pydantic is None or value is not pydantic.MISSING)
