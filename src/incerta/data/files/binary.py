"""Parquet, arrow and netCDF files: what is needed of them, if it fits."""

import io
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from incerta.backend.optional import require
from incerta.data.checks import unknown_name
from incerta.data.files.apart import apart
from incerta.data.files.arrow_sizes import (
    MAGIC,
    buffers_of,
    messages_of,
    needed_size,
)
from incerta.data.files.csv import refuse_twice
from incerta.data.files.limits import NUMBER_BYTES, refuse_size
from incerta.data.files.parquet_sizes import bytes_of_pages, footer_of
from incerta.data.tables.roles import Roles
from incerta.exceptions import DataError, FileError


def read_parquet(path: Path, roles: Roles, limit: int) -> Any:
    """Read the needed columns of a parquet file."""
    parquet = require("pyarrow.parquet", "io", f"reading {path.name}")
    footer = footer_of(path)
    groups = range(len(footer.groups))
    with parquet.ParquetFile(path) as file:
        names = file.schema_arrow.names
    columns = roles.columns(names)
    refuse_twice(path, names, columns)
    needed = frozenset(columns)
    size = sum(footer.size(group, needed) for group in footer.groups)
    refuse_size(path, size, limit)
    refuse_size(path, bytes_of_pages(path, footer, groups, needed), limit)
    with open_parquet(path, roles) as file:
        table = file.read(columns=columns)
    table.validate(full=True)  # of text, which may be no text
    return table


def open_parquet(path: Path, roles: Roles) -> Any:
    """Open a parquet file: words are read once, and sums are checked where it has any.

    However few words a column has, each row would hold its own copy of one.
    """
    parquet = require("pyarrow.parquet", "io", f"reading {path.name}")
    words = [name for name in (roles.id, roles.sample, roles.batch) if name]
    return parquet.ParquetFile(
        path, read_dictionary=words, page_checksum_verification=True
    )


def read_arrow(path: Path, roles: Roles, limit: int) -> Any:
    """Read the needed columns of an arrow file, in file or stream format."""
    pa = require("pyarrow", "io", f"reading {path.name}")
    ipc = require("pyarrow.ipc", "io", f"reading {path.name}")
    for _ in messages_of(path):  # or pyarrow makes room for any length it is told
        pass
    # No memory map: a file that another program cuts off would end the process.
    with pa.OSFile(str(path)) as source:
        is_file = source.read(len(MAGIC)) == MAGIC
        opened = ipc.open_file if is_file else ipc.open_stream
        source.seek(0)
        schema = opened(source).schema
        columns = roles.columns(schema.names)
        refuse_twice(path, schema.names, columns)
        places = {name: place for place, name in enumerate(schema.names)}
        needed = [places[name] for name in columns]
        _refuse_batches(path, schema, needed, limit)
        source.seek(0)
        reader = opened(source, options=ipc.IpcReadOptions(included_fields=needed))
        batches: Iterable[Any] = reader
        if is_file:
            batches = map(reader.get_batch, range(reader.num_record_batches))
        kept = []
        for batch in batches:
            # pyarrow believes what a file says about its own memory.
            batch.validate(full=True)
            kept.append(batch)
        return pa.Table.from_batches(kept, schema=reader.schema).select(columns)


def _refuse_batches(path: Path, schema: Any, needed: list[int], limit: int) -> None:
    """Refuse an arrow file that unpacks to more than the limit."""
    buffers, those = buffers_of(schema), frozenset(needed)
    size = 0
    for message in messages_of(path):
        told = needed_size(message, buffers, those)
        # Runs of one value take next to nothing in the file.
        filled = 0 if message.is_dictionary else message.n_rows * len(needed)
        size += max(told, filled * NUMBER_BYTES)
    refuse_size(path, size, limit)


def read_netcdf(path: Path, roles: Roles, limit: int) -> Any:
    """Read the needed variables of a netCDF file, of version 3 or 4."""
    require("xarray", "io", f"reading {path.name}")
    with path.open("rb") as stream:
        start = stream.read(4)
    if start == b"\x89HDF":
        for module in ("h5netcdf", "h5py"):
            require(module, "io", f"reading {path.name}")
        return apart(_variables, path, "h5netcdf", roles, limit)
    if not start.startswith(b"CDF"):
        msg = f"{path} is not a netCDF file: it starts with {start!r}."
        raise FileError(msg)
    with _Within(path) as checked:
        from scipy.io import netcdf_file  # slow to import

        netcdf_file(checked, mmap=True).close()
    return _variables(path, "scipy", roles, limit)


class _Within(io.FileIO):
    """A file that makes no room for more than it has, whatever its header says."""

    def read(self, size: int | None = -1) -> bytes:
        left = os.fstat(self.fileno()).st_size - self.tell()
        if size is not None and size > left:
            msg = f"its header asks for {size} bytes where {max(left, 0)} are left"
            raise EOFError(msg)
        return super().read(-1 if size is None else size)


def _variables(path: Path, engine: str, roles: Roles, limit: int) -> Any:
    import xarray

    with xarray.open_dataset(path, engine=engine) as dataset:
        return _chosen(dataset, path, roles, limit)


def _chosen(dataset: Any, path: Path, roles: Roles, limit: int) -> Any:
    if roles.sample is None:
        chosen = roles.columns([str(name) for name in dataset.variables])
    else:
        chosen = list(roles.values)
        for name in chosen:
            if name not in dataset.data_vars:
                known = [str(known) for known in dataset.data_vars]
                msg = f"values: {unknown_name('variable', name, known)}"
                raise DataError(msg)
    part = dataset[chosen]
    refuse_size(path, max(part.nbytes, _as_floats(part)), limit)
    return part.load()


def _as_floats(part: Any) -> int:
    return sum(variable.size for variable in part.variables.values()) * NUMBER_BYTES
