"""`Watcher`: what Python has of ``incerta watch``; the rest is tested there."""

import numpy as np
import pytest

import incerta as ic


def test_clusters_by_columns():
    rng = np.random.default_rng(0)
    watcher = ic.Watcher(k=2, half_life=100.0)
    assert watcher.look() == []
    for centre in (0.0, 1e4):
        values = np.tile([[centre, 0.0], [centre + 9.0, 5.0]], (200, 1))
        watcher.take(values + rng.normal(size=(400, 2)))
        watcher.look()
    columns = watcher.columns()
    assert columns["state"].tolist() == ["there", "there", "gone", "gone"]
    assert columns["cluster"].tolist() == [2, 3, 0, 1]
    assert columns["until_row"].tolist() == [800] * 4
    assert columns["since_row"].tolist() == [800, 800, 400, 400]
    centres = sorted(columns["x0_centre"][:2]), sorted(columns["x0_centre"][2:])
    assert centres[0] == pytest.approx([1e4, 1e4 + 9.0], abs=0.5)
    assert centres[1] == pytest.approx([0.0, 9.0], abs=0.5)
    assert watcher.counts == {"new": 4, "gone": 2}


def test_a_number_that_is_none():
    with pytest.raises(ValueError, match="k='three' must be a whole number or 'auto'"):
        ic.Watcher(k="three")
