"""The command ``incerta`` and the options that belong to no command."""

from typing import Annotated

import typer

from incerta import __version__
from incerta.cli.cite import CITATION
from incerta.cli.demo import demo

app = typer.Typer(
    name="incerta",
    help="Cluster data that is not exact, and learn how sure each label is.",
    no_args_is_help=True,
    pretty_exceptions_show_locals=False,
)
app.command()(demo)


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"incerta {__version__}")
        raise typer.Exit


def _print_citation(wanted: bool) -> None:
    if wanted:
        typer.echo(CITATION)
        raise typer.Exit


@app.callback()
def incerta(
    version: Annotated[
        bool,
        typer.Option(
            "--version",
            callback=_print_version,
            is_eager=True,
            help="Show the version and stop.",
        ),
    ] = False,
    cite: Annotated[
        bool,
        typer.Option(
            "--cite",
            callback=_print_citation,
            is_eager=True,
            help="Show what to cite and stop.",
        ),
    ] = False,
) -> None:
    """Cluster data that is not exact, and learn how sure each label is."""


def main() -> None:
    """Run the command line."""
    app()
