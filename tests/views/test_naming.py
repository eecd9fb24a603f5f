"""Common names for the clusters of worlds."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import adjusted_rand_score

import incerta as ic
from incerta.metrics import clustering_accuracy
from incerta.views.look import Effort
from incerta.views.naming import (
    AT_ODDS,
    at_odds,
    labels_in_worlds,
    named_alike,
    typical,
)
from incerta.views.partition import joined, seen
from incerta.views.truths import exact_look

EFFORT = Effort(("diag",), 2, 5, 1e-3, 50)
HALVES, RINGS = np.arange(40) // 20, np.arange(40) % 2


def disturbed(rng, labels, share=0.1):
    wrong = rng.random(len(labels)) < share
    return np.where(wrong, rng.integers(2, size=len(labels)), labels)


def mean_likeness(ones, others):
    return np.mean(
        [adjusted_rand_score(a, b) for a in ones for b in others if a is not b]
    )


@given(st.integers(0, 2**32), st.integers(4, 9), st.floats(0.0, 1.0))
def test_at_odds_by_the_formula(seed, n_worlds, share):
    rng = np.random.default_rng(seed)
    pair = HALVES, np.where(rng.random(40) < share, RINGS, HALVES)
    labels = [disturbed(rng, pair[turn % 2]) for turn in range(n_worlds)]
    one, other = labels[::2], labels[1::2]
    own = mean_likeness(one, one), mean_likeness(other, other)
    usual = np.sqrt(max(own[0], 0.0) * max(own[1], 0.0))
    expected = min(own) >= 0.1 and mean_likeness(one, other) < AT_ODDS * usual
    assert at_odds(np.array(labels)) == expected


def test_worlds_of_two_priors_with_other_clusters_are_at_odds():
    rng = np.random.default_rng(0)
    two = np.array([disturbed(rng, (HALVES, RINGS)[turn % 2]) for turn in range(8)])
    assert at_odds(two)
    assert not at_odds(two[:3])  # only one of the second prior
    assert not at_odds(two[::2])
    # One prior that finds something else each time says nothing against the other.
    nothing = rng.integers(2, size=(8, 40))
    nothing[::2] = two[::2]
    assert not at_odds(nothing)


@given(st.integers(0, 2**32), st.integers(2, 7), st.booleans())
def test_the_given_data_have_the_names_unless_worlds_have_other_clusters(
    seed, n_worlds, other
):
    rng = np.random.default_rng(seed)
    first = disturbed(rng, RINGS if other else HALVES)
    worlds = [disturbed(rng, HALVES) for _ in range(n_worlds)]
    likeness = [mean_likeness([own], worlds) for own in worlds]
    found = typical(np.array([first, *worlds]))
    if mean_likeness([first], worlds) >= AT_ODDS * np.mean(likeness):
        assert found == 0
    else:
        assert likeness[found - 1] == pytest.approx(max(likeness))


def test_there_is_nothing_to_choose_with_one_world():
    assert typical(np.array([RINGS, HALVES])) == 0


def test_worlds_that_agree_have_the_same_names_whatever_the_given_data_show():
    rng = np.random.default_rng(0)
    some = seen(exact_look(rng.normal(size=(40, 2))), 2, False, EFFORT, 0)
    worlds, partitions = [], []
    for number in range(9):
        labels = disturbed(rng, RINGS, 0.05)
        if number % 2:
            labels = 1 - labels  # as it happens
        worlds.append(some._replace(labels=np.tile(labels, (4, 1))))
        partitions.append(joined(worlds[-1], np.ones(4), 2, number))
    for reference, as_it_is in ((RINGS, True), (1 - RINGS, True), (HALVES, False)):
        named = named_alike(partitions, worlds, reference, 2)
        labels = np.array(labels_in_worlds(named, worlds, None))
        assert (labels == labels[0]).mean() > 0.9
        if as_it_is:
            assert (labels == reference).mean() > 0.9


def eye(rng, n=300):
    """A cluster in a ring, with errors of unequal sizes."""
    inside = rng.random(n) < 0.5
    angle = rng.uniform(0.0, 2.0 * np.pi, n)
    ring = 2.0 * np.stack([np.cos(angle), np.sin(angle)], axis=1)
    ring += 0.1 * rng.normal(size=ring.shape)
    exact = np.where(inside[:, None], 0.4 * rng.normal(size=ring.shape), ring)
    std = 0.3 * np.exp(0.8 * rng.normal(size=(n, 1))) * np.ones(2)
    values = exact + std * rng.normal(size=exact.shape)
    return ic.from_gaussian(values, std=std), inside


def test_clusters_that_only_the_better_prior_shows_are_believed():
    """One Gaussian fills the gap, in half of the worlds: they would not agree."""
    data, inside = eye(np.random.default_rng(2))
    model = ic.ViewConsensus(2, n_worlds=16, random_state=0).fit(data)
    assert len(model._model.truths.priors) == 1
    accuracy = clustering_accuracy(inside, model.labels_)
    assert accuracy > 0.93
    assert model.confidence_.mean() == pytest.approx(accuracy, abs=0.04)
