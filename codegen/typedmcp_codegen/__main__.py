"""The generator's command line: parses, calls, prints. What the commands do is in the modules it calls.

Every error is one line on stderr and exit status 2, never a traceback; a defect of the generator itself is no error of
that kind, and its traceback is shown.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NoReturn

from . import __version__, commands, report
from .errors import CodegenError
from .pipeline import STAGES, Knowledge
from .report import Outcome, Progress

Command = Callable[[argparse.Namespace, Progress], Outcome]
_DISTRIBUTION = Path("src", "generated", "typedmcp_types")


def main(argv: Sequence[str] | None = None, prog: str = "python -m typedmcp_codegen") -> int:
    """Run one command; returns the exit status: 0 done, 1 something differs, 2 an error, 130 interrupted."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    as_json = "--json" in arguments
    try:
        status = _run(arguments, prog, as_json=as_json)
        sys.stdout.flush()
        return status
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        # The reader went away (`| head`): what is still in the buffer has nowhere to go.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 141


def _run(arguments: Sequence[str], prog: str, *, as_json: bool) -> int:
    try:
        options = _parser(prog).parse_args(arguments)
        command: Command = options.command
        with Progress() as progress:
            outcome = command(options, progress)
    except CodegenError as error:
        told = error
    except BrokenPipeError:
        raise
    except OSError as error:
        told = CodegenError(error.strerror or str(error), where=str(error.filename or ""))
    except RecursionError:
        told = CodegenError("nested too deeply to be generated")
    except ImportError as error:
        if error.name is None or error.name.partition(".")[0] not in ("jinja2", "datamodel_code_generator"):
            raise
        told = CodegenError(commands.MORE)
    else:
        report.show(outcome, as_json=as_json, out=sys.stdout)
        return outcome.status
    report.fail(told, as_json=as_json, out=sys.stdout, err=sys.stderr)
    return 2


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise CodegenError(message, hint=f"{self.prog} --help")


def _parser(prog: str) -> argparse.ArgumentParser:
    parser = _Parser(prog=prog, description="Typed packages from MCP JSON Schemas.", allow_abbrev=False)
    parser.add_argument("--version", action="version", version=f"typedmcp {__version__}")
    subparsers = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)

    def add(name: str, command: Command, text: str, more: str) -> argparse.ArgumentParser:
        sub = subparsers.add_parser(
            name,
            help=text[0].lower() + text[1:],
            description=f"{text}.\n\n{more}",
            formatter_class=argparse.RawDescriptionHelpFormatter,
            allow_abbrev=False,
        )
        sub.add_argument("--json", action="store_true", help="print one JSON object, also for an error")
        sub.set_defaults(command=command)
        return sub

    generate = add(
        "generate",
        _generate,
        "Make a package from an MCP schema file",
        "FILE is any MCP JSON Schema: an official revision, a Rust SDK export, or your own extension of one.\n"
        "The package is written to DIR/NAME, whole or not at all. Example:\n\n"
        f"  {prog} generate 2025-11-25.json -o src/myproject",
    )
    generate.add_argument("file", metavar="FILE", type=Path, help="the schema file")
    generate.add_argument(
        "-o", dest="out", metavar="DIR", type=Path, required=True, help="the folder to put the package into"
    )
    _package_options(generate)

    check = add(
        "check",
        _check,
        "Compare a package with what its schema file would be turned into",
        "With FILE: renders in memory and compares both ways. With -o alone: compares the files with the package's\n"
        "manifest, which needs no generator. With neither, inside the repository: the whole distribution.\n"
        "Exit status 0: the same; 1: something differs; 2: an error.",
    )
    check.add_argument("file", metavar="FILE", type=Path, nargs="?", help="the schema file")
    check.add_argument("-o", dest="out", metavar="DIR", type=Path, help="the folder that was given to generate")
    _package_options(check)

    build = add(
        "build",
        _build,
        "Write the distribution's generated types (inside the repository)",
        "Every dated revision and the Rust SDK's documents with batches, from the documents in schema/.",
    )
    build.add_argument("--out", metavar="DIR", type=Path, help=f"where to (default: {_DISTRIBUTION.as_posix()})")

    import_ = add(
        "import",
        _import,
        "Record the structure of an official document in schema/ (inside the repository)",
        "Removes prose, updates SOURCES.json, and says what changed since the last import.",
    )
    import_.add_argument("file", metavar="SOURCE.json", type=Path, help="the document as it was published")
    import_.add_argument("--as", dest="name", metavar="NAME", required=True, help="like 2025-11-25 or rmcp-server")
    import_.add_argument(
        "--from", dest="origins", metavar="FILE", type=Path, help="a SOURCES.json that says where it is from"
    )
    import_.add_argument("--schema", metavar="DIR", type=Path, help="the schema folder (default: the repository's)")
    import_.add_argument("--new", action="store_true", help="it is a new revision, however much it resembles another")

    explain = add(
        "explain",
        _explain,
        "Show what a type, a member or a method is in each revision, and why",
        "NAME is a type (Tool), a member (Tool.title) or a method (tools/call).",
    )
    explain.add_argument("name", metavar="NAME")
    explain.add_argument("--stage", metavar="STAGE", default="", help=f"one stage's data as JSON: {', '.join(STAGES)}")
    explain.add_argument(
        "--revision", metavar="R", default="", help="in this document only, like 2025-11-25 or rmcp-server"
    )
    return parser


def _package_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--package", metavar="NAME", default="", help="the package's name (default: made from the file's)"
    )
    parser.add_argument(
        "--backend",
        choices=sorted(commands.BACK_ENDS),
        default="",
        help="which types (default: both; to check: those that are there)",
    )
    parser.add_argument(
        "--revision",
        metavar="BASE",
        default="",
        help="the known document it is or extends, or none (default: found out)",
    )
    parser.add_argument(
        "--name", metavar="LABEL", default="", help="what the document is called (default: as the file)"
    )


def _request(options: argparse.Namespace) -> commands.Request:
    return commands.Request(options.file, options.out, options.package, options.backend, options.revision, options.name)


def _generate(options: argparse.Namespace, progress: Progress) -> Outcome:
    return commands.generate(_request(options), Knowledge.default(), progress)


def _check(options: argparse.Namespace, progress: Progress) -> Outcome:
    if options.file is not None and options.out is None:
        raise CodegenError("the package to compare with is missing", hint="-o DIR, as for generate")
    if options.file is not None:
        return commands.check(_request(options), Knowledge.default(), progress)
    if options.out is not None:
        return commands.check_manifest(options.out, options.package)
    return commands.check_distribution(_repository() / _DISTRIBUTION, Knowledge.default(), progress)


def _build(options: argparse.Namespace, progress: Progress) -> Outcome:
    out = options.out if options.out is not None else _repository() / _DISTRIBUTION
    return commands.build(out, Knowledge.default(), progress)


def _import(options: argparse.Namespace, progress: Progress) -> Outcome:
    from .importing import import_document

    knowledge = Knowledge(options.schema if options.schema is not None else _repository() / "schema")
    return import_document(options.file, options.name, options.origins, knowledge, progress, new=options.new)


def _explain(options: argparse.Namespace, progress: Progress) -> Outcome:
    from .explain import explain

    return explain(options.name, options.stage, options.revision, Knowledge.default(), progress)


def _repository() -> Path:
    """The checkout this code is part of, as short as it can be told. Raises CodegenError for an installed package."""
    root = Path(__file__).resolve().parent.parent.parent
    if not (root / "schema" / "SOURCES.json").is_file() or not (root / "codegen").is_dir():
        raise CodegenError("this works only inside the repository", hint="name a schema FILE and -o DIR")
    return Path(os.path.relpath(root)) if Path.cwd().is_relative_to(root) else root


if __name__ == "__main__":
    sys.exit(main())
