"""Commands and scripts in this process, as starting another takes seconds."""

import runpy
import sys
from inspect import signature
from pathlib import Path

from typer.testing import CliRunner


class Runner(CliRunner):
    """What runs a command and keeps what it writes to stdout and stderr apart."""

    def __init__(self):
        # click before 8.2, which the lowest typer needs, mixes them by itself.
        mixes = "mix_stderr" in signature(CliRunner).parameters
        super().__init__(**({"mix_stderr": False} if mixes else {}))


def run_script(script, *arguments):
    """Run a script, whose folder is the first to import from."""
    before = sys.argv, sys.path
    sys.argv, sys.path = [script, *arguments], [str(Path(script).parent), *sys.path]
    try:
        runpy.run_path(script, run_name="__main__")
    finally:
        sys.argv, sys.path = before
