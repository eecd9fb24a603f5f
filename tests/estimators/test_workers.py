"""Real worker processes of dask, some of which die: the result is the same."""

import os
import signal
import time
from contextlib import contextmanager

import numpy as np
import pytest
from joblib import parallel_config
from sklearn.cluster import KMeans
from sklearn.mixture import GaussianMixture

import incerta as ic
from incerta.backend import fold
from incerta.backend.progress import reporting_to
from incerta.data.partitioned import PartitionedData

pd = pytest.importorskip("pandas", reason="dask's frames are of pandas")
dd = pytest.importorskip("dask.dataframe", reason="needs the extra dask")
distributed = pytest.importorskip("distributed", reason="needs the extra dask")

pytestmark = [
    pytest.mark.slow,  # it takes seconds to start processes
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]


@pytest.fixture(scope="module")
def cluster():
    from tests.workers import two_workers

    with two_workers() as cluster:
        yield cluster


@pytest.fixture
def client(cluster):
    with distributed.Client(cluster) as client:
        # Those that died are replaced; for a while they seem to be alive.
        until = time.monotonic() + 60
        while len(client.run(os.getpid, on_error="ignore")) < 2:
            if time.monotonic() > until:
                pytest.fail("a worker that died was not replaced")
            time.sleep(0.2)
        yield client


@contextmanager
def dying(client, name, how_many):
    """Kill workers after the second step of the named work."""
    killed = []

    def hook(step, done, total):
        if step == name and done == 2:
            for pid in sorted(client.run(os.getpid).values())[:how_many]:
                os.kill(pid, signal.SIGKILL)
                killed.append(pid)

    with reporting_to(hook):
        yield
    assert len(killed) == how_many


def table(n=160):
    """Rows of objects with one to four values, in three clusters."""
    rng = np.random.default_rng(0)
    ids = np.repeat(np.arange(n), rng.integers(1, 5, size=n))
    values = rng.normal(size=(len(ids), 2)) + 5.0 * np.eye(3, 2)[ids % 3]
    return pd.DataFrame({"star": ids, "a": values[:, 0], "b": values[:, 1]})


def mortal(pieces, marks, fatal):
    """Rows in pieces; who makes the second one dies when it is made that often."""

    def made(number):
        if number == 1:
            visits = len(list(marks.iterdir())) + 1
            (marks / str(visits)).touch()
            if visits == fatal:
                os.kill(os.getpid(), signal.SIGKILL)
        return pieces[number]

    return dd.from_map(made, range(len(pieces)), meta=pieces[0])


# Pieces are made for the ids, for some objects to begin with, and for the memberships;
# those of a mixture also to be kept.
@pytest.mark.parametrize(
    ("method", "fatal"),
    [("views", 2), ("views", 3), ("mixture", 3)],
)
def test_partitions_by_workers(client, tmp_path, monkeypatch, method, fatal):
    monkeypatch.setattr("incerta.settings.MOST_OBJECTS", 100)
    monkeypatch.setattr("incerta.mixture.pieces.MANY_OBJECTS", 100)
    make = {
        "views": lambda: ic.AutoClusterer(3, n_worlds=4, random_state=0),
        "mixture": lambda: ic.ErrorMixture(3, random_state=0),
    }[method]
    rows = table()
    pieces = [rows[rows.star % 4 == j] for j in range(4)]
    said = {"id": "star", "values": ["a", "b"]}
    parts = tuple(ic.from_frame(piece, **said) for piece in pieces)
    here = make().fit(PartitionedData(parts, ("a", "b")))
    ddf = mortal(pieces, tmp_path, fatal)
    there = make().fit(ic.from_dask(ddf, **said, shuffle=False))
    np.testing.assert_array_equal(there.labels_, here.labels_)
    np.testing.assert_array_equal(there.membership_, here.membership_)
    visits = len(list(tmp_path.iterdir()))
    assert visits == 3 if fatal is None else visits > fatal


@pytest.mark.parametrize("how_many", [1, 2])
def test_rounds_by_workers(client, how_many):
    rows, said = table(300), {"id": "star", "values": ["a", "b"]}
    one = PartitionedData((ic.from_frame(rows, **said),), ("a", "b"))
    here = ic.UKMeans(5, n_init=2, tol=0.0, random_state=0).fit(one)
    assert here.n_iter_ > 2
    mixed = rows.sample(frac=1.0, random_state=0, ignore_index=True)
    there = ic.UKMeans(5, n_init=2, tol=0.0, random_state=0)
    with dying(client, "iterations", how_many):
        there.fit(ic.from_dask(dd.from_pandas(mixed, npartitions=5), **said))
    for name in ("labels_", "cluster_centers_", "ids_", "inertia_", "objective_"):
        np.testing.assert_array_equal(getattr(there, name), getattr(here, name))
    assert there.n_iter_ == here.n_iter_
    assert there.confidence_.shape == (300,)


@pytest.mark.parametrize("how_many", [0, 1])
def test_worlds_by_workers(client, how_many):
    data, _ = ic.datasets.make_uncertain_blobs(200, 2, 3, random_state=0)
    for clusterer in (KMeans(3), GaussianMixture(3)):
        consensus = ic.WorldConsensus(clusterer, 40, random_state=0)
        here = consensus.fit(data)
        with (
            parallel_config("dask", wait_for_workers_timeout=120),
            dying(client, "worlds", how_many),
        ):
            there = ic.WorldConsensus(clusterer, 40, random_state=0).fit(data)
        for name in ("labels_", "membership_", "raw_labels_per_world_"):
            np.testing.assert_array_equal(getattr(there, name), getattr(here, name))
        np.testing.assert_array_equal(there.predict(data), here.predict(data))


@pytest.mark.parametrize("how_many", [1])
def test_numbers_of_clusters_by_workers(client, how_many):
    rng = np.random.default_rng(0)
    values = rng.normal(size=(120, 2)) + 4.0 * np.eye(3, 2)[np.arange(120) % 3]
    data = ic.from_gaussian(values, std=0.3)  # all errors are the same
    here = ic.choose_k(data, range(1, 4), alpha=0.2, n_null=9, random_state=0)
    with (
        parallel_config("dask", wait_for_workers_timeout=120),
        dying(client, "references", how_many),
    ):
        there = ic.choose_k(data, range(1, 4), alpha=0.2, n_null=9, random_state=0)
    assert there.k == here.k
    assert there.p_one == here.p_one
    np.testing.assert_array_equal(there.scores, here.scores)
    np.testing.assert_array_equal(there.null_scores, here.null_scores)
    assert len(here.null_scores) > 2


def test_files_by_workers(request, tmp_path, monkeypatch):
    pytest.importorskip("pyarrow", reason="needs the extra io")
    for number, rows in table().groupby(table().star // 40):
        rows.to_parquet(tmp_path / f"{number}.parquet", index=False)
    data = ic.read_table(tmp_path, lazy=True, id="star", values=["a", "b"])
    makers = [
        lambda: ic.UKMeans(3, random_state=0),
        lambda: ic.ErrorMixture(3, random_state=0),
        lambda: ic.AutoClusterer(3, n_worlds=2, random_state=0),
    ]
    alone = [make().fit(data) for make in makers]
    expected = [(estimator.labels_, estimator.membership_) for estimator in alone]
    request.getfixturevalue("client")
    monkeypatch.setattr(fold, "_value", None)  # here nothing is read any more
    for make, (labels, membership) in zip(makers, expected):
        there = make().fit(data)
        np.testing.assert_array_equal(there.labels_, labels)
        np.testing.assert_allclose(there.membership_, membership, atol=1e-9)
