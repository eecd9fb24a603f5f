"""`from_frame`: uncertain data from a table of any library."""

import unicodedata
import warnings
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from incerta.backend.optional import comes_from
from incerta.data.construct import values_law
from incerta.data.container import UncertainData
from incerta.data.counts import NO_COUNTS, from_counts, no_counts
from incerta.data.grouping import Coded, Groups, group_codes
from incerta.data.laws import Independent
from incerta.data.replicates import law_of_replicates, without_batches
from incerta.data.tables.columns import Rows, Table, library_of
from incerta.data.tables.draws import cells_of_draws, joint_form
from incerta.data.tables.errors import exact_with_gaps, wide_form
from incerta.data.tables.gaps import (
    complete_rows,
    dropped,
    listed_gaps,
    missing_message,
)
from incerta.data.tables.names import is_total
from incerta.data.tables.spec import COUNTS, Errors, Kind, Missing, TableSpec
from incerta.exceptions import DataError, IncertaWarning, MissingValueError
from incerta.typing import Array, Ids, Indices, Mask
from incerta.wording import given

MOST_COMPARED = 100_000  # ids checked for some that look alike


def from_frame(
    df: Any,
    *,
    id: str | None = None,
    values: str | Sequence[str],
    errors: Errors | None = None,
    kind: Kind = "sd",
    exposure: str | None = None,
    weight: str | None = None,
    missing: Missing | None = None,
    sample: str | None = None,
    joint: bool | None = None,
    meaning: str | None = None,
    batch: str | None = None,
    corr: str | None = None,
    log: str | Sequence[str] | bool | None = None,
    replicates: str | None = None,
) -> UncertainData:
    """Make data from a table: rows that are values, or values with error columns.

    Without `errors` the table is in *long form*: rows with the same id are possible
    values of one object, a single row is a value known exactly. With `errors` it is
    in *wide form*: one row per object, each value with its error.

    Parameters
    ----------
    df : frame
        A frame of pandas, polars (also lazy), pyarrow, duckdb or any other library that
        narwhals supports; an astropy Table; or a dict of columns. Lazy frames are run
        once, for the needed columns. xarray data are read as by `from_xarray`: `id` and
        `sample` name dimensions (with ``"lat,lon"`` grid cells are objects), and
        `values` names the dimension of the features, or variables of a Dataset.
    id : str, optional
        Column with the object of each row: numbers, text or dates. Without it every
        row is an object, numbered from 0.
    values : str or list of str
        Columns of the features.
    errors : str, list, tuple or dict, optional
        Error column of each value: a template such as ``"{}_error"``, a list in the
        order of `values`, or a dict from value to column. For the kinds with two
        columns a pair of templates ``("{}_low", "{}_high")`` or a dict from value to
        ``(low, high)``.
    kind : str, default="sd"
        Contents of the error columns:

        - ``"sd"``, the standard deviation;
        - ``"se"``, the standard error of a mean;
        - ``"var"``, the variance;
        - ``"ivar"``, 1 / variance; 0 means an infinite error;
        - ``"2sigma"`` and ``"3sigma"``, two or three standard deviations;
        - ``"moe90"`` and ``"moe95"``, a margin of error of 90 or 95%: 1.644854 or
          1.959964 standard deviations;
        - ``"rel%"``, the standard deviation in percent of the value, without its sign;
        - ``"ci68"`` and ``"ci95"``, the two ends of a confidence interval of 68 or
          95%, which span 2 times 0.994458 or 1.959964 standard deviations. The value
          is that of its column if there is one, else the middle;
        - ``"plusminus"``, errors upwards and downwards, such as
          ``("{}_err1", "{}_err2")``: the upper one first. Lower ones may be written
          with a minus;
        - ``"interval"``, two bounds between which all values are equally likely.
          The names in `values` need not be columns.

        Or ``"counts"``: there are no error columns, `values` are counts, as for
        `from_counts`. Rows of the same object are repeated counts.
    exposure : str, optional
        Counts: column with the exposure (hours, area, people). By default the sum of
        the counts of the row, so that shares are compared.
    weight : str, optional
        Long form: column with the relative probability of each value.
    missing : {"error", "drop", "infinite", "impute"}, optional
        Treatment of missing values and errors; see Notes. The default is "infinite",
        with a warning that counts them, if there are error columns with the meaning
        "error", and otherwise "error".
    sample : str, optional
        Long form: column with the draw of each row (ensemble member, month,
        imputation). It requires `joint`.
    joint : bool, optional
        Whether rows with the same `sample` belong together across objects. Every draw
        must then have one row for each object.
    meaning : {"error", "belief", "spread"}, optional
        What the uncertainty means; see `UncertainData`. The default is "error" for
        error columns, "spread" for several rows per object, and "belief" for bounds and
        joint draws. With "error" the rows of an object are replicates: repeated
        measurements of one quantity, in which some features may be missing.
    batch : str, optional
        Replicates: column with the batch (plate, night, run) of each row. The offset of
        each batch is estimated and subtracted, with a warning that gives its size.
    corr : str, optional
        Wide form: template of columns with the correlation of the errors of two values.
        ``"{}_{}_corr"`` finds ra_dec_corr for the values ra and dec, in either order.
        Pairs without a column have the correlation 0.
    log : str, list of str or True, optional
        Values to replace by their decimal logarithm, errors included; "all" or True for
        all values. The feature is then called ``log10(mass)``.
    replicates : str, optional
        Pattern of columns with repeated measurements side by side, such as ``"{}_*"``
        for ``h_1``, ``h_2`` and ``h_3`` of the value ``h``; ``*`` stands for digits or
        letters. They are read like the rows of a long table: `meaning` is "error" by
        default; with "spread" they are the values of a distribution.

    Notes
    -----
    Objects are in order of first appearance. Missing values are left out, kept or
    filled, with a warning that counts them. The page on data describes how they are
    filled, the law of values with unequal errors, and the effect of logarithms on
    errors.

    Time and memory are about those of a copy of the columns. Imputation adds up to 200
    rounds of ``n_objects * n_features**3``.

    Examples
    --------
    >>> import incerta as ic
    >>> long = {"star": ["a", "a", "b"], "mass": [1.0, 2.0, 8.0]}
    >>> ic.from_frame(long, id="star", values="mass").mean().ravel()
    array([1.5, 8. ])
    >>> wide = {"star": ["a", "b"], "mass": [1.0, 8.0], "mass_error": [0.1, 0.5]}
    >>> data = ic.from_frame(wide, id="star", values=["mass"], errors="{}_error")
    >>> data.variance().ravel()
    array([0.01, 0.25])
    """
    spec = TableSpec.of_call(locals())
    return from_spec(df, spec)


def from_spec(df: Any, spec: TableSpec) -> UncertainData:
    """Make data from a table and its description."""
    if comes_from(df, "xarray"):
        from incerta.data.from_dataarray import columns_of_dataset, from_dimensions

        if spec.sample is not None:
            return _meaning(from_dimensions(df, spec), spec.meaning)
        df = columns_of_dataset(df, spec.id)
    table = Table(df)
    table.load(_needed(table, spec, df))
    if len(table) == 0:
        msg = "the table has no rows; there is nothing to cluster."
        raise DataError(msg)
    rows = Rows(table, spec, _objects(table, spec))
    data = _meaning(_of_rows(rows), spec.meaning)
    return replace(data, library=library_of(df))


def _meaning(data: UncertainData, meaning: str | None) -> UncertainData:
    return data if meaning in (None, data.meaning) else data.with_meaning(str(meaning))


def _of_rows(rows: Rows) -> UncertainData:
    spec = rows.spec
    if spec.kind == COUNTS:
        return _of_counts(rows)
    if spec.replicates is not None:
        rows.refuse_repeated(f"{given('replicates')} means one row per object.")
        values, groups = _repeats_below(rows)
        return _of_values(rows, groups, values, None)
    if spec.error_columns is not None:
        return wide_form(rows)
    if any(rows.table.is_uncertain(name) for name in spec.values):
        from incerta.data.from_science import from_uncertain_columns

        return from_uncertain_columns(rows)
    if spec.sample is not None:
        draws = rows.table.coded(spec.sample, "sample")
        cells = cells_of_draws(rows, draws)
        if spec.joint:
            return joint_form(rows, draws, cells)
    return _long_form(rows)


def _needed(table: Table, spec: TableSpec, df: Any) -> list[str]:
    try:
        return spec.columns(table.names)
    except DataError as error:
        index = getattr(getattr(df, "index", None), "names", ())
        named = spec.id is not None and spec.id not in table.names
        if named and spec.id in index:
            name = given(id=spec.id)
            msg = f"{name} is the index, not a column; pass df.reset_index()."
            raise DataError(msg) from error
        raise


def _objects(table: Table, spec: TableSpec) -> Coded:
    if spec.id is None:
        return Coded(np.arange(len(table)), np.arange(len(table)), is_column=False)
    coded = table.coded(spec.id, "id")
    _warn_of_alike(coded.ids, spec.id)
    last = str(coded.ids[-1])
    if len(coded.ids) == len(table) > 3 and is_total(last):
        msg = (
            f"the last row is named {last!r}, as if it summed up the others, and is "
            "taken for an object. If it does, leave it out."
        )
        warnings.warn(msg, IncertaWarning, stacklevel=5)
    return coded


def _warn_of_alike(ids: Ids, name: str) -> None:
    """Warn if two objects have ids that people would read as the same."""
    if ids.dtype.kind not in "UO" or len(ids) > MOST_COMPARED:
        return
    seen: dict[str, str] = {}
    for id in map(str, ids.tolist()):
        plain = id if id.isascii() else unicodedata.normalize("NFKC", id)
        other = seen.setdefault("".join(plain.casefold().split()), id)
        if other != id:
            msg = (
                f"{other!r} and {id!r} in {given(id=name)} differ in capitals, spaces "
                "or the form of letters alone, and are taken for two objects. If they "
                "are one, write them alike."
            )
            warnings.warn(msg, IncertaWarning, stacklevel=6)
            return


def _long_form(rows: Rows) -> UncertainData:
    spec, groups = rows.spec, group_codes(rows.coded)
    names = spec.values if spec.weight is None else (*spec.values, spec.weight)
    # Copy one column at a time into place, because long tables are large.
    values, likely = np.empty((len(rows.table), len(spec.values))), None
    for j, name in enumerate(names):
        column = rows.feature(name)
        ordered = column if groups.order is None else column[groups.order]
        if j < len(spec.values):
            values[:, j] = ordered
        else:
            why = "is negative; a value of weight 0 is left out"
            rows.refuse(column < 0, column, name, why)
            likely = ordered
    return _of_values(rows, groups, values, likely)


def _of_values(
    rows: Rows, groups: Groups, values: Array, likely: Array | None
) -> UncertainData:
    """Make data from rows that are values, grouped by object."""
    spec = rows.spec
    names = spec.values if spec.weight is None else (*spec.values, spec.weight)
    cells = [*values.T] if likely is None else [*values.T, likely]
    gaps = np.zeros(len(values), dtype=np.bool_)
    for column in cells:
        gaps |= np.isnan(column)
    grouped = Coded(groups.ids, np.repeat(*_counted(groups)))
    places = np.arange(len(values)) if groups.order is None else groups.order
    if spec.missing_rule == "drop" and gaps.any():
        kept = dropped(gaps, grouped)
        values, likely = values[kept], None if likely is None else likely[kept]
        places, gaps = places[kept], gaps[kept]
        left, codes = np.unique(grouped.codes[kept], return_inverse=True)
        groups = group_codes(Coded(groups.ids[left], codes.ravel()))
    several = len(groups.ids) < len(values)
    if spec.stated_meaning == "error" and several and likely is None:
        return _replicates(rows, groups, places, values)
    if gaps.any():
        if spec.missing_rule == "error":
            raise MissingValueError(missing_message(names, cells, grouped))
        single = likely is None and len(groups.ids) == len(values)
        if spec.missing_rule == "infinite" and single:
            std = np.where(np.isnan(values), np.inf, 0.0)
            errors = Independent("gaussian", values, std)
            return UncertainData(errors, groups.ids, spec.features, meaning="error")
        if single:
            return exact_with_gaps(values, groups.ids, spec.features)
        kept = complete_rows(grouped, gaps)
        values, likely = values[kept], None if likely is None else likely[kept]
        groups = group_codes(Coded(groups.ids, grouped.codes[kept]))
    law = values_law(values, groups, likely, spec.features)
    meaning = "error" if law.kind == "exact" else "spread"
    return UncertainData(law, groups.ids, spec.features, meaning=meaning)


def _of_counts(rows: Rows) -> UncertainData:
    """Make data from counts; rows of the same object are repeats."""
    spec, coded = rows.spec, rows.coded
    names = spec.values if spec.exposure is None else (*spec.values, spec.exposure)
    cells = [rows.finite(name) for name in names]
    for name, column in zip(spec.values, cells, strict=False):
        wrong = no_counts(column) & ~np.isnan(column)
        rows.refuse(wrong, column, name, f"is not a count. {NO_COUNTS[:-1]}")
    gaps: Mask = np.asarray(np.isnan(cells).any(axis=0))
    kept = np.arange(len(gaps))
    if gaps.any():
        if spec.missing_rule == "error":
            lacking = listed_gaps(names, [np.isnan(column) for column in cells], coded)
            msg = (
                f"there are missing values: {lacking}. Write 0 where nothing was seen; "
                f"{given(missing='drop')} leaves out rows that were not observed."
            )
            raise MissingValueError(msg)
        kept = dropped(gaps, coded)
    exposure = None if spec.exposure is None else cells.pop()[kept]
    return from_counts(
        np.column_stack(cells)[kept],
        exposure,
        ids=coded.ids[coded.codes[kept]],
        feature_names=spec.features,
        meaning=spec.meaning or "error",
    )


def _replicates(
    rows: Rows, groups: Groups, places: Indices, values: Array
) -> UncertainData:
    """Make data from replicates: means with errors, without batch offsets."""
    spec = rows.spec
    known = np.add.reduceat(~np.isnan(values), groups.starts[:-1], dtype=np.intp)
    if not known.all():
        i, j = np.argwhere(known == 0)[0]
        msg = f"object {groups.ids[i]!s} has no value of {spec.values[j]!r}; leave it "
        raise MissingValueError(msg + "out, or the value.")
    objects = np.repeat(*_counted(groups))
    if spec.batch is not None:
        batches = rows.table.coded(spec.batch, "batch")
        values, offsets = without_batches(values, objects, batches.codes[places])
        largest = np.abs(offsets).max(axis=0)
        sizes = ", ".join(
            f"{size:.3g} in {name!r}"
            for name, size in zip(spec.features, largest, strict=True)
        )
        msg = (
            f"the offsets of {len(offsets)} batches were estimated and taken off: up "
            f"to {sizes}."
        )
        warnings.warn(msg, IncertaWarning, stacklevel=6)
    law = law_of_replicates(values, objects, len(groups.ids), spec.features)
    return UncertainData(law, groups.ids, spec.features, meaning="error")


def _counted(groups: Groups) -> tuple[Indices, Indices]:
    return np.arange(len(groups.ids)), np.diff(groups.starts)


def _repeats_below(rows: Rows) -> tuple[Array, Groups]:
    """Stack repeats, columns with the same ending, as in a long table."""
    spec, coded = rows.spec, rows.coded
    repeats = spec.repeats(rows.table.names)
    endings = list(dict.fromkeys(end for columns in repeats for end in columns))
    for name, columns in zip(spec.values, repeats, strict=True):
        if spec.stated_meaning != "error" and set(columns) != set(repeats[0]):
            msg = (
                f"{given(meaning=spec.stated_meaning)} needs the same repeats of all "
                f"values, as a repeat is one value of the object: {spec.values[0]!r} "
                f"has {', '.join(repeats[0])}; {name!r} has {', '.join(columns)}. Name "
                f"fewer values, or set {given(meaning='error')}."
            )
            raise DataError(msg)
    places = {end: place for place, end in enumerate(endings)}
    cube = np.full((len(rows.table), len(endings), len(repeats)), np.nan)
    for j, columns in enumerate(repeats):
        for end, name in columns.items():
            cube[:, places[end], j] = rows.feature(name, spec.values[j])
    present = ~np.isnan(cube).all(axis=2)
    counts = present.sum(axis=1)
    if not counts.all():
        row = int((counts == 0).argmax())
        msg = (
            f"object {coded.name(row)} has no value in any column of "
            f"{given(replicates=spec.replicates)}; leave it out."
        )
        raise MissingValueError(msg)
    starts = np.concatenate([[0], np.cumsum(counts)])
    return cube[present], Groups(coded.ids, starts, None)
