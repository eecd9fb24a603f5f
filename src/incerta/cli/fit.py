"""``incerta fit``: from a table to clusters, and how sure they are."""

import shlex
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from incerta.backend.progress import bars
from incerta.backend.writing import fill
from incerta.cli import options
from incerta.cli import output as out
from incerta.data.tables.spec import TableSpec
from incerta.estimators.named import METHODS, NAMES, PUBLISHED

if TYPE_CHECKING:
    from incerta.api.clustering import Clustering

MODEL = "model.incerta"

EPILOG = f"""\
\b
Examples:
  incerta fit stars.csv
  incerta fit stars.csv --id star --values mass,radius --errors '{{}}_error' \\
      -k 3 -o out --report
  incerta fit stars.csv --id star --values mass --errors '{{}}_error' --dry-run
  incerta fit stars.csv --id star --values mass --errors '{{}}_error' \\
      --method dbscan --param eps=0.2
  incerta fit replicates.csv --id sample --values x,y > clusters.csv
  incerta fit ensemble.csv --id station --values rain --sample member --joint

\b
Files, all written or none:
  DIR/table.csv      the table, as --format says
  DIR/{MODEL}  the model, for incerta predict
  DIR/{out.SUMMARY}   what was done and found
  DIR/{out.REPORT}    with --report: one page that needs no network"""


@options.takes_columns
def fit(
    file: options.File,
    *,
    columns: TableSpec,
    k: options.Clusters = "auto",
    method: Annotated[
        str,
        options.option(
            "--method",
            f"auto, or one of {', '.join(METHODS)}; rivals from the literature: "
            f"{', '.join(PUBLISHED)}.",
            "NAME",
            ("auto", *NAMES),
            autocompletion=options.starting_as(("auto", *METHODS)),
        ),
    ] = "auto",
    param: options.Param = None,
    seed: options.Seed = 0,
    scale: options.Scale = True,
    directions: options.InDirections = True,
    output: options.Folder = None,
    report: options.Report = False,
    form: options.Format = "csv",
    spreadsheet: options.Spreadsheet = False,
    dry_run: Annotated[
        bool,
        options.option(
            "--dry-run",
            "Say how long it would take, from trials with some of the objects, and "
            "stop: nothing is written.",
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
    names = [f"table.{form}", MODEL, out.SUMMARY, *[out.REPORT] * report]
    folder = out.folder_for(output, names, form, spreadsheet=spreadsheet)
    params = options.parsed(param)
    options.check(method, params)
    from incerta.api.answer import cluster
    from incerta.api.clustering import reworded
    from incerta.api.trial import tell_time
    from incerta.data.files.opened import OpenTable

    fit = partial(
        cluster,
        k=k,
        method=method,
        random_state=seed,
        scale=scale,
        params=params,
        directions="auto" if directions else None,
    )
    with out.noted() as warned, bars(shown=not quiet), options.on_disk(file) as path:
        table = OpenTable(path, columns)
        columns = options.completed(table, "fit", file, quiet=quiet)
        data = table.data(columns)
        del table  # and with it the cells
        if dry_run:
            estimate = tell_time(data, k, fit)
        else:
            result = fit(data)
    if dry_run:
        out.echo(f"{estimate} Nothing was written.")
        return
    chosen = ["-k", str(k), "--method", method, "--seed", str(seed)]
    chosen += [word for text in param or () for word in ("--param", text)]
    chosen += ["--no-scale"] * (not scale) + ["--no-directions"] * (not directions)
    chosen += [] if folder is None else ["-o", str(folder)]
    chosen += ["--report"] * report + ["--format", form] * (form != "csv")
    chosen += ["--spreadsheet"] * spreadsheet
    unsafe = out.tell_formulas(result.ids, form, spreadsheet=spreadsheet)
    result = reworded(
        result,
        warnings=(*warned, *unsafe),
        command=shlex.join(
            [
                "incerta",
                "fit",
                options.as_argument(file),
                *columns.to_options(),
                *chosen,
            ]
        ),
        file=str(file),
        spec=columns,
    )
    written: list[str] = []
    try:
        if folder is None:
            answers = result.columns()
            out.write_table(answers, form, sys.stdout.buffer, spreadsheet=spreadsheet)
        else:
            with bars(shown=not quiet):
                written = write_folder(
                    result, folder, form, report=report, spreadsheet=spreadsheet
                )
    finally:  # also where `head` has seen enough of the table
        if not quiet:
            out.tell(result, written, folder)


def write_folder(
    result: "Clustering",
    folder: Path,
    form: str,
    *,
    report: bool,
    spreadsheet: bool = False,
) -> list[str]:
    """Write table, model, summary and report, all of them or none; their names."""
    from incerta.report import summarize, write

    summary = summarize(result)
    files: dict[str, Callable[[Path], object]] = {
        f"table.{form}": out.table_file(
            result.columns(), form, spreadsheet=spreadsheet
        ),
        MODEL: result.save,
        out.SUMMARY: out.json_file(summary),
    }
    if report:
        files[out.REPORT] = lambda path: write(result, path, summary)
    return fill(folder, files)
