import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import incerta as ic
from incerta.backend.fold import Parts
from incerta.backend.progress import reporting_to
from incerta.data.partitioned import from_dask, summary
from incerta.partition.distributed import lloyd, nearest_alone
from tests.partition.partitioned import blobs, parted
from tests.strategies import examples

pd = pytest.importorskip("pandas", reason="dask's frames are of pandas")
dask = pytest.importorskip("dask", reason="needs the extra dask")
dd = pytest.importorskip("dask.dataframe", reason="needs the extra dask")


@pytest.fixture(autouse=True)
def synchronous():
    with dask.config.set(scheduler="synchronous"):
        yield


def same(a, b):
    np.testing.assert_array_equal(a.labels_, b.labels_)
    np.testing.assert_array_equal(a.cluster_centers_, b.cluster_centers_)
    np.testing.assert_array_equal(a.ids_, b.ids_)
    assert a.inertia_ == b.inertia_
    assert a.n_iter_ == b.n_iter_
    assert a.objective_ == b.objective_


@given(
    cuts=st.lists(st.integers(0, 60), max_size=6),
    random=st.randoms(use_true_random=False),
    seed=st.integers(0, 5),
    grid=st.sampled_from([None, 1.0]),
    k=st.integers(1, 12),
)
def test_any_partitioning_any_order_the_same_to_the_last_bit(
    cuts, random, seed, grid, k
):
    data = blobs(seed=seed, grid=grid)
    uk = ic.UKMeans(k, n_init=3, random_state=seed)
    one = uk.fit(parted(data, [], np.arange(60)))
    order = np.array(random.sample(range(60), 60))
    two = ic.UKMeans(k, n_init=3, random_state=seed).fit(parted(data, cuts, order))
    same(one, two)


@pytest.mark.slow
@examples(10)
@given(
    cuts=st.lists(st.integers(0, 60), max_size=6),
    random=st.randoms(use_true_random=False),
    seed=st.integers(0, 5),
    k=st.integers(1, 6),
)
def test_any_partitioning_any_order_the_same_membership(cuts, random, seed, k):
    data = blobs(seed=seed)
    one = ic.UKMeans(k, n_init=3, random_state=seed)
    one.fit(parted(data, [], np.arange(60)))
    order = np.array(random.sample(range(60), 60))
    two = ic.UKMeans(k, n_init=3, random_state=seed).fit(parted(data, cuts, order))
    here = ic.UKMeans(k, init=one.cluster_centers_, random_state=seed)
    here.fit(data[np.argsort(data.ids)])
    np.testing.assert_allclose(one.membership_, two.membership_, atol=1e-12)
    np.testing.assert_allclose(one.membership_, here.membership_, atol=1e-9)


@given(seed=st.integers(0, 200), k=st.integers(1, 8), tol=st.sampled_from([0.0, 1e-4]))
def test_labels_of_the_data_in_one_place(seed, k, tol):
    data = blobs(seed=seed)
    data = data[np.argsort(data.ids)]
    start = data.mean()[np.random.default_rng(seed).permutation(60)[:k]]
    here = ic.UKMeans(k, init=start, tol=tol).fit(data)
    parts = parted(data, [20, 33], np.arange(60))
    there = ic.UKMeans(k, init=start, tol=tol).fit(parts)
    np.testing.assert_array_equal(here.labels_, there.labels_)
    np.testing.assert_allclose(here.cluster_centers_, there.cluster_centers_, atol=1e-9)
    np.testing.assert_allclose(here.inertia_, there.inertia_, rtol=1e-9)
    np.testing.assert_allclose(here.objective_, there.objective_, rtol=1e-9)
    for fitted in (here, there):
        np.testing.assert_allclose(fitted.objective_[-1], fitted.inertia_, rtol=1e-9)
    assert here.n_iter_ == there.n_iter_
    np.testing.assert_array_equal(there.predict(parts), there.labels_)
    np.testing.assert_array_equal(there.predict(data), there.labels_)
    np.testing.assert_array_equal(here.cluster_sizes_, there.cluster_sizes_)


def test_far_from_the_origin():
    data = blobs(n=200, seed=4)
    far = data.affine(np.ones(2), np.array([1e9, -1e12]))
    order = np.random.default_rng(0).permutation(200)
    one = ic.UKMeans(3, random_state=1).fit(parted(far, [50, 51], np.arange(200)))
    two = ic.UKMeans(3, random_state=1).fit(parted(far, [7], order))
    same(one, two)


def test_an_empty_cluster_takes_the_farthest_objects():
    data = ic.from_gaussian([[0.0], [1.0], [2.0], [50.0], [20.0]], std=0.1)
    start = np.array([[1.0], [1e6], [2e6]])
    here = ic.UKMeans(3, init=start).fit(data)
    there = ic.UKMeans(3, init=start).fit(parted(data, [2, 4], np.arange(5)))
    np.testing.assert_array_equal(here.labels_, there.labels_)
    assert np.diff(there.objective_).max(initial=0.0) <= 0
    np.testing.assert_allclose(there.objective_[-1], there.inertia_)


def test_identical_objects_are_no_error():
    data = ic.from_gaussian(np.ones((5, 2)), std=0.0)
    fitted = ic.UKMeans(3, random_state=0).fit(parted(data, [2], np.arange(5)))
    np.testing.assert_array_equal(fitted.labels_, 0)
    assert fitted.inertia_ == 0.0


def test_starts_depend_on_the_seed_alone():
    data = blobs(n=1500, seed=2)
    places = [
        ic.UKMeans(4, n_init=1, max_iter=1, random_state=s)
        .fit(parted(data, cuts, np.arange(1500)))
        ._run.start
        for s, cuts in ((0, [10]), (0, [700, 900]), (1, [10]))
    ]
    np.testing.assert_array_equal(places[0], places[1])
    assert (places[0] != places[2]).any()
    random = ic.UKMeans(4, init="random", random_state=0)
    assert random.fit(parted(data, [10], np.arange(1500))).labels_.max() == 3


@given(seed=st.integers(0, 99), n=st.integers(1, 9), k=st.integers(1, 6))
def test_nearest_center_of_each_row_alone(seed, n, k):
    rng = np.random.default_rng(seed)
    rows, centers = rng.integers(3, size=(n, 2)) / 3, rng.integers(3, size=(k, 2)) / 3
    together = nearest_alone(rows, centers)
    alone = [nearest_alone(row[None], centers)[0] for row in rows]
    np.testing.assert_array_equal(together, alone)
    brute = [[sum((r - c) ** 2) for c in centers] for r in rows]
    np.testing.assert_array_equal(together, np.argmin(brute, axis=1))


def test_progress_counts_iterations():
    seen = []
    data = blobs()
    parts = Parts([summary(data[:30], 2), summary(data[30:], 2)])
    with reporting_to(lambda *step: seen.append(step)):
        run, labels = lloyd(parts, iter([data.mean()[:3]]), 7, 0.0)
    assert seen[:2] == [("iterations", 0, 7), ("iterations", 1, 7)]
    assert len(run.objective) <= 7
    assert labels.shape == (60,)


def test_what_is_refused():
    data = parted(blobs(), [9], np.arange(60))
    with pytest.raises(ValueError, match=r"metric='euclidean' .*gather\(\)"):
        ic.UKMeans(2, metric="euclidean").fit(data)
    with pytest.raises(ValueError, match=r"n_clusters=61 exceeds .*n_samples=60"):
        ic.UKMeans(61).fit(data)
    with pytest.raises(ValueError, match="'n_init' parameter"):
        ic.UKMeans(2, n_init=0).fit(data)
    with pytest.raises(ValueError, match="init has shape"):
        ic.UKMeans(2, init=np.zeros((3, 2))).fit(data)
    fitted = ic.UKMeans(2, random_state=0).fit(data)
    with pytest.raises(ValueError, match="3 features"):
        fitted.predict(parted(blobs(d=3), [9], np.arange(60)))
    here = fitted.fit(blobs())
    assert not hasattr(here, "ids_")


def frame(data):
    counts = data.law.counts
    columns = {"id": np.repeat(data.ids, counts)}
    columns |= dict(zip(data.feature_names, data.law.values.T))
    return pd.DataFrame(columns).sample(frac=1.0, random_state=0, ignore_index=True)


@pytest.mark.parametrize("npartitions", [1, 4, 9])
def test_from_dask_without_a_cluster(npartitions):
    data = blobs()
    rows = frame(data).rename(columns={"x0": "mass", "x1": "age"})
    ddf = dd.from_pandas(rows, npartitions=npartitions)
    there = ic.UKMeans(3, random_state=0).fit(
        from_dask(ddf, id="id", values=["mass", "age"])
    )
    here = ic.UKMeans(3, random_state=0).fit(parted(data, [5], np.arange(60)))
    same(here, there)
    np.testing.assert_allclose(there.confidence_, here.confidence_, atol=1e-12)
    assert there.feature_names_in_.tolist() == ["mass", "age"]
    back = pickle.loads(pickle.dumps(there))
    np.testing.assert_array_equal(back.predict(data), there.predict(data))
