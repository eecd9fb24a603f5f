"""What a file can make of its bytes: memory is counted before it is taken."""

import json
import re
import tracemalloc

import numpy as np
import pytest

import incerta as ic
from incerta.exceptions import ModelFileError
from incerta.models import archive
from incerta.models.archive import COUNTED_TIMES, Budget
from incerta.models.files import load, save
from incerta.models.values import Decoder, Encoder
from tests.models.make_models import UNLIMITED
from tests.models.test_hostile_files import as_npy, changed, packed, parts_of
from tests.strategies import make


def promised(size):
    """What the docstring of `load` says."""
    return 64 * size + 2**26


def taken(path):
    """Most memory that is held while a file is loaded, and what comes of it."""
    tracemalloc.start()
    try:
        return load(path), tracemalloc.get_traced_memory()[1]
    except ModelFileError as error:
        return error, tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    path = tmp_path_factory.mktemp("written") / "model.incerta"
    model = ic.FDBSCAN(eps=4.0, min_samples=2, n_worlds=6, random_state=0)
    save(model.fit(make("weighted", 6, 2)), path)
    load(path)  # what is imported for the first time does not count
    return path.read_bytes()


def bomb(written, path, part, times, *arrays, field="eps_"):
    """A file with a part many times over; its arrays are called 0, 1, ...

    Nothing checks what `eps_` is; `threshold` is checked, and refused in words.
    """
    manifest, members = parts_of(written)
    n = len(members)
    for number, array in enumerate(arrays):
        members[f"arrays/{n + number}.npy"] = as_npy(array)
    text = json.dumps(part)
    for number in range(len(arrays)):
        text = text.replace(f'"#{number}"', str(n + number))
    place = ("model", "object", 1, field)
    content = changed(manifest, place, [0]) | {"n_arrays": len(members)}
    whole = json.dumps(content, separators=(",", ":"))
    whole = whole.replace(f'"{field}":[0]', f'"{field}":[{",".join([text] * times)}]')
    path.write_bytes(packed(whole, members))


def an(name, /, **state):
    return {"object": [name, state]}


NUMBERS = np.ones(20)
LETTERS = np.full(6000, ord("a"), np.uint8)
TABLE = np.diag(NUMBERS)
POSITIONS = np.arange(100, dtype=np.int8)
T = {"loc": {"array": "#0"}, "df": 3.0}
KERNELS = {"dataset": {"array": "#0"}, "factor": 1.0, "weights": {"array": "#1"}}
SPARSE = {
    "data": {"array": "#0"},
    "indices": {"array": "#0"},
    "indptr": {"array": "#1"},
    "shape": {"tuple": [1, 100]},
}
MIXTURES = {"shares": "#0", "centers": "#1", "factors": "#2"}
NOTHING = np.empty((2**25, 0))

SMILE = np.frombuffer("☺😀".encode() + b"a" * 5000, np.uint8), np.array([5007])

# What a few bytes ask for, how often, and the arrays that are mentioned.
BOMBS = {
    "texts": (
        {"texts": [[3000], "#0", "#1"]},
        700,
        LETTERS,
        np.arange(2, 6001, 2),
    ),
    "a text": ({"texts": [[1], "#0", "#1"]}, 20_000, LETTERS, np.array([6000])),
    # What is left out was made up.
    "t without shape": (an("multivariate_t", **T, shape=None), 2, np.ones(2000)),
    "t with a number": (an("multivariate_t", **T, shape=1.0), 2, np.ones(2000)),
    "kernels": (
        an("gaussian_kde", **KERNELS | {"weights": None}, covariance=None),
        100,
        np.random.default_rng(0).normal(size=(300, 301)),
    ),
    # Counting must not make an array of them.
    "lists of arrays": (
        an("csr_array", **SPARSE | {"data": [{"array": "#2"}] * 300}),
        1,
        POSITIONS,
        np.array([0, 100], np.int8),
        np.ones((1, 10**5), np.int8),
    ),
    # Sums over no numbers are as many as there are rows.
    "mixtures": (
        an("Mixtures", **{name: {"array": at} for name, at in MIXTURES.items()}),
        1,
        NOTHING,
        NOTHING[..., None],
        NOTHING[..., None, None],
    ),
    # Refused by a message that shows all of them.
    "arrays": ([{"array": "#0"}] * 50, 100, np.pi * np.arange(999)),
}
# What takes memory of its own each time, though not as much.
PARTS = {
    "texts": ({"texts": [[100], "#0", "#1"]}, LETTERS[:200], np.arange(2, 201, 2)),
    "long texts": ({"texts": [[1], "#0", "#1"]}, LETTERS, np.array([6000])),
    "wide text": ({"texts": [[1], "#0", "#1"]}, *SMILE),
    "objects": ({"objects": [[2, 3], [0.5, 1.5] * 3]},),
    "t": (
        an("multivariate_t", **T, shape={"array": "#1"}),
        NUMBERS,
        TABLE,
    ),
    "kernels": (
        an("gaussian_kde", **KERNELS, covariance={"array": "#2"}),
        np.random.default_rng(0).normal(size=(2, 20)),
        np.full(20, 0.05),
        TABLE[:2, :2],
    ),
    "sparse": (an("csr_array", **SPARSE), POSITIONS, np.array([0, 100], np.int8)),
    "generator": (
        an("RandomState", key={"array": "#0"}, pos=3, has_gauss=0, gauss=0.0),
        np.arange(624, dtype=np.uint32),
    ),
    "distributions": (
        an(
            "ObjectGroup",
            name="Normal",
            parameters={"dict": [["mu", {"array": "#0"}], ["sigma", {"array": "#0"}]]},
            size=20,
        ),
        NUMBERS,
    ),
    "values": (
        an("Values", values={"array": "#0"}, starts={"array": "#1"}),
        np.ones((3, 2)),
        np.array([0, 1, 3]),
    ),
    "estimator": (an("BayesianGaussianMixture"),),
    "list": ([[]],),
    "tuple": ({"tuple": [1, 2]},),
    "dictionary": ({"dict": [["a", 1], ["b", 2]]},),
    "number": ({"number": ["float64", 0.1]},),
    "text of numpy": ({"number": ["str", "abc"]},),
    "float": ({"float": "nan"},),
}


@pytest.mark.parametrize("name", BOMBS)
def test_no_file_takes_more_than_promised(name, written, tmp_path):
    path = tmp_path / "bomb.incerta"
    field = "threshold" if name == "arrays" else "eps_"
    bomb(written, path, *BOMBS[name], field=field)
    _, peak = taken(path)
    assert peak < promised(path.stat().st_size)


def counted(path, monkeypatch):
    """What is counted while a file is loaded."""
    paid = []

    class Counted(Budget):
        def pay(self, n_bytes):
            paid.append(n_bytes)

    with monkeypatch.context() as patch:
        patch.setattr(archive, "Budget", Counted)
        load(path)
    return sum(paid)


@pytest.mark.parametrize("name", PARTS)
def test_nothing_is_taken_that_was_not_counted(name, written, tmp_path, monkeypatch):
    """Neither by the first of its kind, nor by those that follow."""
    path = tmp_path / "parts.incerta"
    part, *arrays = PARTS[name]
    peaks, counts = [], []
    for times in (20, 60):
        bomb(written, path, part, times, *arrays)
        counts.append(counted(path, monkeypatch))
        found, peak = taken(path)
        assert not isinstance(found, Exception)
        peaks.append(peak)
    assert peaks[1] < counts[1]
    assert peaks[1] - peaks[0] < counts[1] - counts[0]


def test_long_lists_are_within_what_is_counted(tmp_path, monkeypatch):
    """The text is what takes most, next to its size: a file may be little else."""
    path = tmp_path / "model.incerta"
    model = ic.UKMeans(2, random_state=0).fit(make("gaussian", 6, 2))
    for entry in (0.1 + 0.2, np.float64(0.1), 7, float("nan"), "text"):
        model.objective_ = [entry] * 20_000
        save(model, path)
        size = path.stat().st_size
        assert counted(path, monkeypatch) < COUNTED_TIMES * size + 2**18


def test_max_bytes_is_of_memory(written, tmp_path):
    path = tmp_path / "model.incerta"
    path.write_bytes(written)
    with pytest.raises(ModelFileError, match="more memory than the 9999 bytes") as no:
        load(path, max_bytes=9999)
    enough = int(re.search(r"max_bytes=(\d+)", str(no.value))[1])
    assert load(path, max_bytes=enough)


def test_files_that_do_not_fit_are_not_called_damaged(written, tmp_path, monkeypatch):
    path = tmp_path / "model.incerta"
    path.write_bytes(written)

    def full(*_):
        raise MemoryError

    monkeypatch.setattr(archive.Archive, "arrays", full)
    with pytest.raises(ModelFileError, match="does not fit into the memory"):
        load(path)


def test_messages_are_short(written, tmp_path):
    path = tmp_path / "model.incerta"
    manifest, members = parts_of(written)
    long = changed(manifest, ("model", "object", 0), "x" * 10**6)
    path.write_bytes(packed(long, members))
    with pytest.raises(ModelFileError) as no:
        load(path)
    assert len(str(no.value)) < 1000


def test_numbers_with_equal_hashes_are_no_keys():
    many = [[(2**61 - 1) * i, 0] for i in range(3)]
    with pytest.raises(ValueError, match="neither text nor a number"):
        Decoder([], UNLIMITED).decode({"dict": many})
    with pytest.raises(ModelFileError, match="neither text nor a number"):
        Encoder().encode(dict(many))


def test_arrays_in_an_array_come_back():
    """They are objects there, whatever their lengths."""
    given = np.empty(2, dtype=object)
    given[0], given[1] = np.arange(3.0), np.ones(3)
    encoder = Encoder()
    said = encoder.encode(given)
    again = Decoder(encoder.arrays, UNLIMITED).decode(said)
    assert again.shape == (2,)
    for before, after in zip(given, again):
        np.testing.assert_array_equal(before, after)
