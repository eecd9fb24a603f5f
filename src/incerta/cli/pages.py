"""How ``--help`` is laid out: options by what they are about, files, exit codes."""

from typing import Any

from typer.core import TyperCommand

from incerta.cli.columns import OPTIONS
from incerta.cli.failures import EXIT_CODES

# What is said about the file itself; all else that `Columns` knows is about columns.
ABOUT_FILE = ("sep", "decimal", "encoding", "na", "sheet")
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
