"""``incerta predict``: clusters of new objects, by a fitted model."""

import sys
from math import isnan
from pathlib import Path
from typing import Annotated, Any

from incerta.backend.progress import bars
from incerta.backend.writing import replacing
from incerta.cli import options
from incerta.cli import output as out
from incerta.data.tables.spec import TableSpec
from incerta.wording import counted

EPILOG = """\
\b
Examples:
  incerta predict out/model.incerta new.csv
  incerta predict out/model.incerta new.csv -o new-clusters.parquet"""


@options.takes_columns
def predict(
    model: Annotated[
        Path,
        options.argument(
            "MODEL", "Model that `incerta fit -o DIR` or `result.save` wrote."
        ),
    ],
    file: options.File,
    *,
    columns: TableSpec,
    output: Annotated[
        Path | None,
        options.place(
            "FILE", "File for the table; without it, or with -, it goes to stdout."
        ),
    ] = None,
    form: options.FormatIfNamed = None,
    spreadsheet: options.Spreadsheet = False,
    quiet: options.Quiet = False,
) -> None:
    """Find the clusters of new objects with a fitted model.

    Columns that are not named are those of the fit. The result is a table: id, cluster
    (-1 is noise), confidence, the probability of each cluster, and novelty: how unlike
    the objects of the fit the object is (3 is 1 in 1000).
    """
    target = out.STDOUT if output is None else output
    ending = target.suffix.lower().removeprefix(".")
    form = form or (ending if ending in out.FORMATS else "csv")
    out.check_format(form, spreadsheet=spreadsheet)
    if target != out.STDOUT:
        if target.is_dir():
            out.refuse("-o", f"{target} is a folder; name a file.")
        parent = target.resolve().parent
        if not parent.is_dir():
            out.refuse("-o", f"there is no folder {parent}.")
        out.check_writable(parent)
    from incerta.api import load
    from incerta.api.clustering import Clustering, predicted
    from incerta.data.files.opened import OpenTable

    with out.noted() as warned, bars(shown=not quiet), options.on_disk(file) as path:
        fitted = load(model)
        if not hasattr(fitted, "predict_proba"):
            out.refuse("MODEL", f"{model} does not predict: it is {fitted!r}.")
        names = getattr(fitted, "feature_names_in_", ())
        of_fit = TableSpec(values=tuple(map(str, names)))
        if isinstance(fitted, Clustering):
            of_fit = fitted.spec or TableSpec(values=fitted.feature_names)
        data = OpenTable(path, columns.completed_by(of_fit)).data()
        table = predicted(fitted, data)
    if target == out.STDOUT:
        out.write_table(table, form, sys.stdout.buffer, spreadsheet=spreadsheet)
    else:
        with replacing(target) as beside:
            out.table_file(table, form, spreadsheet=spreadsheet)(beside)
    if quiet:
        return
    written = out.Target(folder=None, form=form, spreadsheet=spreadsheet)
    out.warn([*warned, *written.unsafe(table["id"])])
    mean = float(table["confidence"].mean())
    sure = "confidence not applicable" if isnan(mean) else f"mean confidence {mean:.2f}"
    out.say(f"{counted(len(data), 'object')}, {sure}.")
    out.say(_novel(table))
    if target != out.STDOUT:
        out.say(f"Written to {target}.")


def _novel(table: dict[str, Any]) -> str:
    """Say which new objects are unlike those of the fit, or why it is unknown."""
    import numpy as np

    from incerta.api.notes import unlike_fit

    if "novelty" not in table:
        return "Novelty is not known: the model is an estimator without its data."
    novelty = table["novelty"]
    if len(novelty) and (novelty != novelty).all():  # NaN
        return "Novelty is not known: the fit had too few objects."
    names = np.array([out.shown(id) for id in table["id"]], dtype=object)
    sentences = unlike_fit(names, novelty)
    return sentences[0] if sentences else "No object is unlike those of the fit."
