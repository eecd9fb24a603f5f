"""Where results go: to stdout, or to files that are complete or absent."""

import csv
import io
import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

from incerta.backend.writing import part_of, passing
from incerta.cli.interrupts import held
from incerta.cli.options import FORMATS, refuse

STDOUT = Path("-")


def write_table(columns: Mapping[str, Any], form: str, out: BinaryIO) -> None:
    """Write columns of equal length.

    Parameters
    ----------
    columns : mapping of str to ndarray
        The table.
    form : {"csv", "parquet", "json"}
        Text is UTF-8, and numbers have all their digits; JSON is a list of rows.
    out : binary file
        Where to.
    """
    if form == "parquet":
        import pyarrow as pa
        from pyarrow import parquet

        table = pa.table({name: _plain(column) for name, column in columns.items()})
        parquet.write_table(table, out)
        return
    rows = zip(*map(_plain, columns.values()), strict=True)
    text = io.TextIOWrapper(out, encoding="utf-8", newline="")
    try:
        if form == "csv":
            writer = csv.writer(text, lineterminator="\n")
            writer.writerow(columns)
            writer.writerows(rows)
        else:
            told = (json.dumps(dict(zip(columns, r, strict=True))) for r in rows)
            text.write("[\n" + ",\n".join(told) + "\n]\n")
    finally:
        text.detach()  # the file is not ours to close
    out.flush()


def check_format(form: str) -> None:
    """Raise, before long work, if a format needs what is not installed."""
    if form == "parquet":
        from incerta.backend.optional import require

        require("pyarrow", "io", "--format parquet")


def format_of(path: Path) -> str:
    """Format by the extension of a file; csv where that says nothing."""
    ending = path.suffix.lower().removeprefix(".")
    return ending if ending in FORMATS else "csv"


def check_file(path: Path) -> None:
    """Raise, before long work, if a file of this name cannot be written."""
    if path.is_dir():
        refuse("-o", f"{path} is a folder; name a file.")
    if not path.absolute().parent.is_dir():
        refuse("-o", f"there is no folder {path.parent}.")


def check_folder(folder: Path) -> None:
    """Raise, before long work, if files cannot be put into a folder of this name."""
    there = _nearest(folder)
    if not there.is_dir():
        refuse("-o", f"{there} is a file; name a folder.")
    if not os.access(there, os.W_OK):
        refuse("-o", f"{there} is not writable.")


@contextmanager
def filling(folder: Path) -> Iterator[Path]:
    """A folder to write to, whose files move to `folder` when the block ends well.

    A new folder appears with all its files at once. In an existing one files of the
    same name are replaced, and others stay.
    """
    new = not folder.exists()
    # On the disk of its destination: renaming does not cross disks.
    with passing(part_of(_nearest(folder))) as beside:
        beside.mkdir()
        yield beside
        with held():
            if new:
                folder.parent.mkdir(parents=True, exist_ok=True)
                beside.rename(folder)
                return
            for file in sorted(beside.iterdir()):
                file.replace(folder / file.name)


def _nearest(folder: Path) -> Path:
    """The folder, or the first above it that exists."""
    whole = folder.absolute()
    return next(place for place in (whole, *whole.parents) if place.exists())


def _plain(column: Any) -> list[Any]:
    """Turn a column into Python's own numbers and text; dates become text, NaN None."""
    if column.dtype.kind in "mM":
        return list(column.astype(str).tolist())
    plain = list(column.tolist())
    if column.dtype.kind == "f":
        # JSON has no NaN, and an empty cell says it better.
        return [None if value != value else value for value in plain]
    return plain
