"""The command ``incerta``: its commands, how they end, their help, and what to cite."""

import os
import sys
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup

from incerta.cli import classify, compare, demo, fit, info, predict, watch
from incerta.cli.interrupts import INTERRUPTED, tell
from incerta.cli.summary import about_closed, echo, in_one_line
from incerta.data.tables.spec import OPTIONS, TEXT
from incerta.version import __version__

EXIT_CODES = f"""\
\b
Exit codes:
    0  success, even if the reader of a pipe closed it early
    1  an error in the data or in the fit; the message says what to change
    2  wrong usage
  {INTERRUPTED}  interrupted; nothing is left half-written"""

# What is said about the file itself; the other fields of a table are about columns.
ABOUT_FILE = (*TEXT, "sheet")
ABOUT_METHOD = (
    *("label", "k", "method", "methods", "param", "seed", "scale", "truth", "folds"),
    *("half_life", "micro"),
)
GROUPS = {
    "Columns": tuple(name for name in OPTIONS if name not in ABOUT_FILE),
    "How the file is written": ABOUT_FILE,
    "Method": ABOUT_METHOD,
    "Stream": ("follow", "every", "strict"),
    "Output": ("output", "report", "no_report", "form", "dry_run", "quiet"),
}
OTHERS = "Other options"

# The same two works as CITATION.cff.
CITATION = f"""\
@software{{incerta,
  title   = {{incerta: clustering data that is not exact}},
  author  = {{{{The incerta developers}}}},
  version = {{{__version__}}},
  year    = {{2026}},
}}

@inproceedings{{liu2019rpc,
  title     = {{Clustering Uncertain Data via Representative Possible Worlds with
               Consistency Learning}},
  author    = {{Liu, Han and Zhang, Xianchao and Zhang, Xiaotong and Li, Qimai and
               Wu, Xiao-Ming}},
  booktitle = {{Proceedings of the Twenty-Eighth International Joint Conference on
               Artificial Intelligence (IJCAI-19)}},
  year      = {{2019}},
}}"""


class Commands(TyperGroup):
    """The commands, none of which ends in a traceback unless ``--debug`` asks."""

    def invoke(self, ctx: Any) -> Any:
        """Run the chosen command."""
        try:
            done = super().invoke(ctx)
            sys.stdout.flush()
        except BrokenPipeError:
            _forget_stdout()
            raise typer.Exit(0) from None
        except KeyboardInterrupt:
            tell()
            raise typer.Exit(INTERRUPTED) from None
        except Exception as error:
            # Those of typer know their own exit code, and print themselves.
            if hasattr(error, "exit_code") or ctx.params.get("debug"):
                raise
            if about_closed(error):
                _forget_stdout()  # or Python would try once more, and complain
            echo(f"Error: {in_one_line(error)}", err=True)
            raise typer.Exit(1) from None
        return done


def _forget_stdout() -> None:
    """Discard what is still to be flushed: nobody reads it."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)


class Page(TyperCommand):
    """A command whose help reads like a page of a manual."""

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write what the command takes, by what it is about."""
        for heading, records in grouped(self, ctx).items():
            with formatter.section(heading):
                formatter.write_dl(records)

    def format_epilog(self, ctx: Any, formatter: Any) -> None:
        """Write what follows the options: examples, files, exit codes."""
        for text in (self.epilog, EXIT_CODES):
            if text:
                formatter.write_paragraph()
                with formatter.indentation():
                    formatter.write_text(text)


def grouped(command: TyperCommand, ctx: Any) -> dict[str, list[tuple[str, str]]]:
    """Arguments and options with their help, by heading and in order."""
    heading_of = {name: heading for heading, names in GROUPS.items() for name in names}
    found: dict[str, list[tuple[str, str]]] = {
        heading: [] for heading in ("Arguments", *GROUPS, OTHERS)
    }
    for parameter in command.get_params(ctx):
        record = parameter.get_help_record(ctx)
        if record is not None:
            argument = parameter.param_type_name == "argument"
            about = heading_of.get(parameter.name or "", OTHERS)
            found["Arguments" if argument else about].append(record)
    return {heading: records for heading, records in found.items() if records}


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
