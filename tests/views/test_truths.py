"""Where true values come from: by what was measured, and what that leaves open."""

import numpy as np
import pytest
from scipy.spatial.distance import pdist

import incerta as ic
from incerta.data.laws import Values
from incerta.mixture.model import Components
from incerta.views.truths import (
    Beliefs,
    Measurements,
    Spreads,
    kernel_means,
    own_weights,
    scatter_of,
    shares_of,
    truths_of,
    waves,
)
from tests.strategies import make


def draws(n=40, m=9, d=2, seed=0):
    rng = np.random.default_rng(seed)
    return 3.0 * rng.normal(size=(n, 1, d)) + rng.normal(size=(n, m, d))


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        (make("exact", 9), Measurements),
        (make("gaussian", 9), Measurements),
        (make("gaussian", 9).with_meaning("belief"), Beliefs),
        (make("gaussian", 9).with_meaning("spread"), Spreads),
        (make("array", 9), Spreads),
        (make("array", 9).with_meaning("belief"), Beliefs),
        (make("worlds", 9), Beliefs),
        (make("interval", 9), Beliefs),
    ],
)
def test_what_values_mean_decides(data, kind):
    assert isinstance(truths_of(data, 2, 0), kind)


# several values of each object ------------------------------------------------------


def test_values_scatter_around_the_means_of_their_objects():
    values, starts = (
        np.random.default_rng(0).normal(size=(9, 2)),
        np.array([0, 4, 5, 9]),
    )
    law = Values(values, starts)
    parts = np.split(values, starts[1:-1])
    squares = sum(((part - part.mean(axis=0)) ** 2).sum(axis=0) for part in parts)
    np.testing.assert_allclose(scatter_of(law), np.sqrt(squares / (9 - 3)))
    np.testing.assert_array_equal(scatter_of(Values(values[:1], np.array([0, 1]))), 0)
    shares = shares_of(law, np.arange(1.0, 10.0)).toarray()
    np.testing.assert_allclose(shares.sum(axis=1), 1.0)
    np.testing.assert_allclose(shares[0, :4], [0.1, 0.2, 0.3, 0.4])
    assert shares[1, 4] == 1.0


def test_waves_multiply_to_a_gaussian_kernel():
    rng = np.random.default_rng(0)
    values, width = rng.normal(size=(30, 2)), 0.7
    found = waves(values, rng.normal(size=(2, 20_000)) / width)
    apart = np.square(values[:, None] - values).sum(axis=2)
    np.testing.assert_allclose(
        found @ found.T, np.exp(-0.5 * apart / width**2), atol=0.03
    )


@pytest.mark.parametrize(("m", "times"), [(2, 2.0), (25, 1.0), (900, 0.35)])
def test_more_values_have_a_narrower_kernel(m, times):
    values = draws(1000 // m, m).reshape(-1, 2)
    law = Values(values, np.arange(0, len(values) + 1, m))
    shares = shares_of(law, own_weights(law))
    found = kernel_means(values, shares, 0)
    width = times * np.median(pdist(values))
    assert found.frequencies.std() * width == pytest.approx(1.0, rel=0.06)
    laws = shares @ found.features(values)
    np.testing.assert_allclose(laws.mean(axis=0), 0.0, atol=1e-12)
    assert laws.shape[1] == min(20, law.n_objects)


def test_worlds_weigh_values_anew():
    values = draws(20, 9)
    data = ic.from_array(values)
    truths = truths_of(data, 2, 0)
    looks = list(truths.possible(data, 400, 0))
    means = np.array([look.spaces["means"] for look in looks])
    given = truths.as_given(data)
    np.testing.assert_allclose(given.spaces["means"], values.mean(axis=1))
    spread = values.std(axis=1)
    np.testing.assert_allclose(
        given.spaces["deviations"], np.hstack([values.mean(axis=1), spread])
    )
    ratio = means.var(axis=0) / (spread**2 / (9 + 1))
    assert ratio.mean() == pytest.approx(1.0, abs=0.05)
    np.testing.assert_allclose(means.mean(axis=0), values.mean(axis=1), atol=0.15)
    # Those of an object do not depend on the others.
    some = [look.spaces["means"] for look in truths.possible(data[[7, 3]], 3, 0)]
    np.testing.assert_allclose(some, means[:3, [7, 3]])


def test_a_single_value_is_where_others_scatter():
    values = draws(20, 9)
    data = ic.from_array(values)
    alone = ic.from_samples(
        np.vstack([values.reshape(-1, 2), [[1.0, 2.0]]]),
        [*np.repeat(np.arange(20), 9), 20],
    )
    truths = truths_of(alone, 2, 0)
    scatter = scatter_of(data.law)
    np.testing.assert_allclose(truths.scatter, scatter)
    places = np.array(
        [look.spaces["means"][20] for look in truths.possible(alone, 900, 0)]
    )
    np.testing.assert_allclose(places.std(axis=0), scatter, rtol=0.08)
    np.testing.assert_allclose(places.mean(axis=0), [1.0, 2.0], atol=0.15)
    exact = truths.as_given(ic.as_uncertain([[1.0, 2.0], [3.0, 4.0]]))
    np.testing.assert_allclose(exact.measured.errors, scatter[:, None] ** 2 * [1, 1])
    judged = truths.as_given(data).judged
    np.testing.assert_allclose(
        judged.errors, truths.wavers[:, None] ** 2 / 9 * np.ones(20)
    )
    assert len(judged.values) == len(truths.wavers) == 8
    assert not truths.certain(data)
    assert truths.certain(ic.from_gaussian([[1.0, 2.0]], std=0.1))


# measurements -----------------------------------------------------------------------


def test_worlds_are_drawn_from_mixtures_of_halves():
    rng = np.random.default_rng(0)
    values = 8.0 * (np.arange(200) % 2)[:, None] + rng.normal(size=(200, 1))
    data = ic.from_gaussian(values, std=0.3)
    truths = truths_of(data, 2, 0)
    start = Components(np.full(2, 0.5), np.array([[0.0], [8.0]]), np.ones((2, 1)))
    found = [each.prior for each in truths.with_mixtures(data, start, 0)]
    assert len(found) == 8
    best, halves = found[:4], found[4:]
    assert all(each is best[0] for each in best)
    means = [np.sort(each.means.ravel()) for each in found[3:]]
    assert len(np.unique(np.round([each[0] for each in means], 9))) == 5
    for mean in means:
        np.testing.assert_allclose(mean, [0.0, 8.0], atol=0.5)
    assert halves[0].n_components == best[0].n_components == 2
