"""Columns without their meaning: what each holds, and which have no role yet."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

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
    """Describe a column of numbers, NaN where missing."""
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
    """Tell whether positive numbers are skewed, and their logarithms much less."""
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


def says(named: Described | str, known: frozenset[str]) -> bool:
    """Tell whether the first or the last word of a name is one of these."""
    words = words_of(named if isinstance(named, str) else named.name)
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


class Leftover:
    """Columns without a role; each step of a guess takes away what it explains.

    What the user said is by parameters of `read`; such columns are not free.
    """

    def __init__(self, columns: Sequence[Described], said: Mapping[str, Any]) -> None:
        times = Counter(column.name for column in columns)
        self.columns = {c.name: c for c in columns if times[c.name] == 1}
        self.n_rows = max((column.n_rows for column in columns), default=0)
        self.left_out: dict[str, str] = {}
        self.said = said
        taken = {given for given in said.values() if isinstance(given, str)}
        self.free = [c for name, c in self.columns.items() if name not in taken]
        numbers = (c for c in self.free if c.is_number and not is_row_number(c))
        self.leading = next(numbers, None)
        self.leave_out("empty", lambda c: c.kind == "empty")
        self.leave_out("no column of a table", lambda c: c.kind == "other")

    def take(self, names: Collection[str]) -> None:
        """Give columns a role."""
        self.free = [c for c in self.free if c.name not in names]

    def leave_out(self, why: str, fits: Callable[[Described], bool]) -> None:
        """Say why some of the free columns have no role."""
        self.left_out |= {c.name: why for c in self.free if fits(c)}
        self.take(self.left_out)

    def take_classes(self) -> tuple[str, ...]:
        """Columns with classes, which are never values; first those that say so."""
        found = [c for c in self.free if is_class_like(c, self.n_rows)]
        found.sort(key=lambda c: (not says(c, CLASS_WORDS), len(words_of(c.name))))
        names = tuple(c.name for c in found)
        self.take(names)
        return names

    def take_unique_id(self) -> str | None:
        """The best column that names every row, if there is one."""
        if self.said.get("id") is not None:
            id = str(self.said["id"])
            return None if self.repeats(id) else id
        unique = [
            c
            for c in self.free
            if c.names_rows and c.n_distinct == self.n_rows and not is_time(c)
        ]
        named = [c for c in unique if is_id_like(c) and not is_row_number(c)]
        text = [c for c in unique if c.kind == "text" and not c.doubt]
        counts = [c for c in unique if is_row_number(c) or self._counts_rows(c)]
        best = next(iter([*named, *text, *counts]), None)
        if best is None:
            return None
        self.take({best.name})
        others = {c.name for c in named}
        self.leave_out("another id", lambda c: c.name in others)
        return best.name

    def _counts_rows(self, column: Described) -> bool:
        """Whether the first column, or the first of numbers, counts the rows."""
        if column is self.leading and numbered(column) == "rows":
            return True
        if column is not self.free[0] or column.numbers is None or self.n_rows < 3:
            return False
        return bool((np.diff(column.numbers) == 1).all())

    def repeats(self, id: str | None) -> bool:
        """Whether a column has fewer entries than there are rows."""
        column = self.columns.get(id or "")
        return column is not None and column.n_distinct < self.n_rows

    def broken_id(self) -> Described | None:
        """A column that is named as that of objects, but does not name each row."""
        return next(
            (
                c
                for c in self.free
                if c.kind in ("text", "whole")
                and says(c, ID_WORDS)
                and not c.is_constant
                and 2 * (c.n_distinct + c.n_missing) > self.n_rows
            ),
            None,
        )

    def sort(self, numbers: str | None = None) -> None:
        """Say why columns are no values; of numbers that may be only if `numbers`."""
        self.leave_out("constant", lambda c: c.is_number and c.is_constant)
        self.leave_out("a coordinate", lambda c: c.is_number and is_coordinate(c))
        self.leave_out("a time", is_time)
        self.leave_out("an id", lambda c: c.kind == "whole" and is_id_like(c))
        self.leave_out("it numbers the rows", lambda c: numbered(c) == "rows")
        self.leave_out("it numbers groups of rows", lambda c: numbered(c) == "groups")
        self.leave_out("text", lambda c: not c.is_number and not c.doubt)
        if numbers is not None:
            self.leave_out(numbers, lambda c: c.is_number)
        half = self.n_rows / 2
        self.leave_out("mostly missing", lambda c: c.is_number and c.n_missing > half)

    def values(self) -> tuple[str, ...]:
        """Free columns of numbers, which are values if nothing else."""
        return tuple(c.name for c in self.free if c.is_number)
