"""An independent reading: what datamodel-code-generator finds in the lowered schema by itself equals our IR."""

from __future__ import annotations

import json
import warnings
from pathlib import Path
from typing import Any

import pytest
from datamodel_code_generator import InputFileType, generate
from datamodel_code_generator.enums import DataModelType

from support import packages
from typedmcp_codegen import pipeline
from typedmcp_codegen.ir import Openness, Presence, Struct

DOCUMENTS = [source.name for source in packages.KNOWLEDGE.kept]


@pytest.mark.parametrize("name", DOCUMENTS)
def test_another_reader_of_the_lowered_schema_finds_the_same_classes_and_members(name: str, tmp_path: Path) -> None:
    source = next(source for source in packages.KNOWLEDGE.kept if source.name == name)
    document = pipeline.run(source, packages.KNOWLEDGE).document
    ours = {
        type_.name: {(field.wire, field.presence in (Presence.REQUIRED, Presence.CONSTANT)) for field in type_.fields}
        for type_ in document.types
        if isinstance(type_, Struct) and not (type_.openness is Openness.FORBIDDEN and not type_.fields)
    }
    theirs = _read(json.loads(document.lowered)["types"], tmp_path)
    assert {name: theirs.get(name) for name in ours} == ours


def _read(types: dict[str, Any], folder: Path) -> dict[str, set[tuple[str, bool]]]:
    schema = json.dumps({"$schema": "https://json-schema.org/draft/2020-12/schema", "$defs": types})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        generate(
            schema.replace("#/types/", "#/$defs/"),
            input_file_type=InputFileType.JsonSchema,
            output_model_type=DataModelType.PydanticV2BaseModel,
            output=folder / "out.py",
            emit_model_metadata=folder / "metadata.json",
            skip_root_model=True,
            formatters=[],
        )
    models = json.loads((folder / "metadata.json").read_text("utf-8"))["models"]
    return {
        model["source_path"][1]: {
            (field["original_name"], field["required"]) for field in model["fields"] if field["original_name"]
        }
        for model in models
        if len(model["source_path"]) == 2
    }
