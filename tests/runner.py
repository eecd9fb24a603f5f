"""Commands in this process."""

from inspect import signature

from typer.testing import CliRunner


class Runner(CliRunner):
    """What runs a command and keeps what it writes to stdout and stderr apart."""

    def __init__(self):
        # click before 8.2, which the lowest typer needs, mixes them by itself.
        mixes = "mix_stderr" in signature(CliRunner).parameters
        super().__init__(**({"mix_stderr": False} if mixes else {}))
