"""The console script `typedmcp`: says what there is and hands each command to the package that does it.

Imports nothing of the generator before a command of its is asked for, and nothing else of this package.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from typing import NoReturn

from . import __version__

COMMANDS = {
    "generate": "make a package of typed bindings from an MCP schema file",
    "check": "compare such a package with its schema file, or with its manifest",
    "explain": "show what a type, a member or a method is in each revision, and why",
}
MORE = 'typedmcp: this command needs more: pip install "typedmcp[codegen]"'


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        print(f"typedmcp: {message} (typedmcp --help)", file=sys.stderr)
        raise SystemExit(2)


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line; returns the exit status, which is 2 for every error."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    if arguments[:1] and arguments[0] in COMMANDS:
        return _generator(arguments)
    listed = "\n".join(f"  {name:10}{text}" for name, text in COMMANDS.items())
    parser = _Parser(
        prog="typedmcp",
        usage="typedmcp [--version] COMMAND ...",
        description="Typed bindings for the Model Context Protocol.",
        epilog=f"commands:\n{listed}\n\ntypedmcp COMMAND --help tells more.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"typedmcp {__version__}")
    parser.add_argument("command", choices=COMMANDS, metavar="COMMAND", nargs="?", help=argparse.SUPPRESS)
    parser.parse_args(arguments)
    parser.print_help()
    return 0


def _generator(arguments: Sequence[str]) -> int:
    try:
        from typedmcp_codegen.__main__ import main as generator
    except ImportError as error:
        if (error.name or "").partition(".")[0] not in ("typedmcp_codegen", "jinja2", "datamodel_code_generator"):
            raise
        print(MORE, file=sys.stderr)
        return 2
    return generator(arguments, prog="typedmcp")
