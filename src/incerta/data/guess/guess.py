"""Guess the roles of columns from their names, types and cells."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any

import numpy as np

from incerta.data.guess.described import (
    ALMOST_ALL,
    MANY_GROUPS,
    Described,
    Leftover,
    is_coordinate,
    is_row_number,
    is_time,
    numbered,
    says,
    wants_logarithm,
)
from incerta.data.tables.names import (
    ALONE,
    BATCH_WORDS,
    CLASS_WORDS,
    DRAW_WORDS,
    FEATURE_WORDS,
    INDEX_WORDS,
    JOINT_WORDS,
    NUMBER_WORDS,
    PLACE_WORDS,
    SET_WORDS,
    TIME_WORDS,
    TOTALS,
    WEIGHT_WORDS,
    Named,
    Repeated,
    correlation_names,
    error_names,
    is_named_as_error,
    kind_of,
    repeated_names,
)
from incerta.data.tables.spec import BOUNDS, COUNTS, PAIRS, TableSpec
from incerta.typing import Indices
from incerta.wording import capital, counted, given

LONG_FORM = ("weight", "sample", "joint", "batch")
ROWS_OF_AN_OBJECT = 2.0  # least number of rows per object, on average
FEWEST = 3  # objects, beside what was measured about them
VALUES = "rows of an object are its possible values"
EXACT = "every row is an object; values are exact"
NOTHING = "no column of numbers is left to cluster."
MEANS = {
    None: "values with standard deviations",
    "moe90": "values with margins of error of 90%",
    "moe95": "values with margins of error of 95%",
    "rel%": "values with errors in percent of them",
    "var": "values with variances",
    "ivar": "values with inverse variances",
    "interval": "values somewhere between two bounds",
    "ci68": "values with 68% intervals",
    "ci95": "values with 95% confidence intervals",
    "plusminus": "values with errors upwards and downwards",
}
NEGATIVE = "named as errors, but some are negative"
MOE = "moe is taken for a 90% margin of error, as in the American Community Survey"
SHARES = "named as relative errors, but all are below 1"


@dataclass(frozen=True, kw_only=True)
class Reading(TableSpec):
    """A description of a table, and its meaning in a few words."""

    means: str = ""


@dataclass(frozen=True)
class Guess:
    """The sensible readings of a table: one if the table is clear, several, or none."""

    readings: tuple[Reading, ...]
    doubt: str = ""  # why the table is not clear
    classes: tuple[str, ...] = ()  # columns of known classes
    left_out: dict[str, str] = field(default_factory=dict)  # why, by column
    notes: tuple[str, ...] = ()  # assumptions
    objects: str = ""  # number and names of objects, if another column could name them

    @property
    def is_clear(self) -> bool:
        """Return whether only one reading is sensible."""
        return len(self.readings) == 1 and not self.doubt


def guess(
    columns: Sequence[Described],
    said: Mapping[str, Any] | None = None,
    names: Sequence[str] = (),
) -> Guess:
    """Guess the roles of columns; `said` holds parameters of `read_table`."""
    said = {name: v for name, v in (said or {}).items() if v not in (None, ())}
    arrays = [column for column in columns if len(column.sizes) > 1]
    if arrays:
        return _of_arrays(arrays, said)
    left = Leftover(columns, said)
    measured = None if said else measured_things(columns, left.n_rows)
    if measured is not None:
        return _one_column_each(*measured)
    is_long = any(name in said for name in LONG_FORM)
    of_counts = said.get("kind") == COUNTS
    errors = [] if is_long or of_counts else take_errors(left)
    classes = left.take_classes()
    if errors:
        found = _with_errors(errors, left)
    elif "errors" in said:
        doubt = f"no columns fit {given(errors=said['errors'])}; name the values."
        found = Guess((), doubt)
    elif of_counts:
        found = _of_counts(left)
    else:
        found = _without_errors(left, is_long, classes)
    found = _about_gaps(_about_text(found, left), left)
    found = _about_names(_about_marks(found, left), names)
    found = replace(found, notes=(*found.notes, *_notes(found, left)))
    kept = tuple(_with_said(reading, said) for reading in found.readings)
    classes = tuple(n for n in classes if all(n != reading.id for reading in kept))
    for name in classes:
        left.left_out.setdefault(name, "classes")
    fitting = tuple(name for name in classes if _fits_objects(name, found, left))
    return replace(found, readings=kept, classes=fitting, left_out=left.left_out)


def _of_arrays(arrays: Sequence[Described], said: Mapping[str, Any]) -> Guess:
    """Find the dimension of draws of arrays; the others are those of cells."""
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
        doubt = (
            "no dimension is named as that of draws; name it with "
            f"{given('sample')}. Or, if arrays hold errors: "
            f"{given(id=','.join(long))}, {given('values')} and {given('errors')}."
        )
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
    """Say that a table must be pivoted, which `read_table` cannot do."""
    some = ", ".join(map(str, np.asarray(things.words)[:3]))
    some += ", ..." if things.n_distinct > 3 else ""
    doubt = (
        f"{things.name} seems to name the measured quantities of each {objects.name}; "
        f"these must be columns ({some}). pandas' pivot_table pivots the table."
    )
    return Guess((), doubt)


def _with_said(reading: Reading, said: Mapping[str, Any]) -> Reading:
    """Let the user's options override the guess."""
    return replace(reading, **{n: v for n, v in said.items() if hasattr(reading, n)})


def take_errors(left: Leftover) -> list[Named]:
    """Find error columns by name whose numbers can be errors.

    The user's options about errors and their kind are respected.
    """
    numbers = list(left.values())
    said, kind = left.said.get("errors"), left.said.get("kind")
    if said:
        errors = _as_said(tuple(said), kind, numbers)
    else:
        named = [*error_names(numbers), *_by_cells(left)]
        errors = [error for error in named if _can_be(error, left)]
        columns = {column for error in errors for column in error.columns}
        errors = [error for error in errors if error.value not in columns]
        if kind is not None:
            n = 1 + (kind in PAIRS)
            errors = [e._replace(kind=kind) for e in errors if len(e.columns) == n]
    left.take({column for error in errors for column in error.columns})
    return errors


def _by_cells(left: Leftover) -> list[Named]:
    """Return columns of cells such as ±0.5: errors of the column before."""
    numbers = [c for c in left.columns.values() if c.is_number]
    return [
        Named(value.name, (error.name,), kind_of(error.name), ())
        for value, error in pairwise(numbers)
        if error.is_error and value in left.free and error in left.free
    ]


def _can_be(named: Named, left: Leftover) -> bool:
    columns = [left.columns[name] for name in named.columns]
    value = left.columns.get(named.value)
    if value is not None and value.kind == "measured":
        left.left_out[named.value] = f"errors in its cells and in {named.columns[0]}"
        left.left_out |= dict.fromkeys(named.columns, f"{named.value} is left out")
        left.take(left.left_out)
        return False
    if len(columns) == 1 and (why := _why_not(named, columns[0])):
        left.left_out[named.columns[0]] = why
        left.take(named.columns)
        return False
    if named.kind != "bounds" or value is None:
        return True
    # If bounds may be something else, most values must lie in between.
    low, high = (np.asarray(column.numbers) for column in columns)
    inside = (np.asarray(value.numbers) >= low) & (np.asarray(value.numbers) <= high)
    return bool(2 * inside.sum() >= (~np.isnan(low + high)).sum())


def _why_not(named: Named, column: Described) -> str:
    """Say why numbers cannot be errors despite their name."""
    numbers = np.asarray(column.numbers)
    numbers = numbers[~np.isin(numbers, [float(mark) for mark in column.marks])]
    if (numbers < 0).any():
        return NEGATIVE
    percent = named.columns[0].lower().endswith(("%", "%)", "%]", "pct", "percent"))
    if named.kind == "rel%" and not percent and not (numbers >= 1).any():
        return SHARES
    return ""


def _as_said(
    templates: tuple[str, ...], kind: str | None, numbers: Sequence[str]
) -> list[Named]:
    """Return the values that have the error columns of the given templates."""
    known = set(numbers)
    if not all("{}" in template for template in templates):
        return []
    before, _, after = templates[0].partition("{}")
    errors = []
    for name in numbers:
        if not (name.startswith(before) and name.endswith(after)):
            continue
        value = name[len(before) : len(name) - len(after)]
        columns = tuple(template.replace("{}", value) for template in templates)
        if value and known.issuperset(columns) and (kind in BOUNDS or value in known):
            errors.append(Named(value, columns, kind, templates))
    return errors


def _with_errors(errors: Sequence[Named], left: Leftover) -> Guess:
    for error in errors:
        column = left.columns.get(error.value)
        if column is None:
            continue
        if not column.is_number:
            left.left_out[column.name] = "no numbers"
        elif column.is_constant:
            left.left_out[column.name] = "constant"
        elif is_coordinate(column):
            left.left_out[column.name] = "a coordinate"
    good = [error for error in errors if error.value not in left.left_out]
    left.take({error.value for error in errors})
    id, said = left.take_unique_id(), left.said.get("id")
    many = None
    if id is None:
        many = left.columns[said] if said else next(iter(repeated_ids(left)), None)
    broken = None if id is not None or many is not None else left.broken_id()
    if not good:
        left.sort()
        return Guess((), "no value with errors is left to cluster.")
    readings, notes = _error_readings(good, id, left)
    left.sort("no errors")
    if not readings:
        low, high = good[0].columns
        kind = given("kind")
        why = f"look like quantiles of which no kind of error is known; give {kind}."
        return Guess((), f"{low} and {high} {why}")
    if len(readings) > 1:
        doubt = "the columns of errors can be taken in several ways."
        return Guess(tuple(readings), doubt, notes=notes)
    reading = readings[0]
    if many is not None:
        doubt = f"{many.name} has several rows for most objects, and there are errors."
        means = "rows of an object are its values"
        other = Reading(id=many.name, values=reading.values, means=means)
        apart = replace(reading, means="every row is an object of its own")
        offers = (other,) if said is not None else (apart, other)
        return Guess(offers, doubt, notes=notes)
    if broken is not None:
        notes = (*notes, f"{broken.name} does not name each row, and is not used.")
    return Guess((reading,), notes=notes)


def _error_readings(
    errors: Sequence[Named], id: str | None, left: Leftover
) -> tuple[list[Reading], tuple[str, ...]]:
    """Return readings with the most frequent kind of error, and the assumptions.

    The list is empty if that kind is unknown.
    """
    kinds: dict[str | None, list[Named]] = {}
    for named in errors:
        kinds.setdefault(named.kind, []).append(named)
    most = max(map(len, kinds.values()))
    best = {kind: group for kind, group in kinds.items() if len(group) == most}
    if next(iter(best)) == "?":
        return [], ()
    kept = {named.value for named in errors if named.kind in best}
    others = [named.value for named in errors if named.value not in kept]
    left.left_out |= dict.fromkeys(others, "its errors are of another kind")
    readings = []
    for kind, group in best.items():
        values, columns = _columns_of(group, left)
        # An interval, or the ends of a confidence interval.
        for each in ("interval", "ci95") if kind == "bounds" else (kind,):
            means = f"one row per object: {MEANS.get(each, f'errors of kind {each}')}"
            corr = _correlations(values, each, left)
            reading = Reading(id=id, values=values, errors=columns, kind=each)
            readings.append(replace(reading, corr=corr, means=means))
    margins = [named.columns[0] for named in best.get("moe90", ())]
    unsaid = "kind" not in left.said and any("90" not in name for name in margins)
    return readings, (f"{MOE}; set {given('kind')} if it is another.",) * bool(unsaid)


def _columns_of(
    group: list[Named], left: Leftover
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return values and their error columns, or templates for these."""
    group = list({named.value: named for named in reversed(group)}.values())[::-1]
    templates = Counter(named.templates for named in group)
    if len(templates) == 1 and group[0].templates:
        columns = group[0].templates
    elif len(group[0].columns) == 1:
        columns = tuple(named.columns[0] for named in group)
    else:  # only pairs of one pattern can be described
        columns = templates.most_common(1)[0][0]
        others = [named.value for named in group if named.templates != columns]
        left.left_out |= dict.fromkeys(others, "its bounds are named in another way")
        group = [named for named in group if named.templates == columns]
    return tuple(named.value for named in group), columns


def _correlations(
    values: tuple[str, ...], kind: str | None, left: Leftover
) -> str | None:
    if kind in ("interval", "plusminus"):
        return None
    columns = correlation_names([c.name for c in left.free], values)
    if not columns:
        return None
    template = max(columns, key=lambda each: len(columns[each]))
    left.take(columns[template])
    return template


def _without_errors(left: Leftover, is_long: bool, classes: Sequence[str]) -> Guess:
    said = left.said.get("id")
    id = None if is_long else left.take_unique_id()
    measured = any(c.kind == "measured" for c in left.free)
    if not is_long and not measured and not left.repeats(said):
        repeated = repeated_names(left.values())
        if repeated is not None:
            return _replicates(repeated, id, left)
    words = [left.columns[name] for name in classes if not says(name, CLASS_WORDS)]
    rivals: list[Described] = []
    is_count = id is not None and is_row_number(left.columns[id])
    if is_count and said is None and repeated_ids(left):
        if says(left.columns[str(id)], NUMBER_WORDS):
            rivals = [left.columns[str(id)]]
        else:
            left.left_out[str(id)] = "a number of the row"
        id = None
    if id is None and not measured:
        many = [left.columns[said]] if said else repeated_ids(left)
        if many:
            return _long(many[0], [*many[1:], *rivals], words, left)
    broken = None if id is not None else left.broken_id()
    perhaps = None if id is not None or broken else perhaps_id(words, left.free)
    place = None
    if id is not None and said is None and says(left.columns[id], PLACE_WORDS):
        place = left.columns[id]
        left.leave_out("it was set", lambda c: c.is_number and says(c, SET_WORDS))
    left.sort()
    values = left.values()
    if not values:
        return Guess((), NOTHING)
    means = "one row per object" if id is not None else "every row is an object"
    means += ", errors in the cells" if measured else "; values are exact"
    reading = Reading(id=id, values=values, means=means)
    if place is not None:
        if words:
            return _of_rivals(Guess((reading,)), place, words, None)
        return Guess((reading,), objects=f"{place.n_rows:,} objects, named by {id}")
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


def _of_counts(left: Leftover) -> Guess:
    """Return readings in which all whole numbers, except ids, are counts."""
    id = left.said.get("id") or left.take_unique_id()
    total = f"a sum; may be the {given('exposure')}"
    left.leave_out(total, lambda c: c.is_number and says(c, TOTALS))
    left.leave_out("no count", lambda c: c.is_number and c.kind != "whole")
    left.sort()
    values = left.values()
    if not values:
        return Guess((), "no column of whole numbers is left to count.")
    repeated = id is not None and left.repeats(id)
    means = "counts; rows of an object are added up" if repeated else "counts"
    return Guess((Reading(id=id, values=values, means=means),))


def _long(
    id: Described,
    others: Sequence[Described],
    words: Sequence[Described],
    left: Leftover,
) -> Guess:
    leading = left.leading
    rivals = [c for c in others if not is_constant_within(c, id)]
    # Distinct numbers identify rows in their own way.
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
    """Return a reading for each column that may name objects, and one without."""
    values = found.readings[0].values
    offers = []
    for rival in rivals:
        means = f"{counted(rival.n_distinct, 'object')}: {VALUES}"
        if rival.n_distinct == rival.n_rows:
            means = "one row per object; values are exact"
        offers.append(Reading(id=rival.name, values=values, means=means))
    if all(column.n_distinct < column.n_rows for column in (id, *rivals)):
        offers.append(Reading(values=values, means=EXACT))
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
    together = Reading(
        id=id, values=repeated.stems, replicates=repeated.template, means=means
    )
    if alike and (len(repeated.stems) > 1 or repeated.says_so):
        return Guess((together,))
    features = tuple(n for n in every if n in columns or n not in left.left_out)
    means = "every column is a separate feature"
    apart = Reading(id=id, values=features, means=means)
    first, *_, last = repeated.columns[0]
    doubt = f"{first} to {last} can be measurements of one value, or features."
    return Guess((together, apart), doubt)


def _agree(group: Sequence[str], left: Leftover) -> bool:
    """Return whether columns differ less within rows than rows do from each other."""
    cells = np.stack([np.asarray(left.columns[name].numbers) for name in group], axis=1)
    cells = cells[~np.isnan(cells).any(axis=1)]
    return len(cells) < 2 or bool(2 * cells.var(axis=1).mean() < cells.var())


def _doubting(found: Guess, readings: Sequence[Reading], doubt: str) -> Guess:
    doubt = f"{found.doubt} {doubt}".strip()
    return replace(found, readings=tuple(readings), doubt=doubt)


def _about_text(found: Guess, left: Leftover) -> Guess:
    """Question columns of numbers with some cells that are not numbers."""
    used = {name for reading in found.readings for name in reading.values}
    doubtful = (c for c in left.columns.values() if c.doubt)
    meant = [c for c in doubtful if c in left.free or c.name in used]
    if not meant:
        return found
    names = {c.name for c in meant}
    left.left_out |= dict.fromkeys(names, "some cells are not numbers")
    means = f"without {', '.join(sorted(names))}"
    apart = [_without(reading, names, means) for reading in found.readings]
    doubt = f"column {meant[0].name} {meant[0].doubt}."
    return _doubting(found, [reading for reading in apart if reading.values], doubt)


def _without(reading: Reading, names: set[str], means: str) -> Reading:
    values = tuple(name for name in reading.values if name not in names)
    errors = reading.errors
    if not any("{}" in column for column in errors):
        pairs = zip(reading.values, errors, strict=False)
        errors = tuple(error for name, error in pairs if name not in names)
    return replace(reading, values=values, errors=errors, means=means)


def _about_gaps(found: Guess, left: Leftover) -> Guess:
    """Return a reading for each rule for missing values, if none is the default."""
    if not found.is_clear or "missing" in left.said:
        return found
    reading = found.readings[0]
    used = [left.columns[name] for name in reading.values if name in left.columns]
    gaps = [column for column in used if column.n_missing]
    # A missing value with an error column has an infinite error.
    measured = any(column.kind == "measured" for column in gaps)
    taken = measured or reading.errors or reading.replicates
    if not gaps or taken or reading.kind == "interval":
        return found
    worst = max(gaps, key=lambda column: column.n_missing)
    doubt = f"cells are missing, such as {worst.n_missing:,} in {worst.name}."
    ways = {"impute": "what is missing is imputed", "drop": "such rows are left out"}
    offers = [replace(reading, missing=rule, means=ways[rule]) for rule in ways]
    return _doubting(found, offers, doubt)


def _about_marks(found: Guess, left: Leftover) -> Guess:
    """Ask whether numbers such as -999 are values, which would form a cluster."""
    if not found.is_clear:
        return found
    reading = found.readings[0]
    names = (*reading.values, *errors_in(reading))
    there = [left.columns[name] for name in names if name in left.columns]
    marks = tuple(dict.fromkeys(mark for column in there for mark in column.marks))
    if not marks:
        return found
    first = next(column.name for column in there if column.marks)
    listed = ", ".join(marks)
    doubt = f"{marks[0]} occurs several times in {first}, far from all other numbers."
    offers = [replace(reading, na=marks, means=f"{listed} stands for missing values")]
    if first in reading.values:
        offers.append(replace(reading, means=f"{listed} is a value like others"))
    return _doubting(found, offers, doubt)


def _about_names(found: Guess, names: Sequence[str]) -> Guess:
    """Note columns with equal names, and ask if they are named like errors."""
    times = Counter(name.strip() for name in names)
    twice = sorted(name for name in times if times[name] > 1)
    if not twice:
        return found
    error = next(filter(ALONE.fullmatch, twice), None)
    if error is not None:
        doubt = (
            f"{times[error]} columns are named {error}, as errors are; give each a "
            f"name of its own, such as 'x {error}' for the error of x."
        )
        apart = [replace(r, means="without these errors") for r in found.readings]
        return _doubting(found, apart, doubt)
    note = (
        f"{times[twice[0]]} columns are named {twice[0]}, and none of them is used; "
        "give each a name of its own."
    )
    if not found.readings:
        return _doubting(found, (), capital(note))
    return replace(found, notes=(*found.notes, note))


def _notes(found: Guess, left: Leftover) -> Iterator[str]:
    """Return notes on the first reading that need no question."""
    values = found.readings[0].values if found.readings else ()
    orphans = [name for name in values if is_named_as_error(name)]
    if orphans:
        some = ", ".join(orphans[:3]) + (", ..." if len(orphans) > 3 else "")
        yield f"Named as errors, but it is unclear of what; taken as values: {some}."
    for name, why in left.left_out.items():
        if why in (NEGATIVE, SHARES):
            way_out = f": set {given('errors')} and {given('kind')}"
            yield f"{name} is not used: {why}{way_out * (why == SHARES)}."


def _fits_objects(name: str, found: Guess, left: Leftover) -> bool:
    """Return whether every object has a class, the same in all its rows."""
    column = left.columns[name]
    if column.n_missing or not found.readings:
        return False
    id = found.readings[0].id
    if id is None or not left.repeats(id):
        return True
    return is_constant_within(column, left.columns[id])


def repeated_ids(left: Leftover) -> list[Described]:
    """Return columns that may name objects with several rows, the most objects first.

    Numbers without a name for ids may name objects only if they come first.
    """
    other = JOINT_WORDS | BATCH_WORDS | CLASS_WORDS
    leading = left.leading if left.leading and numbered(left.leading) else None
    if leading is not None and leading.n_distinct < MANY_GROUPS:
        leading = None  # a few groups may be anything
    named = [
        c
        for c in left.free
        if (left.is_id_like(c) or c is leading)
        and not says(c, other)
        and not is_time(c)
        and 1 < c.n_distinct <= left.n_rows / ROWS_OF_AN_OBJECT
    ]
    objects = [c for c in named if not says(c, INDEX_WORDS)] or named
    return sorted(objects, key=lambda c: -c.n_distinct)


def is_constant_within(column: Described, objects: Described) -> bool:
    """Tell whether all rows of an object have the same entry."""
    entries = column.coded()
    if entries.min() < 0:
        return False
    pairs = objects.coded() * (int(entries.max()) + 1) + entries
    return len(np.unique(pairs)) == objects.n_distinct


def place_on(place: Described, columns: Sequence[Described]) -> Described | None:
    """Return the column of plates for these positions, none of which repeats on one."""
    plates = [c for c in columns if says(c, BATCH_WORDS) and c.names_rows]
    on = (c for c in plates if c.n_distinct > 1 and _share(place.coded(), c)[0])
    return next(on, None) if says(place, PLACE_WORDS) else None


def perhaps_id(
    words: Sequence[Described], columns: Sequence[Described]
) -> tuple[Described, Described] | None:
    """Return the only column of words whose entries have rows for several times."""
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
    """Return the column of measured quantities, and that of the objects."""
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


def _is_crossed(objects: Indices, things: Indices) -> bool:
    """Return whether almost all pairs have rows, and most the same number.

    Cities have some houses of each kind, but not the same number of them.
    """
    n_things = int(things.max()) + 1
    pairs, counts = np.unique(objects * n_things + things, return_counts=True)
    n_usual = np.bincount(counts).max()
    return bool(
        len(pairs) >= ALMOST_ALL * (int(objects.max()) + 1) * n_things
        and n_usual >= ALMOST_ALL * len(pairs)
    )


def long_readings(
    id: Described, columns: Sequence[Described], said: Mapping[str, Any]
) -> tuple[list[Reading], str, set[str]]:
    """Return readings of a table with repeated `id`, a doubt, and the columns used."""
    roles: dict[str, Any] = {r: said.get(r) for r in (*LONG_FORM, "meaning")}
    reading = replace(Reading(id=id.name, means=VALUES), **roles)
    if any(roles[role] is not None for role in ("weight", "sample", "batch")):
        return [reading], "", set()
    objects = id.coded()
    for column in columns:
        # The letter of w798.9, one of many absorbances, carries no meaning.
        named = says(column, WEIGHT_WORDS) and column.name.isalpha()
        if named and _are_weights(column, objects):
            means = "rows of an object are its values, with weights"
            weighted = replace(reading, weight=column.name, means=means)
            return [weighted], "", {column.name}
    batch = next((c for c in columns if says(c, BATCH_WORDS) and c.names_rows), None)
    if batch is not None and _share(objects, batch)[1] > 0:
        means = "rows of an object are repeated measurements, in batches"
        index = {c.name for c in columns if c.names_rows and says(c, INDEX_WORDS)}
        measured = replace(reading, meaning="error", batch=batch.name, means=means)
        return [measured], "", {batch.name, *index}
    return _with_draws(reading, columns, objects)


def _with_draws(
    reading: Reading, columns: Sequence[Described], objects: Indices
) -> tuple[list[Reading], str, set[str]]:
    for column in columns:
        joint, index = says(column, JOINT_WORDS), says(column, INDEX_WORDS)
        if not column.names_rows or not (joint or index or is_time(column)):
            continue
        once, share = _share(objects, column)
        if not once:
            continue
        name = column.name
        means = f"rows with the same {name} belong together: joint draws"
        together = replace(reading, sample=name, joint=True, means=means)
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
        means = "each object on its own"
        apart = replace(reading, sample=name, joint=False, means=means)
        if index:
            means = "each object was measured several times on its own"
            apart = replace(reading, meaning="error", means=means)
        return [together, apart], doubt, {name}
    return [reading], "", set()


def _share(objects: Indices, column: Described) -> tuple[bool, float]:
    """Return whether no object repeats an entry, and the share of pairs that occur."""
    entries = column.coded()
    n_entries = int(entries.max()) + 1
    pairs = len(np.unique(objects * n_entries + entries))
    return pairs == len(objects), pairs / ((int(objects.max()) + 1) * n_entries)


def _are_weights(column: Described, objects: Indices) -> bool:
    """Return whether the numbers of all objects have equal sums."""
    weights = column.numbers
    if weights is None or column.n_missing or (weights < 0).any():
        return False
    sums = np.bincount(objects, weights)
    return bool(np.allclose(sums, sums[0], rtol=1e-2)) and sums[0] > 0


def roles_in(guess: Guess, names: Sequence[str] = ()) -> dict[str, str]:
    """Return the role of each column in the first reading, in a few words."""
    roles = {name: f"({why})" for name, why in guess.left_out.items()}
    roles |= dict.fromkeys(guess.classes, "classes")
    if not guess.readings:
        return roles
    roles |= {other.id: "id?" for other in guess.readings if other.id is not None}
    reading = guess.readings[0]
    words = {"id": "id", "sample": "draw", "weight": "weight", "batch": "batch"}
    named = {getattr(reading, field): word for field, word in words.items()}
    roles |= {name: word for name, word in named.items() if name is not None}
    roles |= dict.fromkeys(reading.values, "value")
    if reading.replicates is not None:
        begin = reading.replicates.removesuffix("*")
        stems = {begin.replace("{}", stem): stem for stem in reading.values}
        for name in names:
            match = re.fullmatch(r"(.*?)(\d+|[A-Za-z])", name)
            if match and match[1] in stems:
                roles[name] = f"measures {stems[match[1]]}"
    return roles | {e: role for e, (role, _) in errors_in(reading).items()}


def errors_in(reading: Reading) -> dict[str, tuple[str, str]]:
    """Return the role in words, and the value, of each error column."""
    words = ("low", "high") if reading.kind in PAIRS else ("error",)
    words = ("error up", "error down") if reading.kind == "plusminus" else words
    columns = reading.error_columns or ((),) * len(reading.values)
    return {
        column: (f"{word} of {value}", value)
        for value, some in zip(reading.values, columns, strict=True)
        for word, column in zip(words, some, strict=False)
    }


def remarks_on(columns: dict[str, Described], guess: Guess) -> dict[str, list[str]]:
    """Return remarks on columns, given their roles."""
    found: dict[str, list[str]] = {}
    if not guess.readings:
        return found
    reading = guess.readings[0]
    id = columns.get(reading.id or "")
    if id is not None and id.n_distinct < id.n_rows:
        times = np.bincount(id.coded())
        least, most = int(times.min()), int(times.max())
        said = f"{least}" if least == most else f"{least} to {most}"
        found.setdefault(id.name, []).append(f"{said} rows each")
    for name in reading.values:
        numbers = columns[name].numbers if name in columns else None
        if numbers is not None and not reading.replicates and wants_logarithm(numbers):
            found.setdefault(name, []).append(f"skewed: try {given('log')}")
    if reading.kind in (None, "sd", "se"):
        for error, (_, value) in errors_in(reading).items():
            sizes, numbers = columns[error].numbers, columns[value].numbers
            if sizes is None or numbers is None:
                continue
            if np.nanmedian(sizes) > np.nanstd(numbers) > 0:
                text = f"mostly larger than the spread of {value}"
                found.setdefault(error, []).append(text)
    if reading.kind in ("interval", "ci95", "ci68"):
        for low, high in reading.error_columns or ():
            below, above = columns[low].numbers, columns[high].numbers
            if below is None or above is None:
                continue
            if n := int((below > above).sum()):
                found.setdefault(low, []).append(f"{counted(n, 'time')} above {high}")
    return found
