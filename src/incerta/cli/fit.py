"""``incerta fit``: from a table to clusters, and how sure they are."""

import shlex
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from incerta.backend.progress import bars
from incerta.backend.writing import fill
from incerta.cli import options
from incerta.cli.columns import as_argument, completed, on_disk, takes_columns
from incerta.cli.output import (
    REPORT,
    STDOUT,
    SUMMARY,
    check_folder,
    check_format,
    json_file,
    table_file,
    tell_formulas,
    write_table,
)
from incerta.cli.say import as_options, echo, noted, tell
from incerta.data.tables.spec import TableSpec
from incerta.estimators.named import METHODS, NAMES, PUBLISHED

if TYPE_CHECKING:
    from incerta.api.clustering import Clustering
    from incerta.data import UncertainData

MODEL = "model.incerta"
# Of trials: objects of the first, and at least so many for each cluster; so many times
# as many in the next; and the seconds that all together may take.
FEWEST, FOR_EACH, TIMES, MOST_SECONDS = 100, 10, 4, 60.0

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
    output: Annotated[
        Path | None,
        options.place(
            "DIR",
            "Folder for the table, the model and a summary. Without it, or with -, the "
            "table goes to stdout.",
        ),
    ] = None,
    report: Annotated[
        bool, options.option("--report", "Write report.html to the folder, too.")
    ] = False,
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
    folder = None if output in (None, STDOUT) else output
    if folder is not None:
        names = [f"table.{form}", MODEL, SUMMARY, *([REPORT] if report else [])]
        check_folder(folder, names)
    elif report:
        options.refuse("--report", "a report needs a folder; give -o DIR.")
    check_format(form, spreadsheet=spreadsheet)
    if report:
        from incerta.backend.optional import require

        require("jinja2", "report", "a report")
    params = options.parsed(param)
    options.check(method, params)
    from incerta.api.answer import cluster
    from incerta.api.clustering import reworded
    from incerta.data.files.opened import OpenTable

    fit = partial(
        cluster,
        k=k,
        method=method,
        seed=seed,
        scale=scale,
        params=params,
        directions="auto" if directions else None,
    )
    with noted() as warned, bars(shown=not quiet), on_disk(file) as path:
        table = OpenTable(path, columns)
        columns = completed(table, "fit", file, quiet=quiet)
        data = table.data(columns)
        if dry_run:
            estimate = tell_time(data, k, fit)
        else:
            result = fit(data)
    if dry_run:
        echo(f"{estimate} Nothing was written.")
        return
    chosen = ["-k", str(k), "--method", method, "--seed", str(seed)]
    chosen += [word for text in param or () for word in ("--param", text)]
    for words, is_said in (
        (["--no-scale"], not scale),
        (["--no-directions"], not directions),
        (["-o", str(folder)], folder is not None),
        (["--report"], report),
        (["--format", form], form != "csv"),
        (["--spreadsheet"], spreadsheet),
    ):
        chosen += words if is_said else []
    unsafe = tell_formulas(result.ids, form, spreadsheet=spreadsheet)
    result = reworded(
        result,
        reasons=tuple(map(as_options, result.reasons)),
        warnings=(*warned, *unsafe),
        command=shlex.join(
            ["incerta", "fit", as_argument(file), *columns.to_options(), *chosen]
        ),
        file=str(file),
        spec=columns,
    )
    written: list[str] = []
    try:
        if folder is None:
            answers = result.columns()
            write_table(answers, form, sys.stdout.buffer, spreadsheet=spreadsheet)
        else:
            with bars(shown=not quiet):
                written = write_folder(
                    result, folder, form, report=report, spreadsheet=spreadsheet
                )
    finally:  # also where `head` has seen enough of the table
        if not quiet:
            tell(result, written, folder)


def write_folder(
    result: "Clustering",
    folder: Path,
    form: str,
    *,
    report: bool,
    spreadsheet: bool = False,
) -> list[str]:
    """Write table, model, summary and report, all of them or none; their names."""
    from incerta.report import summarise, write

    summary = summarise(result)
    files: dict[str, Callable[[Path], object]] = {
        f"table.{form}": table_file(result.columns(), form, spreadsheet=spreadsheet),
        MODEL: result.save,
        SUMMARY: json_file(summary),
    }
    if report:
        files[REPORT] = lambda path: write(result, path, summary)
    return fill(folder, files)


# how long it would take ---------------------------------------------------------------


def tell_time(
    data: "UncertainData", k: int | str, fit: Callable[["UncertainData"], object]
) -> str:
    """Fit some of the objects, then more and more, and say how long all would take."""
    size = min(len(data), max(FEWEST, 0 if isinstance(k, str) else FOR_EACH * k))
    fit(_some(data, size))  # loads and compiles what it needs
    trials: list[tuple[int, float]] = []
    while True:
        start = time.perf_counter()
        fit(_some(data, size))
        trials.append((size, time.perf_counter() - start))
        if size == len(data):
            return f"Takes {duration(trials[-1][1])}: a trial with all objects did."
        size = min(TIMES * size, len(data))
        spent = sum(seconds for _, seconds in trials)
        if spent + seconds_for(size, trials) > MOST_SECONDS:
            break
    return (
        f"Would take about {duration(seconds_for(len(data), trials))}: "
        f"{trials[-1][0]} of the {len(data)} objects took {duration(trials[-1][1])}."
    )


def seconds_for(n_objects: int, trials: list[tuple[int, float]]) -> float:
    """Time for more objects than the last trial had.

    Two trials tell by which power of the number of objects time grows. Where it grows
    more slowly than in proportion, part of it is fixed: a straight line goes on.
    """
    import numpy as np

    size, seconds = trials[-1]
    factor = n_objects / size
    if len(trials) == 1:
        return seconds * factor
    before = trials[-2]
    power = np.log(seconds / before[1]) / np.log(size / before[0])
    if power > 1.0:
        return float(seconds * factor**power)
    slope = (seconds - before[1]) / (size - before[0])
    return seconds + max(slope, 0.0) * (n_objects - size)


def duration(seconds: float) -> str:
    """A time in two digits, such as 4.5 s, 12 min or 3 h."""
    for unit, size in (("days", 86_400.0), ("h", 3600.0), ("min", 60.0), ("s", 1.0)):
        if seconds >= 1.5 * size or unit == "s":
            break
    number = seconds / size
    return f"{number:.0f} {unit}" if number >= 10 else f"{number:.1f} {unit}"


def _some(data: "UncertainData", size: int) -> "UncertainData":
    """Objects from the whole table, at equal distances."""
    import numpy as np

    return data[np.linspace(0, len(data) - 1, size).astype(np.intp)]
