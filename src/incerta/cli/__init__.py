"""The command line: ``incerta demo`` and the other commands.

Commands import what they need when they run, so that ``--help`` answers at once.
"""

import sys

from incerta.backend.optional import require
from incerta.cli.interrupts import obeyed, prepare_streams
from incerta.exceptions import MissingExtraError

__all__ = ["main"]


def main() -> None:
    """Run the command line."""
    prepare_streams()
    with obeyed():
        try:
            require("typer", "cli", "The command line")
        except MissingExtraError as error:
            sys.exit(f"Error: {error}")
        from incerta.cli.app import app

        app()
