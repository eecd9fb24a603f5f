"""Folds over partitions, and sums that depend on no order."""

from functools import partial
from math import fsum
from threading import current_thread, main_thread

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from incerta.backend.fold import (
    Parts,
    Recipe,
    exact_sums,
    exponents,
    mapped,
    rounded,
    sums_of_runs,
)
from incerta.backend.memory import physical_bytes


@pytest.fixture
def dask():
    found = pytest.importorskip("dask", reason="needs the extra dask")
    with found.config.set(scheduler="synchronous"):
        yield found


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


@given(st.lists(st.lists(numbers, min_size=1, max_size=9), min_size=1, max_size=9))
def test_runs_are_summed_one_by_one(runs):
    starts = np.cumsum([0, *map(len, runs)])
    found = sums_of_runs(np.concatenate(runs), starts)
    for run, own in zip(runs, found, strict=True):
        # Numbers below 2**-980 count as 0, and so does what is 2**-78 of the largest.
        lost = 2.0**-75 * max(map(abs, run)) + 2.0**-970
        assert own == pytest.approx(fsum(run), rel=4e-16, abs=lost)


# folds ------------------------------------------------------------------------------


def total(part, factor=1):
    return [factor * x for x in part]


@pytest.mark.parametrize("n_parts", [1, 2, 8, 9, 70])
def test_folds_agree(dask, n_parts):
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


def test_what_is_held_and_what_is_made_again():
    made = []

    def make(number, size):
        made.append(number)
        return (np.broadcast_to(number, size),)  # as large as it says, of one number

    def made_for(*sizes, **said):
        made.clear()
        recipes = [Recipe(partial(make, *each)) for each in enumerate(sizes)]
        parts = Parts(recipes, **said)
        for _ in range(2):
            numbers = parts.fold(lambda part: [part[0].flat[0]], list.__add__)
            assert numbers == list(range(len(sizes)))
        return made

    share = physical_bytes() // 4 // 8
    assert made_for(3, 3) == [0, 1, 0, 1]
    assert made_for(3, 3, 3, hold=True) == [0, 1, 2]
    assert made_for(share // 2, share // 3, 9, hold=True) == [0, 1, 2]
    assert made_for(3, share, share, 3, hold=True) == [0, 1, 2, 3, 2, 3]


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
def test_lost_work_is_done_again(dask, hold):
    import distributed

    made = []
    parts = Parts([dask.delayed(made.append)(1)], hold=hold)
    before = len(made)
    parts.fold(Flaky(2), list.__add__)
    assert len(made) > before  # from the recipe
    assert Parts([[1], [2]], hold=hold).fold(Flaky(3), list.__add__) == [1, 2]
    with pytest.raises(distributed.KilledWorker):
        Parts([[1], [2]], hold=hold).fold(Flaky(4), list.__add__)
    with pytest.raises(ZeroDivisionError):
        Parts([dask.delayed(1)]).fold(lambda part: part / 0, list.__add__)


@pytest.mark.filterwarnings("ignore::ResourceWarning")
def test_workers_are_those_of_a_client(dask):
    distributed = pytest.importorskip("distributed", reason="needs the extra dask")
    recipes = [Recipe(partial(list, [i])) for i in range(3)]

    def here(part):
        return [current_thread() is main_thread()]

    assert Parts(recipes).fold(here, list.__add__) == [True] * 3
    with distributed.Client(processes=False, dashboard_address=":0"):
        assert Parts(recipes).fold(here, list.__add__) == [False] * 3
