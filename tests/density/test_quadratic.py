import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import integrate, stats

from incerta.density.quadratic import correlated_within, gaussian_within

seeds = st.integers(0, 2**32 - 1)


def imhof(gap, variance, eps):
    """``P(|D| <= eps)`` by the integral of Imhof (1961), for one pair."""
    scale = 0.5 * (eps**2 + (gap**2).sum() + variance.sum())
    lam, h, x = variance / scale, gap**2 / variance, eps**2 / scale

    def phase(w):
        return 0.5 * (np.arctan(lam * w) + h * lam * w / (1 + (lam * w) ** 2)).sum()

    def decay(w):
        square = (lam * w) ** 2
        log = np.log1p(square).sum() / 4 + (h * square / (1 + square)).sum() / 2
        return np.exp(-log) / w

    def integrand(w):
        return np.sin(phase(w) - x * w / 2) * decay(w)

    middle = 30.0
    options = {"limit": 400, "epsabs": 1e-11}
    with warnings.catch_warnings():  # of rounding, when the error is near zero
        warnings.simplefilter("ignore", integrate.IntegrationWarning)
        total, error = integrate.quad(integrand, 0, middle, epsrel=1e-11, **options)
        # The rest oscillates like x w / 2.
        for weight, sign, f in (("cos", 1, np.sin), ("sin", -1, np.cos)):
            part, part_error = integrate.quad(
                lambda w, f=f: f(phase(w)) * decay(w),
                middle,
                np.inf,
                weight=weight,
                wvar=x / 2,
                limlst=200,
                **options,
            )
            total, error = total + sign * part, error + part_error
    assert error < 1e-7
    return 0.5 - total / np.pi


def by_conditioning(gap, variance, eps):
    """``P(|D| <= eps)`` of two features: the one given the other, averaged."""
    narrow, wide = np.argsort(variance)
    sd = np.sqrt(variance)
    # The narrow one is eps sin(angle), which leaves eps cos(angle) to the other.
    reach = np.clip((gap[narrow] + np.array([-9, 9]) * sd[narrow]) / eps, -1, 1)
    edges = np.linspace(*np.arcsin(reach), 301)
    node, weight = np.polynomial.legendre.leggauss(12)
    half = np.diff(edges)[:, None] / 2
    angle = (edges[:-1, None] + half * (node + 1)).ravel()
    density = stats.norm.pdf(eps * np.sin(angle), gap[narrow], sd[narrow])
    rest = eps * np.cos(angle)
    upper = stats.norm.cdf((rest - gap[wide]) / sd[wide])
    inner = upper - stats.norm.cdf((-rest - gap[wide]) / sd[wide])
    return ((half * weight).ravel() * density * rest * inner).sum()


def draw(seed, n_pairs, d, ratio, furthest):
    """Pairs of all sorts, with eps = 1: variances of a `ratio`, gaps in their units."""
    rng = np.random.default_rng(seed)
    magnitude = np.log10(ratio) / 4
    sd = 10 ** rng.uniform(-magnitude, magnitude, (n_pairs, d))
    gap = sd * 10 ** rng.uniform(-2, np.log10(furthest), (n_pairs, d))
    gap *= rng.random((n_pairs, d)) < 0.7
    mean = (gap**2 + sd**2).sum(axis=1)
    spread = np.sqrt((2 * sd**4 + 4 * gap**2 * sd**2).sum(axis=1))
    near = np.abs(mean + spread * rng.uniform(-4, 4, n_pairs))
    wide = mean * np.exp(rng.uniform(-4, 1, n_pairs))
    eps = np.sqrt(np.where(rng.random(n_pairs) < 0.5, near, wide))[:, None]
    return gap / eps, (sd / eps) ** 2


def one(gap, variance, eps, **options):
    found = gaussian_within(np.array([gap]), np.array([variance]), eps, **options)
    return float(found[0])


@pytest.mark.parametrize(
    ("gap", "variance", "eps", "exact", "matched"),
    [
        ([1.0, 2.0], [1.0, 2.0], 1.0, 0.082610, 0.081457),
        ([1.0, 2.0], [1.0, 2.0], 2.0, 0.335689, 0.335743),
        ([1.0, 2.0], [1.0, 2.0], 3.0, 0.656430, 0.656557),
        ([1.0, 2.0], [1.0, 1.0], 2.0, 0.314629, 0.314629),
        ([1.0], [2.0], 1.0, 0.421350, 0.421350),
    ],
)
def test_known_values(gap, variance, eps, exact, matched):
    assert one(gap, variance, eps) == pytest.approx(exact, abs=6e-7)
    assert one(gap, variance, eps, fast=True) == pytest.approx(matched, abs=6e-7)


@given(seed=seeds, d=st.integers(2, 8))
def test_against_imhof(seed, d):
    gap, variance = draw(seed, 3, d, ratio=30.0, furthest=10.0)
    expected = [imhof(g, v, 1.0) for g, v in zip(gap, variance)]
    np.testing.assert_allclose(gaussian_within(gap, variance, 1.0), expected, atol=2e-7)


@given(seed=seeds, ratio=st.sampled_from([1.5, 1e2, 1e4, 1e8]))
def test_against_one_feature_given_the_other(seed, ratio):
    gap, variance = draw(seed, 20, 2, ratio, furthest=1e3)
    expected = [by_conditioning(g, v, 1.0) for g, v in zip(gap, variance)]
    np.testing.assert_allclose(gaussian_within(gap, variance, 1.0), expected, atol=1e-9)


@pytest.mark.parametrize("width", 10.0 ** -np.arange(1, 8))
def test_a_narrow_feature_that_ends_at_eps_beside_a_wide_one(width):
    # Two scales at once: the hardest case of the integral.
    gap = np.array([[1.0 - edge * width, 0.0] for edge in (-1, -0.1, 0.0, 0.1, 1, 3)])
    variance = np.full_like(gap, [width**2, width])
    expected = [by_conditioning(g, v, 1.0) for g, v in zip(gap, variance)]
    np.testing.assert_allclose(gaussian_within(gap, variance, 1.0), expected, atol=1e-9)


@pytest.mark.parametrize("d", [2, 5, 30, 100])
def test_against_many_draws(d):
    rng = np.random.default_rng(d)
    gap, variance = draw(d, 8, d, ratio=1e4, furthest=5.0)
    values = gap + np.sqrt(variance) * rng.standard_normal((20_000, *gap.shape))
    share = ((values**2).sum(axis=-1) <= 1).mean(axis=0)
    found = gaussian_within(gap, variance, 1.0)
    error = np.sqrt(np.maximum(found * (1 - found), 1e-4) / len(values))
    assert (np.abs(found - share) <= 4 * error).all()


@pytest.mark.parametrize("d", [2, 3, 10, 100])
@pytest.mark.parametrize("noncentrality", [0.0, 1e-3, 1.0, 500.0, 999.0, 1001.0, 3e4])
def test_equal_variances_are_a_noncentral_chi_square(d, noncentrality):
    law = stats.ncx2(d, noncentrality) if noncentrality else stats.chi2(d)
    x = law.mean() + law.std() * np.linspace(-3, 5, 30)
    x = np.append(x[x > 0], law.mean() * 10.0 ** -np.arange(1, 9))
    for at in x:
        gap, variance = np.zeros((2, d)), np.full((2, d), 1.0)
        gap[:, 0] = np.sqrt(noncentrality)
        # The second pair goes the general way, all but equal as it is.
        variance[1, 0] *= 1 + 1e-11
        found = gaussian_within(gap, variance, np.sqrt(at))
        np.testing.assert_allclose(found, law.cdf(at), rtol=1e-6, atol=1e-10)


@pytest.mark.parametrize("length", [1e4, 1e5, 1e6, 1e8])
@pytest.mark.parametrize("d", [2, 3, 10])
def test_far_away_only_the_feature_along_the_gap_counts(length, d):
    ahead = np.linspace(-6, 6, 25)
    for share in (1.0, 0.5):
        gap, variance = np.zeros((1, d)), np.full((1, d), share)
        gap[0, 0], variance[0, 0] = length, 1.0
        found = [gaussian_within(gap, variance, length + k)[0] for k in ahead]
        # The others add their squares, over twice the length, to the distance.
        expected = stats.norm.cdf(ahead - share * (d - 1) / (2 * length))
        np.testing.assert_allclose(found, expected, atol=2e-16 * length + 2 / length**2)


@given(seed=seeds, d=st.integers(1, 6))
def test_certain_features_shorten_eps(seed, d):
    gap, variance = draw(seed, 10, d, ratio=1e3, furthest=10.0)
    more = np.random.default_rng(seed).uniform(-0.5, 0.5, (10, 2))
    left = np.sqrt(1 - (more**2).sum(axis=1))
    found = gaussian_within(
        np.hstack([more[:, :1], gap, more[:, 1:]]),
        np.pad(variance, [(0, 0), (1, 1)]),
        1.0,
    )
    expected = [one(g, v, e) for g, v, e in zip(gap, variance, left)]
    np.testing.assert_allclose(found, expected, atol=1e-9)
    beyond = np.hstack([gap, np.full((10, 1), 1.0)])
    np.testing.assert_array_equal(
        gaussian_within(beyond, np.pad(variance, [(0, 0), (0, 1)]), 1.0), 0.0
    )


@pytest.mark.parametrize("fast", [False, True])
def test_without_variance_it_is_the_distance_itself(fast):
    grid = np.linspace(-3, 3, 61)
    gap = np.array(np.meshgrid(grid, grid)).reshape(2, -1).T
    squares = (gap**2).sum(axis=1)
    for eps in (0.0, 0.5, 2.0, np.inf):
        within = squares <= eps**2
        found = gaussian_within(gap, np.zeros_like(gap), eps, fast=fast)
        np.testing.assert_array_equal(found, within)
        clear = np.abs(squares - eps**2) > 1e-6
        for variance in ([1e-300, 1e-30], [1e-20, 0.0], [1e-18, 1e-18]):
            found = gaussian_within(gap, np.full_like(gap, variance), eps, fast=fast)
            np.testing.assert_array_equal(found[clear], within[clear])


@given(seed=seeds, d=st.integers(1, 5), fast=st.booleans())
def test_limits_of_eps(seed, d, fast):
    gap, variance = draw(seed, 10, d, ratio=1e4, furthest=100.0)
    for eps, limit in ((0.0, 0.0), (1e-30, 0.0), (1e30, 1.0), (np.inf, 1.0)):
        np.testing.assert_array_equal(
            gaussian_within(gap, variance, eps, fast=fast), limit
        )


@given(seed=seeds, d=st.integers(1, 6), ratio=st.sampled_from([1.0, 10.0, 1e8]))
def test_it_grows_with_eps(seed, d, ratio):
    gap, variance = draw(seed, 4, d, ratio, furthest=100.0)
    eps = np.geomspace(0.05, 20, 60)
    found = np.array([gaussian_within(gap, variance, e) for e in eps])
    assert (np.diff(found, axis=0) >= -1e-9).all()
    assert ((found >= 0) & (found <= 1)).all()


@given(
    seed=seeds,
    d=st.integers(1, 6),
    power=st.sampled_from([-100, -30, 30, 100]),
    fast=st.booleans(),
)
def test_units_do_not_matter(seed, d, power, fast):
    gap, variance = draw(seed, 20, d, ratio=1e6, furthest=1e3)
    expected = gaussian_within(gap, variance, 1.0, fast=fast)
    unit = 10.0**power
    found = gaussian_within(gap * unit, variance * unit**2, unit, fast=fast)
    np.testing.assert_allclose(found, expected, atol=1e-9)


@pytest.mark.parametrize("fast", [False, True])
def test_extremes_pass_in_silence(fast):
    sizes = [0.0, 1e-150, 1e-100, 1e-10, 1.0, 1e10, 1e100, 1e150]
    grid = np.array(np.meshgrid(sizes, sizes, sizes, sizes)).reshape(4, -1).T
    gap, variance = grid[:, :2], grid[:, 2:] ** 2
    for eps in (0.0, 1e-100, 1.0, 1e100, np.inf):
        found = gaussian_within(gap, variance, eps, fast=fast)
        assert ((found >= 0) & (found <= 1)).all()


@given(seed=seeds, d=st.integers(1, 6))
def test_each_pair_is_on_its_own(seed, d):
    gap, variance = draw(seed, 30, d, ratio=1e3, furthest=50.0)
    variance[::3] = variance[::3, :1]
    variance[::5, -1] = 0.0
    expected = [one(g, v, 1.0) for g, v in zip(gap, variance)]
    found = gaussian_within(gap, variance, 1.0)
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-15)
    np.testing.assert_allclose(gaussian_within(-gap, variance, 1.0), found, rtol=1e-12)
    turned = gaussian_within(gap[:, ::-1], variance[:, ::-1], 1.0)
    np.testing.assert_allclose(turned, found, atol=1e-12)


def test_blocks_do_not_matter():
    gap, variance = draw(0, 50, 4, ratio=1e3, furthest=50.0)
    expected = gaussian_within(gap, variance, 1.0)
    found = gaussian_within(np.tile(gap, (60, 1)), np.tile(variance, (60, 1)), 1.0)
    np.testing.assert_allclose(found, np.tile(expected, 60), rtol=1e-9)
    found = correlated_within(gap, variance[:, None] * np.eye(4), 1.0)
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("d", [1, 3])
def test_no_pairs(d):
    empty = np.empty((0, d))
    assert gaussian_within(empty, empty, 1.0).shape == (0,)
    assert gaussian_within(empty, empty, 1.0, fast=True).shape == (0,)
    assert correlated_within(empty, np.empty((0, d, d)), 1.0).shape == (0,)


@given(seed=seeds, d=st.integers(1, 6), ratio=st.sampled_from([1.0, 10.0, 1e6]))
def test_correlation_is_a_rotation(seed, d, ratio):
    gap, variance = draw(seed, 10, d, ratio, furthest=10.0)
    expected = gaussian_within(gap, variance, 1.0)
    straight = correlated_within(gap, variance[:, None] * np.eye(d), 1.0)
    np.testing.assert_allclose(straight, expected, atol=1e-9)
    turn = np.linalg.qr(np.random.default_rng(seed).standard_normal((10, d, d)))[0]
    covariance = turn * variance[:, None] @ np.swapaxes(turn, 1, 2)
    turned = (turn @ gap[..., None])[..., 0]
    found = correlated_within(turned, covariance, 1.0)
    np.testing.assert_allclose(found, expected, atol=1e-8)


def test_singular_covariances():
    # All features are one: |D| is √3 times as long as any of them.
    found = correlated_within(np.zeros((1, 3)), np.ones((1, 3, 3)), np.sqrt(3.0))
    assert found[0] == pytest.approx(stats.norm.cdf(1) - stats.norm.cdf(-1), abs=1e-12)
    gap = np.array([[0.6, -0.6, 0.0]])  # across, where nothing varies
    found = correlated_within(gap, np.ones((1, 3, 3)), np.sqrt(3.72))
    assert found[0] == pytest.approx(stats.norm.cdf(1) - stats.norm.cdf(-1), abs=1e-9)
    assert correlated_within(gap, np.ones((1, 3, 3)), 0.8)[0] == 0.0
    np.testing.assert_array_equal(
        correlated_within(gap, np.zeros((1, 3, 3)), 0.9), [1.0]
    )


@pytest.mark.parametrize(
    ("d", "ratio", "bound"),
    [
        (2, 1e2, 0.15),
        (5, 1e2, 0.15),
        (10, 1e2, 0.06),
        (50, 1e2, 1e-3),
        (10, 1e8, 0.15),
        (50, 1e8, 0.04),
    ],
)
def test_error_of_matched_moments(d, ratio, bound):
    gap, variance = draw(7, 3000, d, ratio, furthest=1e3)
    exact = gaussian_within(gap, variance, 1.0)
    error = np.abs(gaussian_within(gap, variance, 1.0, fast=True) - exact)
    assert error.max() < bound
    assert np.median(error) < 2e-3


@given(seed=seeds, d=st.integers(1, 20))
def test_matched_moments_are_exact_for_equal_variances(seed, d):
    gap, variance = draw(seed, 20, d, ratio=1.0, furthest=30.0)
    variance *= 1 + 1e-11 * np.arange(d)
    np.testing.assert_allclose(
        gaussian_within(gap, variance, 1.0, fast=True),
        gaussian_within(gap, variance, 1.0),
        atol=1e-6,
    )
