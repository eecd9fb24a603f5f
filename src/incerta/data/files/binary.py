"""Parquet, arrow and netCDF files: read the needed columns, if they fit."""

import io
import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from incerta.backend.optional import require
from incerta.data.files.reading import NUMBER_BYTES, needed, refuse_size
from incerta.data.from_dataarray import dims_of_cells
from incerta.data.tables.spec import TableSpec
from incerta.exceptions import DataError, FileError
from incerta.wording import unknown_name


def read_parquet(path: Path, spec: TableSpec, limit: int) -> Any:
    """Read the needed columns of a parquet file."""
    with open_parquet(path, spec) as file:
        names = file.schema_arrow.names
        columns = needed(path, names, spec)
        sizes = sizes_of_groups(file.metadata, columns)
        refuse_size(path, sum(sizes), limit)
        table = file.read(columns=columns)
    table.validate(full=True)  # text that may not be valid
    return table


def open_parquet(path: Path, spec: TableSpec) -> Any:
    """Open a parquet file, with dictionary-encoded text and checked checksums.

    Without dictionaries, each row would hold its own copy of a word.
    """
    parquet = require("pyarrow.parquet", "io", f"reading {path.name}")
    words = [name for name in (spec.id, spec.sample, spec.batch) if name]
    return parquet.ParquetFile(
        path, read_dictionary=words, page_checksum_verification=True
    )


def sizes_of_groups(metadata: Any, columns: Sequence[str]) -> list[int]:
    """Return the bytes of some columns in each row group, by the metadata."""
    named = frozenset(columns)
    paths = [metadata.schema.column(j).path for j in range(metadata.num_columns)]
    places = [j for j, p in enumerate(paths) if {p, p.partition(".")[0]} & named]
    return [
        sum(  # runs of equal values take almost no space in the file
            max(chunk.total_uncompressed_size, chunk.num_values * NUMBER_BYTES)
            for chunk in map(group.column, places)
        )
        for group in map(metadata.row_group, range(metadata.num_row_groups))
    ]


def read_arrow(path: Path, spec: TableSpec, limit: int) -> Any:
    """Read the needed columns of an arrow file, in file or stream format."""
    pa = require("pyarrow", "io", f"reading {path.name}")
    ipc = require("pyarrow.ipc", "io", f"reading {path.name}")
    # No memory map: truncating a mapped file would crash the process.
    with pa.OSFile(str(path)) as source:
        is_file = source.read(6) == b"ARROW1"
        opened = ipc.open_file if is_file else ipc.open_stream
        source.seek(0)
        schema = opened(source).schema
        columns = needed(path, schema.names, spec)
        places = [schema.names.index(name) for name in columns]
        source.seek(0)
        reader = opened(source, options=ipc.IpcReadOptions(included_fields=places))
        batches: Iterable[Any] = reader
        if is_file:
            batches = map(reader.get_batch, range(reader.num_record_batches))
        kept, size, words = [], 0, 0
        for batch in batches:
            # pyarrow trusts the sizes stated in a file.
            batch.validate(full=True)
            size += sum(map(_bytes_of, batch.columns))
            own = (getattr(column, "dictionary", None) for column in batch.columns)
            words = max(words, sum(word.nbytes for word in own if word is not None))
            if size + words <= limit:  # other columns are only measured
                kept.append(batch)
        refuse_size(path, size + words, limit)
        return pa.Table.from_batches(kept, schema=reader.schema).select(columns)


def _bytes_of(column: Any) -> int:
    """Return the bytes of a column of a batch, without the shared dictionary."""
    own = getattr(column, "indices", column)
    return max(int(own.nbytes), len(column) * NUMBER_BYTES)


def read_netcdf(path: Path, spec: TableSpec, limit: int) -> Any:
    """Read the needed variables of a netCDF file, of version 3 or 4."""
    xarray = require("xarray", "io", f"reading {path.name}")
    with path.open("rb") as stream:
        start = stream.read(4)
    engine = "scipy"
    if start == b"\x89HDF":
        engine = "h5netcdf"
        for module in ("h5netcdf", "h5py"):
            require(module, "io", f"reading {path.name}")
    elif start.startswith(b"CDF"):
        from scipy.io import netcdf_file  # slow to import

        with _Within(path) as checked:
            netcdf_file(checked, mmap=True).close()
    else:
        msg = f"{path} is not a netCDF file: it starts with {start!r}."
        raise FileError(msg)
    with xarray.open_dataset(path, engine=engine) as dataset:
        return _chosen(dataset, path, spec, limit)


class _Within(io.FileIO):
    """A file that refuses to read beyond its end, whatever its header states."""

    def read(self, size: int | None = -1) -> bytes:
        left = os.fstat(self.fileno()).st_size - self.tell()
        if size is not None and size > left:
            msg = f"its header asks for {size} bytes where {max(left, 0)} are left"
            raise EOFError(msg)
        return super().read(-1 if size is None else size)


def _chosen(dataset: Any, path: Path, spec: TableSpec, limit: int) -> Any:
    chosen = list(spec.values)
    if spec.sample is None:
        cells = [spec.id] if dims_of_cells(dataset, spec.id) else []
        names = spec.columns([*map(str, dataset.variables), *map(str, cells)])
        chosen = [name for name in names if name not in cells]
    elif unknown := [name for name in chosen if name not in dataset.data_vars]:
        known = [str(known) for known in dataset.data_vars]
        msg = f"values: {unknown_name('variable', unknown[0], known)}"
        raise DataError(msg)
    part = dataset[chosen]
    n_cells = sum(variable.size for variable in part.variables.values())
    refuse_size(path, max(part.nbytes, n_cells * NUMBER_BYTES), limit)
    return part.load()
