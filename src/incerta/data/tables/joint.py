"""Long tables whose rows are joint draws: an ensemble, imputations, a posterior."""

import numpy as np

from incerta.data.container import UncertainData
from incerta.data.grouping import Coded
from incerta.data.laws import Joint
from incerta.data.tables.columns import Table
from incerta.data.tables.draws import fill_draws, say_filled
from incerta.data.tables.errors import finite_or_log
from incerta.data.tables.gaps import complete_draws, missing_message
from incerta.data.tables.spec import TableSpec
from incerta.exceptions import DataError, MissingValueError
from incerta.typing import Indices, Mask
from incerta.wording import counted, verb


def cells_of_draws(coded: Coded, draws: Coded, spec: TableSpec) -> Indices:
    """Number the pair (draw, object) of each row; no pair may occur twice."""
    cells: Indices = draws.codes * len(coded.ids) + coded.codes
    ordered = np.sort(cells)
    twice = ordered[1:][ordered[1:] == ordered[:-1]]
    if len(twice):
        draw, object_ = divmod(int(twice[0]), len(coded.ids))
        msg = (
            f"{counted(len(twice), 'row')} {verb(len(twice), 'repeats', 'repeat')} a "
            f"pair of id={spec.id!r} and "
            f"sample={spec.sample!r}, the first is object {coded.ids[object_]!s} with "
            f"{draws.ids[draw]!s}. A draw places an object once: average the rows, or "
            "name a column that tells them apart."
        )
        raise DataError(msg)
    incomplete = len(cells) < len(coded.ids) * len(draws.ids)
    if spec.joint and incomplete and spec.missing_rule == "error":
        holes = np.flatnonzero(ordered != np.arange(len(ordered)))
        first = int(holes[0]) if len(holes) else len(ordered)
        draw, object_ = divmod(first, len(coded.ids))
        msg = (
            f"joint draws must place every object, but "
            f"{len(coded.ids) * len(draws.ids) - len(cells)} pairs of id={spec.id!r} "
            f"and sample={spec.sample!r} are absent, the first is object "
            f"{coded.ids[object_]!s} with {draws.ids[draw]!s}. Leave out the draws or "
            "objects that are not complete, pass missing='impute', which fills them, "
            "or say joint=False."
        )
        raise DataError(msg)
    return cells


def joint_form(
    table: Table,
    spec: TableSpec,
    coded: Coded,
    draws: Coded,
    cells: Indices,
) -> UncertainData:
    """Take rows as joint draws; `cells` is the number of the pair of each row."""
    n_draws, n_objects, n_features = len(draws.ids), len(coded.ids), len(spec.values)
    worlds = np.full((n_draws, n_objects, n_features), np.nan)
    for j, name in enumerate(spec.values):
        worlds.reshape(-1, n_features)[cells, j] = finite_or_log(
            table, name, spec, coded
        )
    gaps: Mask = np.isnan(worlds)
    if gaps.any():
        if spec.missing_rule == "error":
            columns = [table.numbers(name) for name in spec.values]
            raise MissingValueError(missing_message(spec.values, columns, coded))
        if spec.missing_rule == "drop":
            worlds = complete_draws(worlds, np.asarray(~gaps.any(axis=(1, 2))))
        else:
            worlds = fill_draws(worlds, coded.ids, draws.ids, spec.values)
            say_filled(gaps)
    return UncertainData(Joint(worlds), coded.ids, spec.features)
