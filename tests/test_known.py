"""Labels that are known of some objects: what is taken for them, and what is not."""

import numpy as np
import pytest

from incerta.backend.keyed import keys_of
from incerta.known import (
    class_means,
    kept,
    known_labels,
    n_named,
    named_order,
    some_with_labels,
    surely,
)
from incerta.labels import numbered
from incerta.lloyd import lloyd


@pytest.mark.parametrize(
    "y",
    [
        None,
        [-1, -1, -1, -1],
        # Classes of all objects: what model selection compares with, not labels.
        [0, 1, 1, 0],
        [4, 5, 6, 7],
        ["a", "b", "a", "b"],
        [0.3, 0.2, 0.1, 0.5],
        [1, 2, 3],
    ],
)
def test_nothing_is_known(y):
    assert known_labels(y, 4, 3, "n_clusters") is None


@pytest.mark.parametrize("kind", [np.int8, np.int64, np.float64, object, list])
def test_labels(kind):
    y = [0, -1, 2, -1] if kind is list else np.array([0, -1, 2, -1]).astype(kind)
    found = known_labels(y, 4, 3, "n_clusters")
    assert found.dtype == np.intp
    np.testing.assert_array_equal(found, [0, -1, 2, -1])


@pytest.mark.parametrize(
    ("y", "says"),
    [
        ([0, -1, 1], r"shape \(3,\).*4 objects"),
        ([[0], [-1], [1], [1]], r"shape \(4, 1\)"),
        ([0, -1, 3, 1], r"label 3.*n_clusters=3.*largest is 2; raise n_clusters"),
        ([0, -1, -2, 1], "label -2"),
        ([0.0, -1.0, 0.5, 1.0], r"label .*0\.5.*whole numbers"),
        (np.array(["a", -1, "b", "a"], dtype=object), r"label 'a'.*np\.unique"),
        ([0.0, np.nan, 1.0, 1.0], "gaps.*-1"),
        (np.array([0, None, 1, -1], dtype=object), "gaps.*-1"),
    ],
)
def test_what_cannot_be_labels(y, says):
    with pytest.raises(ValueError, match="y has " + ".*") as raised:
        known_labels(y, 4, 3, "n_clusters")
    assert raised.match(says)


def test_known_labels_stay():
    known = np.array([2, -1, 0])
    np.testing.assert_array_equal(kept(np.array([1, 1, 1]), known), [2, 1, 0])
    found = surely(np.full((3, 3), 1 / 3), known)
    np.testing.assert_array_equal(found[[0, 2]], [[0, 0, 1], [1, 0, 0]])
    np.testing.assert_array_equal(found[1], np.full(3, 1 / 3))


def test_names_go_up_to_the_highest_known_label():
    assert n_named(None) == 0
    assert n_named(np.array([-1, 0, 2])) == 3


def test_clusters_without_names_are_numbered_as_they_appear():
    labels = np.array([3, -1, 1, 2, 0])
    np.testing.assert_array_equal(numbered(labels, 5), [3, 1, 2, 0, 4])
    np.testing.assert_array_equal(numbered(labels, 5, 2), [0, 1, 3, 2, 4])


def test_centers_are_named_by_what_is_near():
    places = np.array([[0.0], [0.2], [5.0], [9.0], [9.2]])
    known = np.array([2, -1, -1, 0, 0])
    classes, means = class_means(places, known)
    assert classes.tolist() == [0, 2]
    np.testing.assert_allclose(means, [[9.1], [0.0]])
    centers = np.array([[0.1], [7.0], [9.1], [5.0]])
    np.testing.assert_array_equal(named_order(centers, places, known), [2, 1, 0, 3])


def test_up_to_half_of_some_objects_have_labels():
    keys, known = keys_of(np.arange(1000)), np.full(1000, -1)
    known[:5] = 0
    few = some_with_labels(keys, 100, 0, known)
    assert len(few) == 100
    assert few[:5].tolist() == [0, 1, 2, 3, 4]
    many = some_with_labels(keys, 100, 0, np.zeros(1000, dtype=int) - (keys % 3 == 0))
    assert len(np.unique(many)) == 100


@pytest.mark.parametrize("seed", range(4))
def test_k_means_that_keeps_labels(seed):
    """What k-means ends at: means of own objects, and all others at the nearest one."""
    rng = np.random.default_rng(seed)
    values = rng.normal(size=(40, 2))
    known = np.where(rng.random(40) < 0.3, rng.integers(3, size=40), -1)
    weights = rng.uniform(0.5, 2.0, size=40)
    found = lloyd(values, 4, 5, rng, weights, known)
    np.testing.assert_array_equal(found.labels[known >= 0], known[known >= 0])
    apart = np.square(values[:, None] - found.centers).sum(axis=2)
    free = known < 0
    np.testing.assert_array_equal(found.labels[free], apart[free].argmin(axis=1))
    for c in range(4):
        own = found.labels == c
        mean = np.average(values[own], axis=0, weights=weights[own])
        np.testing.assert_allclose(found.centers[c], mean, atol=0.02)


def test_classes_in_words_are_not_passed_over():
    with pytest.raises(ValueError, match="y mixes text and -1"):
        known_labels(["a", "a", -1], 3, 2, "n_clusters")
    assert known_labels(["a", "b", "a"], 3, 2, "n_clusters") is None
