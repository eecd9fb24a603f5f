import pickle
from contextlib import nullcontext
from itertools import combinations, pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.distance import cdist
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.estimator_checks import parametrize_with_checks

import incerta as ic
from incerta.datasets import make_uncertain_blobs
from incerta.distances.expected import expected_distance_matrix
from incerta.estimators._medoids import UKMedoids
from incerta.exceptions import IncertaWarning
from incerta.metrics import clustering_accuracy
from tests.strategies import KINDS, make, uncertain_data

METRICS = ("sqeuclidean", "euclidean")
METHODS = ("fasterpam", "alternate")
every_metric = pytest.mark.parametrize("metric", METRICS)
every_method = pytest.mark.parametrize("method", METHODS)


@parametrize_with_checks(
    [
        UKMedoids(random_state=0),
        UKMedoids(metric="euclidean", algorithm="alternate", random_state=0),
    ]
)
def test_scikit_learn_contract(estimator, check):
    check(estimator)


@every_metric
@every_method
@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_data(metric, method, kind):
    data = make(kind, n=9, d=2, seed=5)
    found = UKMedoids(2, metric=metric, algorithm=method, n_worlds=12, random_state=0)
    found.fit(data)
    assert found.labels_.shape == (9,)
    assert found.labels_[data.ids.argmin()] == 0  # numbered along the ids
    assert found.cluster_sizes_.sum() == 9
    np.testing.assert_allclose(found.membership_.sum(axis=1), 1.0)
    np.testing.assert_array_equal(
        found.confidence_, found.membership_[np.arange(9), found.labels_]
    )
    np.testing.assert_array_equal(found.predict_proba(data), found.membership_)
    np.testing.assert_allclose(
        found.cluster_centers_, data.mean()[found.medoid_indices_]
    )
    np.testing.assert_array_equal(found.medoid_ids_, data.ids[found.medoid_indices_])
    new = make(kind, n=4, d=2, seed=6)
    assert found.predict(new).shape == (4,)
    back = pickle.loads(pickle.dumps(found))
    np.testing.assert_array_equal(back.predict(new), found.predict(new))


@every_metric
@every_method
@given(data=uncertain_data(), k=st.integers(1, 7))
def test_laws_of_the_fit(metric, method, data, k):
    n = len(data)
    k = min(k, n)
    found = UKMedoids(k, metric=metric, algorithm=method, n_init=2, random_state=0)
    found.fit(data)
    distances = expected_distance_matrix(data.law, metric, found.seed_)
    own = distances[found.medoid_indices_[found.labels_], np.arange(n)]
    assert found.inertia_ == found.objective_[-1] == pytest.approx(own.sum())
    np.testing.assert_allclose(
        own, distances[found.medoid_indices_].min(axis=0), atol=1e-12
    )
    assert all(b <= a + 1e-9 * a for a, b in pairwise(found.objective_))
    assert found.n_iter_ == len(found.objective_)
    # Medoids belong to their clusters, none of which is empty.
    np.testing.assert_array_equal(found.labels_[found.medoid_indices_], np.arange(k))
    assert found.cluster_sizes_.min() >= 1


@every_metric
@given(n=st.integers(2, 8), k=st.integers(1, 4), seed=st.integers(0, 999))
def test_without_uncertainty_it_is_k_medoids(metric, n, k, seed):
    x = np.random.default_rng(seed).normal(size=(n, 2))
    k = min(k, n)
    found = UKMedoids(k, metric=metric, n_init=30, random_state=0).fit(x)
    distances = cdist(x, x, metric)
    best = min(
        distances[list(medoids)].min(axis=0).sum()
        for medoids in combinations(range(n), k)
    )
    assert found.inertia_ == pytest.approx(best)
    np.testing.assert_array_equal(found.confidence_, 1.0)
    np.testing.assert_array_equal(found.predict(x), found.labels_)


@given(seed=st.integers(0, 999), std=st.floats(0.1, 3.0))
def test_equal_uncertainty_changes_no_medoid(seed, std):
    x = np.random.default_rng(seed).normal(size=(7, 2))
    points = UKMedoids(2, n_init=30, random_state=0).fit(x)
    objects = UKMedoids(2, n_init=30, random_state=0)
    objects.fit(ic.from_gaussian(x, std=std))
    # Every object but the medoids pays twice its total variance on top.
    extra = (7 - 2) * 2 * 2 * std**2
    assert objects.inertia_ == pytest.approx(points.inertia_ + extra)


def test_certain_objects_are_preferred_as_medoids():
    data = ic.from_gaussian([[-1.0], [0.0], [1.1]], std=[[0.1], [2.0], [0.1]])
    assert UKMedoids(1, random_state=0).fit(data).medoid_indices_[0] == 0
    exact = ic.from_gaussian([[-1.0], [0.0], [1.1]], std=0.1)
    assert UKMedoids(1, random_state=0).fit(exact).medoid_indices_[0] == 1


@every_metric
@every_method
@pytest.mark.parametrize("n_values", [None, 8, (2, 20)])
def test_blobs(metric, method, n_values):
    data, labels = make_uncertain_blobs(
        90, 2, 3, n_values=n_values, center_box=(-30, 30), random_state=3
    )
    found = UKMedoids(3, metric=metric, algorithm=method, random_state=0).fit(data)
    assert clustering_accuracy(labels, found.labels_) > 0.9
    assert (found.predict(data) == found.labels_).mean() > 0.95


@every_metric
def test_separated_clusters_are_found_and_sure(metric):
    x = np.repeat([[0.0, 0.0], [30.0, 0.0]], 15, axis=0)
    x = x + np.random.default_rng(0).normal(size=x.shape)
    found = UKMedoids(2, metric=metric, random_state=0)
    found.fit(ic.from_gaussian(x, std=0.3))
    np.testing.assert_array_equal(found.labels_, np.repeat([0, 1], 15))
    np.testing.assert_array_equal(found.confidence_, 1.0)
    new = ic.from_gaussian([[29.0, 1.0], [1.0, -1.0], [500.0, 0.0]], std=0.1)
    np.testing.assert_array_equal(found.predict(new), [1, 0, 1])
    np.testing.assert_array_equal(found.predict_proba(new).argmax(axis=1), [1, 0, 1])
    # New objects of another kind go by values that stand for the medoids.
    np.testing.assert_array_equal(found.predict(new.mean()), [1, 0, 1])


def test_an_object_between_two_clusters_is_unsure():
    mean = np.array([[0.0], [0.1], [0.2], [10.0], [10.1], [10.2], [5.0]])
    std = np.array([[0.1]] * 6 + [[3.0]])
    found = UKMedoids(2, random_state=0).fit(ic.from_gaussian(mean, std=std))
    np.testing.assert_array_equal(found.confidence_[:-1], 1.0)
    assert 0.3 < found.confidence_[-1] < 0.7


def test_predict_weighs_the_variance_of_the_medoid():
    data = ic.from_gaussian([[0.0], [10.0]], std=[[0.1], [6.0]])
    found = UKMedoids(2, random_state=0).fit(data)
    # |x|² + 0.01 against (10 − x)² + 36: the border is at 6.8, not at 5.
    np.testing.assert_array_equal(found.predict([[6.7], [6.9]]), [0, 1])
    np.testing.assert_array_equal(
        found.predict_proba([[6.7], [6.9]]), [[1.0, 0.0], [0.0, 1.0]]
    )


def test_joint_worlds_know_what_moves_together():
    # A shift common to all objects is no distance between any two of them.
    shift = np.random.default_rng(0).normal(scale=50.0, size=(40, 1, 1))
    x = np.array([[0.0], [1.0], [10.0], [11.0]])
    found = UKMedoids(2, random_state=0).fit(ic.from_worlds(x + shift))
    np.testing.assert_array_equal(found.labels_, [0, 0, 1, 1])
    assert found.inertia_ == pytest.approx(2.0)


@every_metric
@every_method
def test_far_from_the_origin_and_on_unequal_scales(metric, method):
    x = np.array([[0.0], [1.0], [10.0], [11.0]]) * [1.0, 1e-6] + [1e6, -1e6]
    found = UKMedoids(2, metric=metric, algorithm=method, random_state=0).fit(x)
    np.testing.assert_array_equal(found.labels_, [0, 0, 1, 1])
    assert found.inertia_ == pytest.approx(2.0, rel=1e-6)


@every_method
@pytest.mark.parametrize("k", [1, 2, 5])
def test_identical_objects_are_no_error(method, k):
    data = ic.from_gaussian(np.ones((5, 2)), std=0.0)
    model = UKMedoids(k, algorithm=method, random_state=0)
    warns = pytest.warns(IncertaWarning, match="only 1 of the 5 objects is distinct")
    with warns if k > 1 else nullcontext():
        found = model.fit(data)
    assert found.inertia_ == 0.0
    assert sorted(found.cluster_sizes_) == [0] * (k - 1) + [5]


def test_as_many_clusters_as_objects():
    data = ic.from_gaussian([[0.0], [10.0], [20.0]], std=5.0)
    found = UKMedoids(3, random_state=0).fit(data)
    np.testing.assert_array_equal(found.labels_, [0, 1, 2])
    assert found.inertia_ == 0.0


def test_one_object():
    found = UKMedoids(1, random_state=0).fit(ic.from_gaussian([[3.0, 4.0]], std=1.0))
    np.testing.assert_array_equal(found.labels_, [0])
    np.testing.assert_array_equal(found.confidence_, [1.0])


def test_more_starts_are_never_worse():
    data, _ = make_uncertain_blobs(60, 2, 5, random_state=0)
    few, many = (
        UKMedoids(5, algorithm="alternate", n_init=n, random_state=0).fit(data).inertia_
        for n in (1, 20)
    )
    assert many <= few
    swapped = UKMedoids(5, n_init=20, random_state=0).fit(data).inertia_
    assert swapped <= many


def test_no_seed_can_be_repeated():
    data, _ = make_uncertain_blobs(60, 2, 5, random_state=0)
    one = UKMedoids(5, n_init=1).fit(data)
    two = UKMedoids(5, n_init=1, random_state=one.seed_).fit(data)
    np.testing.assert_array_equal(one.medoid_indices_, two.medoid_indices_)
    np.testing.assert_array_equal(one.membership_, two.membership_)


def test_too_few_passes():
    data, _ = make_uncertain_blobs(60, 2, 5, random_state=0)
    with pytest.warns(ConvergenceWarning, match="max_iter=1 passes; raise max_iter"):
        found = UKMedoids(5, n_init=1, max_iter=1, random_state=0).fit(data)
    assert found.n_iter_ == 1


def test_too_many_objects():
    with pytest.raises(ValueError, match=r"20001 objects are too many .* use UKMeans"):
        UKMedoids(2).fit(np.random.default_rng(0).normal(size=(20_001, 2)))


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"n_clusters": 9}, "n_clusters=9 exceeds the number of objects, n_samples=4"),
        ({"metric": "cosine"}, "'metric' parameter .* Got 'cosine' instead"),
        ({"algorithm": "pam"}, "'algorithm' parameter .* Got 'pam' instead"),
        ({"n_init": 0}, "'n_init' parameter .* Got 0 instead"),
        ({"max_iter": 0}, "'max_iter' parameter .* Got 0 instead"),
        ({"n_worlds": 0}, "'n_worlds' parameter .* Got 0 instead"),
    ],
)
def test_bad_parameters(parameters, message):
    with pytest.raises(ValueError, match=message):
        UKMedoids(**parameters).fit(make("gaussian", n=4))


def test_other_features_are_refused():
    found = UKMedoids(2, random_state=0).fit(make("gaussian", n=6, d=2))
    with pytest.raises(ValueError, match="3 features"):
        found.predict(make("gaussian", n=2, d=3))
