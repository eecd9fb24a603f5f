"""The command ``incerta``: its commands, exit codes, help and citations."""

import os
import sys
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup

from incerta.cli import (
    assess,
    classify,
    compare,
    demo,
    fit,
    info,
    members,
    predict,
    watch,
)
from incerta.cli.interrupts import INTERRUPTED, tell
from incerta.cli.options import option
from incerta.cli.output import about_closed, echo, in_one_line
from incerta.data.tables.spec import OPTIONS, TEXT, as_option
from incerta.version import __version__
from incerta.wording import for_readers

EXIT_CODES = f"""\
\b
Exit codes:
    0  success, even if the reader of a pipe closed it early
    1  an error in the data or in the fit; the message says what to change
    2  wrong usage
  {INTERRUPTED}  interrupted; nothing is left half-written"""

# Options about the file. The other options of `TableSpec` are about columns.
ABOUT_FILE = (*TEXT, "sheet")
ABOUT_METHOD = (
    *("label", "k", "method", "methods", "param", "seed", "scale", "truth", "folds"),
    *("half_life", "micro", "labels", "groups", "field", "sky", "level"),
)
GROUPS = {
    "Columns": tuple(name for name in OPTIONS if name not in ABOUT_FILE),
    "How the file is written": ABOUT_FILE,
    "Method": ABOUT_METHOD,
    "Stream": ("follow", "every", "strict"),
    "Output": ("output", "report", "no_report", "form", "dry_run", "quiet"),
}
OTHERS = "Other options"

# The same two references as in CITATION.cff.
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
    """The commands; they show a traceback only with ``--debug``."""

    def invoke(self, ctx: Any) -> Any:
        """Run the chosen command."""
        try:
            with for_readers(as_option):
                done = super().invoke(ctx)
            sys.stdout.flush()
        except BrokenPipeError:
            _forget_stdout()
            raise typer.Exit(0) from None
        except KeyboardInterrupt:
            tell()
            raise typer.Exit(INTERRUPTED) from None
        except Exception as error:
            # Errors of typer have their own exit code and message.
            if hasattr(error, "exit_code") or ctx.params.get("debug"):
                raise
            if about_closed(error):
                _forget_stdout()  # or Python would flush again, and complain
            echo(f"Error: {in_one_line(error)}", err=True)
            raise typer.Exit(1) from None
        return done


def _forget_stdout() -> None:
    """Discard buffered output after the reader of a pipe has left."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)


class Page(TyperCommand):
    """A command with help like a manual page."""

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write arguments and options, grouped by topic."""
        for heading, records in grouped(self, ctx).items():
            with formatter.section(heading):
                formatter.write_dl(records)

    def format_epilog(self, ctx: Any, formatter: Any) -> None:
        """Write the parts after the options: examples, files, exit codes."""
        for text in (self.epilog, EXIT_CODES):
            if text:
                formatter.write_paragraph()
                with formatter.indentation():
                    formatter.write_text(text)


def grouped(command: TyperCommand, ctx: Any) -> dict[str, list[tuple[str, str]]]:
    """Group arguments and options with their help by heading, in order."""
    heading_of = {name: heading for heading, names in GROUPS.items() for name in names}
    headings = ("Arguments", *GROUPS, OTHERS)
    records: dict[str, list[tuple[str, str]]] = {heading: [] for heading in headings}
    for parameter in command.get_params(ctx):
        if (record := parameter.get_help_record(ctx)) is not None:
            argument = parameter.param_type_name == "argument"
            about = heading_of.get(parameter.name or "", OTHERS)
            records["Arguments" if argument else about].append(record)
    return {heading: some for heading, some in records.items() if some}


app = typer.Typer(
    name="incerta",
    help="Cluster data that is not exact, and learn how sure each label is.",
    epilog=EXIT_CODES,
    cls=Commands,
    no_args_is_help=True,
    # Plain help can be searched, and does not need rich.
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 80},
)
for module in (fit, predict, compare, classify, assess, members, watch, demo, info):
    command = getattr(module, module.__name__.rpartition(".")[2])
    app.command(cls=Page, epilog=module.EPILOG)(command)


def _print(text: str) -> Any:
    """Make an option print a text and exit."""

    def show(wanted: bool) -> None:
        if wanted:
            echo(text)
            raise typer.Exit

    return {"callback": show, "is_eager": True}


NAME = f"incerta {__version__}"
VERSION = option("--version", "Show the version and stop.", **_print(NAME))
CITE = option("--cite", "Show what to cite and stop.", **_print(CITATION))
DEBUG = option("--debug", "Show where in the code an error happened.")


@app.callback()
def incerta(
    version: Annotated[bool, VERSION] = False,
    cite: Annotated[bool, CITE] = False,
    debug: Annotated[bool, DEBUG] = False,
) -> None:
    """Cluster data that is not exact, and learn how sure each label is."""
