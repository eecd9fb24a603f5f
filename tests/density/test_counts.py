from itertools import product
from math import prod

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from scipy.sparse import csr_array

from incerta.density.counts import at_least, at_least_without
from tests.extras import ENGINES, needs

needs_numba = needs("numba", "fast")
every_engine = pytest.mark.parametrize("engine", ENGINES)

chances = st.one_of(
    st.floats(0.0, 1.0), st.sampled_from([0.0, 1.0, 1e-30, 1e-9, 0.5, 1 - 1e-12])
)
some_rows = st.lists(st.lists(chances, max_size=8), min_size=1, max_size=5)


def brute_force(row, m):
    """P(at least m events), by going through what may happen, case by case."""
    cases = product([0, 1], repeat=len(row))
    return sum(
        prod(p if happens else 1 - p for p, happens in zip(row, case))
        for case in cases
        if sum(case) >= m
    )


def as_table(rows):
    """Rows of any length as they are: zeros are stored, too."""
    lengths = [len(row) for row in rows]
    columns = [np.arange(n) for n in lengths]
    data = np.concatenate([np.asarray(row, dtype=float) for row in rows])
    starts = np.concatenate([[0], np.cumsum(lengths)])
    shape = len(rows), max([1, *lengths])
    return csr_array((data, np.concatenate(columns), starts), shape=shape)


def dense(n_rows, n, low, high, seed=0):
    return csr_array(np.random.default_rng(seed).uniform(low, high, size=(n_rows, n)))


@every_engine
@given(rows=some_rows, m=st.integers(-1, 9))
def test_at_least_is_brute_force(engine, rows, m):
    found = at_least(as_table(rows), m, engine=engine)
    expected = [brute_force(row, m) for row in rows]
    np.testing.assert_allclose(found, expected, rtol=1e-13, atol=1e-300)
    assert ((found >= 0.0) & (found <= 1.0)).all()


@every_engine
@given(rows=some_rows, m=st.integers(-1, 9), data=st.data())
def test_at_least_without_is_brute_force(engine, rows, m, data):
    table = as_table(rows)
    expected = [
        brute_force(row[:k] + row[k + 1 :], m) for row in rows for k in range(len(row))
    ]
    found = at_least_without(table, m, engine=engine)
    np.testing.assert_allclose(found, expected, rtol=1e-13, atol=1e-300)
    flags = st.lists(st.booleans(), min_size=table.nnz, max_size=table.nnz)
    wanted = np.array(data.draw(flags), dtype=bool)
    some = at_least_without(table, m, wanted, engine=engine)
    np.testing.assert_allclose(some, found[wanted], rtol=1e-13, atol=1e-300)


@every_engine
def test_known_values(engine):
    table = csr_array([[0.1, 0.5, 0.9]])
    found = [at_least(table, m, engine=engine)[0] for m in range(5)]
    np.testing.assert_allclose(found, [1.0, 0.955, 0.5, 0.045, 0.0], rtol=1e-14)


@every_engine
@given(
    n=st.integers(1, 300),
    m=st.integers(1, 60),
    high=st.sampled_from([0.01, 0.3, 1.0]),
    seed=st.integers(0, 999),
)
def test_an_event_happens_or_not(engine, n, m, high, seed):
    table = dense(3, n, 0.0, high, seed)
    whole = np.repeat(at_least(table, m, engine=engine), n)
    fewer = at_least_without(table, m - 1, engine=engine)
    as_many = at_least_without(table, m, engine=engine)
    expected = table.data * fewer + (1 - table.data) * as_many
    np.testing.assert_allclose(whole, expected, rtol=1e-12, atol=0.0)


@every_engine
@pytest.mark.parametrize("p", [1e-9, 1e-4, 0.01, 0.02, 0.5, 0.999])
def test_thousands_of_equal_events_are_binomial(engine, p):
    n, m = 5000, 50
    table = csr_array(np.full((2, n), p))
    expected = stats.binom.sf(m - 1, n, p)
    np.testing.assert_allclose(at_least(table, m, engine=engine), expected, rtol=1e-9)
    wanted = np.zeros(2 * n, dtype=bool)
    wanted[[0, 700, n - 1, n, 2 * n - 3]] = True
    expected = stats.binom.sf(m - 1, n - 1, p)
    for flags, size in ((wanted, 5), (None, 2 * n)):
        found = at_least_without(table, m, flags, engine=engine)
        assert found.shape == (size,)
        np.testing.assert_allclose(found, expected, rtol=1e-9)


@every_engine
def test_tiny_probabilities_keep_their_digits(engine):
    table = csr_array(np.full((1, 20), 1e-40))
    expected = stats.binom.pmf(5, 20, 1e-40)  # 1e-196; more than 5 are 1e-40 of it
    found = at_least(table, 5, engine=engine)
    np.testing.assert_allclose(found, expected, rtol=1e-9)
    others = at_least_without(table, 5, engine=engine)
    np.testing.assert_allclose(others, stats.binom.pmf(5, 19, 1e-40), rtol=1e-9)


@every_engine
def test_nearly_certain_events_keep_their_digits(engine):
    miss = 2.0**-40
    table = csr_array(np.full((1, 6), 1 - miss))
    np.testing.assert_allclose(
        1 - at_least_without(table, 5, engine=engine), 5 * miss, rtol=1e-3
    )
    # Zero of one, and 1 - p is exact.
    one = csr_array([[1 - miss, 1.0]])
    np.testing.assert_allclose(1 - at_least(one, 2, engine=engine), miss, rtol=1e-15)


@every_engine
@pytest.mark.parametrize("m", [1, 2, 40, 200])
def test_without_uncertainty_all_is_exact(engine, m):
    happens = (
        np.random.default_rng(0).random((30, 150)) < np.linspace(0, 1, 30)[:, None]
    )
    table = csr_array(happens.astype(float))
    happened = happens.sum(axis=1)
    found = at_least(table, m, engine=engine)
    np.testing.assert_array_equal(found, (happened >= m).astype(float))
    others = at_least_without(table, m, engine=engine)
    expected = np.repeat(happened - 1 >= m, happened).astype(float)
    np.testing.assert_array_equal(others, expected)


@every_engine
def test_certain_events_are_shifts(engine):
    rest = np.random.default_rng(1).random(40)
    table = csr_array([np.insert(rest, [0, 17, 40], 1.0)])
    alone = csr_array([rest])
    np.testing.assert_allclose(
        at_least(table, 25, engine=engine), at_least(alone, 22, engine=engine)
    )
    found = at_least_without(table, 25, table.data == 1.0, engine=engine)
    np.testing.assert_allclose(found, at_least(alone, 23, engine=engine)[0])


@every_engine
def test_empty_rows_and_too_few_entries(engine):
    table = as_table([[], [0.9, 0.9], [], [1.0, 1.0, 1.0], []])
    np.testing.assert_array_equal(at_least(table, 3, engine=engine), [0, 0, 0, 1, 0])
    np.testing.assert_array_equal(at_least(table, 0, engine=engine), np.ones(5))
    np.testing.assert_array_equal(at_least(table, 99, engine=engine), np.zeros(5))
    # No state of that size is made.
    assert not at_least(table, 10**12, engine=engine).any()
    assert not at_least_without(table, 10**12, engine=engine).any()
    found = at_least_without(table, 2, engine=engine)
    np.testing.assert_array_equal(found, [0, 0, 1, 1, 1])
    np.testing.assert_array_equal(at_least_without(table, 0, engine=engine), np.ones(5))
    none = np.zeros(5, dtype=bool)
    assert at_least_without(table, 1, none, engine=engine).shape == (0,)
    for nothing in (as_table([[]]), csr_array((0, 4))):
        assert not at_least(nothing, 2, engine=engine).any()
        assert at_least(nothing, 2, engine=engine).shape == nothing.shape[:1]
        assert at_least_without(nothing, 2, engine=engine).shape == (0,)


@every_engine
def test_zeros_change_nothing(engine):
    row = np.random.default_rng(2).random(30)
    gaps = np.insert(row, range(0, 30, 2), 0.0)
    short, long = as_table([row]), as_table([gaps])
    assert long.nnz == 45
    np.testing.assert_allclose(
        at_least(long, 12, engine=engine), at_least(short, 12, engine=engine)
    )
    np.testing.assert_allclose(
        at_least_without(long, 12, long.data > 0, engine=engine),
        at_least_without(short, 12, engine=engine),
    )


@every_engine
def test_more_events_asked_for_are_less_likely(engine):
    table = dense(4, 700, 0.0, 0.2)
    found = np.array([at_least(table, m, engine=engine) for m in range(0, 140, 7)])
    assert (np.diff(found, axis=0) <= 1e-14).all()


@every_engine
def test_long_rows_with_the_few_wanted_ones_anywhere(engine):
    table = dense(3, 2500, 0.0, 0.05, seed=4)
    wanted = np.random.default_rng(5).random(table.nnz) < 0.004
    found = at_least_without(table, 60, wanted, engine=engine)
    for answer, entry in zip(found, np.flatnonzero(wanted)):
        row = entry // 2500
        rest = np.delete(table.data[row * 2500 : (row + 1) * 2500], entry % 2500)
        expected = at_least(csr_array([rest]), 60, engine=engine)[0]
        assert answer == pytest.approx(expected, rel=1e-12)


@needs_numba
@pytest.mark.parametrize("high", [0.02, 0.2, 1.0])
@pytest.mark.parametrize("m", [1, 20, 150])
def test_engines_agree(high, m):
    rng = np.random.default_rng(m)
    rows = [rng.uniform(0, high, n) for n in rng.integers(0, 400, size=60)]
    table = as_table(rows)
    wanted = table.data >= 0.5 * high
    for flags in (None, wanted):
        here = at_least_without(table, m, flags, engine="numpy")
        there = at_least_without(table, m, flags, engine="numba")
        np.testing.assert_allclose(here, there, rtol=1e-12, atol=0.0)
    np.testing.assert_allclose(
        at_least(table, m, engine="numpy"),
        at_least(table, m, engine="numba"),
        rtol=1e-12,
        atol=0.0,
    )


@every_engine
def test_blocks_and_storage_do_not_matter(engine):
    rng = np.random.default_rng(7)
    rows = [rng.random(n) for n in rng.integers(0, 90, size=50)]
    table = as_table(rows)
    once = at_least(table, 8, engine=engine), at_least_without(table, 8, engine=engine)
    table = as_table(rows * 60)
    # A memory map cannot be written to, and large tables count with 64 bits.
    table.data.flags.writeable = False
    table.indptr = table.indptr.astype(np.int64)
    again = at_least(table, 8, engine=engine), at_least_without(table, 8, engine=engine)
    for a, b in zip(once, again):
        np.testing.assert_allclose(np.tile(a, 60), b, rtol=1e-13)


@needs_numba
def test_numba_is_chosen_where_it_is_installed():
    table = dense(20, 100, 0.0, 0.5)
    np.testing.assert_array_equal(
        at_least(table, 20), at_least(table, 20, engine="numba")
    )
