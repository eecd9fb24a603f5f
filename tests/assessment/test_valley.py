"""The laws with one mode and with several, and what they say of cuts and gaps."""

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.stats import norm

from incerta.assessment.valley import (
    SMOOTHING,
    WIDTH,
    Counts,
    Gaussians,
    best_gaussians,
    best_weights,
    counted,
    densities,
    one_mode,
    valley,
)


@pytest.fixture
def rng():
    return np.random.default_rng(0)


def two_modes(rng, n=400, apart=4.0):
    values = rng.normal(size=n) + apart * (np.arange(n) % 2)
    errors = 0.3 * np.exp(0.5 * rng.normal(size=n))
    return values + errors * rng.normal(size=n), errors


def test_counts_keep_sums(rng):
    values, errors = two_modes(rng)
    counts = counted(values, errors)
    assert counts.numbers.sum() == len(values)
    np.testing.assert_allclose(counts.places @ counts.numbers, values.sum())
    width = np.ptp(values) / 64
    blur = np.square(counts.errors) - width**2 / 12 - SMOOTHING**2
    np.testing.assert_allclose(blur @ counts.numbers, np.square(errors).sum())


def test_counts_of_equal_values():
    counts = counted(np.full(9, 2.0), np.zeros(9))
    np.testing.assert_array_equal(counts.places, [2.0])
    np.testing.assert_array_equal(counts.numbers, [9.0])


def test_uniforms_and_the_point_are_densities_with_errors_added(rng):
    counts = counted(*two_modes(rng, 60))
    table = densities(counts, np.array([1.0]))[0]
    low = counts.places.min() - counts.errors.max()
    high = counts.places.max() + counts.errors.max()
    parts = (np.arange(1, 25) / 24) ** 2
    ends = [1.0 + (end - 1.0) * part for end in (low, high) for part in parts]
    for j, end in enumerate(ends):
        a, b = sorted((1.0, end))
        for i, (place, error) in enumerate(zip(*counts[:2], strict=True)):
            mass = norm.cdf(place, a, error) - norm.cdf(place, b, error)
            np.testing.assert_allclose(table[i, j], mass / (b - a), atol=1e-12)
    point = norm.pdf(counts.places, 1.0, counts.errors)
    np.testing.assert_allclose(table[:, -1], point)


def test_no_weights_explain_more_than_the_best(rng):
    counts = counted(*two_modes(rng, 200))
    table = densities(counts, np.array([0.5]))[0]
    start = np.full(table.shape[1], 1.0 / table.shape[1])
    reached, weights = best_weights(table, counts.numbers, start)
    np.testing.assert_allclose(weights.sum(), 1.0)
    assert weights.min() >= 0.0
    long = start
    for _ in range(20_000):
        share = table * long / (table @ long)[:, None]
        long = counts.numbers @ share / counts.numbers.sum()
    slow = counts.numbers @ np.log(table @ long)
    assert reached == pytest.approx(slow, abs=0.06)
    assert reached == pytest.approx(counts.numbers @ np.log(table @ weights))


def test_the_best_mode_of_all_is_taken(rng):
    counts = counted(*two_modes(rng, 200, apart=2.5))
    reached, n_parts = one_mode(counts)
    low, high = counts.places.min(), counts.places.max()
    each = []
    for table in densities(counts, np.linspace(low, high, 80)[1:-1]):
        start = np.full(table.shape[1], 1.0 / table.shape[1])
        each.append(best_weights(table, counts.numbers, start))
    best = int(np.argmax([value for value, _ in each]))
    assert reached == pytest.approx(each[best][0], abs=0.4)
    assert abs(n_parts - (each[best][1] > 1e-4).sum()) <= 3


def test_gaussians_are_the_likeliest(rng):
    counts = counted(*two_modes(rng, 300))
    reached, law = best_gaussians(counts, 2)
    noise = counts.errors[:, None]

    def loss(place):
        share = 1.0 / (1.0 + np.exp(-place[0]))
        wide = np.sqrt(np.maximum(np.exp(place[3:]), WIDTH**2) + noise**2)
        each = norm.pdf(counts.places[:, None], place[1:3], wide)
        return -counts.numbers @ np.log(each @ [share, 1.0 - share])

    best = minimize(loss, [0.0, 0.0, 4.0, 0.0, 0.0])
    assert reached == pytest.approx(-best.fun, abs=0.1)
    np.testing.assert_allclose(np.sort(law.means), np.sort(best.x[1:3]), atol=0.1)
    assert law.weights.sum() == pytest.approx(1.0)


def test_gaussians_are_never_narrower_than_rounded_values():
    counts = counted(np.repeat([0.0, 3.0], 50), np.zeros(100))
    law = best_gaussians(counts, 2)[1]
    np.testing.assert_allclose(law.variances, WIDTH**2, rtol=1e-6)
    np.testing.assert_allclose(np.sort(law.means), [0.0, 3.0], atol=0.01)


def test_density_is_that_of_the_mixture():
    law = Gaussians(np.array([0.3, 0.7]), np.array([0.0, 2.0]), np.array([1.0, 4.0]))
    at = np.array([-1.0, 0.5])
    expected = 0.3 * norm.pdf(at) + 0.7 * norm.pdf(at, 2.0, 2.0)
    np.testing.assert_allclose(law.density(at), expected)


def test_depth_is_the_gain_over_one_mode(rng):
    seen = valley(*two_modes(rng))
    fits = [best_gaussians(seen.counts, k)[0] - (3 * k - 1) / 2 for k in (2, 3, 4)]
    reached, n_parts = one_mode(seen.counts)
    expected = 2.0 * (max(fits) - reached) + n_parts
    assert seen.depth == pytest.approx(expected)
    assert len(seen.law.means) == np.argmax(fits) + 2


@pytest.mark.parametrize("errors", [0.0, 0.5])
@pytest.mark.parametrize("law", ["normal", "uniform", "exponential", "standard_t"])
def test_one_mode_has_no_valley(law, errors):
    deep = []
    for seed in range(10):
        rng = np.random.default_rng(seed)
        values = getattr(rng, law)(*((4,) if law == "standard_t" else ()), size=400)
        values = values / values.std() * 1.5
        noise = np.full(400, errors)
        deep.append(valley(values + noise * rng.normal(size=400), noise).depth)
    assert np.sort(deep)[-2] < 3.0


def test_a_gap_has_one_and_errors_make_it_shallower(rng):
    values = rng.normal(size=800) + 4.0 * (np.arange(800) % 2)
    unit = rng.normal(size=800)
    depths = [
        valley(values + e * unit, np.full(800, e)).depth for e in (0.0, 0.4, 0.8, 6.0)
    ]
    assert depths[0] > depths[1] > depths[2] > 3.0 > depths[3]


def test_time_does_not_depend_on_the_number_of_values(rng):
    counts = counted(*two_modes(rng, 100_000))
    assert isinstance(counts, Counts)
    assert len(counts.places) <= 64 * 3
