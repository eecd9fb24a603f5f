"""Several rows per object: which column says so, and what else belongs to a row."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from incerta.data.guess.described import (
    ALMOST_ALL,
    MANY_GROUPS,
    Described,
    is_id_like,
    is_time,
    numbered,
    says,
)
from incerta.data.guess.readings import Reading
from incerta.data.tables.names import (
    BATCH_WORDS,
    CLASS_WORDS,
    FEATURE_WORDS,
    INDEX_WORDS,
    JOINT_WORDS,
    PLACE_WORDS,
    WEIGHT_WORDS,
)

ROWS_OF_AN_OBJECT = 2.0  # on average, at least
FEWEST = 3  # objects, beside what was measured about them
VALUES = "rows of an object are its possible values"


def repeated_ids(
    columns: Sequence[Described], n_rows: int, leading: Described | None = None
) -> list[Described]:
    """Columns that may name objects of several rows; first those that name most.

    Of numbers without a name that says so, only the `leading` ones do.
    """
    other = JOINT_WORDS | BATCH_WORDS | CLASS_WORDS
    named = [
        c
        for c in columns
        if (is_id_like(c) or _numbers_objects(c, leading))
        and not says(c, other)
        and not is_time(c)
        and 1 < c.n_distinct <= n_rows / ROWS_OF_AN_OBJECT
    ]
    objects = [c for c in named if not says(c, INDEX_WORDS)] or named
    return sorted(objects, key=lambda c: -c.n_distinct)


def _numbers_objects(column: Described, leading: Described | None) -> bool:
    many = column.n_distinct >= MANY_GROUPS
    return column is leading and many and numbered(column) == "groups"


def is_constant_within(column: Described, objects: Described) -> bool:
    """Tell whether all rows of an object have the same entry."""
    entries = column.coded()
    if entries.min() < 0:
        return False
    pairs = objects.coded() * (int(entries.max()) + 1) + entries
    return len(np.unique(pairs)) == objects.n_distinct


def place_on(place: Described, columns: Sequence[Described]) -> Described | None:
    """The plates whose places these are: no place occurs twice on one of them."""
    plates = [c for c in columns if says(c, BATCH_WORDS) and c.names_rows]
    on = (c for c in plates if c.n_distinct > 1 and _share(place.coded(), c)[0])
    return next(on, None) if says(place, PLACE_WORDS) else None


def perhaps_id(
    words: Sequence[Described], columns: Sequence[Described]
) -> tuple[Described, Described] | None:
    """The one column of words whose entries have a row for each of several times.

    Parameters
    ----------
    words : sequence of Described
        Columns that could be classes, by their cells alone.
    columns : sequence of Described
        The others.

    Returns
    -------
    id, time : Described
        Nothing if there is no time, or several such columns.
    """
    found = [
        (word, time)
        for time in columns
        if is_time(time) and time.names_rows and time.n_distinct > 1
        for word in words
        if _share(word.coded(), time)[0]
    ]
    return found[0] if len(found) == 1 else None


def measured_things(
    columns: Sequence[Described], n_rows: int
) -> tuple[Described, Described] | None:
    """A column that says what was measured, and that of the objects.

    Parameters
    ----------
    columns : sequence of Described
        All columns.
    n_rows : int
        Number of rows.

    Returns
    -------
    objects, things : Described
        Each object has rows for almost all of the things, and as many of each. Nothing
        if no column is named so, or objects are not named.
    """
    words = [c for c in columns if c.kind == "text" and not c.n_missing]
    things = [c for c in words if says(c, FEATURE_WORDS) and c.n_distinct > 1]
    objects = [
        c
        for c in words
        if c not in things and FEWEST <= c.n_distinct <= n_rows / ROWS_OF_AN_OBJECT
    ]
    for thing in things:
        for named in sorted(objects, key=lambda c: -c.n_distinct):
            if _is_crossed(named.coded(), thing.coded()):
                return named, thing
    return None


def _is_crossed(objects: Any, things: Any) -> bool:
    """Whether there are rows for almost all pairs, and for most of them as many.

    Of houses in cities there are some of each kind, but not as many everywhere.
    """
    n_things = int(things.max()) + 1
    pairs, counts = np.unique(objects * n_things + things, return_counts=True)
    n_usual = np.bincount(counts).max()
    return bool(
        len(pairs) >= ALMOST_ALL * (int(objects.max()) + 1) * n_things
        and n_usual >= ALMOST_ALL * len(pairs)
    )


def long_readings(
    id: Described,
    columns: Sequence[Described],
    said: Mapping[str, Any],
) -> tuple[list[Reading], str, set[str]]:
    """Readings of a table in which `id` repeats.

    Returns
    -------
    readings : list of Reading
        Without their values.
    doubt : str
        Why there are several.
    used : set of str
        Columns that have a role in one of them.
    """
    reading = Reading(
        id.name,
        weight=said.get("weight"),
        sample=said.get("sample"),
        joint=said.get("joint"),
        meaning=said.get("meaning"),
        batch=said.get("batch"),
        means=VALUES,
    )
    if any(said.get(role) is not None for role in ("weight", "sample", "batch")):
        return [reading], "", set()
    objects = id.coded()
    for column in columns:
        # Of w798.9, one of many absorbances, the letter says nothing.
        named = says(column, WEIGHT_WORDS) and column.name.isalpha()
        if named and _are_weights(column, objects):
            means = "rows of an object are its values, with weights"
            weighted = replace(reading, weight=column.name, means=means)
            return [weighted], "", {column.name}
    batch = next((c for c in columns if says(c, BATCH_WORDS) and c.names_rows), None)
    if batch is not None and _share(objects, batch)[1] > 0:
        means = "rows of an object are repeated measurements, in batches"
        index = {c.name for c in columns if c.names_rows and says(c, INDEX_WORDS)}
        found = replace(reading, meaning="error", batch=batch.name, means=means)
        return [found], "", {batch.name, *index}
    return _with_draws(reading, columns, objects)


def _with_draws(
    reading: Reading, columns: Sequence[Described], objects: Any
) -> tuple[list[Reading], str, set[str]]:
    for column in columns:
        joint, index = says(column, JOINT_WORDS), says(column, INDEX_WORDS)
        if not column.names_rows or not (joint or index or is_time(column)):
            continue
        once, share = _share(objects, column)
        if not once:
            continue
        name = column.name
        together = replace(
            reading,
            sample=name,
            joint=True,
            means=f"rows with the same {name} belong together: joint draws",
        )
        if joint and share == 1:
            return [together], "", {name}
        if index and share < ALMOST_ALL:
            means = "rows of an object are repeated measurements"
            return [replace(reading, meaning="error", means=means)], "", {name}
        if share < ALMOST_ALL and not joint:
            continue
        doubt = (
            f"do rows with the same {name} belong together across objects, or was each "
            "object measured on its own?"
        )
        if index:
            means = "each object was measured several times on its own"
            apart = replace(reading, meaning="error", means=means)
        else:
            apart = replace(
                reading, sample=name, joint=False, means="each object on its own"
            )
        return [together, apart], doubt, {name}
    return [reading], "", set()


def _share(objects: Any, column: Described) -> tuple[bool, float]:
    """Whether no object has an entry twice; and the share of all pairs that occur."""
    entries = column.coded()
    n_entries = int(entries.max()) + 1
    pairs = len(np.unique(objects * n_entries + entries))
    return pairs == len(objects), pairs / ((int(objects.max()) + 1) * n_entries)


def _are_weights(column: Described, objects: Any) -> bool:
    """Whether the numbers of every object add up to the same."""
    weights = column.numbers
    if weights is None or column.n_missing or (weights < 0).any():
        return False
    sums = np.bincount(objects, weights)
    return bool(np.allclose(sums, sums[0], rtol=1e-2)) and sums[0] > 0
