from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from incerta.metrics import clustering_accuracy

partitions = st.integers(1, 12).flatmap(
    lambda n: st.tuples(
        st.lists(st.integers(0, 2), min_size=n, max_size=n),
        st.lists(st.integers(-1, 3), min_size=n, max_size=n),
    )
)


def best_match(y, labels):
    """Try every one-to-one map of clusters to classes, as the definition says."""
    clusters, classes = sorted(set(labels) - {-1}), sorted(set(y))
    padded = classes + [None] * len(clusters)
    return max(
        sum(
            dict(zip(clusters, chosen, strict=True)).get(label, "noise") == true
            for true, label in zip(y, labels, strict=True)
        )
        for chosen in set(permutations(padded, len(clusters)))
    )


@given(partitions)
def test_accuracy_is_the_best_over_all_matches(pair):
    y, labels = pair
    assert clustering_accuracy(y, labels) == best_match(y, labels) / len(y)


@given(partitions)
def test_noise_of_accuracy(pair):
    y, labels = pair
    renamed = [9 if label == -1 else label for label in labels]
    right = best_match(y, renamed)
    assert clustering_accuracy(y, labels, noise="cluster") == right / len(y)
    kept = [(a, b) for a, b in zip(y, labels, strict=True) if b != -1]
    if kept:
        expected = best_match(*zip(*kept, strict=True)) / len(kept)
        assert clustering_accuracy(y, labels, noise="ignore") == expected


@given(pair=partitions, shift=st.integers(1, 5))
def test_names_do_not_matter(pair, shift):
    y, labels = pair
    text = [f"class {shift - value}" for value in y]
    renamed = [label if label == -1 else (label + shift) % 5 for label in labels]
    assert clustering_accuracy(text, renamed) == pytest.approx(
        clustering_accuracy(y, labels), abs=1e-12
    )


@given(pair=partitions)
def test_a_partition_agrees_with_itself(pair):
    y, _ = pair
    assert clustering_accuracy(y, y) == pytest.approx(1.0)


def test_more_clusters_than_classes_are_wrong():
    assert clustering_accuracy([0, 0, 0, 1], [0, 1, 2, 3]) == 0.5
    assert clustering_accuracy([0, 1, 2, 3], [0, 0, 0, 0]) == 0.25


def test_all_noise():
    assert clustering_accuracy([0, 1], [-1, -1]) == 0.0
    with pytest.raises(ValueError, match="noise='ignore'"):
        clustering_accuracy([0, 1], [-1, -1], noise="ignore")


def test_text_labels_know_no_noise():
    assert clustering_accuracy(["a", "b"], ["-1", "x"]) == 1.0


def test_float_labels_are_labels():
    assert clustering_accuracy([0.0, 0.0, 1.5], [-1.0, 2.0, 3.0]) == pytest.approx(
        2 / 3
    )


@pytest.mark.parametrize(
    ("y", "labels", "words"),
    [
        ([0, 1], [0], "y has 2 entries, labels 1"),
        ([], [], "empty"),
        ([[0], [1]], [0, 1], r"y has shape \(2, 1\)"),
        ([0, 1], 0, r"labels has shape \(\)"),
        ([0, 1], [0, np.nan], "labels has NaN at position 1"),
        (np.array([0, "a"], dtype=object), [0, 1], "y mixes types"),
    ],
)
def test_bad_input_is_named(y, labels, words):
    with pytest.raises(ValueError, match=words):
        clustering_accuracy(y, labels)


def test_an_unknown_rule_for_noise_is_named():
    with pytest.raises(ValueError, match="noise='singletons' must be"):
        clustering_accuracy([0, 1], [0, 1], noise="singletons")
