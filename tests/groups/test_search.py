"""Groups in a field: found where they are, and nowhere else."""

import numpy as np
import pytest
from scipy.stats import multivariate_normal

import incerta as ic
from incerta.groups.search import MOST_WIDE, find, towards_axes, width
from incerta.mixture.model import Components, Measured, measured


def field_with(n, groups, seed=0, d=2, error=0.05):
    """A Gaussian field, with groups of 30 at places, and errors that are correlated."""
    rng = np.random.default_rng(seed)
    truth = [rng.normal(size=(n, d))]
    truth += [place + 0.05 * rng.normal(size=(30, d)) for place in groups]
    truth = np.vstack(truth)
    std = error * rng.uniform(0.5, 2.0, size=truth.shape)
    turn = 0.4 + 0.6 * np.eye(d)
    covariances = turn * std[:, :, None] * std[:, None]
    noise = np.linalg.cholesky(covariances) @ rng.normal(size=(*truth.shape, 1))
    return measured(ic.from_gaussian(truth + noise[:, :, 0], cov=covariances))


def groups_of(some, **more):
    return find(some, None, **{"uniform": False, "level": 0.05, "seed": 0} | more)


def density(some, law):
    """Density of what was measured, object by object."""
    return np.array(
        [
            sum(
                w * multivariate_normal.pdf(some.values[:, i], m, v + errors)
                for w, m, v in zip(law.weights, law.means, law.covariances)
            )
            for i, errors in enumerate(errors_of(some))
        ]
    )


def errors_of(some):
    if some.errors.ndim == 3:
        return np.moveaxis(some.errors, -1, 0)
    return some.errors.T[:, None] * np.eye(some.n_features)


def log_density(some, law):
    return np.log(density(some, law))


def test_two_groups_and_what_each_gains():
    some = field_with(300, [(1.0, 1.0), (-1.5, 0.5)])
    found = groups_of(some)
    assert len(found.gains) == 2
    means = found.components.means[:2]
    near = means[np.argsort(-means[:, 0])]
    np.testing.assert_allclose(near, [(1.0, 1.0), (-1.5, 0.5)], atol=0.06)
    law = found.components
    whole = log_density(some, law).sum()
    for c in (0, 1):
        left = law.only(np.delete(np.arange(law.n_components), c))
        left = left._replace(weights=left.weights / left.weights.sum())
        gain = whole - log_density(some, left).sum()
        assert found.gains[c] == pytest.approx(gain, rel=1e-6)
    assert found.gains[0] > found.gains[1] > found.needed
    assert found.needed == pytest.approx(np.log(360 / 0.05) + 3 * 2)


def test_components_are_where_the_likelihood_is_highest():
    # The mean of a group cannot be moved so that the objects become likelier.
    some = field_with(200, [(1.0, 1.0)])
    law = groups_of(some).components
    best = log_density(some, law).sum()
    for step in ((0.02, 0.0), (-0.02, 0.0), (0.0, 0.02), (0.0, -0.02)):
        means = law.means.copy()
        means[0] += step
        assert log_density(some, law._replace(means=means)).sum() < best


def empty(kind, rng, n, d):
    values = rng.normal(size=(n, d))
    if kind == "heavy tails":
        values /= np.sqrt(rng.chisquare(4, size=(n, 1)) / 4)
    elif kind == "skewed":
        values = rng.gamma(2.0, size=(n, d))
    elif kind == "scales":
        values *= rng.choice([1.0, 2.0, 4.0], size=(n, 1), p=[0.5, 0.35, 0.15])
    return values


@pytest.mark.parametrize("kind", ["gaussian", "heavy tails", "skewed", "scales"])
@pytest.mark.parametrize("d", [1, 3])
def test_no_group_in_an_empty_field(kind, d):
    values = empty(kind, np.random.default_rng(d), 300, d)
    some = measured(ic.from_gaussian(values / values.std(axis=0), std=0.05))
    assert not len(groups_of(some).gains)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["gaussian", "heavy tails", "skewed", "scales"])
def test_the_level_holds(kind):
    with_group = 0
    for seed in range(40):
        values = empty(kind, np.random.default_rng(seed), 500, 2)
        some = measured(ic.from_gaussian(values / values.std(axis=0), std=0.02))
        with_group += len(groups_of(some).gains) > 0
    assert with_group <= 5  # of 40; 6 or more have a probability of 0.014 at 5%


def test_as_many_groups_as_are_wanted():
    some = field_with(300, [(1.0, 1.0), (-1.5, 0.5)])
    one = find(some, 1, uniform=False, level=0.05, seed=0)
    assert len(one.gains) == 1
    three = find(some, 3, uniform=False, level=0.05, seed=0)
    assert len(three.gains) == 3
    assert three.gains[2] < three.needed


def test_a_lower_level_asks_for_more():
    some = field_with(300, [(1.0, 1.0)])
    assert len(groups_of(some, level=0.05).gains) == 1
    assert not len(groups_of(some, level=1e-60).gains)


def test_a_group_in_a_uniform_field():
    rng = np.random.default_rng(0)
    values = np.vstack(
        [rng.uniform(size=(400, 2)), rng.normal(0.6, 0.02, size=(40, 2))]
    )
    some = Measured(np.ascontiguousarray(values.T), np.full((2, 440), 0.01**2))
    found = groups_of(some, uniform=True)
    assert len(found.gains) == 1
    assert 440 * found.components.weights[0] == pytest.approx(40, abs=4)
    np.testing.assert_allclose(found.components.ranges, np.ptp(values, axis=0))
    # As the formula says: each object is of the group, or anywhere in the box.
    law = found.components
    group = law._replace(ranges=None)
    inside = density(some, group)
    rest = (1.0 - law.weights[0]) / law.ranges.prod()
    gain = np.log((inside + rest) * law.ranges.prod()).sum()
    assert found.gains[0] == pytest.approx(gain, rel=1e-6)


def test_half_of_the_objects_is_no_group():
    rng = np.random.default_rng(0)
    values = np.vstack([rng.normal(size=(100, 2)), 0.1 * rng.normal(size=(300, 2))])
    some = measured(ic.from_gaussian(values / values.std(axis=0), std=0.01))
    assert not len(groups_of(some).gains)


def test_how_wide_a_component_is():
    field = Components(
        np.ones(2) / 2,
        np.array([[0.0, 0.0], [90.0, 0.0]]),
        np.array([4 * np.eye(2)] * 2),
    )
    groups = Components(
        np.array([0.1]), np.array([[0.1, 0.0]]), np.array([np.diag([0.04, 1.0])])
    )
    # Deviations of 0.2 and 1 beside 2 and 2.
    assert width(groups, 0, field) == pytest.approx(np.sqrt(0.1 * 0.5))
    box = field._replace(
        weights=np.empty(0),
        means=np.empty((0, 2)),
        covariances=np.empty((0, 2, 2)),
        ranges=np.array([12.0, 12.0]),
    )
    own = np.sqrt(0.2 * 1.0) / np.sqrt(12.0)
    assert width(groups, 0, box) == pytest.approx(own)
    assert own < MOST_WIDE


def test_correlations_of_few_objects_are_drawn_towards_none():
    spread = np.array([[[4.0, 1.0], [1.0, 2.0]]])
    drawn = towards_axes(spread, np.array([10.0]))
    np.testing.assert_allclose(drawn[0], [[4.0, 0.5], [0.5, 2.0]])


def test_a_rare_group_among_many():
    rng = np.random.default_rng(0)
    values = np.vstack(
        [rng.normal(size=(20_500, 3)), [1, 1, 1] + 0.02 * rng.normal(size=(40, 3))]
    )
    found = groups_of(measured(ic.from_gaussian(values, std=0.01)))
    assert len(found.gains) == 1
    np.testing.assert_allclose(found.components.means[0], 1.0, atol=0.02)
    assert len(values) * found.components.weights[0] == pytest.approx(40, abs=6)
