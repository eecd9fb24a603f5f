"""`check_classifier`: how right a classifier is, and whether errors help it."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from incerta.classifiers.judged import Judged, in_folds, judged
from incerta.data.coerce import as_uncertain
from incerta.data.meaning import certain
from incerta.typing import Ids

# Of standard errors, beyond which a difference is not taken for chance.
BEYOND_CHANCE = 2.0


@dataclass(frozen=True)
class Check:
    """How right a classifier is in folds of objects whose classes are known.

    Attributes
    ----------
    n_folds : int
        Number of folds.
    with_errors : Judged
        ``accuracy`` and ``brier``, the mean squared error of the probabilities (0 is
        best), with ``right`` and ``squares`` for each object.
    alone : Judged or None
        The same for the values without their errors; None if there are no errors.

    Examples
    --------
    >>> import incerta as ic
    >>> data, classes = ic.datasets.make_uncertain_stars(random_state=0)
    >>> check = ic.check_classifier(ic.ErrorDiscriminant(), data, classes)
    >>> round(check.with_errors.accuracy, 2), round(check.alone.accuracy, 2)
    (0.91, 0.91)
    """

    n_folds: int
    with_errors: Judged
    alone: Judged | None

    def gain(self) -> tuple[float, float]:
        """How much lower the Brier score is with the errors, and its standard error."""
        if self.alone is None:
            return 0.0, 0.0
        less = self.alone.squares - self.with_errors.squares
        return float(less.mean()), float(less.std() / np.sqrt(len(less)))

    def sentence(self) -> str:
        """Whether the errors help."""
        if self.alone is None:
            return "The values have no errors that could help."
        gain, error = self.gain()
        way = "lower" if gain > 0 else "higher"
        numbers = f"with them the Brier score (0 is best) is {way} by {abs(gain):.3f} ±"
        numbers += f" {error:.3f}."
        if abs(gain) <= BEYOND_CHANCE * error:
            return f"Whether the errors help is not clear: {numbers}"
        return f"The errors {'' if gain > 0 else 'do not '}help: {numbers}"


def check_classifier(
    classifier: Any, X: Any, y: Ids, n_folds: int = 5, seed: int = 0
) -> Check:
    """Check in folds how right a classifier is, with the errors and without them.

    Parameters
    ----------
    classifier : classifier
        Of this library, or a pipeline that ends in one. It is cloned for each fold.
    X : UncertainData or anything `as_uncertain` takes
        Objects.
    y : array-like of shape (n_objects,)
        Their classes.
    n_folds : int, default=5
        Number of folds, at least 2; the same folds with the errors and without.
    seed : int, default=0
        Of the folds.

    Returns
    -------
    Check

    Examples
    --------
    >>> import incerta as ic
    >>> data, classes = ic.datasets.make_uncertain_stars(random_state=0)
    >>> print(ic.check_classifier(ic.ErrorDiscriminant(), data, classes).sentence())
    The errors help: with them the Brier score (0 is best) is lower by 0.050 ± 0.012.
    """
    if n_folds < 2:
        msg = f"n_folds={n_folds} must be at least 2."
        raise ValueError(msg)
    objects, truth = as_uncertain(X), np.asarray(y)
    if truth.shape != (len(objects),):
        msg = f"y has the shape {truth.shape}, and there are {len(objects)} objects."
        raise ValueError(msg)
    classes = np.unique(truth)
    if len(classes) < 2:
        msg = "y has fewer than two classes; there is nothing to tell apart."
        raise ValueError(msg)

    def of(values: Any) -> Judged:
        found = in_folds(classifier, values, truth, n_folds, seed)
        return judged(found, classes, truth)

    alone = None if certain(objects) else of(objects.mean())
    return Check(n_folds, of(objects), alone)
