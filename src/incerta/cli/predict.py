"""``incerta predict``: clusters of new objects, from a model fitted before."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from incerta.backend.writing import replacing
from incerta.cli import options
from incerta.cli.columns import on_disk, takes_columns
from incerta.cli.output import (
    STDOUT,
    check_file,
    check_format,
    format_of,
    tell_formulas,
    write_table,
)
from incerta.cli.progress import bars
from incerta.cli.summary import noted, say, shown, warn
from incerta.data.tables.spec import TableSpec
from incerta.wording import counted

if TYPE_CHECKING:
    from incerta.api.clustering import Clustering
    from incerta.data import UncertainData
    from incerta.typing import Array

EXAMPLES = """\
\b
Examples:
  incerta predict out/model.incerta new.csv
  incerta predict out/model.incerta new.csv -o new-clusters.parquet"""


@takes_columns
def predict(
    model: Annotated[
        Path,
        typer.Argument(
            metavar="MODEL",
            help="Model that `incerta fit -o DIR` or `result.save` wrote.",
            show_default=False,
        ),
    ],
    file: options.File,
    *,
    columns: TableSpec,
    output: Annotated[
        Path | None,
        typer.Option(
            "-o",
            "--output",
            metavar="FILE",
            parser=options.place,
            help="File for the table; without it, or with -, it goes to stdout.",
        ),
    ] = None,
    form: options.FormatIfNamed = None,
    spreadsheet: options.Spreadsheet = False,
    quiet: options.Quiet = False,
) -> None:
    """Find the clusters of new objects with a fitted model.

    Columns that are not named here are those of the fit. The result is a table: id,
    cluster (-1 is noise), confidence, the probability of each cluster, and novelty: how
    unlike the objects of the fit this one is (3 is 1 in 1000).
    """
    target = STDOUT if output is None else output
    form = form or format_of(target)
    check_format(form, spreadsheet=spreadsheet)
    if target != STDOUT:
        check_file(target)
    from incerta.api import load
    from incerta.data.files.opened import OpenTable

    with noted() as warned, bars(shown=not quiet), on_disk(file) as path:
        fitted = load(model)
        data = OpenTable(path, columns.completed_by(spec_of(fitted))).data()
        table = predicted(fitted, data)
    if target == STDOUT:
        write_table(table, form, sys.stdout.buffer, spreadsheet=spreadsheet)
    else:
        with replacing(target) as beside, beside.open("wb") as out:
            write_table(table, form, out, spreadsheet=spreadsheet)
    if quiet:
        return
    if not spreadsheet and (unsafe := tell_formulas(table["id"], form)):
        warned.append(unsafe)
    warn(warned)
    say(f"{counted(len(data), 'object')}, {_sure(table['confidence'])}.")
    say(_novel(table))
    if target != STDOUT:
        say(f"Written to {target}.")


def spec_of(fitted: Any) -> TableSpec:
    """Which columns a model was fitted with, as far as it knows."""
    from incerta.api.clustering import Clustering

    if isinstance(fitted, Clustering):
        return fitted.spec or TableSpec(values=fitted.feature_names)
    return TableSpec(values=tuple(map(str, getattr(fitted, "feature_names_in_", ()))))


def predicted(fitted: Any, data: "UncertainData") -> dict[str, Any]:
    """Table of new objects, in the units of those of the fit, by columns."""
    import numpy as np

    from incerta.api.clustering import Clustering
    from incerta.data.meaning import certain
    from incerta.labels import confidence_of, likeliest

    membership = fitted.predict_proba(data)
    # The label of a Clustering is always the most probable one.
    ours = isinstance(fitted, Clustering)
    labels = likeliest(membership) if ours else fitted.predict(data)
    confidence = confidence_of(labels, membership)
    # As in the fit, unless new objects are uncertain where those of the fit were not.
    if ours and fitted.no_confidence and (_one(fitted) or certain(data)):
        confidence = np.full(len(labels), np.nan)
    noise = np.clip(1.0 - membership.sum(axis=1), 0.0, 1.0)
    table = {
        "id": data.ids,
        "cluster": labels,
        "confidence": confidence,
        **{f"p_{c}": membership[:, c] for c in range(membership.shape[1])},
        "p_noise": noise,
    }
    return table | {"novelty": fitted.novelty_of(data)} if ours else table


def _one(fitted: "Clustering") -> bool:
    """Whether there is one cluster or one world, so that all shares are 1."""
    return fitted.n_clusters < 2 or fitted.parameters.get("n_worlds") == 1


def _novel(table: dict[str, Any]) -> str:
    """Which new objects are unlike those of the fit, or why that is not known."""
    import numpy as np

    from incerta.api.notes import unlike_fit

    if "novelty" not in table:
        return "Novelty is not known: the model is an estimator without its data."
    novelty = table["novelty"]
    if len(novelty) and (novelty != novelty).all():  # NaN
        return "Novelty is not known: the fit had too few objects."
    names = np.array([shown(one) for one in table["id"]], dtype=object)
    found = unlike_fit(names, novelty)
    return found[0] if found else "No object is unlike those of the fit."


def _sure(confidence: "Array") -> str:
    mean = float(confidence.mean())
    if mean != mean:  # NaN
        return "confidence not applicable"
    return f"mean confidence {mean:.2f}"
