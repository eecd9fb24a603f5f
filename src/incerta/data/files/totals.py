"""Rows at the bottom of a table that sum up the others: totals and means."""

import warnings
from collections.abc import Sequence
from typing import Any

import narwhals as nw
import numpy as np

from incerta.data.tables.columns import Table
from incerta.data.tables.roles import Roles
from incerta.exceptions import DataError, IncertaWarning
from incerta.typing import Array
from incerta.wording import counted

# What such rows are called in English, German, French, Spanish, Italian, Portuguese
# and Dutch.
WORDS_FOR_TOTALS = frozenset(
    {"total", "totals", "grand total", "subtotal", "sum", "mean", "average", "avg"}
    | {"median", "overall", "summe", "gesamt", "gesamtsumme", "insgesamt", "mittel"}
    | {"mittelwert", "durchschnitt", "zentralwert", "somme", "total général"}
    | {"ensemble", "moyenne", "médiane", "mediane", "suma", "total general", "media"}
    | {"promedio", "mediana", "totale", "somma", "totale generale", "soma"}
    | {"total geral", "média", "totaal", "som", "eindtotaal", "gemiddelde", "mediaan"}
)
MOST = 5  # such rows
FEWEST = 3  # objects above them
CHANCE = 1e-3  # that numbers of an object are by chance those of a total


def without_totals(frame: Any, roles: Roles) -> tuple[Any, list[str]]:
    """Leave out rows at the bottom that sum up the others.

    Such a row is known by its id, or, the last one, by values that are the sums, means
    or medians of the columns, as exactly as their digits tell.

    Parameters
    ----------
    frame : frame
        A table, as the readers of text and sheets make it.
    roles : Roles
        Which column is what.

    Returns
    -------
    frame
        What is above.
    list of str
        What was left out.
    """
    table = Table(frame)
    names = [name for name in (roles.id, *roles.values) if name in table.names]
    if not names or roles.sample is not None or roles.batch is not None:
        return frame, []
    table.load(names)
    n_rows = len(table)
    bottom = range(n_rows - 1, max(n_rows - 1 - MOST, FEWEST - 1), -1)
    labels: dict[int, str] = {}
    if roles.id in names:
        cells = table[str(roles.id)]
        for row in bottom:
            label = str(nw.to_py_scalar(cells[row]))
            if label.strip(" :.").casefold() not in WORDS_FOR_TOTALS:
                break
            labels[row] = repr(label)
    n_kept = n_rows - len(labels)
    if not labels and bottom and not _has_other_rows(table, roles.id, n_rows - 1):
        values = [name for name in roles.values if name in table]
        statistic = _statistic_of_last(_numbers(table, values))
        if statistic:
            labels[n_rows - 1] = f"a row that holds the {statistic} of each column"
            n_kept = n_rows - 1
    if not labels:
        return frame, []
    return _head(frame, n_kept), list(labels.values())[::-1]


def warn_of_totals(labels: Sequence[str]) -> None:
    """Say which rows were left out."""
    if labels:
        msg = (
            f"{counted(len(labels), 'row')} at the bottom left out, as no object: "
            f"{', '.join(labels)}. If it is one, give it another name, or put it "
            "further up."
        )
        warnings.warn(msg, IncertaWarning, stacklevel=3)


def _has_other_rows(table: Table, id: str | None, row: int) -> bool:
    """Whether the object of a row has others: it is then no sum of all."""
    if id is None:
        return False
    column = table[id]
    return int((column == column[row]).sum()) > 1


def _numbers(table: Table, names: Sequence[str]) -> list[Array]:
    """Columns of numbers; none where one holds something else."""
    try:
        return [table.numbers(name) for name in names]
    except DataError:
        return []


def _statistic_of_last(columns: Sequence[Array]) -> str:
    """What the last numbers of columns are of those above: sums, means, medians."""
    for name, statistic in (
        ("sum", np.nansum),
        ("mean", np.nanmean),
        ("median", np.nanmedian),
    ):
        chance, agrees = 1.0, True
        for column in columns:
            rest, last = column[:-1], column[-1]
            if np.isnan(last):
                continue
            rest = rest[np.isfinite(rest)]
            if not len(rest) or not np.isfinite(last):
                agrees = False
                break
            expected = float(statistic(rest))
            unit = _unit(column)
            if abs(last - expected) > unit * 0.5 + 1e-9 * abs(expected):
                agrees = False
                break
            width = max(rest.max(), expected) - min(rest.min(), expected)
            chance *= min(1.0, unit / width) if width else 1.0
        if agrees and chance < CHANCE:
            return name
    return ""


def _unit(column: Array) -> float:
    """Size of the last digit that numbers of a column are written with."""
    some = column[np.isfinite(column)][-20:]
    digits = [f"{number:.10f}".rstrip("0").partition(".")[2] for number in some]
    return float(10.0 ** -max(map(len, digits), default=0))


def _head(frame: Any, n_rows: int) -> Any:
    if isinstance(frame, dict):
        return {name: column[:n_rows] for name, column in frame.items()}
    return nw.from_native(frame).head(n_rows).to_native()
