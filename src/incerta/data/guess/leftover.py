"""The columns of a table that have no role yet, and why some will have none."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

import numpy as np

from incerta.data.guess.described import (
    Described,
    is_class_like,
    is_coordinate,
    is_id_like,
    is_row_number,
    is_time,
    numbered,
    says,
)
from incerta.data.guess.longform import repeated_ids
from incerta.data.tables.names import CLASS_WORDS, ID_WORDS, words_of


class Leftover:
    """Columns without a role; each step of a guess takes away what it explains.

    Parameters
    ----------
    columns : sequence of Described
        All columns.
    said : mapping
        What the user said, by parameters of `read`; such columns are not free.
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

    def repeated_ids(self) -> list[Described]:
        """Free columns that may name objects of several rows, the best first."""
        return repeated_ids(self.free, self.n_rows, self.leading)

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
