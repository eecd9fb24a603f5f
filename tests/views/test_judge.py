"""The judge, against laws that are known."""

import numpy as np
import pytest
from scipy.special import entr
from scipy.stats import multivariate_normal

import incerta as ic
from incerta.mixture.model import Components, measured, without_errors
from incerta.views.judge import (
    Laws,
    judged,
    laws_of,
    laws_together,
    share_told,
)
from tests.stored import changed, refused


def mixture(seed, n=1200, apart=3.0, level=0.5):
    """Two Gaussians in the plane, with unequal errors, and the true posteriors."""
    rng = np.random.default_rng(seed)
    labels = (rng.random(n) < 0.4).astype(int)
    truth = rng.normal(size=(n, 2)) + apart * labels[:, None] * [1.0, 0.0]
    std = level * np.exp(0.5 * rng.normal(size=(n, 1))) * np.ones(2)
    data = ic.from_gaussian(truth + std * rng.normal(size=truth.shape), std=std)
    logs = np.array(
        [
            [
                multivariate_normal.logpdf(v, [c * apart, 0.0], np.diag(1.0 + s**2))
                for v, s in zip(data.mean(), std, strict=True)
            ]
            for c in (0, 1)
        ]
    )
    odds = np.exp(logs.T) * [0.6, 0.4]
    return data, labels, odds / odds.sum(axis=1, keepdims=True)


@pytest.mark.parametrize("apart", [1.5, 3.0, 5.0])
def test_the_score_is_the_share_of_entropy_that_is_told(apart):
    data, labels, posteriors = mixture(0, apart=apart)
    found = judged(measured(data), labels, 2, 0)
    sizes = np.bincount(labels) / len(labels)
    told = entr(posteriors).sum(axis=1)
    expected = 1.0 - told.mean() / entr(sizes).sum()
    error = told.std() / np.sqrt(len(told)) / entr(sizes).sum()
    assert abs(found.score - expected) < 3.0 * error + 0.01
    half = np.arange(len(labels)) % 2 == 0
    some, here, there = measured(data), np.flatnonzero(half), np.flatnonzero(~half)
    laws = laws_of(some.only(there), labels[there], 2, 0)[1]
    assert np.abs(laws.shares(some.only(here), 2) - posteriors[here]).mean() < 0.03
    # Memberships forget the labels in a few rounds of EM, which costs a little here.
    assert np.abs(found.membership - posteriors).mean() < 0.04
    np.testing.assert_allclose(found.membership.sum(axis=1), 1.0)


def test_a_random_labeling_scores_nothing():
    data, labels, _ = mixture(1)
    mixed = np.random.default_rng(0).permutation(labels)
    assert judged(measured(data), mixed, 2, 0).score < 0.05


def test_a_cut_scores_less_than_a_gap():
    data, labels, _ = mixture(2, apart=6.0)
    gap = judged(measured(data), labels, 2, 0).score
    rng = np.random.default_rng(0)
    one = ic.from_gaussian(rng.normal(size=(1200, 2)), std=np.sqrt(data.variance()))
    cut = judged(measured(one), (one.mean()[:, 0] > 0).astype(int), 2, 0).score
    assert gap > 0.97
    assert cut < gap - 0.15


def test_a_ring_around_a_ball_is_told():
    rng = np.random.default_rng(0)
    labels = np.arange(400) % 2
    angle = rng.uniform(0, 2 * np.pi, 400)
    ring = 3.0 * np.c_[np.cos(angle), np.sin(angle)] * labels[:, None]
    some = without_errors(ring + 0.4 * rng.normal(size=ring.shape))
    assert judged(some, labels, 2, 0).score > 0.95
    assert (np.bincount(laws_of(some, labels, 2, 0)[1].clusters) == [1, 4]).all()


def test_a_shell_that_two_gaussians_do_not_describe():
    rng = np.random.default_rng(0)
    shell = rng.normal(size=(100, 3))
    shell *= 3.0 / np.linalg.norm(shell, axis=1, keepdims=True)
    X = np.r_[
        shell + 0.2 * rng.normal(size=shell.shape), 0.4 * rng.normal(size=(100, 3))
    ]
    laws = laws_of(without_errors(X), np.repeat([0, 1], 100), 2, 0)[1]
    assert np.bincount(laws.clusters).tolist() == [4, 1]


def test_laws_are_asked_about_other_objects():
    """What they say of noise that they were fitted to is flattering."""
    rows, asked, fitted = np.arange(80), [], []
    for seed in range(8):
        rng = np.random.default_rng(seed)
        some, labels = (
            without_errors(rng.normal(size=(80, 8))),
            rng.integers(2, size=80),
        )
        asked.append(judged(some, labels, 2, 0).membership[rows, labels].mean())
        own = laws_of(some, labels, 2, 0)[1].shares(some, 2)
        fitted.append(own[rows, labels].mean())
    assert np.mean(asked) < 0.55 < np.mean(fitted)


def test_entropy_by_hand():
    membership = np.array([[1.0, 0.0], [0.5, 0.5], [0.2, 0.8]])
    sizes = np.array([0.5, 0.5])
    left = (np.log(2) - 0.2 * np.log(0.2) - 0.8 * np.log(0.8)) / 3
    assert share_told(membership, sizes) == pytest.approx(1 - left / np.log(2))
    assert share_told(np.full((4, 2), 0.5), sizes) == 0.0
    # A cluster of one object in a thousand is worth little, however clear it is.
    sizes = np.array([0.999, 0.001])
    rare = np.eye(2)[(np.arange(1000) < 1).astype(int)]
    assert share_told(rare, sizes) == pytest.approx(
        entr(sizes).sum() / entr([0.05, 0.95]).sum()
    )
    assert share_told(rare, sizes) < 0.05


@pytest.mark.parametrize("n", [1, 2, 3, 5])
def test_a_few_objects_are_judged(n):
    X = np.arange(2.0 * n).reshape(n, 2)
    for k in range(1, n + 1):
        found = judged(without_errors(X), np.arange(n) % k, k, 0)
        assert 0.0 <= found.score <= 1.0
        np.testing.assert_allclose(found.membership.sum(axis=1), 1.0)


def test_features_that_do_not_vary():
    X = np.c_[np.repeat([0.0, 5.0], 20), np.ones(40)]
    found = judged(without_errors(X), np.repeat([0, 1], 20), 2, 0)
    assert found.score > 0.99


def test_laws_reach_beyond_a_border():
    """Objects cut where two Gaussians meet: laws of each side alone are too narrow."""
    rng = np.random.default_rng(0)
    truth = rng.integers(2, size=3000)
    X = rng.normal(size=(3000, 2)) + 2.4 * truth[:, None] * [1.0, 0.0]
    labels = (X[:, 0] > 1.2).astype(int)
    some = without_errors(X)
    right = (labels == truth).mean()
    alone = laws_of(some, labels, 2, 0)[1].shares(some, 2).max(axis=1).mean()
    together = laws_together(some, labels, 2, 0).shares(some, 2).max(axis=1).mean()
    asked = judged(some, labels, 2, 0).membership.max(axis=1).mean()
    assert abs(together - right) < 0.02 < alone - right
    assert abs(asked - right) < 0.03


def test_stored_laws_name_the_cluster_of_each_component():
    components = Components(np.full(2, 0.5), np.zeros((2, 1)), np.ones((2, 1)))
    laws = Laws(components, np.array([0, 1]))
    changed(laws, clusters=np.array([1, 1]))
    refused(laws, clusters=np.array([0, 2]))
    refused(laws, clusters=np.array([-1, 0]))
