"""AnnData files: cells by genes, annotations of cells, and embeddings.

They are read by h5py, following the description of the format in anndata's
documentation, so that only the needed columns of large matrices are read.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from incerta.backend.optional import require
from incerta.data.files.reading import NUMBER_BYTES, refuse_size, refuse_twice
from incerta.data.tables.spec import TableSpec
from incerta.exceptions import DataError, FileError
from incerta.typing import Array, Ids
from incerta.wording import given, unknown_name

NAMES = "obs_names"  # the index of the observations, whatever its name in the file
BLOCK_BYTES = 16 * 2**20  # entries to read at a time
MATRIX = "X"
FEW_GENES = 200  # columns to inspect


def expanded(path: Path, values: Sequence[str], limit: int) -> list[str]:
    """Expand the name of an embedding to its columns: X_pca_1, X_pca_2, ..."""
    names: list[str] = []
    with _opened(path) as file:
        known = {*_variables(file, limit), *_names_of_frame(_item(file, "obs"))}
        for name in values:
            width = 0
            if name not in known and name in file.get("obsm", {}):
                width = _item(_item(file, "obsm"), name).shape[1]
            names += [f"{name}_{j + 1}" for j in range(width)] or [name]
    return names


def read_h5ad(path: Path, spec: TableSpec, limit: int) -> dict[str, Any]:
    """Read the needed columns: of X, of obs, and of the embeddings in obsm.

    The names of the observations are ``"obs_names"``. Layers replace X, and their rows
    follow one another. If no column is named, only the first ones are read, because
    thousands of genes are all alike.
    """
    layers = spec.layers if spec.values else ()
    with _opened(path) as file:
        places = _places(file, limit)
        columns = spec.columns(list(places))
        if len(columns) == len(places) and not spec.values:
            columns = columns[:FEW_GENES]
        n_rows = len(_index(_item(file, "obs"), limit))
        matrices = layers or (MATRIX,)
        refuse_size(path, n_rows * len(columns) * len(matrices) * NUMBER_BYTES, limit)
        genes = [name for name in columns if places[name][0] == MATRIX]
        refuse_twice(path, _variables(file, limit), genes)
        column_of = {name: number for number, name in enumerate(genes)}
        if layers:
            _refuse_layers(file, layers, [n for n in spec.values if n not in column_of])
        numbers = [places[name][1] for name in genes]
        parts = []
        for name in matrices:
            home = file if name == MATRIX else _item(file, "layers")
            parts.append(_columns_of(_item(home, name), numbers, n_rows))
        stacked = np.concatenate(parts)
        table: dict[str, Any] = {}
        for name in columns:
            room, place = places[name]
            if room == MATRIX:
                table[name] = stacked[:, column_of[name]]
            elif room == "obs":
                column = _column(_item(file, "obs"), place, limit)
                table[name] = np.tile(column, len(matrices))
            else:
                embedding = _item(_item(file, "obsm"), room)
                table[name] = np.asarray(embedding[:, place], dtype=np.float64)
    if spec.id == NAMES and len(set(table[NAMES])) < n_rows:
        msg = (
            f"{path} has observations of the same name. Pass {given('id')} with a "
            "column of obs that tells objects apart, or make the names unique."
        )
        raise DataError(msg)
    return table


@contextmanager
def _opened(path: Path) -> Iterator[Any]:
    h5py = require("h5py", "io", f"reading {path.name}")
    with h5py.File(path, "r") as file:
        for room in ("obs", "var"):
            if room not in file:
                msg = f"{path} is not an AnnData file: it has no {room!r}."
                raise FileError(msg)
            if isinstance(_item(file, room), h5py.Dataset):
                msg = f"{path} is of anndata before 0.7. Write it with a newer one."
                raise FileError(msg)
        yield file


def _item(group: Any, name: str) -> Any:
    """Return an item of a group; links to other files are not followed."""
    where = f"{group.file.filename}: {name!r}"
    elsewhere = hasattr(group.get(name, getlink=True), "filename")
    item = None if elsewhere else group[name]
    parts = (getattr(item, kind, None) for kind in ("external", "is_virtual"))
    if elsewhere or any(parts):
        msg = f"{where} is in another file; not followed."
        raise FileError(msg)
    if not (hasattr(item, "keys") or hasattr(item, "shape")):
        msg = f"{where} is neither a group nor an array."
        raise FileError(msg)
    return item


def _places(file: Any, limit: int) -> dict[str, tuple[str, Any]]:
    """Locate each name, first among the columns of obs."""
    obs = _item(file, "obs")
    index = str(obs.attrs.get("_index", "_index"))
    places: dict[str, tuple[str, Any]] = {NAMES: ("obs", index)}
    places.update((name, ("obs", name)) for name in _names_of_frame(obs))
    places.setdefault(index, ("obs", index))
    for number, name in enumerate(_variables(file, limit)):
        places.setdefault(name, (MATRIX, number))
    for name in file.get("obsm", {}):
        embedding = _item(_item(file, "obsm"), name)
        if getattr(embedding, "ndim", 0) == 2:  # other entries are frames or sparse
            for j in range(embedding.shape[1]):
                places.setdefault(f"{name}_{j + 1}", (name, j))
    return places


def _refuse_layers(file: Any, layers: Sequence[str], others: Sequence[str]) -> None:
    known = [MATRIX, *file.get("layers", {})]
    for name in layers:
        if name not in known:
            msg = f"layers: {unknown_name('layer', name, known)}"
            raise DataError(msg)
    if others:
        msg = (
            f"{given(layers=list(layers))} are of the columns of X, and {others[0]!r} "
            "is not one. Leave layers out, or name columns of X only."
        )
        raise DataError(msg)


def _variables(file: Any, limit: int) -> list[str]:
    return [str(name) for name in _index(_item(file, "var"), limit)]


def _index(frame: Any, limit: int) -> Ids:
    return _column(frame, str(frame.attrs.get("_index", "_index")), limit)


def _names_of_frame(frame: Any) -> list[str]:
    return [str(name) for name in frame.attrs.get("column-order", ())]


def _column(frame: Any, name: str, limit: int) -> Any:
    """Return a column of a frame: numbers, text or categories; masked if missing."""
    item = _item(frame, name)
    if "categories" in item.attrs:  # of anndata before 0.8
        words = _plain(frame.file[item.attrs["categories"]], limit)
        return _of_codes(_plain(item, limit), words)
    if not hasattr(item, "keys"):
        return _plain(item, limit)
    parts = [
        [_plain(_item(item, part), limit) for part in pair]
        for pair in (("codes", "categories"), ("values", "mask"))
        if all(part in item for part in pair)
    ]
    if not parts:
        kind = item.attrs.get("encoding-type", "a group")
        msg = f"column {name!r} of obs is of a kind that is not read: {kind}."
        raise DataError(msg)
    if "codes" in item:
        return _of_codes(*parts[0])
    values, hidden = parts[0]
    return np.ma.masked_array(values, hidden.astype(bool))


def _of_codes(codes: Any, categories: Ids) -> Any:
    if not len(categories):
        categories = np.array([""], dtype=object)
    return np.ma.masked_array(categories[np.maximum(codes, 0)], codes < 0)


def _plain(dataset: Any, limit: int) -> Ids:
    n_bytes = dataset.size * dataset.dtype.itemsize
    refuse_size(Path(dataset.file.filename), n_bytes, limit)
    if dataset.dtype.kind == "O":
        return np.array(dataset.asstr()[:], dtype=object)
    return np.asarray(dataset[:])


def _columns_of(matrix: Any, numbers: Sequence[int], n_rows: int) -> Array:
    """Return some columns of a matrix, dense or sparse."""
    out = np.zeros((n_rows, len(numbers)))
    if not numbers:
        return out
    if not hasattr(matrix, "keys"):
        step = max(1, BLOCK_BYTES // (NUMBER_BYTES * matrix.shape[1]))
        for start in range(0, n_rows, step):
            out[start : start + step] = matrix[start : start + step][:, list(numbers)]
        return out
    kind = str(matrix.attrs.get("encoding-type", matrix.attrs.get("h5sparse_format")))
    starts = _item(matrix, "indptr")[:]
    indices, data = _item(matrix, "indices"), _item(matrix, "data")
    # Entries of a row or column are repeated as often as these numbers say.
    if len(starts) == 0 or (starts[1:] < starts[:-1]).any() or starts[-1] > len(data):
        msg = f"{matrix.name} is damaged: its rows or columns do not fit its entries."
        raise FileError(msg)
    if kind.startswith("csc"):
        for j, number in enumerate(numbers):
            of_column = slice(starts[number], starts[number + 1])
            np.add.at(out[:, j], indices[of_column], data[of_column])
    elif kind.startswith("csr"):
        _add_rows(out, starts, indices, data, numbers)
    else:
        msg = f"{matrix.name} is a matrix of a kind that is not read: {kind}."
        raise FileError(msg)
    return out


def _add_rows(
    out: Array, starts: Any, indices: Any, data: Any, numbers: Sequence[int]
) -> None:
    """Add entries of a row-sparse matrix, some rows at a time."""
    where = np.full(int(max(numbers)) + 2, -1)
    where[list(numbers)] = np.arange(len(numbers))
    step = BLOCK_BYTES // NUMBER_BYTES
    first = 0
    while first < len(out):
        last = int(np.searchsorted(starts, starts[first] + step, side="right")) - 1
        last = min(max(last, first + 1), len(out))
        entries = slice(starts[first], starts[last])
        rows = np.repeat(np.arange(first, last), np.diff(starts[first : last + 1]))
        places = where[np.minimum(indices[entries], len(where) - 1)]
        kept = places >= 0
        np.add.at(out, (rows[kept], places[kept]), data[entries][kept])
        first = last
