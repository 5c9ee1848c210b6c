"""Tests of the rule that nothing is skipped quietly where it must not be."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.paths import Surrounding, needs


@pytest.fixture
def nowhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    for name in ("TYPEDMCP_SHARED", "TYPEDMCP_PEERS", "CONFORMANCE_NODE"):
        monkeypatch.setenv(name, str(tmp_path / "missing"))
    monkeypatch.delenv("REQUIRE", raising=False)
    return monkeypatch


@pytest.mark.parametrize("what", ["shared", "node", "peers"])
def test_what_is_missing_skips_with_a_reason(what: Surrounding, nowhere: pytest.MonkeyPatch) -> None:
    with pytest.raises(pytest.skip.Exception, match=f"needs {what}: there is no"):
        needs(what)


@pytest.mark.parametrize("what", ["shared", "node", "peers"])
def test_what_is_missing_and_required_fails(what: Surrounding, nowhere: pytest.MonkeyPatch) -> None:
    nowhere.setenv("REQUIRE", "shared,node,peers")
    with pytest.raises(pytest.fail.Exception, match=f"REQUIRE names {what}"):
        needs(what)


def test_requiring_one_thing_does_not_require_another(nowhere: pytest.MonkeyPatch) -> None:
    nowhere.setenv("REQUIRE", "node")
    with pytest.raises(pytest.skip.Exception):
        needs("shared")


def test_what_is_there_is_returned(nowhere: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "schema").mkdir()
    nowhere.setenv("TYPEDMCP_SHARED", str(tmp_path))
    assert needs("shared") == tmp_path
