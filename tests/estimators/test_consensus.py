import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import norm
from sklearn.base import BaseEstimator, ClusterMixin, clone
from sklearn.cluster import (
    DBSCAN,
    HDBSCAN,
    AgglomerativeClustering,
    KMeans,
    SpectralClustering,
)
from sklearn.metrics import adjusted_rand_score
from sklearn.mixture import GaussianMixture
from sklearn.utils.estimator_checks import parametrize_with_checks

import incerta as ic
from incerta import WorldConsensus
from incerta.datasets import make_uncertain_blobs
from incerta.exceptions import IncertaWarning
from incerta.published import SC
from tests.strategies import KINDS, make

TWO = KMeans(2, n_init=1)
METHODS = ("coassociation", "graph", "kmeans-binary", "vote")


class OwnClusterer:
    """Third-party style: no base class, no fit_predict, no predict."""

    def __init__(self, border=5.0):
        self.border = border

    def get_params(self, deep=True):
        return {"border": self.border}

    def set_params(self, **parameters):
        self.__dict__.update(parameters)
        return self

    def fit(self, X, y=None):
        self.labels_ = np.where(X[:, 0] > self.border, 7, 3)
        return self


class Moody(ClusterMixin, BaseEstimator):
    """Fails, finds noise alone, or does its work, by where the first object is."""

    def fit(self, X, y=None):
        if X[0, 0] > 1.0:
            msg = "not today"
            raise RuntimeError(msg)
        self.labels_ = (X[:, 0] > 5.0).astype(int)
        if X[0, 0] > 0.7:
            self.labels_ = np.full(len(X), -1)
        return self


CLUSTERERS = [
    HDBSCAN(min_cluster_size=5, copy=True),
    DBSCAN(eps=3.0),
    TWO,
    GaussianMixture(2),
    AgglomerativeClustering(2),
    SpectralClustering(2, gamma=0.05),
    OwnClusterer(),
]
every_clusterer = pytest.mark.parametrize(
    "clusterer", CLUSTERERS, ids=[type(c).__name__ for c in CLUSTERERS]
)


def pair(n=15, gap=10.0, std=0.3, seed=0):
    """Two clusters, far from each other unless asked for otherwise."""
    x = np.repeat([[0.0, 0.0], [gap, 0.0]], n, axis=0)
    x = x + np.random.default_rng(seed).normal(size=x.shape)
    return ic.from_gaussian(x, std=std)


@parametrize_with_checks([SC(linkage="average", noise="cluster", random_state=0)])
def test_scikit_learn_contract(estimator, check):
    check(estimator)


@every_clusterer
def test_any_clusterer(clusterer):
    found = WorldConsensus(clusterer, n_worlds=10, random_state=0).fit(pair())
    truth = np.repeat([0, 1], 15)
    assert adjusted_rand_score(truth, found.labels_) > 0.8
    assert found.labels_.max() == 1
    assert found.labels_per_world_.shape == (10, 30)
    sure = found.labels_ >= 0
    assert found.confidence_[sure].mean() > 0.8
    new = ic.from_gaussian([[10.0, 0.5], [0.0, -0.5]], std=0.1)
    np.testing.assert_array_equal(found.predict(new), found.labels_[[-1, 0]])
    assert found.predict_proba(new).max(axis=1).min() > 0.7
    back = pickle.loads(pickle.dumps(found))
    np.testing.assert_array_equal(back.predict_proba(new), found.predict_proba(new))


@pytest.mark.filterwarnings("ignore::incerta.exceptions.IncertaWarning")
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "estimator",
    [
        WorldConsensus(TWO, 12, n_clusters=2),
        WorldConsensus(TWO, 12, 6, consensus="graph"),
        WorldConsensus(DBSCAN(3.0, min_samples=2), 12, consensus="vote"),
        WorldConsensus(
            GaussianMixture(2, reg_covar=0.5), 12, consensus="kmeans-binary", soft=True
        ),
        SC(min_samples=3, n_worlds=12),
        SC(2.0, 3, 12, 6, linkage="average"),
    ],
)
def test_every_kind_of_data(estimator, kind):
    data = make(kind, n=9, d=2, seed=5)
    found = clone(estimator).set_params(random_state=0).fit(data)
    k = found.n_clusters_
    assert found.labels_.shape == (9,)
    assert found.membership_.shape == (9, k)
    assert found.membership_.min(initial=1.0) >= 0.0
    assert found.membership_.sum(axis=1).max() <= 1.0 + 1e-9
    assert set(found.labels_) - {-1} == set(range(k))
    if found.labels_.max() >= 0:
        along = found.labels_[np.argsort(data.ids)]
        assert along[along >= 0][0] == 0
    noise = 1.0 - found.membership_.sum(axis=1, keepdims=True)
    np.testing.assert_array_equal(
        found.confidence_,
        np.hstack([found.membership_, noise])[np.arange(9), found.labels_],
    )
    if not getattr(estimator, "soft", False):
        agree = (found.labels_per_world_ == found.labels_).mean(axis=0)
        np.testing.assert_allclose(found.confidence_, agree)
    assert -1.0 <= found.stability_ <= 1.0 + 1e-12
    new = make(kind, n=4, d=2, seed=6)
    assert found.predict(new).shape == (4,)
    assert found.predict_proba(new).shape == (4, k)


@given(seed=st.integers(0, 999), std=st.floats(0.1, 4.0))
def test_membership_is_the_share_of_the_worlds(seed, std):
    data = pair(6, gap=4.0, std=std, seed=seed)
    found = WorldConsensus(OwnClusterer(2.0), 9, random_state=seed).fit(data)
    raw = found.raw_labels_per_world_
    np.testing.assert_array_equal(raw == 7, data.worlds(9, seed).stack()[:, :, 0] > 2)
    for row, new in zip(raw, found.labels_per_world_):
        for name in np.unique(row):
            assert len(set(new[row == name])) == 1
    for c in range(found.n_clusters_):
        expected = (found.labels_per_world_ == c).mean(axis=0)
        np.testing.assert_allclose(found.membership_[:, c], expected)


@every_clusterer
def test_without_uncertainty_it_is_the_clusterer(clusterer):
    x = pair(gap=5.0).mean()
    found = WorldConsensus(clusterer, random_state=0).fit(x)
    assert found.raw_labels_per_world_.shape == (1, 30)
    assert adjusted_rand_score(found.raw_labels_per_world_[0], found.labels_) == 1.0
    np.testing.assert_array_equal(found.confidence_, 1.0)
    assert found.stability_ == 1.0


@pytest.mark.parametrize("linkage", ["components", "average"])
@pytest.mark.parametrize("noise", ["separate", "cluster"])
def test_without_uncertainty_sc_is_dbscan(linkage, noise):
    x = np.random.default_rng(0).normal(size=(80, 2)) * [1.0, 3.0]
    found = SC(0.6, 4, noise=noise, linkage=linkage, random_state=0).fit(x)
    expected = DBSCAN(eps=0.6, min_samples=4).fit_predict(x)
    assert expected.min() == -1
    assert expected.max() >= 1
    np.testing.assert_array_equal(found.labels_, expected)
    np.testing.assert_array_equal(found.confidence_, 1.0)


def test_sc_finds_clusters_of_any_shape():
    angle = np.linspace(0, 2 * np.pi, 80, endpoint=False)
    ring = np.column_stack([np.cos(angle), np.sin(angle)]) * 6.0
    core = np.random.default_rng(0).normal(size=(40, 2)) * 0.8
    x = np.vstack([ring, core, [[20.0, 20.0]]])
    for linkage_ in ("components", "average"):
        found = SC(1.6, 3, 30, linkage=linkage_, random_state=0)
        found.fit(ic.from_gaussian(x, std=0.15))
        np.testing.assert_array_equal(found.labels_[:80], 0)
        np.testing.assert_array_equal(found.labels_[-1], -1)
        assert (found.labels_[80:-1] == 1).mean() > 0.8
        # New objects by core objects within the radius: far away there is none.
        new = ic.from_gaussian([[6.0, 0.3], [0.0, 0.1], [20.0, 20.0]], std=0.1)
        np.testing.assert_array_equal(found.predict(new), [0, 1, -1])
        np.testing.assert_array_equal(found.predict_proba(new)[2], 0.0)


def test_sc_finds_a_radius():
    data, truth = make_uncertain_blobs(
        120, 2, 3, uncertainty=0.3, center_box=(-30, 30), random_state=3
    )
    found = SC(n_worlds=20, linkage="average", random_state=0).fit(data)
    taken = found.labels_ >= 0
    assert taken.mean() > 0.8
    assert adjusted_rand_score(truth[taken], found.labels_[taken]) > 0.9
    fixed = SC(found.eps_, n_worlds=20, linkage="average", random_state=0).fit(data)
    np.testing.assert_array_equal(fixed.labels_, found.labels_)


@pytest.mark.parametrize("seed", [5, 10, 16])
def test_the_radius_of_sc_holds_in_any_units(seed):
    # It is the distance of two objects, which rounding must not put apart.
    rng = np.random.default_rng(seed)
    x = np.repeat([[0.0, 0.0], [3.0, 0.0], [0.0, 3.0]], 8, axis=0)
    x = x + rng.normal(size=(24, 2))
    draws = x + 0.8 * rng.normal(size=(12, 24, 2))
    one, two = (
        SC(min_samples=3, random_state=0).fit(ic.from_worlds(draws * unit))
        for unit in (1.0, 1000.0)
    )
    np.testing.assert_array_equal(two.labels_per_world_, one.labels_per_world_)


def test_objects_that_coincide_have_a_radius():
    found = SC(random_state=0).fit(np.ones((6, 2)))
    np.testing.assert_array_equal(found.labels_, 0)


@pytest.mark.parametrize("consensus", METHODS)
def test_an_object_between_two_clusters_is_unsure(consensus):
    x = np.repeat([[0.0], [10.0]], 20, axis=0)
    x = x + np.random.default_rng(0).normal(size=x.shape) * 0.5
    x = np.concatenate([x, [[5.0]]])
    std = np.full_like(x, 0.2)
    std[-1] = 3.0
    found = WorldConsensus(TWO, 60, consensus=consensus, random_state=0)
    found.fit(ic.from_gaussian(x, std=std))
    np.testing.assert_array_equal(found.labels_[:40], np.repeat([0, 1], 20))
    np.testing.assert_array_equal(found.confidence_[:40], 1.0)
    assert found.confidence_[-1] < 0.75
    assert 0.3 < found.membership_[-1, 0] < 0.7


def test_failures_are_told_counted_and_survived():
    data = pair(5, std=0.6)
    first = data.worlds(40, 0).stack()[:, 0, 0]
    failed, noise = first > 1.0, (first > 0.7) & (first <= 1.0)
    assert failed.any()
    assert noise.any()
    said = (
        rf"failed in {failed.sum()} of 40 worlds, which are ignored; all objects are "
        rf"noise in {noise.sum()} of 40 worlds. See failures_"
    )
    with pytest.warns(IncertaWarning, match=said) as warned:
        found = WorldConsensus(Moody(), 40, random_state=0).fit(data)
    assert len(warned) == 1
    assert warned[0].filename == __file__
    assert sorted(found.failures_) == list(np.flatnonzero(failed | noise))
    assert found.failures_[np.flatnonzero(failed)[0]] == "RuntimeError: not today"
    assert found.failures_[np.flatnonzero(noise)[0]] == "all noise"
    np.testing.assert_array_equal(found.labels_per_world_[failed | noise], -1)
    # Failures do not count, noise does.
    expected = 1.0 - noise.sum() / (~failed).sum()
    np.testing.assert_allclose(found.confidence_, expected)
    np.testing.assert_array_equal(found.labels_, np.repeat([0, 1], 5))
    assert found.predict_proba(data).sum(axis=1) == pytest.approx(expected)


def test_failure_in_every_world():
    with pytest.raises(RuntimeError, match="not today"):
        WorldConsensus(Moody(), 10).fit(ic.from_gaussian([[9.0], [9.0]], std=0.1))


@pytest.mark.parametrize("consensus", METHODS)
def test_all_noise_everywhere(consensus):
    alone = WorldConsensus(DBSCAN(0.01), 5, consensus=consensus, random_state=0)
    with pytest.warns(IncertaWarning, match="all objects are noise in 5 of 5 worlds"):
        alone.fit(pair())
    assert (alone.n_clusters_, alone.membership_.shape) == (0, (30, 0))
    np.testing.assert_array_equal(alone.labels_, -1)
    np.testing.assert_array_equal(alone.confidence_, 1.0)
    np.testing.assert_array_equal(alone.predict(pair()), -1)
    with pytest.warns(IncertaWarning, match="noise"):
        found = SC(0.01, n_worlds=5, random_state=0).fit(pair())
    np.testing.assert_array_equal(found.predict(pair()), -1)


@pytest.mark.parametrize(
    "estimator", [WorldConsensus(TWO, 12), SC(1.0, n_worlds=12, n_representatives=5)]
)
def test_the_same_for_any_number_of_jobs_and_again(estimator):
    data = pair(gap=3.0, std=1.0)
    one, two = (
        clone(estimator).set_params(n_jobs=n, random_state=4).fit(data) for n in (1, 2)
    )
    none = clone(estimator).set_params(n_jobs=None, random_state=one.seed_).fit(data)
    for other in (two, none):
        np.testing.assert_array_equal(one.labels_, other.labels_)
        np.testing.assert_array_equal(
            one.raw_labels_per_world_, other.raw_labels_per_world_
        )
        np.testing.assert_array_equal(
            one.predict_proba(data), other.predict_proba(data)
        )


def test_no_seed_can_be_repeated():
    data = pair(gap=3.0, std=1.0)
    one = WorldConsensus(TWO, 12).fit(data)
    two = WorldConsensus(TWO, 12, random_state=one.seed_).fit(data)
    np.testing.assert_array_equal(one.membership_, two.membership_)


def test_representative_worlds_only():
    data = pair(gap=4.0, std=1.0)
    found = WorldConsensus(TWO, 30, 6, random_state=0).fit(data)
    every = WorldConsensus(TWO, 30, random_state=0).fit(data)
    assert every.representatives_ is None
    assert len(set(found.representatives_)) == 6
    np.testing.assert_array_equal(
        found.raw_labels_per_world_,
        every.raw_labels_per_world_[found.representatives_],
    )
    assert SC(1.5, 3, 20, 6, random_state=0).fit(data).representatives_.shape == (6,)


def test_joint_worlds_know_what_moves_together():
    # A shift common to all objects is none for the clusters.
    rng = np.random.default_rng(0)
    shift = rng.normal(scale=50.0, size=(40, 1, 1))
    x = np.array([[0.0], [0.5], [1.0], [10.0], [10.5], [11.0]])
    data = ic.from_worlds(x + shift)
    found = WorldConsensus(AgglomerativeClustering(2), 100, random_state=0).fit(data)
    np.testing.assert_array_equal(found.labels_, [0, 0, 0, 1, 1, 1])
    np.testing.assert_array_equal(found.confidence_, 1.0)
    new = ic.from_worlds(np.array([[0.2], [10.2]]) + shift)
    np.testing.assert_array_equal(found.predict_proba(new), np.eye(2))


def test_new_objects_do_not_move_along_with_old_ones():
    # The law of the objects themselves, but other draws: unlike before, some of them
    # are next to the other cluster.
    data = pair(4, gap=3.0, std=1.5)
    found = WorldConsensus(AgglomerativeClustering(2), 50, random_state=0).fit(data)
    assert np.abs(found.predict_proba(data) - found.membership_).max() > 0.01


def test_an_exact_fit_and_uncertain_new_objects():
    x = pair().mean()
    found = WorldConsensus(AgglomerativeClustering(2), random_state=0).fit(x)
    share = found.predict_proba(ic.from_gaussian([[5.0, 0.0]], std=[[3.0, 0.1]]))
    assert 0.3 < share[0, 0] < 0.7
    np.testing.assert_array_equal(found.predict(x), found.labels_)
    mixed = WorldConsensus(AgglomerativeClustering(2), 9, random_state=0).fit(pair())
    np.testing.assert_array_equal(mixed.predict(x), mixed.labels_)


def test_too_many_clusters_to_store(monkeypatch):
    monkeypatch.setattr("incerta.estimators._consensus.MOST_ENTRIES", 10)
    with pytest.raises(ValueError, match="30 objects form 2 clusters"):
        WorldConsensus(TWO, 5, random_state=0).fit(pair())


def mixture(n=400, seed=0):
    """Two components that overlap, and objects with errors around their values."""
    rng = np.random.default_rng(seed)
    x = np.where(rng.random(n) < 0.5, -1.5, 1.5) + rng.normal(size=n)
    return ic.from_gaussian(x[:, None], std=0.3)


def test_soft_membership_is_the_mean_of_the_probabilities():
    data = mixture()
    soft = WorldConsensus(GaussianMixture(2), 15, soft=True, random_state=0).fit(data)
    hard = WorldConsensus(GaussianMixture(2), 15, random_state=0).fit(data)
    np.testing.assert_array_equal(soft.labels_, hard.labels_)
    np.testing.assert_allclose(soft.membership_.sum(axis=1), 1.0)
    # Values between the components are sure of their place, not of their component.
    middle = np.abs(data.mean()[:, 0]) < 0.8
    assert soft.confidence_[middle].mean() < hard.confidence_[middle].mean()
    expected = np.zeros((400, 2))
    for values, model in zip(soft._model.worlds, soft._model.models):
        given = model.predict_proba(values)
        first = np.argmin(model.means_[:, 0] * np.sign(data.mean()[0, 0]))
        expected += given[:, [1 - first, first]] / 15
    np.testing.assert_allclose(soft.membership_, expected)
    np.testing.assert_allclose(soft.predict_proba(data), soft.membership_, atol=0.25)
    far = soft.predict_proba([[-9.0], [9.0]])
    assert sorted(far.argmax(axis=1)) == [0, 1]
    assert far.max(axis=1).min() > 0.99


def test_instability():
    data = pair(20, gap=10.0)
    sure = WorldConsensus(TWO, 5, random_state=0).fit(data).instability(2, 3)
    assert sure.total == 0.0
    # Three centers in two clusters: which is cut is the start's doing alone.
    start = WorldConsensus(KMeans(3, init="random", n_init=1), 5, random_state=0)
    moody = start.fit(data).instability(4, 5)
    assert moody.clusterer > 0.05
    fixed = start.set_params(clusterer__random_state=0).fit(data).instability(4, 5)
    assert fixed.clusterer > 0.05  # a seed that is set is replaced
    blurred = pair(20, gap=4.0, std=3.0)
    found = WorldConsensus(AgglomerativeClustering(2), 5, random_state=0).fit(blurred)
    data_only = found.instability(2, 6)
    assert data_only.clusterer == 0.0
    assert data_only.total == data_only.uncertainty > 0.1
    assert "100% of that comes from the uncertainty" in str(data_only)
    with pytest.raises(ValueError, match="n_seeds=1"):
        found.instability(1)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"n_worlds": 0}, "'n_worlds' parameter .* Got 0 instead"),
        ({"n_representatives": 0}, "'n_representatives' parameter"),
        ({"n_worlds": 5, "n_representatives": 6}, "n_representatives=6 is larger"),
        ({"consensus": "mean"}, "'consensus' parameter"),
        ({"min_share": 1.0}, "'min_share' parameter"),
        ({"noise": "alone"}, "'noise' parameter"),
        ({"n_clusters": 31}, "n_clusters=31 exceeds the number of objects"),
        ({"consensus": "graph", "n_clusters": 2}, "n_clusters=2 has no effect on"),
        ({"soft": True}, "soft=True needs predict_proba"),
        ({"clusterer": 3}, "clusterer=3 must be an object with fit"),
        ({"clusterer": KMeans}, "must be an object with fit"),
    ],
)
def test_bad_parameters(parameters, message):
    with pytest.raises((ValueError, TypeError), match=message):
        WorldConsensus(**{"clusterer": TWO, **parameters}).fit(pair())


@pytest.mark.parametrize("estimator", [WorldConsensus(TWO, 5), SC(n_worlds=5)])
def test_other_features_are_refused(estimator):
    with pytest.raises(ValueError, match="3 features"):
        clone(estimator).fit(pair()).predict(make("gaussian", n=2, d=3))


def test_confidence_is_a_probability_where_the_laws_are_right():
    # True values from two overlapping Gaussians, measured with errors; the worlds are
    # draws of the true values given the measurements.
    rng = np.random.default_rng(0)
    centers, n, n_worlds = np.array([-1.5, 1.5]), 1000, 60
    said, right = [], []
    for seed in range(5):
        true = rng.choice(centers, n) + rng.normal(size=n)
        error = rng.uniform(0.3, 1.5, n)
        seen = true + error * rng.normal(size=n)
        chances = norm.pdf(seen[:, None], centers, np.sqrt(1 + error**2)[:, None])
        upper = rng.random((n_worlds, n)) < chances[:, 1] / chances.sum(axis=1)
        mean = (seen + error**2 * centers[upper.astype(int)]) / (1 + error**2)
        draws = mean + error / np.sqrt(1 + error**2) * rng.normal(size=upper.shape)
        found = WorldConsensus(KMeans(2), n_worlds, n_clusters=2, random_state=seed)
        found.fit(ic.from_worlds(draws[:, :, None]))
        above = np.argmax([seen[found.labels_ == c].mean() for c in range(2)])
        said.append(found.confidence_)
        right.append((found.labels_ == above) == (true > 0))
    said, right = np.concatenate(said), np.concatenate(right)
    bins = np.minimum((said * 10).astype(int), 9)
    for b in range(5, 10):
        here = bins == b
        assert here.sum() > 200
        assert abs(said[here].mean() - right[here].mean()) < 0.05
