"""What holds for laws of every kind: draws, moments and images belong together."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from incerta.data.counts import from_counts
from incerta.data.laws import (
    FAMILIES,
    Gaussian,
    Independent,
    Joint,
    Mapped,
    Stacked,
    Values,
    as_values,
    points_like,
    stack,
)
from tests.strategies import KINDS, make

N = 5
SCALE, OFFSET = np.array([-2.0, 0.5]), np.array([1.0, -3.0])
MATRIX = np.array([[1.0, 2.0], [0.0, -1.0], [0.5, 0.5]])


def mixed_up():
    """Stacked laws whose objects are not in the order of those of the parts."""
    laws = make("gaussian", 2, 2).law, make("split", 3, 2).law
    return Stacked(laws, np.array([1, 0, 1, 0, 1]), np.array([2, 1, 0, 0, 1]))


LAWS = {kind: make(kind, N, 2, seed=3).law for kind in KINDS}
LAWS["stacked"] = mixed_up()
LAWS["counts"] = from_counts([[0, 3], [4, 9], [1, 0], [7, 30], [2, 2]], 2.0).law
LAWS["image"] = Mapped(
    LAWS["interval"], np.array([[1.0, 1.0], [0.0, 2.0]]), np.array([5.0, 1.0])
)


def uniforms(law, n, seed=0):
    u = np.random.default_rng(seed).random((n, law.n_objects, law.n_uniforms))
    return np.repeat(u[:, :1], law.n_objects, axis=1) if law.n_draws else u


def same(found, law):
    """Two laws with the same draws and moments."""
    np.testing.assert_allclose(found.at(uniforms(law, 9)), law.at(uniforms(law, 9)))
    for what in ("mean", "variance", "covariance"):
        np.testing.assert_allclose(getattr(found, what)(), getattr(law, what)())


@pytest.mark.parametrize("kind", LAWS)
def test_moments_are_those_of_the_draws(kind):
    law = LAWS[kind]
    # Where scipy draws objects one by one, fewer do.
    n = 60 if law.n_draws else 1000 if kind == "multivariate" else 20_000
    u = uniforms(law, n)
    if law.n_draws:  # each of the draws as often
        u[...] = ((np.arange(n) + 0.5) / n)[:, None, None]
    draws = law.at(u)
    centered = draws - law.mean()
    products = centered[..., :, None] * centered[..., None, :]
    pairs = (draws, law.mean()), (centered**2, law.variance())
    for drawn, known in (*pairs, (products, law.covariance())):
        error = drawn.std(axis=0) / np.sqrt(n)
        off = np.abs(drawn.mean(axis=0) - known)
        assert (off <= (1e-9 if law.n_draws else 5 * error + 1e-9)).all()


# A negative factor turns the sides of a split law: their draws are in its own tests.
@pytest.mark.parametrize("kind", [kind for kind in LAWS if kind != "split"])
def test_other_units(kind):
    law = LAWS[kind]
    scale = np.abs(SCALE) if kind == "stacked" else SCALE
    found = law.rescaled(scale, OFFSET)
    u = uniforms(law, 9)
    np.testing.assert_allclose(found.at(u), law.at(u) * scale + OFFSET)
    np.testing.assert_allclose(found.mean(), law.mean() * scale + OFFSET)
    np.testing.assert_allclose(found.variance(), law.variance() * scale**2)
    spread = law.covariance() * np.outer(scale, scale)
    np.testing.assert_allclose(found.covariance(), spread, atol=1e-12)


@pytest.mark.parametrize("kind", LAWS)
def test_linear_images(kind):
    law, offset = LAWS[kind], np.array([1.0, 2.0, 3.0])
    found = law.mapped(MATRIX, offset)
    u = uniforms(law, 9)
    np.testing.assert_allclose(found.at(u), law.at(u) @ MATRIX.T + offset)
    np.testing.assert_allclose(found.mean(), law.mean() @ MATRIX.T + offset)
    spread = MATRIX @ law.covariance() @ MATRIX.T
    np.testing.assert_allclose(found.covariance(), spread, atol=1e-9)
    diagonal = np.einsum("nii->ni", spread)
    np.testing.assert_allclose(found.variance(), diagonal, atol=1e-9)


@pytest.mark.parametrize("kind", LAWS)
def test_some_objects_and_some_features(kind):
    law = LAWS[kind]
    u = uniforms(law, 9)
    for index in (np.array([3, 0, 4]), np.array([1]), np.array([2, 2])):
        some = law.take(index)
        assert some.n_objects == len(index)
        np.testing.assert_array_equal(some.at(u[:, index]), law.at(u)[:, index])
        np.testing.assert_allclose(some.mean(), law.mean()[index])
        np.testing.assert_allclose(some.covariance(), law.covariance()[index])
        one = some.take(np.array([0]))
        np.testing.assert_allclose(one.mean(), law.mean()[index[:1]])
    turned = law.select(np.array([1, 0]))
    np.testing.assert_allclose(turned.mean(), law.mean()[:, ::-1])
    np.testing.assert_allclose(turned.variance(), law.variance()[:, ::-1])


@pytest.mark.parametrize("kind", LAWS)
def test_parts_side_by_side_are_the_whole(kind):
    law = LAWS[kind]
    parts = law.take(np.arange(2)), law.take(np.arange(2, law.n_objects))
    same(stack(list(parts)), law)


def test_equal_and_weighted_values_side_by_side():
    laws = [make(kind, 3, 2, seed=1).law for kind in ("samples", "weighted")]
    for one, other in (laws, laws[::-1]):
        both = stack([one, other])
        assert isinstance(both, Values)
        np.testing.assert_allclose(both.mean(), np.r_[one.mean(), other.mean()])
        spread = np.r_[one.variance(), other.variance()]
        np.testing.assert_allclose(both.variance(), spread)


def test_joint_draws_of_other_numbers_stay_apart():
    one, other = Joint(np.zeros((3, 2, 1))), Joint(np.ones((4, 2, 1)))
    assert one.joined(other) is None
    assert one.joined(Joint(np.ones((3, 1, 1)))).n_objects == 3


@pytest.mark.parametrize("family", FAMILIES)
def test_quantiles_rise_and_have_the_moments(family):
    standard = FAMILIES[family]
    u = (np.arange(200_000) + 0.5) / 200_000
    values = standard.quantile(u)
    assert (np.diff(values) > 0).all()
    assert values.mean() == pytest.approx(standard.mean, abs=1e-4)
    assert values.var() == pytest.approx(standard.variance, rel=1e-3)


# values -----------------------------------------------------------------------------


@given(counts=st.lists(st.integers(1, 9), min_size=1, max_size=60), off=st.booleans())
def test_the_ends_of_an_object_are_its_own_values(counts, off):
    starts = np.concatenate([[0], np.cumsum(counts)])
    values = np.arange(starts[-1], dtype=float)[:, None]
    weights = np.repeat(1.0 / np.array(counts), counts)
    # Weights of a file may lack a little.
    weights = weights * (1.0 - 1e-9) if off else weights
    lowest, highest = 2.0**-53, 1.0 - 2.0**-53
    for law in (Values(values, starts), Values(values, starts, weights)):
        ends = np.array([lowest, highest])[:, None, None]
        first, last = law.at(np.repeat(ends, len(counts), axis=1))[..., 0]
        np.testing.assert_array_equal(first, starts[:-1])
        np.testing.assert_array_equal(last, starts[1:] - 1)


@pytest.mark.parametrize("weighted", [False, True])
def test_moments_of_many_values(weighted):
    # 70 MB, which are not taken at once.
    rng = np.random.default_rng(2)
    values, starts = rng.normal(size=(4_400_000, 2)), np.arange(5) * 1_100_000
    weights = np.full(len(values), 1.0 / 1_100_000) if weighted else None
    law = Values(values, starts, weights)
    objects = np.split(values, 4)
    np.testing.assert_allclose(law.mean(), [each.mean(axis=0) for each in objects])
    each = np.array([np.cov(each.T, bias=True) for each in objects])
    np.testing.assert_allclose(law.covariance(), each)
    np.testing.assert_allclose(law.variance(), np.einsum("njj->nj", each))


# Gaussians --------------------------------------------------------------------------


def test_what_rounding_leaves_below_zero_is_no_variance():
    cov = np.array([[[1.0, 0.0], [0.0, -1e-10]]])
    law = Gaussian.with_covariance(np.zeros((1, 2)), cov)
    np.testing.assert_array_equal(law.variance(), [[1.0, 0.0]])
    one = 1.0 + 1e-10  # more than the variances allow
    law = Gaussian.with_covariance(np.zeros((1, 2)), np.array([[[1, one], [one, 1]]]))
    np.testing.assert_allclose(law.factor @ [1.0, -1.0], 0.0, atol=1e-9)


def test_missing_values():
    law = Gaussian(np.array([[1.0, np.nan]]), np.array([[[2.0, 0.0], [0.0, 0.0]]]))
    assert law.variance().tolist() == [[4.0, np.inf]]
    assert law.missing().tolist() == [[False, True]]
    loc, scale = np.array([[1.0, np.nan]]), np.array([[1.0, np.inf]])
    source = Independent("uniform", loc, scale)
    image = Mapped(source, np.array([[1.0, 0.0], [1.0, 1.0], [0.0, 3.0]]), np.zeros(3))
    # A sum has a gap where any of its terms has one.
    assert image.missing().tolist() == [[False, True, True]]
    both = Stacked((source, law), np.array([1, 0]), np.array([0, 0]))
    assert both.missing().tolist() == [[False, True], [False, True]]


# laws as values and as points -------------------------------------------------------


@pytest.mark.parametrize("kind", LAWS)
def test_a_law_as_values_has_about_its_moments(kind):
    law = LAWS[kind]
    found = as_values(law, 0, n_values=64)
    if isinstance(law, Values):
        assert found is law
        return
    n = len(law.draws) if isinstance(law, Joint) else 64
    assert found.counts.tolist() == [n] * law.n_objects
    if isinstance(law, Joint):
        np.testing.assert_array_equal(found.values[:n], law.draws[:, 0])
        return
    deviation = np.sqrt(law.variance())
    off = (found.mean() - law.mean()) / np.where(deviation > 0.0, deviation, 1.0)
    assert np.abs(off).max() < 0.35
    one, other = (as_values(law, seed, n_values=64).values for seed in (0, 1))
    np.testing.assert_array_equal(one, found.values)
    assert law.variance().max() == 0.0 or not np.array_equal(one, other)


@pytest.mark.parametrize("kind", ["interval", "correlated", "samples"])
def test_points_have_the_form_of_a_law_and_no_spread(kind):
    points = np.arange(6.0).reshape(3, 2)
    found = points_like(LAWS[kind], points)
    assert type(found) is type(LAWS[kind])
    np.testing.assert_array_equal(found.mean(), points)
    np.testing.assert_array_equal(found.variance(), 0.0)
    np.testing.assert_array_equal(
        found.at(np.full((1, 3, found.n_uniforms), 0.3))[0], points
    )
