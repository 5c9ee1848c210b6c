"""How long generating takes: all nine documents, one document, and the check that nothing changed.

Everything is measured as a user has it: fresh processes of the command line, start-up and formatter included.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from statistics import median

from measure import ROOT, Row, arguments, report, seconds

SCHEMA = ROOT / "schema"
DOCUMENTS = sorted(
    (path for path in SCHEMA.glob("*.json") if path.name != "SOURCES.json"), key=lambda path: -path.stat().st_size
)
ONE = "2025-11-25"
ALL_SECONDS = 30
ONE_SECONDS = 5
CHECK_SHARE = 1.1
"""Checking does what generating does and writes nothing; a tenth is what two equal runs differ by."""


def main() -> None:
    """Measure, print, and judge if asked to."""
    parser = argparse.ArgumentParser(description="the time that generating takes")
    parser.add_argument("--rounds", type=int, default=3)
    options = arguments(parser)

    with tempfile.TemporaryDirectory() as folder:
        # Alternating, so that what the machine does besides weighs on all of them; each round writes anew.
        rounds = [_round(Path(folder) / str(number)) for number in range(options.rounds)]

    def middle(name: str) -> float:
        return median(one[name] for one in rounds)

    rows = [
        Row(f"all {len(DOCUMENTS)} documents, both back ends, two processes", middle("all"), "s", ALL_SECONDS),
        Row(f"{ONE}, structs", middle("structs"), "s", ONE_SECONDS),
        Row(f"{ONE}, models", middle("models"), "s", ONE_SECONDS),
        Row(f"{ONE}, both back ends", middle("both"), "s"),
        Row("its check, as a share of that", median(one["check"] / one["both"] for one in rounds), "", CHECK_SHARE),
        Row("the distribution (build)", middle("build"), "s"),
        Row("its check, as a share of that", median(one["drift"] / one["build"] for one in rounds), "", CHECK_SHARE),
    ]
    report("generate", rows, options)


def _round(folder: Path) -> dict[str, float]:
    """Every measurement once, into a folder of its own."""
    codegen = (sys.executable, "-m", "typedmcp_codegen")
    one = SCHEMA / f"{ONE}.json"
    whole = folder / "typedmcp_types"

    def package(command: str, path: Path, back_end: str, group: str) -> float:
        target = ("-o", folder / group, "--package", f"p_{path.stem.replace('-', '_')}", "--backend", back_end)
        return seconds([*codegen, command, path, *target])

    measured: dict[str, Callable[[], float]] = {
        "all": lambda: _two_at_a_time([partial(package, "generate", path, "both", "all") for path in DOCUMENTS]),
        "structs": lambda: package("generate", one, "structs", "structs"),
        "models": lambda: package("generate", one, "models", "models"),
        "both": lambda: package("generate", one, "both", "both"),
        "check": lambda: package("check", one, "both", "both"),
        "build": lambda: seconds([*codegen, "build", "--out", whole]),
        "drift": lambda: seconds([*codegen, "check"], cwd=ROOT),
    }
    return {name: run() for name, run in measured.items()}


def _two_at_a_time(jobs: Sequence[Callable[[], float]]) -> float:
    start = time.perf_counter()
    with ThreadPoolExecutor(max_workers=2) as pool:
        for waiting in [pool.submit(job) for job in jobs]:
            waiting.result()
    return time.perf_counter() - start


if __name__ == "__main__":
    main()
