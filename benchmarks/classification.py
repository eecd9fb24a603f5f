"""Classifiers with measurement errors, beside the same classifiers without.

    python benchmarks/classification.py              # some 20 minutes
    python benchmarks/classification.py --kepler     # a minute or two
    python benchmarks/classification.py --small      # a size for tests

Exact data with classes are displaced by unequal errors of three sizes (log-normal
factors of 0.8), as in the study of clustering (benchmarks/accuracy). Each classifier is
beside the classical one, which treats the values as exact, with the same folds. Brier
is the mean squared error of the probabilities; lower is better.

--kepler uses real error bars instead: confirmed planets and false positives of the
Kepler mission, beside a random forest on the values alone.
"""

import argparse
import sys
import warnings
from pathlib import Path

import numpy as np
from joblib import Parallel, delayed
from sklearn.calibration import CalibratedClassifierCV
from sklearn.discriminant_analysis import QuadraticDiscriminantAnalysis
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold
from sklearn.naive_bayes import GaussianNB
from sklearn.svm import SVC

import incerta as ic

sys.path.insert(0, str(Path(__file__).parent / "accuracy"))
sys.path.append(str(Path(__file__).parents[1]))  # paper is beside src

from paper.datasets import fetch_kepler
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
    """Return a support vector machine with the default width of ours."""
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
    "WorldsClassifier of logistic regression": (
        lambda X: ic.WorldsClassifier(LogisticRegression(max_iter=500)),
        lambda X: LogisticRegression(max_iter=500),
    ),
}


class Kernels(ic.UncertainNaiveBayes):
    """Naive Bayes with kernel densities of exact values."""

    def __init__(self):
        super().__init__()


def scores(name, size, seed):
    """Return accuracies and Brier scores in folds, with rows (pair, ours or not)."""
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
            found[pair, which] = in_folds(make, X, values, classes, folds)
    return found


def in_folds(make, X, values, classes, folds):
    """Return the accuracy and Brier score of a classifier for held-out objects."""
    probable = np.empty((len(classes), classes.max() + 1))
    for train, test in folds.split(values, classes):
        model = make(values[train]).fit(X[train], classes[train])
        probable[test] = model.predict_proba(X[test])
    right = probable.argmax(axis=1) == classes
    miss = probable - np.eye(probable.shape[1])[classes]
    return right.mean(), np.square(miss).sum(axis=1).mean()


def forest(values):
    return RandomForestClassifier(100, random_state=0)


def mixtures(values):
    return ic.ErrorDiscriminant(3, n_init=1)


# Rows of the Kepler table, and the input of each.
OF_KEPLER = {
    **{name: (ours, "values, errors") for name, (ours, _) in PAIRS.items()},
    "ErrorDiscriminant(3)": (mixtures, "values, errors"),
    "  radii with one error": (mixtures, "values, shared"),
    "  values as exact": (mixtures, "values"),
    "quadratic discriminant": (PAIRS["ErrorDiscriminant"][1], "values"),
    "WorldsClassifier of RandomForest": (
        lambda X: ic.WorldsClassifier(RandomForestClassifier(20), n_worlds=10),
        "values, errors",
    ),
    "RandomForest": (forest, "values"),
    "  and errors as features": (forest, "both as numbers"),
    "  errors only": (forest, "errors as numbers"),
}


def radii_with_one_error(data):
    """Correlate the errors of the radii of planets and stars.

    The radius of a planet is a multiple of that of its star, and so is most of its
    error. The catalog states no correlations.
    """
    planet = data.feature_names.index("log_planet_radius")
    star = data.feature_names.index("log_star_radius")
    cov = data.variance()[:, :, None] * np.eye(data.n_features)
    shared = 0.99 * data.variance()[:, [planet, star]].min(axis=1)
    cov[:, planet, star] = cov[:, star, planet] = shared
    return ic.from_gaussian(data.mean(), cov=cov)


def kepler(n_objects, n_folds):
    """Print the accuracy for planets and false positives."""
    found = fetch_kepler(progress=False)
    some = np.random.default_rng(0).permutation(len(found.target))[:n_objects]
    raw, classes = found.data[some], found.target[some]
    data, shared = map(
        ic.Standardizer().fit_transform, (raw, radii_with_one_error(raw))
    )
    values, errors = data.mean(), np.log(data.variance())
    given = {
        "values, errors": data,
        "values, shared": shared,
        "values": values,
        "both as numbers": np.hstack([values, errors]),
        "errors as numbers": errors,
    }
    folds = StratifiedKFold(n_folds, shuffle=True, random_state=0)
    share = f"{classes.mean():.0%} of them planets"
    print(f"{len(data)} Kepler objects, {share}, {n_folds} folds")
    print(f"{'':34}{'given':19}{'accuracy':>9}{'Brier':>9}")
    for name, (make, what) in OF_KEPLER.items():
        accuracy, brier = in_folds(make, given[what], values, classes, folds)
        print(f"{name:34}{what:19}{accuracy:9.3f}{brier:9.3f}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--small", action="store_true", help="a size for tests")
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--kepler", action="store_true", help="real error bars")
    parser.add_argument("--objects", type=int, default=2000, help="of Kepler")
    parser.add_argument("--folds", type=int, default=5, help="of Kepler")
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    if given.kepler:
        kepler(given.objects, given.folds)
        return
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
