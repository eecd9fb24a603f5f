"""Kernel widths against their formulas and scipy's."""

import numpy as np
import pytest
from scipy.stats import gaussian_kde

from incerta.divergence.bandwidth import FLOOR, bandwidths, spread_of


@pytest.mark.parametrize(("n", "d"), [(30, 1), (50, 3), (200, 7)])
def test_rules(n, d):
    worlds = np.random.default_rng(0).normal(size=(2, n, d)) * np.arange(1, d + 1)
    spread = spread_of(worlds)
    sigma = worlds.std(axis=1, ddof=1)
    np.testing.assert_allclose(spread.each, sigma)
    silverman = bandwidths("silverman", spread, n)
    np.testing.assert_allclose(silverman, 1.06 * sigma * n**-0.2)
    # scipy's covariance is that of the values, times the square of Scott's factor.
    scott = [np.sqrt(np.diag(gaussian_kde(world.T).covariance)) for world in worlds]
    np.testing.assert_allclose(bandwidths("scott", spread, n), scott)


def test_a_feature_that_is_flat_in_one_world():
    worlds = np.random.default_rng(0).normal(size=(2, 40, 2))
    worlds[0, :, 1] = 0.0
    spread = spread_of(worlds)
    floor = FLOOR * spread.pooled[1]
    assert spread.each[0, 1] == 0.0
    assert bandwidths("scott", spread, 40)[0, 1] == floor * 40 ** (-1 / 6)


def test_a_feature_that_is_constant_but_for_rounding():
    worlds = np.full((3, 7, 2), 0.1) * 3.0
    worlds[:, ::2, 0] = 0.3
    worlds[:, ::2, 1] = 0.4
    assert np.ptp(worlds[..., 0]) > 0.0
    pooled = spread_of(worlds).pooled
    assert pooled[0] == 0.0
    assert pooled[1] > 0.0
