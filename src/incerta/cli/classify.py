"""``incerta classify``: classes of objects, learned from those that are known."""

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from incerta.classifiers.named import CLASSIFIERS, METHODS, made
from incerta.cli import options, params
from incerta.cli.classified import Check, Classified, Known, tell
from incerta.cli.columns import STDIN, Columns, on_disk, takes_columns
from incerta.cli.guessing import completed
from incerta.cli.labels import label_column, labels_of
from incerta.cli.output import (
    STDOUT,
    check_folder,
    check_format,
    filling,
    tell_formulas,
    write_table,
)
from incerta.cli.progress import bars
from incerta.cli.summary import noted, say
from incerta.exceptions import DataError

if TYPE_CHECKING:
    from incerta.data import UncertainData

SUMMARY = "summary.json"
# Names in Python are taken, too; of several methods by the same one, the first.
OWN_NAMES = {CLASSIFIERS[name].own.lower(): name for name in reversed(METHODS)}

EXAMPLES = """\
\b
Examples:
  incerta classify known.csv new.csv
  incerta classify known.csv new.csv --label kind --id star \\
      --values mass,radius --errors '{}_error' -o out
  incerta classify known.csv new.csv --label kind --id star --values mass \\
      --errors '{}_error' --method knn --param n_neighbors=9"""
FILES = f"""\
\b
Files, all written or none:
  DIR/table.csv      the table, as --format says
  DIR/{SUMMARY}   what was learned and found"""


def _method(value: str) -> str:
    """A method by its short name, or by that of the class in Python."""
    known = options.one_of(METHODS)
    return known(OWN_NAMES.get(value.lower(), value)) or value


@takes_columns
def classify(
    train: Annotated[
        Path,
        typer.Argument(
            metavar="TRAIN",
            help="Table of objects whose classes are known; the same formats.",
            show_default=False,
        ),
    ],
    file: options.File,
    *,
    columns: Columns,
    label: Annotated[
        str | None,
        typer.Option(
            "--label",
            metavar="COL",
            help="Column of TRAIN with the classes. If FILE has it, too, it is used to "
            "check the answers. By default the one column that obviously holds "
            "classes.",
        ),
    ] = None,
    method: Annotated[
        str,
        typer.Option(
            "--method",
            metavar="NAME",
            callback=_method,
            autocompletion=options.starting_as(METHODS),
            help=", ".join(f"{n} ({CLASSIFIERS[n].purpose})" for n in METHODS) + ".",
        ),
    ] = METHODS[0],
    param: options.Param = None,
    seed: options.Seed = 0,
    scale: options.Scale = True,
    folds: Annotated[
        int,
        typer.Option(
            "--folds",
            metavar="N",
            min=0,
            help="Number of folds of TRAIN in which the method is checked, with errors "
            "and without; 0 for no check.",
        ),
    ] = 5,
    output: Annotated[
        Path | None,
        typer.Option(
            "-o",
            "--output",
            metavar="DIR",
            parser=options.place,
            help="Folder for the table and a summary. Without it, or with -, the table "
            "goes to stdout.",
        ),
    ] = None,
    form: options.Format = "csv",
    spreadsheet: options.Spreadsheet = False,
    quiet: options.Quiet = False,
) -> None:
    """Classify objects by others whose classes are known.

    Columns are named, or guessed, for TRAIN; FILE must have the same ones. The result
    is a table of the objects of FILE: id, class, confidence (its probability), and the
    probability of each class. What is said besides: how sure the answers are, and how
    well the method does on TRAIN, with the errors and with the values alone.
    """
    folder = None if output in (None, STDOUT) else output
    if folder is not None:
        check_folder(folder, (f"table.{form}", SUMMARY))
    check_format(form, spreadsheet=spreadsheet)
    if folds == 1:
        options.refuse("--folds", "1 fold leaves nothing to learn from; take 2 or 0.")
    if STDIN in (train, file) and train == file:
        options.refuse("FILE", "only one of the two tables can come from stdin.")
    model = _model(method, params.parsed(param), seed, scale)
    with noted() as warned, bars(shown=not quiet):
        with on_disk(train) as path:
            if label is None:
                label = label_column(columns, path, quiet=quiet)
            command = ("incerta", "classify", str(train))
            columns = completed(
                columns, path, command=command, truth=label, quiet=quiet
            )
            known = _known(columns.read(path), path, columns, label)
        with on_disk(file) as path:
            data = columns.read(path)
            truth = labels_of(path, columns, label, data)
        _check_gaps(method, model, known.data, data)
        model.fit(known.data, known.classes)
        found = Classified(
            method,
            known,
            data.ids,
            model.classes_,
            model.predict_proba(data),
            truth,
            _checked(model, known, folds, seed),
        )
    facts = {"label": label, "columns": columns.arguments(), "seed": seed}
    written: list[str] = []
    try:
        if folder is None:
            table = found.columns()
            write_table(table, form, sys.stdout.buffer, spreadsheet=spreadsheet)
        else:
            written = _write_folder(found, folder, form, facts, spreadsheet)
    finally:  # also where `head` has seen enough of the table
        if not quiet:
            if not spreadsheet and (unsafe := tell_formulas(data.ids, form)):
                warned.append(unsafe)
            for text in warned:
                say(f"Warning: {text}", hanging="  ")
            tell(found)
            if written:
                say(f"Written to {folder}: {', '.join(written)}")


def _model(method: str, wanted: dict[str, Any], seed: int, scale: bool) -> Any:
    """The classifier, after what brings all features to one scale."""
    from sklearn.pipeline import make_pipeline

    from incerta.data import Standardizer

    try:
        model = made(method, wanted, seed)
    except ValueError as error:
        options.refuse("--param", str(error).removeprefix("params: "))
    return make_pipeline(*([Standardizer()] if scale else []), model)


def _known(data: "UncertainData", path: Path, columns: Columns, label: str) -> Known:
    """Objects to learn from: those with a class."""
    labels = labels_of(path, columns, label, data)
    if labels is None:
        options.refuse("--label", f"there is no column {label!r}.")
    if len(set(labels.classes.tolist())) < 2:
        options.refuse("--label", f"{label!r} has fewer than two classes.")
    some = data[labels.known]
    return Known(some, labels.classes, len(data) - len(some), labels.absent)


def _check_gaps(method: str, model: Any, *tables: "UncertainData") -> None:
    """Raise if values are missing, and the method cannot take that."""
    gaps = any(data.law.missing() is not None for data in tables)
    if gaps and not model[-1].__sklearn_tags__().input_tags.allow_nan:
        msg = (
            f"values are missing, which method={method!r} does not take. Say "
            "method='discriminant', which does, missing='impute' or missing='drop'."
        )
        raise DataError(msg)


def _checked(model: Any, known: Known, n_folds: int, seed: int) -> Check | None:
    """How the method does in folds, and how without the errors."""
    if n_folds == 0:
        return None
    import numpy as np

    from incerta.classifiers.judged import in_folds, judged
    from incerta.data.meaning import certain

    y, classes = known.classes, np.unique(known.classes)
    with_errors = judged(in_folds(model, known.data, y, n_folds, seed), classes, y)
    if certain(known.data):
        return Check(n_folds, with_errors, None)
    values = known.data.mean()
    alone = judged(in_folds(model, values, y, n_folds, seed), classes, y)
    return Check(n_folds, with_errors, alone)


def _write_folder(
    found: Classified, folder: Path, form: str, more: dict[str, Any], spreadsheet: bool
) -> list[str]:
    """Write table and summary, both or none; their names."""
    table = f"table.{form}"
    with filling(folder) as place:
        with (place / table).open("wb") as out:
            write_table(found.columns(), form, out, spreadsheet=spreadsheet)
        text = json.dumps(found.facts() | more, indent=1, ensure_ascii=False)
        (place / SUMMARY).write_text(text + "\n", encoding="utf-8")
    return [table, SUMMARY]
