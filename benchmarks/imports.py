"""What importing the structs of one revision costs, beside what importing the official SDK's types costs.

Every figure is a difference to an interpreter that imports
nothing (or msgspec alone), taken in the same round, so that what the machine does besides weighs on both.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from statistics import median

from measure import Row, arguments, from_bytecode, processor_seconds, report

from support.peers import official_python
from typedmcp_types.revisions import REVISIONS

MILLISECONDS = 60
RATIO = 0.1


def main() -> None:
    """Measure, print, and judge if asked to."""
    parser = argparse.ArgumentParser(description="the cost of imports, as ratios")
    parser.add_argument("--rounds", type=int, default=15)
    options = arguments(parser)
    peer = official_python()

    from_bytecode()
    own = Path(sys.executable)
    commands = {"bare": (own, "pass"), "msgspec": (own, "import msgspec")}
    commands |= {revision: (own, f"import {package}.structs") for revision, package in REVISIONS}
    commands |= {"peer bare": (peer, "pass"), "peer": (peer, "import mcp_types")}
    rounds = [
        {name: processor_seconds([python, "-c", code]) for name, (python, code) in commands.items()}
        for _ in range(-1, options.rounds)
    ]
    del rounds[0]  # The first one fills caches.

    def cost(name: str, above: str) -> float:
        return median(one[name] - one[above] for one in rounds) * 1000

    costs = {revision: cost(revision, "msgspec") for revision, _ in REVISIONS}
    of_peer = cost("peer", "peer bare")
    rows = [
        Row("msgspec above a bare interpreter", cost("msgspec", "bare"), "ms"),
        *(Row(f"structs of {revision} above msgspec", value, "ms", MILLISECONDS) for revision, value in costs.items()),
        Row("mcp_types above a bare interpreter", of_peer, "ms"),
        Row("the dearest revision, as a share of mcp_types", max(costs.values()) / of_peer, "", RATIO),
    ]
    report("imports", rows, options)


if __name__ == "__main__":
    main()
