"""Which column of a table may be what: guessed from names, types and cells.

Nothing here is sure. A guess is clear if one reading alone is sensible; else the
readings are offered, and the user chooses.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from incerta.data.guess.described import (
    ALMOST_ALL,
    MANY_GROUPS,
    Described,
    Leftover,
    is_id_like,
    is_row_number,
    is_time,
    numbered,
    says,
)
from incerta.data.guess.errors import (
    NEGATIVE,
    SHARES,
    error_readings,
    take_errors,
    usable,
)
from incerta.data.guess.readings import Guess, Reading, errors_in
from incerta.data.tables.names import (
    ALONE,
    BATCH_WORDS,
    CLASS_WORDS,
    DRAW_WORDS,
    FEATURE_WORDS,
    INDEX_WORDS,
    JOINT_WORDS,
    PLACE_WORDS,
    SET_WORDS,
    TIME_WORDS,
    TOTAL_WORDS,
    WEIGHT_WORDS,
    Repeated,
    is_named_as_error,
    repeated_names,
    words_of,
)
from incerta.wording import capital, counted

LONG_FORM = ("weight", "sample", "joint", "batch")
ROWS_OF_AN_OBJECT = 2.0  # on average, at least
FEWEST = 3  # objects, beside what was measured about them
VALUES = "rows of an object are its possible values"
NOTHING = "no column of numbers is left to cluster."


def guess(
    columns: Sequence[Described],
    said: Mapping[str, Any] | None = None,
    names: Sequence[str] = (),
) -> Guess:
    """Guess which column is what.

    Examples
    --------
    >>> import numpy as np
    >>> from incerta.data.guess.described import of_numbers
    >>> from incerta.data.guess.guess import guess
    >>> columns = [of_numbers(n, np.array([1.0, 2.5])) for n in ("mass", "mass_err")]
    >>> guess(columns).readings[0].said()
    {'values': ('mass',), 'errors': ('{}_err',)}
    """
    known = {
        name: given for name, given in (said or {}).items() if given not in (None, ())
    }
    arrays = [column for column in columns if len(column.sizes) > 1]
    if arrays:
        return _of_arrays(arrays, known)
    left = Leftover(columns, known)
    measured = None if known else measured_things(columns, left.n_rows)
    if measured is not None:
        return _one_column_each(*measured)
    is_long = any(name in known for name in LONG_FORM)
    errors = [] if is_long else take_errors(left)
    classes = left.take_classes()
    if errors:
        found = _with_errors(errors, left)
    elif "errors" in known:
        doubt = f"no columns fit errors={known['errors']!r}; name the values."
        found = Guess((), doubt)
    else:
        found = _without_errors(left, is_long, classes)
    found = _about_gaps(_about_text(found, left), left)
    found = _about_names(_about_marks(found, left), names)
    found = replace(found, notes=(*found.notes, *_notes(found, left)))
    kept = tuple(_with_said(reading, known) for reading in found.readings)
    classes = tuple(n for n in classes if all(n != reading.id for reading in kept))
    for name in classes:
        left.left_out.setdefault(name, "classes")
    fitting = tuple(name for name in classes if _fits_objects(name, found, left))
    return replace(found, readings=kept, classes=fitting, left_out=left.left_out)


def _of_arrays(arrays: Sequence[Described], said: Mapping[str, Any]) -> Guess:
    """Say which dimension of arrays holds the draws; the others are those of cells."""
    shapes = [array.sizes for array in arrays]
    sizes = max(shapes, key=shapes.count)
    values = tuple(array.name for array in arrays if array.sizes == sizes)
    others = [array.name for array in arrays if array.sizes != sizes]
    left_out = dict.fromkeys(others, "it has other dimensions")
    long = [dim for dim, n in sizes.items() if n > 1]
    kinds = (DRAW_WORDS, INDEX_WORDS, TIME_WORDS)
    named = [dim for words in kinds for dim in long if says(dim, words)]
    draws = said.get("sample") or next(iter(named), None)
    if draws is None or len(long) < 2:
        doubt = "no dimension is named as that of draws; name it with sample=."
        return Guess((), doubt, left_out=left_out)
    cells = ",".join(dim for dim in long if dim != draws)
    n_cells = np.prod([n for dim, n in sizes.items() if dim != draws], dtype=int)
    what = "cell" if "," in cells else "object"
    means = f"{counted(int(n_cells), what)} by {cells}, whose values are along {draws}"
    joint = f"{means}: joint draws"
    reading = Reading(id=cells, values=values, sample=draws, joint=True, means=joint)
    reading = _with_said(reading, said)
    if "joint" in said or says(draws, DRAW_WORDS):
        return Guess((reading,), left_out=left_out)
    apart = replace(reading, joint=False, means=f"{means}, each on its own")
    doubt = f"do values with the same {draws} belong together across objects?"
    return Guess((reading, apart), doubt, left_out=left_out)


def _one_column_each(objects: Described, things: Described) -> Guess:
    """Say that a table has to be turned, as there is no way to say so to `read`."""
    some = ", ".join(map(str, np.asarray(things.words)[:3]))
    some += ", ..." if things.n_distinct > 3 else ""
    doubt = (
        f"{things.name} seems to say what was measured of each {objects.name}; that "
        f"must be columns ({some}). pandas' pivot_table turns the table."
    )
    return Guess((), doubt)


def _with_said(reading: Reading, said: Mapping[str, Any]) -> Reading:
    """What the user said is kept, whatever was guessed."""
    kept = {name: given for name, given in said.items() if hasattr(reading, name)}
    return replace(reading, **kept)


# one row per object, with errors ------------------------------------------------------


def _with_errors(errors: Sequence[Any], left: Leftover) -> Guess:
    good = usable(errors, left)
    id, said = left.take_unique_id(), left.said.get("id")
    many = None
    if id is None:
        many = left.columns[said] if said else next(iter(repeated_ids(left)), None)
    broken = None if id is not None or many is not None else left.broken_id()
    if not good:
        left.sort()
        return Guess((), "no value with errors is left to cluster.")
    readings, notes = error_readings(good, id, left)
    left.sort("no errors")
    if not readings:
        low, high = good[0].columns
        why = "look like quantiles of which no kind of error is known; give kind=."
        return Guess((), f"{low} and {high} {why}")
    if len(readings) > 1:
        doubt = "the columns of errors can be taken in several ways."
        return Guess(tuple(readings), doubt, notes=notes)
    reading = readings[0]
    if many is not None:
        doubt = f"{many.name} has several rows for most objects, and there are errors."
        other = Reading(
            id=many.name,
            values=reading.values,
            means="rows of an object are its values",
        )
        apart = replace(reading, means="every row is an object of its own")
        offers = (other,) if said is not None else (apart, other)
        return Guess(offers, doubt, notes=notes)
    if broken is not None:
        notes = (*notes, f"{broken.name} does not name each row, and is not used.")
    return Guess((reading,), notes=notes)


# no error columns ---------------------------------------------------------------------


def _without_errors(left: Leftover, is_long: bool, classes: Sequence[str]) -> Guess:
    id = None if is_long else left.take_unique_id()
    measured = any(c.kind == "measured" for c in left.free)
    if not is_long and not measured and not left.repeats(left.said.get("id")):
        repeated = repeated_names(left.values())
        if repeated is not None:
            return _replicates(repeated, id, left)
    words = [left.columns[name] for name in classes if not says(name, CLASS_WORDS)]
    is_count = id is not None and is_row_number(left.columns[id])
    if is_count and "id" not in left.said and repeated_ids(left):
        left.left_out[str(id)] = "a number of the row"
        id = None
    if id is None and not measured:
        said = left.said.get("id")
        many = [left.columns[said]] if said else repeated_ids(left)
        if many:
            return _long(many[0], many[1:], words, left)
    broken = None if id is not None else left.broken_id()
    perhaps = None if id is not None or broken else perhaps_id(words, left.free)
    left.sort()
    values = left.values()
    if not values:
        return Guess((), NOTHING)
    means = "one row per object" if id is not None else "every row is an object"
    means += ", errors in the cells" if measured else "; values are exact"
    reading = Reading(id=id, values=values, means=means)
    if perhaps is not None and not measured:
        objects, time = (column.name for column in perhaps)
        several = Reading(id=objects, values=values, means=VALUES)
        doubt = f"{objects} has one row for each {time}: does it name the objects?"
        return Guess((several, reading), doubt)
    if broken is None:
        return Guess((reading,))
    doubt = f"{broken.name} does not name each row: entries repeat or are missing."
    offers = [reading]
    if not broken.n_missing and not measured:
        offers.append(Reading(id=broken.name, values=values, means=VALUES))
    return Guess(tuple(offers), doubt)


def _long(
    id: Described,
    others: Sequence[Described],
    words: Sequence[Described],
    left: Leftover,
) -> Guess:
    leading = left.leading
    rivals = [c for c in others if not is_constant_within(c, id)]
    # Numbers that differ from row to row name each of them, in their own way.
    if leading in left.free and leading is not id and "id" not in left.said:
        one_each = leading.names_rows and leading.n_distinct == left.n_rows
        rivals += [leading] * (one_each and leading.kind == "whole")
    plate = None if "id" in left.said else place_on(id, left.free)
    if plate is not None:
        rivals += words
        left.leave_out("it was set", lambda c: c.is_number and says(c, SET_WORDS))
    left.take({id.name, *(rival.name for rival in rivals)})
    readings, doubt, used = long_readings(id, left.free, left.said)
    left.take(used)
    draws = JOINT_WORDS | INDEX_WORDS
    left.leave_out("it counts draws", lambda c: c.kind == "whole" and says(c, draws))
    left.sort()
    values = left.values()
    if not values:
        return Guess((), NOTHING)
    found = Guess(tuple(replace(r, values=values) for r in readings), doubt)
    if rivals or plate is not None:
        return _of_rivals(found, id, rivals, plate)
    objects = f"{id.n_distinct:,} objects, named by {id.name}" if others else ""
    return replace(found, objects=objects)


def _of_rivals(
    found: Guess, id: Described, rivals: Sequence[Described], plate: Described | None
) -> Guess:
    """Offer each column that may name the objects, and each row as an object."""
    values = found.readings[0].values
    offers = []
    for rival in rivals:
        means = f"{counted(rival.n_distinct, 'object')}: {VALUES}"
        if rival.n_distinct == rival.n_rows:
            means = "one row per object; values are exact"
        offers.append(Reading(id=rival.name, values=values, means=means))
    if all(rival.n_distinct < rival.n_rows for rival in rivals):
        means = "every row is an object; values are exact"
        offers.append(Reading(values=values, means=means))
    names = [column.name for column in (id, *rivals)]
    doubt = f"{' and '.join(names)} may name the objects."
    if plate is not None:
        doubt = (
            f"{id.name} is a place on {plate.name}: objects may be its entries, those "
            f"of {' or '.join(['the rows', *names[1:]])}."
        )
    return Guess((*found.readings, *offers), f"{found.doubt} {doubt}".strip())


def _replicates(repeated: Repeated, id: str | None, left: Leftover) -> Guess:
    columns = {name for group in repeated.columns for name in group}
    alike = all(_agree(group, left) for group in repeated.columns)
    every = left.values()
    left.take(columns)
    left.sort("measured once")
    n = len(repeated.columns[0])
    means = f"one row per object, with {n} measurements of each value"
    one = Reading(
        id=id, values=repeated.stems, replicates=repeated.template, means=means
    )
    if alike and (len(repeated.stems) > 1 or repeated.says_so):
        return Guess((one,))
    features = tuple(n for n in every if n in columns or n not in left.left_out)
    other = Reading(
        id=id, values=features, means="every column is a feature of its own"
    )
    doubt = (
        f"{repeated.columns[0][0]} to {repeated.columns[0][-1]} can be measurements of "
        "one value, or features."
    )
    return Guess((one, other), doubt)


def _agree(group: Sequence[str], left: Leftover) -> bool:
    """Whether columns differ less within rows than rows differ from each other."""
    cells = np.stack([np.asarray(left.columns[name].numbers) for name in group], axis=1)
    cells = cells[~np.isnan(cells).any(axis=1)]
    return len(cells) < 2 or bool(2 * cells.var(axis=1).mean() < cells.var())


# what is not clear --------------------------------------------------------------------


def _about_text(found: Guess, left: Leftover) -> Guess:
    """Say so if columns of numbers have cells that are none."""
    used = {name for reading in found.readings for name in reading.values}
    meant = [
        c
        for c in left.columns.values()
        if c.doubt and (c in left.free or c.name in used)
    ]
    if not meant:
        return found
    for column in meant:
        left.left_out[column.name] = "some cells are no numbers"
    names = {c.name for c in meant}
    doubt = f"column {meant[0].name} {meant[0].doubt}."
    apart = tuple(
        replace(_without(reading, names), means=f"without {', '.join(sorted(names))}")
        for reading in found.readings
    )
    apart = tuple(reading for reading in apart if reading.values)
    return replace(found, readings=apart, doubt=f"{found.doubt} {doubt}".strip())


def _without(reading: Reading, names: set[str]) -> Reading:
    kept = [name not in names for name in reading.values]
    values = tuple(name for name in reading.values if name not in names)
    errors = reading.errors
    if not any("{}" in column for column in errors):
        errors = tuple(e for e, keep in zip(errors, kept, strict=False) if keep)
    return replace(reading, values=values, errors=errors)


def _about_gaps(found: Guess, left: Leftover) -> Guess:
    """Offer what can be done about missing values, where nothing would be done."""
    if not found.is_clear or "missing" in left.said:
        return found
    reading = found.readings[0]
    gaps = {
        name: left.columns[name].n_missing
        for name in reading.values
        if name in left.columns and left.columns[name].n_missing
    }
    # A value with an error may be missing: its error is then infinite.
    measured = any(left.columns[name].kind == "measured" for name in gaps)
    taken = measured or reading.errors or reading.replicates
    if not gaps or taken or reading.kind == "interval":
        return found
    worst = max(gaps, key=gaps.__getitem__)
    doubt = f"cells are missing, such as {gaps[worst]:,} in {worst}."
    ways = {"impute": "what is missing is imputed", "drop": "such rows are left out"}
    offers = [replace(reading, missing=rule, means=ways[rule]) for rule in ways]
    return replace(found, readings=tuple(offers), doubt=doubt)


def _about_marks(found: Guess, left: Leftover) -> Guess:
    """Ask whether numbers such as -999 are values: as such they would be a cluster."""
    if not found.is_clear:
        return found
    reading = found.readings[0]
    names = (*reading.values, *errors_in(reading))
    there = [left.columns[name] for name in names if name in left.columns]
    marks = tuple(dict.fromkeys(mark for column in there for mark in column.marks))
    if not marks:
        return found
    first = next(column.name for column in there if column.marks)
    told = ", ".join(marks)
    doubt = f"{marks[0]} occurs several times in {first}, far from all other numbers."
    offers = [replace(reading, na=marks, means=f"{told} stands for missing values")]
    if first in reading.values:
        offers.append(replace(reading, means=f"{told} is a value like others"))
    return replace(found, readings=tuple(offers), doubt=doubt)


def _about_names(found: Guess, names: Sequence[str]) -> Guess:
    """Say so if several columns have one name, and ask if that is a name of errors."""
    times = Counter(name.strip() for name in names)
    twice = sorted(
        (name for name in times if times[name] > 1),
        key=lambda name: ALONE.fullmatch(name) is None,
    )
    if not twice:
        return found
    first = twice[0]
    if not ALONE.fullmatch(first):
        note = (
            f"{times[first]} columns are named {first}, and none of them is used; give "
            "each a name of its own."
        )
        if not found.readings:
            return replace(found, doubt=f"{found.doubt} {capital(note)}")
        return replace(found, notes=(*found.notes, note))
    doubt = (
        f"{times[first]} columns are named {first}, as errors are; give each a name of "
        f"its own, such as 'x {first}' for the error of x."
    )
    offers = tuple(replace(r, means="without these errors") for r in found.readings)
    return replace(found, readings=offers, doubt=f"{found.doubt} {doubt}".strip())


def _notes(found: Guess, left: Leftover) -> Iterator[str]:
    """What is odd about the first reading, but no reason to ask."""
    reading = found.readings[0] if found.readings else Reading()
    id = left.columns.get(reading.id or "")
    if id is not None and id.words is not None and id.codes is not None:
        last = str(id.words[id.codes[-1]])
        if TOTAL_WORDS.issuperset(words_of(last) or [""]):
            yield f"The last row is named {last}: if it is no object, leave it out."
    orphans = [name for name in reading.values if is_named_as_error(name)]
    if orphans:
        some = ", ".join(orphans[:3]) + (", ..." if len(orphans) > 3 else "")
        yield f"Named as errors, but not clear of what, and taken as values: {some}."
    for name, why in left.left_out.items():
        if why in (NEGATIVE, SHARES):
            yield f"{name} is not used: {why}."


def _fits_objects(name: str, found: Guess, left: Leftover) -> bool:
    """Whether classes are known for every object, and the same in all its rows."""
    column = left.columns[name]
    if column.n_missing or not found.readings:
        return False
    id = found.readings[0].id
    if id is None or not left.repeats(id):
        return True
    return is_constant_within(column, left.columns[id])


# several rows per object --------------------------------------------------------------


def repeated_ids(left: Leftover) -> list[Described]:
    """Columns that may name objects of several rows; first those that name most.

    Of numbers without a name that says so, only the leading ones do.
    """
    other = JOINT_WORDS | BATCH_WORDS | CLASS_WORDS
    named = [
        c
        for c in left.free
        if (is_id_like(c) or _numbers_objects(c, left.leading))
        and not says(c, other)
        and not is_time(c)
        and 1 < c.n_distinct <= left.n_rows / ROWS_OF_AN_OBJECT
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
    """The one column of words whose entries have a row for each of several times."""
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
    """A column that says what was measured, and that of the objects."""
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
    """Readings of a table in which `id` repeats."""
    reading = Reading(
        id=id.name,
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
