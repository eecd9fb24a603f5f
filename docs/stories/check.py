"""Score an answer, and those of other methods on the values, against the truth.

python check.py MODEL TRUTH [--member KIND]

MODEL is what ``incerta fit -o`` wrote, TRUTH a table of objects and their kinds. ACC is
the share of objects in the right cluster, if clusters and kinds are matched as well as
can be; with ``--member`` it is F1 of one kind and the cluster that fits it best. The
others see the means of the values, on one scale, and the mean of the column where a
value is missing. Of HDBSCAN, which is not told the number of clusters, the best of four
settings counts, chosen by the truth; what it calls noise is one more cluster.
"""

import argparse
import csv
from pathlib import Path

import numpy as np
from scipy.optimize import linear_sum_assignment
from sklearn.cluster import HDBSCAN, KMeans
from sklearn.metrics import f1_score
from sklearn.mixture import GaussianMixture
from sklearn.preprocessing import StandardScaler

import incerta as ic
from incerta.wording import SURE

HDBSCAN_SIZES = (5, 10, 20, 40)


def true_kinds(path, ids):
    """Read the kind of each object from a table of two columns."""
    with Path(path).open(encoding="utf-8") as file:
        kinds = dict(list(csv.reader(file))[1:])
    return np.array([kinds[str(name)] for name in ids])


def score(truth, labels, member=None):
    if member is None:
        codes = np.unique(truth, return_inverse=True)[1]
        return ic.metrics.clustering_accuracy(codes, labels)
    return max(f1_score(truth == member, labels == c) for c in set(labels))


def right(truth, labels, member=None):
    """Return whether each object is in the cluster matched to its kind."""
    if member is not None:
        inside = truth == member
        best = max(set(labels), key=lambda c: f1_score(inside, labels == c))
        return inside == (labels == best)
    kinds, code = np.unique(truth, return_inverse=True)
    counts = np.zeros((len(kinds), labels.max() + 1))
    np.add.at(counts, (code, labels), 1)
    rows, columns = linear_sum_assignment(-counts)
    matched = dict(zip(columns, rows, strict=True))
    return np.array([matched.get(label) for label in labels]) == code


def by_others(values, k):
    """Yield labels of methods that treat values as exact, for each setting."""
    values = StandardScaler().fit_transform(values)
    values[np.isnan(values)] = 0.0
    yield "k-means", [KMeans(k, n_init=10, random_state=0).fit_predict(values)]
    mixture = GaussianMixture(k, n_init=5, random_state=0)
    yield "Gaussian mixture", [mixture.fit_predict(values)]
    sizes = [HDBSCAN(size, copy=True).fit_predict(values) for size in HDBSCAN_SIZES]
    yield "HDBSCAN", [np.where(one < 0, one.max() + 1, one) for one in sizes]


def confidence_of(result):
    """Return the probability of each object's label; for members, also of the field."""
    if not isinstance(result, ic.Members):
        return result.confidence
    every = np.column_stack([1.0 - result.probability.sum(axis=1), result.probability])
    return every.max(axis=1)


def scores(result, truth, member=None):
    """Score the answer, its sure objects, its other objects, and other methods."""
    found = {"incerta": score(truth, result.labels, member)}
    sure = confidence_of(result) >= SURE
    if member is None and 0 < sure.sum() < len(sure):
        correct = right(truth, result.labels)
        for name, some in (("sure of", sure), ("not sure of", ~sure)):
            found[f"  {some.sum()} it is {name}"] = correct[some].mean()
    values = result.data.mean()
    for name, answers in by_others(values, len(set(truth))):
        best = max(score(truth, labels, member) for labels in answers)
        found[f"{name} on the values"] = best
    return found


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("model")
    parser.add_argument("truth")
    parser.add_argument("--member")
    given = parser.parse_args()
    result = ic.load(given.model)
    truth = true_kinds(given.truth, result.data.ids)
    name = "ACC" if given.member is None else "F1"
    for method, found in scores(result, truth, given.member).items():
        print(f"{method:<32}{name} {found:.2f}")


if __name__ == "__main__":
    main()
