"""Tests of what an import costs and drags in: each runs in an interpreter of its own and looks at `sys.modules`."""

from __future__ import annotations

import random
import sys
from pathlib import Path

import pytest

import typedmcp_types
from support.running import answer, run
from typedmcp_types.revisions import REVISIONS

PACKAGES = [package for _, package in REVISIONS]
GENERATED = Path(typedmcp_types.__file__).parent
MODULES = sorted(
    ".".join(path.relative_to(GENERATED.parent).with_suffix("").parts).removesuffix(".__init__")
    for path in GENERATED.rglob("*.py")
)


def _loaded(statement: str) -> set[str]:
    """The modules a statement loads beyond those the interpreter has at its start."""
    code = (
        f"import json, sys; before = set(sys.modules); {statement}; print(json.dumps([*sys.modules.keys() - before]))"
    )
    return set(answer(code))


STANDARD = _loaded("import __future__, typing")
"""What every typed module loads, whatever that is in this version of Python."""


def _top(modules: set[str]) -> set[str]:
    return {name.partition(".")[0] for name in modules}


def test_importing_the_runtime_loads_typing_and_nothing_else() -> None:
    extra = _loaded("import typedmcp") - STANDARD
    assert extra == {"typedmcp"}


def test_importing_the_package_of_all_revisions_loads_no_revision() -> None:
    extra = _loaded("import typedmcp_types") - STANDARD
    assert extra == {"typedmcp", "typedmcp.abi", "typedmcp_types"}


def test_importing_a_revision_loads_none_of_its_types() -> None:
    assert "msgspec" not in _loaded(f"import {PACKAGES[-1]}")


@pytest.mark.parametrize("package", PACKAGES)
def test_structs_load_msgspec_and_nothing_that_costs(package: str) -> None:
    loaded = _loaded(f"import {package}.structs")
    assert "msgspec" in loaded
    assert _top(loaded).isdisjoint({"pydantic", "typedmcp_codegen", "asyncio", "hypothesis", "jsonschema", "jinja2"})
    ours = {name for name in loaded if name.startswith("typedmcp_types.")}
    assert ours == {package, f"{package}.structs"}


def test_models_load_neither_the_structs_nor_another_revision() -> None:
    loaded = _loaded(f"import {PACKAGES[-1]}.models")
    ours = {name for name in loaded if name.startswith("typedmcp_types.")}
    assert ours == {PACKAGES[-1], f"{PACKAGES[-1]}.models"}
    assert _top(loaded).isdisjoint({"typedmcp_codegen", "hypothesis", "jsonschema", "jinja2"})


def test_a_server_of_structs_loads_no_pydantic_and_no_generator() -> None:
    serving = "from typedmcp.codec import Codec; from typedmcp.transports import stdio"
    stubs = f"from {PACKAGES[-1]}.structs import server; Codec.of(server.Handlers.binding)"
    loaded = _loaded(f"{serving}; {stubs}")
    assert _top(loaded).isdisjoint({"pydantic", "pydantic_core", "typedmcp_codegen", "hypothesis", "jinja2", "uvloop"})
    assert not any(name.endswith(".models") for name in loaded)


def test_the_method_table_loads_neither_back_end() -> None:
    assert _top(_loaded(f"import {PACKAGES[-1]}.methods")).isdisjoint({"msgspec", "pydantic"})


def test_a_revision_is_loaded_when_it_is_first_asked_for() -> None:
    code = (
        "import json, sys, typedmcp_types as t; before = 'typedmcp_types.v2025_11_25' in sys.modules;"
        "t.v2025_11_25.methods; print(json.dumps([before, 'typedmcp_types.v2025_11_25.methods' in sys.modules]))"
    )
    assert answer(code) == [False, True]


@pytest.mark.parametrize("package", ["typedmcp", "typedmcp_types", *PACKAGES, "typedmcp_types.rmcp_batch"])
def test_a_misspelt_name_is_an_attribute_error(package: str) -> None:
    done = run(sys.executable, "-c", f"import {package} as p; p.v2025_11_52")
    assert f"AttributeError: module '{package}' has no attribute 'v2025_11_52'" in done.stderr


@pytest.mark.parametrize("seed", range(4))
def test_generated_modules_import_in_any_order(seed: int) -> None:
    order = random.Random(seed).sample(MODULES, len(MODULES))
    code = f"import importlib, json; print(json.dumps([importlib.import_module(m).__name__ for m in {order}]))"
    assert answer(code) == order
