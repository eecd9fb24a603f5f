"""On other devices objects fall into the same clusters."""

import numpy as np
import pytest

import incerta as ic
from incerta import settings


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
