"""Read parquet files that may be larger than memory, in pieces when needed.

A piece consists of row groups of one file. If the rows of an object continue in the
next row group, they belong to the piece in which they begin.
"""

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from incerta.backend.fold import Recipe, mapped
from incerta.backend.optional import require
from incerta.data.container import UncertainData
from incerta.data.files.binary import open_parquet, sizes_of_groups
from incerta.data.files.reading import NUMBER_BYTES, needed, reading, refuse_size
from incerta.data.partitioned import PartitionedData, of_tables, refuse_imputation
from incerta.data.tables.spec import TableSpec
from incerta.exceptions import DataError, FileError
from incerta.wording import given

# Unpacked; starting a piece takes far less time than reading this much.
PIECE_BYTES = 64 * 2**20
FEW_ROWS = 2**16  # rows to read at a time when searching for the end of an object
NUMBER = "number of the row"  # name of the ids if they are row numbers


@dataclass(frozen=True, kw_only=True)
class Piece:
    """Some rows of a file."""

    path: Path
    columns: list[str]
    groups: list[int]  # the row groups
    before: int | None  # the row group before them
    first: int  # number of the first row, counted through all files
    limit: int  # most bytes


def read_lazily(
    path: str | os.PathLike[str], spec: TableSpec, limit: int
) -> PartitionedData:
    """Find the pieces of parquet files, which are read when needed.

    `path` is a file, a folder or a pattern; a piece has at most `limit` bytes.
    """
    refuse_imputation(spec)
    why = (
        "cannot be used with lazy=True: it takes the rows of all objects at once. "
        "Leave lazy out."
    )
    spec.refuse(("sample", "batch", "replicates"), why)
    if spec.error_columns is None and spec.stated_meaning == "error":
        msg = f"{given(meaning='error')} of values without errors {why}"
        raise DataError(msg)
    pieces: list[Piece] = []
    n_rows = 0
    for file in _files(path):
        with reading(file):
            found, n_here = _pieces(file, spec, n_rows, limit)
        pieces += found
        n_rows += n_here
    if not pieces:
        msg = f"{path} has no rows; there is nothing to cluster."
        raise FileError(msg)
    tables = [Recipe(partial(_table, piece, spec)) for piece in pieces]
    data = of_tables(tables, replace(spec, id=spec.id or NUMBER))
    if spec.stated_meaning is None:
        return data
    partitions = mapped(data.partitions, _with_meaning, spec.stated_meaning)
    return replace(data, partitions=tuple(partitions))


def _files(path: str | os.PathLike[str]) -> list[Path]:
    """Return the parquet files of a folder, a pattern or a single path, by name.

    Paths are absolute, because workers may have another working folder.
    """
    place = Path(path).absolute()
    found: Iterable[Path] = [place]  # even if its name could be a pattern
    if place.is_dir():
        found = place.rglob("*.parquet")
    elif not place.is_file():
        found = Path(place.anchor).glob(str(place.relative_to(place.anchor)))
    files = sorted(file for file in found if file.is_file())
    if not files:
        msg = f"there is no parquet file at {path}; lazy=True reads no others."
        raise FileError(msg)
    for file in files:
        if file.suffix.lower() != ".parquet":
            msg = (
                f"{file} is not a parquet file; lazy=True reads no others. Convert it, "
                "or leave lazy out."
            )
            raise FileError(msg)
    return files


def _pieces(
    path: Path, spec: TableSpec, first: int, limit: int
) -> tuple[list[Piece], int]:
    """Return the pieces of a file, and its number of rows."""
    with open_parquet(path, spec) as file:
        names, metadata = file.schema_arrow.names, file.metadata
    try:
        columns = needed(path, names, spec)
    except DataError as error:
        msg = f"{path}: {error}"
        raise DataError(msg) from error
    sizes = {}
    for number, size in enumerate(sizes_of_groups(metadata, columns)):
        n_here = metadata.row_group(number).num_rows
        if n_here:
            sizes[number] = size, n_here
            refuse_size(path, size, limit)
    there = list(sizes)
    pieces, n_rows = [], 0
    for start, stop in _cuts([size for size, _ in sizes.values()], limit):
        piece = Piece(
            path=path,
            columns=columns,
            groups=there[start:stop],
            before=there[start - 1] if start else None,
            first=first + n_rows,
            limit=limit,
        )
        pieces.append(piece)
        n_rows += sum(sizes[group][1] for group in piece.groups)
    return pieces, n_rows


def _cuts(sizes: list[int], limit: int) -> Iterator[tuple[int, int]]:
    """Return where pieces of row groups begin and end."""
    start, total = 0, 0
    for stop, size in enumerate(sizes):
        if stop > start and total + size > min(PIECE_BYTES, limit):
            yield start, stop
            start, total = stop, 0
        total += size
    if sizes:
        yield start, len(sizes)


def _table(piece: Piece, spec: TableSpec) -> Any:
    """Read the rows of a piece; an object has all of its rows in one piece."""
    with reading(piece.path), open_parquet(piece.path, spec) as file:
        rows = file.read_row_groups(piece.groups, columns=piece.columns)
        rows.validate(full=True)  # of text, which may be no text
        if spec.id is None:
            numbers = np.arange(piece.first, piece.first + len(rows))
            return rows.append_column(NUMBER, [numbers])
        if spec.error_columns is None:
            return _whole_objects(file, rows, spec.id, piece)
        return rows


def _whole_objects(file: Any, rows: Any, id: str, piece: Piece) -> Any:
    """Drop rows of the last object of the previous piece; complete the last object."""
    pa = require("pyarrow", "io", f"reading {piece.path.name}")
    if piece.before is not None:
        ended = file.read_row_group(piece.before, columns=[id])[id][-1]
        rows = rows.slice(_run(rows[id], ended))
    if not len(rows):
        return rows
    last, parts, n_rows = rows[id][-1], [rows], len(rows)
    for batch in _batches(file, piece):
        n_more = _run(batch[id], last)
        parts.append(pa.Table.from_batches([batch.slice(0, n_more)]))
        if n_more < len(batch):
            break
        n_rows += n_more
        size = n_rows * len(piece.columns) * NUMBER_BYTES
        refuse_size(piece.path, size, piece.limit)
    return pa.concat_tables(parts)


def _batches(file: Any, piece: Piece) -> Iterator[Any]:
    """Yield rows after a piece, a few at a time."""
    for group in range(piece.groups[-1] + 1, file.metadata.num_row_groups):
        yield from file.iter_batches(FEW_ROWS, [group], piece.columns)


def _run(column: Any, id: Any) -> int:
    """Count the entries equal to `id` at the beginning of a column."""
    pc = require("pyarrow.compute", "io", "reading parquet files")
    n_before, one = 0, id.as_py()
    for chunk in getattr(column, "chunks", [column]):
        if hasattr(chunk, "dictionary"):
            same = pc.equal(chunk.dictionary, one).take(chunk.indices)
        else:
            same = pc.equal(chunk, one)
        end = pc.index(same.fill_null(False), False).as_py()
        if end >= 0:
            return n_before + int(end)
        n_before += len(chunk)
    return n_before


def _with_meaning(data: UncertainData | None, meaning: str) -> UncertainData | None:
    return None if data is None else data.with_meaning(meaning)
