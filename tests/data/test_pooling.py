"""Variances of few values, moderated by those of all objects."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize_scalar
from scipy.special import polygamma
from scipy.stats import f as f_law

from incerta.data.pooling import (
    _factors,
    _freedom,
    _spreads,
    moderated,
    pool,
)


@given(st.floats(1e-8, 1e6))
def test_inverse_of_the_trigamma_function(value):
    found = _freedom(np.array([value])) / 2
    assert polygamma(1, found) == pytest.approx(value, rel=1e-6)


def off(found, true):
    """Root mean square of the logarithm of what is found by what is true."""
    return np.sqrt(np.mean(np.log(found / true) ** 2))


def test_pooling_finds_what_variances_have_in_common():
    rng = np.random.default_rng(0)
    n, usual, freedom = 100_000, 0.8, 5.0
    true = freedom * usual / rng.chisquare(freedom, size=(n, 1))
    seen = true * rng.chisquare(2, size=(n, 1)) / 2
    two = np.full((n, 1), 2.0)
    pooled = pool(seen, two)
    assert pooled.variances == pytest.approx(usual, rel=0.03)
    assert pooled.freedom == pytest.approx(freedom, rel=0.1)
    assert (pooled.factors == 1.0).all()  # one feature does not tell them apart
    assert off(moderated(seen, two, pooled), true) < off(seen, true) / np.sqrt(3)


def test_equal_variances_are_pooled_wholly():
    rng = np.random.default_rng(1)
    seen = 2.0 * rng.chisquare(3, size=(2000, 1)) / 3
    pooled = pool(seen, np.full((2000, 1), 3.0))
    assert pooled.freedom > 100
    assert pooled.variances == pytest.approx(2.0, rel=0.05)


def test_equal_variances_of_two_features():
    # What is alike by chance is shared out between object and feature.
    rng = np.random.default_rng(1)
    seen, three = 2.0 * rng.chisquare(3, size=(2000, 2)) / 3, np.full((2000, 2), 3.0)
    found = moderated(seen, three, pool(seen, three))
    np.testing.assert_allclose(found.mean(axis=0), 2.0, rtol=0.1)
    assert off(found, 2.0) < 0.15


def seen_variances(rng, of_objects, of_features, shape, freedom):
    """True variances with log-normal factors, and what few values say about them."""
    factors = of_objects * rng.normal(size=(shape[0], 1))
    true = np.exp(2 * (factors + of_features * rng.normal(size=shape)))
    return true, true * rng.chisquare(freedom, size=shape) / freedom


@pytest.mark.parametrize(
    ("of_objects", "of_features", "gain"),
    [(0.5, 0.0, 2.0), (1.0, 0.0, 2.4), (0.5, 0.5, 1.05)],
)
def test_features_of_a_badly_measured_object_say_so_together(
    of_objects, of_features, gain
):
    rng = np.random.default_rng(2)
    freedom = rng.integers(1, 6, size=(400, 8)).astype(float)
    true, seen = seen_variances(rng, of_objects, of_features, (400, 8), freedom)
    together = moderated(seen, freedom, pool(seen, freedom))
    alone = np.hstack(
        [
            moderated(s, f, pool(s, f))
            for s, f in zip(np.hsplit(seen, 8), np.hsplit(freedom, 8), strict=True)
        ]
    )
    assert off(together, true) < off(alone, true) / gain


def test_features_that_have_nothing_to_do_with_each_other():
    rng = np.random.default_rng(3)
    freedom = np.full((2000, 4), 3.0)
    _, seen = seen_variances(rng, 0.0, 0.7, (2000, 4), freedom)
    pooled = pool(seen, freedom)
    np.testing.assert_allclose(pooled.factors, 1.0, atol=0.25)


def test_correlated_values_are_no_bad_object():
    rng = np.random.default_rng(4)
    correlation = np.array([[1.0, 0.9], [0.9, 1.0]])
    values = rng.multivariate_normal([0, 0], correlation, size=(3000, 4))
    seen, freedom = values.var(axis=1, ddof=1), np.full((3000, 2), 3.0)
    unknown, known = pool(seen, freedom), pool(seen, freedom, correlation)
    assert unknown.factors.std() > 0.3
    assert known.factors.std() < 0.15


@given(st.integers(0, 1000))
def test_factors_are_the_most_probable_ones(seed):
    rng = np.random.default_rng(seed)
    freedom = rng.integers(0, 5, size=(1, 4)).astype(float)
    ratios = rng.lognormal(0.0, 1.0, size=(1, 4)) * (freedom > 0)
    of_features, of_object = rng.uniform(3, 30, size=4), rng.uniform(1, 20)
    of_features[0] = np.inf
    found = _factors(ratios, freedom, of_features, of_object)[0]

    def against(log_factor):
        factor = np.exp(log_factor)
        value = 0.5 * of_object * (1.0 / factor + log_factor)  # 1/f: chi-square
        for u, d, d0 in zip(ratios[0], freedom[0], of_features, strict=True):
            if d > 0:
                limit = min(d0, 1e7)
                value -= f_law.logpdf(u / factor, d, limit) - log_factor
        return value

    best = minimize_scalar(against, bounds=(-5, 5), method="bounded")
    assert against(np.log(found)) <= best.fun + 1e-4


def test_all_values_alike():
    pooled = pool(np.zeros((5, 2)), np.ones((5, 2)))
    assert (pooled.variances == 0.0).all()
    assert (moderated(np.zeros((5, 2)), np.ones((5, 2)), pooled) == 0.0).all()
    some = np.stack([np.zeros(50), np.random.default_rng(0).chisquare(1, 50)], axis=1)
    found = moderated(some, np.ones((50, 2)), pool(some, np.ones((50, 2))))
    assert (found[:, 0] == 0.0).all()
    assert (found[:, 1] > 0.0).all()


def test_what_an_object_has_to_do_with_it_where_values_are_correlated():
    """Sample variances of correlated values have the square of their correlation."""
    rng = np.random.default_rng(5)
    n, rho, of_objects = 6000, 0.7, 0.3
    correlation = np.array([[1.0, rho], [rho, 1.0]])
    values = rng.multivariate_normal([0, 0], correlation, size=(n, 5))
    logs = np.log(values.var(axis=1, ddof=1)) + of_objects * rng.normal(size=(n, 1))
    by_chance = polygamma(1, np.full((n, 2), 2.0))
    gaps = logs - logs.mean(axis=0)
    _, common = _spreads(gaps, 1.0 / by_chance, by_chance, correlation)
    assert common == pytest.approx(of_objects**2, abs=0.04)
