"""Parquet, arrow and netCDF files: what is needed of them, if it fits."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from incerta.backend.optional import require
from incerta.data.checks import unknown_name
from incerta.data.files.limits import NUMBER_BYTES, refuse_size
from incerta.data.tables.roles import Roles
from incerta.exceptions import DataError, FileError


def read_parquet(path: Path, roles: Roles, limit: int) -> Any:
    """Read the needed columns of a parquet file."""
    parquet = require("pyarrow.parquet", "io", f"reading {path.name}")
    with parquet.ParquetFile(path) as file:
        columns = roles.columns(file.schema_arrow.names)
        groups = range(file.metadata.num_row_groups)
        size = sum(bytes_of_group(file.metadata.row_group(g), columns) for g in groups)
        refuse_size(path, size, limit)
        return file.read(columns=columns)


def bytes_of_group(group: Any, columns: Sequence[str]) -> int:
    """Bytes that the needed columns of a row group take at least, unpacked."""
    told = sum(
        chunk.total_uncompressed_size
        for chunk in map(group.column, range(group.num_columns))
        if chunk.path_in_schema.partition(".")[0] in columns
    )
    # Runs of one value take next to nothing in the file.
    return max(told, group.num_rows * len(columns) * NUMBER_BYTES)


def read_arrow(path: Path, roles: Roles, limit: int) -> Any:
    """Read the needed columns of an arrow file, in file or stream format."""
    pa = require("pyarrow", "io", f"reading {path.name}")
    ipc = require("pyarrow.ipc", "io", f"reading {path.name}")
    source = pa.memory_map(str(path))
    is_file = source.read(6) == b"ARROW1"
    source.seek(0)
    opened = ipc.open_file if is_file else ipc.open_stream
    columns = roles.columns(opened(source).schema.names)
    source.seek(0)
    names = opened(source).schema.names
    source.seek(0)
    chosen = ipc.IpcReadOptions(included_fields=[names.index(c) for c in columns])
    reader = opened(source, options=chosen)
    if is_file:
        filled = reader.count_rows() * len(columns) * NUMBER_BYTES
        refuse_size(path, filled, limit)
        batches = map(reader.get_batch, range(reader.num_record_batches))
    else:
        batches = iter(reader)
    kept, size = [], 0
    for batch in batches:
        size += max(batch.nbytes, batch.num_rows * len(columns) * NUMBER_BYTES)
        refuse_size(path, size, limit)
        kept.append(batch)
    return pa.Table.from_batches(kept, schema=reader.schema).select(columns)


def read_netcdf(path: Path, roles: Roles, limit: int) -> Any:
    """Read the needed variables of a netCDF file, of version 3 or 4."""
    xarray = require("xarray", "io", f"reading {path.name}")
    with path.open("rb") as stream:
        start = stream.read(4)
    if start == b"\x89HDF":
        for module in ("h5netcdf", "h5py"):
            require(module, "io", f"reading {path.name}")
        engine = "h5netcdf"
    elif start.startswith(b"CDF"):
        engine = "scipy"
    else:
        msg = f"{path} is not a netCDF file: it starts with {start!r}."
        raise FileError(msg)
    with xarray.open_dataset(path, engine=engine) as dataset:
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
