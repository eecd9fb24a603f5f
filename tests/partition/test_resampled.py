"""Centers of worlds whose objects count differently."""

import numpy as np
import pytest
from sklearn.cluster import KMeans

import incerta as ic
from incerta.backend.keyed import keys_of
from incerta.partition import shares
from incerta.partition.shares import centers_in_worlds
from tests.estimators.test_auto import agreeing, displaced, four_blobs


def test_clusters_keep_their_numbers():
    rng = np.random.default_rng(0)
    centers = np.array([[0.0, 0.0], [9.0, 0.0], [0.0, 9.0]])
    values = np.repeat(centers, 30, axis=0) + rng.normal(size=(90, 2))
    worlds = [values + 0.3 * rng.normal(size=values.shape) for _ in range(6)]
    found = centers_in_worlds(worlds, keys_of(np.arange(90)), centers, seed=0)
    assert found.shape == (6, 3, 2)
    np.testing.assert_allclose(found, np.broadcast_to(centers, found.shape), atol=1.0)
    # Objects are weighted: centers differ even where the values are the same.
    same = centers_in_worlds([values] * 2, keys_of(np.arange(90)), centers, seed=0)
    assert np.abs(same[0] - same[1]).max() > 0.01


def test_confidence_is_how_often_exact_data_agree():
    """With seven centers for four blobs, which ones there are is open."""
    says, kept, agrees = [], [], []
    for seed in range(4):
        X, _ = four_blobs(seed, n=200)
        data = displaced(X, 0.3, 0.5, seed)
        belief = ic.Deconvolver(random_state=0).fit_transform(data)
        found = ic.UKMeans(7, random_state=0).fit(belief)
        exact = KMeans(7, n_init=10, random_state=0).fit_predict(X)
        agrees.append(agreeing(found.labels_, exact, 7).mean())
        says.append(found.confidence_.mean())
        found._model.centers = found.cluster_centers_[None]
        kept.append(found.predict_proba(belief).max(axis=1).mean())
    # Centers that are taken for certain are too sure.
    off = abs(np.mean(says) - np.mean(agrees))
    assert off < 0.08 < abs(np.mean(kept) - np.mean(agrees))


def test_clusters_are_named_by_their_objects(monkeypatch):
    centers = np.array([[0.0], [9.0], [20.0]])
    values = np.repeat(centers, 5, axis=0)
    turned = centers[[2, 0, 1]] + 0.1
    monkeypatch.setattr(shares, "_clustered", lambda *_: turned)
    found = centers_in_worlds([values], keys_of(np.arange(15)), centers, seed=0)
    np.testing.assert_array_equal(found, [centers + 0.1])


def test_objects_have_exponential_weights_in_every_world():
    # Mean values with such weights vary as those of new objects would.
    n, worlds = 50, 2000
    values = np.random.default_rng(0).normal(size=(n, 1))
    keys, centers = keys_of(np.arange(n)), np.array([[0.0]])
    found = centers_in_worlds([values] * worlds, keys, centers, seed=0).ravel()
    expected = np.sqrt(values.var() / (n + 1))
    assert found.std() == pytest.approx(expected, rel=0.06)
    assert abs(found.mean() - values.mean()) < 4.0 * expected / np.sqrt(worlds)
    assert abs(np.corrcoef(found[1:], found[:-1])[0, 1]) < 4.0 / np.sqrt(worlds)
