"""Values below limits, against sums over a fine grid."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.optimize import minimize
from scipy.stats import norm

from incerta.data.tables.censored import below_limits


def by_integrals(known, limits):
    """Maximize the likelihood without slopes, then integrate the density."""

    def loss(parameters):
        mean, std = parameters[0], np.exp(parameters[1])
        told = norm.logpdf(known, mean, std).sum()
        return -told - norm.logcdf(limits, mean, std).sum()

    start = [known.mean(), np.log(known.std())]
    options = {"xatol": 1e-9, "fatol": 1e-11, "maxiter": 4000}
    best = minimize(loss, start, method="Nelder-Mead", options=options)
    mean, std = best.x[0], np.exp(best.x[1])
    found = []
    for limit in limits:
        low = min(mean, limit) - 12 * std
        m0, m1, m2 = (
            quad(lambda x, p=p: x**p * norm.pdf(x, mean, std), low, limit)[0]
            for p in range(3)
        )
        found.append((m1 / m0, np.sqrt(m2 / m0 - (m1 / m0) ** 2)))
    return np.array(found).T


@pytest.mark.parametrize("seed", range(4))
def test_against_integrals(seed):
    rng = np.random.default_rng(seed)
    values = rng.normal(1.0, 0.6, 40)
    limits = rng.choice([0.4, 0.8, 1.2], 40)
    hidden = values < limits
    assert 5 < hidden.sum() < 35
    ours = below_limits(values[~hidden], limits[hidden])
    theirs = by_integrals(values[~hidden], limits[hidden])
    np.testing.assert_allclose(ours, theirs, atol=2e-5)


@given(
    seed=st.integers(0, 2**32 - 1),
    n=st.integers(2, 20),
    n_limits=st.integers(1, 20),
    scale=st.sampled_from([1e-6, 1.0, 1e6]),
    shift=st.floats(-1e3, 1e3),
)
def test_units_do_not_matter_and_values_are_below(seed, n, n_limits, scale, shift):
    rng = np.random.default_rng(seed)
    known, limits = rng.normal(size=n), rng.normal(size=n_limits)
    mean, std = below_limits(known, limits)
    assert (mean < limits).all()
    assert (std > 0).all()
    moved, wider = below_limits(scale * (known + shift), scale * (limits + shift))
    size = scale * (1 + np.abs(mean).max())
    np.testing.assert_allclose(moved, scale * (mean + shift), atol=1e-3 * size)
    np.testing.assert_allclose(wider, scale * std, rtol=1e-3, atol=1e-3 * size)
