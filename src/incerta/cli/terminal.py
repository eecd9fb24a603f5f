"""What is shown on a terminal."""

import typer

from incerta.wording import printable


def echo(text: object = "", *, err: bool = False, bold: bool = False) -> None:
    """Print lines, whatever is in them: data and files may hold control characters."""
    lines = map(printable, str(text).split("\n"))
    typer.secho("\n".join(lines), err=err, bold=bold or None)
