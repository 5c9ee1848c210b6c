"""How much a run is worth: the ordinary suite, or the conformance session with its large numbers.

`--conformance`, or TYPEDMCP_CONFORMANCE=1 in the environment, asks for the latter. The variable is what counts: it
reaches the workers of a distributed run before they import a test.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TypeVar

T = TypeVar("T")
VARIABLE = "TYPEDMCP_CONFORMANCE"


@dataclass(frozen=True, slots=True)
class Effort:
    """Which kind of run this is."""

    conformance: bool

    def pick(self, ordinary: T, conformance: T) -> T:
        """One of two settings."""
        return conformance if self.conformance else ordinary


def effort() -> Effort:
    """The effort of this run; a fixture of the same name has it too."""
    return Effort(os.environ.get(VARIABLE) == "1")
