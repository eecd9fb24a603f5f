"""``incerta fit``: from a table to clusters, and how sure they are."""

import shlex
import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from incerta.cli import options, params
from incerta.cli.columns import on_disk, takes_columns
from incerta.cli.guessing import completed
from incerta.cli.output import (
    STDOUT,
    check_folder,
    check_format,
    filling,
    tell_formulas,
    write_table,
)
from incerta.cli.progress import bars
from incerta.cli.summary import echo, noted, tell
from incerta.cli.wording import as_options
from incerta.data.tables.spec import TableSpec
from incerta.estimators.named import METHODS, NAMES, PUBLISHED

if TYPE_CHECKING:
    from incerta.api.clustering import Clustering

MODEL, SUMMARY, REPORT = "model.incerta", "summary.json", "report.html"

EXAMPLES = """\
\b
Examples:
  incerta fit stars.csv
  incerta fit stars.csv --id star --values mass,radius --errors '{}_error' \\
      -k 3 -o out --report
  incerta fit stars.csv --id star --values mass --errors '{}_error' --dry-run
  incerta fit stars.csv --id star --values mass --errors '{}_error' \\
      --method dbscan --param eps=0.2
  incerta fit replicates.csv --id sample --values x,y > clusters.csv
  incerta fit ensemble.csv --id station --values rain --sample member --joint"""
FILES = f"""\
\b
Files, all written or none:
  DIR/table.csv      the table, as --format says
  DIR/{MODEL}  the model, for incerta predict
  DIR/{SUMMARY}   what was done and found
  DIR/{REPORT}    with --report: one page that needs no network"""


@takes_columns
def fit(
    file: options.File,
    *,
    columns: TableSpec,
    k: options.Clusters = "auto",
    method: Annotated[
        str,
        typer.Option(
            "--method",
            metavar="NAME",
            callback=options.one_of(("auto", *NAMES)),
            autocompletion=options.starting_as(("auto", *METHODS)),
            help=f"auto, or one of {', '.join(METHODS)}; rivals from the literature: "
            f"{', '.join(PUBLISHED)}.",
        ),
    ] = "auto",
    param: options.Param = None,
    seed: options.Seed = 0,
    scale: options.Scale = True,
    directions: options.InDirections = True,
    output: Annotated[
        Path | None,
        typer.Option(
            "-o",
            "--output",
            metavar="DIR",
            parser=options.place,
            help="Folder for the table, the model and a summary. Without it, or with "
            "-, the table goes to stdout.",
        ),
    ] = None,
    report: Annotated[
        bool, typer.Option("--report", help="Write report.html to the folder, too.")
    ] = False,
    form: options.Format = "csv",
    spreadsheet: options.Spreadsheet = False,
    dry_run: Annotated[
        bool,
        typer.Option(
            "--dry-run",
            help="Say how long it would take, from trials with some of the objects, "
            "and stop: nothing is written.",
        ),
    ] = False,
    quiet: options.Quiet = False,
) -> None:
    """Cluster a table, and say how sure each label is.

    A row is a value of an object, or an object whose values have error columns.
    Without --values, columns are guessed from their names and cells if that is clear.
    The result is a table: id, cluster (-1 is noise), confidence, the second most
    probable cluster, the probability of each cluster, and novelty: how unlike all
    others the object is (3 is 1 in 1000).
    """
    folder = None if output in (None, STDOUT) else output
    if folder is not None:
        check_folder(folder, files_of(form, report))
    elif report:
        options.refuse("--report", "a report needs a folder; give -o DIR.")
    _check_extras(form, report, spreadsheet)
    wanted = params.parsed(param)
    params.check(method, wanted)
    from incerta.api.answer import cluster
    from incerta.api.clustering import reworded
    from incerta.data.files.opened import OpenTable

    fit = partial(
        cluster,
        k=options.number_of_clusters(k),
        method=method,
        seed=seed,
        scale=scale,
        params=wanted,
        directions="auto" if directions else None,
    )
    command = ("incerta", "fit", str(file))
    with noted() as warned, bars(shown=not quiet), on_disk(file) as path:
        table = OpenTable(path, columns)
        columns = completed(table, command=command, quiet=quiet)
        data = table.data(columns)
        if dry_run:
            from incerta.cli.trial import tell_time

            told = tell_time(data, options.number_of_clusters(k), fit)
        else:
            result = fit(data)
    if dry_run:
        echo(f"{told} Nothing was written.")
        return
    chosen = ["-k", k, "--method", method, "--seed", str(seed)]
    chosen += [word for text in param or () for word in ("--param", text)]
    chosen += [] if scale else ["--no-scale"]
    chosen += [] if directions else ["--no-directions"]
    chosen += [] if folder is None else ["-o", str(folder)]
    chosen += ["--report"] if report else []
    chosen += [] if form == "csv" else ["--format", form]
    chosen += ["--spreadsheet"] if spreadsheet else []
    unsafe = None if spreadsheet else tell_formulas(result.ids, form)
    result = reworded(
        result,
        reasons=tuple(map(as_options, result.reasons)),
        warnings=(*warned, *([unsafe] if unsafe else [])),
        command=command_line(file, [*columns.to_options(), *chosen]),
        file=str(file),
        spec=columns,
    )
    written: list[str] = []
    try:
        if folder is None:
            write_table(
                result.columns(), form, sys.stdout.buffer, spreadsheet=spreadsheet
            )
        else:
            with bars(shown=not quiet):
                written = write_folder(
                    result, folder, form, report=report, spreadsheet=spreadsheet
                )
    finally:  # also where `head` has seen enough of the table
        if not quiet:
            tell(result, written, folder)


def command_line(file: Path, arguments: Sequence[str]) -> str:
    """The command that repeats this."""
    name = str(file)
    if name.startswith("-") and name != "-":
        name = f"./{name}"  # or it would be read as an option
    return shlex.join(["incerta", "fit", name, *arguments])


def write_folder(
    result: "Clustering",
    folder: Path,
    form: str,
    *,
    report: bool,
    spreadsheet: bool = False,
) -> list[str]:
    """Write table, model, summary and report, all of them or none.

    Returns
    -------
    list of str
        Names of the files.
    """
    import json

    from incerta.report import summarise, write

    summary = summarise(result)
    table, *others = files_of(form, report)
    with filling(folder) as place:
        with (place / table).open("wb") as out:
            write_table(result.columns(), form, out, spreadsheet=spreadsheet)
        result.save(place / MODEL)
        text = json.dumps(summary, indent=1, ensure_ascii=False)
        (place / SUMMARY).write_text(text + "\n", encoding="utf-8")
        if report:
            write(result, place / REPORT, summary)
    return [table, *others]


def files_of(form: str, report: bool) -> list[str]:
    """Names of the files that are written, the table first."""
    return [f"table.{form}", MODEL, SUMMARY, *([REPORT] if report else [])]


def _check_extras(form: str, report: bool, spreadsheet: bool) -> None:
    """Raise, before long work, for what is not installed."""
    check_format(form, spreadsheet=spreadsheet)
    if report:
        from incerta.backend.optional import require

        require("jinja2", "report", "a report")
