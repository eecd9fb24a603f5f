"""``incerta fit``: cluster a table, with the confidence of each label."""

import shlex
from functools import partial
from typing import TYPE_CHECKING, Annotated

from incerta.backend.progress import bars
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
            f"auto, or one of {', '.join(METHODS)}; methods from the literature: "
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
            "Estimate the time from trial runs with some of the objects, and "
            "stop: nothing is written.",
        ),
    ] = False,
    quiet: options.Quiet = False,
) -> None:
    """Cluster a table, with the confidence of each label.

    A row is a value of an object, or an object whose values have error columns. Without
    --values, columns are guessed from their names and cells if they are clear. The
    result is a table: id, cluster (-1 is noise), confidence, the second most probable
    cluster, the probability of each cluster, and novelty: how unlike all others the
    object is (3 is 1 in 1000).
    """
    names = [MODEL, *[out.REPORT] * report]
    target = out.Target.checked(output, form, *names, spreadsheet=spreadsheet)
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
        del table  # frees the cells
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
    chosen += [] if target.folder is None else ["-o", str(target.folder)]
    chosen += ["--report"] * report + ["--format", form] * (form != "csv")
    chosen += ["--spreadsheet"] * spreadsheet
    words = [options.as_argument(file), *columns.to_options(), *chosen]
    result = reworded(
        result,
        warnings=(*warned, *target.unsafe(result.ids)),
        command=shlex.join(["incerta", "fit", *words]),
        file=str(file),
        spec=columns,
    )
    files = partial(files_of, result, report=report, quiet=quiet)
    target.deliver(
        result.columns(), files, None if quiet else partial(out.tell, result)
    )


def files_of(
    result: "Clustering", *, report: bool, quiet: bool = True
) -> dict[str, out.Writer]:
    """Return the writers of model, summary and report."""
    from incerta.report import summarize, write

    with bars(shown=not quiet):
        summary = summarize(result)
    page = {out.REPORT: lambda path: write(result, path, summary)} if report else {}
    return {MODEL: result.save, out.SUMMARY: out.json_file(summary), **page}
