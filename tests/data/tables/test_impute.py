"""Imputation: the formulas by brute force, and whether the widths are right."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from incerta.data.tables.gaps import Population, conditional, fit_gaussian

MANY = np.array(10**9)  # objects: what is known of S is then exact


def covariance(rng, d):
    root = rng.normal(size=(d, d + 2))
    return root @ root.T


@given(seed=st.integers(0, 2**32 - 1), d=st.integers(1, 5), n=st.integers(1, 6))
def test_conditional_is_the_textbook_formula(seed, d, n):
    rng = np.random.default_rng(seed)
    S, mu = covariance(rng, d), rng.normal(size=d)
    y, noise = rng.normal(size=(n, d)), rng.uniform(0, 2, size=(n, d))
    y[rng.random((n, d)) < 0.4] = np.nan
    population = Population(mu, S, np.full(d, MANY))
    mean, cov = conditional(y, noise, population)
    for i in range(n):
        o, m = np.flatnonzero(~np.isnan(y[i])), np.flatnonzero(np.isnan(y[i]))
        E = np.diag(noise[i, o])
        B = S[np.ix_(m, o)] @ np.linalg.inv(S[np.ix_(o, o)])
        np.testing.assert_array_equal(mean[i, o], y[i, o])
        np.testing.assert_array_equal(cov[i][np.ix_(o, o)], E)
        np.testing.assert_allclose(mean[i, m], mu[m] + B @ (y[i, o] - mu[o]), rtol=1e-6)
        left = S[np.ix_(m, m)] - B @ S[np.ix_(o, m)]
        scale = np.abs(S).max()
        np.testing.assert_allclose(
            cov[i][np.ix_(m, m)], left + B @ E @ B.T, rtol=1e-5, atol=1e-6 * scale
        )
        np.testing.assert_allclose(cov[i][np.ix_(m, o)], B @ E, rtol=1e-6, atol=1e-9)
        assert np.linalg.eigvalsh(cov[i]).min() > -1e-8 * scale


@given(seed=st.integers(0, 2**32 - 1), n=st.integers(9, 30))
def test_complete_exact_data_give_mean_and_covariance(seed, n):
    rng = np.random.default_rng(seed)
    y = rng.normal(size=(n, 3)) * [1.0, 1e6, 1e-6]
    mean, cov, n_known = fit_gaussian(y, np.zeros_like(y))
    scale = y.std(axis=0)
    np.testing.assert_allclose(mean / scale, y.mean(axis=0) / scale, atol=1e-3)
    ours = cov / np.outer(scale, scale)
    theirs = np.cov(y.T) / np.outer(scale, scale)
    np.testing.assert_allclose(ours, theirs, atol=1e-3)
    assert n_known.tolist() == [n] * 3


def test_a_single_feature_has_the_unbiased_variance_of_its_known_values():
    y = np.array([[1.0], [2.0], [6.0], [np.nan], [np.nan]])
    mean, cov, _ = fit_gaussian(y, np.zeros_like(y))
    np.testing.assert_allclose(mean, 3.0, atol=1e-3)
    np.testing.assert_allclose(cov, 7.0, rtol=1e-3)


def one_em_step(y, noise, mu, S):
    """Return the next mean and covariance by a loop over objects."""
    n, d = y.shape
    placed, rest = np.empty((n, d)), np.zeros((d, d))
    for i in range(n):
        o = np.flatnonzero(~np.isnan(y[i]))
        gain = S[:, o] @ np.linalg.inv(S[np.ix_(o, o)] + np.diag(noise[i, o]))
        placed[i] = mu + gain @ (y[i, o] - mu[o])
        rest += S - gain @ S[o]
    mean = placed.mean(axis=0)
    return mean, ((placed - mean).T @ (placed - mean) + rest) / (n - 1)


def test_the_fit_is_a_fixed_point_of_the_em_step():
    rng = np.random.default_rng(1)
    x = rng.multivariate_normal([1.0, -2.0, 5.0], covariance(rng, 3), size=60)
    noise = rng.uniform(0.1, 1.0, size=x.shape)
    y = x + rng.normal(size=x.shape) * np.sqrt(noise)
    y[rng.random(y.shape) < 0.3] = np.nan
    mean, cov, _ = fit_gaussian(y, noise)
    again_mean, again_cov = one_em_step(y, noise, mean, cov)
    np.testing.assert_allclose(again_mean, mean, atol=2e-3)
    np.testing.assert_allclose(again_cov, cov, atol=2e-3 * np.abs(cov).max())


def test_recovers_a_known_gaussian():
    """Thirty percent missing, errors as large as half the spread."""
    rng = np.random.default_rng(2)
    n, d = 4000, 3
    S = np.array([[2.0, 1.2, 0.4], [1.2, 1.0, 0.3], [0.4, 0.3, 0.5]])
    x = rng.multivariate_normal([1.0, -2.0, 5.0], S, size=n)
    noise = rng.uniform(0.05, 0.5, size=(n, d)) * np.diag(S)
    y = x + rng.normal(size=(n, d)) * np.sqrt(noise)
    y[rng.random((n, d)) < 0.3] = np.nan
    population = fit_gaussian(y, noise)
    np.testing.assert_allclose(population.mean, [1.0, -2.0, 5.0], atol=0.1)
    np.testing.assert_allclose(population.cov, S, atol=0.12)
    mean, cov = conditional(y, noise, population)
    gone = np.isnan(y)
    z = ((x - mean) / np.sqrt(np.einsum("nii->ni", cov)))[gone]
    # About 3600 imputed cells: the variance of z is known to about 0.024.
    assert abs(z.mean()) < 0.1
    assert abs(z.var() - 1.0) < 0.1


@pytest.mark.parametrize(("n", "d", "used"), [(12, 2, 1), (20, 5, 4), (8, 6, 0)])
def test_few_objects_do_not_make_imputed_values_too_certain(n, d, used):
    rng = np.random.default_rng(3)
    S = 0.7 + 0.3 * np.eye(d)
    z = []
    for _ in range(200):
        x = rng.multivariate_normal(np.zeros(d), S, size=n)
        y = x.copy()
        y[0, 0] = np.nan
        population = fit_gaussian(y, np.zeros_like(y))
        mean, cov = conditional(y[:1], np.zeros((1, d)), population)
        z.append((x[0, 0] - mean[0, 0]) / np.sqrt(cov[0, 0, 0]))
    # With `used` predictors z follows Student's t; 200 trials tell its variance to
    # about 15%.
    freedom = (n - 1) - 1 - used
    assert 0.7 < np.var(z) / (freedom / (freedom - 2)) < 1.35


@given(seed=st.integers(0, 2**32 - 1))
def test_collinear_and_constant_features(seed):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=30)
    y = np.column_stack([x, 2 * x, np.full(30, 4.0)])
    y[0, 1] = y[1, 0] = y[2, 2] = np.nan
    noise = np.zeros_like(y)
    mean, cov = conditional(y, noise, fit_gaussian(y, noise))
    np.testing.assert_allclose(mean[:3, 1][0], 2 * x[0], atol=0.05)
    np.testing.assert_allclose(mean[1, 0], x[1], atol=0.05)
    np.testing.assert_allclose(mean[2, 2], 4.0, atol=1e-6)
    assert np.isfinite(cov).all()


def test_an_object_without_known_value_is_the_population():
    rng = np.random.default_rng(4)
    y = rng.normal(size=(50, 2))
    y[0] = np.nan
    noise = np.zeros_like(y)
    population = fit_gaussian(y, noise)
    mean, cov = conditional(y[:1], noise[:1], population)
    np.testing.assert_allclose(mean[0], population.mean)
    np.testing.assert_allclose(cov[0], population.cov * (1 + 1 / 49), rtol=1e-6)


def test_equal_values_with_errors_leave_room():
    y = np.array([[5.0], [5.0], [np.nan]])
    noise = np.ones_like(y)
    _, cov = conditional(y[2:], noise[2:], fit_gaussian(y, noise))
    assert cov[0, 0, 0] > 0.1
