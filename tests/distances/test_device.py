"""On other devices expected distances are those of the CPU, but for rounding."""

import numpy as np
import pytest

import incerta as ic
from incerta.distances import expected
from incerta.distances.expected import expected_distance_matrix, expected_distances


def lists_of_values(weighted):
    rng = np.random.default_rng(0)
    objects = np.repeat(np.arange(12), rng.integers(1, 9, size=12))
    values = rng.normal(size=(len(objects), 3))
    weights = rng.uniform(0.1, 1.0, len(objects)) if weighted else None
    return ic.from_samples(values, objects, weights)


DATA = {
    "values": lists_of_values(weighted=False),
    "weighted": lists_of_values(weighted=True),
    "joint": ic.from_worlds(np.random.default_rng(0).normal(size=(4, 12, 3))),
    "gaussian": ic.from_gaussian(np.random.default_rng(0).normal(size=(12, 3)), 0.3),
}


@pytest.mark.parametrize("metric", ["sqeuclidean", "euclidean"])
@pytest.mark.parametrize("kind", DATA)
def test_expected_distances(kind, metric, where, monkeypatch):
    monkeypatch.setattr(expected, "DEVICE_TILE", 7)  # cuts objects
    law = DATA[kind].law
    here = expected_distance_matrix(law, metric, 0)
    there = expected_distance_matrix(law, metric, 0, device=where)
    np.testing.assert_allclose(there, here, rtol=1e-9, atol=1e-12)
    few = law.take(np.arange(5))
    here = expected_distances(law, few, metric, 0)
    there = expected_distances(law, few, metric, 0, device=where)
    np.testing.assert_allclose(there, here, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("metric", ["sqeuclidean", "euclidean"])
def test_uk_medoids(metric, where):
    data, _ = ic.datasets.make_uncertain_blobs(40, 2, 3, random_state=0)
    data = ic.from_array(np.stack(list(data.worlds(4, 0)), axis=1))
    one = ic.UKMedoids(3, metric=metric, random_state=0).fit(data)
    other = ic.UKMedoids(3, metric=metric, random_state=0, device=where).fit(data)
    np.testing.assert_array_equal(other.labels_, one.labels_)
    np.testing.assert_array_equal(other.medoid_indices_, one.medoid_indices_)
    np.testing.assert_allclose(other.membership_, one.membership_)
    np.testing.assert_array_equal(other.predict(data), one.predict(data))
