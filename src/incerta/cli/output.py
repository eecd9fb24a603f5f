"""The output of commands."""

import csv
import errno
import io
import json
import re
import sys
import textwrap
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from tempfile import TemporaryFile
from typing import TYPE_CHECKING, Any, BinaryIO, NoReturn, Self, TypeAlias

import typer

from incerta import wording
from incerta.backend.optional import require
from incerta.backend.writing import fill, nearest
from incerta.wording import SURE, counted, no_confidence, printable, share, verb

if TYPE_CHECKING:
    from incerta.api.clustering import Clustering

Writer: TypeAlias = Callable[[Path], object]  # writes a file

WIDTH = 80
N_UNSURE = 5
LONGEST_ID = 24
MOST_ROWS = 12  # rows of a small table
# Errors caused by data, parameters or the system; any other error is a bug.
EXPECTED = (ValueError, OSError, ImportError, MemoryError)

FORMATS = ("csv", "parquet", "json")
STDIN = STDOUT = Path("-")
SUMMARY, REPORT = "summary.json", "report.html"
FORMULA = re.compile(r"[=+\-@\t\r]")
NUMBER = re.compile(r"[+-]?\d+(\.\d+)?")


def refuse(option: str, why: str) -> NoReturn:
    """Raise an error about an option."""
    raise typer.BadParameter(why, param_hint=f"'{option}'")


def echo(text: object = "", *, err: bool = False, bold: bool = False) -> None:
    """Print lines without control characters, which data may hold."""
    lines = map(printable, str(text).split("\n"))
    typer.secho("\n".join(lines), err=err, bold=bold or None)


def wrapped(text: str, indent: str = "", **more: Any) -> list[str]:
    """Wrap text to lines of at most 80 columns."""
    indents = {"initial_indent": indent, "subsequent_indent": indent} | more
    return textwrap.wrap(text, WIDTH, break_on_hyphens=False, **indents)


def say(text: str, *, bold: bool = False, hanging: str = "") -> None:
    """Print a paragraph on stderr."""
    lines = wrapped(text, subsequent_indent=hanging, break_long_words=False)
    echo("\n".join(lines), err=True, bold=bold)


def warn(texts: Iterable[str]) -> None:
    """Print warnings on stderr."""
    for text in texts:
        say(f"Warning: {text}", hanging="  ")


def tell(result: "Clustering") -> None:
    """Print the result and its reasons."""
    say(result.explain().partition("\n")[0] + ".", bold=True)
    say(" ".join(result.reasons))
    warn(result.warnings)
    if result.no_confidence_reason is not None:
        say(no_confidence(result.no_confidence_reason))
    elif least := least_certain(result.ids, result.confidence, 1.0):
        of = f"{len(result.unsure())} of {counted(len(result.ids), 'object')}"
        say(f"Confidence below {SURE}: {of}. Least certain: {least}.")
    else:
        say("No label changes within the given uncertainty.")


def least_certain(ids: Any, confidence: Any, below: float) -> str:
    """Return the least certain objects, of those below some confidence."""
    least = confidence.argsort(kind="stable")[:N_UNSURE]
    return ", ".join(
        f"{shown(ids[i])} ({share(confidence[i])})"
        for i in least[confidence[least] < below]
    )


def print_rows(head: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Print a small table on stderr; all columns but the first are numbers."""
    kept = [head, *rows[:MOST_ROWS]]
    widths = [max(map(len, column)) for column in zip(*kept, strict=True)]
    for first, *others in kept:
        right = map(str.rjust, others, widths[1:])
        line = "  ".join(["", first.ljust(widths[0]), *right])
        echo(line.rstrip(), err=True)
    if len(rows) > MOST_ROWS:
        echo(f"  … and {len(rows) - MOST_ROWS:,} more", err=True)


@contextmanager
def noted() -> Iterator[list[str]]:
    """Collect the texts of warnings instead of printing them, each once."""
    texts: list[str] = []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield texts
    texts += dict.fromkeys(" ".join(str(each.message).split()) for each in caught)


def in_one_line(error: Exception) -> str:
    """Describe an error in one line."""
    if about_closed(error):
        return "stdin or stdout is closed; name files instead."
    text = str(error)
    if isinstance(error, OSError) and error.strerror:
        text = f"{error.strerror}: {error.filename}" if error.filename else text
    text = " ".join(text.split())
    if isinstance(error, MemoryError):
        return f"there is not enough memory. {text}".strip()
    if isinstance(error, EXPECTED) and text:
        return text
    return (
        f"{type(error).__name__}: {text} This is unexpected; `incerta --debug …` "
        "shows where it happened."
    )


def about_closed(error: Exception) -> bool:
    """Return whether a stream was closed before the command began."""
    return isinstance(error, OSError) and error.errno == errno.EBADF


def shown(name: Any) -> str:
    """Shorten an id, and remove control characters."""
    return cut(name, LONGEST_ID)


def cut(value: object, longest: int = WIDTH) -> str:
    """Cut text to one line, without control characters."""
    return wording.cut(printable(value), longest)


def write_table(
    columns: Mapping[str, Any], form: str, out: BinaryIO, *, spreadsheet: bool = False
) -> None:
    """Write columns of equal length as one of `FORMATS`.

    Text is UTF-8, numbers have all digits, and JSON is a list of rows. With
    `spreadsheet`, text that a spreadsheet would run as a formula gets a ' before it.
    """
    if form == "parquet":
        import pyarrow as pa
        from pyarrow import parquet

        table = pa.table({name: _plain(column) for name, column in columns.items()})
        parquet.write_table(table, out)
        return
    plain = list(map(_plain, columns.values()))
    if spreadsheet:
        plain = [list(map(_not_run, column)) for column in plain]
    rows = zip(*plain, strict=True)
    text = io.TextIOWrapper(out, encoding="utf-8", newline="")
    try:
        if form == "csv":
            # Python before 3.13 does not quote a lone \r.
            returns = any("\r" in c for c in chain(*plain) if isinstance(c, str))
            writer = csv.writer(
                text,
                lineterminator="\n",
                quoting=csv.QUOTE_NONNUMERIC if returns else csv.QUOTE_MINIMAL,
            )
            writer.writerow(columns)
            writer.writerows(rows)
        else:
            objects = (json.dumps(dict(zip(columns, r, strict=True))) for r in rows)
            text.write("[\n" + ",\n".join(objects) + "\n]\n")
    finally:
        text.detach()  # the caller closes the file
    out.flush()


def table_file(
    columns: Mapping[str, Any], form: str, *, spreadsheet: bool = False
) -> Writer:
    """Return a writer of columns."""

    def write(path: Path) -> None:
        with path.open("wb") as out:
            write_table(columns, form, out, spreadsheet=spreadsheet)

    return write


def json_file(facts: Mapping[str, Any]) -> Writer:
    """Return a writer of facts as JSON."""
    text = json.dumps(facts, indent=1, ensure_ascii=False) + "\n"
    return lambda path: path.write_text(text, encoding="utf-8")


def check_format(form: str, *, spreadsheet: bool = False) -> None:
    """Check early that a format can be written."""
    if spreadsheet and form != "csv":
        refuse("--spreadsheet", f"it is for csv, and --format is {form}.")
    if form == "parquet":
        require("pyarrow", "io", "--format parquet")


@dataclass(frozen=True, kw_only=True)
class Target:
    """Where a command writes its table, and in which format."""

    folder: Path | None  # None: to stdout
    form: str
    spreadsheet: bool = False

    @classmethod
    def checked(cls, output: Path | None, form: str, *names: str, **more: Any) -> Self:
        """Check early that the table and these files can be written."""
        folder = None if output in (None, STDOUT) else output
        if folder is not None:
            check_folder(folder, (f"table.{form}", SUMMARY, *names))
        elif REPORT in names:
            refuse("--report", "a report needs a folder; give -o DIR.")
        check_format(form, **more)
        if REPORT in names:
            require("jinja2", "report", "a report")
        return cls(folder=folder, form=form, **more)

    def deliver(
        self,
        columns: Mapping[str, Any],
        files: Callable[[], Mapping[str, Writer]],
        tell: Callable[[], None] | None,
    ) -> None:
        """Write the table, or a folder with it and other files, and the messages."""
        form, how, written = self.form, {"spreadsheet": self.spreadsheet}, ""
        try:
            if self.folder is None:
                write_table(columns, form, sys.stdout.buffer, **how)
            else:
                table = {f"table.{form}": table_file(columns, form, **how)}
                written = ", ".join(fill(self.folder, {**table, **files()}))
        except KeyboardInterrupt:
            tell = None
            raise
        finally:  # even if `head` has closed the pipe
            if tell is not None:
                tell()
                if written:
                    say(f"Written to {self.folder}: {written}")

    def unsafe(self, ids: Any, thing: str = "id") -> list[str]:
        """Say how many ids a spreadsheet would run as formulas."""
        n = sum(_not_run(id) is not id for id in _plain(ids))
        if self.form != "csv" or self.spreadsheet or not n:
            return []
        return [
            f"{counted(n, thing)} {verb(n, 'begins', 'begin')} like a formula, which a "
            "spreadsheet would run. For spreadsheets, add --spreadsheet."
        ]


def check_folder(folder: Path, names: Iterable[str] = ()) -> None:
    """Check early that files can be written into a folder."""
    there = nearest(folder)
    if not there.is_dir():
        refuse("-o", f"{there} is a file; name a folder.")
    check_writable(there)
    for name in names:
        if (folder / name).is_dir():
            refuse("-o", f"{folder / name} is a folder; it should be a file.")


def check_writable(folder: Path) -> None:
    """Check early that a folder is writable."""
    try:
        with TemporaryFile(dir=folder):  # permissions do not show whether writing works
            return
    except OSError as error:
        refuse("-o", f"{folder} is not writable: {error.strerror}.")


def _not_run(cell: Any) -> Any:
    """Put a ' before text that a spreadsheet would run as a formula."""
    if not isinstance(cell, str) or not FORMULA.match(cell) or NUMBER.fullmatch(cell):
        return cell
    return f"'{cell}"


def _plain(column: Any) -> list[Any]:
    """Turn a column into Python numbers and text; dates become text, and NaN None."""
    if column.dtype.kind in "mM":
        return list(column.astype(str).tolist())
    plain = list(column.tolist())
    if column.dtype.kind == "f":
        # JSON has no NaN, and in a table an empty cell is clearer.
        return [None if value != value else value for value in plain]
    return plain
