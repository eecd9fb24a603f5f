from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import incerta as ic
from incerta.backend import fold
from incerta.backend.fold import (
    Parts,
    Recipe,
    exact_sums,
    exponents,
    mapped,
    rounded,
    sums_of_runs,
)
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


# exact sums -------------------------------------------------------------------------

numbers = st.floats(-1e150, 1e150)


@given(st.lists(numbers, min_size=1, max_size=20), st.randoms(), st.integers(0, 20))
def test_exact_sums_take_any_order_and_split(numbers, random, cut):
    def merged(column):
        x = np.array(column)[:, None]
        groups = np.zeros(len(x), dtype=np.intp)
        exponent = exponents(np.abs(x).max(axis=0))
        cells = [
            exact_sums(p, g, 1, exponent)
            for p, g in ((x[:cut], groups[:cut]), (x[cut:], groups[cut:]))
        ]
        return cells[0] + cells[1], exponent

    mixed = random.sample(numbers, len(numbers))
    (one, exponent), (two, _) = merged(numbers), merged(mixed)
    assert one[0, 0] == two[0, 0]
    size = np.abs(numbers).max() + 1e-280
    np.testing.assert_allclose(
        rounded(one[0], exponent), np.sum(numbers), rtol=1e-12, atol=1e-12 * size
    )
    starts = np.array([0, len(numbers)])
    here, there = (sums_of_runs(np.array(c), starts) for c in (numbers, mixed))
    assert here == there
    np.testing.assert_allclose(here, np.sum(numbers), rtol=1e-12, atol=1e-12 * size)


@pytest.mark.parametrize("scale", [1e-320, 1e-200, 1.0, 1e300])
def test_exact_sums_of_any_size(scale):
    x = np.array([[1.0], [2.0], [4.0]]) * scale
    exponent = exponents(x.max(axis=0))
    found = rounded(exact_sums(x, np.array([0, 1, 0]), 2, exponent), exponent)
    if scale > 1e-300:
        np.testing.assert_array_equal(found, [[5.0 * scale], [2.0 * scale]])
    assert np.isfinite(found).all()


def test_large_numbers_do_not_swallow_small_ones():
    x = np.array([[1e18], [1.0], [-1e18], [1e-30]])
    exponent = exponents(np.abs(x).max(axis=0))
    sums = exact_sums(x, np.zeros(4, dtype=np.intp), 1, exponent)
    assert rounded(sums, exponent)[0, 0] == 1.0  # float sums would say 0 or 1


def test_long_runs_do_not_overflow():
    x = np.full(2**20, 1.0 - 2.0**-53)
    assert sums_of_runs(x, np.array([0, len(x)]))[0] == x[0] * 2**20


# folds ------------------------------------------------------------------------------


def total(part, factor=1):
    return [factor * x for x in part]


@pytest.mark.parametrize("n_parts", [1, 2, 8, 9, 70])
def test_folds_agree(n_parts):
    parts = [[i] for i in range(n_parts)]
    lazy = [dask.delayed(p) for p in parts]
    recipes = [Recipe(partial(list, p)) for p in parts]
    for hold in (False, True):
        for given_ in ((), (3,)):
            expected = Parts(parts, hold=hold).fold(total, list.__add__, *given_)
            for later in (lazy, recipes, mapped(recipes, total)):
                found = Parts(later, hold=hold).fold(total, list.__add__, *given_)
                assert found == expected
    assert len(Parts(lazy)) == n_parts
    assert mapped(parts, total, 2)[0] == [0]


@pytest.mark.parametrize(("share", "n_made"), [(4, 3), (2**60, 6)])
def test_what_is_held_and_what_is_made_again(monkeypatch, share, n_made):
    monkeypatch.setattr(fold, "_HELD_SHARE", share)
    made = []

    def make(number):
        made.append(number)
        return (np.full(10, number),)

    parts = Parts([Recipe(partial(make, j)) for j in range(3)], hold=True)
    for _ in range(2):
        found = parts.fold(lambda part: [int(part[0].sum())], list.__add__)
        assert found == [0, 10, 20]
    assert len(made) == n_made


class Flaky:
    """Says a few times that a worker is gone."""

    def __init__(self, times):
        self.left = times

    def __call__(self, part):
        if self.left:
            from distributed import KilledWorker

            self.left -= 1
            raise KilledWorker("task", None, 1)
        return part


@pytest.mark.parametrize("hold", [False, True])
def test_lost_work_is_done_again(hold):
    import distributed

    made = []
    parts = Parts([dask.delayed(made.append)(1)], hold=hold)
    before = len(made)
    parts.fold(Flaky(2), list.__add__)
    assert len(made) > before  # from the recipe
    with pytest.raises(distributed.KilledWorker):
        Parts([1, 2]).fold(Flaky(100), list.__add__)
    with pytest.raises(ZeroDivisionError):
        Parts([dask.delayed(1)]).fold(lambda part: part / 0, list.__add__)


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
