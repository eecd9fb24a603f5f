import pickle
import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.cluster import OPTICS, cluster_optics_dbscan
from sklearn.exceptions import NotFittedError
from sklearn.utils.estimator_checks import parametrize_with_checks

import incerta as ic
from incerta.density.ordering import densest_first
from incerta.estimators._foptics import FOPTICS
from incerta.exceptions import IncertaWarning
from tests.strategies import KINDS, make

METHODS = ("worlds", "grid")
every_method = pytest.mark.parametrize("method", METHODS)
seeds = st.integers(0, 9999)


# The checks ask for numbers of clusters that no radius leaves.
@pytest.mark.filterwarnings("ignore::incerta.exceptions.IncertaWarning")
@parametrize_with_checks(
    [FOPTICS(3, max_eps=5.0, algorithm="grid", n_radii=40, random_state=0)]
)
def test_scikit_learn_contract(estimator, check):
    check(estimator)


def blobs(std=0.3, n=15, seed=0):
    """Three separated blobs of uncertain objects."""
    centers = np.repeat([[0.0, 0.0], [30.0, 0.0], [0.0, 40.0]], n, axis=0)
    x = centers + np.random.default_rng(seed).normal(size=centers.shape)
    return ic.from_gaussian(x, std=std), np.repeat([0, 1, 2], n)


# -- without uncertainty it is OPTICS ------------------------------------------------


def optics(x, m, max_eps):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it complains where all is noise
        return OPTICS(min_samples=m, max_eps=max_eps).fit(x)


def exact_points(seed, n):
    """Points whose squared distances are computed without rounding by any sum."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, 2)) + 4.0 * rng.integers(3, size=(n, 1))
    return np.round(x * 2**16) / 2**16


def same_partition(one, two):
    pairs = set(zip(one.tolist(), two.tolist()))
    return len(pairs) == len({a for a, _ in pairs}) == len({b for _, b in pairs})


@given(
    seed=seeds,
    n=st.integers(4, 20),
    m=st.integers(2, 4),
    max_eps=st.sampled_from([np.inf, 0.5, 2.0, 100.0]),
)
def test_without_uncertainty_it_is_optics(seed, n, m, max_eps):
    x = exact_points(seed, n)
    # Theirs begins with the first row, ours with the densest object.
    mine = FOPTICS(m, max_eps=max_eps, xi=0.05).fit(x)
    x = x[densest_first(mine.core_distances_, x)]
    mine.fit(x)
    theirs = optics(x, m, max_eps)
    np.testing.assert_array_equal(mine.ordering_, theirs.ordering_)
    np.testing.assert_array_equal(mine.predecessor_, theirs.predecessor_)
    np.testing.assert_allclose(mine.reachability_, theirs.reachability_)
    np.testing.assert_allclose(mine.core_distances_, theirs.core_distances_)
    assert same_partition(mine.labels_, theirs.labels_)
    np.testing.assert_array_equal(mine.labels_ == -1, theirs.labels_ == -1)
    cut = cluster_optics_dbscan(
        reachability=theirs.reachability_,
        core_distances=theirs.core_distances_,
        ordering=theirs.ordering_,
        eps=0.4,
    )
    assert same_partition(mine.extract(eps=0.4), cut)


# -- what it finds -------------------------------------------------------------------


@every_method
@pytest.mark.parametrize("max_eps", [np.inf, 8.0])
def test_three_blobs_are_three_valleys(method, max_eps):
    data, labels = blobs()
    found = FOPTICS(
        algorithm=method, max_eps=max_eps, n_clusters=3, n_radii=30, random_state=0
    ).fit(data)
    plot = found.reachability_[found.ordering_]
    assert (plot > 10.0).sum() == 3  # at the door of each valley
    assert (plot < 5.0).sum() == len(data) - 3
    np.testing.assert_array_equal(found.labels_, labels)
    np.testing.assert_array_equal(found.extract(eps=7.0), labels)
    np.testing.assert_array_equal(found.extract(n_clusters=3), labels)
    np.testing.assert_array_equal(found.cluster_levels_, found.eps_)
    np.testing.assert_array_equal(found.membership_, np.eye(3)[labels])
    np.testing.assert_array_equal(found.confidence_, 1.0)
    new = ic.from_gaussian([[29.0, 1.0], [1.0, -1.0], [500.0, 0.0]], std=0.1)
    np.testing.assert_array_equal(found.predict(new), [1, 0, -1])
    np.testing.assert_array_equal(
        found.predict_proba(new), [[0.0, 1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 0.0]]
    )


def test_steep_valleys_are_found_without_any_radius():
    data, labels = blobs(n=40)
    found = FOPTICS(xi=0.3, min_cluster_size=20, random_state=0).fit(data)
    np.testing.assert_array_equal(found.labels_, labels)
    assert found.eps_ is None
    for c, level in enumerate(found.cluster_levels_):
        inside = [o for o in found.ordering_ if found.labels_[o] == c]
        assert level == found.reachability_[inside[1:]].max()


def test_a_cut_is_found():
    data, _ = blobs(n=40)
    found = FOPTICS(eps="auto", random_state=0).fit(data)
    assert 0.1 < found.eps_ < 10.0
    members = found.labels_ >= 0
    assert members.mean() > 0.7
    assert FOPTICS(eps="auto", max_eps=0.2, random_state=0).fit(data).eps_ <= 0.2
    np.testing.assert_array_equal(found.extract(eps="auto"), found.labels_)


def test_an_object_between_two_clusters_is_unsure():
    x = np.repeat([[0.0], [10.0]], 20, axis=0)
    x = x + np.random.default_rng(0).normal(size=x.shape) * 0.5
    x = np.concatenate([x, [[5.0]]])
    std = np.full_like(x, 0.1)
    std[-1] = 3.0
    found = FOPTICS(eps=1.5, random_state=0).fit(ic.from_gaussian(x, std=std))
    assert found.labels_[-1] == -1
    assert found.confidence_[:-1].min() == 1.0
    noise = 1.0 - found.membership_[-1].sum()
    assert found.confidence_[-1] == pytest.approx(noise)
    assert 0.1 < noise < 0.9
    assert (found.membership_[-1] > 0.02).all()


def test_joint_worlds_know_what_moves_together():
    # A shift common to all objects is no distance between any two of them.
    shift = np.random.default_rng(0).normal(scale=50.0, size=(40, 1, 1))
    x = np.array([[0.0], [1.0], [2.5], [20.0], [21.0], [22.5]])
    found = FOPTICS(2, eps=3.0).fit(ic.from_worlds(x + shift))
    alone = FOPTICS(2, eps=3.0).fit(x)
    np.testing.assert_array_equal(found.labels_, [0, 0, 0, 1, 1, 1])
    np.testing.assert_array_equal(found.confidence_, 1.0)
    np.testing.assert_allclose(found.reachability_, alone.reachability_)
    assert found.labels_per_world_.shape == (40, 6)
    assert FOPTICS(2, n_worlds=7).fit(
        ic.from_worlds(x + shift)
    ).labels_per_world_.shape == (7, 6)


def test_new_objects_next_to_exact_ones():
    x = np.array([[0.0], [1.0], [2.0], [10.0], [11.0], [12.0]])
    found = FOPTICS(2, n_clusters=2, n_worlds=400, random_state=0).fit(x)
    assert found.eps_ == 4.5
    proba = found.predict_proba(ic.from_gaussian([[6.5], [100.0]], std=[[1.0], [1.0]]))
    # Within 4.5 of 2, but not beyond the middle, at 6.
    np.testing.assert_allclose(proba[0], [0.31, 0.69], atol=0.1)
    np.testing.assert_array_equal(proba[1], 0.0)


def test_labels_are_numbered_by_first_appearance():
    x = np.array([[50.0], [0.0], [10.0], [0.5], [10.5], [1.0], [11.0]])
    found = FOPTICS(2, eps=1.0).fit(x)
    np.testing.assert_array_equal(found.labels_, [-1, 0, 1, 0, 1, 0, 1])


@pytest.mark.parametrize(
    "cut", [{"n_clusters": 3}, {"n_clusters": 3, "max_eps": 2.0}, {"xi": 0.05}, {}]
)
@pytest.mark.filterwarnings("ignore::incerta.exceptions.IncertaWarning")
def test_objects_without_ids_may_come_in_any_order(cut):
    """Given worlds, what is found has nothing to do with the rows."""
    rng = np.random.default_rng(3)
    x = np.repeat(rng.normal(scale=3.0, size=(3, 2)), 30, axis=0)
    x = x + rng.normal(size=x.shape)
    draws = x + 0.5 * rng.normal(size=(12, *x.shape))
    for m in (2, 5):  # of two, each is the other's nearest: core distances are equal
        one = FOPTICS(m, **cut, random_state=0).fit(ic.from_worlds(draws))
        for seed in range(4):
            other = np.random.default_rng(seed).permutation(len(x))
            two = FOPTICS(m, **cut, random_state=0).fit(ic.from_worlds(draws[:, other]))
            np.testing.assert_array_equal(other[two.ordering_], one.ordering_)
            np.testing.assert_array_equal(two.reachability_, one.reachability_[other])
            assert same_partition(two.labels_, one.labels_[other])
            expected = one.confidence_[other]
            np.testing.assert_allclose(two.confidence_, expected, atol=1e-12)


# -- every kind of data --------------------------------------------------------------


@every_method
@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_data(method, kind):
    data = make(kind, n=9, d=2, seed=5)
    found = FOPTICS(
        2, algorithm=method, eps=3.0, n_worlds=12, n_radii=9, random_state=0
    ).fit(data)
    n_found = len(found.cluster_levels_)
    assert found.membership_.shape == (9, n_found)
    assert sorted(found.ordering_) == list(range(9))
    noise = 1.0 - found.membership_.sum(axis=1, keepdims=True)
    assert (noise >= -1e-12).all()
    own = np.hstack([found.membership_, noise])[np.arange(9), found.labels_]
    np.testing.assert_allclose(found.confidence_, own, atol=1e-12)
    again = FOPTICS(
        2, algorithm=method, eps=3.0, n_worlds=12, n_radii=9, random_state=found.seed_
    ).fit(data)
    np.testing.assert_array_equal(again.reachability_, found.reachability_)
    new = make(kind, n=4, d=2, seed=6)
    assert found.predict_proba(new).shape == (4, n_found)
    back = pickle.loads(pickle.dumps(found))
    np.testing.assert_array_equal(back.predict(new), found.predict(new))
    np.testing.assert_array_equal(back.labels_per_world_, found.labels_per_world_)


def test_fitting_again_forgets_the_first_data():
    found = FOPTICS(2, eps=3.0, random_state=0).fit(make("gaussian", n=9))
    assert found.membership_.shape[0] == 9
    found.fit(make("gaussian", n=5))
    assert found.membership_.shape[0] == len(found.confidence_) == 5


# -- odd data ------------------------------------------------------------------------


@every_method
@pytest.mark.parametrize("max_eps", [np.inf, 1.0])
def test_identical_objects(method, max_eps):
    data = ic.from_gaussian(np.ones((6, 2)), std=0.0)
    found = FOPTICS(3, algorithm=method, max_eps=max_eps, n_clusters=1).fit(data)
    np.testing.assert_array_equal(found.labels_, 0)
    np.testing.assert_array_equal(found.reachability_[1:], 0.0)
    np.testing.assert_array_equal(found.core_distances_, 0.0)
    np.testing.assert_array_equal(found.confidence_, 1.0)
    with pytest.warns(IncertaWarning, match=r"n_clusters=2 clusters of at least 3"):
        assert (found.extract(n_clusters=2) == 0).all()


@every_method
@pytest.mark.parametrize("max_eps", [np.inf, 1.0])
def test_one_object(method, max_eps):
    data = ic.from_gaussian([[3.0, 4.0]], std=1.0)
    parameters = {"algorithm": method, "max_eps": max_eps, "random_state": 0}
    lost = FOPTICS(**parameters).fit(data)
    np.testing.assert_array_equal(lost.labels_, [-1])
    np.testing.assert_array_equal(lost.confidence_, [1.0])
    np.testing.assert_array_equal(lost.reachability_, [np.inf])
    own = FOPTICS(1, n_clusters=1, **parameters).fit(data)
    np.testing.assert_array_equal(own.labels_, [0])
    np.testing.assert_allclose(own.core_distances_, [0.0], atol=1e-12)


def test_as_many_clusters_as_objects():
    data = ic.from_gaussian([[0.0], [10.0], [20.0]], std=0.01)
    found = FOPTICS(1, n_clusters=3, random_state=0).fit(data)
    np.testing.assert_array_equal(found.labels_, [0, 1, 2])


@every_method
@pytest.mark.parametrize("max_eps", [np.inf, 1.0])
def test_more_neighbors_than_objects_is_all_noise(method, max_eps):
    data = make("gaussian", n=4)
    found = FOPTICS(5, algorithm=method, max_eps=max_eps, random_state=0).fit(data)
    np.testing.assert_array_equal(np.sort(found.ordering_), np.arange(4))
    for every in (found.core_distances_, found.reachability_):
        np.testing.assert_array_equal(every, np.inf)
    np.testing.assert_array_equal(found.labels_, -1)
    np.testing.assert_array_equal(found.predict(data), -1)
    np.testing.assert_array_equal(found.confidence_, 1.0)
    np.testing.assert_array_equal(found.extract(eps=0.5), -1)
    assert found.membership_.shape == (4, 0)
    assert found.labels_per_world_.shape == (100, 4)
    with pytest.warns(IncertaWarning, match="the nearest number is 0"):
        np.testing.assert_array_equal(found.extract(n_clusters=2), -1)


def test_far_objects_are_all_noise():
    x = np.arange(6.0)[:, None] * 100.0
    found = FOPTICS(2, max_eps=1.0).fit(x)
    np.testing.assert_array_equal(found.labels_, -1)
    np.testing.assert_array_equal(found.core_distances_, np.inf)


# -- errors --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"n_clusters": 9}, "n_clusters=9 exceeds the number of objects, n_samples=4"),
        ({"n_clusters": 0}, "'n_clusters' parameter .* Got 0 instead"),
        ({"n_clusters": 2, "eps": 1.0}, r"n_clusters=2 and eps=1.0 exclude each other"),
        ({"eps": 3.0, "max_eps": 2.0}, r"eps=3.0 exceeds max_eps=2.0"),
        ({"eps": -1.0}, "'eps' parameter .* Got -1.0 instead"),
        ({"eps": "knee"}, "'eps' parameter .* Got 'knee' instead"),
        ({"min_samples": 0}, "'min_samples' parameter .* Got 0 instead"),
        ({"max_eps": 0.0}, "'max_eps' parameter .* Got 0.0 instead"),
        ({"algorithm": "exact"}, "'algorithm' parameter .* Got 'exact' instead"),
        ({"xi": 1.5}, "'xi' parameter .* Got 1.5 instead"),
        ({"min_cluster_size": 0}, "'min_cluster_size' parameter .* Got 0 instead"),
        ({"n_worlds": 0}, "'n_worlds' parameter .* Got 0 instead"),
        ({"n_radii": 1}, "'n_radii' parameter .* Got 1 instead"),
    ],
)
def test_bad_parameters(parameters, message):
    with pytest.raises(ValueError, match=message):
        FOPTICS(**parameters).fit(make("gaussian", n=4))


def test_bad_extractions():
    with pytest.raises(NotFittedError):
        FOPTICS().extract(eps=1.0)
    found = FOPTICS(2, max_eps=5.0, random_state=0).fit(make("gaussian", n=6))
    with pytest.raises(ValueError, match=r"n_clusters=2 and eps=1.0 exclude"):
        found.extract(n_clusters=2, eps=1.0)
    with pytest.raises(ValueError, match=r"eps=1.0 and xi=0.1 exclude"):
        found.extract(eps=1.0, xi=0.1)
    with pytest.raises(ValueError, match=r"eps=6.0 exceeds max_eps=5.0"):
        found.extract(eps=6.0)
    with pytest.raises(ValueError, match=r"'xi' parameter .* Got 2.0 instead"):
        found.extract(xi=2.0)
    np.testing.assert_array_equal(found.extract(), found.labels_)


def test_other_features_are_refused():
    found = FOPTICS(2, random_state=0).fit(make("gaussian", n=6, d=2))
    with pytest.raises(ValueError, match="3 features"):
        found.predict(make("gaussian", n=2, d=3))


def test_too_many_objects():
    x = np.random.default_rng(0).normal(size=(10_001, 2))
    with pytest.raises(ValueError, match=r"10001 objects are too many .* pass max_eps"):
        FOPTICS().fit(x)
    with pytest.raises(ValueError, match=r"max_eps=99.0 leaves about .* lower max_eps"):
        FOPTICS(max_eps=99.0).fit(x)
    assert len(FOPTICS(max_eps=0.001).fit(x).labels_) == 10_001
