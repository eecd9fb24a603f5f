"""`check_classifier`: the accuracy of a classifier, with and without the errors.

Also the classes in a table and the answers of ``incerta classify``.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from incerta.classifiers.judged import Judged, in_folds, judged
from incerta.data.coerce import as_uncertain
from incerta.data.container import UncertainData
from incerta.data.files.cells import in_numbers, in_words
from incerta.data.files.numbers import MISSING_WORDS
from incerta.data.files.opened import OpenTable
from incerta.data.meaning import certain
from incerta.data.tables.columns import Table
from incerta.data.tables.spec import TableSpec
from incerta.exceptions import DataError
from incerta.typing import Array, Ids, Indices
from incerta.wording import SURE, given

# Standard errors beyond which a difference is not attributed to chance.
BEYOND_CHANCE = 2.0


@dataclass(frozen=True)
class Check:
    """The cross-validated accuracy of a classifier on objects with known classes.

    Attributes
    ----------
    n_folds : int
        Number of folds.
    with_errors : Judged
        ``accuracy`` and ``brier``, the mean squared error of the probabilities (0 is
        best), with ``right`` and ``squares`` for each object.
    alone : Judged or None
        The same scores for values without their errors, or None without errors.

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
        """Gain in Brier score by the errors, and its standard error."""
        if self.alone is None:
            return 0.0, 0.0
        less = self.alone.squares - self.with_errors.squares
        return float(less.mean()), float(less.std() / np.sqrt(len(less)))

    def sentence(self) -> str:
        """Say whether the errors help."""
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
    classifier: Any, X: Any, y: Ids, n_folds: int = 5, random_state: int = 0
) -> Check:
    """Cross-validate a classifier, with the errors and without them.

    Parameters
    ----------
    classifier : classifier
        A classifier of this library, or a pipeline that ends in one. It is cloned for
        each fold.
    X : UncertainData or anything `as_uncertain` takes
        Objects.
    y : array-like of shape (n_objects,)
        Their classes.
    n_folds : int, default=5
        Number of folds, at least 2. They are the same with the errors and without.
    random_state : int, default=0
        Seed of the folds.

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
        msg = f"y has the shape {truth.shape}, but there are {len(objects)} objects."
        raise ValueError(msg)
    classes = np.unique(truth)
    if len(classes) < 2:
        msg = "y has fewer than two classes; there is nothing to tell apart."
        raise ValueError(msg)

    def of(values: Any) -> Judged:
        found = in_folds(classifier, values, truth, n_folds, random_state)
        return judged(found, classes, truth)

    alone = None if certain(objects) else of(objects.mean())
    return Check(n_folds, of(objects), alone)


@dataclass(frozen=True)
class Known:
    """The class of each object, from a column of a table; None if it has no class."""

    column: str
    by_object: list[str | None]
    absent: tuple[str, ...]  # words in the file that stand for no class

    @cached_property
    def rows(self) -> Indices:
        """Rows of the objects with a class."""
        return np.flatnonzero([name is not None for name in self.by_object])

    @cached_property
    def classes(self) -> Ids:
        """Their classes."""
        return np.array([n for n in self.by_object if n is not None], dtype=str)

    @cached_property
    def labels(self) -> Ids:
        """Class of each object, or NaN or None; integers if all are integers."""
        classes = in_numbers(self.classes)
        none = None if classes.dtype.kind == "U" else np.nan
        labels = np.full(len(self.by_object), none)
        labels[self.rows] = classes
        return labels


def known_classes(
    table: OpenTable,
    columns: TableSpec,
    name: str,
    data: UncertainData,
    parameter: str = "label",
) -> Known | None:
    """Return the classes of objects read from a file; None without such a column.

    All rows of an object that have a class must have the same one. Messages call the
    column `parameter`.
    """
    try:
        cells = table.words(name, columns.id)
    except DataError:  # the objects could be read, so this column is the missing one
        return None
    words, absent = _words(cells[name], columns.na)
    of_object = _by_object(words, cells, given(**{parameter: name}))
    # If rows were left out, the ids tell which; without ids they are row numbers.
    keys = [str(id) for id in data.ids.tolist()]
    return Known(name, [of_object.get(key) for key in keys], absent)


def _words(
    column: Any, more: Sequence[str]
) -> tuple[list[str | None], tuple[str, ...]]:
    """Return cells as text, None without a class, and the words for missing classes."""
    cells = column.tolist() if hasattr(column, "tolist") else column.to_list()
    missing = MISSING_WORDS | {word.lower() for word in more}
    words = [in_words(None if cell != cell else cell) for cell in cells]
    absent = {word for word in words if word.lower() in missing}
    return [None if w in absent else w for w in words], tuple(sorted(absent))


def _by_object(
    words: Sequence[str | None], table: Table, column: str
) -> dict[str, str]:
    """Return the class of each object that has one, by its id or row number."""
    if len(table.names) == 1:
        return {str(row): word for row, word in enumerate(words) if word is not None}
    objects = table.coded(table.names[0], "id")
    classes: dict[str, str] = {}
    for code, word in zip(objects.codes.tolist(), words, strict=True):
        if word is not None:
            key = str(objects.ids[code])
            if classes.setdefault(key, word) != word:
                msg = f"{column} has more than one class for object {key}."
                raise DataError(msg)
    return classes


@dataclass(frozen=True, kw_only=True)
class Classified:
    """Objects with the probabilities (n, n_classes) of their classes."""

    method: str
    known: Known  # of the training data
    ids: Ids
    classes: Ids
    probable: Array
    truth: Known | None
    check: Check | None

    @property
    def confidence(self) -> Array:
        """Probability of the most probable class."""
        return self.probable.max(axis=1)

    @property
    def labels(self) -> Ids:
        """Most probable class of each object."""
        return self.classes[self.probable.argmax(axis=1)]

    def columns(self) -> dict[str, Any]:
        """Return the table of the objects by columns."""
        return {
            "id": self.ids,
            "class": self.labels,
            "confidence": self.confidence,
            **{f"p_{c}": self.probable[:, j] for j, c in enumerate(self.classes)},
        }

    def against_truth(self) -> tuple[Judged, list[str], list[list[int]]] | None:
        """Compare the answers with known classes.

        Return the accuracy, the true classes and the confusion matrix.
        """
        if self.truth is None or not len(self.truth.rows):
            return None
        probable, true = self.probable[self.truth.rows], self.truth.classes
        names, rows = np.unique(true, return_inverse=True)
        counts = np.zeros((len(names), len(self.classes)), dtype=np.intp)
        np.add.at(counts, (rows, probable.argmax(axis=1)), 1)
        return judged(probable, self.classes, true), names.tolist(), counts.tolist()

    def counts(self) -> list[tuple[str, int, int, int]]:
        """Count training objects, assigned objects and unsure ones of each class."""
        labels, unsure = self.labels, self.confidence < SURE
        parts = self.known.classes, labels, labels[unsure]
        return [
            (str(name), *(int((part == name).sum()) for part in parts))  # type: ignore[misc]
            for name in self.classes
        ]

    def summary(self) -> dict[str, Any]:
        """Return the results as plain values, for programs."""
        names = ("class", "learned", "found", "unsure")
        facts: dict[str, Any] = {
            "method": self.method,
            "learned_from": len(self.known.classes),
            "without_a_class": self.known.by_object.count(None),
            "classes": [dict(zip(names, row, strict=True)) for row in self.counts()],
            "objects": len(self.ids),
            "unsure_below": SURE,
        }
        if self.check is not None:
            scores = _scores(self.check.with_errors)
            facts["folds"] = {"number": self.check.n_folds, **scores}
            if self.check.alone is not None:
                gain, error = self.check.gain()
                facts["folds"]["values_alone"] = _scores(self.check.alone)
                facts["folds"]["brier_gain"] = {"mean": gain, "standard_error": error}
        if (against := self.against_truth()) is not None:
            right, true, confusion = against
            facts["against_known_classes"] = {
                "objects": len(right.right),
                **_scores(right),
                "true": true,
                "found": self.classes.tolist(),
                "confusion": confusion,
            }
        return facts


def _scores(right: Judged) -> dict[str, float]:
    return {"accuracy": right.accuracy, "brier": right.brier}
