import numpy as np
import pytest

import incerta as ic
from incerta.data.partitioned import PartitionedData, from_dask, summary
from incerta.exceptions import DataError, MissingValueError
from tests.strategies import make

pd = pytest.importorskip("pandas", reason="dask's frames are of pandas")
dask = pytest.importorskip("dask", reason="needs the extra dask")
dd = pytest.importorskip("dask.dataframe", reason="needs the extra dask")


@pytest.fixture(autouse=True)
def synchronous():
    with dask.config.set(scheduler="synchronous"):
        yield


def table(n=12, seed=0):
    """Rows of `n` objects with one to four values, in no order."""
    rng = np.random.default_rng(seed)
    ids = np.repeat([f"s{i}" for i in range(n)], rng.integers(1, 5, size=n))
    columns = {
        "star": ids,
        "a": rng.normal(size=len(ids)),
        "b": rng.normal(size=len(ids)),
    }
    columns["w"] = rng.uniform(0.1, 2.0, size=len(ids))
    return pd.DataFrame(columns).sample(frac=1.0, random_state=seed, ignore_index=True)


# from_dask --------------------------------------------------------------------------


@pytest.mark.parametrize("weight", [None, "w"])
@pytest.mark.parametrize("npartitions", [1, 2, 5, 30])
def test_the_same_objects_for_any_partitioning(weight, npartitions):
    rows = table()
    ddf = dd.from_pandas(rows, npartitions=npartitions, sort=False)
    data = from_dask(ddf, id="star", values=["b", "a"], weight=weight)
    together = data.gather()
    expected = ic.from_frame(rows, id="star", values=["b", "a"], weight=weight)
    expected = expected[np.argsort(expected.ids)]
    np.testing.assert_array_equal(together.ids, expected.ids)
    np.testing.assert_allclose(together.mean(), expected.mean(), rtol=1e-13)
    np.testing.assert_allclose(together.variance(), expected.variance(), atol=1e-14)
    assert together.feature_names == data.feature_names == ("b", "a")
    # Summaries do not know of the order of the rows, to the last bit.
    again = dd.from_pandas(rows.sample(frac=1.0, random_state=3), npartitions=1)
    other = from_dask(again, id="star", values=["b", "a"], weight=weight)
    for found in zip(collected(data), collected(other)):
        np.testing.assert_array_equal(*found)


def collected(data):
    parts = data.summaries().fold(lambda part: [part], list.__add__)
    parts = [part for part in parts if len(part.ids)]
    columns = [np.concatenate(column) for column in zip(*parts)]
    order = np.argsort(columns[0])
    return [column[order] for column in columns]


@pytest.mark.parametrize("kind", ["gaussian", "interval", "samples", "weighted"])
def test_summary_is_mean_and_variance(kind):
    data = make(kind, n=7, d=3)
    part = summary(data, 3)
    np.testing.assert_allclose(part.means, data.mean(), rtol=1e-13)
    np.testing.assert_allclose(part.variances, data.variance().sum(axis=1), rtol=1e-12)
    assert summary(None, 3).means.shape == (0, 3)


def test_an_object_in_two_partitions_is_named():
    rows = pd.DataFrame({"star": ["a", "b", "b", "c"], "a": [1.0, 2.0, 3.0, 4.0]})
    ddf = dd.from_pandas(rows, npartitions=2)
    data = from_dask(ddf, id="star", values="a", shuffle=False)
    for use in (data.gather, lambda: ic.UKMeans(2).fit(data)):
        with pytest.raises(DataError, match=r"object b has rows .* shuffle=True"):
            use()
    whole = dd.from_pandas(rows.iloc[[0, 1, 3]], npartitions=3)
    assert len(from_dask(whole, id="star", values="a", shuffle=False).gather()) == 3


@pytest.mark.parametrize(
    ("roles", "message"),
    [
        ({"id": "sta", "values": "a"}, "id: .*'star'"),
        ({"id": "star", "values": ["c"]}, "values: "),
        ({"id": "star", "values": ["a"], "weight": "v"}, "weight: "),
        ({"id": "star", "values": ["star"]}, "one or the other"),
    ],
)
def test_unknown_columns(roles, message):
    with pytest.raises(DataError, match=message):
        from_dask(dd.from_pandas(table(), npartitions=2), **roles)


def test_bad_rows():
    def gather(rows, **roles):
        ddf = dd.from_pandas(rows, npartitions=2, sort=False)
        return from_dask(ddf, id="star", values="a", **roles).gather()

    with pytest.raises(MissingValueError):
        gather(table().assign(a=np.nan))
    with pytest.raises(DataError, match="weight='w' of object s"):
        gather(table().assign(w=0.0), weight="w")
    with pytest.raises(DataError, match="weight='w' of object s"):
        gather(table().assign(w=-1.0), weight="w")
    with pytest.raises(DataError, match="no rows"):
        gather(table().iloc[:0])
    with pytest.raises(DataError, match="from_frame"):
        from_dask(table(), id="star", values="a")
    one, two = (ic.from_gaussian([[0.0]], std=1.0, ids=[i]) for i in (1, "a"))
    with pytest.raises(DataError, match="numbers in some"):
        PartitionedData((one, two), ("x0",)).gather()


def test_other_estimators_say_what_to_do():
    data = from_dask(dd.from_pandas(table(), npartitions=2), id="star", values="a")
    with pytest.raises(TypeError, match="gather"):
        ic.published.CKMeans(2).fit(data)
    assert "n_partitions=2" in repr(data)
