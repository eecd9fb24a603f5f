"""Readings of tables with error columns."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from incerta.data.guess.described import Described, Leftover, is_coordinate
from incerta.data.guess.readings import Reading
from incerta.data.tables.names import Named, correlation_names, error_names, kind_of
from incerta.data.tables.spec import BOUNDS, PAIRS

MEANS = {
    None: "values with standard deviations",
    "moe90": "values with margins of error of 90 %",
    "moe95": "values with margins of error of 95 %",
    "rel%": "values with errors in percent of them",
    "var": "values with variances",
    "ivar": "values with inverse variances",
    "interval": "values somewhere between two bounds",
    "ci68": "values with 68 % intervals",
    "ci95": "values with 95 % confidence intervals",
    "plusminus": "values with errors upwards and downwards",
}
NEGATIVE = "named as errors, but some are negative"
SHARES = "named as relative errors, but all are below 1: say errors= and kind="
MOE = (
    "moe is taken for a margin of error of 90 %, as in the American Community Survey; "
    "say kind= if it is another."
)


def take_errors(left: Leftover) -> list[Named]:
    """Find the columns of errors by their names, as far as the numbers can be errors.

    What the user said about errors and their kind is followed.
    """
    numbers = list(left.values())
    said, kind = left.said.get("errors"), left.said.get("kind")
    if said:
        found = _as_said(tuple(said), kind, numbers)
    else:
        told = [*error_names(numbers), *_by_cells(left)]
        found = [named for named in told if _can_be(named, left)]
        errors = {column for named in found for column in named.columns}
        found = [named for named in found if named.value not in errors]
        if kind is not None:
            pairs = 1 + (kind in PAIRS)
            found = [n._replace(kind=kind) for n in found if len(n.columns) == pairs]
    left.take({column for named in found for column in named.columns})
    return found


def _by_cells(left: Leftover) -> list[Named]:
    """Columns of cells such as ±0.5: errors of the column before, whatever the name."""
    numbers = [c for c in left.columns.values() if c.is_number]
    return [
        Named(value.name, (error.name,), kind_of(error.name), ())
        for value, error in pairwise(numbers)
        if error.is_error
        if value in left.free and error in left.free
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
    # Of bounds that may be something else, most values are in between.
    low, high = (np.asarray(column.numbers) for column in columns)
    inside = (np.asarray(value.numbers) >= low) & (np.asarray(value.numbers) <= high)
    return bool(2 * inside.sum() >= (~np.isnan(low + high)).sum())


def _why_not(named: Named, column: Described) -> str:
    """Why numbers cannot be the errors that they are named as, if they cannot."""
    marks = [float(mark) for mark in column.marks]
    numbers = np.asarray(column.numbers)
    numbers = numbers[~np.isin(numbers, marks)]
    if (numbers < 0).any():
        return NEGATIVE
    percent = named.columns[0].lower().endswith(("%", "%)", "%]", "pct", "percent"))
    if named.kind == "rel%" and not percent and not (numbers >= 1).any():
        return SHARES
    return ""


def _as_said(
    templates: tuple[str, ...], kind: str | None, numbers: Sequence[str]
) -> list[Named]:
    """Values that have the error columns of the given templates."""
    known = set(numbers)
    if not all("{}" in template for template in templates):
        return []
    before, _, after = templates[0].partition("{}")
    found = []
    for name in numbers:
        if not (name.startswith(before) and name.endswith(after)):
            continue
        value = name[len(before) : len(name) - len(after)]
        columns = tuple(template.replace("{}", value) for template in templates)
        if value and known.issuperset(columns) and (kind in BOUNDS or value in known):
            found.append(Named(value, columns, kind, templates))
    return found


def usable(errors: Sequence[Named], left: Leftover) -> list[Named]:
    """Errors of values that say something; why the others are left out."""
    for named in errors:
        column = left.columns.get(named.value)
        if column is None:
            continue
        if not column.is_number:
            left.left_out[column.name] = "no numbers"
        elif column.is_constant:
            left.left_out[column.name] = "constant"
        elif is_coordinate(column):
            left.left_out[column.name] = "a coordinate"
    found = [named for named in errors if named.value not in left.left_out]
    left.take({named.value for named in errors})
    return found


def error_readings(
    errors: Sequence[Named], id: str | None, left: Leftover
) -> tuple[list[Reading], tuple[str, ...]]:
    """Readings with the kind of error that most values have, and what was assumed.

    There is none if that is a kind that is not known.
    """
    kinds: dict[str | None, list[Named]] = {}
    for named in errors:
        kinds.setdefault(named.kind, []).append(named)
    most = max(map(len, kinds.values()))
    best = {kind: group for kind, group in kinds.items() if len(group) == most}
    if next(iter(best)) == "?":
        return [], ()
    for group in kinds.values():
        if len(group) < most:
            names = {n.value for n in group} - {
                n.value for n in errors if n.kind in best
            }
            left.left_out |= dict.fromkeys(names, "its errors are of another kind")
    readings = [
        reading
        for kind, group in best.items()
        for reading in _of_kind(kind, group, left)
    ]
    margins = [named.columns[0] for named in best.get("moe90", ())]
    unsaid = "kind" not in left.said and any("90" not in name for name in margins)
    notes = (MOE,) if unsaid else ()
    means = "one row per object: "
    return [
        Reading(
            id=id,
            values=values,
            errors=columns,
            kind=kind,
            corr=_correlations(values, kind, left),
            means=means + MEANS.get(kind, f"errors of kind {kind}"),
        )
        for kind, values, columns in readings
    ], notes


def _of_kind(
    kind: str | None, group: list[Named], left: Leftover
) -> list[tuple[str | None, tuple[str, ...], tuple[str, ...]]]:
    """Kind, values and columns of each reading."""
    group = list({named.value: named for named in reversed(group)}.values())[::-1]
    templates = Counter(named.templates for named in group)
    if len(templates) == 1 and group[0].templates:
        columns = group[0].templates
    elif len(group[0].columns) == 1:
        columns = tuple(named.columns[0] for named in group)
    else:  # of pairs only those of one pattern can be said
        columns = templates.most_common(1)[0][0]
        others = [named.value for named in group if named.templates != columns]
        left.left_out |= dict.fromkeys(others, "its bounds are named in another way")
        group = [named for named in group if named.templates == columns]
    values = tuple(named.value for named in group)
    kinds = ("interval", "ci95") if kind == "bounds" else (kind,)
    return [(one, values, columns) for one in kinds]


def _correlations(
    values: tuple[str, ...], kind: str | None, left: Leftover
) -> str | None:
    if kind in ("interval", "plusminus"):
        return None
    found = correlation_names([c.name for c in left.free], values)
    if not found:
        return None
    template = max(found, key=lambda one: len(found[one]))
    left.take(found[template])
    return template
