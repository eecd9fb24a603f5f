"""Split normal laws against their density, integrated."""

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from scipy.stats import norm

import incerta as ic
from incerta.data.laws import Gaussian, Independent, SplitNormal

widths = st.one_of(st.just(0.0), st.floats(0.01, 10.0))


def split(mode, below, above):
    return SplitNormal(
        *(np.array([[part]], dtype=float) for part in (mode, below, above))
    )


def density(x, mode, below, above):
    """Two halves of Gaussians that meet at the mode."""
    width = np.where(x < mode, below, above)
    return (
        np.exp(-((x - mode) ** 2) / (2 * width**2))
        * np.sqrt(2 / np.pi)
        / (below + above)
    )


@pytest.mark.parametrize(("below", "above"), [(1.0, 1.0), (0.2, 3.0), (2.0, 0.5)])
def test_moments_and_quantiles_are_those_of_the_density(below, above):
    x = np.linspace(-15.0, 30.0, 200_001)
    p = density(x, 1.0, below, above)
    step = x[1] - x[0]
    mean = (p * x).sum() * step
    law = split(1.0, below, above)
    assert p.sum() * step == pytest.approx(1.0, abs=1e-4)
    assert law.mean()[0, 0] == pytest.approx(mean, abs=1e-4)
    assert law.variance()[0, 0] == pytest.approx(
        (p * (x - mean) ** 2).sum() * step, rel=1e-3
    )
    u = np.array([0.001, 0.1, 0.3, 0.5, 0.8, 0.999])
    found = law.at(u[:, None, None])[:, 0, 0]
    np.testing.assert_allclose(np.interp(found, x, np.cumsum(p) * step), u, atol=1e-4)


@given(below=widths, above=widths)
@example(below=0.0, above=0.0)
@example(below=0.0, above=1.0)
def test_draws(below, above):
    law = split(3.0, below, above)
    u = np.linspace(1e-12, 1 - 1e-12, 501)
    values = law.at(u[:, None, None])[:, 0, 0]
    assert np.isfinite(values).all()
    assert (np.diff(values) >= -1e-9).all()
    box = law.boxes()
    assert values.min() >= box.low[0, 0] - 1e-9 - 7 * below
    assert law.variance()[0, 0] >= 0
    if below + above > 0:
        share = (values < 3.0).mean()
        assert share == pytest.approx(below / (below + above), abs=0.01)


def test_equal_widths_are_a_gaussian():
    rng = np.random.default_rng(0)
    mode, width = rng.normal(size=(2, 5, 3))
    width = np.abs(width)
    law, gaussian = (
        SplitNormal(mode, width, width),
        Independent("gaussian", mode, width),
    )
    u = rng.uniform(size=(7, 5, 3))
    np.testing.assert_allclose(law.at(u), gaussian.at(u), rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(law.mean(), gaussian.mean())
    np.testing.assert_allclose(law.variance(), gaussian.variance())


def test_a_negative_scale_swaps_the_sides():
    law = split(1.0, 0.5, 2.0)
    turned = law.rescaled(np.array([-3.0]), np.array([1.0]))
    u = np.linspace(0.01, 0.99, 9)[:, None, None]
    np.testing.assert_allclose(turned.at(u), -3.0 * law.at(1.0 - u) + 1.0)
    np.testing.assert_allclose(turned.variance(), 9.0 * law.variance())


def test_missing_values():
    mode = np.array([[1.0, np.nan]])
    law = SplitNormal(mode, np.array([[0.1, np.inf]]), np.array([[0.2, np.inf]]))
    assert law.missing().tolist() == [[False, True]]
    assert np.isnan(law.mean()[0, 1])
    assert law.variance()[0, 1] == np.inf
    scaled = law.rescaled(np.array([2.0, 2.0]), np.zeros(2))
    assert scaled.missing().tolist() == [[False, True]]


def test_errors_count_by_their_moments():
    """For errors, the truth given w is that of a Gaussian with the law's moments."""
    rng = np.random.default_rng(1)
    n = 50
    mode, below, above = rng.normal(size=(n, 1)) * 3, *rng.uniform(0.1, 2, (2, n, 1))
    law = SplitNormal(mode, below, above)
    ids = np.arange(n)
    data = ic.UncertainData(law, ids, ("x0",), meaning="error")
    twin = ic.from_gaussian(law.mean(), std=np.sqrt(law.variance()))
    found, other = (ic.Deconvolver().fit_transform(each) for each in (data, twin))
    np.testing.assert_allclose(found.mean(), other.mean())
    assert isinstance(found.law, Gaussian | Independent)


def test_two_piece_of_scipy():
    # A split normal is a mixture of two half normals, by their shares.
    law, z = split(0.0, 1.0, 3.0), norm.ppf(0.5 + 0.5 * 0.4)
    assert law.at(np.array([[[0.25 + 0.75 * 0.4]]]))[0, 0, 0] == pytest.approx(3.0 * z)
