"""Decisions in single precision are those of double precision."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from incerta.data.laws import Values
from incerta.density.single import counts, factors, near
from incerta.density.value_pairs import pairs_of_values
from tests.extras import ENGINES

engines = pytest.mark.parametrize("engine", ENGINES)


def in_double(x, y, eps):
    total = np.zeros((len(x), len(y)))
    for k in range(x.shape[1]):
        total += (x[:, k, None] - y[:, k]) ** 2
    return total <= eps * eps


@st.composite
def values(draw):
    """Two sets of values: on a grid, where distances tie with eps, or not; far away."""
    d = draw(st.integers(1, 9))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    shape = draw(st.integers(1, 300)), draw(st.integers(1, 600))
    x, y = (rng.normal(size=(n, d)) for n in shape)
    if draw(st.booleans()):
        x, y = np.round(3 * x), np.round(3 * y)
    far = draw(st.sampled_from([0.0, 1.0, 1e3, 1e9]))
    scale = draw(st.sampled_from([1e-100, 1e-3, 1.0, 1e30]))
    return (x + far) * scale, (y + far) * scale, scale


EPS = st.sampled_from([0.0, 1e-6, 0.5, 1.0, np.sqrt(2), 3.0, 1e6, np.inf])


@given(sets=values(), eps=EPS)
def test_near_is_what_double_precision_says(sets, eps):
    x, y, scale = sets
    eps = eps * scale
    center = x.mean(axis=0)
    found = near(x, y, eps, factors(x, center, eps), factors(y, center, eps))
    np.testing.assert_array_equal(found, in_double(x, y, eps))


@engines
@pytest.mark.parametrize("far", [0.0, 1e4])
def test_objects_of_more_values_than_a_block(engine, far):
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(9, 3)) + far, rng.normal(size=(1400, 3)) + far
    a, b = Values(x, np.array([0, 4, 9])), Values(y, np.array([0, 20, 1200, 1400]))
    i, j = (g.ravel() for g in np.indices((2, 3)))
    close = in_double(x, y, 1.5)
    expected = [
        close[a.starts[p] : a.starts[p + 1], b.starts[q] : b.starts[q + 1]].mean()
        for p, q in zip(i, j)
    ]
    found = pairs_of_values(a, b, 1.5, engine=engine)(i, j)
    np.testing.assert_allclose(found, expected, rtol=1e-14)


@engines
@given(sets=values(), eps=EPS)
def test_counts_of_objects_are_what_double_precision_says(engine, sets, eps):
    x, y, scale = sets
    a, b = (Values(v, np.unique([0, len(v) // 3, len(v) // 2, len(v)])) for v in (x, y))
    i, j = (g.ravel() for g in np.indices((a.n_objects, b.n_objects)))
    shares = pairs_of_values(a, b, eps * scale, engine=engine)(i, j)
    close = in_double(x, y, eps * scale)
    sums = np.add.reduceat(np.add.reduceat(close, a.starts[:-1]), b.starts[:-1], axis=1)
    expected = sums.ravel() / (a.counts[i] * b.counts[j])
    np.testing.assert_array_equal(shares, expected)


@engines
def test_partners_in_any_order(engine):
    rng = np.random.default_rng(0)
    law = Values(rng.normal(size=(90, 3)) * 5, np.arange(0, 91, 9))
    i = np.repeat(np.arange(10), 10)
    in_order = np.tile(np.arange(10), 10)
    shuffled = np.concatenate([rng.permutation(10) for _ in range(10)])
    shares = pairs_of_values(law, law, 6.0, engine=engine)
    table = shares(i, in_order).reshape(10, 10)
    np.testing.assert_array_equal(shares(i, shuffled), table[i, shuffled])


@pytest.mark.parametrize("n", [254, 255, 256, 257, 515])
def test_counts_are_not_limited_to_a_byte(n):
    close = np.ones((n, 3), dtype=bool)
    close[:, 1] = False
    assert counts(close).tolist() == [n, 0, n]
