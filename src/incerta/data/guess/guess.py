"""Which column of a table may be what: guessed from names, types and cells.

Nothing here is sure. A guess is clear if one reading alone is sensible; else the
readings are offered, and the user chooses.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, get_args

import numpy as np

from incerta.data.guess.described import Described, is_row_number, of_numbers, says
from incerta.data.guess.errors import (
    NEGATIVE,
    SHARES,
    error_readings,
    take_errors,
    usable,
)
from incerta.data.guess.leftover import Leftover
from incerta.data.guess.longform import (
    VALUES,
    is_constant_within,
    long_readings,
    measured_things,
    perhaps_id,
    place_on,
)
from incerta.data.guess.readings import Guess, Reading, errors_in
from incerta.data.tables.names import (
    ALONE,
    CLASS_WORDS,
    DRAW_WORDS,
    INDEX_WORDS,
    JOINT_WORDS,
    SET_WORDS,
    TIME_WORDS,
    TOTAL_WORDS,
    Repeated,
    is_named_as_error,
    repeated_names,
    words_of,
)
from incerta.data.tables.roles import Missing
from incerta.wording import capital, counted

LONG_FORM = ("weight", "sample", "joint", "batch")
NOTHING = "no column of numbers is left to cluster."


def guess(
    columns: Sequence[Described],
    said: Mapping[str, Any] | None = None,
    names: Sequence[str] = (),
) -> Guess:
    """Guess which column is what.

    Parameters
    ----------
    columns : sequence of Described
        All columns, in order.
    said : mapping, optional
        What is known, by parameters of `read`: it is kept. Values are not among them;
        if they are known, nothing is guessed.
    names : sequence of str, optional
        Names of all columns, if some of them occur several times.

    Returns
    -------
    Guess
        Time grows with the number of cells.

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
        found = Guess(
            (), f"no columns fit errors={known['errors']!r}; name the values."
        )
    else:
        found = _without_errors(left, is_long, classes)
    found = _about_gaps(_about_text(found, left), left)
    found = _about_names(_about_marks(found, left), names)
    found = _about_orphans(_about_totals(found, left))
    told = tuple(
        f"{name} is not used: {why}."
        for name, why in left.left_out.items()
        if why in (NEGATIVE, SHARES)
    )
    found = replace(found, notes=(*found.notes, *told))
    kept = tuple(_with_said(reading, known) for reading in found.readings)
    classes = tuple(n for n in classes if all(n != reading.id for reading in kept))
    for name in classes:
        left.left_out.setdefault(name, "classes")
    fitting = tuple(name for name in classes if _fits_objects(name, found, left))
    return replace(found, readings=kept, classes=fitting, left_out=left.left_out)


def _of_arrays(arrays: Sequence[Described], said: Mapping[str, Any]) -> Guess:
    """Say which dimension of arrays holds the draws; the others are those of cells."""
    sizes = max(
        (a.sizes for a in arrays), key=lambda s: [a.sizes for a in arrays].count(s)
    )
    values = tuple(array.name for array in arrays if array.sizes == sizes)
    others = [array.name for array in arrays if array.sizes != sizes]
    left_out = dict.fromkeys(others, "it has other dimensions")
    long = {
        dim: of_numbers(dim, np.arange(n) * 1.0) for dim, n in sizes.items() if n > 1
    }
    draws = said.get("sample") or next(
        (
            dim
            for words in (DRAW_WORDS, INDEX_WORDS, TIME_WORDS)
            for dim, column in long.items()
            if says(column, words)
        ),
        None,
    )
    if draws is None or len(long) < 2:
        doubt = "no dimension is named as that of draws; name it with sample=."
        return Guess((), doubt, left_out=left_out)
    cells = ",".join(dim for dim in long if dim != draws)
    n_cells = np.prod([n for dim, n in sizes.items() if dim != draws], dtype=int)
    what = "cell" if "," in cells else "object"
    means = f"{counted(int(n_cells), what)} by {cells}, whose values are along {draws}"
    together = Reading(
        cells, values, sample=draws, joint=True, means=f"{means}: joint draws"
    )
    reading = _with_said(together, said)
    if "joint" in said or says(of_numbers(draws, np.zeros(1)), DRAW_WORDS):
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
        many = left.columns[said] if said else next(iter(left.repeated_ids()), None)
    broken = None if id is not None or many is not None else left.broken_id()
    if not good:
        left.sort()
        return Guess((), "no value with errors is left to cluster.")
    readings, notes = error_readings(good, id, left)
    left.sort("no errors")
    if readings[0].kind == "?":
        low, high = good[0].columns
        why = "look like quantiles of which no kind of error is known; give --kind."
        return Guess((), f"{low} and {high} {why}")
    if len(readings) > 1:
        doubt = "the columns of errors can be taken in several ways."
        return Guess(tuple(readings), doubt, notes=notes)
    reading = readings[0]
    if many is not None:
        doubt = f"{many.name} has several rows for most objects, and there are errors."
        other = Reading(
            many.name, reading.values, means="rows of an object are its values"
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
    counted = id is not None and is_row_number(left.columns[id])
    if counted and "id" not in left.said and left.repeated_ids():
        left.left_out[str(id)] = "a number of the row"
        id = None
    if id is None and not measured:
        said = left.said.get("id")
        many = [left.columns[said]] if said else left.repeated_ids()
        if many:
            words = [n for n in classes if not says(left.columns[n], CLASS_WORDS)]
            return _long(many[0], many[1:], words, left)
    broken = None if id is not None else left.broken_id()
    words = [left.columns[n] for n in classes if not says(left.columns[n], CLASS_WORDS)]
    perhaps = None if id is not None or broken else perhaps_id(words, left.free)
    left.sort()
    values = left.values()
    if not values:
        return Guess((), NOTHING)
    means = "one row per object" if id is not None else "every row is an object"
    means += ", errors in the cells" if measured else "; values are exact"
    reading = Reading(id, values, means=means)
    if perhaps is not None and not measured:
        objects, time = (column.name for column in perhaps)
        several = Reading(objects, values, means=VALUES)
        doubt = f"{objects} has one row for each {time}: does it name the objects?"
        return Guess((several, reading), doubt)
    if broken is None:
        return Guess((reading,))
    doubt = f"{broken.name} does not name each row: entries repeat or are missing."
    offers = [reading]
    if not broken.n_missing and not measured:
        means = "rows of an object are its values"
        offers.append(Reading(broken.name, values, means=means))
    return Guess(tuple(offers), doubt)


def _long(
    id: Described, others: Sequence[Described], words: Sequence[str], left: Leftover
) -> Guess:
    leading = left.leading
    rivals = [c for c in others if not is_constant_within(c, id)]
    # Numbers that differ from row to row name each of them, in their own way.
    if leading in left.free and leading is not id and "id" not in left.said:
        one_each = leading.names_rows and leading.n_distinct == left.n_rows
        rivals += [leading] * (one_each and leading.kind == "whole")
    plate = None if "id" in left.said else place_on(id, left.free)
    if plate is not None:
        rivals += [left.columns[name] for name in words]
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
    named = [
        Reading(
            rival.name, values, means=f"{counted(rival.n_distinct, 'object')}: {VALUES}"
        )
        if rival.n_distinct < rival.n_rows
        else Reading(rival.name, values, means="one row per object; values are exact")
        for rival in rivals
    ]
    rows = Reading(None, values, means="every row is an object; values are exact")
    alone = [] if any(r.n_distinct == r.n_rows for r in rivals) else [rows]
    names = [column.name for column in (id, *rivals)]
    doubt = f"{' and '.join(names)} may name the objects."
    if plate is not None:
        doubt = (
            f"{id.name} is a place on {plate.name}: objects may be its entries, those "
            f"of {' or '.join(['the rows', *names[1:]])}."
        )
    return Guess((*found.readings, *named, *alone), f"{found.doubt} {doubt}".strip())


def _replicates(repeated: Repeated, id: str | None, left: Leftover) -> Guess:
    columns = {name for group in repeated.columns for name in group}
    alike = all(_agree(group, left) for group in repeated.columns)
    every = left.values()
    left.take(columns)
    left.sort("measured once")
    n = len(repeated.columns[0])
    means = f"one row per object, with {n} measurements of each value"
    one = Reading(id, repeated.stems, replicates=repeated.template, means=means)
    if alike and (len(repeated.stems) > 1 or repeated.says_so):
        return Guess((one,))
    features = tuple(n for n in every if n in columns or n not in left.left_out)
    other = Reading(id, features, means="every column is a feature of its own")
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
    names, doubt = (
        {c.name for c in meant},
        f"column {meant[0].name} {meant[0].doubt}.",
    )
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
    reading, rules = found.readings[0], get_args(Missing)
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
    offers = tuple(
        replace(reading, missing=rule, means=means)
        for rule, means in ways.items()
        if rule in rules
    )
    return replace(found, readings=offers, doubt=doubt)


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


def _about_totals(found: Guess, left: Leftover) -> Guess:
    """Say so if the last row seems to be the sum of the others."""
    id = left.columns.get(found.readings[0].id or "") if found.readings else None
    if id is None or id.words is None or id.codes is None:
        return found
    last = str(id.words[id.codes[-1]])
    if not TOTAL_WORDS.issuperset(words_of(last) or [""]):
        return found
    note = f"The last row is named {last}: if it is no object, leave it out."
    return replace(found, notes=(*found.notes, note))


def _about_orphans(found: Guess) -> Guess:
    """Say so if values are named as errors, of which it is not clear what they are."""
    values = found.readings[0].values if found.readings else ()
    orphans = [name for name in values if is_named_as_error(name)]
    if not orphans:
        return found
    some = ", ".join(orphans[:3]) + (", ..." if len(orphans) > 3 else "")
    note = f"Named as errors, but not clear of what, and taken as values: {some}."
    return replace(found, notes=(*found.notes, note))


def _fits_objects(name: str, found: Guess, left: Leftover) -> bool:
    """Whether classes are known for every object, and the same in all its rows."""
    column = left.columns[name]
    if column.n_missing or not found.readings:
        return False
    id = found.readings[0].id
    if id is None or not left.repeats(id):
        return True
    return is_constant_within(column, left.columns[id])
