"""A package as a set of files: formatted, compared with what stands on disk, written whole or not at all."""

from __future__ import annotations

import difflib
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path, PurePosixPath

from .. import __version__
from ..errors import CodegenError
from ..jsonio import JsonObject, pretty, sha256

MANIFEST = "_manifest.json"
_RUFF = """
line-length = 120
target-version = "py311"
lint.select = ["F401", "I", "RUF022"]
lint.isort.known-first-party = ["typedmcp", "typedmcp_types"]
"""


def formatted(files: Mapping[str, str]) -> dict[str, str]:
    """The files as the formatter writes them: unused imports gone, sorted, laid out.

    Raises CodegenError when the formatter is missing or refuses a file.
    """
    with tempfile.TemporaryDirectory(prefix="typedmcp-") as name:
        folder = Path(name)
        (folder / "ruff.toml").write_text(_RUFF, "utf-8")
        # The linter never removes an import from a file called __init__: there it could be a re-export.
        places = {path: folder / "files" / path.replace("__init__.py", "package.py") for path in files}
        for path, text in files.items():
            target = places[path]
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text, "utf-8", newline="\n")
        python = [str(places[path]) for path in sorted(files) if path.endswith(".py")]
        for arguments in (["check", "--fix", "--quiet"], ["format", "--quiet"]):
            _ruff([*arguments, "--no-cache", "--config", str(folder / "ruff.toml"), *python], folder / "files")
        return {path: place.read_text("utf-8") for path, place in places.items()}


def _ruff(arguments: list[str], folder: Path) -> None:
    try:
        done = subprocess.run([_ruff_path(), *arguments], cwd=folder, capture_output=True, text=True, check=False)
    except FileNotFoundError:
        raise CodegenError("ruff is missing", hint='pip install "typedmcp[codegen]"') from None
    if done.returncode:
        raise CodegenError(f"the formatter refused generated code: {(done.stdout or done.stderr).strip()[:500]}")


def _ruff_path() -> str:
    beside = Path(sys.executable).parent / ("ruff.exe" if os.name == "nt" else "ruff")
    return str(beside) if beside.is_file() else shutil.which("ruff") or "ruff"


def tools() -> dict[str, str]:
    """The versions of what printed the files; they are part of the manifest."""
    found = {"typedmcp_codegen": __version__}
    for name in ("datamodel-code-generator", "jinja2", "ruff"):
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            raise CodegenError(f"{name} is missing", hint='pip install "typedmcp[codegen]"') from None
    return found


def with_manifest(files: Mapping[str, str], about: JsonObject) -> dict[str, str]:
    """The files and a manifest of them, so that a hand edit is named even where no generator is installed."""
    listed = {path: sha256(text) for path, text in sorted(files.items())}
    return {**files, MANIFEST: pretty({**about, "files": listed})}


@dataclass(frozen=True, slots=True)
class Drift:
    """How a folder differs from what would be generated into it, by paths; `diff` is a unified diff of the changed."""

    changed: tuple[str, ...]
    missing: tuple[str, ...]
    extra: tuple[str, ...]
    diff: str

    def __bool__(self) -> bool:
        return bool(self.changed or self.missing or self.extra)


def compare(files: Mapping[str, str], folder: Path) -> Drift:
    """Both directions: files that differ, that are missing, that nobody generated."""
    found = on_disk(folder)
    changed = tuple(path for path in sorted(files.keys() & found) if found[path] != files[path].encode())
    lines: list[str] = []
    for path in changed:
        old = found[path].decode("utf-8", "replace").splitlines(keepends=True)
        new = files[path].splitlines(keepends=True)
        lines += difflib.unified_diff(old, new, f"on disk/{path}", f"generated/{path}")
        lines = [line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines]
    return Drift(
        changed,
        tuple(sorted(files.keys() - found.keys())),
        tuple(sorted(found.keys() - files.keys())),
        "".join(lines),
    )


def on_disk(folder: Path) -> dict[str, bytes]:
    """The files of a package, by path; what Python caches there does not count."""
    found: dict[str, bytes] = {}
    for path in sorted(folder.rglob("*")) if folder.is_dir() else ():
        relative = PurePosixPath(path.relative_to(folder).as_posix())
        if path.is_file() and "__pycache__" not in relative.parts:
            found[str(relative)] = path.read_bytes()
    return found


def write(files: Mapping[str, str], folder: Path) -> None:
    """Put the files there, all or none; files of an earlier generation that are no longer made go.

    Raises CodegenError when the folder holds files nobody generated, or cannot be written; then nothing has changed.
    """
    _refuse_foreign(files, folder)
    parent = folder.parent
    try:
        parent.mkdir(parents=True, exist_ok=True)
        stage = Path(tempfile.mkdtemp(prefix=f".{folder.name}-", dir=parent))
    except OSError as error:
        raise CodegenError(f"cannot be written: {error.strerror}", where=str(folder)) from None
    fresh, old = stage / "new", stage / "old"
    try:
        for path, text in files.items():
            target = fresh / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text, "utf-8", newline="\n")
        try:
            if folder.exists():
                folder.rename(old)
            fresh.rename(folder)
        except BaseException:
            if old.exists() and not folder.exists():
                old.rename(folder)
            raise
    except OSError as error:
        raise CodegenError(f"cannot be written: {error.strerror}", where=str(folder)) from None
    finally:
        # Where even the way back failed, the only copy of the old files is in the stage.
        if folder.exists() or not old.exists():
            shutil.rmtree(stage, ignore_errors=True)


def recorded(folder: Path) -> dict[str, str]:
    """The files a package's manifest lists, with their digests.

    Raises CodegenError when the manifest is none of ours.
    """
    manifest = folder / MANIFEST
    try:
        listed = json.loads(manifest.read_text("utf-8"))["files"]
        return {str(path): str(digest) for path, digest in listed.items()}
    except (ValueError, KeyError, TypeError, AttributeError):
        raise CodegenError("is no manifest of ours", where=str(manifest), hint="empty the folder") from None


def _refuse_foreign(files: Mapping[str, str], folder: Path) -> None:
    if folder.exists() and not folder.is_dir():
        raise CodegenError("is a file", where=str(folder), hint="name a folder")
    known = set(files)
    manifest = folder / MANIFEST
    if manifest.is_file():
        known |= set(recorded(folder))
    foreign = sorted(set(on_disk(folder)) - known)
    if foreign or (folder.is_dir() and not manifest.is_file() and on_disk(folder)):
        odd = ", ".join(foreign[:3]) or "it has no manifest"
        raise CodegenError(
            f"holds files that were not generated: {odd}", where=str(folder), hint="move them, or name an empty folder"
        )
