"""PossibleWorldConsistency."""

import numpy as np
import pytest
from scipy.sparse.csgraph import connected_components
from sklearn.datasets import make_moons
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import adjusted_rand_score

import incerta as ic
from incerta import published
from incerta.published import PossibleWorldConsistency, Voting
from tests.strategies import KINDS, make


def blobs(n=60, seed=0, std=0.3):
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 3
    X = np.array([[0.0, 0.0], [6.0, 0.0], [0.0, 6.0]])[y] + rng.normal(size=(n, 2))
    return ic.from_gaussian(X, std=std), y


@pytest.mark.parametrize("weights", ["uniform", "auto"])
def test_blobs_become_components(weights):
    data, y = blobs()
    found = PossibleWorldConsistency(3, 20, world_weights=weights, random_state=0).fit(
        data
    )
    np.testing.assert_array_equal(found.labels_, y)
    assert found.world_weights_.sum() == pytest.approx(1.0)
    graph = found.affinity_ + found.affinity_.T
    assert connected_components(graph)[0] == 3
    np.testing.assert_allclose(found.affinity_.sum(axis=1), 1.0)
    np.testing.assert_array_equal(found.predict(data), y)
    assert found.confidence_.min() > 0.9


def test_moons():
    X, y = make_moons(200, noise=0.05, random_state=0)
    data = ic.from_gaussian(X, std=0.07)
    found = PossibleWorldConsistency(2, 20, random_state=0).fit(data)
    assert adjusted_rand_score(y, found.labels_) == 1.0


def test_copies_of_a_world_are_that_world():
    world = np.random.default_rng(0).normal(size=(50, 2))
    many = PossibleWorldConsistency(3).fit(ic.from_worlds(np.stack([world] * 4)))
    one = PossibleWorldConsistency(3).fit(world)
    np.testing.assert_array_equal(many.labels_, one.labels_)
    np.testing.assert_allclose(
        many.affinity_.toarray(), one.affinity_.toarray(), atol=1e-9
    )


def test_order_of_objects_does_not_matter():
    draws = np.random.default_rng(1).normal(size=(5, 50, 2)) * 0.2
    draws = draws + np.random.default_rng(2).normal(size=(50, 2)) * 3.0
    order = np.random.default_rng(3).permutation(50)
    one = PossibleWorldConsistency(3).fit(ic.from_worlds(draws))
    two = PossibleWorldConsistency(3).fit(ic.from_worlds(draws[:, order]))
    assert adjusted_rand_score(one.labels_[order], two.labels_) == 1.0


def test_large_graphs_give_the_same(monkeypatch):
    data, _ = blobs(150, std=0.8)
    dense = PossibleWorldConsistency(3, 10, random_state=0).fit(data)
    monkeypatch.setattr(published, "DENSE_OBJECTS", 10)
    sparse = PossibleWorldConsistency(3, 10, random_state=0).fit(data)
    np.testing.assert_array_equal(dense.labels_, sparse.labels_)


def test_more_components_than_clusters_are_connected():
    data, y = blobs()
    found = PossibleWorldConsistency(2, 5, n_neighbors=2, random_state=0).fit(data)
    assert found.n_neighbors_ > 2
    assert found.labels_.max() == 1
    # Whole blobs are put together.
    pairs = np.unique(np.stack([y, found.labels_]), axis=1)
    assert pairs.shape[1] == 3


def test_no_solution_is_cut_and_warned_of():
    X = np.repeat(np.eye(3), 12, axis=0)  # no corner is nearer to the one or the other
    with pytest.warns(ConvergenceWarning, match="3 components instead of n_clusters=2"):
        found = PossibleWorldConsistency(2, max_iter=10).fit(X)
    assert set(found.labels_) == {0, 1}
    assert all(len(set(found.labels_[i : i + 12])) == 1 for i in (0, 12, 24))


def test_representative_worlds():
    data, y = blobs()
    found = PossibleWorldConsistency(3, 20, 5, random_state=0).fit(data)
    assert found.labels_per_world_.shape == (5, 60)
    assert len(set(found.representatives_)) == 5
    np.testing.assert_array_equal(found.labels_, y)
    with pytest.raises(ValueError, match="n_representatives=30"):
        PossibleWorldConsistency(3, 20, 30).fit(data)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_data(kind):
    data = make(kind, n=12, d=2, seed=5)
    found = PossibleWorldConsistency(2, 12, random_state=0).fit(data)
    assert found.membership_.shape == (12, 2)
    np.testing.assert_allclose(found.membership_.sum(axis=1), 1.0)
    new = found.predict_proba(make(kind, n=4, d=2, seed=6))
    assert new.shape == (4, 2)


def test_single_objects_can_be_clusters():
    data = ic.from_gaussian([[0.0], [10.0], [20.0]], std=0.01)
    found = PossibleWorldConsistency(3, 5, random_state=0).fit(data)
    np.testing.assert_array_equal(found.labels_, [0, 1, 2])


def test_one_object():
    found = PossibleWorldConsistency(1, 5).fit(ic.from_gaussian([[3.0]], std=1.0))
    np.testing.assert_array_equal(found.labels_, [0])
    np.testing.assert_array_equal(found.predict([[9.0]]), [0])


def test_of_equally_near_clusters_its_own():
    # The object at 0 has one neighbor of each cluster, at the same distance.
    world = ic.as_uncertain([[-1.0], [0.0], [1.0], [-4.0], [4.0]]).worlds(1, 0)
    pwc = PossibleWorldConsistency(2, n_neighbors=2)
    pwc.n_neighbors_ = 2
    for own in (0, 1):
        pwc._model = Voting(world, np.array([0, own, 1, 0, 1]))
        assert pwc._in_each_world(world)[0, 1] == own
