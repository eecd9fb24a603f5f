"""Repeated measurements side by side: h_1, h_2 and h_3 are columns of one row."""

from collections.abc import Sequence

import numpy as np

from incerta.data.grouping import Coded, Groups
from incerta.data.tables.columns import Table
from incerta.data.tables.errors import finite, logarithm
from incerta.data.tables.spec import TableSpec
from incerta.exceptions import DataError, MissingValueError
from incerta.typing import Array


def as_rows(table: Table, spec: TableSpec, coded: Coded) -> tuple[Array, Groups]:
    """Put repeated measurements below each other, as a long table has them.

    Parameters
    ----------
    table : Table
        One row per object.
    spec : TableSpec
        With `replicates`. Columns of several values with the same ending are one
        repeat, of which some may be missing.
    coded : Coded
        Objects of the rows.

    Returns
    -------
    values : ndarray of shape (n_values, n_features)
        Repeats without any value are left out.
    groups : Groups
        Which rows are whose.
    """
    found = spec.repeats(table.names)
    endings = list(dict.fromkeys(end for columns in found for end in columns))
    if spec.stated_meaning != "error":
        _refuse_different(found, spec)
    places = {end: place for place, end in enumerate(endings)}
    cube = np.full((len(table), len(endings), len(found)), np.nan)
    for j, columns in enumerate(found):
        for end, name in columns.items():
            column = finite(table, name, coded)
            if spec.values[j] in spec.logs:
                column = logarithm(column, name, coded)
            cube[:, places[end], j] = column
    present = ~np.isnan(cube).all(axis=2)
    counts = present.sum(axis=1)
    if not counts.all():
        row = int((counts == 0).argmax())
        msg = (
            f"object {coded.name(row)} has no value in any column of "
            f"replicates={spec.replicates!r}; leave it out."
        )
        raise MissingValueError(msg)
    starts = np.concatenate([[0], np.cumsum(counts)])
    return cube[present], Groups(coded.ids, starts, None)


def _refuse_different(found: Sequence[dict[str, str]], spec: TableSpec) -> None:
    for name, columns in zip(spec.values, found, strict=True):
        if set(columns) != set(found[0]):
            msg = (
                f"meaning={spec.stated_meaning!r} needs the same repeats of all "
                "values, as a repeat is one value of the object: "
                f"{spec.values[0]!r} has "
                f"{', '.join(found[0])}; {name!r} has {', '.join(columns)}. Name fewer "
                "values, or say meaning='error'."
            )
            raise DataError(msg)
