"""Whether the generated types say what the documents say, and whether a document under a wrong name is noticed."""

from __future__ import annotations

import importlib
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from oracle import reference
from support import fidelity, packages
from support.paths import SCHEMA
from typedmcp_codegen import pipeline, sources
from typedmcp_codegen.errors import CodegenError
from typedmcp_codegen.ir import Struct


@pytest.mark.parametrize("revision", sources.REVISIONS)
def test_each_module_names_its_revision_and_the_hash_of_its_input(revision: str) -> None:
    package = f"typedmcp_types.v{revision.replace('-', '_')}"
    digest = sources.read(SCHEMA / f"{revision}.json").sha256
    for part in ("", ".methods", ".structs", ".models"):
        told = importlib.import_module(package + part).__doc__ or ""
        assert revision in told
        assert digest in told


@pytest.mark.parametrize("back_end", packages.BACK_ENDS)
@pytest.mark.parametrize("revision", sources.REVISIONS)
def test_the_generated_types_have_the_names_members_and_arms_of_the_document(revision: str, back_end: str) -> None:
    module = importlib.import_module(f"typedmcp_types.v{revision.replace('-', '_')}.{back_end}")
    document = sources.read(SCHEMA / f"{revision}.json").document
    assert fidelity.differences(document, module, reference.left_out(revision)) == []


def test_a_member_lost_from_a_generated_class_is_noticed(tmp_path: Path) -> None:
    source = sources.read(SCHEMA / "2025-11-25.json")
    document = pipeline.run(source, packages.KNOWLEDGE).document
    types = tuple(_without(type_, "Tool", "title") for type_ in document.types)
    name = packages.from_document(replace(document, types=types), tmp_path, ("structs",))
    found = fidelity.differences(source.document, importlib.import_module(f"{name}.structs"))
    assert found == ["Tool has no member title"]


def _without(type_: Any, owner: str, wire: str) -> Any:
    if not isinstance(type_, Struct) or type_.name != owner:
        return type_
    return replace(type_, fields=tuple(field for field in type_.fields if field.wire != wire))


def test_a_document_kept_under_the_name_of_another_revision_is_reported(tmp_path: Path) -> None:
    folder = tmp_path / "schema"
    shutil.copytree(SCHEMA, folder)
    shutil.copy(folder / "2025-06-18.json", folder / "2025-11-25.json")
    with pytest.raises(CodegenError, match=r"its structure is that of 2025-06-18\.json"):
        pipeline.official(pipeline.Knowledge(folder))
