"""``incerta watch``: clusters of rows as they come."""

import csv
import json
import shlex
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from functools import partial
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from incerta.backend.writing import passing
from incerta.cli import options
from incerta.cli.columns import STDIN, with_columns
from incerta.cli.guessing import completed
from incerta.cli.interrupts import Stop
from incerta.cli.output import check_folder, filling, write_table
from incerta.cli.rows import Bad, Reader, Row, lines_of, opened, rows_of
from incerta.cli.summary import WIDTH, echo, noted, print_rows, say, shown, warn
from incerta.data.tables.spec import OPTIONS, TableSpec
from incerta.exceptions import DataError
from incerta.wording import counted, printable, verb

if TYPE_CHECKING:
    from incerta.api.watcher import Watcher

TABLE, SUMMARY, REPORT = "table.csv", "summary.json", "report.html"
TO_GUESS = 200  # rows from which columns are guessed
AT_ONCE = 500  # rows that are taken together
MOST_WARNINGS = 10
MOST_NAMED = 20  # of rows that are left out

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


# What can be said of a single row, in words that fit.
WORDS = {
    "id": "Column that names rows, for those left out.",
    "errors": OPTIONS["errors"].help.partition(" Without it")[0]
    + " Without it values are exact.",
    "encoding": "Encoding, such as latin-1. By default UTF-8, and cp1252 for lines "
    "that are not.",
}
FIELDS = ("id", "values", "errors", "kind", "log", "sep", "decimal", "na", "encoding")
OF_ROWS = {name: options.of_table(name, WORDS.get(name)) for name in FIELDS}


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
    columns: TableSpec,
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
    from incerta.api.watcher import Watcher

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
        check = [reader.check] if columns.values else []
        rows = rows_of(lines, file, columns, *check)
        if not columns.values:
            rows, reader.spec = _guessed(rows, columns, file, stop, quiet)
        task = Task(watcher, reader, _as_every(every), strict, quiet)
        for line in task.run(stop.until(rows)):
            echo(line)
            sys.stdout.flush()
    if not watcher.n_seen:
        msg = f"no row of {_called(file)} is an object."
        raise DataError(msg)
    command = ["incerta", "watch", str(file), *reader.spec.to_options(), *asked]
    written = [] if output is None else _write(watcher, output, file, command)
    if not quiet:
        _tell(watcher, file, task.warned)
        if written:
            say(f"Written to {output}: {', '.join(written)}")


def _guessed(
    rows: Iterator[Row | Bad | None],
    columns: TableSpec,
    file: Path,
    stop: Stop,
    quiet: bool,
) -> tuple[Iterator[Row | Bad | None], TableSpec]:
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
    from incerta.data.files.opened import OpenTable

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
            found = completed(OpenTable(path, plain), command=command, quiet=quiet)
    unable = [name for name in found.said() if name not in OF_ROWS]
    if unable:
        why = f"the first rows look as if --{unable[0]} were needed, which no stream "
        options.refuse("--values", f"{why}has. Name the columns.")
    found = replace(found, sep=columns.sep, encoding=columns.encoding)
    return chain(first, rows), found


def _check_encoding(encoding: str | None) -> None:
    name = TableSpec(encoding=encoding).codec or ""
    if "16" in name or "32" in name:
        options.refuse("--encoding", f"{encoding} has no lines that end in one byte.")


def _called(file: Path) -> str:
    return "stdin" if file == STDIN else str(file)


class Every(NamedTuple):
    """How often to look: after so many rows, or so many seconds."""

    rows: int | None
    seconds: float | None


def _as_every(said: str) -> Every:
    if said.endswith("s"):
        return Every(None, float(said.removesuffix("s")))
    return Every(int(said), None)


class Task:
    """Rows go in, lines about them come out."""

    def __init__(
        self,
        watcher: "Watcher",
        reader: Reader,
        every: Every,
        strict: bool,
        quiet: bool,
    ) -> None:
        self.watcher, self.reader, self.every = watcher, reader, every
        self.strict, self.quiet = strict, quiet
        self.warned: dict[str, None] = {}
        self._waiting: list[Row | Bad] = []
        self._came = 0  # rows since the last look, good or bad
        self._looked = 0  # good ones at the last look
        self._when = time.monotonic()

    def run(self, rows: Iterable[Row | Bad | None]) -> Iterator[str]:
        """Take rows to their end; lines about what happened, as it does."""
        for row in rows:
            if row is not None:
                self._waiting.append(row)
                self._came += 1
            if self._due():
                self._take()
                yield from self._look()
            elif len(self._waiting) >= AT_ONCE:
                self._take()
        self._take()
        if self.watcher.n_seen > self._looked or not self.watcher.clusters:
            yield from self._look(last=True)

    def _due(self) -> bool:
        rows, seconds = self.every
        if rows is not None:
            return self._came >= rows
        return self._came > 0 and time.monotonic() - self._when >= (seconds or 0.0)

    def _take(self) -> None:
        bad = [row for row in self._waiting if isinstance(row, Bad)]
        rows = [row for row in self._waiting if isinstance(row, Row)]
        self._waiting, data = [], None
        if rows:
            with noted() as warned:
                data, others = self.reader.objects(rows)
            for text in warned:  # each once, to be said at the end
                if len(self.warned) < MOST_WARNINGS:
                    self.warned[text] = None
            bad = sorted([*bad, *others])
        for row in bad:
            self._leave_out(row)
        if data is not None:
            self.watcher.take(data)

    def _look(self, *, last: bool = False) -> Iterator[str]:
        from incerta.report.plain import percent
        from incerta.report.watched import line_about

        watcher = self.watcher
        self._looked, self._when = watcher.n_seen, time.monotonic()
        self._came = 0
        if not watcher.n_seen:
            return
        events = watcher.look(last=last)
        shares = ", ".join(f"{c.number}: {percent(c.share)}" for c in watcher.clusters)
        n = counted(len(watcher.clusters), "cluster")
        yield _cut(f"{counted(watcher.n_seen, 'row')}: {n} ({shares})")
        for event in events:
            yield line_about(event, watcher.n_seen, watcher.names)

    def _leave_out(self, bad: Bad) -> None:
        name = f" ({shown(bad.name)})" if bad.name else ""
        text = f"line {bad.number}{name}: {bad.why}"
        if self.strict:
            msg = f"{text}. Without --strict such rows are left out."
            raise DataError(msg)
        self.watcher.leave_out(bad.number, bad.why)
        n = self.watcher.counts["bad"]
        if self.quiet or n > MOST_NAMED:
            return
        echo(_cut(f"Left out, {text}"), err=True)
        if n == MOST_NAMED:
            echo("Further rows that are left out are only counted.", err=True)


def _cut(text: str) -> str:
    """Text that fits into a line, without control characters."""
    text = printable(text)
    return text if len(text) <= WIDTH else text[: WIDTH - 1] + "…"


def _tell(watcher: "Watcher", file: Path, warned: Iterable[str]) -> None:
    from incerta.report.plain import percent
    from incerta.report.watched import places

    warn(warned)
    counts, n = watcher.counts, watcher.counts["bad"]
    left_out = f"; {counted(n, 'row')} {verb(n, 'was', 'were')} left out" if n else ""
    say(
        f"{counted(watcher.n_seen, 'row')} of {_called(file)}, at the end in "
        f"{counted(len(watcher.clusters), 'cluster')}{left_out}.",
        bold=True,
    )
    rows = [
        (
            f"{cluster.number}  {places(cluster, watcher.names, 48)}",
            percent(cluster.share),
            f"{cluster.since:,}",
        )
        for cluster in watcher.clusters
    ]
    print_rows(("cluster, and its centre", "share", "since row"), rows)
    say(
        f"All in all {counts['new']:,} new, {counts['moved']:,} moved, "
        f"{counts['gone']:,} gone."
    )


def _write(
    watcher: "Watcher", folder: Path, file: Path, command: Sequence[str]
) -> list[str]:
    """Write table, summary and page, all of them or none; their names."""
    from incerta.api.clustering import versions
    from incerta.backend.optional import installed
    from incerta.report.watched import facts, page_of_stream

    found: dict[str, Any] = {
        "source": _called(file),
        **facts(watcher),
        "command": shlex.join(command),
        "versions": versions(),
    }
    with_page = installed("jinja2")
    with filling(folder) as place:
        with (place / TABLE).open("wb") as out:
            write_table(watcher.columns(), "csv", out)
        text = json.dumps(found, indent=1, ensure_ascii=False, allow_nan=False)
        (place / SUMMARY).write_text(text + "\n", encoding="utf-8")
        if with_page:
            page = page_of_stream(found)
            (place / REPORT).write_text(page, encoding="utf-8", newline="\n")
    if not with_page:
        say("A report needs the extra report: pip install 'incerta[report]'")
    return [TABLE, SUMMARY, *([REPORT] if with_page else [])]
