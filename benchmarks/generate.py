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


def main() -> None:
    """Measure, print, and judge if asked to."""
    parser = argparse.ArgumentParser(description="the time that generating takes")
    parser.add_argument("--rounds", type=int, default=3)
    options = arguments(parser)
    codegen = (sys.executable, "-m", "typedmcp_codegen")

    with tempfile.TemporaryDirectory() as folder:

        def package(command: str, path: Path, back_end: str) -> float:
            name = f"p_{path.stem.replace('-', '_')}_{back_end}"
            target = ("-o", folder, "--package", name, "--backend", back_end)
            return seconds([*codegen, command, path, *target])

        one = SCHEMA / f"{ONE}.json"
        whole = Path(folder) / "typedmcp_types"
        measured: dict[str, Callable[[], float]] = {
            "all": lambda: _two_at_a_time([partial(package, "generate", path, "both") for path in DOCUMENTS]),
            "structs": lambda: package("generate", one, "structs"),
            "models": lambda: package("generate", one, "models"),
            "both": lambda: package("generate", one, "both"),
            "check": lambda: package("check", one, "both"),
            "build": lambda: seconds([*codegen, "build", "--out", whole]),
            "drift": lambda: seconds([*codegen, "check"], cwd=ROOT),
        }
        # Alternating, so that what the machine does besides weighs on all of them.
        rounds = [{name: run() for name, run in measured.items()} for _ in range(options.rounds)]

    def middle(name: str) -> float:
        return median(one[name] for one in rounds)

    rows = [
        Row(f"all {len(DOCUMENTS)} documents, both back ends, two processes", middle("all"), "s", ALL_SECONDS),
        Row(f"{ONE}, structs", middle("structs"), "s", ONE_SECONDS),
        Row(f"{ONE}, models", middle("models"), "s", ONE_SECONDS),
        Row(f"{ONE}, both back ends", middle("both"), "s"),
        Row("its check, as a share of that", median(one["check"] / one["both"] for one in rounds), "", 1),
        Row("the distribution (build)", middle("build"), "s"),
        Row("its check, as a share of that", median(one["drift"] / one["build"] for one in rounds), "", 1),
    ]
    report("generate", rows, options)


def _two_at_a_time(jobs: Sequence[Callable[[], float]]) -> float:
    start = time.perf_counter()
    with ThreadPoolExecutor(max_workers=2) as pool:
        for waiting in [pool.submit(job) for job in jobs]:
            waiting.result()
    return time.perf_counter() - start


if __name__ == "__main__":
    main()
