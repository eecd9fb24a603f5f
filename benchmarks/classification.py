"""Do classifiers that know the errors beat the same ones that do not?

    python benchmarks/classification.py              # some 20 minutes
    python benchmarks/classification.py --small      # a size for tests

Exact data with classes are displaced by unequal errors of three sizes (log-normal
factors of 0.8), as in the study of clustering (benchmarks/accuracy). Each classifier of
ours stands beside the classical one that takes the values as if they were exact, with
the same folds. Brier is the mean squared error of the probabilities, lower is better.
"""

import argparse
import sys
import warnings
from pathlib import Path

import numpy as np
from joblib import Parallel, delayed
from sklearn.calibration import CalibratedClassifierCV
from sklearn.discriminant_analysis import QuadraticDiscriminantAnalysis
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold
from sklearn.naive_bayes import GaussianNB
from sklearn.svm import SVC

import incerta as ic

sys.path.insert(0, str(Path(__file__).parent / "accuracy"))

from sets import SIZES, Design, displaced

SETS = (
    "iris",
    "wine",
    "cancer",
    "ecoli",
    "waveform",
    "blobs",
    "overlapping",
    "moons",
)
UNEVEN = 0.8


def machine(X):
    """A support vector machine with the width that ours has by default."""
    apart = np.sqrt(((X[:, None] - X) ** 2).sum(axis=-1))
    width = np.median(apart[np.triu_indices(len(X), 1)])
    return CalibratedClassifierCV(SVC(gamma=0.5 / width**2), ensemble=False)


# Ours, and the same one that takes the values as exact.
PAIRS = {
    "ErrorDiscriminant": (
        lambda X: ic.ErrorDiscriminant(),
        lambda X: QuadraticDiscriminantAnalysis(reg_param=0.01),
    ),
    "UncertainNaiveBayes": (
        lambda X: ic.UncertainNaiveBayes(density="gaussian"),
        lambda X: GaussianNB(),
    ),
    "UncertainNaiveBayes, kernels": (
        lambda X: ic.UncertainNaiveBayes(),
        lambda X: Kernels(),
    ),
    "SupportMeasureClassifier": (lambda X: ic.SupportMeasureClassifier(), machine),
    "WorldVote of logistic regression": (
        lambda X: ic.WorldVote(LogisticRegression(max_iter=500)),
        lambda X: LogisticRegression(max_iter=500),
    ),
}


class Kernels(ic.UncertainNaiveBayes):
    """Naive Bayes by kernels that takes the values as exact."""

    def __init__(self):
        super().__init__()


def scores(name, size, seed):
    """Accuracy and Brier score of all, in folds: rows (pair, ours or not)."""
    case = displaced(name, Design(size, UNEVEN), seed)
    data, classes = case.data, case.classes
    values, found = data.mean(), {}
    rare = np.flatnonzero(np.bincount(classes) < 10)
    kept = np.flatnonzero(~np.isin(classes, rare))
    data, values = data[kept], values[kept]
    classes = np.unique(classes[kept], return_inverse=True)[1]
    folds = StratifiedKFold(5, shuffle=True, random_state=seed)
    for pair, makers in PAIRS.items():
        for which, (make, X) in enumerate(zip(makers, (data, values), strict=True)):
            probable = np.empty((len(classes), classes.max() + 1))
            for train, test in folds.split(values, classes):
                model = make(values[train]).fit(X[train], classes[train])
                probable[test] = model.predict_proba(X[test])
            right = probable.argmax(axis=1) == classes
            miss = probable - np.eye(probable.shape[1])[classes]
            found[pair, which] = right.mean(), np.square(miss).sum(axis=1).mean()
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--small", action="store_true", help="a size for tests")
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--jobs", type=int, default=1)
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    sets, seeds = (("iris",), 1) if given.small else (SETS, given.seeds)
    sizes = SIZES[1:2] if given.small else SIZES
    cases = [(name, size, s) for name in sets for size in sizes for s in range(seeds)]
    runs = Parallel(given.jobs)(delayed(scores)(*case) for case in cases)
    print(f"{len(sets)} sets, {len(sizes)} sizes of errors, {seeds} seeds, 5 folds")
    head = ("accuracy", "values", "gain", "Brier", "values", "less")
    print(f"{'':34}" + "".join(f"{word:>9}" for word in head))

    def line(label, chosen, pair):
        ours, theirs = (
            np.mean([run[pair, which] for run in chosen], axis=0) for which in (0, 1)
        )
        less = 1.0 - ours[1] / theirs[1]
        print(
            f"{label:34}{ours[0]:9.3f}{theirs[0]:9.3f}{ours[0] - theirs[0]:+9.3f}"
            f"{ours[1]:9.3f}{theirs[1]:9.3f}{less:9.1%}"
        )

    for pair in PAIRS:
        line(pair, runs, pair)
        for size in sizes:
            some = [r for c, r in zip(cases, runs, strict=True) if c[1] == size]
            line(f"  errors of {size}", some, pair)
        for name in sets:
            some = [r for c, r in zip(cases, runs, strict=True) if c[0] == name]
            line(f"  {name}", some, pair)


if __name__ == "__main__":
    main()
