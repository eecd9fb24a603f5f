"""On other devices all is as on the CPU, by the functions of the standard alone."""

import numpy as np

import incerta as ic
from incerta.backend.device import fetch
from incerta.datasets import make_uncertain_blobs
from incerta.estimators import _rpc
from incerta.spectral import Laplacians, consistency, laplacians
from incerta.spectral.affinity import (
    dense_affinity,
    nearest_of,
    normalized_laplacian,
)
from incerta.spectral.extension import Embedded, extend


def test_affinity_and_laplacian(where):
    rng = np.random.default_rng(0)
    values, scales = rng.normal(size=(30, 3)), rng.uniform(0.5, 2.0, 30)
    far = np.square(values[:, None] - values).sum(axis=2)
    expected = np.exp(-0.5 * far / np.outer(scales, scales))
    for at in ("cpu", where):
        found = dense_affinity(laplacians.put(values, at), laplacians.put(scales, at))
        np.testing.assert_allclose(fetch(found), expected, rtol=1e-10)
        assert (np.diag(fetch(found)) == 1.0).all()
    data = ic.from_gaussian(values, std=0.0)
    own = Laplacians(data.worlds(1, 0), width=1.0, device=where)[0]
    expected = normalized_laplacian(np.exp(-0.5 * far))
    np.testing.assert_allclose(fetch(own), expected, rtol=1e-10)
    assert not isinstance(own, np.ndarray)


def test_the_common_embedding_is_the_same(where):
    data, _ = make_uncertain_blobs(60, 3, 3, random_state=0)
    worlds = data.worlds(4, 0)
    here = consistency(Laplacians(worlds), 3)
    there = consistency(Laplacians(worlds, device=where), 3)
    one, other = (found.common @ found.common.T for found in (here, there))
    np.testing.assert_allclose(other, one, atol=1e-6)


def test_extension_is_nystroem(where):
    rng = np.random.default_rng(0)
    values, new = rng.normal(size=(40, 3)) + 50.0, rng.normal(size=(200, 3)) + 50.0
    new[0] = 1e6  # far from everything
    roots, targets = rng.uniform(0.1, 1.0, 40), rng.normal(size=(40, 2))
    world = Embedded(
        values=values, scales=np.full(40, 0.8), roots=roots, targets=targets
    )
    logs = -0.5 * np.square((new[:, None] - values) / 0.8).sum(axis=2)
    affinity = np.exp(logs - logs.max(axis=1, keepdims=True))
    expected = affinity @ (roots[:, None] * targets)
    expected /= np.sqrt(affinity.sum(axis=1))[:, None]
    for at in ("cpu", where):
        np.testing.assert_allclose(
            extend(new, world, 0.8, None, at)[1:], expected[1:], atol=1e-5
        )
        assert np.isfinite(extend(new, world, 0.8, None, at)).all()


def test_rpc(where, monkeypatch):
    monkeypatch.setattr(_rpc, "DENSE_OBJECTS", 80)
    monkeypatch.setattr(_rpc, "N_LANDMARKS", 50)
    for n in (60, 150):
        data, _ = make_uncertain_blobs(n, 3, 3, random_state=0)
        how = {"n_worlds": 12, "n_representatives": 3, "random_state": 0}
        # Densities are compared by a kernel with tests of its own.
        one = ic.RPC(3, selection="random", **how).fit(data)
        other = ic.RPC(3, selection="random", device=where, **how).fit(data)
        np.testing.assert_array_equal(other.labels_, one.labels_)
        np.testing.assert_allclose(other.membership_, one.membership_, atol=0.1)
        np.testing.assert_array_equal(other.predict(data), one.predict(data))


def test_nearest_values(where):
    rng = np.random.default_rng(0)
    # More than are compared at a time.
    values, new = rng.normal(size=(1000, 3)) + 50.0, rng.normal(size=(40_000, 3)) + 50.0
    expected = nearest_of(new, values, 2)
    np.testing.assert_array_equal(nearest_of(new, values, 2, where), expected)


def test_values_that_are_equally_near(where):
    values = np.repeat([[0.0], [1.0], [4.0]], 3, axis=0)
    found = nearest_of(np.array([[0.4], [1.6], [9.0]]), values, 4, where)
    assert found.tolist() == [[0, 1, 2, 3], [3, 4, 5, 0], [6, 7, 8, 3]]
