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
    """Refuse what is missing in each column, and say what to do about it."""
    gaps = [np.isnan(column) for column in columns]
    return (
        f"there are missing values: {listed_gaps(names, gaps, coded)}.{note} "
        "missing='drop' leaves such rows out, missing='impute' fills them from the "
        "others."
    )


def listed_gaps(names: Sequence[str], gaps: Sequence[Mask], coded: Coded) -> str:
    """Count what is missing in each column, and name the first object."""
    first = min(int(gap.argmax()) for gap in gaps if gap.any())
    listed = ", ".join(
        f"{gap.sum()} in {name!r}"
        for name, gap in zip(names, gaps, strict=True)
        if gap.any()
    )
    return f"{listed}; the first object is {coded.name(first)}"


def rows_with_gaps(columns: Sequence[Array]) -> Mask:
    """Return which rows have a missing cell."""
    gaps = np.zeros(len(columns[0]), dtype=np.bool_)
    for column in columns:
        gaps |= np.isnan(column)
    return gaps


def dropped(gaps: Mask, coded: Coded) -> Indices:
    """Rows without gaps; the others are left out, with a warning."""
    kept = np.flatnonzero(~gaps)
    if not len(kept):
        msg = (
            "every row has a missing value, so that missing='drop' leaves nothing. "
            "Leave out the columns that are mostly empty, or pass missing='impute'."
        )
        raise MissingValueError(msg)
    if len(kept) < len(gaps):
        n, first = len(gaps) - len(kept), coded.name(int(gaps.argmax()))
        lost = len(coded.ids) - len(np.unique(coded.codes[kept]))
        single = len(coded.ids) == len(gaps)
        have = verb(n, "has a missing value and was", "have missing values and were")
        msg = (
            f"{n:,} of {len(gaps):,} {'objects' if single else 'rows'} {have} left "
            f"out, the first {'is' if single else 'of'} object {first}"
        )
        if lost and not single:
            msg += f"; {counted(lost, 'object')} {verb(lost, 'has', 'have')} no other"
        warnings.warn(msg + ".", IncertaWarning, stacklevel=5)
    return kept


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
