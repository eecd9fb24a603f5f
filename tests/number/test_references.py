"""What one cluster is tested against, step by step."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import isotonic_regression
from scipy.stats import t, ttest_ind

import incerta as ic
from incerta.mixture.fitting import Effort, FittedMixture, Search
from incerta.mixture.model import Components, Measured
from incerta.number import NumberOfClusters, choose_k
from incerta.number.choose import after_test, weights_of
from incerta.number.references import (
    Best,
    Law,
    Structureless,
    laws_of_features,
    p_of_gains,
    structureless,
    with_one_peak,
)
from tests.stored import changed, refused

SEARCH = Search(
    numbers=range(1, 4),
    covariances=("diag",),
    seed=7,
    effort=Effort(n_init=1, tol=1e-3, max_iter=50),
)


def mixture(means, bic):
    means = np.array(means, dtype=float).reshape(-1, 1)
    weights = np.full(len(means), 1.0 / len(means))
    return FittedMixture(
        components=Components(weights, means, np.ones_like(means)),
        covariance="diag",
        objective=[],
        bic=bic,
        aic=bic,
    )


def nearly_two():
    """Two groups that are not quite apart: one cluster looks like this now and then."""
    values = np.random.default_rng(1).normal(size=60) + 3.0 * (np.arange(60) % 2)
    return ic.from_gaussian(values[:, None], std=0.1)


ONE, TWO = mixture([0.0], 100.0), mixture([-9.0, 9.0], 60.0)


# gains ------------------------------------------------------------------------------


def test_gains_are_halves_of_bic_per_object():
    best = Best({1: ONE, 2: TWO}, n_objects=10)
    np.testing.assert_allclose(best.gains((1, 2, 3)), [0.0, 2.0, np.nan])
    np.testing.assert_allclose(best.gains((2, 1)), [0.0, -2.0])
    assert best.best_of((1, 2)) == 2
    assert best.best_of((4, 5)) == 4


def test_the_best_mixture_of_each_number():
    worse = replace(TWO, bic=80.0)
    for tried in ([ONE, TWO, worse], [ONE, worse, TWO]):
        assert Best.of(tried, 5) == Best({1: ONE, 2: TWO}, 5)


def test_beyond_one_cluster_is_what_features_with_one_peak_do_not_explain():
    best = Best({1: ONE, 2: TWO}, n_objects=10)
    laws = [Law(None, None, one, more) for one, more in ((3.0, 5.0), (4.0, 30.0))]
    assert best.beyond_one(laws[:1], (1, 2)) == 20.0 - 3.0
    assert best.beyond_one(laws, (1, 2)) == 35.0 - 7.0


# one after the other ----------------------------------------------------------------


def p_of(gains, own):
    """P-value of data that gain `own`, and the number of references it takes."""
    for n in range(1, len(gains) + 1):
        if (p := p_of_gains(gains[:n], own)) is not None:
            return p, n
    return None


def test_a_reference_as_clustered_as_the_data_decides():
    assert p_of([10.0, 50.0, 10.0], 40.0) == (1 / 2, 2)
    assert p_of([40.0, 10.0], 40.0) == (1.0, 1)


def test_none_of_them_is():
    assert p_of(20.0 + 10.0 * np.sin(np.arange(39)), 40.0) is None


def test_few_are_enough_where_all_is_clear():
    gains = 200.0 + 10.0 * np.sin(np.arange(39))
    p, n_seen = p_of(gains, 5000.0)
    expected = ttest_ind(gains[:3], [5000.0], alternative="less").pvalue
    assert p == pytest.approx(expected)
    assert p < 1e-4
    assert n_seen == 3
    # Equal ones have no spread; that the first ones agree says little.
    assert p_of([10.0] * 3 + [60.0] * 36, 50.0) == (1 / 4, 4)
    p, n_seen = p_of([10.0] * 39, 25.0)
    assert n_seen == 6
    beyond = 15.0 / (2.0 * np.sqrt(1 + 1 / 6))
    assert p == pytest.approx(t.sf(beyond, 5))


def test_every_reference_is_another():
    choice = choose_k(nearly_two(), [1, 2], random_state=0)
    n = len(choice.null_scores)
    assert choice.p_one == 1 / n < 1 / 9
    assert len(np.unique(choice.null_scores, axis=0)) == n
    one = Structureless(np.array([[0.0, 1.0]]), np.array([[0.0, 1.0]]), np.eye(1))
    like = Measured(np.zeros((1, 9)), np.zeros((1, 9)))
    drawn = [one.drawn_like(like, seed).values for seed in (1, 1, 2)]
    np.testing.assert_array_equal(drawn[0], drawn[1])
    assert not np.array_equal(drawn[0], drawn[2])


# what they are like -----------------------------------------------------------------


def test_they_have_one_peak_and_the_correlation_of_the_data():
    rng = np.random.default_rng(0)
    truth = np.where(np.arange(300) % 2, 4.0, -4.0) + rng.standard_normal(300)
    values = np.array([truth, truth + 0.5 * rng.standard_normal(300)])
    seen = Measured(values, np.full((2, 300), 0.01))
    means = np.array([[-4.0, -4.0], [4.0, 4.0]])
    components = Components(np.full(2, 0.5), means, np.full((2, 2), 1.0))
    one = structureless(laws_of_features(seen, SEARCH), components, 7)
    for levels in one.levels:
        density = np.diff(levels)
        peak = density.argmax()
        assert (np.diff(density[: peak + 1]) >= -1e-12).all()
        assert (np.diff(density[peak:]) <= 1e-12).all()
    correlation = one.root @ one.root.T
    np.testing.assert_allclose(np.diag(correlation), 1.0)
    # Normal scores that have the sign in common, and nothing else: (E|z|)².
    assert correlation[0, 1] == pytest.approx(2 / np.pi, abs=0.05)


PLACES = np.linspace(-6.0, 10.0, 300)


def told(density, laws):
    """Log density lost, by the best of the laws, for each value."""
    target = density / density.sum()
    return np.min([target @ np.log(target / (law + 1e-300)) for law in laws])


def bell(center, width):
    return np.exp(-0.5 * np.square((PLACES - center) / width)) / width


@pytest.mark.parametrize(
    "density",
    [
        bell(1.0, 1.0),
        1.0 / (1.0 + PLACES**2 / 3.0) ** 2,
        np.where(PLACES > -1.0, np.exp(-PLACES), 0.0) + 1e-12,
        np.where(np.abs(PLACES - 2.0) < 4.0, 6.1 - PLACES, 1e-12),
        (np.abs(PLACES - 2.0) < 4.0) + 1e-12,
    ],
    ids=["Gaussian", "heavy", "exponential", "triangle", "uniform"],
)
def test_laws_of_one_cluster_are_among_those_with_one_peak(density):
    assert told(density, with_one_peak(density)) < 0.03


def test_a_clump_in_a_tail_is_not_explained_by_one_peak():
    """The nearest law that falls to both sides has a shoulder there."""
    clump = 0.95 * bell(0.0, 1.0) + 0.05 * bell(5.0, 0.6)
    top = clump.argmax()
    falling = isotonic_regression(clump[top:], increasing=False).x
    falling = np.concatenate([clump[:top], falling])
    laws = with_one_peak(clump)
    for law in laws:
        peak = law.argmax()
        assert (np.diff(law[: peak + 1]) >= -1e-12).all()
        assert (np.diff(law[peak:]) <= 1e-12).all()
    shoulder = told(clump, [falling / falling.sum()])
    assert told(clump, laws) > 2.5 * shoulder


def test_the_last_laws_are_log_concave_and_uniform():
    density = bell(0.0, 1.0) + bell(4.0, 1.0)
    target = density / density.sum()
    concave, uniform = with_one_peak(density)[-2:]
    assert (np.diff(np.log(concave), 2) <= 1e-9).all()
    assert np.unique(uniform.round(12)).size <= 4
    for power in (1, 2):
        moments = [law @ PLACES**power for law in (target, uniform)]
        assert moments[1] == pytest.approx(moments[0], rel=0.02)


def test_the_law_of_a_feature_takes_errors_off_and_leaves_gaps_out():
    rng = np.random.default_rng(0)
    errors = np.where(np.arange(900) % 2, 1.5, 0.1)
    values = rng.exponential(size=900) + errors * rng.standard_normal(900)
    known = (rng.random((1, 900)) > 0.2).astype(float)
    (law,) = laws_of_features(
        Measured(values[None] * known, errors[None] ** 2 * known, known), SEARCH
    )
    quartiles = np.interp([0.25, 0.5, 0.75], law.levels, law.places)
    np.testing.assert_allclose(quartiles, -np.log([0.75, 0.5, 0.25]), atol=0.15)
    assert law.more_peaks > 20.0
    assert abs(law.more_peaks - law.one_peak) < 8.0


def test_they_have_the_errors_of_the_data():
    place = Structureless(np.full((1, 2), 5.0), np.array([[0.0, 1.0]]), np.eye(1))
    variances = np.repeat([0.01, 4.0], 2000)[None]
    found = place.drawn_like(Measured(np.zeros((1, 4000)), variances), 0)
    spread = found.values.reshape(2, 2000).std(axis=1)
    np.testing.assert_allclose(spread, [0.1, 2.0], rtol=0.1)
    np.testing.assert_array_equal(found.errors, variances)


# the choice -------------------------------------------------------------------------


def most_plausible(*mixtures):
    """Number of clusters of 60 objects, by the mixtures of one, two, … Gaussians."""
    best = Best.of(mixtures, 60)
    return int(weights_of(best, (1, 2, 3), 0).argmax()) + 1


def test_more_gaussians_have_a_price():
    three = mixture([-9.0, 0.0, 9.0], 70.0)
    assert most_plausible(ONE, TWO, three) == 2
    assert most_plausible(ONE, TWO, replace(three, bic=50.0)) == 3


def test_weights_are_powers_of_what_bic_says():
    three = mixture([-9.0, 0.0, 9.0], 70.0)
    weights = weights_of(Best.of([ONE, TWO, three], 60), (1, 2, 3), 0)
    more = np.array([1.0, np.exp(-0.1 * (70.0 - 60.0))])
    of_one = np.exp(-0.1 * (100.0 - 60.0))
    np.testing.assert_allclose(
        weights, np.array([of_one, *more]) / (of_one + more.sum())
    )
    one = np.sqrt(0.01) / (np.sqrt(0.01) + 2.0 * np.sqrt(0.025))
    expected = [one, *(1.0 - one) * more / more.sum()]
    weights = after_test(weights, 0.01, 0.025)
    np.testing.assert_allclose(weights, expected)
    none = np.zeros((1, 3))
    choice = NumberOfClusters(2, (1, 2, 3), weights, none[0], none, 0.01, 0.025, 0)
    assert choice.runner_up == 1
    assert "chosen from 1 to 3 (plausibility 2: 0.56, 1: 0.24, 3: 0.20)" in (
        str(choice)
    )


def test_a_few_objects_are_no_cluster():
    """60 objects: a component with 3 of them does not count, one with 6 does."""
    for share, k in ((0.05, 2), (0.1, 3)):
        three = mixture([-9.0, 9.0, 90.0], 50.0)
        weights = np.array([0.5 - share, 0.5, share])
        reweighted = three.components._replace(weights=weights)
        assert most_plausible(ONE, TWO, replace(three, components=reweighted)) == k


@pytest.mark.parametrize(("gap", "k"), [(1.0, 2), (6.0, 3)])
def test_gaussians_that_overlap_are_one_cluster(gap, k):
    assert most_plausible(ONE, TWO, mixture([-20.0, 20.0, 20.0 + gap], 50.0)) == k


def test_one_is_refuted_at_the_level_itself():
    p = choose_k(nearly_two(), [1, 2], random_state=0).p_one
    for alpha, k in ((p, 2), (np.nextafter(p, 0.0), 1)):
        assert choose_k(nearly_two(), [1, 2], alpha=alpha, random_state=0).k == k


def test_stored_choices_are_of_the_numbers_tried():
    none = np.zeros((1, 2))
    choice = NumberOfClusters(2, (1, 2), none[0], none[0], none, 0.01, 0.025, 0)
    changed(choice, k=1)
    refused(choice, k=3)
    refused(choice, ks=(0, 2))
    refused(choice, ks=(1, 2, 3))
