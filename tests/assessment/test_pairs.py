"""Which objects are looked at between two labels, and along which axis."""

import numpy as np
import pytest

from incerta.assessment.pairs import Axes, End, along, axis_between, end_of, within
from incerta.assessment.posterior import posterior, without_gaps
from incerta.mixture.model import Components, Measured

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


# labels -----------------------------------------------------------------------------


def test_some_gaussians_have_the_moments_of_their_mixture():
    rng = np.random.default_rng(0)
    weights, means = np.array([0.5, 0.2, 0.3]), rng.normal(size=(3, 2))
    roots = rng.normal(size=(3, 2, 2))
    full = roots @ np.swapaxes(roots, 1, 2)
    chosen = np.array([0, 2])
    found = end_of(Components(weights, means, full), chosen)
    share = np.array([0.625, 0.375])
    squares = [
        s * (c + np.outer(m, m)) for s, c, m in zip(share, full[[0, 2]], means[[0, 2]])
    ]
    np.testing.assert_allclose(found.mean, share @ means[chosen])
    expected = sum(squares) - np.outer(found.mean, found.mean)
    np.testing.assert_allclose(found.covariance, expected)
    assert found.size == pytest.approx(0.8)


def blobs(places, n=300, seed=0):
    """Objects around some places, with errors; the blob of each of them."""
    rng = np.random.default_rng(seed)
    blob = np.arange(n * len(places)) % len(places)
    values = np.array(places, dtype=float)[blob] + 1.1 * rng.normal(size=(len(blob), 2))
    return Measured(values.T, np.full((2, len(blob)), 0.21)), blob


def axes(some, labels):
    return Axes(some, labels, posterior(some, labels, labels.max() + 1, 0))


def test_means_of_labels_are_those_of_true_values():
    some, blob = blobs([[0, 0], [9, 0], [3, 30]])
    found = axes(some, np.array([0, 0, 1])[blob])
    np.testing.assert_allclose(found.means(2), [[4.5, 0.0], [3.0, 30.0]], atol=0.3)


def test_the_valley_is_that_of_the_least_separate_parts():
    near, blob = blobs([[0, 0], [0, 3.5]])
    assert 2 < axes(near, blob).between(0, 1).depth < 30
    some, blob = blobs([[0, 0], [0, 3.5], [0, -30], [25, 30]])
    found = axes(some, np.array([0, 1, 0, 1])[blob])
    assert 2 < found.between(0, 1).depth < 30  # not hundreds, as between the others
    assert found.between(1, 0).depth == pytest.approx(found.between(0, 1).depth)
    assert axes(near, (near.values[0] > 0.3).astype(int)).between(0, 1).depth < 0


def test_a_part_of_few_objects_is_no_end():
    some, blob = blobs([[0, 0], [0, 12]])
    stray = np.flatnonzero(blob)[:30]  # 15 in each fold, among the other label
    found = axes(some, np.where(np.isin(np.arange(600), stray), 0, blob))
    assert found.between(0, 1).depth > 100


def test_a_label_without_a_law_has_no_valley():
    some, blob = blobs([[0, 0], [0, 9]])
    labels = np.append(blob[:-1], 2)
    assert axes(some, labels).between(0, 2) is None


def test_halves_of_a_label():
    two, _ = blobs([[0, 0], [0, 9]])
    assert within(two, 0).depth > 100
    # Long in one direction: k-means would halve that one.
    long = two._replace(values=two.values * [[9.0], [1.0]])
    assert within(long, 0).depth > 100
    one, _ = blobs([[0, 0]])
    assert within(one, 0).depth < 0
    assert within(one.only(np.arange(90)), 0) is None
