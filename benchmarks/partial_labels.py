"""The gain in accuracy from a few labels.

    python benchmarks/partial_labels.py              # some 10 minutes
    python benchmarks/partial_labels.py --small      # a size for tests

Exact data with classes are displaced by unequal errors (log-normal factors of 0.8), as
in the study of clustering (benchmarks/accuracy). One object of each class and then
random ones, up to a share of all, get labels; larger shares include the smaller ones.
The output is the accuracy for the objects without labels. The clusters of fits without
labels are named twice: by the objects with labels, and by all classes in the best way,
which is impossible in practice.
"""

import argparse
import sys
import warnings
from pathlib import Path

import numpy as np
from joblib import Parallel, delayed
from scipy.optimize import linear_sum_assignment
from sklearn.linear_model import LogisticRegression
from sklearn.semi_supervised import LabelSpreading, SelfTrainingClassifier

import incerta as ic

sys.path.insert(0, str(Path(__file__).parent / "accuracy"))

from sets import Design, displaced

SETS = ("iris", "wine", "digits", "overlapping", "moons")
SHARES = (0.01, 0.05, 0.1)
SIZE, UNEVEN = 0.4, 0.8


def told(classes, share, seed):
    """Return the classes of a share of the objects, at least one per class; else −1."""
    order = np.random.default_rng(seed).permutation(len(classes))
    first = np.unique(classes[order], return_index=True)[1]
    order = np.concatenate([order[first], np.delete(order, first)])
    chosen = order[: max(len(first), round(share * len(classes)))]
    labels = np.full(len(classes), -1)
    labels[chosen] = classes[chosen]
    return labels


def named_by(labels, clusters, k):
    """Rename clusters of a fit without labels by the objects with labels."""
    known = labels >= 0
    overlap = np.zeros((k, k))
    np.add.at(overlap, (clusters[known], labels[known]), 1.0)
    return linear_sum_assignment(overlap, maximize=True)[1][clusters]


def ours(k, n_worlds):
    return {
        "ErrorMixture": ic.ErrorMixture(k, random_state=0),
        "AutoClusterer": ic.AutoClusterer(k, n_worlds=n_worlds, random_state=0),
    }


def accuracies(name, seed, n_worlds):
    """Return the accuracies {(method, share): accuracy}."""
    case = displaced(name, Design(SIZE, UNEVEN), seed)
    data, classes, found = case.scaled(), case.classes, {}
    values, k = data.mean(), classes.max() + 1
    blind = {name: m.fit(data).labels_ for name, m in ours(k, n_worlds).items()}
    for share in SHARES:
        labels = told(classes, share, seed)
        known, open_ = np.flatnonzero(labels >= 0), np.flatnonzero(labels < 0)
        for method, model in ours(k, n_worlds).items():
            right = model.fit(data, labels).labels_ == classes
            found[method, share] = right[open_].mean()
            clusters = blind[method]
            named = named_by(labels, clusters, k) == classes
            found[f"{method}, named after", share] = named[open_].mean()
            best = ic.metrics.clustering_accuracy(classes[open_], clusters[open_])
            found[f"{method}, named by all", share] = best
        alone = ic.ErrorDiscriminant().fit(data[known], labels[known])
        right = alone.predict(data[open_]) == classes[open_]
        found["ErrorDiscriminant, labeled only", share] = right.mean()
        peers = {
            "LabelSpreading, values": LabelSpreading("knn", n_neighbors=10),
            "SelfTraining, values": SelfTrainingClassifier(
                LogisticRegression(max_iter=500)
            ),
        }
        for method, peer in peers.items():
            right = peer.fit(values, labels).predict(values[open_]) == classes[open_]
            found[method, share] = right.mean()
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--small", action="store_true", help="a size for tests")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--worlds", type=int, default=4)
    parser.add_argument("--jobs", type=int, default=1)
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    sets, seeds, n_worlds = SETS, given.seeds, given.worlds
    if given.small:
        sets, seeds, n_worlds = ("iris",), 1, 2
    cases = [(name, seed) for name in sets for seed in range(seeds)]
    runs = Parallel(given.jobs)(delayed(accuracies)(*case, n_worlds) for case in cases)
    print(f"errors of {SIZE}, {seeds} seeds, {n_worlds} worlds; share of labels:")
    print(f"{'':46}" + "".join(f"{share:>7.0%}" for share in SHARES))
    for method in dict.fromkeys(method for method, _ in runs[0]):
        for chosen in ("all sets", *sets):
            some = [
                run
                for (name, _), run in zip(cases, runs, strict=True)
                if chosen in (name, "all sets")
            ]
            means = [np.mean([run[method, share] for run in some]) for share in SHARES]
            head = method if chosen == "all sets" else ""
            print(f"{head:34}{chosen:12}" + "".join(f"{mean:7.3f}" for mean in means))


if __name__ == "__main__":
    main()
