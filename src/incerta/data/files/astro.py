"""Astronomical tables: FITS, VOTable and ECSV."""

import csv
import io
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NoReturn
from xml.parsers import expat

import numpy as np

from incerta.backend.optional import require
from incerta.data.files.cells import refuse_other_units
from incerta.data.files.reading import (
    NUMBER_BYTES,
    opened,
    refuse_size,
    refuse_twice,
    refuse_unpacked,
)
from incerta.data.tables.spec import TableSpec
from incerta.exceptions import DataError, FileError, IncertaWarning


def read_fits(path: Path, spec: TableSpec, limit: int) -> Any:
    """Read the needed columns of the first table that has them."""
    fits = require("astropy.io.fits", "science", f"reading {path.name}")
    packed = path.suffix.lower() == ".gz"
    if packed:
        refuse_unpacked(path, limit)
    with (
        _by_astropy(),
        opened(path, "rb") as file,
        # Read it fully, because astropy does not notice if a gzip file is truncated.
        io.BytesIO(file.read()) if packed else file as stream,
        fits.open(stream, memmap=not packed) as parts,
    ):
        tables = (fits.BinTableHDU, fits.TableHDU)
        there = [part for part in parts if isinstance(part, tables)]
        part, columns = _with_columns(
            path, there, spec, lambda part: part.columns.names
        )
        size = part.header["NAXIS2"] * len(columns) * NUMBER_BYTES
        refuse_size(path, size, limit)
        units = {name: part.columns[name].unit or "" for name in columns}
        kept = {name: _column_of_fits(part, name) for name in columns}
        return _checked(kept, units, spec)


def _column_of_fits(part: Any, name: str) -> Any:
    """Return a column, with missing numbers masked as TNULL says."""
    column, array = part.columns[name], np.asarray(part.data[name])
    if array.dtype.kind in "US":
        return np.char.rstrip(array)
    if column.null in (None, ""):
        return array.copy()
    if isinstance(column.null, str):  # of a table in ASCII
        stored = np.recarray.field(part.data, part.columns.names.index(name))
        return np.ma.masked_array(array, np.char.strip(stored) == column.null.encode())
    # TNULL is compared with the stored number, before scaling.
    null = column.null * (column.bscale or 1) + (column.bzero or 0)
    return np.ma.masked_array(array, array == null)


def read_votable(path: Path, spec: TableSpec, limit: int) -> Any:
    """Read the needed columns of the first table that has them."""
    votable = require("astropy.io.votable", "science", f"reading {path.name}")
    refuse_unpacked(path, limit)
    _refuse_votable(path)
    with _by_astropy():
        tables = list(votable.parse(path, verify="ignore").iter_tables())

        def names_of(table: Any) -> list[str]:
            return [str(field.name) for field in table.fields]

        table, columns = _with_columns(path, tables, spec, names_of)
        refuse_twice(path, names_of(table), columns)
        read = table.to_table(use_names_over_ids=True)
        return _checked_table(read[columns], spec)


def read_ecsv(path: Path, spec: TableSpec, limit: int) -> Any:
    """Read the needed columns of a text table with a header in YAML."""
    table = require("astropy.table", "science", f"reading {path.name}")
    refuse_unpacked(path, limit)
    with _by_astropy():
        read = table.Table.read(path, format="ascii.ecsv")
    columns = spec.columns(read.colnames)
    # Read the header again, because astropy renames columns with equal names.
    with path.open(encoding="utf-8", newline="") as stream:
        lines = (line for line in stream if not line.startswith("#") and line.strip())
        header = next(lines, "").strip()
    separator = "," if "," in header else " "
    refuse_twice(path, next(csv.reader([header], delimiter=separator), []), columns)
    return _checked_table(read[columns], spec)


@contextmanager
def _by_astropy() -> Iterator[None]:
    """Ignore astropy's warnings about style, but not about damage."""
    from astropy.utils.exceptions import AstropyWarning

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", AstropyWarning)
        warnings.filterwarnings("error", ".*truncated.*")
        yield


def _with_columns(
    path: Path,
    tables: Sequence[Any],
    spec: TableSpec,
    names_of: Callable[[Any], list[str]],
) -> tuple[Any, list[str]]:
    """Return the first table that has the needed columns, and the columns."""
    if not tables:
        msg = f"{path} holds no table."
        raise FileError(msg)
    first: DataError | None = None
    for table in tables:
        try:
            return table, spec.columns(names_of(table))
        except DataError as error:
            first = first or error
    msg = str(first)
    if len(tables) > 1:
        msg += f" These are of the first of {len(tables)} tables; none has all needed."
    raise DataError(msg) from first


def _checked_table(table: Any, spec: TableSpec) -> dict[str, Any]:
    table.convert_bytestring_to_unicode()
    columns = {name: table[name] for name in table.colnames}
    units = {n: str(getattr(c, "unit", None) or "") for n, c in columns.items()}
    return _checked(columns, units, spec)


def _checked(
    found: Mapping[str, Any], units: Mapping[str, str], spec: TableSpec
) -> dict[str, Any]:
    """Return columns as numpy arrays, with one entry per row and without units."""
    for name, column in found.items():
        shape = np.shape(column)[1:] or (
            column.dtype == object and len(column) > 0 and np.shape(column[0])
        )
        if shape:
            msg = (
                f"column {name!r} holds {shape[0]} entries in each row. If these are "
                "possible values of the object, write a row for each of them with the "
                "same id; if they are features, a column for each."
            )
            raise DataError(msg)
    refuse_other_units(units, spec)
    dropped = [f"{units[name]} of {name!r}" for name in spec.values if units.get(name)]
    if dropped:
        msg = f"units were left out: {', '.join(dropped)}."
        warnings.warn(msg, IncertaWarning, stacklevel=6)
    return {name: _native(column) for name, column in found.items()}


def _native(column: Any) -> Any:
    """Return a column in native byte order, masked if cells are missing."""
    column = getattr(column, "value", column)
    hidden = getattr(column, "mask", None)
    array = np.asarray(getattr(column, "unmasked", column))
    if array.dtype.kind in "fiu":
        array = array.astype(array.dtype.newbyteorder("="))
    return array if hidden is None else np.ma.masked_array(array, hidden)


def _refuse_votable(path: Path) -> None:
    """Refuse a file that is no VOTable, loads other files, or would fill the memory."""
    size = path.stat().st_size
    is_first = True

    def refuse(why: str) -> NoReturn:
        msg = f"{path} {why}"
        raise FileError(msg)

    def start(tag: str, given: dict[str, str]) -> None:
        nonlocal is_first
        name = tag.rpartition(":")[2].upper()
        n_rows = given.get("nrows", "0").strip()
        if is_first and name != "VOTABLE":
            refuse(f"is not a VOTable: it begins with <{tag}>.")
        if name == "STREAM" and given.get("href"):
            place = f"elsewhere, at {given['href']}, which is not followed"
            refuse(f"has its data {place}. Save the table with its data in the file.")
        if name == "STREAM" and given.get("encoding", "").lower() == "gzip":
            refuse("packs its data by gzip. Save the table without that.")
        if name == "TABLE" and n_rows.isdecimal() and int(n_rows) > size:
            refuse(f"is damaged: its {size} bytes cannot hold {n_rows} rows.")
        is_first = False

    def entity(name: str, *_: Any) -> None:  # entities can unpack to any size
        refuse(f"declares the entity {name!r}; files with such are refused.")

    parser = expat.ParserCreate()
    parser.StartElementHandler = start
    parser.EntityDeclHandler = entity
    with path.open("rb") as stream:
        parser.ParseFile(stream)
