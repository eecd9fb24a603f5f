"""Scores of an answer, relative to classes and to the labels of exact data."""

from typing import NamedTuple

import numpy as np
from scipy.optimize import linear_sum_assignment
from sklearn.metrics import normalized_mutual_info_score

from incerta.metrics import clustering_accuracy

COVERAGE = 0.9
N_BINS = 10


class Scores(NamedTuple):
    acc: float  # against the classes
    nmi: float
    agrees: float = np.nan  # share of the objects with the label that exact data give
    confidence: float = np.nan  # mean
    ece: float = np.nan  # expected calibration error against that label
    covered: float = np.nan  # share of the objects whose label set contains that label
    promised: float = np.nan  # expected share, by the probabilities
    set_size: float = np.nan


def scored(classes, labels, membership, exact_labels) -> Scores:
    """Score one answer; the last two may be None."""
    kept = labels >= 0
    acc = clustering_accuracy(classes, labels)
    nmi = normalized_mutual_info_score(classes, labels)
    if membership is None or exact_labels is None or not kept.all():
        return Scores(acc, nmi)
    named = in_names_of(exact_labels, labels, membership.shape[1])
    right = named == labels
    rows = np.arange(len(labels))
    confidence = membership[rows, labels]
    order = np.argsort(-membership, axis=1, kind="stable")
    sums = np.cumsum(np.take_along_axis(membership, order, axis=1), axis=1)
    sizes = 1 + (sums < COVERAGE - 1e-9).sum(axis=1)
    place = (order == named[:, None]).argmax(axis=1)
    known = (order == named[:, None]).any(axis=1)
    return Scores(
        acc,
        nmi,
        right.mean(),
        confidence.mean(),
        calibration_error(confidence, right),
        (known & (place < sizes)).mean(),
        sums[rows, sizes - 1].mean(),
        sizes.mean(),
    )


def in_names_of(labels, reference, k):
    """Rename labels to those of a reference."""
    size = max(k, labels.max() + 1, reference.max() + 1)
    overlap = np.zeros((size, size))
    np.add.at(overlap, (labels, reference), 1)
    return linear_sum_assignment(-overlap)[1][labels]


def calibration_error(confidence, right):
    """Return the mean difference between confidence and truth in ten bins."""
    bins = np.minimum((confidence * N_BINS).astype(int), N_BINS - 1)
    off = 0.0
    for b in np.unique(bins):
        here = bins == b
        off += here.mean() * abs(confidence[here].mean() - right[here].mean())
    return off
