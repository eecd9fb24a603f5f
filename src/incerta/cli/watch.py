"""``incerta watch``: clusters of rows as they arrive."""

import csv
import gzip
import shlex
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, BinaryIO

import typer

from incerta.backend.writing import fill, passing
from incerta.cli import options
from incerta.cli import output as out
from incerta.cli.interrupts import Stop
from incerta.data.tables.spec import COUNTS, OPTIONS, TableSpec
from incerta.exceptions import DataError, FileError
from incerta.wording import counted, percent, verb

if TYPE_CHECKING:
    from incerta.api.rows import Bad, Reader, Row
    from incerta.api.watcher import Watcher

TABLE = "table.csv"
TO_GUESS = 200  # rows used to guess the columns
AT_ONCE = 500  # rows processed together
MOST_WARNINGS = 10
MOST_NAMED = 20  # rows left out that are named

EPILOG = f"""\
\b
Examples:
  tail -f sensors.csv | incerta watch - --values heat,flow --errors '{{}}_error'
  incerta watch sensors.csv --follow --every 60s -o out
  incerta watch sensors.ndjson --values heat -k 3 --half-life 20000

\b
Files, written at the end, all or none:
  DIR/{TABLE}      the clusters: when and where
  DIR/{out.SUMMARY}   what happened, with centers over time
  DIR/{out.REPORT}    the same as a page that needs no network"""


# Help for options whose meaning differs for single rows.
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
    if not _is_positive(number) or (value == number and not number.isdecimal()):
        msg = f"{value!r} must be a number of rows (1000) or of seconds (10s)."
        raise typer.BadParameter(msg)
    return value


def _half_life(value: str) -> str:
    if value.lower() == "none":
        return "none"
    if not _is_positive(value):
        msg = f"{value!r} is neither a number of rows above 0 nor none."
        raise typer.BadParameter(msg)
    return value


def _is_positive(value: str) -> bool:
    try:
        return 0 < float(value) < float("inf")
    except ValueError:
        return False


@partial(options.takes_columns, known=OF_ROWS)
def watch(
    file: Annotated[
        Path,
        options.argument(
            "FILE", "Lines of csv with a header, or of JSON, one row each; - is stdin."
        ),
    ],
    *,
    columns: TableSpec,
    k: options.Clusters = "auto",
    half_life: Annotated[
        str,
        options.option(
            "--half-life",
            "Rows after which a row has half its weight; none keeps all weights. A "
            "cluster without new rows for this long is gone.",
            "ROWS|none",
            callback=_half_life,
        ),
    ] = "5000",
    micro: Annotated[
        int, options.option("--micro", "Largest number of micro-clusters.", "N", min=2)
    ] = 100,
    seed: options.Seed = 0,
    scale: options.Scale = True,
    follow: Annotated[
        bool,
        options.option("--follow -f", "Wait for more rows at the end of FILE."),
    ] = False,
    every: Annotated[
        str,
        options.option(
            "--every",
            "Report changes every N rows, or every N seconds (10s).",
            "N|Ns",
            callback=_every,
        ),
    ] = "1000",
    strict: Annotated[
        bool,
        options.option("--strict", "Stop with an error at a row that cannot be read."),
    ] = False,
    output: Annotated[
        Path | None, options.place("DIR", "Folder for the results.")
    ] = None,
    quiet: options.Quiet = False,
) -> None:
    """Cluster rows as they arrive, and report changes.

    Every row is an object, with or without error columns. Rows that cannot be read, or
    lack a value, are named, counted and left out. A line on stdout reports each event:
    a cluster is new, has moved (by more than its uncertainty), or is gone. Clusters
    keep their numbers. Memory does not grow. Ctrl-C, or the end of the input, ends it
    with a summary.
    """
    if output is not None:
        out.check_folder(output, (TABLE, out.SUMMARY, out.REPORT))
    if follow and file == out.STDIN:
        out.refuse("--follow", "stdin is read until it ends; leave it out.")
    if (name := columns.codec or "") and ("16" in name or "32" in name):
        why = f"{columns.encoding} has no lines that end in one byte."
        out.refuse("--encoding", why)
    if columns.kind == COUNTS:
        why = "reading counts needs all rows, and a stream has no end."
        out.refuse("--kind", f"{why} Fit a file of them, and predict others.")
    from incerta.api.rows import Reader, lines_of, rows_of
    from incerta.api.watcher import Watcher

    half = None if half_life == "none" else float(half_life)
    watcher = Watcher(k, half, micro, seed, scale)
    asked = ["-k", str(k), "--half-life", half_life, "--micro", str(micro)]
    asked += ["--every", every, "--seed", str(seed), *([] if scale else ["--no-scale"])]
    with Stop() as stop, closing(opened(file, follow)) as stream:
        lines = lines_of(stream, columns.encoding, follow=follow)
        reader = Reader(columns)
        check = [reader.check] if columns.values else []
        rows = rows_of(lines, file, columns, *check)
        if not columns.values:
            rows, reader.spec = _guessed(rows, columns, file, stop, quiet)
        task = Task(
            watcher=watcher, reader=reader, every=every, strict=strict, quiet=quiet
        )
        for line in task.run(stop.until(rows)):
            out.echo(line)
            sys.stdout.flush()
    if not watcher.n_seen:
        msg = f"no row of {_called(file)} could be read as an object."
        raise DataError(msg)
    if output is not None:
        from incerta.api.result import versions
        from incerta.backend.optional import installed, pip_install
        from incerta.report.watched import facts, page_of_stream

        command = ["incerta", "watch", str(file), *reader.spec.to_options(), *asked]
        summary = {
            "source": _called(file),
            **facts(watcher),
            "command": shlex.join(command),
            "versions": versions(),
        }
        files: dict[str, Callable[[Path], object]] = {
            TABLE: out.table_file(watcher.columns(), "csv"),
            out.SUMMARY: out.json_file(summary),
        }
        if installed("jinja2"):
            page = page_of_stream(summary)
            files[out.REPORT] = partial(
                Path.write_text, data=page, encoding="utf-8", newline="\n"
            )
        else:
            out.say(f"A report needs the extra report: {pip_install('report')}")
        written = fill(output, files)
    if not quiet:
        _tell(watcher, file, task.warned)
        if output is not None:
            out.say(f"Written to {output}: {', '.join(written)}")


def opened(file: Path, follow: bool) -> BinaryIO:
    """Open the file, or stdin."""
    if file == out.STDIN:
        return sys.stdin.buffer
    if file.is_dir():
        msg = f"{file} is a folder; name a file, or - for stdin."
        raise FileError(msg)
    packed = file.suffix.lower() == ".gz"
    if packed and follow:
        out.refuse("--follow", f"{file} is compressed, and cannot grow line by line.")
    try:
        return gzip.open(file, "rb") if packed else file.open("rb")  # type: ignore[return-value]
    except FileNotFoundError:
        msg = f"there is no file {file}."
        raise FileError(msg) from None


def _guessed(
    rows: "Iterator[Row | Bad | None]",
    columns: TableSpec,
    file: Path,
    stop: Stop,
    quiet: bool,
) -> "tuple[Iterator[Row | Bad | None], TableSpec]":
    """Guess the columns from the first rows; return all rows and the description."""
    from incerta.api.rows import Row
    from incerta.data.files.opened import OpenTable

    first: list[Row | Bad | None] = []
    cells: list[dict[str, Any]] = []
    for row in stop.until(rows):
        if row is None and cells:
            break  # no more rows for now
        first.append(row)
        if isinstance(row, Row):
            cells.append(row.cells)
        if len(first) >= TO_GUESS:
            break
    if not cells:
        return iter(first), columns
    names = list(dict.fromkeys(name for row in cells for name in row))
    with passing(Path(tempfile.mkdtemp(prefix="incerta-"))) as folder:
        path = folder / "first.csv"
        with path.open("w", encoding="utf-8", newline="") as copy:
            writer = csv.DictWriter(copy, names)
            writer.writeheader()
            writer.writerows(cells)
        plain = replace(columns, sep=None, encoding=None)
        with out.noted():
            spec = options.completed(OpenTable(path, plain), "watch", file, quiet=quiet)
    unable = [name for name in spec.said() if name not in OF_ROWS]
    if unable:
        why = f"the first rows seem to need --{unable[0]}, which a stream "
        out.refuse("--values", f"{why}does not have. Name the columns.")
    spec = replace(spec, sep=columns.sep, encoding=columns.encoding)
    return chain(first, rows), spec


def _called(file: Path) -> str:
    return "stdin" if file == out.STDIN else str(file)


@dataclass(kw_only=True)
class Task:
    """Turn rows into lines about events."""

    watcher: "Watcher"
    reader: "Reader"
    every: str  # a number of rows, or of seconds ("10s")
    strict: bool
    quiet: bool
    warned: dict[str, None] = field(default_factory=dict)
    _waiting: "list[Row | Bad]" = field(default_factory=list)
    _came: int = 0  # rows since the last look, good or bad
    _looked: int = 0  # good rows at the last look
    _when: float = field(default_factory=lambda: time.monotonic())

    def run(self, rows: "Iterable[Row | Bad | None]") -> Iterator[str]:
        """Process all rows; yield a line about each event."""
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
        if not self.every.endswith("s"):
            return self._came >= int(self.every)
        return self._came > 0 and time.monotonic() - self._when >= float(
            self.every[:-1]
        )

    def _take(self) -> None:
        from incerta.api.rows import Bad, Row

        bad = [row for row in self._waiting if isinstance(row, Bad)]
        rows = [row for row in self._waiting if isinstance(row, Row)]
        self._waiting, data = [], None
        if rows:
            with out.noted() as warned:
                data, others = self.reader.objects(rows)
            for text in warned:  # each once, printed at the end
                if len(self.warned) < MOST_WARNINGS:
                    self.warned[text] = None
            bad = sorted([*bad, *others])
        for row in bad:
            self._leave_out(row)
        if data is not None:
            self.watcher.take(data)

    def _look(self, *, last: bool = False) -> Iterator[str]:
        from incerta.report.watched import line_about

        watcher = self.watcher
        self._looked, self._when = watcher.n_seen, time.monotonic()
        self._came = 0
        if not watcher.n_seen:
            return
        events = watcher.look(last=last)
        shares = ", ".join(f"{c.number}: {percent(c.share)}" for c in watcher.clusters)
        n = counted(len(watcher.clusters), "cluster")
        yield out.cut(f"{counted(watcher.n_seen, 'row')}: {n} ({shares})")
        for event in events:
            yield line_about(event, watcher.n_seen, watcher.names)

    def _leave_out(self, bad: "Bad") -> None:
        name = f" ({out.shown(bad.name)})" if bad.name else ""
        text = f"line {bad.number}{name}: {bad.why}"
        if self.strict:
            msg = f"{text}. Without --strict such rows are left out."
            raise DataError(msg)
        self.watcher.leave_out(bad.number, bad.why)
        n = self.watcher.counts["bad"]
        if self.quiet or n > MOST_NAMED:
            return
        out.echo(out.cut(f"Left out, {text}"), err=True)
        if n == MOST_NAMED:
            out.echo("Rows left out from here on are only counted.", err=True)


def _tell(watcher: "Watcher", file: Path, warned: Iterable[str]) -> None:
    from incerta.report.watched import places

    out.warn(warned)
    counts, n = watcher.counts, watcher.counts["bad"]
    left_out = f"; {counted(n, 'row')} {verb(n, 'was', 'were')} left out" if n else ""
    out.say(
        f"{counted(watcher.n_seen, 'row')} of {_called(file)}, "
        f"{counted(len(watcher.clusters), 'cluster')} at the end{left_out}.",
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
    out.print_rows(("cluster, and its center", "share", "since row"), rows)
    out.say(
        f"In total {counts['new']:,} new, {counts['moved']:,} moved, "
        f"{counts['gone']:,} gone."
    )
