"""FDBSCAN and PDBSCAN: their classical twin, their definitions, odd data."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.distance import cdist
from sklearn.cluster import DBSCAN, KMeans
from sklearn.metrics import adjusted_rand_score

import incerta as ic
from incerta.published import PDBSCAN
from tests.density import oracle
from tests.density.test_within import as_data, few_objects
from tests.strategies import make

VARIANTS = ("marginal", "exact", "threshold", "worlds")
variants = pytest.mark.parametrize("variant", VARIANTS)


def twins(n=60, seed=0):
    """Points where some border objects lie between clusters."""
    return np.random.default_rng(seed).normal(size=(n, 2)) * 2


def assert_same_as_dbscan(fitted, X, eps, m):
    """Equal labels up to naming; border objects may go to any core within eps."""
    twin = DBSCAN(eps=eps, min_samples=m).fit(X)
    np.testing.assert_array_equal(
        fitted.core_sample_indices_, twin.core_sample_indices_
    )
    np.testing.assert_array_equal(fitted.labels_ < 0, twin.labels_ < 0)
    core = twin.core_sample_indices_
    if len(core):
        assert adjusted_rand_score(fitted.labels_[core], twin.labels_[core]) == 1.0
    border = np.setdiff1d(np.flatnonzero(fitted.labels_ >= 0), core)
    for p in border:
        near = core[np.linalg.norm(X[core] - X[p], axis=1) <= eps]
        assert fitted.labels_[p] in fitted.labels_[near]
        assert fitted.labels_[p] == fitted.labels_[near[0]]  # the first core object


@variants
@pytest.mark.parametrize("m", [1, 3, 6])
@pytest.mark.parametrize("eps", [0.5, 1.0, 2.0])
def test_without_uncertainty_it_is_dbscan(variant, m, eps):
    X = twins()
    assert_same_as_dbscan(ic.FDBSCAN(eps, m, variant=variant).fit(X), X, eps, m)


@given(seed=st.integers(0, 2**32 - 1), m=st.integers(1, 5))
def test_on_a_grid_ties_are_dbscans(seed, m):
    X = np.random.default_rng(seed).integers(0, 6, size=(25, 2)).astype(float)
    for variant in VARIANTS:
        fitted = ic.FDBSCAN(1.0, m, variant=variant).fit(X)
        assert_same_as_dbscan(fitted, X, 1.0, m)
        np.testing.assert_array_equal(fitted.confidence_, 1.0)


@pytest.mark.parametrize("kind", ["gaussian", "samples"])
def test_hardly_any_uncertainty_is_dbscan(kind):
    X = twins()
    data = ic.from_gaussian(X, std=1e-9)
    if kind == "samples":
        data = ic.from_array(np.repeat(X[:, None], 3, axis=1))
    for variant in VARIANTS:
        fitted = ic.FDBSCAN(1.1, 4, variant=variant, n_worlds=5, random_state=0)
        assert_same_as_dbscan(fitted.fit(data), X, 1.1, 4)


def test_pdbscan_without_uncertainty_is_dbscan():
    X = twins()
    assert_same_as_dbscan(PDBSCAN(1.0, 4).fit(X), X, 1.0, 4)
    # With nobody left out, nobody else is within reach of a core object either.
    everyone = PDBSCAN(1.0, 4, assignment="maximal").fit(X)
    assert_same_as_dbscan(everyone, X, 1.0, 4)


@given(objects=few_objects(most=5), m=st.integers(1, 5))
def test_labels_are_the_definition(objects, m):
    data = as_data(objects)
    table = oracle.within(objects, 1.5)
    # Sums of weights come to one half up to rounding: decide just below.
    half = 0.5 - 1e-9
    cases = {
        "marginal": oracle.marginal(table, m),
        "threshold": (
            ((table >= half).sum(axis=1) >= m).astype(float),
            np.where(table >= half, table, 0.0),
        ),
    }
    if len(objects) < 5:
        cases["exact"] = oracle.exact(objects, 1.5, m)
    for variant, (core, reached) in cases.items():
        fitted = ic.FDBSCAN(1.5, m, variant=variant, min_probability=half).fit(data)
        expected = oracle.labels(core, reached, half, half, half, m == 1)
        np.testing.assert_array_equal(fitted.labels_, expected)
        np.testing.assert_allclose(fitted.core_probabilities_, core, atol=1e-12)


@given(objects=few_objects(most=5), m=st.integers(1, 5))
def test_labels_of_pdbscan_are_the_definition(objects, m):
    data = as_data(objects)
    table = oracle.within(objects, 1.5)
    core = oracle.marginal(table, m)[0]
    half = 0.5 - 1e-9
    thresholds = {"core_threshold": half, "reach_threshold": half}
    for assignment, below in (("threshold", half), ("maximal", 0.0)):
        fitted = PDBSCAN(1.5, m, assignment=assignment, **thresholds).fit(data)
        reached = core[:, None] * table
        expected = oracle.labels(core, reached, half, half, below, m == 1)
        np.testing.assert_array_equal(fitted.labels_, expected)


def test_threshold_is_dbscan_on_median_distances():
    rng = np.random.default_rng(0)
    centers = rng.uniform(-8, 8, size=(5, 10))
    means = centers[np.arange(100) % 5] + 0.8 * rng.normal(size=(100, 10))
    X = means[:, None] + 0.8 * rng.normal(size=(100, 21, 10))
    # 21 × 21 is odd: the median is one of the distances, and at most eps if at least
    # half of them are.
    medians = np.array([[np.median(cdist(x, y)) for y in X] for x in X])
    np.fill_diagonal(medians, 0.0)
    twin = DBSCAN(eps=4.1, min_samples=5, metric="precomputed").fit(medians)
    fitted = ic.FDBSCAN(4.1, 5, variant="threshold").fit(X)
    np.testing.assert_array_equal(
        fitted.core_sample_indices_, twin.core_sample_indices_
    )
    np.testing.assert_array_equal(fitted.labels_ < 0, twin.labels_ < 0)
    core = twin.core_sample_indices_
    assert adjusted_rand_score(fitted.labels_[core], twin.labels_[core]) == 1.0


def test_joint_data_are_taken_together():
    # Two halves that always move together: within a world everyone is close.
    rng = np.random.default_rng(0)
    X = np.repeat([[0.0], [50.0]], 5, axis=0) + rng.normal(size=(10, 1)) * 0.1
    draws = X + 10.0 * rng.normal(size=(40, 1, 1))
    data = ic.from_worlds(draws)
    for variant in VARIANTS:
        fitted = ic.FDBSCAN(1.0, 3, variant=variant, random_state=0).fit(data)
        np.testing.assert_array_equal(fitted.labels_, np.repeat([0, 1], 5))
        np.testing.assert_array_equal(fitted.confidence_, 1.0)
    apart = ic.from_array(np.swapaxes(draws, 0, 1))
    assert (ic.FDBSCAN(1.0, 3).fit(apart).labels_ == -1).all()


@pytest.mark.slow
@pytest.mark.parametrize(("shape", "eps"), [("moons", 0.2), ("rings", 0.25)])
def test_shapes_that_kmeans_cannot_find(shape, eps):
    make_shape = getattr(ic.datasets, f"make_uncertain_{shape}")
    data, truth = make_shape(600, random_state=0)
    by_means = KMeans(2, n_init=10, random_state=0).fit_predict(data.mean())
    assert adjusted_rand_score(truth, by_means) < 0.5
    for variant in VARIANTS:
        fitted = ic.FDBSCAN(eps, 10, variant=variant, random_state=0).fit(data)
        sure = fitted.labels_ >= 0
        assert fitted.n_clusters_ == 2
        assert sure.mean() > 0.75
        assert adjusted_rand_score(truth[sure], fitted.labels_[sure]) > 0.95
        # Those left out are the very uncertain ones.
        spread = data.variance().sum(axis=1)
        assert spread[~sure].mean() > 2 * spread[sure].mean()
    everyone = PDBSCAN(eps, 10, assignment="maximal", random_state=0).fit(data)
    assert adjusted_rand_score(truth, everyone.labels_) > 0.95
    foptics = ic.FOPTICS(10, n_clusters=2, n_worlds=40, random_state=0).fit(data)
    sure = foptics.labels_ >= 0
    assert sure.mean() > 0.9
    assert adjusted_rand_score(truth[sure], foptics.labels_[sure]) > 0.9


ALL = [
    *(ic.FDBSCAN(1.0, 3, variant=variant, random_state=0) for variant in VARIANTS),
    PDBSCAN(1.0, 3, random_state=0),
    PDBSCAN(1.0, 3, assignment="maximal", random_state=0),
]
each = pytest.mark.parametrize("estimator", ALL, ids=lambda e: repr(e)[:40])


@each
@pytest.mark.parametrize("std", [0.0, 0.01])
def test_all_identical_is_one_cluster(estimator, std):
    fitted = estimator.fit(ic.from_gaussian(np.ones((6, 2)), std=std))
    np.testing.assert_array_equal(fitted.labels_, 0)
    np.testing.assert_array_equal(fitted.confidence_, 1.0)


@each
def test_all_noise(estimator):
    data = ic.from_gaussian(100.0 * np.arange(6)[:, None], std=0.5)
    fitted = estimator.fit(data)
    np.testing.assert_array_equal(fitted.labels_, -1)
    assert fitted.n_clusters_ == 0
    assert fitted.membership_.shape == (6, 0)
    np.testing.assert_array_equal(fitted.confidence_, 1.0)
    np.testing.assert_array_equal(fitted.predict(data), -1)
    assert fitted.predict_proba(data).shape == (6, 0)


@each
def test_one_object(estimator):
    fitted = estimator.fit(ic.from_gaussian([[3.0, 4.0]], std=1.0))
    np.testing.assert_array_equal(fitted.labels_, [-1])
    alone = type(estimator)(1.0, 1, random_state=0)
    fitted = alone.fit(ic.from_gaussian([[3.0, 4.0]], std=1.0))
    np.testing.assert_array_equal(fitted.labels_, [0])
    np.testing.assert_array_equal(fitted.confidence_, [1.0])


def test_radii_without_end_and_none():
    data = make("samples", n=8, d=2)
    assert (ic.FDBSCAN(np.inf, 3).fit(data).labels_ == 0).all()
    assert (ic.FDBSCAN(np.inf, 9).fit(data).labels_ == -1).all()
    X = np.array([[0.0], [0.0], [0.0], [1.0]])
    np.testing.assert_array_equal(ic.FDBSCAN(0.0, 3).fit(X).labels_, [0, 0, 0, -1])


def test_auto_finds_blobs_and_says_what_it_took():
    rng = np.random.default_rng(0)
    X = np.repeat([[0.0, 0.0], [12.0, 0.0], [0.0, 12.0]], 60, axis=0)
    X = np.concatenate([X + rng.normal(size=X.shape), rng.uniform(-40, 40, (12, 2))])
    data = ic.from_gaussian(X, std=0.2)
    fitted = ic.FDBSCAN("auto", "auto", random_state=0).fit(data)
    assert fitted.min_samples_ == 4
    assert fitted.n_clusters_ >= 3
    assert adjusted_rand_score(np.repeat([0, 1, 2], 60), fitted.labels_[:180]) > 0.9
    again = ic.FDBSCAN(fitted.eps_, 4, random_state=0).fit(data)
    np.testing.assert_array_equal(again.labels_, fitted.labels_)


def test_auto_copes_with_objects_that_overlap():
    # In each world neighbors are near; the same ones hardly ever.
    weather = ic.datasets.load_weather().data
    fitted = ic.FDBSCAN("auto", random_state=0).fit(weather)
    assert (fitted.labels_ >= 0).mean() > 0.8


@pytest.mark.parametrize("shape", ["rings", "moons"])
def test_auto_on_rings_and_moons(shape):
    # What the page on density says.
    made = getattr(ic.datasets, f"make_uncertain_{shape}")
    data, truth = made(random_state=0)
    fitted = ic.FDBSCAN(random_state=0).fit(data)
    assert adjusted_rand_score(truth, fitted.labels_) > 0.85


def test_an_uncertain_object_between_clusters_says_so():
    X = np.concatenate([np.linspace(0, 1, 20), np.linspace(5, 6, 20), [1.3]])[:, None]
    std = np.full_like(X, 0.05)
    std[-1] = 1.5
    fitted = ic.FDBSCAN(0.5, 4, variant="exact", random_state=0)
    fitted.fit(ic.from_gaussian(X, std=std))
    np.testing.assert_array_equal(fitted.labels_[:40], np.repeat([0, 1], 20))
    np.testing.assert_allclose(fitted.confidence_[:40], 1.0, atol=0.02)
    own = fitted.membership_[-1]
    assert 0.2 < own[0] < 0.8
    assert own.sum() < 0.95  # the rest is noise


def test_fast_distances_change_little():
    data = make("gaussian", n=60, d=3, seed=1)
    slow = ic.FDBSCAN(3.0, 5, random_state=0).fit(data)
    fast = ic.FDBSCAN(3.0, 5, distances="fast", random_state=0).fit(data)
    np.testing.assert_allclose(
        fast.core_probabilities_, slow.core_probabilities_, atol=0.05
    )


def test_too_many_pairs_is_an_error_with_a_way_out():
    with pytest.raises(ValueError, match=r"eps=50 leaves about 2e\+08 .* lower eps"):
        ic.FDBSCAN(50.0, 3).fit(make("gaussian", n=15_000))


def test_a_threshold_that_would_be_ignored_is_refused():
    with pytest.raises(ValueError, match=r"noise_threshold=0\.5 needs assignment"):
        PDBSCAN(noise_threshold=0.5).fit(make("gaussian", n=5))


def test_maximal_assignment_takes_the_better_cluster():
    X = np.array([[0.0], [0.2], [0.4], [3.0], [3.2], [3.4], [1.6]])
    std = np.array([[0.05]] * 6 + [[0.5]])
    near = PDBSCAN(1.0, 3, assignment="maximal").fit(ic.from_gaussian(X, std=std))
    np.testing.assert_array_equal(near.labels_, [0, 0, 0, 1, 1, 1, 0])
    strict = near.set_params(noise_threshold=0.9).fit(ic.from_gaussian(X, std=std))
    assert strict.labels_[-1] == -1
