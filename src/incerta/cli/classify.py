"""``incerta classify``: classes of objects, learned from those that are known."""

import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from incerta.classifiers.named import CLASSIFIERS, METHODS, made
from incerta.cli import options, params
from incerta.cli.columns import STDIN, on_disk, takes_columns
from incerta.cli.guessing import completed, listed
from incerta.cli.output import (
    STDOUT,
    check_folder,
    check_format,
    filling,
    tell_formulas,
    write_table,
)
from incerta.cli.progress import bars
from incerta.cli.summary import (
    MOST_ROWS,
    least_certain,
    noted,
    print_rows,
    say,
    shown,
    warn,
)
from incerta.data.tables.spec import TableSpec
from incerta.exceptions import DataError
from incerta.wording import SURE, counted, printable, share, verb

if TYPE_CHECKING:
    from incerta.api.check import Check
    from incerta.classifiers.judged import Judged
    from incerta.data import UncertainData
    from incerta.data.files.opened import OpenTable
    from incerta.data.tables.columns import Table
    from incerta.typing import Array, Ids, Indices

SUMMARY = "summary.json"
# Of tables in 80 columns.
MOST_COLUMNS = 6
NO_HELP = "The errors do not help"
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
    columns: TableSpec,
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
    from incerta.data.files.opened import OpenTable

    model = _model(method, params.parsed(param), seed, scale)
    with noted() as warned, bars(shown=not quiet):
        with on_disk(train) as path:
            # All of a table is parsed if its classes are to be found.
            known_part = columns if label is not None else replace(columns, values=())
            table = OpenTable(path, known_part)
            if label is None:
                label = label_column(table, columns, quiet=quiet)
            command = ("incerta", "classify", str(train))
            if not columns.values:
                columns = completed(table, command=command, truth=label, quiet=quiet)
            data = table.data(columns)
            known = labels_of(table, columns, label, data)
            if known is None:
                options.refuse("--label", f"there is no column {label!r}.")
            if len(set(known.classes.tolist())) < 2:
                options.refuse("--label", f"{label!r} has fewer than two classes.")
            some = data[known.rows]
            n_without = len(data) - len(some)
        with on_disk(file) as path:
            table = OpenTable(path, columns)
            data = table.data()
            truth = labels_of(table, columns, label, data)
        _check_gaps(method, model, some, data)
        model.fit(some, known.classes)
        probable = model.predict_proba(data)
        check = None
        if folds:
            from incerta.api.check import check_classifier

            check = check_classifier(model, some, known.classes, folds, seed)
    result = Classified(
        method, known, n_without, data.ids, model.classes_, probable, truth, check
    )
    written: list[str] = []
    try:
        if folder is None:
            answers = result.columns()
            write_table(answers, form, sys.stdout.buffer, spreadsheet=spreadsheet)
        else:
            facts = {"label": label, "columns": columns.to_options(), "seed": seed}
            written = [f"table.{form}", SUMMARY]
            with filling(folder) as place:
                with (place / written[0]).open("wb") as out:
                    write_table(result.columns(), form, out, spreadsheet=spreadsheet)
                text = json.dumps(result.facts() | facts, indent=1, ensure_ascii=False)
                (place / SUMMARY).write_text(text + "\n", encoding="utf-8")
    finally:  # also where `head` has seen enough of the table
        if not quiet:
            if not spreadsheet and (unsafe := tell_formulas(data.ids, form)):
                warned.append(unsafe)
            warn(warned)
            _tell(result)
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


def _check_gaps(method: str, model: Any, *tables: "UncertainData") -> None:
    """Raise if values are missing, and the method cannot take that."""
    gaps = any(data.law.missing() is not None for data in tables)
    if gaps and not model[-1].__sklearn_tags__().input_tags.allow_nan:
        msg = (
            f"values are missing, which method={method!r} does not take. Say "
            "method='discriminant', which does, missing='impute' or missing='drop'."
        )
        raise DataError(msg)


@dataclass(frozen=True)
class Labels:
    """Classes of those objects that have one."""

    rows: "Indices"  # rows of these objects
    classes: "Ids"  # one for each of them, as text
    absent: tuple[str, ...]  # what stands for no class, as it is written

    def by_object(self, n_objects: int) -> list[str | None]:
        """Class of each object, None where there is none."""
        classes: list[str | None] = [None] * n_objects
        for row, name in zip(self.rows.tolist(), self.classes.tolist(), strict=True):
            classes[row] = name
        return classes


@dataclass(frozen=True)
class Classified:
    """Objects with the probabilities of their classes."""

    method: str
    known: Labels  # what was learned from
    n_without: int  # objects to learn from that had no class
    ids: "Ids"
    classes: "Ids"
    probable: "Array"
    truth: Labels | None
    check: "Check | None"

    @property
    def confidence(self) -> "Array":
        """Probability of the most probable class."""
        most: Array = self.probable.max(axis=1)
        return most

    @property
    def labels(self) -> "Ids":
        """Most probable class of each object."""
        most: Ids = self.classes[self.probable.argmax(axis=1)]
        return most

    def columns(self) -> dict[str, Any]:
        """Table of the objects, by columns."""
        return {
            "id": self.ids,
            "class": self.labels,
            "confidence": self.confidence,
            **{f"p_{c}": self.probable[:, j] for j, c in enumerate(self.classes)},
        }

    def against_truth(self) -> "Judged | None":
        """How right the answers are, where the classes are known."""
        if self.truth is None or not len(self.truth.rows):
            return None
        from incerta.classifiers.judged import judged

        return judged(self.probable[self.truth.rows], self.classes, self.truth.classes)

    def confusion(self) -> tuple[list[str], list[list[int]]]:
        """True classes, and how many objects of each were found to be what."""
        import numpy as np

        assert self.truth is not None
        names, rows = np.unique(self.truth.classes, return_inverse=True)
        counts = np.zeros((len(names), len(self.classes)), dtype=np.intp)
        columns = self.probable[self.truth.rows].argmax(axis=1)
        np.add.at(counts, (rows, columns), 1)
        return names.tolist(), counts.tolist()

    def counts(self) -> list[tuple[str, int, int, int]]:
        """Each class, with how many were learned from, found and found unsurely."""
        labels, unsure = self.labels, self.confidence < SURE
        return [
            (
                str(name),
                int((self.known.classes == name).sum()),
                int((labels == name).sum()),
                int((unsure & (labels == name)).sum()),
            )
            for name in self.classes
        ]

    def facts(self) -> dict[str, Any]:
        """What was learned and found, for programs."""
        names = ("class", "learned", "found", "unsure")
        facts: dict[str, Any] = {
            "method": self.method,
            "learned_from": len(self.known.classes),
            "without_a_class": self.n_without,
            "classes": [dict(zip(names, row, strict=True)) for row in self.counts()],
            "objects": len(self.ids),
            "unsure_below": SURE,
        }
        if self.check is not None:
            facts["folds"] = {"number": self.check.n_folds}
            facts["folds"] |= _scores(self.check.with_errors)
            if self.check.alone is not None:
                gain, error = self.check.gain()
                facts["folds"]["values_alone"] = _scores(self.check.alone)
                facts["folds"]["brier_gain"] = {"mean": gain, "standard_error": error}
        if (judged := self.against_truth()) is not None:
            true, confusion = self.confusion()
            facts["against_known_classes"] = {
                "objects": len(judged.right),
                **_scores(judged),
                "true": true,
                "found": self.classes.tolist(),
                "confusion": confusion,
            }
        return facts


def _tell(result: Classified) -> None:
    """Say what was found, in 80 columns on stderr."""
    known, classifier = result.known, CLASSIFIERS[result.method]
    around = f" around {classifier.inner}" if classifier.inner else ""
    say(
        f"{counted(len(result.ids), 'object')} classified by {classifier.own}{around}, "
        f"which learned {len(result.classes)} classes from "
        f"{counted(len(known.classes), 'object')}.",
        bold=True,
    )
    if result.n_without:
        words = ", ".join("empty" if not w else shown(w) for w in known.absent)
        absent = f" ({words})" if words else ""
        is_left = verb(result.n_without, "has no class and is", "have no class and are")
        n = counted(result.n_without, "object")
        say(f"{n} to learn from {is_left} left out{absent}.")
    rows = [(shown(n), f"{a:,}", f"{b:,}", f"{c:,}") for n, a, b, c in result.counts()]
    print_rows(("class", "learned", "found", f"below {SURE}"), rows)
    say(_unsure(result))
    if result.check is not None:
        _tell_check(result.check)
    _tell_truth(result)


def _unsure(result: Classified) -> str:
    confidence = result.confidence
    least = least_certain(result.ids, confidence, SURE)
    n = int((confidence < SURE).sum())
    below = f"Confidence below {SURE}: {n:,} of {counted(len(confidence), 'object')}"
    if not least:
        return f"{below}; mean {share(float(confidence.mean()))}."
    return f"{below}. Least certain: {least}."


def _tell_check(check: "Check") -> None:
    say(f"In {check.n_folds} folds of the objects to learn from:")
    pairs = [("with the errors", check.with_errors)]
    if check.alone is None:
        pairs = [("values are exact", check.with_errors)]
    else:
        pairs.append(("the same on the values alone", check.alone))
    rows = [(name, f"{one.accuracy:.3f}", f"{one.brier:.3f}") for name, one in pairs]
    print_rows(("", "accuracy", "Brier score"), rows)
    if check.alone is not None:
        sentence = check.sentence()
        again = " Try another --method." if sentence.startswith(NO_HELP) else ""
        say(f"{sentence}{again}")


def _tell_truth(result: Classified) -> None:
    judged = result.against_truth()
    if judged is None:
        return
    names, counts = result.confusion()
    n = counted(len(judged.right), "object")
    say(
        f"Against the known classes of {n}: accuracy {judged.accuracy:.3f}, Brier "
        f"score {judged.brier:.3f}."
    )
    strange = [name for name in names if name not in result.classes.tolist()]
    if strange:
        missed = ", ".join(map(shown, strange[:MOST_ROWS]))
        say(f"Classes that were not learned, and so are missed: {missed}.")
    if len(result.classes) <= MOST_COLUMNS:
        head = ("true, and found as", *(shown(c)[:10] for c in result.classes))
        rows = [
            (shown(name), *(f"{n:,}" for n in row))
            for name, row in zip(names, counts, strict=True)
        ]
        print_rows(head, rows)
        return
    wrong = [
        (n, name, str(c))
        for name, row in zip(names, counts, strict=True)
        for c, n in zip(result.classes, row, strict=True)
        if n and name != c
    ]
    wrong.sort(key=lambda pair: -pair[0])
    if wrong:
        some = [(shown(a), shown(b), f"{n:,}") for n, a, b in wrong[:MOST_ROWS]]
        print_rows(("true", "found as", "objects"), some)


def _scores(one: "Judged") -> dict[str, float]:
    return {"accuracy": one.accuracy, "brier": one.brier}


def label_column(table: "OpenTable", columns: TableSpec, *, quiet: bool) -> str:
    """The one column of a table that obviously holds classes; refuse if not one."""
    guess = table.guess()
    taken = {*columns.values, columns.id}
    names = [
        name
        for name, why in guess.left_out.items()
        if why == "classes" and name not in taken
    ]
    if len(names) != 1:
        many = f"it may be {listed([printable(name) for name in names])}; "
        why = f"{many if names else ''}name the column of the classes."
        options.refuse("--label", why)
    if not quiet:
        say(f"Guessed: --label {printable(names[0])}.")
    return names[0]


def labels_of(
    table: "OpenTable",
    columns: TableSpec,
    name: str,
    data: "UncertainData",
    option: str = "label",
) -> Labels | None:
    """Classes of objects that were read from a file; None if it has no such column.

    The class must be the same in all rows of an object that have one. `option` is what
    messages call the column.
    """
    import numpy as np

    try:
        cells = table.words(name, columns.id)
    except DataError:  # the objects could be read: it is this column that is not there
        return None
    words, absent = _words(cells[name], columns.na)
    of_object = _by_object(words, cells, f"{option}={name!r}")
    # Where some rows were left out, ids tell which; without ids these are row numbers.
    keys = [str(id) for id in data.ids.tolist()]
    of_data = [of_object.get(key) for key in keys]
    rows = np.flatnonzero([word is not None for word in of_data])
    classes = np.array([word for word in of_data if word is not None], dtype=str)
    return Labels(rows, classes, absent)


def _words(
    column: Any, more: Sequence[str]
) -> tuple[list[str | None], tuple[str, ...]]:
    """Cells as text, None where there is no class, and what stands for that."""
    from incerta.data.files.cells import in_words
    from incerta.data.files.numbers import MISSING_WORDS

    cells = column.tolist() if hasattr(column, "tolist") else column.to_list()
    missing = MISSING_WORDS | {word.lower() for word in more}
    words = [in_words(None if cell != cell else cell) for cell in cells]
    absent = {word for word in words if word.lower() in missing}
    return [None if w in absent else w for w in words], tuple(sorted(absent))


def _by_object(
    words: Sequence[str | None], table: "Table", column: str
) -> dict[str, str]:
    """Class of each object that has one, by its id or the number of its row."""
    if len(table.names) == 1:
        return {str(row): word for row, word in enumerate(words) if word is not None}
    objects = table.coded(table.names[0], "id")
    classes: dict[str, str] = {}
    for code, word in zip(objects.codes.tolist(), words, strict=True):
        if word is None:
            continue
        key = str(objects.ids[code])
        if classes.setdefault(key, word) != word:
            msg = f"{column} has more than one class for object {key}."
            raise DataError(msg)
    return classes
