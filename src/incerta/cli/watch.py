"""``incerta watch``: clusters of rows as they come."""

import csv
import json
import shlex
import sys
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Annotated, Any

import typer

from incerta.backend.writing import passing
from incerta.cli import options
from incerta.cli.columns import OPTIONS, STDIN, Columns, with_columns
from incerta.cli.guessing import completed
from incerta.cli.interrupts import Stop
from incerta.cli.looking import Every, Task
from incerta.cli.output import check_folder, filling, write_table
from incerta.cli.rows import Bad, Reader, Row, lines_of, opened, rows_of
from incerta.cli.summary import noted, print_rows, say
from incerta.cli.terminal import echo
from incerta.cli.watched import facts, percent_of, places, table_of
from incerta.cli.watching import Watcher
from incerta.exceptions import DataError
from incerta.wording import counted, verb

TABLE, SUMMARY, REPORT = "table.csv", "summary.json", "report.html"
TO_GUESS = 200  # rows from which columns are guessed

EXAMPLES = """\
\b
Examples:
  tail -f sensors.csv | incerta watch - --values heat,flow --errors '{}_error'
  incerta watch sensors.csv --follow --every 60s -o out
  incerta watch sensors.ndjson --values heat -k 3 --half-life 20000"""
FILES = f"""\
\b
Files, written at the end, all or none:
  DIR/{TABLE}      the clusters: when and where
  DIR/{SUMMARY}   what happened, with centres over time
  DIR/{REPORT}    the same as a page that needs no network"""


# Options of columns that a single row can follow.
Id = Annotated[
    str | None,
    typer.Option(
        "--id", metavar="COL", help="Column that names rows, for those left out."
    ),
]
Errors = Annotated[
    list[str] | None,
    typer.Option(
        "--errors",
        metavar="COL,…",
        help="Error columns: '{}_error' with {} for each value, or one column per "
        "value; two templates low,high with the kinds ci68, ci95 and interval, "
        "upper,lower with plusminus. Without it values are exact.",
    ),
]
Encoding = Annotated[
    str | None,
    typer.Option(
        "--encoding",
        metavar="NAME",
        help="Encoding, such as latin-1. By default UTF-8, and cp1252 for lines that "
        "are not.",
    ),
]
OF_ROWS = {
    "id": Id,
    "values": OPTIONS["values"],
    "errors": Errors,
    **{name: OPTIONS[name] for name in ("kind", "log", "sep", "decimal", "na")},
    "encoding": Encoding,
}


def _every(value: str) -> str:
    number = value.removesuffix("s")
    try:
        good = float(number) > 0 and (value != number or number.isdecimal())
    except ValueError:
        good = False
    if not good or number.strip().lower() in ("inf", "nan"):
        msg = f"{value!r} is neither a number of rows such as 1000 nor seconds, as 10s."
        raise typer.BadParameter(msg)
    return value


def _half_life(value: str) -> str:
    if value.lower() == "none":
        return "none"
    try:
        good = 0 < float(value) < float("inf")
    except ValueError:
        good = False
    if not good:
        msg = f"{value!r} is neither a number of rows above 0 nor none."
        raise typer.BadParameter(msg)
    return value


@partial(with_columns, known=OF_ROWS)
def watch(
    file: Annotated[
        Path,
        typer.Argument(
            metavar="FILE",
            help="Lines of csv with a header, or of JSON, one row each; - is stdin.",
            show_default=False,
        ),
    ],
    *,
    columns: Columns,
    k: options.Clusters = "auto",
    half_life: Annotated[
        str,
        typer.Option(
            "--half-life",
            metavar="ROWS|none",
            callback=_half_life,
            help="Rows after which a row counts for half; none forgets nothing. A "
            "cluster that got none for as long is gone.",
        ),
    ] = "5000",
    micro: Annotated[
        int,
        typer.Option(
            "--micro", metavar="N", min=2, help="Largest number of micro-clusters."
        ),
    ] = 100,
    seed: options.Seed = 0,
    scale: options.Scale = True,
    follow: Annotated[
        bool,
        typer.Option("--follow", "-f", help="Wait for more at the end of the file."),
    ] = False,
    every: Annotated[
        str,
        typer.Option(
            "--every",
            metavar="N|Ns",
            callback=_every,
            help="Look after so many rows, or seconds (10s), and say what changed.",
        ),
    ] = "1000",
    strict: Annotated[
        bool,
        typer.Option("--strict", help="End with an error at a row that is no object."),
    ] = False,
    output: Annotated[
        Path | None,
        typer.Option(
            "-o",
            "--output",
            metavar="DIR",
            parser=options.place,
            help="Folder for what was found.",
        ),
    ] = None,
    quiet: options.Quiet = False,
) -> None:
    """Cluster rows as they come, and say what changes.

    Every row is an object, with error columns or without; rows that cannot be read, or
    lack a value, are named, counted and left out. A line on stdout says what happened:
    a cluster is new, has moved (by more than its uncertainty), or is gone. Clusters
    keep their numbers. Memory does not grow. Ctrl-C, or the end of the input, ends it
    with a summary.
    """
    if output is not None:
        check_folder(output, (TABLE, SUMMARY, REPORT))
    if follow and file == STDIN:
        options.refuse("--follow", "stdin is read until it ends; leave it out.")
    _check_encoding(columns.encoding)
    watcher = Watcher(
        options.number_of_clusters(k),
        None if half_life == "none" else float(half_life),
        micro,
        seed,
        scale,
    )
    asked = ["-k", k, "--half-life", half_life, "--micro", str(micro), "--every", every]
    asked += ["--seed", str(seed)] + ([] if scale else ["--no-scale"])
    with Stop() as stop, closing(opened(file, follow)) as stream:
        lines = lines_of(stream, columns.encoding, follow=follow)
        reader = Reader(columns)
        check = reader.check if columns.values else _nothing
        rows = rows_of(lines, file, columns, check)
        if not columns.values:
            rows, reader.columns = _guessed(rows, columns, file, stop, quiet)
        task = Task(watcher, reader, _as_every(every), strict, quiet)
        for line in task.run(stop.until(rows)):
            echo(line)
            sys.stdout.flush()
    if not watcher.n_seen:
        msg = f"no row of {_called(file)} is an object."
        raise DataError(msg)
    command = ["incerta", "watch", str(file), *reader.columns.arguments(), *asked]
    written = [] if output is None else _write(watcher, output, file, command)
    if not quiet:
        _tell(watcher, file, task.warned)
        if written:
            say(f"Written to {output}: {', '.join(written)}")


def _guessed(
    rows: Iterator[Row | Bad | None],
    columns: Columns,
    file: Path,
    stop: Stop,
    quiet: bool,
) -> tuple[Iterator[Row | Bad | None], Columns]:
    """All rows once more, and the columns as the first of them look."""
    first: list[Row | Bad | None] = []
    for row in stop.until(rows):
        if row is None and any(isinstance(one, Row) for one in first):
            break  # there are no more for now
        first.append(row)
        if len(first) >= TO_GUESS:
            break
    cells = [row.cells for row in first if isinstance(row, Row)]
    if not cells:
        return iter(first), columns
    names = list(dict.fromkeys(name for one in cells for name in one))
    with passing(Path(tempfile.mkdtemp(prefix="incerta-"))) as folder:
        path = folder / "first.csv"
        with path.open("w", encoding="utf-8", newline="") as out:
            writer = csv.DictWriter(out, names)
            writer.writeheader()
            writer.writerows(cells)
        command = ("incerta", "watch", str(file))
        plain = replace(columns, sep=None, encoding=None)
        with noted():
            found = completed(plain, path, command=command, quiet=quiet)
    unable = [
        name
        for name, given in vars(found).items()
        if given not in (None, ()) and name not in OF_ROWS
    ]
    if unable:
        why = f"the first rows look as if --{unable[0]} were needed, which no stream "
        options.refuse("--values", f"{why}has. Name the columns.")
    found = replace(found, sep=columns.sep, encoding=columns.encoding)
    return chain(first, rows), found


def _nothing(names: Sequence[str]) -> None:
    """Check nothing: columns are not known yet."""


def _as_every(said: str) -> Every:
    if said.endswith("s"):
        return Every(None, float(said.removesuffix("s")))
    return Every(int(said), None)


def _check_encoding(encoding: str | None) -> None:
    if encoding is None:
        return
    from incerta.data.files.dialect import TextFormat

    name = TextFormat.of(None, None, encoding, None).encoding or ""
    if "16" in name or "32" in name:
        options.refuse("--encoding", f"{encoding} has no lines that end in one byte.")


def _called(file: Path) -> str:
    return "stdin" if file == STDIN else str(file)


def _tell(watcher: Watcher, file: Path, warned: Iterable[str]) -> None:
    for text in warned:
        say(f"Warning: {text}", hanging="  ")
    n = watcher.counts["bad"]
    left_out = f"; {counted(n, 'row')} {verb(n, 'was', 'were')} left out" if n else ""
    say(
        f"{counted(watcher.n_seen, 'row')} of {_called(file)}, at the end in "
        f"{counted(len(watcher.clusters), 'cluster')}{left_out}.",
        bold=True,
    )
    rows = [
        (
            f"{one.number}  {places(one, watcher.names, 48)}",
            percent_of(one.share),
            f"{one.since:,}",
        )
        for one in watcher.clusters
    ]
    print_rows(("cluster, and its centre", "share", "since row"), rows)
    counts = watcher.counts
    say(
        f"All in all {counts['new']:,} new, {counts['moved']:,} moved, "
        f"{counts['gone']:,} gone."
    )


def _write(
    watcher: Watcher, folder: Path, file: Path, command: Sequence[str]
) -> list[str]:
    """Write table, summary and page, all of them or none; their names."""
    from incerta.api.versions import versions
    from incerta.backend.optional import installed

    found: dict[str, Any] = {
        "source": _called(file),
        **facts(watcher),
        "command": shlex.join(command),
        "versions": versions(),
    }
    with_page = installed("jinja2")
    with filling(folder) as place:
        with (place / TABLE).open("wb") as out:
            write_table(table_of(watcher), "csv", out)
        text = json.dumps(found, indent=1, ensure_ascii=False, allow_nan=False)
        (place / SUMMARY).write_text(text + "\n", encoding="utf-8")
        if with_page:
            from incerta.report.watched import page_of_stream

            page = page_of_stream(found)
            (place / REPORT).write_text(page, encoding="utf-8", newline="\n")
    if not with_page:
        say("A report needs the extra report: pip install 'incerta[report]'")
    return [TABLE, SUMMARY, *([REPORT] if with_page else [])]
