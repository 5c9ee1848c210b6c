"""The project's sessions: `python3 noxfile.py -s tests` on a bare machine, `nox -s tests` where nox is installed.

Owns which tools run, in which order and with which arguments; what they are and what they look at is in pyproject.toml.
"""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from pathlib import Path
from typing import NoReturn

ROOT = Path(__file__).resolve().parent


def _start_over() -> NoReturn:
    """Run this file again with a nox of its own, which the first time is installed beside the sessions."""
    if sys.version_info < (3, 11):  # noqa: UP036 - this file is what meets an older Python first
        sys.exit(f"typedmcp needs Python 3.11 or later; this is {sys.version.split()[0]}")
    folder = ROOT / ".nox" / "bootstrap"
    python = folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    if not python.exists() or subprocess.call([python, "-c", "import nox"], stderr=subprocess.DEVNULL):
        if not (importlib.util.find_spec("venv") and importlib.util.find_spec("ensurepip")):
            sys.exit("this Python has no venv or no ensurepip; install them (Debian, Ubuntu: apt install python3-venv)")
        print("Installing nox into .nox/bootstrap (once) ...", flush=True)
        import venv

        venv.create(folder, with_pip=True, clear=True)
        pip = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "nox>=2025.5"]
        done = subprocess.run(pip, stderr=subprocess.PIPE, text=True, check=False)
        if done.returncode:
            sys.exit(f"{done.stderr}nox could not be installed")
    sys.exit(subprocess.call([python, str(ROOT / "noxfile.py"), *sys.argv[1:]]))


try:
    import nox
except ModuleNotFoundError:
    _start_over()

nox.needs_version = ">=2025.5"
nox.options.sessions = ["tests"]
nox.options.reuse_venv = "yes"
nox.options.default_venv_backend = "virtualenv"

PYPROJECT = nox.project.load_toml(ROOT / "pyproject.toml")
PYTEST = ("pytest", "-n", "2")


def _install(session: nox.Session, *groups: str) -> None:
    session.install(*nox.project.dependency_groups(PYPROJECT, *groups), "--editable", ".")


def _lint(session: nox.Session) -> None:
    session.run("ruff", "check", ".")
    session.run("ruff", "format", "--check", ".")
    session.run("lint-imports", silent=True)


def _types(session: nox.Session) -> None:
    # Only what is installed is run; without this pyright asks a registry whether there is something newer.
    session.run("pyright", env={"PYRIGHT_PYTHON_IGNORE_WARNINGS": "1"})
    session.run("mypy")


def _check(session: nox.Session) -> None:
    session.run("python", "-m", "typedmcp_codegen", "check")


@nox.session
def demo(session: nox.Session) -> None:
    """Regenerate the bindings from schema/ and decode a real message with them."""
    _install(session, "generate")
    session.run("python", "examples/demo.py")


@nox.session
def generate(session: nox.Session) -> None:
    """Write src/generated anew from schema/."""
    _install(session, "generate")
    session.run("python", "-m", "typedmcp_codegen", "build", *session.posargs)


@nox.session
def check(session: nox.Session) -> None:
    """Say whether src/generated is what schema/ gives."""
    _install(session, "generate")
    _check(session)


@nox.session
def lint(session: nox.Session) -> None:
    """Look for faults of style and of layering."""
    _install(session, "lint")
    _lint(session)


@nox.session
def types(session: nox.Session) -> None:
    """Check types with pyright and mypy, both strict, generated code included."""
    _install(session, "test")
    _types(session)


@nox.session
def tests(session: nox.Session) -> None:
    """Run the whole ordinary suite; with arguments after `--`, pytest alone with those."""
    _install(session, "test")
    if not session.posargs:
        # One environment for all of it: what CI waits for is installing.
        for step in (_lint, _types, _check):
            step(session)
    session.run(*PYTEST, *session.posargs)


@nox.session
def conformance(session: nox.Session) -> None:
    """Run the suite with the large numbers: minutes, not seconds."""
    _install(session, "test")
    session.run(*PYTEST, "--conformance", *session.posargs)


@nox.session
def wheel(session: nox.Session) -> None:
    """Build the wheel, and test what it holds and what it does where only it is installed."""
    session.install(*nox.project.dependency_groups(PYPROJECT, "test"))
    session.run("python", "-m", "build", "--wheel", "--no-isolation", "--outdir", "dist", silent=True)
    newest = max((ROOT / "dist").glob("*.whl"), key=lambda path: path.stat().st_mtime)
    session.install("--force-reinstall", str(newest))
    session.run("pytest", "tests/packaging", *session.posargs)


@nox.session
def bench(session: nox.Session) -> None:
    """Measure beside the official SDK and hand-written floors; `-- --gate` fails where a bound does not hold."""
    _install(session, "bench")
    for name in ("imports", "generate", "codec", "stdio"):
        session.run("python", f"benchmarks/{name}.py", *session.posargs)


if __name__ == "__main__":
    os.chdir(ROOT)
    nox.main()
