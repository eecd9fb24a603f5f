"""On other devices objects fall into the same clusters."""

import numpy as np
import pytest

import incerta as ic
from incerta import settings
from incerta.spectral import affinity
from incerta.spectral.affinity import nearest_of


def test_nearest_values(where, monkeypatch):
    monkeypatch.setattr(affinity, "DEVICE_BYTES", 2000)  # in several blocks
    rng = np.random.default_rng(0)
    values, new = rng.normal(size=(40, 3)) + 50.0, rng.normal(size=(30, 3)) + 50.0
    expected = nearest_of(new, values, 5)
    np.testing.assert_array_equal(nearest_of(new, values, 5, where), expected)


def test_values_that_are_equally_near(where):
    values = np.repeat([[0.0], [1.0], [4.0]], 3, axis=0)
    found = nearest_of(np.array([[0.4], [1.6], [9.0]]), values, 4, where)
    assert found.tolist() == [[0, 1, 2, 3], [3, 4, 5, 0], [6, 7, 8, 3]]


@pytest.mark.parametrize("meaning", ["error", "spread"])
def test_view_consensus(meaning, where, monkeypatch):
    monkeypatch.setattr(settings, "MOST_OBJECTS", 60)
    data, _ = ic.datasets.make_uncertain_blobs(90, 2, 3, random_state=0)
    if meaning == "spread":
        data = ic.from_array(np.stack(list(data.worlds(4, 0)), axis=1))
    data = data.with_meaning(meaning)
    how = {"n_worlds": 2, "random_state": 0}
    one = ic.AutoClusterer(3, **how).fit(data)
    other = ic.AutoClusterer(3, device=where, **how).fit(data)
    np.testing.assert_array_equal(other.labels_, one.labels_)
    np.testing.assert_allclose(other.membership_, one.membership_)
    np.testing.assert_array_equal(other.predict(data), one.predict(data))
