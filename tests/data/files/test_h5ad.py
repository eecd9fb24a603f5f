import random

import numpy as np
import pytest
from scipy import sparse

import incerta as ic
from incerta.cli.app import app
from incerta.exceptions import DataError, FileError
from tests.data.corpus.test_formats import damaged, read_or_refuse
from tests.runner import Runner

h5py = pytest.importorskip("h5py", reason="needs the extra io")

GENES = ["g1", "g2", "g3", "g4", "g5"]
N = 7


def put_text(group, name, words):
    group.create_dataset(name, data=words, dtype=h5py.string_dtype())


def put_frame(file, name, index, **columns):
    """A frame as anndata writes it: the index, numbers, text, categories."""
    frame = file.create_group(name)
    frame.attrs["_index"] = "_index"
    frame.attrs["column-order"] = np.array(list(columns), dtype=h5py.string_dtype())
    put_text(frame, "_index", index)
    for key, column in columns.items():
        if isinstance(column, dict):
            group = frame.create_group(key)
            for part, cells in column.items():
                text = isinstance(cells[0], str)
                put_text(group, part, cells) if text else group.create_dataset(
                    part, data=cells
                )
        elif isinstance(column[0], str):
            put_text(frame, key, column)
        else:
            frame.create_dataset(key, data=column)


def put_matrix(group, name, matrix):
    if isinstance(matrix, np.ndarray):
        group.create_dataset(name, data=matrix)
        return
    part = group.create_group(name)
    part.attrs["encoding-type"] = f"{matrix.format}_matrix"
    part.attrs["shape"] = matrix.shape
    for key in ("data", "indices", "indptr"):
        part.create_dataset(key, data=getattr(matrix, key))


def matrix_of(rng):
    return rng.normal(size=(N, len(GENES))) * (rng.random((N, len(GENES))) < 0.5)


@pytest.fixture
def made(tmp_path):
    return make(tmp_path, np.asarray)


KINDS = {"dense": np.asarray, "csr": sparse.csr_array, "csc": sparse.csc_array}


@pytest.fixture(params=KINDS)
def made_of_all_kinds(request, tmp_path):
    return make(tmp_path, KINDS[request.param])


def make(tmp_path, kind):
    """A file with X, two layers, an embedding, and what is known about cells."""
    rng = np.random.default_rng(0)
    X, first, second = (matrix_of(rng) for _ in range(3))
    pca = rng.normal(size=(N, 2))
    path = tmp_path / "d.h5ad"
    with h5py.File(path, "w") as file:
        put_matrix(file, "X", kind(X))
        layers = file.create_group("layers")
        put_matrix(layers, "rep1", kind(first))
        put_matrix(layers, "rep2", kind(second))
        file.create_group("obsm").create_dataset("X_pca", data=pca)
        put_frame(file, "var", GENES)
        put_frame(
            file,
            "obs",
            [f"cell{i}" for i in range(N)],
            size=np.arange(N),
            donor=[f"d{i % 3}" for i in range(N)],
            kind={"codes": np.array([0, 1, 0, 1, 0, 1, -1]), "categories": ["t", "b"]},
            age={"values": np.arange(N), "mask": np.arange(N) == 2},
        )
    return path, X, first, second, pca


def test_columns(made_of_all_kinds, monkeypatch):
    from incerta.data.files import h5ad

    path, X, _, _, pca = made_of_all_kinds
    for size in (h5ad.BLOCK_BYTES, 24):  # also a few entries at a time
        monkeypatch.setattr(h5ad, "BLOCK_BYTES", size)
        data = ic.read_table(path, values=["g4", "g1"])
        np.testing.assert_allclose(data.mean(), X[:, [3, 0]])
        assert data.ids.tolist() == [f"cell{i}" for i in range(N)]
    data = ic.read_table(path, values=["X_pca", "size", "g2"])
    assert data.feature_names == ("X_pca_1", "X_pca_2", "size", "g2")
    np.testing.assert_allclose(
        data.mean(), np.column_stack([pca, np.arange(N), X[:, 1]])
    )
    data = ic.read_table(path, id="obs_names", values="X_pca_2", errors=["size"])
    np.testing.assert_allclose(data.variance().ravel(), np.arange(N) ** 2)
    data = ic.read_table(path, id="donor", values="size")
    assert data.ids.tolist() == ["d0", "d1", "d2"]


def test_layers(made_of_all_kinds):
    path, _, first, second, _ = made_of_all_kinds
    data = ic.read_table(path, values=["g1", "g3"], layers="rep1,rep2")
    assert data.meaning == "error"
    chosen = np.stack([first, second])[:, :, [0, 2]]
    np.testing.assert_allclose(data.mean(), chosen.mean(axis=0), atol=1e-15)
    long = {
        "id": np.tile([f"cell{i}" for i in range(N)], 2),
        "g1": chosen[..., 0].ravel(),
        "g3": chosen[..., 1].ravel(),
    }
    same = ic.from_frame(long, id="id", values=["g1", "g3"], meaning="error")
    np.testing.assert_allclose(data.variance(), same.variance())
    spread = ic.read_table(
        path, values="g1", layers=["rep1", "rep2", "X"], meaning="spread"
    )
    assert spread.meaning == "spread"


@pytest.mark.parametrize(
    ("said", "why"),
    [
        ({"values": "h1"}, "no column 'h1'"),
        ({"values": "g1", "layers": "rep3"}, "layers: there is no layer 'rep3'"),
        ({"values": "size", "layers": "rep1"}, "'size' is not one"),
        (
            {"values": "g1", "layers": "rep1", "errors": ["size"]},
            "are repeated measurements",
        ),
        ({"values": "age"}, "1 in 'age'; the first object is cell2"),
        ({"values": "g1", "id": "kind"}, "id='kind' is missing in 1 row"),
        ({"values": "donor"}, "column 'donor' must hold numbers"),
        ({"values": "g1", "na": "x"}, "is about text tables"),
    ],
)
def test_refused(made, said, why):
    with pytest.raises(DataError, match=why):
        ic.read_table(made[0], **said)


def test_size(made):
    with pytest.raises(FileError, match="holds at least"):
        ic.read_table(made[0], values=GENES, max_bytes=8 * N)


def test_same_names(made):
    path = made[0]
    with h5py.File(path, "a") as file:
        file["obs/_index"][1] = "cell0"
    with pytest.raises(DataError, match="observations of the same name"):
        ic.read_table(path, values="g1")
    assert ic.read_table(path, id="size", values="g1").n_objects == N


def test_other_files_are_not_read(made, tmp_path):
    path = made[0]
    with h5py.File(tmp_path / "secret.h5", "w") as file:
        file["size"] = np.arange(N)
    with h5py.File(path, "a") as file:
        del file["obs/size"]
        file["obs/size"] = h5py.ExternalLink(str(tmp_path / "secret.h5"), "size")
        layout = h5py.VirtualLayout((N, 2), dtype="f8")
        source = h5py.VirtualSource(str(tmp_path / "secret.h5"), "size", shape=(N,))
        layout[:, 0] = source
        file["obsm"].create_virtual_dataset("X_far", layout)
    with pytest.raises(FileError, match="'X_far' is in another file"):
        ic.read_table(path, values="g1")
    with h5py.File(path, "a") as file:
        del file["obsm/X_far"]
    with pytest.raises(FileError, match="'size' is in another file; not followed"):
        ic.read_table(path, values="size")


def test_foreign(tmp_path):
    path = tmp_path / "d.h5ad"
    with h5py.File(path, "w") as file:
        file["a"] = [1]
    with pytest.raises(FileError, match="is not an AnnData file: it has no 'obs'"):
        ic.read_table(path, values="g1")


def test_damaged(made, tmp_path):
    content, rng = made[0].read_bytes(), random.Random(0)
    for number in range(10):
        path = tmp_path / f"{number}.h5ad"
        path.write_bytes(damaged(content, rng))
        read_or_refuse(path, values=["g1", "X_pca"])


def test_command_line(made):
    path = str(made[0])
    done = Runner().invoke(app, ["info", path])
    assert "7 rows" in done.stdout
    assert "\nobs_names " in done.stdout
    assert "\ndonor " in done.stdout
    said = ["--values", "g1,g2", "--layers", "rep1,rep2"]
    done = Runner().invoke(app, ["info", path, *said])
    assert done.exit_code == 0, done.output
    assert "objects            7 (cell0" in done.stdout


@pytest.mark.parametrize("kind", ["csr", "csc"])
@pytest.mark.parametrize("start", [2**60, -1])
def test_starts_that_do_not_fit_the_entries(tmp_path, kind, start):
    path = make(tmp_path, KINDS[kind])[0]
    with h5py.File(path, "r+") as file:
        starts = file["X/indptr"][:].astype(np.int64)
        starts[-1] = start
        del file["X/indptr"]
        file["X"].create_dataset("indptr", data=starts)
    with pytest.raises(FileError, match="X is damaged"):
        ic.read_table(path, values=["g1"])


def test_the_message_counts_all_layers(made):
    said = {"values": ["g1", "g2"], "layers": ["rep1", "rep2"]}
    size = 8 * N * 3 * 2  # with the names of the cells
    with pytest.raises(FileError, match=f"Pass max_bytes={size} or more"):
        ic.read_table(made[0], **said, max_bytes=size - 1)
    assert ic.read_table(made[0], **said, max_bytes=10_000).n_features == 2
