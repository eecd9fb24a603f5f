import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import energy_distance
from sklearn.metrics import adjusted_rand_score

from incerta.divergence import between_clusterings, energy
from incerta.divergence.clusterings import ari_matrix


@given(st.integers(0, 2**32 - 1), st.integers(2, 5), st.integers(1, 12))
def test_energy_against_the_definition(seed, m, n):
    worlds = np.random.default_rng(seed).normal(size=(m, n, 2)) * [1.0, 30.0]
    z = worlds / worlds.reshape(-1, 2).std(axis=0)

    def mean(a, b):
        return np.mean([[np.linalg.norm(x - y) for y in b] for x in a])

    for p in range(m):
        for q in range(m):
            expected = 2 * mean(z[p], z[q]) - mean(z[p], z[p]) - mean(z[q], z[q])
            assert energy(worlds)[p, q] == pytest.approx(expected, abs=1e-9)


def test_energy_agrees_with_scipy_in_one_dimension():
    worlds = np.random.default_rng(0).normal(size=(2, 40, 1))
    z = worlds / worlds.std()
    # scipy returns the root, and half of the three terms under it.
    expected = energy_distance(z[0, :, 0], z[1, :, 0]) ** 2
    assert energy(worlds)[0, 1] == pytest.approx(expected)


@given(
    st.integers(0, 2**32 - 1),
    st.integers(1, 6),
    st.integers(1, 15),
    st.integers(1, 5),
)
def test_all_rand_indices_against_scikit_learn(seed, m, n, k):
    labels = np.random.default_rng(seed).integers(-1, k, size=(m, n))
    found = ari_matrix(labels)
    for p in range(m):
        for q in range(m):
            expected = adjusted_rand_score(labels[p], labels[q])
            assert found[p, q] == pytest.approx(expected, abs=1e-12)


def test_clusterings_see_swapped_objects():
    world = np.array([[0.0], [0.1], [5.0], [5.1]])
    worlds = np.stack([world, world + 0.01, world[[0, 2, 1, 3]]])
    D = between_clusterings(worlds, 2)
    assert D[0, 1] == 0.0
    assert D[0, 2] > 1.0


def test_too_many_clusters_are_refused():
    with pytest.raises(ValueError, match="n_clusters=5 must be between 1 and the 4"):
        between_clusterings(np.zeros((2, 4, 1)), 5)


def test_constant_worlds():
    np.testing.assert_array_equal(energy(np.ones((3, 4, 2))), 0.0)
