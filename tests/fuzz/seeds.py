"""Small tables of all formats that `read` knows, in the usual ways to write them."""

import gzip
import io
import tempfile
import warnings
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import duckdb
import h5py
import numpy as np
import pyarrow as pa
import pyarrow.parquet
import xarray
from astropy.io import fits, votable
from astropy.table import MaskedColumn, Table

FORMATS = Path(__file__).parents[1] / "tables" / "formats"
IDS = ["a", "a", "b", "b", "c", "d", "e", "f", "g", "long name"]
H = [1.5, 2.5, 8.25, -3.0, 0.125, 1e-3, 7.0, 11.0, 12.5, 100.0]
G = [10, 20, 30, 40, 50, 60, 70, 80, 90, 100]
SAID: dict[str, Any] = {"id": "id", "values": ["h", "g"]}


class Seed(NamedTuple):
    """A table before it is damaged."""

    kind: str
    name: str  # of the file
    content: bytes
    said: dict[str, Any]  # about its columns
    # Whether the file knows its own sums: another answer is then a finding.
    summed: bool = False


@cache
def seeds() -> tuple[Seed, ...]:
    """All of them; written once per process, in a second or two."""
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        place = Path(folder)
        return tuple(seed for write in WRITERS for seed in write(place))


def _text(_: Path) -> Iterator[Seed]:
    rows = list(zip(IDS, H, G, strict=True))
    lines = ["id,h,g,note", *(f'{i},{h},{g},"x, {i}"' for i, h, g in rows)]
    plain = "\n".join(lines).encode()
    yield Seed("csv", "t.csv", plain, SAID)
    yield Seed("csv", "t.csv", "\r\n".join(lines).encode("utf-16"), SAID)
    yield Seed("csv.gz", "t.csv.gz", gzip.compress(plain, mtime=0), SAID, True)
    words = ["id;h;g", *(f"{i};{h}±0,5;<{g}" for i, h, g in rows[3:])]
    told = "\n".join(words).replace(".", ",").encode()
    yield Seed("csv", "t.csv", told, SAID)
    tabs = "\n".join(["id\th\tg", *(f"{i}\t{h}\t{g}" for i, h, g in rows)])
    yield Seed("tsv", "t.tsv", tabs.encode(), SAID)
    spaces = "\n".join(["id h   g", *(f"{i[0]}  {h}   {g}" for i, h, g in rows)])
    yield Seed("txt", "t.txt", spaces.encode(), SAID)
    for name in ("plain.json", "columns.json", "plain.jsonl", "lines.json"):
        content = (FORMATS / name).read_bytes()
        yield Seed("json", f"t{Path(name).suffix}", content, SAID)
    packed = gzip.compress(content, mtime=0)
    yield Seed("json.gz", "t.jsonl.gz", packed, SAID, True)


def _arrow(place: Path) -> Iterator[Seed]:
    table = pa.table({"id": IDS, "h": H, "g": G, "note": [i * 20 for i in IDS]})
    coded = table.set_column(0, "id", table["id"].dictionary_encode())
    for number, (one, options) in enumerate(
        (
            (table, {}),
            (table, {"compression": "zstd", "write_page_checksum": True}),
            (table, {"compression": "none", "use_dictionary": False}),
            (coded, {"row_group_size": 4, "data_page_version": "2.0"}),
            (table, {"compression": "gzip", "column_encoding": {"h": _SPLIT}}),
        )
    ):
        if "column_encoding" in options:
            options = {**options, "use_dictionary": False}
        path = place / f"{number}.parquet"
        pa.parquet.write_table(one, path, **options)
        yield Seed("parquet", "t.parquet", path.read_bytes(), SAID)
        lazily = {**SAID, "lazy": True}
        yield Seed("parquet lazy", "t.parquet", path.read_bytes(), lazily)
    for one in (table, coded):
        for packing in (None, "lz4", "zstd"):
            options = pa.ipc.IpcWriteOptions(compression=packing)
            for kind, new in (("arrow", pa.ipc.new_file), ("ipc", pa.ipc.new_stream)):
                sink = io.BytesIO()
                with new(sink, one.schema, options=options) as writer:
                    writer.write_table(one, max_chunksize=6)
                yield Seed(kind, f"t.{kind}", sink.getvalue(), SAID)


_SPLIT = "BYTE_STREAM_SPLIT"


def _netcdf(place: Path) -> Iterator[Seed]:
    dataset = xarray.Dataset(
        {"h": (("id", "m"), np.outer(H[:5], [1, 2])), "g": (("id", "m"), np.eye(5, 2))},
        {"id": list("abcde"), "m": [1, 2]},
    )
    said = {**SAID, "sample": "m", "joint": True}
    for engine in ("h5netcdf", "scipy"):
        path = place / f"{engine}.nc"
        dataset.to_netcdf(path, engine=engine)
        yield Seed("netcdf", "t.nc", path.read_bytes(), said)


def _astro(place: Path) -> Iterator[Seed]:
    gaps = MaskedColumn(H, mask=[h == 100 for h in H])
    table = Table({"id": IDS, "h": gaps, "g": G})
    said = {**SAID, "missing": "drop"}
    for checksum in (False, True):
        path = place / f"{checksum}.fits"
        fits.BinTableHDU(table).writeto(path, checksum=checksum)
        yield Seed("fits", "t.fits", path.read_bytes(), said)
    packed = gzip.compress(path.read_bytes(), mtime=0)
    yield Seed("fits.gz", "t.fits.gz", packed, said, True)
    for how in ("tabledata", "binary", "binary2"):
        path = place / f"{how}.vot"
        votable.from_table(table).to_xml(str(path), tabledata_format=how)
        yield Seed("votable", "t.vot", path.read_bytes(), said)
    path = place / "t.ecsv"
    table.write(path, format="ascii.ecsv")
    yield Seed("ecsv", "t.ecsv", path.read_bytes(), said)


def _h5ad(place: Path) -> Iterator[Seed]:
    for how in ("dense", "csr", "csc"):
        path = place / f"{how}.h5ad"
        with h5py.File(path, "w") as file:
            obs, var = file.create_group("obs"), file.create_group("var")
            for group, names in ((obs, IDS[3:]), (var, ["h", "g"])):
                group.attrs["_index"], group.attrs["column-order"] = "_index", []
                group["_index"] = np.array(names, dtype=h5py.string_dtype())
            obs.attrs["column-order"] = ["type"]
            kind = obs.create_group("type")
            kind["codes"] = np.array([0, 1, 0, 1, 0, 1, 1], np.int8)
            kind["categories"] = np.array(["u", "v"], dtype=h5py.string_dtype())
            matrix = np.column_stack([H[3:], G[3:]])
            if how == "dense":
                file.create_dataset("X", data=matrix, compression="gzip", chunks=(4, 2))
            else:
                _sparse(file.create_group("X"), matrix, how)
        yield Seed("h5ad", "t.h5ad", path.read_bytes(), {"values": ["h", "g"]})
        by_type = {"id": "type", "values": ["h"]}
        yield Seed("h5ad", "t.h5ad", path.read_bytes(), by_type)


def _sparse(group: Any, matrix: Any, how: str) -> None:
    by = matrix if how == "csr" else matrix.T
    group.attrs["encoding-type"] = f"{how}_matrix"
    group["data"] = by.ravel()
    group["indices"] = np.tile(np.arange(by.shape[1]), by.shape[0])
    group["indptr"] = np.arange(by.shape[0] + 1) * by.shape[1]


def _sheets(_: Path) -> Iterator[Seed]:
    for name in ("plain.xlsx", "text_cells.xlsx", "plain.ods"):
        content, suffix = (FORMATS / name).read_bytes(), Path(name).suffix
        yield Seed(suffix[1:], f"t{suffix}", content, SAID, True)


def _duckdb(place: Path) -> Iterator[Seed]:
    path = place / "t.duckdb"
    with duckdb.connect(str(path)) as connection:
        connection.execute("CREATE TABLE t (id VARCHAR, h DOUBLE, g INTEGER)")
        rows = list(zip(IDS, H, G, strict=True))
        connection.executemany("INSERT INTO t VALUES (?, ?, ?)", rows)
    yield Seed("duckdb", "t.duckdb", path.read_bytes(), SAID, True)


WRITERS: tuple[Callable[[Path], Iterator[Seed]], ...] = (
    _text,
    _arrow,
    _netcdf,
    _astro,
    _h5ad,
    _sheets,
    _duckdb,
)
