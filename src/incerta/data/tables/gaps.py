"""Missing cells: counted, named, and left out where that is the rule."""

import warnings
from collections.abc import Sequence

import numpy as np

from incerta.data.grouping import Coded
from incerta.exceptions import IncertaWarning, MissingValueError
from incerta.typing import Array, Indices, Mask
from incerta.wording import counted, verb


def missing_message(
    names: Sequence[str], columns: Sequence[Array], coded: Coded, note: str = ""
) -> str:
    """Count what is missing in each column, and name the first object."""
    gaps = [np.isnan(column) for column in columns]
    first = min(int(gap.argmax()) for gap in gaps if gap.any())
    listed = ", ".join(
        f"{gap.sum()} in {name!r}"
        for name, gap in zip(names, gaps, strict=True)
        if gap.any()
    )
    return (
        f"there are missing values: {listed}; the first object is "
        f"{coded.name(first)}.{note} Leave these rows out, or pass missing='impute', "
        "which fills them from the others."
    )


def rows_with_gaps(columns: Sequence[Array]) -> Mask:
    """Return which rows have a missing cell."""
    gaps = np.zeros(len(columns[0]), dtype=np.bool_)
    for column in columns:
        gaps |= np.isnan(column)
    return gaps


def complete_rows(coded: Coded, gaps: Mask) -> Indices:
    """Leave out rows with gaps; every object must keep one."""
    kept = np.flatnonzero(~gaps)
    left = np.bincount(coded.codes[kept], minlength=len(coded.ids))
    if not left.all():
        lost = np.flatnonzero(left == 0)
        msg = (
            f"{counted(len(lost), 'object')} {verb(len(lost), 'has', 'have')} no row "
            "without missing values, the first is "
            f"{coded.ids[lost[0]]!s}. Leave these objects out, or give one row per "
            "object with error columns (errors=), whose missing values can be imputed."
        )
        raise MissingValueError(msg)
    n, n_objects = int(gaps.sum()), len(np.unique(coded.codes[gaps]))
    have = verb(n, "has missing values and was", "have missing values and were")
    other = verb(n_objects, "the object has", "their objects have")
    msg = f"{n:,} of {len(gaps):,} rows {have} left out; {other} other rows."
    warnings.warn(msg, IncertaWarning, stacklevel=4)
    return kept


def complete_draws(worlds: Array, complete: Mask) -> Array:
    """Leave out joint draws with missing values, and say so."""
    if not complete.any():
        msg = (
            f"none of the {len(worlds)} joint draws is complete. Leave out the objects "
            "with missing values first, or say joint=False."
        )
        raise MissingValueError(msg)
    msg = (
        f"{(~complete).sum()} of {len(worlds)} joint draws have missing values and "
        "were left out."
    )
    warnings.warn(msg, IncertaWarning, stacklevel=4)
    return worlds[complete]
