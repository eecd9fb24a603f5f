"""The command ``incerta`` and the options that belong to no command."""

from typing import Annotated

import typer

from incerta.cli import classify, compare, demo, fit, info, predict, watch
from incerta.cli.cite import CITATION
from incerta.cli.failures import EXIT_CODES, Commands
from incerta.cli.pages import Page
from incerta.cli.terminal import echo
from incerta.version import __version__

app = typer.Typer(
    name="incerta",
    help="Cluster data that is not exact, and learn how sure each label is.",
    epilog=EXIT_CODES,
    cls=Commands,
    no_args_is_help=True,
    # Plain help wraps words as they are, can be searched, and needs no rich.
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 80},
)
app.command(cls=Page, epilog=f"{fit.EXAMPLES}\n\n{fit.FILES}")(fit.fit)
app.command(cls=Page, epilog=predict.EXAMPLES)(predict.predict)
app.command(cls=Page, epilog=compare.EXAMPLES)(compare.compare)
app.command(cls=Page, epilog=f"{classify.EXAMPLES}\n\n{classify.FILES}")(
    classify.classify
)
app.command(cls=Page, epilog=f"{watch.EXAMPLES}\n\n{watch.FILES}")(watch.watch)
app.command(cls=Page, epilog=demo.EXAMPLES)(demo.demo)
app.command(cls=Page, epilog=info.EXAMPLES)(info.info)


def _print_version(wanted: bool) -> None:
    if wanted:
        echo(f"incerta {__version__}")
        raise typer.Exit


def _print_citation(wanted: bool) -> None:
    if wanted:
        echo(CITATION)
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
    debug: Annotated[
        bool,
        typer.Option("--debug", help="Show where in the code an error happened."),
    ] = False,
) -> None:
    """Cluster data that is not exact, and learn how sure each label is."""
