"""Which objects are looked at between two labels, and along which axis."""

import numpy as np
import pytest

from incerta.assessment.pairs import End, along, axis_between
from incerta.assessment.posterior import without_gaps
from incerta.mixture.model import Measured

SIDES = (-1.0, 1.0)


@pytest.fixture
def ends():
    wide = np.array([[2.0, 0.5], [0.5, 1.0]])
    one = End(np.array([0.0, 0.0]), wide, 2.0)
    return one, End(np.array([3.0, 1.0]), np.eye(2), 1.0)


def test_axis_is_that_of_fisher(ends):
    errors = np.array([0.1, 0.2])
    axis = axis_between(*ends, errors)
    within = (2.0 * ends[0].covariance + ends[1].covariance) / 3.0 + np.diag(errors)
    within += 0.02 * np.trace(within) / 2.0 * np.eye(2)
    apart = ends[1].mean - ends[0].mean
    best = np.linalg.solve(within, apart)
    np.testing.assert_allclose(axis.direction, best / np.sqrt(best @ within @ best))
    np.testing.assert_allclose(2.0 * axis.half, np.sqrt(apart @ best))
    np.testing.assert_allclose(axis.middle, [1.5, 0.5])


def test_axis_of_what_is_bent_goes_through_the_border_on_the_way():
    # Two arms of an arch: the way from one to the other is above the chord.
    arms = [
        End(np.array([s, 0.0]), np.array([[1.0, -s], [-s, 1.5]]), 1.0) for s in SIDES
    ]
    errors = np.array([0.1, 0.1])
    straight, bent = (axis_between(*arms, errors, each) for each in (False, True))
    np.testing.assert_allclose(bent.direction, straight.direction)
    np.testing.assert_allclose(bent.middle @ bent.direction, 0.0, atol=1e-9)
    np.testing.assert_allclose(straight.middle, [0.0, 0.0])
    assert bent.middle[0] == pytest.approx(0.0, abs=1e-9)
    assert bent.middle[1] > 0.3
    # On the way, the two pull into opposite directions.
    more = 0.02 * 1.25 * np.eye(2) + 0.02 * 0.1 * np.eye(2) + np.diag(errors)
    pulls = [np.linalg.solve(a.covariance + more, a.mean - bent.middle) for a in arms]
    assert pulls[0][1] == pytest.approx(0.0, abs=1e-6)
    np.testing.assert_allclose(pulls[0], -pulls[1], atol=1e-6)


@pytest.mark.parametrize("correlated", [False, True])
def test_along_takes_the_objects_near_the_axis(ends, correlated):
    rng = np.random.default_rng(0)
    values = rng.normal(size=(200, 2)) * 3.0 + [1.5, 0.5]
    labels = rng.integers(0, 3, 200)
    each = rng.uniform(0.1, 1.0, size=(200, 2))
    full = np.array([np.diag(own) + 0.05 for own in each])
    axis = axis_between(*ends, np.zeros(2))
    own, near = labels < 2, labels == 0
    errors = np.moveaxis(full, 0, -1) if correlated else each.T
    places, deviations = along(axis, Measured(values.T, errors), own, near)

    within = np.linalg.inv(axis.whitening.T @ axis.whitening)
    rows, off = [], []
    for x in values:
        apart = x - axis.middle
        off.append(
            apart @ np.linalg.solve(within, apart) - (axis.direction @ apart) ** 2
        )
    limit = np.quantile(np.array(off)[near], 0.75)
    for i, x in enumerate(values):
        t = abs(axis.direction @ (x - axis.middle))
        if off[i] <= limit and t <= axis.half + (4.0 if own[i] else 0.0):
            rows.append(i)
    np.testing.assert_allclose(places, (values[rows] - axis.middle) @ axis.direction)
    covariances = (
        full[rows] if correlated else np.array([np.diag(e) for e in each[rows]])
    )
    expected = [np.sqrt(axis.direction @ c @ axis.direction) for c in covariances]
    np.testing.assert_allclose(deviations, expected)


def test_gaps_become_means_with_the_spread_as_error():
    rng = np.random.default_rng(0)
    values = rng.normal(2.0, 3.0, size=(1, 5000))
    known = (rng.random((1, 5000)) < 0.8).astype(float)
    some = Measured(values * known, np.full((1, 5000), 0.25) * known, known)
    filled = without_gaps(some)
    gaps = known == 0.0
    assert filled.known is None
    np.testing.assert_allclose(filled.values[gaps], 2.0, atol=0.2)
    np.testing.assert_allclose(filled.errors[gaps], 8.75, rtol=0.1)
    np.testing.assert_array_equal(filled.values[~gaps], values[~gaps])
    np.testing.assert_array_equal(filled.errors[~gaps], 0.25)
    full = Measured(some.values, some.errors[None], known)
    np.testing.assert_allclose(without_gaps(full).errors[0], filled.errors)
    assert (some.errors[gaps] == 0.0).all()
