"""``incerta classify``: classes of objects, learned from known ones."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from incerta.backend.progress import bars
from incerta.classifiers.named import CLASSIFIERS, METHODS, made
from incerta.cli import options
from incerta.cli import output as out
from incerta.data.tables.spec import TableSpec
from incerta.exceptions import DataError
from incerta.wording import SURE, counted, given, share, verb

if TYPE_CHECKING:
    from incerta.api.check import Classified

# Largest number of classes that fit into 80 columns.
MOST_COLUMNS = 6
NO_HELP = "The errors do not help"
# Python class names are accepted, too; if methods share one, the first is used.
OWN_NAMES = {CLASSIFIERS[name].own.lower(): name for name in reversed(METHODS)}

EPILOG = f"""\
\b
Examples:
  incerta classify known.csv new.csv
  incerta classify known.csv new.csv --label kind --id star \\
      --values mass,radius --errors '{{}}_error' -o out
  incerta classify known.csv new.csv --label kind --id star --values mass \\
      --errors '{{}}_error' --method knn --param n_neighbors=9

\b
Files, all written or none:
  DIR/table.csv      the table, as --format says
  DIR/{out.SUMMARY}   what was learned and found"""


def _method(value: str) -> str:
    """Accept the short name of a method, or the name of its class."""
    known = options.one_of(METHODS)
    return known(OWN_NAMES.get(value.lower(), value)) or value


@options.takes_columns
def classify(
    train: Annotated[
        Path,
        options.argument(
            "TRAIN", "Table of objects whose classes are known; the same formats."
        ),
    ],
    file: options.File,
    *,
    columns: TableSpec,
    label: Annotated[
        str | None,
        options.option(
            "--label",
            "Column of TRAIN with the classes. If FILE has it, too, it is used to "
            "check the answers. By default the one column that obviously holds "
            "classes.",
            "COL",
        ),
    ] = None,
    method: Annotated[
        str,
        options.option(
            "--method",
            ", ".join(f"{n} ({CLASSIFIERS[n].purpose})" for n in METHODS) + ".",
            "NAME",
            METHODS,
            callback=_method,
        ),
    ] = METHODS[0],
    param: options.Param = None,
    seed: options.Seed = 0,
    scale: options.Scale = True,
    folds: Annotated[
        int,
        options.option(
            "--folds",
            "Number of folds of TRAIN in which the method is checked, with errors and "
            "without; 0 for no check.",
            "N",
            min=0,
        ),
    ] = 5,
    output: options.Folder = None,
    form: options.Format = "csv",
    spreadsheet: options.Spreadsheet = False,
    quiet: options.Quiet = False,
) -> None:
    """Classify objects by objects with known classes.

    Columns are named, or guessed, for TRAIN; FILE must have the same columns. The
    result is a table of the objects of FILE: id, class, confidence (its probability),
    and the probability of each class. Messages say how sure the answers are, and how
    accurate the method is on TRAIN, with the errors and with the values alone.
    """
    target = out.Target.checked(output, form, spreadsheet=spreadsheet)
    if folds == 1:
        out.refuse("--folds", "1 fold leaves no training data; use 2 or more, or 0.")
    if out.STDIN in (train, file) and train == file:
        out.refuse("FILE", "only one of the two tables can come from stdin.")
    from sklearn.pipeline import make_pipeline

    from incerta.api.check import Classified, check_classifier, known_classes
    from incerta.data import Standardizer
    from incerta.data.files.opened import OpenTable

    try:
        classifier = made(method, options.parsed(param), seed)
    except ValueError as error:
        out.refuse("--param", str(error).removeprefix("params: "))
    model = make_pipeline(*([Standardizer()] if scale else []), classifier)
    with out.noted() as warned, bars(shown=not quiet):
        columns, data, known = options.labeled(
            train, columns, label, "classify", "--label", quiet=quiet
        )
        label = known.column
        if len(set(known.classes.tolist())) < 2:
            out.refuse("--label", f"{label!r} has fewer than two classes.")
        some = data[known.rows]
        with options.on_disk(file) as path:
            table = OpenTable(path, columns)
            data = table.data()
            truth = known_classes(table, columns, label, data)
        gaps = any(each.law.missing() is not None for each in (some, data))
        if gaps and not classifier.__sklearn_tags__().input_tags.allow_nan:
            msg = (
                f"values are missing, which {given(method=method)} does not support. "
                f"Use {given(method='discriminant')}, which does, "
                f"{given(missing='impute')} or {given(missing='drop')}."
            )
            raise DataError(msg)
        model.fit(some, known.classes)
        probable = model.predict_proba(data)
        checked = (model, some, known.classes, folds, seed)
        check = check_classifier(*checked) if folds else None
    result = Classified(
        method=method,
        known=known,
        ids=data.ids,
        classes=model.classes_,
        probable=probable,
        truth=truth,
        check=check,
    )

    def files() -> dict[str, out.Writer]:
        facts = {"label": label, "columns": columns.to_options(), "seed": seed}
        return {out.SUMMARY: out.json_file(result.summary() | facts)}

    def tell() -> None:
        out.warn([*warned, *target.unsafe(data.ids)])
        _tell(result)

    target.deliver(result.columns(), files, None if quiet else tell)


def _tell(result: "Classified") -> None:
    """Print the result in 80 columns on stderr."""
    known, classifier = result.known, CLASSIFIERS[result.method]
    around = f" around {classifier.inner}" if classifier.inner else ""
    out.say(
        f"{counted(len(result.ids), 'object')} classified by {classifier.own}{around}, "
        f"which learned {len(result.classes)} classes from "
        f"{counted(len(known.classes), 'object')}.",
        bold=True,
    )
    if n := known.by_object.count(None):
        is_left = verb(n, "has no class and is", "have no class and are")
        which = f"left out{options.absent_in(known)}"
        out.say(f"{counted(n, 'training object')} {is_left} {which}.")
    rows = [
        (out.shown(n), f"{a:,}", f"{b:,}", f"{c:,}") for n, a, b, c in result.counts()
    ]
    out.print_rows(("class", "training", "assigned", f"below {SURE}"), rows)
    n_unsure, of = sum(row[-1] for row in result.counts()), len(result.ids)
    below = f"Confidence below {SURE}: {n_unsure:,} of {counted(of, 'object')}"
    if least := out.least_certain(result.ids, result.confidence, SURE):
        out.say(f"{below}. Least certain: {least}.")
    else:
        out.say(f"{below}; mean {share(float(result.confidence.mean()))}.")
    if (check := result.check) is not None:
        out.say(f"In {check.n_folds} folds of the training objects:")
        judged = {"values are exact": check.with_errors}
        if (alone := check.alone) is not None:
            judged = {"with the errors": check.with_errors}
            judged["with the values alone"] = alone
        scores = [(n, f"{j.accuracy:.3f}", f"{j.brier:.3f}") for n, j in judged.items()]
        out.print_rows(("", "accuracy", "Brier score"), scores)
        if alone is not None:
            sentence = check.sentence()
            out.say(sentence + " Try another --method." * sentence.startswith(NO_HELP))
    _tell_truth(result)


def _tell_truth(result: "Classified") -> None:
    against = result.against_truth()
    if against is None:
        return
    right, names, counts = against
    out.say(
        f"Against the known classes of {counted(len(right.right), 'object')}: accuracy "
        f"{right.accuracy:.3f}, Brier score {right.brier:.3f}."
    )
    classes = list(map(str, result.classes))
    strange = [name for name in names if name not in classes]
    if strange:
        missed = ", ".join(map(out.shown, strange[: out.MOST_ROWS]))
        out.say(f"Classes that are not in the training data, and so missed: {missed}.")
    rows = list(zip(names, counts, strict=True))
    if len(classes) <= MOST_COLUMNS:
        head = ("true, assigned to", *(out.shown(c)[:10] for c in classes))
        out.print_rows(
            head, [(out.shown(a), *(f"{n:,}" for n in row)) for a, row in rows]
        )
        return
    cells = [(n, a, b) for a, row in rows for b, n in zip(classes, row, strict=True)]
    wrong = [(n, a, b) for n, a, b in cells if n and a != b]
    wrong.sort(key=lambda cell: -cell[0])
    if wrong:
        some = [
            (out.shown(a), out.shown(b), f"{n:,}") for n, a, b in wrong[: out.MOST_ROWS]
        ]
        out.print_rows(("true", "assigned to", "objects"), some)
