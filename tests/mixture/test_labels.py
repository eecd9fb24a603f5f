"""Mixtures of objects whose components are known of some."""

import pickle
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import incerta as ic
from incerta.mixture import pieces
from incerta.mixture.expectation import log_densities, sums
from incerta.mixture.fitting import Effort, Search, fitted, some_of
from incerta.mixture.maximization import Prior, moments, prior_for, with_prior
from incerta.mixture.merging import merged
from incerta.mixture.model import Components, measured
from tests.mixture import oracle
from tests.mixture.test_em import problem, rounds, shapes
from tests.strategies import examples


def labeled(seed, shape):
    """A problem in which about half of the components are known."""
    given, start, told = problem(seed, **shape)
    labels = np.random.default_rng(seed).integers(-1, shape["k"], size=shape["n"])
    return given._replace(labels=labels), start, told


def how(k, covariance="full", prior_weight=0.1, tol=1e-6):
    return Search(
        numbers=[k],
        covariances=[covariance],
        seed=0,
        effort=Effort(prior_weight=prior_weight, n_init=4, tol=tol),
    )


@examples(60)
@given(st.integers(0, 999), shapes, st.floats(0.01, 5.0))
def test_a_round_fixes_the_shares_of_known_objects(seed, shape, weight):
    some, start, (w, S, known) = labeled(seed, shape)
    prior = Prior(weight, np.arange(1.0, shape["d"] + 1.0))
    # An oracle of densities, not of their logs, may lose them far from everything.
    near = np.exp(log_densities(some._replace(labels=None), start).shares)
    lost = near[np.maximum(some.labels, 0), np.arange(shape["n"])] < 1e-200
    labels = np.where(lost, -1, some.labels)
    some = some._replace(labels=labels)
    logs, weights, means, covariances = oracle.em_round(
        w, S, known, *start[:3], *prior, labels=labels
    )
    found = sums(some, start)
    assert found.log_likelihood == pytest.approx(logs.sum(), rel=1e-9)
    after = with_prior(moments(start, found), start, prior)
    np.testing.assert_allclose(after.weights, weights, atol=1e-10)
    counted = weights > 1e-9  # components without objects stay where they are
    for one, other in (
        (after.means, means),
        (after.covariances, covariances),
    ):
        np.testing.assert_allclose(one[counted], other[counted], rtol=1e-6, atol=1e-7)


@examples(40)
@given(
    st.integers(0, 999),
    shapes,
    st.sampled_from(["full", "tied", "diag"]),
    st.booleans(),
)
def test_the_objective_never_falls(seed, shape, kind, noise):
    some, start, _ = labeled(seed, shape)
    start = start.as_kind(kind)
    if noise:
        ranges = np.full(shape["d"], 20.0)
        start = start._replace(weights=start.weights * 0.9, ranges=ranges)
    following = rounds(some, start, prior_for(some, 0.1), 20)
    objective = [state.objective for state in following]
    for before, after in pairwise(objective):
        assert after >= before - 1e-9 * abs(before)


def three_classes(seed=0, n=120):
    rng = np.random.default_rng(seed)
    target = rng.integers(3, size=n)
    std = 0.4 * np.exp(0.8 * rng.normal(size=(n, 1))) * np.ones(2)
    centers = np.array([[0.0, 0.0], [2.0, 0.0], [0.0, 2.0]])
    values = centers[target] + 0.5 * rng.normal(size=(n, 2))
    return ic.from_gaussian(values + std * rng.normal(size=(n, 2)), std=std), target


@pytest.mark.parametrize("covariance", ["full", "diag"])
def test_if_all_are_known_it_is_a_gaussian_for_each_class(covariance):
    data, target = three_classes()
    exactly = {"prior_weight": 0.0, "tol": 1e-12}
    found = pieces.fitted_to(data, how(3, covariance, **exactly), target).components
    peer = ic.ErrorDiscriminant(covariance_type=covariance, max_iter=5000, **exactly)
    peer.fit(data, target)
    np.testing.assert_allclose(found.weights, peer.priors_, rtol=1e-12)
    np.testing.assert_allclose(found.means, peer.means_, atol=1e-4)
    shape = found.as_kind("full").covariances
    np.testing.assert_allclose(shape, peer.covariances_, atol=1e-4)


def test_if_all_are_known_and_exact_it_is_means_and_covariances():
    data, target = three_classes()
    values = data.mean()
    found = pieces.fitted_to(
        ic.as_uncertain(values), how(3, prior_weight=0.0), target
    ).components
    for c in range(3):
        own = values[target == c]
        assert found.weights[c] == pytest.approx(len(own) / len(values))
        np.testing.assert_allclose(found.means[c], own.mean(axis=0), atol=1e-9)
        spread = np.cov(own.T, bias=True)
        np.testing.assert_allclose(found.covariances[c], spread, atol=1e-9)


def test_of_many_objects_those_with_labels_are_not_lost(monkeypatch):
    data, target = three_classes(n=400)
    known = np.full(400, -1)
    known[:3] = target[:3]
    some = measured(data)._replace(labels=known)
    few = some_of(some, 50, 0)
    assert few.n_objects == 50
    assert (few.labels >= 0).sum() == 3
    monkeypatch.setattr(pieces, "MANY_OBJECTS", 100)
    apart = pieces.fitted_to(data, how(3, tol=1e-9), known).components
    whole = fitted(some, how(3, tol=1e-9)).components
    np.testing.assert_allclose(apart.means, whole.means, atol=0.05)


def test_labels_travel_with_the_objects():
    data, target = three_classes()
    some = measured(data)._replace(labels=target)
    back = pickle.loads(pickle.dumps(some))
    np.testing.assert_array_equal(back.labels, target)
    np.testing.assert_array_equal(some.part(slice(5, 9)).labels, target[5:9])
    alike = measured(ic.from_gaussian(data.mean(), std=0.1))._replace(labels=target)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(alike)).labels, target)


def test_named_components_are_not_joined():
    at = np.array([[0.0], [0.1], [0.05], [9.0]])
    mixture = Components(np.full(4, 0.25), at, np.ones((4, 1)))
    np.testing.assert_array_equal(merged(mixture, 0), [0, 0, 0, 1])
    groups = merged(mixture, 0, n_named=2)
    assert groups[:2].tolist() == [0, 1]
    assert groups[2] in (0, 1)
    assert groups[3] == 2
