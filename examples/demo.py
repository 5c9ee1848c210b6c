"""What `python3 noxfile.py -s demo` shows: the bindings made anew from schema/, then a message decoded with them."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path


def main() -> None:
    """Build, say what was read, made and changed, and decode."""
    build = (sys.executable, "-m", "typedmcp_codegen", "build", "--json", *sys.argv[1:])
    done = subprocess.run(build, stdout=subprocess.PIPE, check=False)
    if done.returncode:
        # The generator has said why.
        sys.exit(done.returncode)
    built = json.loads(done.stdout)
    folder = Path(built["folder"])
    documents = json.loads((folder / "_manifest.json").read_text("utf-8"))["documents"]
    types = sum(len(document["types"]) for document in documents.values())
    changes = [f"{count} {what}" for what, count in built["changed"].items() if count]
    print(f"read       {len(built['documents'])} documents: {', '.join(built['documents'])}")
    print(f"generated  {types} types, each as a msgspec struct and as a pydantic model")
    print(f"on disk    {folder}: {len(built['files'])} files, {', '.join(changes) or 'none changed'}")

    # Only now: what is imported is what was just written.
    import decode_message

    decode_message.main()


if __name__ == "__main__":
    main()
