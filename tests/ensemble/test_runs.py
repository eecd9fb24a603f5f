import pickle

import joblib
import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.cluster import DBSCAN, KMeans
from sklearn.mixture import GaussianMixture
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import incerta as ic
from incerta.backend.progress import reporting_to
from incerta.ensemble.runs import (
    cluster_worlds,
    predict_worlds,
)


def worlds(n_worlds=10, n=12, std=0.5):
    mean = np.repeat([[0.0, 0.0], [8.0, 0.0]], n // 2, axis=0)
    mean = mean + np.random.default_rng(0).normal(size=mean.shape)
    return ic.from_gaussian(mean, std=std).worlds(n_worlds, 0)


class Signs:
    """A clusterer that knows nothing of scikit-learn."""

    def __init__(self, border=4.0):
        self.border = border

    def fit(self, values):
        self.labels_ = (values[:, 0] > self.border).astype(int)


class Parametrized(Signs):
    def get_params(self, deep=True):
        return {"border": self.border}

    def set_params(self, **parameters):
        self.__dict__.update(parameters)
        return self


class Predicts:
    def fit(self, values):
        self.seen_ = True

    def predict(self, values):
        return (values[:, 0] > 4.0).astype(np.uint8)


class Picky(ClusterMixin, BaseEstimator):
    """Raises, or finds noise alone, depending on where the first object is."""

    def __init__(self, most=0.5, noise_above=np.inf, random_state=None):
        self.most = most
        self.noise_above = noise_above
        self.random_state = random_state

    def fit(self, X, y=None):
        if X[0, 0] > self.most:
            msg = "too far right"
            raise ValueError(msg)
        self.labels_ = (X[:, 0] > 4.0).astype(int)
        if X[0, 0] > self.noise_above:
            self.labels_ = np.full(len(X), -1)
        return self


class Random(ClusterMixin, BaseEstimator):
    def __init__(self, random_state=None):
        self.random_state = random_state

    def fit(self, X, y=None):
        self.labels_ = np.random.default_rng(self.random_state).integers(3, size=len(X))
        return self


@pytest.mark.parametrize("clusterer", [Signs(), Parametrized(), Predicts()])
def test_any_object_with_fit(clusterer):
    drawn = worlds()
    found = cluster_worlds(clusterer, drawn, seed=0)
    np.testing.assert_array_equal(found.labels, drawn.stack()[:, :, 0] > 4.0)
    assert found.labels.dtype == np.intp
    assert found.failures == {}
    assert not found.failed.any()
    assert found.models is None
    assert not hasattr(clusterer, "labels_")  # copied, never changed


@pytest.mark.parametrize("clusterer", [KMeans(2, n_init=1), Random(), Picky()])
def test_the_same_for_any_number_of_jobs(clusterer):
    drawn = worlds(9)
    one, two = (cluster_worlds(clusterer, drawn, seed=3, n_jobs=n) for n in (1, 2))
    np.testing.assert_array_equal(one.labels, two.labels)
    assert one.failures == two.failures


def test_a_dask_cluster():
    distributed = pytest.importorskip("distributed")
    here = distributed.LocalCluster(
        n_workers=1, threads_per_worker=1, processes=False, dashboard_address=None
    )
    with here as cluster, distributed.Client(cluster), joblib.parallel_config("dask"):
        there = cluster_worlds(KMeans(2, n_init=1), worlds(), seed=3)
    np.testing.assert_array_equal(
        there.labels, cluster_worlds(KMeans(2, n_init=1), worlds(), seed=3).labels
    )


def test_worlds_have_seeds_of_their_own_which_their_neighbors_do_not_change():
    drawn = worlds()
    found = cluster_worlds(Random(), drawn, seed=3)
    assert len(np.unique(found.labels, axis=0)) == 10
    some = cluster_worlds(Random(), drawn.at([7, 2]), seed=3)
    np.testing.assert_array_equal(some.labels, found.labels[[7, 2]])
    other = cluster_worlds(Random(), drawn, seed=4)
    assert (other.labels != found.labels).any(axis=1).all()


def test_a_seed_that_is_set_stays_unless_it_is_to_be_replaced():
    found = cluster_worlds(Random(random_state=0), worlds(), seed=3)
    assert len(np.unique(found.labels, axis=0)) == 1
    found = cluster_worlds(Random(random_state=0), worlds(), seed=3, reseed=True)
    assert len(np.unique(found.labels, axis=0)) == 10


def test_nested_seeds():
    nested = make_pipeline(StandardScaler(), Random())
    found = cluster_worlds(nested, worlds(), seed=3)
    again = cluster_worlds(nested, worlds(), seed=3)
    np.testing.assert_array_equal(found.labels, again.labels)
    assert len(np.unique(found.labels, axis=0)) == 10


def test_failures_are_counted_and_survived():
    drawn = worlds(20)
    first = drawn.stack()[:, 0, 0]
    most, noise_above = np.quantile(first, [0.7, 0.4])
    found = cluster_worlds(Picky(most, noise_above), drawn, seed=0)
    np.testing.assert_array_equal(found.failed, first > most)
    np.testing.assert_array_equal((found.labels == -1).all(axis=1), first > noise_above)
    for j, value in enumerate(first):
        expected = None
        if value > noise_above:
            expected = "all noise"
        if value > most:
            expected = "ValueError: too far right"
        assert found.failures.get(j) == expected


def test_failures_are_named_by_the_number_of_the_world():
    drawn = worlds(20)
    first = drawn.stack()[:, 0, 0]
    chosen = np.argsort(first)[[0, -1]]
    found = cluster_worlds(Picky(np.median(first)), drawn.at(chosen), seed=0)
    assert list(found.failures) == [chosen[1]]
    np.testing.assert_array_equal(found.failed, [False, True])


def test_an_error_in_every_world_is_raised():
    with pytest.raises(ValueError, match="too far right") as caught:
        cluster_worlds(Picky(most=-99.0), worlds(), seed=0)
    assert caught.value.__notes__ == ["The clusterer failed in all 10 worlds."]


def test_an_error_that_does_not_come_back():
    class Once(Picky):
        calls = 0

        def fit(self, X, y=None):
            Once.calls += 1
            if Once.calls <= 3:
                raise OSError("disk")
            return super().fit(X)

    with pytest.raises(RuntimeError, match="all 3 worlds; in the first: OSError: disk"):
        cluster_worlds(Once(most=99.0), worlds(3), seed=0)


@pytest.mark.parametrize(
    "labels", [np.zeros(5, int), np.zeros(12), np.array(["a"] * 12)]
)
def test_labels_that_are_none(labels):
    class Odd(Signs):
        def fit(self, values):
            self.labels_ = labels

    with pytest.raises(ValueError, match="it must return 12 whole numbers"):
        cluster_worlds(Odd(), worlds(), seed=0)


def test_every_kind_of_noise_is_noise():
    class Kinds(Signs):
        def fit(self, values):
            self.labels_ = np.arange(len(values)) - 3

    labels = cluster_worlds(Kinds(), worlds(2), seed=0).labels
    np.testing.assert_array_equal(labels[1, :5], [-1, -1, -1, 0, 1])


def test_models_are_kept_where_they_can_predict():
    found = cluster_worlds(KMeans(2, n_init=1), worlds(3), seed=0, keep_models=True)
    for model, labels in zip(found.models, found.labels):
        np.testing.assert_array_equal(model.labels_, labels)
    found = cluster_worlds(DBSCAN(2.0), worlds(3), seed=0, keep_models=True)
    assert found.models == [None] * 3
    pickle.dumps(found)


@pytest.mark.parametrize(
    "clusterer", [GaussianMixture(2), KMeans(2, n_init=1), DBSCAN(3.0), Signs()]
)
def test_new_objects(clusterer):
    drawn = worlds()
    found = cluster_worlds(clusterer, drawn, seed=0, keep_models=True)
    # The objects themselves: by model or by nearest value, they are what they were.
    again = predict_worlds(drawn, drawn, found.labels, found.models)
    np.testing.assert_array_equal(again, found.labels)
    np.testing.assert_array_equal(
        predict_worlds(drawn, drawn, found.labels), found.labels
    )
    new = ic.from_gaussian([[9.0, 0.0], [-1.0, 0.0]], std=0.1).worlds(10, 1)
    there = predict_worlds(drawn, new, found.labels, found.models, n_jobs=2)
    np.testing.assert_array_equal(there, found.labels[:, [-1, 0]])


def test_progress_is_reported():
    seen = []
    with reporting_to(lambda *step: seen.append(step)):
        cluster_worlds(Signs(), worlds(5), seed=0)
    assert seen == [("worlds", j, 5) for j in range(6)]
