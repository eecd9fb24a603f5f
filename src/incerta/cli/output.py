"""Where results go: to stdout, or to files that are complete or absent."""

import csv
import io
import json
import os
import re
from collections.abc import Callable, Iterable, Mapping
from itertools import chain
from pathlib import Path
from typing import Any, BinaryIO

from incerta.backend.writing import nearest
from incerta.cli.options import FORMATS, refuse
from incerta.wording import counted, verb

STDOUT = Path("-")
SUMMARY, REPORT = "summary.json", "report.html"
FORMULA = re.compile(r"[=+\-@\t\r]")
NUMBER = re.compile(r"[+-]?\d+(\.\d+)?")


def write_table(
    columns: Mapping[str, Any], form: str, out: BinaryIO, *, spreadsheet: bool = False
) -> None:
    """Write columns of equal length as one of `FORMATS`.

    Text is UTF-8, and numbers have all their digits; JSON is a list of rows. With
    `spreadsheet` text that a spreadsheet would run as a formula gets a ' before it.
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
            # Before Python 3.13 a lone \r is not quoted by itself.
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
        text.detach()  # the file is not ours to close
    out.flush()


def table_file(
    columns: Mapping[str, Any], form: str, *, spreadsheet: bool = False
) -> Callable[[Path], None]:
    """What writes columns to a file."""

    def write(path: Path) -> None:
        with path.open("wb") as out:
            write_table(columns, form, out, spreadsheet=spreadsheet)

    return write


def json_file(facts: Mapping[str, Any]) -> Callable[[Path], object]:
    """What writes facts to a file."""
    text = json.dumps(facts, indent=1, ensure_ascii=False) + "\n"
    return lambda path: path.write_text(text, encoding="utf-8")


def check_format(form: str, *, spreadsheet: bool = False) -> None:
    """Raise, before long work, if a format needs what is not installed."""
    if spreadsheet and form != "csv":
        refuse("--spreadsheet", f"it is for csv, and --format is {form}.")
    if form == "parquet":
        from incerta.backend.optional import require

        require("pyarrow", "io", "--format parquet")


def tell_formulas(ids: Any, form: str, *, spreadsheet: bool = False) -> list[str]:
    """Say how many ids a spreadsheet would run as formulas, if there are any."""
    n = sum(_not_run(id) is not id for id in _plain(ids))
    if form != "csv" or spreadsheet or not n:
        return []
    return [
        f"{counted(n, 'id')} {verb(n, 'begins', 'begin')} like a formula, which a "
        "spreadsheet would run. For spreadsheets, add --spreadsheet."
    ]


def format_of(path: Path) -> str:
    """Format by the extension of a file; csv where that says nothing."""
    ending = path.suffix.lower().removeprefix(".")
    return ending if ending in FORMATS else "csv"


def check_file(path: Path) -> None:
    """Raise, before long work, if a file of this name cannot be written."""
    if path.is_dir():
        refuse("-o", f"{path} is a folder; name a file.")
    parent = path.resolve().parent
    if not parent.is_dir():
        refuse("-o", f"there is no folder {parent}.")
    _check_writable(parent)


def check_folder(folder: Path, names: Iterable[str] = ()) -> None:
    """Raise, before long work, if these files cannot be put into a folder."""
    there = nearest(folder)
    if not there.is_dir():
        refuse("-o", f"{there} is a file; name a folder.")
    _check_writable(there)
    for name in names:
        if (folder / name).is_dir():
            refuse("-o", f"{folder / name} is a folder, where a file is to be.")


def _check_writable(folder: Path) -> None:
    if not os.access(folder, os.W_OK):
        refuse("-o", f"{folder} is not writable.")


def _not_run(cell: Any) -> Any:
    """Text with a ' before it if a spreadsheet would run it; all else as it is."""
    if not isinstance(cell, str) or not FORMULA.match(cell) or NUMBER.fullmatch(cell):
        return cell
    return f"'{cell}"


def _plain(column: Any) -> list[Any]:
    """Turn a column into Python's own numbers and text; dates become text, NaN None."""
    if column.dtype.kind in "mM":
        return list(column.astype(str).tolist())
    plain = list(column.tolist())
    if column.dtype.kind == "f":
        # JSON has no NaN, and an empty cell says it better.
        return [None if value != value else value for value in plain]
    return plain
