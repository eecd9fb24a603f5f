"""Estimators on parquet files that are read a piece at a time."""

import numpy as np
import pytest

import incerta as ic
from incerta.data.partitioned import PartitionedData
from incerta.mixture import pieces

pa = pytest.importorskip("pyarrow", reason="needs the extra io")
pq = pytest.importorskip("pyarrow.parquet", reason="needs the extra io")

SAID = {"id": "star", "values": ["a", "b"]}


@pytest.fixture(params=["long", "with errors"])
def folder(tmp_path, request):
    """Objects of three clusters, the first ones with a single value each."""
    rng = np.random.default_rng(0)
    n = 150
    counts = np.where(np.arange(n) < 20, 1, rng.integers(1, 6, size=n))
    if request.param == "with errors":
        counts = np.ones(n, dtype=int)
    ids = np.repeat(np.arange(n), counts)
    values = rng.normal(size=(len(ids), 2)) + 6.0 * np.eye(3, 2)[ids % 3]
    columns = {"star": ids, "a": values[:, 0], "b": values[:, 1]}
    if request.param == "with errors":
        columns |= {"a_error": rng.uniform(0.1, 1.0, n), "b_error": np.full(n, 0.3)}
    for first in range(0, n, 25):
        here = (ids >= first) & (ids < first + 25)
        table = pa.table({key: column[here] for key, column in columns.items()})
        pq.write_table(table, tmp_path / f"{first}.parquet", row_group_size=20)
    more = {"errors": "{}_error"} if request.param == "with errors" else {}
    return tmp_path, {**SAID, **more}


def fits(folder, estimator):
    """The same fit of partitions, and of all objects brought here."""
    path, said = folder
    apart = ic.read_table(path / "*.parquet", lazy=True, **said)
    assert apart.n_partitions > 5
    return estimator().fit(apart), apart.gather(), apart


def test_ukmeans(folder):
    there, together, apart = fits(folder, lambda: ic.UKMeans(3, random_state=0))
    one = PartitionedData((together,), together.feature_names)
    here = ic.UKMeans(3, random_state=0).fit(one)
    np.testing.assert_array_equal(there.labels_, here.labels_)
    np.testing.assert_array_equal(there.cluster_centers_, here.cluster_centers_)
    np.testing.assert_allclose(there.membership_, here.membership_, atol=1e-12)
    np.testing.assert_array_equal(there.predict(apart), there.labels_)
    alone = ic.UKMeans(3, init=here.cluster_centers_).fit(together)
    np.testing.assert_array_equal(there.labels_, alone.labels_)


@pytest.mark.parametrize("most", [50_000, 40])
@pytest.mark.parametrize("covariance", ["full", "diag"])
def test_error_mixture(folder, monkeypatch, most, covariance):
    monkeypatch.setattr(pieces, "MANY_OBJECTS", most)

    def estimator():
        return ic.ErrorMixture(3, covariance_type=covariance, random_state=0)

    there, together, apart = fits(folder, estimator)
    here = estimator().fit(together)
    np.testing.assert_array_equal(there.labels_, here.labels_)
    np.testing.assert_allclose(there.means_, here.means_, rtol=1e-6, atol=1e-9)
    np.testing.assert_allclose(there.membership_, here.membership_, atol=1e-6)
    np.testing.assert_array_equal(there.predict(apart), there.labels_)


def test_view_consensus(folder):
    def estimator():
        return ic.AutoClusterer(3, n_worlds=4, random_state=0)

    there, together, _ = fits(folder, estimator)
    here = estimator().fit(together)
    np.testing.assert_array_equal(there.ids_, together.ids)
    np.testing.assert_array_equal(there.labels_, here.labels_)
    np.testing.assert_allclose(there.membership_, here.membership_, atol=1e-12)
