"""The command line: ``incerta demo`` and the other commands.

Commands import what they need when they run, so that ``--help`` answers at once.
"""

from incerta.cli.app import main

__all__ = ["main"]
