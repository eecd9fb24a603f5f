"""PossibleWorldConsistency, and the parts it is made of against their formulas."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components
from sklearn.datasets import make_moons
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import adjusted_rand_score

import incerta as ic
from incerta import published
from incerta.ensemble.consensus_affinity import (
    adaptive_affinity,
    agreement_weights,
    neighbor_weights,
    projected,
    rank_constrained,
    weighted_mean,
)
from incerta.published import PossibleWorldConsistency, Voting
from tests.strategies import KINDS, make

seeds = st.integers(0, 2**32 - 1)


def affinity_by_definition(X, q):
    n = len(X)
    out = np.zeros((n, n))
    for i in range(n):
        e = [np.sum((X[i] - X[j]) ** 2) for j in range(n)]
        near = sorted((j for j in range(n) if j != i), key=lambda j: e[j])
        first = e[near[q]]
        total = q * first - sum(e[j] for j in near[:q])
        for j in near[:q]:
            out[i, j] = (first - e[j]) / total if total > 0 else 1 / q
    return out


@given(seeds, st.integers(3, 20), st.integers(1, 12), st.integers(1, 3))
def test_affinity_against_the_definition(seed, n, q, d):
    X = np.random.default_rng(seed).normal(size=(n, d))
    found = adaptive_affinity(X, q).toarray()
    expected = affinity_by_definition(X, min(q, n - 2))
    np.testing.assert_allclose(found, expected, atol=1e-9)
    np.testing.assert_allclose(found.sum(axis=1), 1.0)


def test_affinity_of_equal_and_of_few_objects():
    equal = adaptive_affinity(np.ones((6, 2)), 3).toarray()
    np.testing.assert_allclose(equal.sum(axis=1), 1.0)
    assert set(equal.ravel()) == {0.0, 1 / 3}
    np.testing.assert_array_equal(
        adaptive_affinity(np.array([[0.0], [1.0]]), 5).toarray(), [[0, 1], [1, 0]]
    )
    assert adaptive_affinity(np.zeros((1, 1)), 5).nnz == 0


def test_new_objects_have_neighbors_among_the_old():
    old = np.array([[0.0], [1.0], [10.0], [20.0]])
    near, weights = neighbor_weights(old, np.array([[0.5], [21.0]]), 2)
    np.testing.assert_array_equal(np.sort(near), [[0, 1], [2, 3]])
    np.testing.assert_allclose(weights[0], 0.5)
    assert weights[1, 0] > weights[1, 1]


@given(seeds, st.lists(st.integers(1, 6), min_size=1, max_size=5), st.booleans())
def test_projection_is_the_nearest_of_the_simplex(seed, lengths, steep):
    starts = np.concatenate([[0], np.cumsum(lengths)])
    scale = 1e6 if steep else 1.0
    values = np.random.default_rng(seed).normal(size=starts[-1]) * scale
    found = projected(values, starts)
    for a, b in pairwise(starts):
        row, at = values[a:b], found[a:b]
        assert at.min() >= 0.0
        assert at.sum() == pytest.approx(1.0)
        # At the nearest point, no direction into the simplex comes closer: what is
        # taken from a positive entry must not be worth more elsewhere.
        gain = row - at
        tolerance = 1e-9 * max(1.0, np.abs(row).max())
        assert gain.max() - gain[at > 0].min() <= tolerance


def test_projection_against_a_minimizer():
    values = np.array([0.3, -0.2, 0.9, 0.4])
    best = minimize(
        lambda s: np.sum((s - values) ** 2),
        np.full(4, 0.25),
        bounds=[(0, 1)] * 4,
        constraints={"type": "eq", "fun": lambda s: s.sum() - 1},
        tol=1e-12,
    )
    found = projected(values, np.array([0, 4]))
    np.testing.assert_allclose(found, best.x, atol=1e-5)


def rounds_by_definition(A, k, n_rounds):
    """The published steps, on full matrices with the support of A and the diagonal."""
    n = len(A)
    support = (A > 0) | np.eye(n, dtype=bool)
    S, F, strength = A, None, 1.0
    for _ in range(n_rounds):
        both = (S + S.T) / 2
        values, vectors = np.linalg.eigh(np.diag(both.sum(axis=1)) - both)
        if values[:k].sum() > 1e-10:
            strength, F = strength * 2.0 if F is not None else strength, vectors[:, :k]
        elif values[: k + 1].sum() < 1e-10:
            strength /= 2.0
        else:
            return S
        v = np.sum((F[:, None] - F) ** 2, axis=-1)
        S = np.zeros_like(A)
        for i in range(n):
            here = np.flatnonzero(support[i])
            row = A[i, here] - 0.5 * strength * v[i, here]
            S[i, here] = projected(row, np.array([0, len(here)]))
    return S


def leading(matrix, k):
    return np.linalg.eigh(matrix.toarray())[1][:, -k:]


@pytest.mark.parametrize("seed", range(4))
def test_rounds_against_the_definition(seed):
    X = np.random.default_rng(seed).normal(size=(40, 2))
    X[:20, 0] += 4.0
    A = adaptive_affinity(X, 6)
    states = []
    for state in rank_constrained(A, 2, leading):
        states.append(state)
        S = state.affinity.toarray()
        assert S.min() >= 0.0
        np.testing.assert_allclose(S.sum(axis=1), 1.0)
        assert len(states) < 50
    expected = rounds_by_definition(A.toarray(), 2, 50)
    np.testing.assert_allclose(S, expected, atol=1e-6)
    assert connected_components(S + S.T > 1e-10)[0] == 2


def test_weights_fall_with_the_distance():
    rng = np.random.default_rng(0)
    graphs = [csr_array(np.eye(5) + s * rng.random((5, 5))) for s in (0.1, 1.0, 5.0)]
    weights = agreement_weights(csr_array(np.eye(5)), graphs)
    assert weights.sum() == pytest.approx(1.0)
    assert (np.diff(weights) < 0).all()
    exact = agreement_weights(graphs[0], graphs)
    assert np.isfinite(exact).all()
    mean = weighted_mean(graphs, [0.5, 0.25, 0.25])
    expected = 0.5 * graphs[0] + 0.25 * (graphs[1] + graphs[2])
    np.testing.assert_allclose(mean.toarray(), expected.toarray())


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
