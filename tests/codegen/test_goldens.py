"""One small schema for each trap, with what every stage makes of it: lowered JSON, IR, the modules, the methods.

`UPDATE_GOLDENS=1` writes them anew; the change is then there to review.
"""

from __future__ import annotations

import os
import pprint
from pathlib import Path

import pytest

from support import packages
from support.paths import REPOSITORY
from typedmcp.base import decode
from typedmcp.errors import DecodeError
from typedmcp_codegen import jsonio, pipeline, sources
from typedmcp_codegen.digest import bare
from typedmcp_codegen.emit import package as emitted

GOLDENS = REPOSITORY / "tests" / "goldens"
TRAPS = sorted(path.name for path in GOLDENS.iterdir() if path.is_dir())


def _stages(trap: str) -> dict[str, str]:
    source = sources.read(GOLDENS / trap / "schema.json", trap)
    document = pipeline.run(source, packages.KNOWLEDGE).document
    files = emitted.single(document, packages.BACK_ENDS)
    found = {
        "lowered.json": document.lowered,
        "ir.txt": "\n\n".join(pprint.pformat(bare(type_), width=110) for type_ in document.types) + "\n",
        "structs.py": files["structs/__init__.py"],
        "models.py": files["models/__init__.py"],
    }
    return found | ({"methods.py": files["methods.py"]} if document.methods else {})


@pytest.mark.parametrize("trap", TRAPS)
def test_every_stage_makes_of_a_trap_what_was_reviewed(trap: str) -> None:
    made = _stages(trap)
    if os.environ.get("UPDATE_GOLDENS") == "1":
        for name, text in made.items():
            (GOLDENS / trap / name).write_text(text, "utf-8")
    kept = {path.name: path.read_text("utf-8") for path in (GOLDENS / trap).iterdir() if path.name != "schema.json"}
    assert made == kept


@pytest.mark.parametrize("back_end", packages.BACK_ENDS)
@pytest.mark.parametrize("trap", TRAPS)
def test_the_module_made_of_a_trap_imports_and_every_type_can_be_read(trap: str, back_end: str, tmp_path: Path) -> None:
    schema = jsonio.load((GOLDENS / trap / "schema.json").read_bytes(), trap)
    module = packages.from_schema(schema, tmp_path).module(back_end)
    for name in module.__all__:
        # The text is cut off: a type that could not build its reader would raise something else first.
        with pytest.raises(DecodeError, match="JSON"):
            decode("{", getattr(module, name))
