"""Patterns of column names: ``{}_*`` means h_1, h_2 and h_3 of the value h."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from incerta.exceptions import DataError
from incerta.wording import unknown_name

REPEAT = re.compile(r"[^\W_]+")


def repeated_columns(
    pattern: str, values: Sequence[str], known: Sequence[str]
) -> list[dict[str, str]]:
    """Find the columns with repeated measurements of each value.

    Parameters
    ----------
    pattern : str
        With ``{}`` for the name of the value and ``*`` for digits or letters.
    values : sequence of str
        Names of the values.
    known : sequence of str
        Columns that may match.

    Returns
    -------
    list of dict from str to str
        For each value, from what ``*`` stands for to the column.

    Examples
    --------
    >>> from incerta.data.tables.patterns import repeated_columns
    >>> repeated_columns("{}_*", ["h"], ["h_1", "g_1", "h_b2", "h", "h_1_sd"])
    [{'1': 'h_1', 'b2': 'h_b2'}]
    """
    ends = [
        tuple(part.replace("{}", value) for part in pattern.split("*"))
        for value in values
    ]
    found: dict[tuple[str, ...], dict[str, str]] = {pair: {} for pair in ends}
    # Looked up by what is before and after *, so that wide tables take linear time.
    lengths = {(len(head), len(tail)) for head, tail in found}
    for column in known:
        for n_head, n_tail in lengths:
            stop = len(column) - n_tail
            endings = found.get((column[:n_head], column[stop:] if stop > 0 else ""))
            if endings is not None and REPEAT.fullmatch(column, n_head, stop):
                endings[column[n_head:stop]] = column
    for value, pair in zip(values, ends, strict=True):
        if not found[pair]:
            msg = (
                f"replicates={pattern!r}: * stands for digits or letters, and "
                f"{unknown_name('column', pattern.replace('{}', value), known)}"
            )
            raise DataError(msg)
        _refuse_mixed(found[pair], pattern)
    return [found[pair] for pair in ends]


def _refuse_mixed(endings: Mapping[str, str], pattern: str) -> None:
    """Refuse h_mean or h_error among h_1, h_2 and h_3."""
    numbered = [column for end, column in endings.items() if end.isdecimal()]
    named = [
        column
        for end, column in endings.items()
        if not any(letter.isdecimal() for letter in end)
    ]
    if numbered and named:
        msg = (
            f"replicates={pattern!r} takes {named[0]!r} for a repeat like "
            f"{numbered[0]!r}. If it is none, rename it or leave it out of the table; "
            "if it is one, number it."
        )
        raise DataError(msg)


def check_pattern(
    pattern: str, names: Sequence[str], others: Mapping[str, Any]
) -> None:
    """Refuse a pattern that cannot match, or what was said besides it.

    Parameters
    ----------
    pattern : str
        What was said about replicates.
    names : sequence of str
        Names of the values.
    others : mapping from str to object
        Parameters that cannot be used together with it; None where nothing was said.
    """
    is_text = isinstance(pattern, str)
    named = is_text and (len(names) == 1 or "{}" in pattern)
    if not named or pattern.count("*") != 1:
        msg = (
            f"replicates={pattern!r} must contain {{}}, which stands for the name of "
            "the value, and a single *, which stands for the repeat: '{}_*' means the "
            "columns mass_1, mass_2 and so on of the value mass."
        )
        raise DataError(msg)
    for role, given in others.items():
        if given is not None:
            msg = (
                f"{role}={given!r} cannot be used together with "
                f"replicates={pattern!r}, which means one row per object with its "
                "repeated measurements side by side. Leave one of them out."
            )
            raise DataError(msg)
