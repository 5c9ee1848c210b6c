"""What generated code asks of the runtime, and what the runtime has, are told in two places that cannot share one."""

from __future__ import annotations

from typedmcp.abi import ABI
from typedmcp_codegen.emit import package


def test_the_generator_asks_for_the_abi_that_the_runtime_has() -> None:
    assert package.ABI == ABI
