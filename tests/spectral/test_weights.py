"""An object of weight w is w objects at the same place."""

import numpy as np
import pytest

from incerta.spectral import Laplacians, consistency
from incerta.spectral.affinity import median_distance
from incerta.spectral.embedding import cut
from incerta.spectral.extension import Embedded, extend
from incerta.worlds import as_worlds

N, M, K = 14, 3, 2


@pytest.fixture(params=[0, 1, 2])
def objects(request):
    """Worlds, weights, and which object each of the many is."""
    rng = np.random.default_rng(request.param)
    values = rng.normal(size=(M, N, 2)) + 3.0 * (np.arange(N) % 2)[:, None]
    weights = rng.integers(1, 5, N)
    return values, weights.astype(float), np.repeat(np.arange(N), weights)


def test_the_common_embedding(objects):
    values, weights, many = objects
    some = Laplacians(as_worlds(values), 1.5, weights=weights)
    found = consistency(some, K, tol=1e-12)
    rows = (found.common / np.sqrt(weights)[:, None])[many]
    all_of_them = consistency(Laplacians(as_worlds(values[:, many]), 1.5), K, tol=1e-12)
    expected = all_of_them.common
    # The same space: embeddings may be rotated.
    np.testing.assert_allclose(rows @ rows.T, expected @ expected.T, atol=1e-6)
    np.testing.assert_allclose(found.objective[-1], all_of_them.objective[-1])


@pytest.mark.parametrize("n_neighbors", [None, 5])
def test_weights_of_one(objects, n_neighbors):
    values, _, _ = objects
    how = "median", 1.0, n_neighbors
    for weights in (np.ones(N), np.full(N, 3.0)):
        one = Laplacians(as_worlds(values), *how)
        two = Laplacians(as_worlds(values), *how, weights=weights)
        for j in range(M):
            dense = (np.asarray(each[j] @ np.eye(N)) for each in (one, two))
            np.testing.assert_allclose(*dense, rtol=1e-12)
    assert Laplacians(as_worlds(values), weights=weights)[1:].weights is weights


@pytest.mark.parametrize("width", [1.5, "self-tuning"])
@pytest.mark.parametrize("n_neighbors", [None, N])
def test_extension(objects, width, n_neighbors):
    values, weights, many = objects
    rng = np.random.default_rng(9)
    target, roots = rng.normal(size=(N, K)), rng.random(N)
    scales, new = np.full(N, 1.5), rng.normal(size=(20, 2))
    known = {"values": values[0], "scales": scales, "roots": roots, "targets": target}
    if width == "self-tuning":  # neighbors of the many are others; their scale is not
        again = Embedded(**known, weights=np.ones(N))
        plain = extend(new, Embedded(**known), width, n_neighbors)
        np.testing.assert_allclose(extend(new, again, width, n_neighbors), plain)
        return
    found = extend(new, Embedded(**known, weights=weights), width, n_neighbors)
    root = np.sqrt(weights)
    parts = known | {"roots": roots / root, "targets": target / root[:, None]}
    world = Embedded(**{name: each[many] for name, each in parts.items()})
    expected = extend(new, world, width, n_neighbors and len(many))
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-5)


def test_median_distance(objects):
    values, weights, many = objects
    x = values[0]
    apart = np.linalg.norm(x[many][:, None] - x[many], axis=2)
    others = (many[:, None] < many)[np.triu_indices(len(many), 1)]
    expected = np.sqrt(np.median(apart[np.triu_indices(len(many), 1)][others] ** 2))
    assert median_distance(x, weights) == pytest.approx(expected)
    assert median_distance(x, np.ones(N)) == median_distance(x)
    assert median_distance(np.zeros((4, 1)), np.arange(1.0, 5.0)) == 1.0
    assert (
        median_distance(np.array([[0.0], [0.0], [2.0]]), np.array([9.0, 9.0, 1.0]))
        == 2.0
    )


def test_cut(objects):
    values, weights, many = objects
    labels, centers = cut(values[0], K, 10, 0, weights)
    expected, others = cut(values[0][many], K, 10, 0)
    np.testing.assert_array_equal(labels[many], expected)
    np.testing.assert_allclose(centers, others)
