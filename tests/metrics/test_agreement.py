from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import adjusted_rand_score

from incerta.metrics import ari, clustering_accuracy, f_measure, nmi

MEASURES = [clustering_accuracy, nmi, ari, f_measure]
# Rows are classes: [[4, 1], [0, 3], [0, 2]].
Y = np.repeat([0, 0, 1, 2], [4, 1, 3, 2])
LABELS = np.repeat([0, 1, 1, 1], [4, 1, 3, 2])

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


@pytest.mark.parametrize("measure", MEASURES)
@given(pair=partitions, shift=st.integers(1, 5))
def test_names_do_not_matter(measure, pair, shift):
    y, labels = pair
    text = [f"class {shift - value}" for value in y]
    renamed = [label if label == -1 else (label + shift) % 5 for label in labels]
    assert measure(text, renamed) == pytest.approx(measure(y, labels), abs=1e-12)


@pytest.mark.parametrize("measure", MEASURES)
@given(pair=partitions)
def test_a_partition_agrees_with_itself(measure, pair):
    y, _ = pair
    assert measure(y, y) == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("average", "expected"),
    [
        ("geometric", 0.507913),
        ("arithmetic", 0.496646),
        ("max", 0.410634),
        ("min", 0.628236),
    ],
)
def test_nmi_by_hand(average, expected):
    assert nmi(Y, LABELS, average=average) == pytest.approx(expected, abs=5e-7)


def test_nmi_is_arithmetic_unless_told():
    assert nmi(Y, LABELS) == nmi(Y, LABELS, average="arithmetic")


def test_f_measure_by_hand():
    assert f_measure(Y, LABELS) == pytest.approx(0.744444, abs=5e-7)
    assert f_measure(Y, LABELS, average="macro") == pytest.approx(0.738609, abs=5e-7)


@given(partitions)
def test_f_measure_as_defined(pair):
    y, labels = map(np.array, pair)
    total, precisions, recalls = 0.0, [], []
    for u in np.unique(y):
        best = []
        for v in np.unique(labels):
            both = ((y == u) & (labels == v)).sum()
            p, r = both / (labels == v).sum(), both / (y == u).sum()
            best.append((2 * p * r / (p + r) if both else 0.0, p, r))
        f, p, r = (max(column) for column in zip(*best, strict=True))
        total += (y == u).mean() * f
        precisions.append(p)
        recalls.append(r)
    p, r = np.mean(precisions), np.mean(recalls)
    assert f_measure(y, labels) == pytest.approx(total)
    macro = f_measure(y, labels, average="macro")
    assert macro == pytest.approx(2 * p * r / (p + r))


@given(partitions)
def test_ari_is_that_of_scikit_learn(pair):
    assert ari(*pair) == pytest.approx(adjusted_rand_score(*pair), abs=1e-12)


@pytest.mark.parametrize("average", ["arithmetic", "geometric", "max", "min"])
def test_trivial_partitions(average):
    assert nmi([0, 0, 0], [4, 4, 4], average=average) == 1.0
    assert nmi([0, 0, 1], [4, 4, 4], average=average) == 0.0
    assert nmi([0, 0, 0], [4, 4, 5], average=average) == 0.0


def test_more_clusters_than_classes_are_wrong():
    assert clustering_accuracy([0, 0, 0, 1], [0, 1, 2, 3]) == 0.5
    assert clustering_accuracy([0, 1, 2, 3], [0, 0, 0, 0]) == 0.25


def test_all_noise():
    assert clustering_accuracy([0, 1], [-1, -1]) == 0.0
    with pytest.raises(ValueError, match="noise='ignore'"):
        clustering_accuracy([0, 1], [-1, -1], noise="ignore")


@pytest.mark.parametrize("measure", [nmi, ari, f_measure])
def test_noise_as_singletons(measure):
    y, noisy, singles = [0, 0, 1, 1], [0, 0, -1, -1], [0, 0, 1, 2]
    assert measure(y, noisy) == pytest.approx(1.0)
    apart = measure(y, noisy, noise="singletons")
    assert apart == pytest.approx(measure(y, singles))
    assert apart < 1


def test_text_labels_know_no_noise():
    assert clustering_accuracy(["a", "b"], ["-1", "x"]) == 1.0


def test_float_labels_are_labels():
    assert clustering_accuracy([0.0, 0.0, 1.5], [-1.0, 2.0, 3.0]) == pytest.approx(
        2 / 3
    )


@pytest.mark.parametrize("measure", MEASURES)
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
def test_bad_input_is_named(measure, y, labels, words):
    with pytest.raises(ValueError, match=words):
        measure(y, labels)


@pytest.mark.parametrize(
    ("measure", "options"),
    [
        (clustering_accuracy, {"noise": "singletons"}),
        (nmi, {"average": "mean"}),
        (nmi, {"noise": "error"}),
        (f_measure, {"average": "micro"}),
    ],
)
def test_unknown_options_are_named(measure, options):
    (name,) = options
    with pytest.raises(ValueError, match=f"{name}=.*choose one of"):
        measure(Y, LABELS, **options)
