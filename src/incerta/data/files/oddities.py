"""Oddities of tables: −999 for missing values, and rows of totals."""

import warnings
from collections.abc import Callable, Sequence
from contextlib import suppress
from itertools import takewhile
from typing import Any

import narwhals as nw
import numpy as np

from incerta.data.tables.columns import Table
from incerta.data.tables.names import BESIDE_TOTALS, TOTALS, is_total
from incerta.data.tables.spec import TableSpec
from incerta.exceptions import DataError, IncertaWarning
from incerta.typing import Array
from incerta.wording import counted, given

# Marks other than numbers that consist of nines.
OTHERS = (-32768.0, 32767.0, -2147483648.0, 2147483647.0, 1e20, -1e20, 1e30, -1e30)
FEWEST = 2  # least number of occurrences of a mark
MOST_TOTALS = 5  # largest number of such rows
FEWEST_ABOVE = 3  # least number of objects above them
CHANCE = 1e-3  # chance that the numbers of an object equal a total


def without_totals(frame: Any, spec: TableSpec) -> tuple[Any, list[str]]:
    """Remove rows at the bottom that summarize the others.

    These are rows with a known id, and a last row with the sums, means or medians of
    the columns, to the precision of their digits.
    """
    table = Table(frame)
    names = [name for name in (spec.id, *spec.values) if name in table.names]
    if not names or spec.sample is not None or spec.batch is not None:
        return frame, []
    table.load(names)
    n_rows = len(table)
    bottom = range(n_rows - 1, max(n_rows - 1 - MOST_TOTALS, FEWEST_ABOVE - 1), -1)
    labels: list[str] = []
    if spec.id in names:
        cells = table[str(spec.id)]
        below = [str(nw.to_py_scalar(cells[row])) for row in bottom]
        below = [*takewhile(lambda n: is_total(n, TOTALS | BESIDE_TOTALS), below)]
        if any(map(is_total, below)):
            labels = [repr(label) for label in below[::-1]]
    if not labels and bottom and not _has_other_rows(table, spec.id, n_rows - 1):
        columns: list[Array] = []
        with suppress(DataError):  # of columns with other contents
            columns = [table.numbers(name) for name in spec.values if name in table]
        if statistic := _statistic_of_last(columns):
            labels = [f"a row that holds the {statistic} of each column"]
    if not labels:
        return frame, []
    n_kept = n_rows - len(labels)
    if isinstance(frame, dict):
        return {name: column[:n_kept] for name, column in frame.items()}, labels
    return nw.from_native(frame).head(n_kept).to_native(), labels


def warn_of_totals(labels: Sequence[str]) -> None:
    """Warn which rows were left out."""
    if labels:
        msg = (
            f"{counted(len(labels), 'row')} at the bottom left out as a total: "
            f"{', '.join(labels)}. If it is an object, rename it or move it up."
        )
        warnings.warn(msg, IncertaWarning, stacklevel=3)


def _has_other_rows(table: Table, id: str | None, row: int) -> bool:
    """Return whether other rows have the id of this one, which is then no total."""
    if id is None:
        return False
    column = table[id]
    return int((column == column[row]).sum()) > 1


def _statistic_of_last(columns: Sequence[Array]) -> str:
    """Name the statistic in the last row: sum, mean or median."""
    statistics: dict[str, Callable[[Array], float]] = {
        "sum": np.nansum,
        "mean": np.nanmean,
        "median": np.nanmedian,
    }
    for name, statistic in statistics.items():
        each = (_chance(column, statistic) for column in columns)
        chances = list(takewhile(np.isfinite, each))
        if len(chances) == len(columns) and np.prod(chances) < CHANCE:
            return name
    return ""


def _chance(column: Array, statistic: Callable[[Array], float]) -> float:
    """Return the chance that the last number equals a statistic; infinite if not."""
    rest, last = column[:-1], column[-1]
    rest = rest[np.isfinite(rest)]
    if np.isnan(last):
        return 1.0
    if not len(rest) or not np.isfinite(last):
        return np.inf
    expected = float(statistic(rest))
    # The size of the last digit of numbers in the column.
    some = column[np.isfinite(column)][-20:]
    digits = [f"{number:.10f}".rstrip("0").partition(".")[2] for number in some]
    unit = float(10.0 ** -max(map(len, digits), default=0))
    if abs(last - expected) > unit * 0.5 + 1e-9 * abs(expected):
        return np.inf
    width = max(rest.max(), expected) - min(rest.min(), expected)
    return min(1.0, unit / width) if width else 1.0


def warn_of_sentinels(frame: Any, spec: TableSpec) -> None:
    """Warn of numbers that probably stand for missing values.

    Such a number occurs several times, is the lowest or highest of its column, is
    farther from all other numbers than these are from each other, and is a common mark:
    −999, 99.99.
    """
    table = Table(frame)
    asked = (*spec.values, *(n for pair in spec.error_columns or () for n in pair))
    asked += tuple(n for some in spec.repeats(table.names) for n in some.values())
    there_are = frozenset(table.names)
    names = [name for name in dict.fromkeys(asked) if name in there_are]
    table.load(names)
    if not len(table):
        return
    for name in names:
        numbers = table.numbers(name)
        known = numbers[~np.isnan(numbers)]
        for end in (float(known.min()), float(known.max())) if len(known) else ():
            if times := times_as_mark(numbers, end):
                msg = (
                    f"{end:.10g} occurs {times} times in column "
                    f"{name!r}, far from all other numbers. It was taken for a number; "
                    f"if it stands for missing values, pass {given(na=f'{end:.10g}')}."
                )
                warnings.warn(msg, IncertaWarning, stacklevel=3)


def times_as_mark(column: Array, end: float) -> int:
    """Count a lowest or highest number that looks like a missing-value mark."""
    digits = f"{abs(end):.10g}".replace(".", "")
    if end not in OTHERS and (len(digits) == 1 or set(digits) != {"9"}):  # 9 is none
        return 0
    times = int((column == end).sum())
    rest = column[(column != end) & np.isfinite(column)]
    if min(times, len(rest)) < FEWEST:
        return 0
    low, high = rest.min(), rest.max()
    gap = low - end if end < low else end - high
    return times if gap > high - low else 0
