"""One affinity for all worlds: its parts against their formulas."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from incerta.ensemble.consensus_affinity import (
    adaptive_affinity,
    agreement_weights,
    neighbor_weights,
    projected,
    rank_constrained,
    weighted_mean,
)

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
