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


def rand_indices(labels, noise):
    """All pairs by scikit-learn; objects that are alone get numbers of their own."""
    if noise == "singletons":
        alone = np.arange(labels.shape[1]) + labels.max() + 1
        labels = np.where(labels < 0, alone, labels)
    return [[adjusted_rand_score(a, b) for b in labels] for a in labels]


# Few clusters go through products of matrices, more are counted, and still more than
# there are objects are sorted.
@pytest.mark.parametrize("noise", ["cluster", "singletons"])
@given(
    st.integers(0, 2**32 - 1),
    st.integers(1, 4),
    st.integers(1, 30),
    st.sampled_from([1, 2, 5, 14, 40]),
)
def test_all_rand_indices_against_scikit_learn(noise, seed, m, n, k):
    labels = np.random.default_rng(seed).integers(-1, k, size=(m, n))
    found = ari_matrix(labels, noise=noise)
    np.testing.assert_allclose(found, rand_indices(labels, noise), atol=1e-12)


@pytest.mark.parametrize("noise", ["cluster", "singletons"])
def test_rand_indices_in_several_blocks(noise):
    labels = np.random.default_rng(0).integers(-1, 70, size=(31, 400))
    found = ari_matrix(labels, noise=noise)
    np.testing.assert_allclose(found, rand_indices(labels, noise), atol=1e-12)


def test_rand_indices_of_trivial_clusterings():
    noise, alone, one = np.full(4, -1), np.arange(4), np.zeros(4, dtype=int)
    labels = np.stack([noise, alone, one, one + 10**9, [0, 0, 1, 1]])
    found = ari_matrix(labels, noise="singletons")
    np.testing.assert_array_equal(found[:2, :2], 1.0)
    np.testing.assert_array_equal(found[2:4, 2:4], 1.0)
    np.testing.assert_array_equal(found[:2, 2:], 0.0)
    assert ari_matrix(labels)[0, 2] == 1.0  # noise is a cluster like any other


def test_clusterings_see_swapped_objects():
    world = np.array([[0.0], [0.1], [5.0], [5.1]])
    worlds = np.stack([world, world + 0.01, world[[0, 2, 1, 3]]])
    D = between_clusterings(worlds, 2)
    assert D[0, 1] == 0.0
    assert D[0, 2] > 1.0


def test_too_many_clusters_are_refused():
    with pytest.raises(ValueError, match="n_clusters=5 must be between 1 and the"):
        between_clusterings(np.zeros((2, 4, 1)), 5)


def test_constant_worlds():
    np.testing.assert_array_equal(energy(np.ones((3, 4, 2))), 0.0)
