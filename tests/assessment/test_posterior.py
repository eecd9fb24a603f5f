"""Probabilities of given labels: cross-fitted, calibrated, and the wrong ones."""

import numpy as np
import pytest
from scipy.stats import norm

from incerta.assessment.posterior import (
    along_common_axes,
    best_temper,
    posterior,
    tempered,
)
from incerta.mixture.model import Measured


def case(n=1200, apart=2.5, seed=0):
    """Two Gaussians in a line with unequal errors, and the true posterior."""
    rng = np.random.default_rng(seed)
    labels = (rng.random(n) < 0.3).astype(np.intp)
    errors = 0.5 * np.exp(0.5 * rng.normal(size=n))
    values = apart * labels + rng.normal(size=n) + errors * rng.normal(size=n)
    wide = np.sqrt(1.0 + errors**2)
    each = np.array(
        [0.7 * norm.pdf(values, 0, wide), 0.3 * norm.pdf(values, apart, wide)]
    )
    return (
        Measured(values[None], np.square(errors)[None]),
        labels,
        (each / each.sum(0)).T,
    )


def with_wrong(labels, share, k, seed=1):
    rng = np.random.default_rng(seed)
    rows = rng.permutation(len(labels))[: round(share * len(labels))]
    given = labels.copy()
    given[rows] = (labels[rows] + rng.integers(1, k, len(rows))) % k
    return given


def test_probabilities_are_near_the_true_ones():
    some, labels, true = case()
    found = posterior(some, labels, 2, 0)
    assert np.abs(found.probability - true).mean() < 0.03
    np.testing.assert_allclose(found.probability.sum(axis=1), 1.0)


def test_rare_labels_keep_their_size_when_laws_take_as_many_of_each():
    some, labels, true = case(n=9000)
    found = posterior(some, labels, 2, 0)  # 6300 and 2700, of which 2000 are taken
    np.testing.assert_allclose(found.probability.mean(axis=0), [0.7, 0.3], atol=0.02)
    assert np.abs(found.probability - true).mean() < 0.03


def test_objects_are_halved_by_label():
    some, labels, _ = case(n=301)
    found = posterior(some, labels, 2, 0)
    for c in (0, 1):
        sizes = np.bincount(found.fold[labels == c])
        assert abs(sizes[0] - sizes[1]) <= 1


def test_objects_without_a_label_are_predicted_by_both_folds():
    some, labels, true = case()
    given = np.where(np.arange(len(labels)) % 4 == 0, -1, labels)
    found = posterior(some, given, 2, 0)
    free = given < 0
    assert (found.fold[free] == -1).all()
    assert np.isnan(found.right[free]).all()
    assert np.isfinite(found.right[~free]).all()
    assert np.abs(found.probability[free] - true[free]).mean() < 0.03


@pytest.mark.parametrize("share", [0.0, 0.05, 0.2])
def test_wrong_labels_are_counted_and_found(share):
    some, labels, _ = case(n=3000, apart=5.0)
    given = with_wrong(labels, share, 2)
    found = posterior(some, given, 2, 0)
    assert (1.0 - found.right).mean() == pytest.approx(share, abs=0.02)
    wrong = given != labels
    if share:
        assert found.right[wrong].mean() < 0.2
    assert found.right[~wrong].mean() > 0.95


def test_tempered_is_the_formula():
    share = np.array([[0.8, 0.15, 0.05]])
    true, given = tempered(share, 0.5, 0.1)
    roots = np.sqrt(share) / np.sqrt(share).sum()
    np.testing.assert_allclose(true, roots)
    np.testing.assert_allclose(given, 0.9 * roots + 0.05 * (1.0 - roots))


def test_temper_is_found_again():
    rng = np.random.default_rng(0)
    share = rng.dirichlet([0.3, 0.3, 0.3], 20_000)
    given = tempered(share, 0.6, 0.1)[1]
    labels = (given.cumsum(axis=1) < rng.random((20_000, 1))).sum(axis=1)
    np.testing.assert_allclose(best_temper(share, labels), (0.6, 0.1), atol=0.03)


def test_a_single_label_is_certain():
    some, labels, _ = case(n=60)
    found = posterior(some, np.zeros_like(labels), 1, 0)
    np.testing.assert_array_equal(found.probability, 1.0)
    np.testing.assert_array_equal(found.right, 1.0)


def test_many_features_are_rotated_to_the_axes_within_labels():
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 3, 400)
    mix = rng.normal(size=(15, 15))
    values = rng.normal(size=(400, 15)) @ mix + 9.0 * labels[:, None]
    errors = rng.uniform(0.1, 1.0, size=(400, 15))
    some = along_common_axes(Measured(values.T, errors.T), labels)
    within = sum(
        np.cov(some.values[:, labels == c]) * (labels == c).sum() for c in range(3)
    )
    off = within - np.diag(np.diag(within))
    assert np.abs(off).max() < 0.02 * np.diag(within).max()
    # Distances stay, and so do the sizes of errors.
    apart = np.square(values[0] - values[1]).sum()
    np.testing.assert_allclose(
        np.square(some.values[:, 0] - some.values[:, 1]).sum(), apart
    )
    np.testing.assert_allclose(some.errors.sum(axis=0), errors.sum(axis=1))
    few = Measured(values[:, :3].T, errors[:, :3].T)
    assert along_common_axes(few, labels) is few


def test_few_objects_share_what_their_labels_have_in_common():
    # Twelve of each label, narrow across a diagonal that no feature has for its own.
    rng = np.random.default_rng(0)
    labels = np.repeat([0, 1, 2], 12)
    axes = np.linalg.qr(rng.normal(size=(6, 6)))[0]
    apart = 4.0 * labels[:, None] * axes[:, 5] * 0.25
    values = rng.normal(size=(36, 6)) * [3, 3, 3, 2, 2, 0.25] @ axes.T + apart
    some = Measured(values.T, np.zeros((6, 36)))
    turned = along_common_axes(some, labels)
    np.testing.assert_allclose(np.square(turned.values).sum(0), (values**2).sum(1))
    found = posterior(turned, labels, 3, 0)
    assert (found.probability.argmax(axis=1) == labels).mean() > 0.9
    many = Measured(np.tile(values.T, 30), np.zeros((6, 36 * 30)))
    assert along_common_axes(many, np.tile(labels, 30)) is many
