"""Numbers that may stand for missing values: −999, 9999, 99.99."""

import warnings
from typing import Any

import numpy as np

from incerta.data.tables.columns import Table
from incerta.data.tables.roles import Roles
from incerta.exceptions import IncertaWarning
from incerta.typing import Array

# Besides numbers of which all digits are 9.
OTHERS = (-32768.0, 32767.0, -2147483648.0, 2147483647.0, 1e20, -1e20, 1e30, -1e30)
FEWEST = 2  # times that a mark occurs


def warn_of_sentinels(frame: Any, roles: Roles) -> None:
    """Say so if a number seems to stand for missing values; nothing is changed.

    Such a number occurs several times, at an end of its column, farther from all other
    numbers than these are from each other, and is one that people use: −999, 99.99.

    Parameters
    ----------
    frame : frame
        A table, as the readers of text files make it.
    roles : Roles
        Which column is what.
    """
    table = Table(frame)
    told = (*roles.values, *(name for pair in roles.errors or () for name in pair))
    told += tuple(n for some in roles.repeats(table.names) for n in some.values())
    there_are = frozenset(table.names)
    names = [name for name in dict.fromkeys(told) if name in there_are]
    table.load(names)
    if not len(table):
        return
    for name in names:
        for end in filter(looks_like_mark, _ends(table[name])):
            times = times_as_mark(table.numbers(name), end)
            if times:
                msg = (
                    f"{end:.10g} occurs {times} times in column "
                    f"{name!r}, far from all other numbers. It was taken for a number; "
                    f"if it stands for missing values, pass na='{end:.10g}'."
                )
                warnings.warn(msg, IncertaWarning, stacklevel=3)


def times_as_mark(column: Array, end: float) -> int:
    """Times that the least or largest number of a column occurs as such a mark."""
    if looks_like_mark(end) and _is_far_out(column, end):
        return int((column == end).sum())
    return 0


def _ends(column: Any) -> tuple[float, ...]:
    """Least and largest number of a column; its library finds them quickly."""
    if isinstance(column, np.ndarray):
        known = column[~np.isnan(column)]
        return (float(known.min()), float(known.max())) if len(known) else ()
    ends = (column.min(), column.max())
    return tuple(float(end) for end in ends if end is not None)


def looks_like_mark(number: float) -> bool:
    """Tell whether people write a number for a missing value.

    Examples
    --------
    >>> from incerta.data.files.sentinels import looks_like_mark
    >>> [looks_like_mark(x) for x in (-999.0, 99.99, 9.0, 998.0)]
    [True, True, False, False]
    """
    if number in OTHERS:
        return True
    digits = f"{abs(number):.10g}".replace(".", "")
    return len(digits) > 1 and set(digits) == {"9"}


def _is_far_out(column: Array, end: float) -> bool:
    rest = column[(column != end) & np.isfinite(column)]
    if (column == end).sum() < FEWEST or len(rest) < FEWEST:
        return False
    low, high = rest.min(), rest.max()
    gap = low - end if end < low else end - high
    return bool(gap > high - low)
