"""Columns of any frame as numpy arrays: numbers as float64, ids as codes."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, cast

import narwhals as nw
import numpy as np

from incerta.backend.optional import comes_from
from incerta.data.checks import as_labels, nothing_in
from incerta.data.container import FRAME_LIBRARIES
from incerta.data.grouping import Coded, by_appearance, encode
from incerta.data.tables.spec import TableSpec
from incerta.exceptions import DataError, MissingValueError
from incerta.typing import Array, Ids, Indices, Mask
from incerta.wording import counted, given

FEW_ROWS = 1000  # cells decoded to text at a time
TEXT_TYPES = (nw.String, nw.Categorical, nw.Enum)


def library_of(frame: Any) -> str | None:
    """Return the name of the library of a frame with columns in memory."""
    native = nw.from_native(frame, pass_through=True)
    if isinstance(native, (nw.DataFrame, nw.LazyFrame)):
        name = str(native.implementation.value)
        return name if name in FRAME_LIBRARIES else None
    return None


class Table:
    """A frame of any library; only the needed columns are read.

    It may be any frame that narwhals supports (pandas, polars, pyarrow, duckdb, ...),
    an astropy Table, or a mapping from names to columns.
    """

    def __init__(self, frame: Any) -> None:
        self._columns: dict[str, Any] = {}
        self._frame: nw.DataFrame[Any] | nw.LazyFrame[Any] | None = None
        of_astropy = comes_from(frame, "astropy") and hasattr(frame, "colnames")
        if of_astropy or isinstance(frame, Mapping):
            names = frame.colnames if of_astropy else frame
            self._columns = {str(name): frame[name] for name in names}
            self.names = tuple(self._columns)
        else:
            self._frame = _frame_of(frame)
            names = self._frame.collect_schema().names()
            if not all(isinstance(name, str) for name in names):
                first = repr(names[0])
                msg = f"columns must be named by text, not {first}; rename them first."
                raise DataError(msg)
            self.names = tuple(names)

    def load(self, names: Sequence[str]) -> None:
        """Keep only these columns; run a lazy frame once."""
        if self._frame is not None:
            chosen = self._frame.select(*names)
            eager = chosen.collect() if isinstance(chosen, nw.LazyFrame) else chosen
            self._columns = dict(zip(names, eager.iter_columns(), strict=True))
        else:
            plain = {n: _as_plain(self._columns[n], n) for n in names}
            sizes = {name: len(column) for name, column in plain.items()}
            if len(set(sizes.values())) > 1:
                msg = f"columns must be equally long; they have {sizes} rows."
                raise DataError(msg)
            self._columns = plain
        self.names = tuple(names)

    def __len__(self) -> int:
        return len(self._columns[self.names[0]])

    def __contains__(self, name: str) -> bool:
        """Tell whether a column was loaded."""
        return name in self._columns

    def __getitem__(self, name: str) -> Any:
        """Return a column in the form of its library."""
        return self._columns[name]

    def is_uncertain(self, name: str) -> bool:
        """Tell whether the cells of a column contain their uncertainty."""
        column = self._columns[name]
        if hasattr(column, "distribution"):
            return True
        if column.dtype not in (nw.Object, np.dtype(object)):
            return False
        return comes_from(column[0], "uncertainties")

    def numbers(self, name: str, coded: Coded | None = None) -> Array:
        """Return a column as floats, NaN if missing; do not change it."""
        return numbers_of(self._columns[name], name, coded)

    def coded(self, name: str, role: str) -> Coded:
        """Return a column of ids as numbers in order of first appearance."""
        column = _with_different_words(self._columns[name])
        missing = _missing(column)
        if missing.any():
            msg = (
                f"{given(**{role: name})} is missing in "
                f"{counted(int(missing.sum()), 'row')}, the first is "
                f"{in_row(int(missing.argmax()))}; fill it or leave these rows out."
            )
            raise MissingValueError(msg)
        native = isinstance(column, np.ndarray)
        ids, codes = _coded_array(column) if native else _coded_natively(column)
        # A list of strings becomes a plain array of text, unlike an array of objects.
        names = ids.tolist() if ids.dtype == object else ids
        labels = as_labels(names, f"column {name!r}")
        return encode(labels) if codes is None else Coded(labels, codes)


@dataclass(frozen=True)
class Rows:
    """Rows of a table, their objects, and the description of the table."""

    table: Table
    spec: TableSpec
    coded: Coded

    def refuse(self, bad: Mask, column: Array, name: str, why: str) -> None:
        """Raise an error that names the first `bad` row, if there is one."""
        if bad.any():
            row = int(bad.argmax())
            more = f" ({bad.sum()} such rows in all)" if bad.sum() > 1 else ""
            where = f"column {name!r}, {in_row(row, self.coded)}"
            msg = f"{where}: {column[row]} {why}{more}."
            raise DataError(msg)

    def refuse_repeated(self, way_out: str) -> None:
        """Check that every object has a single row."""
        ids, codes = self.coded.ids, self.coded.codes
        if len(ids) < len(codes):
            counts = np.bincount(codes)
            worst = int((counts > 1).argmax())
            msg = (
                f"{given(id=self.spec.id)}: object {ids[worst]!s} has {counts[worst]} "
                f"rows. {way_out}"
            )
            raise DataError(msg)

    def finite(self, name: str) -> Array:
        """Return a column of numbers, which may be missing but not infinite."""
        column = self.table.numbers(name, self.coded)
        why = "is infinite; leave it empty if it is not known"
        self.refuse(np.isinf(column), column, name, why)
        return column

    def logarithm(self, column: Array, name: str, what: str = "") -> Array:
        """Return the decimal logarithm of a column of numbers above 0."""
        why = (
            f"{what}has no logarithm: it is not above 0. Leave the column out of "
            f"{given('log')}, or such rows out of the table; if it stands for a "
            "missing value, empty the cell"
        )
        self.refuse(column <= 0, column, name, why)
        return np.log10(column)

    def feature(self, name: str, value: str | None = None) -> Array:
        """Return a column, or its logarithms if the `value` is to be a logarithm."""
        column = self.finite(name)
        wanted = (value or name) in self.spec.logs
        return self.logarithm(column, name) if wanted else column


def numbers_of(column: Any, name: str, coded: Coded | None = None) -> Array:
    """Return an array or a narwhals column as floats; NaN if missing."""
    if isinstance(column, np.ndarray):
        return _numbers_of_array(column, name, coded)
    kind = column.dtype
    if kind.is_numeric() or kind == nw.Boolean:
        return _as_floats(column)
    if kind == nw.Object:
        return _numbers_of_array(column.to_numpy(), name, coded)
    if isinstance(kind, TEXT_TYPES):
        raise DataError(_not_numbers(name, _cells_of_text(column), coded))
    msg = f"column {name!r} must hold numbers; it holds {kind}."
    raise DataError(msg)


def _as_floats(column: Any) -> Array:
    native = column.to_native()
    if comes_from(native, "pyarrow"):
        # Integers beyond 2**53 are rounded, as in all other libraries.
        floats = native.cast("float64", safe=False).to_numpy()
    else:
        floats = column.cast(nw.Float64).to_numpy()
    return np.asarray(floats, dtype=np.float64)


def _cells_of_text(column: Any) -> Iterator[str | None]:
    """Yield cells one by one, because decoded text may not fit into memory."""
    for begin in range(0, len(column), FEW_ROWS):
        yield from column[begin : begin + FEW_ROWS].cast(nw.String).to_list()


def as_narwhals(frame: Any, **options: bool) -> Any:
    """Return a frame of any library as a narwhals frame; `options` are passed on."""
    try:
        return nw.from_native(frame, **options)
    except nw.exceptions.DuplicateError as error:
        msg = f"columns must have different names: {' '.join(str(error).split())}."
        raise DataError(msg) from error


def _frame_of(frame: Any) -> nw.DataFrame[Any] | nw.LazyFrame[Any]:
    try:
        return cast("nw.DataFrame[Any]", as_narwhals(frame))
    except TypeError as error:
        msg = (
            f"df is a {type(frame).__name__}; from_frame takes frames of pandas, "
            "polars, pyarrow or duckdb, xarray data, an astropy Table, or a dict of "
            "columns. Arrays go through from_samples, from_array or from_gaussian."
        )
        raise DataError(msg) from error


def _as_plain(column: Any, name: str) -> Ids:
    """Convert a column of a mapping or an astropy Table to an array."""
    if hasattr(column, "distribution"):
        return column  # an astropy Distribution
    hidden = np.ma.getmaskarray(column) if np.ma.isMaskedArray(column) else None
    if hidden is None and hasattr(column, "unmasked"):  # astropy's masked array
        column, hidden = column.unmasked, column.mask
    if comes_from(column, "astropy") and hasattr(column, "unit"):
        column = getattr(column, "value", column)  # a Quantity without its unit
    array = np.asarray(column)
    if isinstance(column, (list, tuple)) and array.dtype.kind == "U":
        array = np.asarray(column, dtype=object)  # otherwise 1 would become "1"
    if array.dtype.names and "samples" in array.dtype.names:
        from astropy.uncertainty import Distribution  # a Table removed the class

        return Distribution(array["samples"])
    if array.ndim != 1:
        msg = f"column {name!r} must have 1 dimension, it has shape {array.shape}."
        raise DataError(msg)
    if array.dtype.kind == "S":  # text of FITS files
        try:
            array = np.char.decode(array, "utf-8")
        except UnicodeDecodeError as error:
            msg = f"column {name!r} holds bytes that are not UTF-8 text: {error}."
            raise DataError(msg) from error
    if hidden is not None and hidden.any():
        array = array.astype(np.float64 if array.dtype.kind in "biuf" else object)
        array[hidden] = np.nan if array.dtype.kind == "f" else None
    return array


def _numbers_of_array(array: Ids, name: str, coded: Coded | None) -> Array:
    if array.dtype.kind in "biuf":
        return np.asarray(array, dtype=np.float64)
    if array.dtype.kind in "OU":
        cells = np.where(_missing(array), np.nan, array.astype(object, copy=False))
        if not any(isinstance(cell, (str, bytes)) for cell in cells):
            with suppress(TypeError, ValueError):
                return cells.astype(np.float64)
        raise DataError(_not_numbers(name, cells.tolist(), coded))
    msg = f"column {name!r} must hold numbers; it holds {array.dtype}."
    raise DataError(msg)


def in_row(row: int, coded: Coded | None = None) -> str:
    """Name a row, counted from 1, with its object; for files it becomes a line."""
    # Objects without ids are numbered from 0, which would confuse here.
    named = ""
    if coded is not None and coded.is_column:
        named = f", object {coded.name(row)}"
    return f"row {row + 1} (counted from 1){named}"


def _not_numbers(name: str, cells: Iterable[Any], coded: Coded | None) -> str:
    for row, cell in enumerate(cells):
        if cell is not None and not _reads_as_number(cell):
            where = in_row(row, coded)
            return f"column {name!r} must hold numbers; {where} is {cell!r}."
    return (
        f"column {name!r} holds text, though all of it reads as numbers; convert it "
        "to a column of numbers first."
    )


def _reads_as_number(cell: Any) -> bool:
    try:
        float(cell)
    except (TypeError, ValueError):
        return False
    return True


def _missing(column: Any) -> Mask:
    if isinstance(column, np.ndarray):
        return nothing_in(column)
    return np.asarray(column.is_null().to_numpy(), dtype=np.bool_)


def _coded_array(array: Ids) -> tuple[Ids, Indices | None]:
    """Number the words in an object array of text."""
    if array.dtype != object or not all(isinstance(cell, str) for cell in array):
        return array, None
    number: dict[str, int] = {}
    codes = [number.setdefault(cell, len(number)) for cell in array]
    return np.array(list(number), dtype=object), np.array(codes, dtype=np.intp)


def _with_different_words(column: Any) -> Any:
    """Remove repeated and null words from an arrow dictionary."""
    native: Any = None if isinstance(column, np.ndarray) else column.to_native()
    if not comes_from(native, "pyarrow") or not hasattr(native.type, "value_type"):
        return column
    each = [chunk.dictionary for chunk in native.chunks]
    if not any(words.null_count or len(words.unique()) < len(words) for words in each):
        return column
    import pyarrow as pa

    chunks = []
    for words, chunk in zip(each, native.chunks, strict=True):
        coded = words.dictionary_encode()
        codes = coded.indices.take(chunk.indices)
        chunks.append(pa.DictionaryArray.from_arrays(codes, coded.dictionary))
    return nw.from_native(pa.chunked_array(chunks), series_only=True)


def _coded_natively(column: Any) -> tuple[Ids, Indices | None]:
    """Number ids by the frame's library; return None if it cannot."""
    native = column.to_native()
    if comes_from(native, "pandas"):
        codes, ids = native.factorize()
        return np.asarray(ids), codes
    if comes_from(native, "pyarrow"):
        return _coded_by_arrow(native)
    if comes_from(native, "polars") and isinstance(column.dtype, TEXT_TYPES):
        import polars as pl

        text = native.cast(pl.String)
        ids = text.unique(maintain_order=True)
        codes = text.cast(pl.Enum(ids)).to_physical().to_numpy().astype(np.intp)
        return ids.to_numpy(), codes
    return column.to_numpy(), None


def _coded_by_arrow(column: Any) -> tuple[Ids, Indices]:
    import pyarrow as pa

    if not pa.types.is_dictionary(column.type):
        if pa.types.is_string_view(column.type):
            # pyarrow before 18 has no cast.
            column = pa.chunked_array([column.to_pylist()], pa.large_string())
        column = column.dictionary_encode()
    column = column.unify_dictionaries()
    parts = [chunk.indices.to_numpy() for chunk in column.chunks]
    codes = np.concatenate(parts).astype(np.intp, copy=False)
    ids = column.chunk(0).dictionary.to_numpy(zero_copy_only=False)
    # Assign backwards: the last assignment stays, which is the first row.
    first = np.full(len(ids), len(codes), dtype=np.intp)
    first[codes[::-1]] = np.arange(len(codes) - 1, -1, -1)
    if (first[1:] < first[:-1]).any() or len(codes) in first:
        codes = by_appearance(first)[codes]
        ids = ids[np.argsort(first)][: int(codes.max()) + 1]  # unused words are last
    return ids, codes
