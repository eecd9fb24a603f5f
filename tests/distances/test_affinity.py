import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from scipy.integrate import dblquad, quad

import incerta as ic
from incerta.data.laws import Independent, Values, as_values, points_like
from incerta.distances.affinity import (
    expected_affinity,
    expected_squared_distances,
    same_sort,
    with_closed_form,
)
from tests.strategies import KINDS, make


def one(family, loc, scale):
    return Independent(family, np.array([[loc]]), np.array([[scale]]))


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        (one("uniform", -1.0, 3.0), one("uniform", 0.5, 1.0), 0.604380),
        (one("uniform", -1.0, 3.0), one("uniform", 0.3, 0.0), 0.646746),
        (one("exponential", 0.2, 1 / 1.5), one("exponential", 0.3, 0.0), 0.764789),
    ],
)
def test_recorded_values(a, b, expected):
    assert expected_affinity(a, b, 0.7)[0, 0] == pytest.approx(expected, abs=1e-6)
    assert expected_affinity(b, a, 0.7)[0, 0] == pytest.approx(expected, abs=1e-6)


sizes = st.one_of(st.just(0.0), st.floats(1e-7, 1e-3), st.floats(1e-3, 20.0))
DENSITIES = {
    "gaussian": stats.norm,
    "uniform": stats.uniform,
    "exponential": stats.expon,
}


NODES, NODE_WEIGHTS = np.polynomial.legendre.leggauss(300)


def by_quantiles(law, where):
    """Nodes and weights of an integral over a distribution."""
    if law is None:
        return np.array([where]), np.ones(1)
    return law.ppf((NODES + 1) / 2), NODE_WEIGHTS / 2


@pytest.mark.parametrize("family", DENSITIES)
@given(gap=st.floats(-6, 6), s1=sizes, s2=sizes, t=st.floats(0.05, 4.0))
def test_closed_forms_against_quadrature(family, gap, s1, s2, t):
    found = expected_affinity(one(family, gap, s1), one(family, 0.0, s2), t)[0, 0]
    x, v = by_quantiles(DENSITIES[family](gap, s1) if s1 else None, gap)
    y, w = by_quantiles(DENSITIES[family](0.0, s2) if s2 else None, 0.0)
    expected = v @ np.exp(-t * (x[:, None] - y) ** 2) @ w
    assert found == pytest.approx(expected, abs=2e-4)


@pytest.mark.parametrize("w", [1e-8, 1e-5, 9e-4, 1.1e-3, 0.015, 0.05])
@pytest.mark.parametrize("v", [0.0, 1e-9, 1e-6, 1e-3, 1.0, 30.0])
@pytest.mark.parametrize("gap", [-3.0, 0.0, 0.7])
def test_uniform_is_accurate_across_its_branches(w, v, gap):
    t = 0.8
    found = expected_affinity(one("uniform", gap, w), one("uniform", 0.0, v), t)[0, 0]
    if v < 1e-3:
        middle = gap + (w - v) / 2
        u = (w**2 + v**2) / 12
        expected = np.exp(-t * middle**2 / (1 + 2 * t * u)) / np.sqrt(1 + 2 * t * u)
    else:
        center = gap + w / 2
        expected = quad(
            lambda y: np.exp(-t * (center - y) ** 2) / v,
            0,
            v,
            epsabs=1e-13,
            points=[min(max(center, 0), v)],
        )[0]
        if w > 1e-4:
            expected = dblquad(
                lambda y, x: np.exp(-t * (x - y) ** 2) / (v * w),
                gap,
                gap + w,
                0,
                v,
                epsabs=1e-11,
            )[0]
    assert found == pytest.approx(expected, rel=2e-7, abs=1e-9)


@pytest.mark.parametrize("kind", KINDS)
def test_against_many_worlds(kind):
    data = make(kind, n=5, d=2, seed=3)
    law = with_closed_form(data.law, seed=0)
    t = 0.02
    found = expected_affinity(law, law, t)
    worlds = data.worlds(6 if data.joint else 5000, 0).stack()
    if data.joint:  # independent copies of the objects
        rng = np.random.default_rng(0)
        picks = rng.integers(6, size=(5000, 5))
        worlds = worlds[picks, np.arange(5)]
    squares = ((worlds[:, :, None] - worlds[:, None]) ** 2).sum(axis=3)
    off = ~np.eye(5, dtype=bool)
    drawn = np.exp(-t * squares)
    mean, error = drawn.mean(axis=0), drawn.std(axis=0) / np.sqrt(len(drawn))
    # 64 values stand for laws without closed form.
    slack = 0.02 if law is not data.law else 1e-9
    assert (np.abs(found - mean)[off] <= 5 * error[off] + slack).all()


@given(st.sampled_from([k for k in KINDS if k != "worlds"]), st.integers(0, 999))
def test_laws_of_the_transform(kind, seed):
    law = with_closed_form(make(kind, n=4, d=2, seed=seed).law, seed=0)
    np.testing.assert_allclose(expected_affinity(law, law, 1e-12), 1.0, atol=1e-6)
    small, large = (expected_affinity(law, law, t) for t in (0.2, 0.5))
    assert (small >= large - 1e-12).all()
    np.testing.assert_allclose(small, small.T, atol=1e-12)
    # -φ'(0) is the expected squared distance.
    h = 1e-7
    slope = (1 - expected_affinity(law, law, h)) / h
    squares = expected_squared_distances(law, law)
    np.testing.assert_allclose(slope, squares, rtol=1e-2, atol=1e-2)


def test_weighted_values_against_a_loop():
    law = make("weighted", n=4, d=2, seed=1).law
    found = expected_affinity(law, law, 0.4)
    for i in range(4):
        for j in range(4):
            total = 0.0
            for a in range(law.starts[i], law.starts[i + 1]):
                for b in range(law.starts[j], law.starts[j + 1]):
                    gap = ((law.values[a] - law.values[b]) ** 2).sum()
                    total += law.weights[a] * law.weights[b] * np.exp(-0.4 * gap)
            assert found[i, j] == pytest.approx(total, rel=1e-9)


def test_points_are_laws_without_spread():
    for kind in ("samples", "gaussian", "correlated", "interval"):
        data = make(kind, n=4, d=2)
        law = with_closed_form(data.law, 0)
        points = points_like(law, np.zeros((3, 2)))
        np.testing.assert_allclose(points.variance(), 0.0)
        assert expected_affinity(points, law, 0.5).shape == (3, 4)


def test_mirrored_exponentials_go_through_values():
    law = Independent("exponential", np.zeros((2, 1)), -np.ones((2, 1)))
    assert isinstance(with_closed_form(law, 0), Values)
    assert as_values(law, 0).values.max() <= 0.0


def test_squared_distances_far_from_the_origin():
    data = ic.from_gaussian([[1e8], [1e8 + 1]], std=0.5)
    found = expected_squared_distances(data.law, data.law)
    np.testing.assert_allclose(found, [[0.5, 1.5], [1.5, 0.5]])


def test_more_values_than_a_block():
    law = Values(np.random.default_rng(0).normal(size=(2200, 1)), np.arange(0, 2201, 2))
    last = np.arange(law.n_objects - 5, law.n_objects)
    found = expected_affinity(law, law, 0.5)
    np.testing.assert_allclose(found[-5:], expected_affinity(law.take(last), law, 0.5))


def test_values_of_two_sets_come_from_other_numbers():
    law = Independent("laplace", np.zeros((3, 1)), np.ones((3, 1)))
    one, other = same_sort(law, law, 0)
    assert not np.intersect1d(one.values, other.values).size
    gaussian = Independent("gaussian", np.zeros((3, 1)), np.ones((3, 1)))
    one, other = same_sort(gaussian, law, 0)
    assert isinstance(one, Values)
    assert isinstance(other, Values)


def test_mirrored_intervals():
    for scale in (1.0, 3.0):
        there, here = one("uniform", 5.0, -scale), one("uniform", 5.0 - scale, scale)
        point = one("uniform", 4.5, 0.3)
        np.testing.assert_allclose(
            expected_affinity(there, point, 0.7), expected_affinity(here, point, 0.7)
        )
