"""Cross-validated quality of classifiers, in the same folds for any version of X."""

import warnings
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import clone
from sklearn.model_selection import StratifiedKFold

from incerta.backend.progress import followed
from incerta.typing import Array, Ids


class Judged(NamedTuple):
    """Probabilities of classes compared with the true classes."""

    right: Array  # (n,), 1 if the most probable class is the true one
    squares: Array  # (n,), Σ (probability − truth)² over classes

    @property
    def accuracy(self) -> float:
        """Share of objects with the right predicted class."""
        return float(self.right.mean())

    @property
    def brier(self) -> float:
        """Mean squared error of the probabilities: 0 is best, 2 is worst."""
        return float(self.squares.mean())


def judged(probable: Array, classes: Ids, truth: Ids) -> Judged:
    """Compare probabilities (n, n_classes) of sorted classes with the truth (n,).

    A true class that is not among the classes always counts as missed.
    """
    truth = np.asarray(truth)
    is_true = truth[:, None] == classes
    right = classes[probable.argmax(axis=1)] == truth
    missed = ~is_true.any(axis=1)
    squares = np.square(probable - is_true).sum(axis=1) + missed
    return Judged(right.astype(np.float64), squares)


def in_folds(model: Any, X: Any, y: Ids, n_folds: int, seed: int) -> Array:
    """Return cross-validated probabilities (n, n_classes).

    The same seed gives the same stratified folds for any `X` of the same length. There
    are fewer folds if the largest class has fewer objects. A class with all objects in
    one fold has probability 0 there.
    """
    classes, codes = np.unique(y, return_inverse=True)
    probable = np.zeros((len(y), len(classes)))
    n_splits = min(n_folds, int(np.bincount(codes).max()))
    folds = StratifiedKFold(n_splits, shuffle=True, random_state=seed)
    with warnings.catch_warnings():  # about classes with fewer objects than folds
        warnings.simplefilter("ignore", UserWarning)
        splits = list(folds.split(codes, codes))
    for train, test in followed(splits, "folds"):
        learnable = np.unique(codes[train])
        if len(learnable) == 1:  # nothing to distinguish
            probable[test, learnable] = 1.0
            continue
        learned = clone(model).fit(X[train], y[train])
        columns = np.searchsorted(classes, learned.classes_)
        probable[np.ix_(test, columns)] = learned.predict_proba(X[test])
    return probable
