"""What can be told about a column without knowing what it means."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace

import numpy as np

from incerta.data.tables.names import (
    BATCH_WORDS,
    CLASS_WORDS,
    COORDINATE_WORDS,
    ID_WORDS,
    INDEX_WORDS,
    JOINT_WORDS,
    ROW_WORDS,
    TIME_WORDS,
    words_of,
)
from incerta.typing import Array, Ids, Indices

DATE = re.compile(
    r"\d{4}[-/.]\d{1,2}[-/.]\d{1,2}([T ].*)?|\d{1,2}[-/.]\d{1,2}[-/.]\d{2,4}|"
    r"\d{1,2}:\d\d(:\d\d(\.\d+)?)?|\d{4}-\d\d"
)
SKEWED = 2.0  # skewness above which logarithms are tried
FEWEST_FOR_SKEW = 20
FEWEST_TO_NUMBER = 10  # rows; fewer may hold 1, 2, 3 by chance
MANY_GROUPS = 10  # of equal size, which no numbers but those of groups have
ALMOST_ALL = 0.9
MOST_CLASSES = 50


@dataclass(frozen=True)
class Described:
    """A column.

    Parameters
    ----------
    name : str
        Its name.
    kind : {"whole", "number", "measured", "text", "date", "empty", "other"}
        What its cells are; those of a measured column carry their own errors.
    n_missing, n_distinct : int
        Cells that are missing, and different ones among the others.
    numbers : ndarray of shape (n_rows,), optional
        Of columns of numbers; NaN where missing.
    words, codes : ndarray, optional
        Of other columns: their different cells, and the place there of each row's
        cell, -1 where missing.
    remarks : tuple of str
        What is odd about it.
    marks : tuple of str
        Numbers that may stand for missing values, such as -999.
    doubt : str
        Of text that seems to be meant as numbers: why it is none.
    is_error : bool
        Whether its cells say that they are errors: ±0.5.
    sizes : dict from str to int
        Of arrays: their dimensions.
    """

    name: str
    kind: str
    n_missing: int = 0
    n_distinct: int = 0
    numbers: Array | None = None
    words: Ids | None = None
    codes: Indices | None = None
    remarks: tuple[str, ...] = ()
    marks: tuple[str, ...] = ()
    doubt: str = ""
    is_error: bool = False
    sizes: dict[str, int] = field(default_factory=dict)

    @property
    def n_rows(self) -> int:
        """Number of cells."""
        cells = self.codes if self.numbers is None else self.numbers
        return self.n_missing if cells is None else len(cells)

    @property
    def is_number(self) -> bool:
        """Whether it can be a value."""
        return self.kind in ("whole", "number", "measured")

    @property
    def missing_marks(self) -> list[float]:
        """The numbers that may stand for missing values."""
        return [float(mark) for mark in self.marks]

    @property
    def names_rows(self) -> bool:
        """Whether it can say which object, draw or class a row belongs to."""
        return self.kind in ("whole", "text", "date") and not self.n_missing

    @property
    def is_constant(self) -> bool:
        """Whether all its cells are alike."""
        return self.n_distinct == 1 and not self.n_missing

    def coded(self) -> Indices:
        """Place of each row's cell among the different ones."""
        if self.codes is not None:
            return self.codes
        return np.unique(np.asarray(self.numbers), return_inverse=True)[1]

    def noting(self, *remarks: str) -> Described:
        """Return the column with more remarks."""
        return replace(self, remarks=self.remarks + remarks)


def of_numbers(name: str, numbers: Array, *, measured: bool = False) -> Described:
    """Describe a column of numbers, NaN where missing.

    Examples
    --------
    >>> import numpy as np
    >>> from incerta.data.guess.described import of_numbers
    >>> of_numbers("mass", np.array([1.5, 2.0, np.nan])).kind
    'number'
    """
    known = numbers[~np.isnan(numbers)]
    if not len(known):
        return Described(name, "empty", len(numbers))
    whole = bool((known == np.floor(known)).all()) and bool(np.isfinite(known).all())
    kind = "measured" if measured else "whole" if whole else "number"
    n_missing = len(numbers) - len(known)
    return Described(name, kind, n_missing, len(np.unique(known)), numbers)


def of_words(name: str, words: Ids, codes: Indices) -> Described:
    """Describe a column of text, whose code is -1 where it is missing."""
    n_missing = int((codes < 0).sum())
    if not len(words):
        return Described(name, "empty", n_missing)
    few = [str(word).strip() for word in words[:100]]
    kind = "date" if all(map(DATE.fullmatch, few)) else "text"
    return Described(name, kind, n_missing, len(words), None, words, codes)


def wants_logarithm(numbers: Array) -> bool:
    """Tell whether positive numbers are skewed, and their logarithms much less.

    Examples
    --------
    >>> import numpy as np
    >>> from incerta.data.guess.described import wants_logarithm
    >>> wants_logarithm(10.0 ** np.linspace(0, 4, 50)), wants_logarithm(np.arange(50.0))
    (True, False)
    """
    known = numbers[np.isfinite(numbers)]
    if len(known) < FEWEST_FOR_SKEW or known.min() <= 0:
        return False
    skew = _skewness(known)
    return skew > SKEWED and abs(_skewness(np.log(known))) < skew / 2


def _skewness(numbers: Array) -> float:
    centred = numbers - numbers.mean()
    deviation = float(np.sqrt((centred**2).mean()))
    if deviation <= 1e-12 * float(np.abs(numbers).max()):
        return 0.0
    return float(((centred / deviation) ** 3).mean())


# what its name says -------------------------------------------------------------------


def says(column: Described, known: frozenset[str]) -> bool:
    """Tell whether the first or the last word of a name is one of these."""
    words = words_of(column.name)
    return bool(words) and (words[0] in known or words[-1] in known)


def is_row_number(column: Described) -> bool:
    """Tell whether a column only counts the rows."""
    return column.name.strip() == "" or says(column, ROW_WORDS)


def is_id_like(column: Described) -> bool:
    """Tell whether a name is that of objects."""
    return column.names_rows and (says(column, ID_WORDS) or is_row_number(column))


def is_class_like(column: Described, n_rows: int) -> bool:
    """Tell whether a column holds classes: by its name, or as it has few words."""
    most = min(MOST_CLASSES, n_rows // 2)
    if column.n_distinct > most or not column.n_distinct:
        return False
    if says(column, CLASS_WORDS):
        return column.kind in ("whole", "text")
    named = says(
        column, ID_WORDS | JOINT_WORDS | INDEX_WORDS | TIME_WORDS | BATCH_WORDS
    )
    return column.kind == "text" and not named and column.n_distinct > 1


def is_coordinate(column: Described) -> bool:
    """Tell whether a column is a place on a sphere or a map."""
    words = words_of(column.name)
    return len(words) == 1 and words[0] in COORDINATE_WORDS


def numbered(column: Described) -> str:
    """What whole numbers from 0 or 1 on count, by how often each occurs.

    Returns
    -------
    {"rows", "groups", ""}

    Examples
    --------
    >>> import numpy as np
    >>> from incerta.data.guess.described import numbered, of_numbers
    >>> [numbered(of_numbers("n", np.arange(12.0) // size)) for size in (1, 4)]
    ['rows', 'groups']
    """
    numbers = column.numbers
    if column.kind != "whole" or numbers is None or column.n_missing:
        return ""
    least, n = float(numbers.min()), column.n_distinct
    whole = least in (0.0, 1.0) and float(numbers.max()) - least == n - 1
    if not whole or n < 2 or len(numbers) < FEWEST_TO_NUMBER:
        return ""
    if n == len(numbers):
        return "rows"
    sizes = np.bincount((numbers - least).astype(np.intp))
    usual = int(np.bincount(sizes).argmax())
    if usual < 2 or (sizes == usual).mean() < ALMOST_ALL:
        return ""
    steps = np.diff(numbers)
    in_blocks = bool(((steps == 0) | (steps == 1)).all())
    in_turn = bool(((steps == 1) | (steps == 1 - n)).all())
    return "groups" if in_blocks or in_turn or n >= MANY_GROUPS else ""


def is_time(column: Described) -> bool:
    """Tell whether a column is a time."""
    return column.kind == "date" or (
        says(column, TIME_WORDS) and column.kind in ("whole", "text", "number")
    )
