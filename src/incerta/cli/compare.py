"""``incerta compare``: several methods side by side."""

import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING, Annotated, Any

import typer

from incerta.backend.progress import bars
from incerta.cli import options
from incerta.cli import output as out
from incerta.data.tables.spec import TableSpec
from incerta.estimators.named import COMPARED, CONTROLS, METHODS, NAMES
from incerta.wording import counted, verb

if TYPE_CHECKING:
    from incerta.typing import Array

# Short headings.
HEADINGS = {"stability": "stable", "acc": "ACC", "nmi": "NMI"}
# Largest number of methods side by side in 80 columns.
MOST_COLUMNS = 18

EPILOG = """\
\b
Examples:
  incerta compare stars.csv --id star --values mass --errors '{}_error'
  incerta compare stars.csv --id star --values mass --errors '{}_error' \\
      --methods RPC,UKMeans -k 3 --truth class --format csv
  incerta compare stars.csv --id star --values mass --errors '{}_error' \\
      --methods kmeans,dbscan --param dbscan.eps=0.2"""


@options.takes_columns
def compare(
    file: options.File,
    *,
    columns: TableSpec,
    methods: Annotated[
        str,
        options.option(
            "--methods",
            f"Methods, separated by commas, from {', '.join(METHODS)}.",
            "NAME,…",
            callback=options.some_of(NAMES),
        ),
    ] = ",".join(COMPARED),
    param: options.ParamOfSome = None,
    k: options.Clusters = "auto",
    seed: options.Seed = 0,
    scale: options.Scale = True,
    truth: Annotated[
        str | None,
        options.option(
            "--truth",
            "Column of known classes; adds ACC, the share of objects that are labeled "
            "correctly, and NMI.",
            "COL",
        ),
    ] = None,
    form: Annotated[
        str | None,
        options.option(
            "--format",
            "csv, parquet or json; without it, two tables as text.",
            "FORMAT",
            out.FORMATS,
        ),
    ] = None,
    quiet: options.Quiet = False,
) -> None:
    """Cluster with several methods, and show their agreement.

    For each method: clusters, noise objects, mean confidence, stability (agreement of
    two runs with different seeds), seconds, and the adjusted Rand index with each other
    method (1 is the same clustering, 0 is chance). Density methods find the number of
    clusters themselves. Two controls, k-means and HDBSCAN, treat the values as exact.
    """
    if form is not None:
        out.check_format(form)
    names = methods.split(",")
    params = options.for_each(options.parsed(param), names)
    from incerta.api.check import known_classes
    from incerta.api.comparison import compare
    from incerta.data.files.opened import OpenTable

    classes = None
    with out.noted() as warned, bars(shown=not quiet):
        with options.on_disk(file) as path:
            table = OpenTable(path, columns)
            spec = options.completed(table, "compare", file, truth=truth, quiet=quiet)
            data = table.data(spec)
            if truth is not None:
                known = known_classes(table, spec, truth, data, "truth")
                if known is None or not len(known.rows):
                    why = "there is no column" if known is None else "no class in"
                    out.refuse("--truth", f"{why} {truth!r}.")
                classes = known.by_object
        if classes is not None and (n := classes.count(None)):
            has = verb(n, "has", "have")
            text = (
                f"{counted(n, 'object')} {has} no class and is left out of ACC and NMI."
            )
            warned.append(text)
        del table  # frees the cells
        found = compare(data, k, names, seed, scale, params, classes)
    for name, error in found.failed.items():
        if name in CONTROLS:
            warned.append(f"{name} is left out: {out.in_one_line(error)}")
        else:
            out.echo(f"Error: {name}: {out.in_one_line(error)}", err=True)
    if found.answers and form is None:
        _print_tables(found.columns(), found.agreement)
    elif found.answers and form is not None:
        agreement = zip(found.answers, found.agreement.T, strict=True)
        facts = found.columns() | {f"ari_{name}": row for name, row in agreement}
        out.write_table(facts, form, sys.stdout.buffer)
    if not quiet:
        out.warn(warned)
    if set(names) & set(found.failed):
        raise typer.Exit(1)


def _print_tables(facts: dict[str, Any], agreement: "Array") -> None:
    """Print tables of at most 80 columns; methods are numbered in the agreement."""
    from rich.console import Console
    from rich.table import Table

    console = Console(highlight=False, markup=False)

    def show(left: tuple[str, ...], right: Iterable[str], rows: Iterable[Any]) -> None:
        table = Table(box=None, padding=(0, 1, 0, 0), pad_edge=False)
        for heading in left:
            table.add_column(heading, no_wrap=True)
        for heading in right:
            table.add_column(heading, justify="right", no_wrap=True)
        for i, row in enumerate(rows, start=1):
            table.add_row(str(i), *row)
        console.print(table)

    headings = [HEADINGS.get(name, name) for name in list(facts)[1:]]
    columns = (
        column
        if column.dtype.kind != "f"
        else [f"{x:.2f}".replace("nan", "–") for x in column]
        for column in facts.values()
    )
    cells = (map(str, row) for row in zip(*columns, strict=True))
    show(("", "method"), headings, cells)
    foot = (
        "stable: agreement of each method with itself, run again with another seed and "
        "other worlds (adjusted Rand index: 1 is the same clusters, 0 is chance)."
    )
    controls = [f"{i}" for i, m in enumerate(facts["method"], 1) if m in CONTROLS]
    if controls:
        foot += f" {' and '.join(controls)}: controls, which take the values as if "
        foot += "they were exact, and so have no confidence."
    console.print("\n".join(["", *out.wrapped(foot)]))
    n = len(agreement)
    if n == 1:
        return
    console.print("\nAgreement (adjusted Rand index, in %)")
    for start in range(0, n, MOST_COLUMNS):
        some = range(start, min(start + MOST_COLUMNS, n))
        rows = ([f"{100.0 * row[j]:.0f}" for j in some] for row in agreement)
        show(("",), (str(j + 1) for j in some), rows)
