"""What the benchmarks share: gates, the table and the JSON they print, and timing a command."""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
# Which versions of other implementations there are is said once, for tests and benchmarks alike.
sys.path.append(str(ROOT / "tests"))


@dataclass(frozen=True, slots=True)
class Row:
    """One measured figure, and what it must not exceed or fall short of; None where it is only told."""

    name: str
    value: float
    unit: str
    limit: float | None = None
    at_least: float | None = None

    @property
    def holds(self) -> bool:
        """Whether the figure is within its bounds."""
        return (self.limit is None or self.value <= self.limit) and (
            self.at_least is None or self.value >= self.at_least
        )

    @property
    def bound(self) -> str:
        """The bound in words, and whether it holds."""
        words = [f"at most {self.limit:g}"] if self.limit is not None else []
        words += [f"at least {self.at_least:g}"] if self.at_least is not None else []
        return f"  {' and '.join(words)} {self.unit}: {'yes' if self.holds else 'NO'}" if words else ""


def from_bytecode() -> None:
    """Let both sides run from compiled bytecode, as installed packages do: compiling is no part of an import."""
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    os.environ["PYTHONPYCACHEPREFIX"] = str(ROOT / ".nox" / "bytecode")


def processor_seconds(command: Sequence[str | Path]) -> float:
    """The processor time of a command that must succeed: unlike wall time, it does not count what others do."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds(command)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def seconds(command: Sequence[str | Path], cwd: Path | None = None) -> float:
    """The wall time of a command that must succeed and whose output is of no interest."""
    start = time.perf_counter()
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)
    elapsed = time.perf_counter() - start
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))} exited {done.returncode}\n{done.stdout}{done.stderr}")
    return elapsed


def arguments(parser: argparse.ArgumentParser) -> argparse.Namespace:
    """The command line, with the options every benchmark has."""
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
    parser.add_argument("--gate", action="store_true", help="exit 1 when a figure exceeds its bound")
    return parser.parse_args()


def report(title: str, rows: Sequence[Row], options: argparse.Namespace) -> None:
    """Print the figures; ends the process with 1 when a gate was asked for and does not hold."""
    about = {"python": sys.version.split()[0], "processors": os.cpu_count()}
    if options.json:
        figures = [{**asdict(row), "value": round(row.value, 4), "holds": row.holds} for row in rows]
        print(json.dumps({"benchmark": title, **about, "rows": figures}))
    else:
        print(f"{title} (Python {about['python']}, {about['processors']} processors)")
        width = max(len(row.name) for row in rows)
        for row in rows:
            print(f"  {row.name:{width}}  {row.value:10.3f} {row.unit:5}{row.bound}")
    if options.gate and not all(row.holds for row in rows):
        sys.exit(1)
