"""Shapes for testing a default, with unequal errors added to the values.

    python benchmarks/accuracy/shapes.py --jobs 2   # prints docs/measured/shapes.txt

Accuracy against the classes, of the controls, of the default, and of the default with
exact values. *ECE* is the calibration error of the default against the labels that it
gives exact values, *ECE class* against the classes; the last column is how many labels
with a confidence of 0.9 or more are right.
"""

import argparse
from itertools import product
from typing import NamedTuple

import numpy as np
from joblib import Parallel, delayed
from scores import calibration_error, in_names_of
from sklearn.metrics import normalized_mutual_info_score

import incerta as ic
from incerta.metrics import clustering_accuracy
from methods import answer

N_OBJECTS = 400
CONTROLS = ("k-means", "ErrorMixture", "kNN spectral")


class Errors(NamedTuple):
    """Errors of twice the level, times the spread within clusters and a log-normal."""

    level: float
    uneven: float
    by_class: bool = False  # half as large for even classes, 1.6 times for odd ones


ERRORS = {
    "small": Errors(0.25, 0.0),
    "small uneven": Errors(0.25, 0.8),
    "large uneven": Errors(0.5, 0.8),
    "by class": Errors(0.4, 0.4, by_class=True),
}


def around(centers, target, rng, within=1.0):
    return centers[target] + within * rng.normal(size=(len(target), centers.shape[1]))


def apart(rng, k, d, least, spread):
    """Draw centers with a least distance from each other."""
    while True:
        centers = spread * rng.normal(size=(k, d))
        gaps = np.linalg.norm(centers[:, None] - centers, axis=2)
        if gaps[~np.eye(k, dtype=bool)].min() >= least:
            return centers


def turned(rng, target, axes):
    """Draw clusters with these axes, each rotated differently."""
    k, d = target.max() + 1, len(axes)
    shapes = np.linalg.qr(rng.normal(size=(k, d, d)))[0] * axes
    return np.einsum("nij,nj->ni", shapes[target], rng.normal(size=(len(target), d)))


def sizes(rng):
    """Three round clusters of 70, 20 and 10%."""
    target = rng.choice(3, N_OBJECTS, p=[0.7, 0.2, 0.1])
    return around(apart(rng, 3, 3, 3.5, 3.0), target, rng), target


def rare(rng):
    """5% in a dense clump beside a round cloud."""
    target = (rng.random(N_OBJECTS) < 0.05).astype(int)
    centers, within = np.array([[0.0, 0.0], [4.5, 0.0]]), np.array([1.0, 0.5])
    return around(centers, target, rng, within[target, None]), target


def long(rng):
    """Three clusters eight times as long as wide."""
    target = rng.integers(3, size=N_OBJECTS)
    centers = apart(rng, 3, 2, 6.0, 5.0)
    return centers[target] + turned(rng, target, np.array([4.0, 0.5])), target


def parallel(rng):
    """Three strips side by side."""
    target = rng.integers(3, size=N_OBJECTS)
    strips = np.array([4.0, 0.4]) * rng.normal(size=(N_OBJECTS, 2))
    return strips + 2.5 * np.column_stack([0 * target, target]), target


def long6(rng):
    """Four clusters with six unequal axes."""
    target = rng.integers(4, size=N_OBJECTS)
    axes = np.array([3.0, 2.0, 1.0, 0.7, 0.5, 0.4])
    return apart(rng, 4, 6, 5.0, 3.0)[target] + turned(rng, target, axes), target


def t3(rng):
    """Four clusters with heavy tails."""
    target = rng.integers(4, size=N_OBJECTS)
    tails = rng.standard_t(3, size=(N_OBJECTS, 3))
    return apart(rng, 4, 3, 5.0, 4.0)[target] + tails, target


def background(rng):
    """Three round clusters, and 10% that belong to none (class −1, not scored)."""
    target = rng.integers(3, size=N_OBJECTS)
    X = around(apart(rng, 3, 2, 5.0, 4.0), target, rng)
    stray = rng.random(N_OBJECTS) < 0.1
    box = rng.uniform(X.min(axis=0) - 2.0, X.max(axis=0) + 2.0, size=X.shape)
    return np.where(stray[:, None], box, X), np.where(stray, -1, target)


def moon_and_blobs(rng):
    """A half circle around one blob, and another outside."""
    target = rng.integers(3, size=N_OBJECTS)
    angle = np.pi * rng.random(N_OBJECTS)
    moon = 3.0 * np.column_stack([np.cos(angle), np.sin(angle)])
    centers = np.array([[0.0, 0.0], [0.0, 0.0], [0.0, -3.5]])[target]
    X = np.where(target[:, None] == 0, moon, centers)
    width = np.array([0.25, 0.5, 0.6])[target, None]
    return X + width * rng.normal(size=X.shape), target


def nested(rng):
    """Two pairs of clusters."""
    target = rng.integers(4, size=N_OBJECTS)
    centers = np.array([[0.0, 0.0], [3.0, 0.0], [14.0, 0.0], [14.0, 3.0]])
    return around(centers, target, rng, 0.7), target


def units(rng):
    """Three clusters in units that differ by a million."""
    target = rng.integers(3, size=N_OBJECTS)
    scale = np.array([1e-3, 1.0, 1.0, 1e3])
    return around(apart(rng, 3, 4, 4.0, 2.5), target, rng) * scale, target


def skew(rng):
    """Three clusters of exponential features."""
    target = rng.integers(3, size=N_OBJECTS)
    tails = rng.exponential(size=(N_OBJECTS, 3))
    return apart(rng, 3, 3, 4.0, 3.0)[target] + tails, target


def moons(rng):
    """Two interleaved half circles."""
    target = rng.integers(2, size=N_OBJECTS)
    angle = np.pi * rng.random(N_OBJECTS)
    X = np.column_stack([np.cos(angle), np.sin(angle)])
    X = np.where(target[:, None] == 1, [1.0, 0.5] - X, X)
    return X + 0.07 * rng.normal(size=X.shape), target


def lowrank(rng):
    """Three clusters in a plane, seen in ten features."""
    target = rng.integers(3, size=N_OBJECTS)
    centers = 4.0 * np.array([[0.0, 0.0], [1.0, 0.0], [0.5, np.sqrt(0.75)]])
    places = around(centers, target, rng)
    X = places @ rng.normal(size=(2, 10))
    return X + 0.1 * rng.normal(size=X.shape), target


def wide(rng, d, informative):
    target = rng.integers(3, size=N_OBJECTS)
    X = rng.normal(size=(N_OBJECTS, d))
    X[:, :informative] += (4.5 / np.sqrt(informative)) * rng.normal(
        size=(3, informative)
    )[target]
    return X, target


def wide50(rng):
    """Three clusters in 5 of 50 features."""
    return wide(rng, 50, 5)


def wide200(rng):
    """Three clusters in 20 of 200 features."""
    return wide(rng, 200, 20)


def many20(rng):
    """Twenty clusters."""
    target = rng.integers(20, size=1000)
    return around(apart(rng, 20, 3, 3.5, 5.0), target, rng, 0.7), target


SHAPES = {
    each.__name__: each
    for each in (
        sizes,
        rare,
        long,
        parallel,
        long6,
        t3,
        background,
        moon_and_blobs,
        nested,
        units,
        skew,
        moons,
        lowrank,
        wide50,
        wide200,
        many20,
    )
}


def displaced(X, target, errors, rng):
    """Return values with errors, and the deviations of the errors."""
    known = target[target >= 0]
    spread = [X[target == c].std(axis=0) for c in np.unique(known)]
    within = np.mean(spread, axis=0)
    factors = errors.uneven * rng.normal(size=(len(X), 1))
    factors = factors + errors.uneven / 3.0 * rng.normal(size=X.shape)
    std = 2.0 * errors.level * within * np.exp(factors)
    if errors.by_class:
        std = std * np.where(target % 2 == 0, 0.5, 1.6)[:, None]
    return X + std * rng.normal(size=X.shape), std


def made(name, errors, seed):
    """Return a scaled shape with errors, its classes, and its exact values."""
    rng = np.random.default_rng([seed, *name.encode(), *errors.encode()])
    X, classes = SHAPES[name](rng)
    values, std = displaced(X, classes, ERRORS[errors], rng)
    data = ic.from_gaussian(values, std=std)
    scaler = ic.Standardizer().fit(data)
    return scaler.transform(data), classes, scaler.transform(ic.as_uncertain(X))


def row(name, errors, seed):
    """Return the accuracy of the default and the controls, and its calibration."""
    data, classes, exact = made(name, errors, seed)
    known = classes >= 0
    k = len(np.unique(classes[known]))

    def accuracy(labels):
        return clustering_accuracy(classes[known], labels[known])

    found = answer("incerta", data, k, seed)
    best = answer("incerta", exact, k, seed)
    confidence = found.membership.max(axis=1)
    right = in_names_of(classes[known], found.labels[known], k) == found.labels[known]
    agrees = in_names_of(best.labels, found.labels, k) == found.labels
    sure = confidence[known] >= 0.9
    return (
        *(accuracy(answer(m, data, k, seed).labels) for m in CONTROLS),
        accuracy(found.labels),
        normalized_mutual_info_score(classes[known], found.labels[known]),
        accuracy(best.labels),
        calibration_error(confidence, agrees),
        calibration_error(confidence[known], right),
        right[sure].mean() if sure.any() else np.nan,
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--shapes", default=",".join(SHAPES))
    options = parser.parse_args()
    cases = list(product(options.shapes.split(","), ERRORS, range(options.seeds)))
    rows = np.array(Parallel(options.jobs)(delayed(row)(*case) for case in cases))
    heads = (*CONTROLS, "default", "NMI", "exact", "ECE", "ECE class", "right if sure")
    print(f"{'':16}" + "".join(f"{head:>14}" for head in heads))
    names = [name for name, *_ in cases]
    for name in dict.fromkeys(names):
        told = np.nanmean(rows[[one == name for one in names]], axis=0)
        print(f"{name:16}" + "".join(f"{value:14.3f}" for value in told))
    told = np.nanmean(rows, axis=0)
    print(f"{'mean':16}" + "".join(f"{value:14.3f}" for value in told))


if __name__ == "__main__":
    main()
