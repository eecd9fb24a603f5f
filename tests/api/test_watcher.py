"""`Watcher`: what Python has of ``incerta watch``; the rest is tested there."""

import numpy as np
import pytest

import incerta as ic


def test_clusters_by_columns():
    rng = np.random.default_rng(0)
    watcher = ic.Watcher(k=1, half_life=50.0)
    assert watcher.look() == []
    for center in (0.0, 60.0):
        watcher.take(np.array([center, 0.0]) + rng.normal(size=(400, 2)))
        watcher.look()
    columns = watcher.columns()
    assert columns["state"].tolist() == ["there", "gone"]
    assert columns["cluster"].tolist() == [1, 0]
    assert columns["since_row"].tolist() == [800, 400]
    assert columns["until_row"].tolist() == [800, 800]
    assert columns["x0_center"] == pytest.approx([60.0, 0.0], abs=0.5)
    assert watcher.counts == {"new": 2, "gone": 1}


def test_a_number_that_is_none():
    with pytest.raises(ValueError, match="k='three' must be a whole number or 'auto'"):
        ic.Watcher(k="three")
