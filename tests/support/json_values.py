"""Comparing JSON values as JSON has it: 1 is not true, and a number keeps its type."""

from __future__ import annotations

import json
from typing import Any


def same(left: Any, right: Any) -> bool:
    """Whether two JSON values have the same keys, values and JSON types."""
    return canonical(left) == canonical(right)


def canonical(value: Any) -> str:
    """One text for each JSON value, whatever the order of its keys."""
    return json.dumps(value, sort_keys=True, ensure_ascii=False)
