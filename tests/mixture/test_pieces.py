"""Mixtures of objects in partitions."""

import numpy as np
import pytest

import incerta as ic
from incerta.data.partitioned import PartitionedData
from incerta.exceptions import DataError
from incerta.mixture import pieces
from tests.partition.partitioned import blobs, parted


@pytest.mark.parametrize("most", [50_000, 40])
@pytest.mark.parametrize("covariance", ["full", "diag"])
def test_mixtures_of_partitions(monkeypatch, most, covariance):
    # Either all objects come here, or some, and the partitions return sums.
    monkeypatch.setattr(pieces, "MANY_OBJECTS", most)
    data = blobs(n=120, seed=1)
    data = ic.from_gaussian(data.mean(), std=np.sqrt(data.variance()) / 2, ids=data.ids)
    here = ic.ErrorMixture(3, covariance_type=covariance, random_state=0).fit(data)
    order = np.random.default_rng(0).permutation(120)
    for cuts in ([], [50], [0, 7, 90]):
        there = ic.ErrorMixture(3, covariance_type=covariance, random_state=0)
        there.fit(apart := parted(data, cuts, order))
        rows = np.argsort(data.ids)
        np.testing.assert_array_equal(there.ids_, data.ids[rows])
        np.testing.assert_array_equal(there.labels_, here.labels_[rows])
        np.testing.assert_allclose(there.means_, here.means_, rtol=1e-8)
        np.testing.assert_allclose(there.membership_, here.membership_[rows], atol=1e-8)
        np.testing.assert_array_equal(there.predict(apart), there.labels_)
    with pytest.raises(ValueError, match=r"n_components=121 exceeds .*n_samples=120"):
        ic.ErrorMixture(121).fit(parted(data, [9], order))
    with pytest.raises(TypeError, match="use fit for partitioned data"):
        ic.ErrorMixture(2).partial_fit(parted(data, [9], order))
    with pytest.raises(DataError, match="no rows"):
        ic.ErrorMixture(1).fit(PartitionedData((None, None), data.feature_names))
