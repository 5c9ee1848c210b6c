"""What every run has: the effort, hypothesis profiles, and a last line that says what became of every test."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Generator, Sequence
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

from support.effort import VARIABLE, Effort
from support.effort import effort as effort_of_run

# No verdict may depend on the clock: others may use the machine too.
settings.register_profile("steady", deadline=None, database=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("ordinary", settings.get_profile("steady"), derandomize=True)
settings.register_profile("conformance", settings.get_profile("steady"), max_examples=2_000, print_blob=True)


ON_ONE_WORKER = ("tests/packaging/test_wheel.py",)
"""Modules whose fixtures cost more than spreading their tests would gain."""


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--conformance", action="store_true", help=f"large numbers of cases; also {VARIABLE}=1")


def pytest_configure(config: pytest.Config) -> None:
    if config.getoption("--conformance"):
        os.environ[VARIABLE] = "1"
    if not config.getoption("--hypothesis-profile"):
        settings.load_profile(effort_of_run().pick("ordinary", "conformance"))
    config.pluginmanager.register(Tally(), "tally")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if effort_of_run().conformance:
        return
    slow = [item for item in items if item.get_closest_marker("slow")]
    if slow:
        items[:] = [item for item in items if not item.get_closest_marker("slow")]
        config.hook.pytest_deselected(items=slow)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Whichever worker is free gets the next test. xdist's own groups have no effect under pytest 9.2 (xdist#1386)."""
    from xdist.scheduler import LoadScopeScheduling  # pyright: ignore[reportMissingTypeStubs]

    class Scheduling(LoadScopeScheduling):
        def _split_scope(self, nodeid: str) -> str:
            module = nodeid.partition("::")[0]
            return module if module in ON_ONE_WORKER else nodeid

    return Scheduling(config, log)


@pytest.fixture(scope="session")
def effort() -> Effort:
    """How much this run is worth."""
    return effort_of_run()


class Tally:
    """Counts what was collected and what came of it."""

    def __init__(self) -> None:
        self.collected = 0

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        self.collected = self.collected or len(session.items)

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_node_collection_finished(self, ids: Sequence[str]) -> None:
        self.collected = len(ids)

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> Generator[None]:
        yield
        stats = terminalreporter.stats
        told = [f"{len(stats.get(kind, []))} {kind}" for kind in ("passed", "failed", "skipped")]
        told += [f"{len(stats[kind])} {kind}" for kind in ("error", "xfailed", "xpassed") if stats.get(kind)]
        heard = {report.nodeid for kind in stats for report in stats[kind] if isinstance(report, pytest.TestReport)}
        if self.collected > len(heard):
            told.append(f"{self.collected - len(heard)} not run")
        terminalreporter.write_line(f"collected {self.collected}: {', '.join(told)}")
        for reason, count in sorted(Counter(_reason(report) for report in stats.get("skipped", [])).items()):
            terminalreporter.write_line(f"  skipped {count}: {reason}")


def _reason(report: Any) -> str:
    # The representation of a skip is a triple: file, line, reason.
    return str(report.longrepr[2]).removeprefix("Skipped: ")
