"""Whether a message is what a recorded case expects; the words of its patterns are those of the case tables."""

from __future__ import annotations

from typing import Any, Final

ABSENT: Final = object()
_BY_JSON_TYPE: Final = frozenset(("id", "requestId", "progressToken"))
_NULL_UNKNOWN: Final = frozenset(("2024-11-05", "2025-03-26", "2025-06-18"))


class Pattern:
    """What a pattern may speak of: the revision, and the names bound so far."""

    def __init__(self, revision: str) -> None:
        self.revision = revision
        self.bound: dict[str, Any] = {}

    def filled(self, value: Any) -> Any:
        """A value with bound names in place of the words for them."""
        if isinstance(value, dict):
            return {key: self.filled(item) for key, item in value.items()}
        if isinstance(value, list):
            return [self.filled(item) for item in value]
        if isinstance(value, str) and value.startswith("$"):
            return self.bound.get(value[1:], value)
        return value

    def fits(self, pattern: Any, value: Any, *, any_order: bool = False, key: str = "") -> bool:
        """Whether a value is as the pattern says; keys the pattern does not name may be there."""
        if isinstance(pattern, str) and pattern.startswith("$"):
            return self._word(pattern[1:], value)
        if value is ABSENT:
            return False
        if isinstance(pattern, dict):
            return isinstance(value, dict) and all(self._member(*item, value) for item in pattern.items())
        if isinstance(pattern, list):
            if any_order:
                return isinstance(value, list) and self.fits_all(pattern, value)
            same = isinstance(value, list) and len(pattern) == len(value)
            return same and all(map(self.fits, pattern, value))
        if isinstance(pattern, bool) or isinstance(value, bool) or pattern is None:
            return pattern is value
        if isinstance(pattern, (int, float)) and isinstance(value, (int, float)):
            return pattern == value and (key not in _BY_JSON_TYPE or type(pattern) is type(value))
        return type(pattern) is type(value) and pattern == value

    def fits_all(self, patterns: list[Any], values: list[Any]) -> bool:
        """Whether patterns and values can be paired off."""
        if len(patterns) != len(values):
            return False
        if not patterns:
            return True
        first, *rest = patterns
        return any(
            self.fits(first, value) and self.fits_all(rest, values[:index] + values[index + 1 :])
            for index, value in enumerate(values)
        )

    def _member(self, name: str, pattern: Any, value: dict[str, Any]) -> bool:
        if name == "id_text":
            return type(value.get("id")) is int and str(value["id"]) == pattern
        return self.fits(pattern, value.get(name, ABSENT), key=name)

    def _word(self, word: str, value: Any) -> bool:
        if word == "unknown_id":
            return value is None if self.revision in _NULL_UNKNOWN else value is ABSENT
        if word == "false_or_absent":
            return value is ABSENT or value is False
        if word == "absent":
            return value is ABSENT
        if value is ABSENT:
            return False
        if word == "any":
            return True
        if word == "nonempty":
            return isinstance(value, (str, list, dict)) and bool(value)
        if word.startswith("len:"):
            return len(value) == int(word[4:])
        bound = self.bound[word]
        return type(bound) is type(value) and bound == value
