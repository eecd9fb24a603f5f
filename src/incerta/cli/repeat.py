"""Python that reads what a command read."""

from dataclasses import asdict
from pathlib import Path
from typing import Any

from incerta.cli.columns import STDIN, Columns


def python_that_reads(file: Path, columns: Columns) -> str:
    """A call of `incerta.read` that says what the options said.

    Parameters
    ----------
    file : Path
        The file as it was named; what came from stdin is to be saved first.
    columns : Columns
        Its fields are parameters of `incerta.read`.

    Returns
    -------
    str
        ``data = ic.read('stars.csv', id='star', ...)``.
    """
    path = "stdin.csv" if file == STDIN else str(file)
    said = [
        f"{name}={_written(name, value)}"
        for name, value in asdict(columns).items()
        if value not in (None, ())
    ]
    call = f"data = ic.read({', '.join([repr(path), *said])})"
    return f"# stdin.csv: what came from stdin.\n{call}" if file == STDIN else call


def _written(name: str, value: Any) -> str:
    if not isinstance(value, tuple):
        return repr(value)
    # A single template of errors is for all columns; several belong to them in turn.
    return repr(value[0] if name == "errors" and len(value) == 1 else list(value))
