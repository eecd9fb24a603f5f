"""Columns before their meaning is known: contents, and assigned roles."""

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
    KEY_WORDS,
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
MANY_GROUPS = 10  # equal groups; other numbers do not form that many
ALMOST_ALL = 0.9
MOST_CLASSES = 50
NUMBER = re.compile(r"[\W_]*\d+$|[\W_]+[A-Za-z]$")  # the end of gene_1


@dataclass(frozen=True)
class Described:
    """A column."""

    name: str
    # "whole", "number", "measured" (with errors of their own), "text", "date", "empty"
    # or "other"
    kind: str
    n_missing: int = 0
    n_distinct: int = 0  # distinct cells, without missing ones
    numbers: Array | None = None  # numbers, NaN if missing
    words: Ids | None = None  # of other columns: their different cells,
    codes: Indices | None = None  # and the place there of each row's, -1 where missing
    remarks: tuple[str, ...] = ()  # remarks on oddities
    marks: tuple[str, ...] = ()  # numbers that may mean missing: -999
    doubt: str = ""  # why text that looks like numbers is not
    is_error: bool = False  # cells are marked as errors: ±0.5
    sizes: dict[str, int] = field(default_factory=dict)  # of array dimensions

    @property
    def n_rows(self) -> int:
        """Number of cells."""
        cells = self.codes if self.numbers is None else self.numbers
        return self.n_missing if cells is None else len(cells)

    @property
    def is_number(self) -> bool:
        """Return whether it can be a value."""
        return self.kind in ("whole", "number", "measured")

    @property
    def names_rows(self) -> bool:
        """Whether it can name the object, draw or class of a row."""
        return self.kind in ("whole", "text", "date") and not self.n_missing

    @property
    def is_constant(self) -> bool:
        """Whether all its cells are equal."""
        return self.n_distinct == 1 and not self.n_missing

    def coded(self) -> Indices:
        """Position of each row's cell among the distinct ones."""
        if self.codes is not None:
            return self.codes
        return np.unique(np.asarray(self.numbers), return_inverse=True)[1]

    def noting(self, *remarks: str) -> Described:
        """Return the column with more remarks."""
        return replace(self, remarks=self.remarks + remarks)


def of_numbers(name: str, numbers: Array, *, measured: bool = False) -> Described:
    """Describe a column of numbers, NaN if missing."""
    known = numbers[~np.isnan(numbers)]
    if not len(known):
        return Described(name, "empty", len(numbers))
    whole = bool((known == np.floor(known)).all()) and bool(np.isfinite(known).all())
    kind = "measured" if measured else "whole" if whole else "number"
    n_missing = len(numbers) - len(known)
    return Described(name, kind, n_missing, len(np.unique(known)), numbers)


def of_words(name: str, words: Ids, codes: Indices) -> Described:
    """Describe a column of text; the code is -1 if missing."""
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
    centered = numbers - numbers.mean()
    deviation = float(np.sqrt((centered**2).mean()))
    if deviation <= 1e-12 * float(np.abs(numbers).max()):
        return 0.0
    return float(((centered / deviation) ** 3).mean())


def says(named: Described | str, known: frozenset[str]) -> bool:
    """Tell whether the first or the last word of a name is one of these."""
    words = words_of(named if isinstance(named, str) else named.name)
    return not known.isdisjoint((*words[:1], *words[-1:]))


def is_row_number(column: Described) -> bool:
    """Return whether a column only numbers rows, such as index, but not sample_no."""
    things = ID_WORDS - KEY_WORDS
    counts = says(column, ROW_WORDS) and things.isdisjoint(words_of(column.name))
    return column.name.strip() == "" or counts


def is_class_like(column: Described, n_rows: int) -> bool:
    """Tell whether a column holds classes, by its name or by its few words."""
    if not 0 < column.n_distinct <= min(MOST_CLASSES, n_rows // 2):
        return False
    if says(column, CLASS_WORDS):
        return column.kind in ("whole", "text")
    others = ID_WORDS | JOINT_WORDS | INDEX_WORDS | TIME_WORDS | BATCH_WORDS
    return column.kind == "text" and column.n_distinct > 1 and not says(column, others)


def is_coordinate(column: Described) -> bool:
    """Tell whether a column is a place on a sphere or a map."""
    words = words_of(column.name)
    return len(words) == 1 and words[0] in COORDINATE_WORDS


def is_time(column: Described) -> bool:
    """Tell whether a column is a time."""
    return column.kind == "date" or (
        says(column, TIME_WORDS) and column.kind in ("whole", "text", "number")
    )


def numbered(column: Described) -> str:
    """Tell whether numbers from 0 or 1 count "rows" or "groups", or nothing."""
    numbers = column.numbers
    if column.kind != "whole" or numbers is None or column.n_missing:
        return ""
    least, n = float(numbers.min()), column.n_distinct
    running = least in (0.0, 1.0) and float(numbers.max()) - least == n - 1
    if not running or n < 2 or len(numbers) < FEWEST_TO_NUMBER:
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


def _series(columns: Sequence[Described]) -> frozenset[str]:
    """Return names of integers that differ only in a number: counts of gene1, gene2.

    Names that end in a word for keys, such as id1 and id2, may name objects.
    """
    stems = {c.name: NUMBER.sub("", c.name) for c in columns if c.kind == "whole"}
    times = Counter(stem for name, stem in stems.items() if stem != name)
    return frozenset(
        name
        for name, stem in stems.items()
        if times[stem] > 1 and KEY_WORDS.isdisjoint(words_of(stem)[-1:])
    )


def _counts(columns: Sequence[Described], series: frozenset[str]) -> set[str]:
    """Return names in series of counts: species1 is a count, cluster1 a class.

    Class numbers are consecutive, and counts leave numbers out.
    """
    pairs = [(c, NUMBER.sub("", c.name)) for c in columns if c.name in series]
    gaps = {
        stem
        for c, stem in pairs
        if c.numbers is not None and np.ptp(c.numbers) >= c.n_distinct
    }
    return {c.name for c, stem in pairs if stem in gaps}


class Leftover:
    """Columns without a role; each step of a guess removes those that it explains.

    Columns that the user named, by parameters of `read_table`, are not free.
    """

    def __init__(self, columns: Sequence[Described], said: Mapping[str, Any]) -> None:
        times = Counter(column.name for column in columns)
        self.columns = {c.name: c for c in columns if times[c.name] == 1}
        self.n_rows = max((column.n_rows for column in columns), default=0)
        self.left_out: dict[str, str] = {}
        self.said = said
        self._series = _series([*self.columns.values()])
        taken = {given for given in said.values() if isinstance(given, str)}
        self.free = [c for name, c in self.columns.items() if name not in taken]
        numbers = (c for c in self.free if c.is_number and not is_row_number(c))
        self.leading = next(numbers, None)
        self.leave_out("empty", lambda c: c.kind == "empty")
        self.leave_out("no column of a table", lambda c: c.kind == "other")

    def is_id_like(self, column: Described) -> bool:
        """Return whether a name is for objects, not one of a series of features."""
        if column.name in self._series or not column.names_rows:
            return False
        return says(column, ID_WORDS) or is_row_number(column)

    def take(self, names: Collection[str]) -> None:
        """Give columns a role."""
        self.free = [c for c in self.free if c.name not in names]

    def leave_out(self, why: str, fits: Callable[[Described], bool]) -> None:
        """Record why some free columns get no role."""
        self.left_out |= {c.name: why for c in self.free if fits(c)}
        self.take(self.left_out)

    def take_classes(self) -> tuple[str, ...]:
        """Take columns of classes, which are never values; first those named so."""
        counts = _counts(self.free, self._series)
        classes = [c for c in self.free if is_class_like(c, self.n_rows)]
        classes = [c for c in classes if c.name not in counts]
        classes.sort(key=lambda c: (not says(c, CLASS_WORDS), len(words_of(c.name))))
        names = tuple(c.name for c in classes)
        self.take(names)
        return names

    def take_unique_id(self) -> str | None:
        """Take the best column that names every row, if there is one."""
        if self.said.get("id") is not None:
            id = str(self.said["id"])
            return None if self.repeats(id) else id
        unique = [
            c
            for c in self.free
            if c.names_rows and c.n_distinct == self.n_rows and not is_time(c)
        ]
        named = [c for c in unique if self.is_id_like(c) and not is_row_number(c)]
        text = [c for c in unique if c.kind == "text" and not c.doubt]
        counts = [c for c in unique if is_row_number(c) or self._counts_rows(c)]
        best = next(iter([*named, *text, *counts]), None)
        if best is None:
            return None
        self.take({best.name})
        self.leave_out("another id", lambda c: c in named)
        return best.name

    def _counts_rows(self, column: Described) -> bool:
        """Return whether the first or first numeric column numbers the rows."""
        if column is self.leading and numbered(column) == "rows":
            return True
        if column is not self.free[0] or column.numbers is None or self.n_rows < 3:
            return False
        return bool((np.diff(column.numbers) == 1).all())

    def repeats(self, id: str | None) -> bool:
        """Return whether a column has fewer distinct entries than rows."""
        column = self.columns.get(id or "")
        return column is not None and column.n_distinct < self.n_rows

    def broken_id(self) -> Described | None:
        """Find a column named like an id whose entries repeat or are missing."""
        for c in self.free:
            named = says(c, ID_WORDS) and c.name not in self._series
            many = 2 * (c.n_distinct + c.n_missing) > self.n_rows and not c.is_constant
            if named and many and c.kind in ("text", "whole"):
                return c
        return None

    def sort(self, numbers: str | None = None) -> None:
        """Record why columns are not values; for numbers only if `numbers` is set."""
        half = self.n_rows / 2
        reasons: tuple[tuple[str | None, Callable[[Described], bool]], ...] = (
            ("constant", lambda c: c.is_number and c.is_constant),
            ("a coordinate", lambda c: c.is_number and is_coordinate(c)),
            ("a time", is_time),
            ("an id", lambda c: c.kind == "whole" and self.is_id_like(c)),
            ("it numbers the rows", lambda c: numbered(c) == "rows"),
            ("it numbers groups of rows", lambda c: numbered(c) == "groups"),
            ("text", lambda c: not c.is_number and not c.doubt),
            (numbers, lambda c: c.is_number),
            ("mostly missing", lambda c: c.is_number and c.n_missing > half),
        )
        for why, fits in reasons:
            if why is not None:
                self.leave_out(why, fits)

    def values(self) -> tuple[str, ...]:
        """Return free columns of numbers, which are values unless they have a role."""
        return tuple(c.name for c in self.free if c.is_number)
