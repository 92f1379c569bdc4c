"""The command ``cubilete``: one module a subcommand."""

import argparse
from collections.abc import Sequence

from server import __version__
from server.cli import serve


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a subcommand; the process's exit code."""
    parser = argparse.ArgumentParser(prog="cubilete", description="Dice games at shared tables, with dice anybody can check.")
    parser.add_argument("--version", action="version", version=f"cubilete {__version__}")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    for command in (serve,):
        command.add_to(commands)
    chosen = parser.parse_args(arguments)
    code: int = chosen.run(chosen)
    return code
