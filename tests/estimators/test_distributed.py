"""Estimators of objects in partitions."""

import numpy as np
import pytest

import incerta as ic
from incerta.data.partitioned import from_dask
from incerta.exceptions import DataError
from tests.partition.partitioned import blobs, parted

pd = pytest.importorskip("pandas", reason="dask's frames are of pandas")
dask = pytest.importorskip("dask", reason="needs the extra dask")
dd = pytest.importorskip("dask.dataframe", reason="needs the extra dask")


@pytest.fixture(autouse=True)
def synchronous():
    with dask.config.set(scheduler="synchronous"):
        yield


@pytest.mark.parametrize(
    ("n", "meaning"), [(80, "error"), (80, "belief"), (80, "spread"), (1100, "error")]
)
def test_views_of_partitions(n, meaning):
    data = blobs(n=n, seed=1)
    if meaning != "spread":
        std = np.sqrt(data.variance())
        data = ic.from_gaussian(data.mean(), std=std, ids=data.ids)
    data = data.with_meaning(meaning)
    here = ic.AutoClusterer(3, n_worlds=3, random_state=0).fit(data)
    order = np.random.default_rng(0).permutation(n)
    there = ic.AutoClusterer(3, n_worlds=3, random_state=0)
    there.fit(apart := parted(data, [0, 7, 60], order))
    rows = np.argsort(data.ids)
    np.testing.assert_array_equal(there.ids_, data.ids[rows])
    np.testing.assert_array_equal(there.labels_, here.labels_[rows])
    for one, other in (
        (there.membership_, here.membership_),
        (there.predict_proba(apart), here.predict_proba(data)),
    ):
        np.testing.assert_allclose(one, other[rows], rtol=1e-9, atol=1e-12)
    with pytest.raises(ValueError, match=rf"n_clusters={n + 1} exceeds .*={n}"):
        ic.AutoClusterer(n + 1).fit(apart)


@pytest.mark.parametrize("missing", ["error", "infinite"])
def test_tables_with_errors_from_dask(missing):
    data = blobs(n=90, seed=2)
    values, std = data.mean(), np.sqrt(data.variance())
    if missing == "infinite":
        values[::7, 1] = np.nan
    rows = pd.DataFrame(
        {"id": data.ids, "x0": values[:, 0], "x1": values[:, 1]}
        | {"x0_error": std[:, 0], "x1_error": std[:, 1]}
    )
    told = {"id": "id", "values": ["x0", "x1"], "errors": "{}_error"}
    here = ic.from_frame(rows, **told, missing=missing)
    ddf = dd.from_pandas(rows, npartitions=4)
    there = ic.ErrorMixture(2, random_state=0).fit(
        from_dask(ddf, **told, missing=missing)
    )
    expected = ic.ErrorMixture(2, random_state=0).fit(here)
    order = np.argsort(here.ids)
    np.testing.assert_array_equal(there.labels_, expected.labels_[order])
    with pytest.raises(DataError, match="missing='impute'"):
        from_dask(ddf, **told, missing="impute")
    with pytest.raises(DataError, match="missing='infinite'"):
        from_dask(ddf, id="id", values=["x0"], missing="infinite")
