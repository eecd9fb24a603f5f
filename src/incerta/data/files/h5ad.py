"""AnnData files: cells by genes, what is known about cells, and embeddings.

Read by h5py, as the format is described in the documentation of anndata, so that of
large matrices only the needed columns are read.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from incerta.backend.optional import require
from incerta.data.files.reading import NUMBER_BYTES, refuse_size
from incerta.data.files.text import refuse_twice
from incerta.data.tables.spec import TableSpec
from incerta.exceptions import DataError, FileError
from incerta.typing import Array, Ids
from incerta.wording import unknown_name

NAMES = "obs_names"  # the index of the observations, whatever the file calls it
BLOCK_BYTES = 16 * 2**20  # that are read at a time
MATRIX = "X"
FEW_GENES = 200  # columns that are looked at


def expanded(path: Path, values: Sequence[str], limit: int) -> list[str]:
    """Put the columns of an embedding where its name is: X_pca_1, X_pca_2, ..."""
    with _opened(path) as file:
        known = set(_variables(file, limit)) | set(_names_of_frame(_item(file, "obs")))
        names: list[str] = []
        for name in values:
            if name in known or name not in file.get("obsm", {}):
                names.append(name)
            else:
                width = _item(_item(file, "obsm"), name).shape[1]
                names += [f"{name}_{j}" for j in range(1, width + 1)]
    return names


def read_h5ad(path: Path, spec: TableSpec, limit: int) -> dict[str, Any]:
    """Read the needed columns: of X, of obs, and of the embeddings in obsm.

    The names of the observations are ``"obs_names"``. The rows of all layers, which are
    taken in place of X, follow one another. If no column is named, the first ones are
    enough: thousands of genes are all alike.
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
        parts = [_columns_of(_matrix(file, one), numbers, n_rows) for one in matrices]
        stacked = np.concatenate(parts)
        table: dict[str, Any] = {}
        for name in columns:
            room, place = places[name]
            if room == MATRIX:
                table[name] = stacked[:, column_of[name]]
            elif room == "obs":
                table[name] = np.tile(
                    _column(_item(file, "obs"), place, limit), len(matrices)
                )
            else:
                embedding = _item(_item(file, "obsm"), room)
                table[name] = np.asarray(embedding[:, place], dtype=np.float64)
    if spec.id == NAMES and len(set(table[NAMES])) < n_rows:
        msg = (
            f"{path} has observations of the same name. Pass id= with a column of obs "
            "that tells objects apart, or make the names unique."
        )
        raise DataError(msg)
    return table


@contextmanager
def _opened(path: Path) -> Iterator[Any]:
    h5py = require("h5py", "io", f"reading {path.name}")
    with h5py.File(path, "r") as file:
        for room in ("obs", "var"):
            if room not in file:
                msg = f"{path} is no AnnData file: it has no {room!r}."
                raise FileError(msg)
            if isinstance(_item(file, room), h5py.Dataset):
                msg = f"{path} is of anndata before 0.7. Write it with a newer one."
                raise FileError(msg)
        yield file


def _item(group: Any, name: str) -> Any:
    """What is in a group of the file itself: links to other files are not followed."""
    link = group.get(name, getlink=True)
    found = None if hasattr(link, "filename") else group[name]
    if found is None or getattr(found, "external", None) or _is_virtual(found):
        msg = f"{group.file.filename}: {name!r} is in another file; not followed."
        raise FileError(msg)
    if not (hasattr(found, "keys") or hasattr(found, "shape")):
        msg = f"{group.file.filename}: {name!r} is neither a group nor an array."
        raise FileError(msg)
    return found


def _is_virtual(found: Any) -> bool:
    return bool(getattr(found, "is_virtual", False))


def _places(file: Any, limit: int) -> dict[str, tuple[str, Any]]:
    """Where each name is found; what is known about cells comes first."""
    obs = _item(file, "obs")
    index = str(obs.attrs.get("_index", "_index"))
    places: dict[str, tuple[str, Any]] = {NAMES: ("obs", index)}
    places.update((name, ("obs", name)) for name in _names_of_frame(obs))
    places.setdefault(index, ("obs", index))
    for number, name in enumerate(_variables(file, limit)):
        places.setdefault(name, (MATRIX, number))
    for name in file.get("obsm", {}):
        embedding = _item(_item(file, "obsm"), name)
        if getattr(embedding, "ndim", 0) == 2:  # others are frames or sparse
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
            f"layers={list(layers)} are of the columns of X, and {others[0]!r} is no "
            "such column. Leave layers out, or name columns of X only."
        )
        raise DataError(msg)


def _variables(file: Any, limit: int) -> list[str]:
    return [str(name) for name in _index(_item(file, "var"), limit)]


def _index(frame: Any, limit: int) -> Ids:
    return _column(frame, str(frame.attrs.get("_index", "_index")), limit)


def _names_of_frame(frame: Any) -> list[str]:
    return [str(name) for name in frame.attrs.get("column-order", ())]


def _column(frame: Any, name: str, limit: int) -> Any:
    """A column of a frame: numbers, text or categories; masked where missing."""
    found = _item(frame, name)
    if hasattr(found, "keys"):
        if "categories" in found:
            words = _plain(_item(found, "categories"), limit)
            return _of_codes(_plain(_item(found, "codes"), limit), words)
        if "values" in found and "mask" in found:
            values = _plain(_item(found, "values"), limit)
            hidden = _plain(_item(found, "mask"), limit)
            return np.ma.masked_array(values, hidden.astype(bool))
        kind = found.attrs.get("encoding-type", "a group")
        msg = f"column {name!r} of obs is of a kind that is not read: {kind}."
        raise DataError(msg)
    if "categories" in found.attrs:  # of anndata before 0.8
        words = _plain(frame.file[found.attrs["categories"]], limit)
        return _of_codes(_plain(found, limit), words)
    return _plain(found, limit)


def _of_codes(codes: Any, categories: Ids) -> Any:
    if not len(categories):
        categories = np.array([""], dtype=object)
    return np.ma.masked_array(categories[np.maximum(codes, 0)], codes < 0)


def _plain(dataset: Any, limit: int) -> Ids:
    refuse_size(
        Path(dataset.file.filename), dataset.size * dataset.dtype.itemsize, limit
    )
    if dataset.dtype.kind == "O":
        return np.array(dataset.asstr()[:], dtype=object)
    return np.asarray(dataset[:])


# matrices -----------------------------------------------------------------------------


def _matrix(file: Any, name: str) -> Any:
    return _item(file, MATRIX) if name == MATRIX else _item(_item(file, "layers"), name)


def _columns_of(matrix: Any, numbers: Sequence[int], n_rows: int) -> Array:
    """Some columns of a matrix, dense or sparse."""
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
    # What entries of a row or column are is repeated as often as these say.
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
    """Add entries of a matrix that is sparse by rows, some rows at a time."""
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
