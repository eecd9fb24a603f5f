"""``incerta compare``: several methods side by side."""

import sys
import textwrap
from typing import TYPE_CHECKING, Annotated, Any

import typer

from incerta.cli import options, params
from incerta.cli.classify import labels_of
from incerta.cli.columns import on_disk, takes_columns
from incerta.cli.guessing import completed
from incerta.cli.output import check_format, write_table
from incerta.cli.progress import bars
from incerta.cli.summary import WIDTH, echo, in_one_line, noted, warn
from incerta.data.tables.spec import TableSpec
from incerta.estimators.named import COMPARED, CONTROLS, METHODS, NAMES
from incerta.wording import counted, verb

if TYPE_CHECKING:
    from incerta.typing import Array

# What columns are called where there is little room.
HEADINGS = {"stability": "stable", "acc": "ACC", "nmi": "NMI"}
# Of a table of agreement, in 80 columns.
MOST_COLUMNS = 18

EXAMPLES = """\
\b
Examples:
  incerta compare stars.csv --id star --values mass --errors '{}_error'
  incerta compare stars.csv --id star --values mass --errors '{}_error' \\
      --methods RPC,UKMeans -k 3 --truth class --format csv
  incerta compare stars.csv --id star --values mass --errors '{}_error' \\
      --methods kmeans,dbscan --param dbscan.eps=0.2"""


@takes_columns
def compare(
    file: options.File,
    *,
    columns: TableSpec,
    methods: Annotated[
        str,
        typer.Option(
            "--methods",
            metavar="NAME,…",
            callback=options.some_of(NAMES),
            help=f"Methods, separated by commas, from {', '.join(METHODS)}.",
        ),
    ] = ",".join(COMPARED),
    param: options.ParamOfSome = None,
    k: options.Clusters = "auto",
    seed: options.Seed = 0,
    scale: options.Scale = True,
    truth: Annotated[
        str | None,
        typer.Option(
            "--truth",
            metavar="COL",
            help="Column of known classes; adds ACC, the share of objects that are "
            "labelled correctly, and NMI.",
        ),
    ] = None,
    form: Annotated[
        str | None,
        typer.Option(
            "--format",
            metavar="FORMAT",
            callback=options.one_of(options.FORMATS),
            autocompletion=options.starting_as(options.FORMATS),
            help="csv, parquet or json; without it, two tables as text.",
        ),
    ] = None,
    quiet: options.Quiet = False,
) -> None:
    """Cluster with several methods, and show how far they agree.

    For each method: clusters, objects that are noise, mean confidence, stability (how
    far it agrees with itself, run again with another seed), seconds, and the adjusted
    Rand index with each other method (1 is the same clustering, 0 is chance). Density
    methods find their own number of clusters. Two controls, k-means and HDBSCAN, take
    the values as if they were exact.
    """
    if form is not None:
        check_format(form)
    names = methods.split(",")
    wanted = params.for_each(params.parsed(param), names)
    from incerta.data.files.opened import OpenTable

    with noted() as warned, bars(shown=not quiet):
        with on_disk(file) as path:
            table = OpenTable(path, columns)
            command = ("incerta", "compare", str(file))
            spec = completed(table, command=command, truth=truth, quiet=quiet)
            data = table.data(spec)
            classes = None
            if truth is not None:
                classes = labels_of(table, spec, truth, data, "truth")
        if truth is not None and (classes is None or not len(classes.rows)):
            why = "there is no column" if classes is None else "no class in"
            options.refuse("--truth", f"{why} {truth!r}.")
        if classes is not None and (n := len(data) - len(classes.rows)):
            has = verb(n, "has", "have")
            text = f"{counted(n, 'object')} {has} no class, and no part in ACC and NMI."
            warned.append(text)
        from incerta.api.comparison import compare

        known = None if classes is None else classes.by_object(len(data))
        found = compare(
            data, options.number_of_clusters(k), names, seed, scale, wanted, known
        )
    for name, error in found.failed.items():
        if name in CONTROLS:
            warned.append(f"{name} is left out: {in_one_line(error)}")
        else:
            echo(f"Error: {name}: {in_one_line(error)}", err=True)
    if found.answers and form is None:
        _print_tables(found.columns(), found.agreement)
    elif found.answers and form is not None:
        agreement = zip(found.answers, found.agreement.T, strict=True)
        facts = found.columns() | {f"ari_{name}": row for name, row in agreement}
        write_table(facts, form, sys.stdout.buffer)
    if not quiet:
        warn(warned)
    if set(names) & set(found.failed):
        raise typer.Exit(1)


def _print_tables(facts: dict[str, Any], agreement: "Array") -> None:
    """Tables of at most 80 columns; those of agreement name methods by number."""
    from rich.console import Console
    from rich.table import Table

    console = Console(highlight=False, markup=False)
    table = Table(box=None, padding=(0, 1, 0, 0), pad_edge=False)
    table.add_column("")
    table.add_column("method", no_wrap=True)
    for name in list(facts)[1:]:
        table.add_column(HEADINGS.get(name, name), justify="right", no_wrap=True)
    for i, row in enumerate(zip(*facts.values(), strict=True), start=1):
        table.add_row(str(i), *map(_cell, row))
    console.print(table)
    console.print("\n" + "\n".join(textwrap.wrap(_foot(facts["method"]), WIDTH)))
    n = len(agreement)
    if n == 1:
        return
    console.print("\nAgreement (adjusted Rand index, in %)")
    for start in range(0, n, MOST_COLUMNS):
        some = range(start, min(start + MOST_COLUMNS, n))
        matrix = Table(box=None, padding=(0, 1, 0, 0), pad_edge=False)
        matrix.add_column("")
        for j in some:
            matrix.add_column(str(j + 1), justify="right", no_wrap=True)
        for i, row in enumerate(agreement, start=1):
            matrix.add_row(str(i), *(f"{100.0 * row[j]:.0f}" for j in some))
        console.print(matrix)


def _foot(methods: "Array") -> str:
    """What the table does not say by itself."""
    told = (
        "stable: agreement of each method with itself, run again with another seed and "
        "other worlds (adjusted Rand index: 1 is the same clusters, 0 is chance)."
    )
    there = [f"{i}" for i, name in enumerate(methods, 1) if name in CONTROLS]
    if there:
        told += (
            f" {' and '.join(there)}: controls, which take the values as if they were "
            "exact, and so have no confidence."
        )
    return told


def _cell(value: Any) -> str:
    if not isinstance(value, float):
        return str(value)
    return "–" if value != value else f"{value:.2f}"  # NaN
