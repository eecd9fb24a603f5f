"""The command line: ``incerta demo`` and the other commands.

Commands import what they need when they run, so that ``--help`` answers at once.
"""

from incerta.cli.interrupts import obeyed, prepare_streams

__all__ = ["main"]


def main() -> None:
    """Run the command line."""
    prepare_streams()
    with obeyed():
        from incerta.cli.app import app

        app()
