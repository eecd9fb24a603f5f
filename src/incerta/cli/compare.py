"""``incerta compare``: several methods side by side."""

import sys
import textwrap
from typing import TYPE_CHECKING, Annotated, Any

import typer

from incerta.cli import options, params
from incerta.cli.answers import CONTROLS, Answer, answer, control
from incerta.cli.columns import Columns, on_disk, takes_columns
from incerta.cli.failures import in_one_line
from incerta.cli.guessing import completed
from incerta.cli.labels import Labels, labels_of
from incerta.cli.output import check_format, write_table
from incerta.cli.progress import bars
from incerta.cli.summary import WIDTH, noted, say
from incerta.cli.terminal import echo
from incerta.estimators.named import METHODS, NAMES
from incerta.wording import counted, verb

if TYPE_CHECKING:
    from incerta.data import UncertainData
    from incerta.typing import Array

# What columns are called where there is little room.
HEADINGS = {"stability": "stable", "acc": "ACC", "nmi": "NMI"}
# Of a table of agreement, in 80 columns.
MOST_COLUMNS = 18
USUAL = ("ViewConsensus", "UKMeans", "RPC", "FDBSCAN")

EXAMPLES = """\
\b
Examples:
  incerta compare stars.csv --id star --values mass --errors '{}_error'
  incerta compare stars.csv --id star --values mass --errors '{}_error' \\
      --methods RPC,UKMeans -k 3 --truth class --format csv
  incerta compare stars.csv --id star --values mass --errors '{}_error' \\
      --methods kmeans,dbscan --param dbscan.eps=0.2"""


@takes_columns
def compare(
    file: options.File,
    *,
    columns: Columns,
    methods: Annotated[
        str,
        typer.Option(
            "--methods",
            metavar="NAME,…",
            callback=options.some_of(NAMES),
            help=f"Methods, separated by commas, from {', '.join(METHODS)}.",
        ),
    ] = ",".join(USUAL),
    param: options.ParamOfSome = None,
    k: options.Clusters = "auto",
    seed: options.Seed = 0,
    scale: options.Scale = True,
    truth: Annotated[
        str | None,
        typer.Option(
            "--truth",
            metavar="COL",
            help="Column of known classes; adds ACC, the share of objects that are "
            "labelled correctly, and NMI.",
        ),
    ] = None,
    form: Annotated[
        str | None,
        typer.Option(
            "--format",
            metavar="FORMAT",
            callback=options.one_of(options.FORMATS),
            autocompletion=options.starting_as(options.FORMATS),
            help="csv, parquet or json; without it, two tables as text.",
        ),
    ] = None,
    quiet: options.Quiet = False,
) -> None:
    """Cluster with several methods, and show how far they agree.

    For each method: clusters, objects that are noise, mean confidence, stability (how
    far it agrees with itself, run again with another seed), seconds, and the adjusted
    Rand index with each other method (1 is the same clustering, 0 is chance). Density
    methods find their own number of clusters. Two controls, k-means and HDBSCAN, take
    the values as if they were exact.
    """
    if form is not None:
        check_format(form)
    names = methods.split(",")
    wanted = params.for_each(params.parsed(param), names)
    classes: Labels | None = None
    failed: dict[str, str] = {}
    answers: dict[str, Answer] = {}
    with noted() as warned, bars(shown=not quiet):
        with on_disk(file) as path:
            columns = completed(
                columns,
                path,
                command=("incerta", "compare", str(file)),
                truth=truth,
                quiet=quiet,
            )
            data = columns.read(path)
            if truth is not None:
                classes = labels_of(path, columns, truth, data, "truth")
                if classes is None or not len(classes.known):
                    why = "there is no column" if classes is None else "no class in"
                    options.refuse("--truth", f"{why} {truth!r}.")
                without = len(data) - len(classes.known)
                if without:
                    told = (
                        f"{counted(without, 'object')} {verb(without, 'has', 'have')}"
                    )
                    warned.append(f"{told} no class, and no part in ACC and NMI.")
        asked = options.number_of_clusters(k)
        numbers = _numbers(data, asked, names, seed, scale)
        for name in names:
            try:
                answers[name] = answer(
                    data, numbers[name], name, seed, scale, wanted[name]
                )
            except ValueError as error:  # too few objects for it, and the like
                failed[name] = in_one_line(error)
        if answers:
            number = _number_for_control(asked, numbers, answers)
            for name in CONTROLS:
                try:
                    answers[name] = control(name, data, number, seed, scale)
                except ValueError as error:
                    warned.append(f"{name} is left out: {in_one_line(error)}")
    for name, why in failed.items():
        echo(f"Error: {name}: {why}", err=True)
    if answers:
        _show(answers, classes, form)
    if not quiet:
        for text in warned:
            say(f"Warning: {text}", hanging="  ")
    if failed:
        raise typer.Exit(1)


def _numbers(
    data: "UncertainData", k: int | str, names: list[str], seed: int, scale: bool
) -> dict[str, int | str]:
    """What each method is asked for; a number that must be chosen is chosen once."""
    from incerta.api.answer import chosen_number, in_directions, scaled_by
    from incerta.api.methods import asked

    found = {name: asked(name) for name in names}
    if k != "auto":
        return {name: k if each.numbers else "auto" for name, each in found.items()}
    chosen = None
    if not all(each.finds_number for each in found.values()):
        there = in_directions(scaled_by(data, scale)[1], "auto", seed)[1]
        chosen = chosen_number(there, seed, "auto")
    number: int | str = "auto" if chosen is None else chosen.k
    return {n: "auto" if each.finds_number else number for n, each in found.items()}


def _number_for_control(
    asked: int | str, numbers: dict[str, int | str], answers: dict[str, Answer]
) -> int:
    """The number that was asked for or chosen; else that of the first method."""
    known = next((n for n in (asked, *numbers.values()) if isinstance(n, int)), None)
    first = int(next(iter(answers.values())).labels.max()) + 1
    return max(first, 1) if known is None else known


def _show(answers: dict[str, Answer], classes: Labels | None, form: str | None) -> None:
    import numpy as np

    from incerta.metrics import ari

    facts = _facts(answers, classes)
    found = [each.labels for each in answers.values()]
    agreement = np.array([[ari(one, other) for other in found] for one in found])
    if form is None:
        _print_tables(facts, agreement)
        return
    facts |= {f"ari_{name}": agreement[:, j] for j, name in enumerate(answers)}
    write_table(facts, form, sys.stdout.buffer)


def _facts(answers: dict[str, Answer], classes: Labels | None) -> dict[str, Any]:
    """What to say about each method, by columns."""
    import numpy as np

    from incerta.metrics import clustering_accuracy, nmi

    found = [each.labels for each in answers.values()]
    facts = {
        "method": np.array(list(answers)),
        "clusters": np.array([labels.max() + 1 for labels in found]),
        "noise": np.array([(labels < 0).sum() for labels in found]),
        "confidence": np.array([each.confidence for each in answers.values()]),
        "stability": np.array([each.stability for each in answers.values()]),
        "seconds": np.array([each.seconds for each in answers.values()]),
    }
    if classes is not None:
        told, known = classes.classes, [one[classes.known] for one in found]
        facts["acc"] = np.array([clustering_accuracy(told, one) for one in known])
        facts["nmi"] = np.array([nmi(told, one) for one in known])
    return facts


def _print_tables(facts: dict[str, Any], agreement: "Array") -> None:
    """Tables of at most 80 columns; those of agreement name methods by number."""
    from rich.console import Console
    from rich.table import Table

    console = Console(highlight=False, markup=False)
    table = Table(box=None, padding=(0, 1, 0, 0), pad_edge=False)
    table.add_column("")
    table.add_column("method", no_wrap=True)
    for name in list(facts)[1:]:
        table.add_column(HEADINGS.get(name, name), justify="right", no_wrap=True)
    for i, row in enumerate(zip(*facts.values(), strict=True), start=1):
        table.add_row(str(i), *map(_cell, row))
    console.print(table)
    console.print("\n" + "\n".join(textwrap.wrap(_foot(facts["method"]), WIDTH)))
    n = len(agreement)
    if n == 1:
        return
    console.print("\nAgreement (adjusted Rand index, in %)")
    for start in range(0, n, MOST_COLUMNS):
        some = range(start, min(start + MOST_COLUMNS, n))
        matrix = Table(box=None, padding=(0, 1, 0, 0), pad_edge=False)
        matrix.add_column("")
        for j in some:
            matrix.add_column(str(j + 1), justify="right", no_wrap=True)
        for i, row in enumerate(agreement, start=1):
            matrix.add_row(str(i), *(f"{100.0 * row[j]:.0f}" for j in some))
        console.print(matrix)


def _foot(methods: "Array") -> str:
    """What the table does not say by itself."""
    told = (
        "stable: agreement of each method with itself, run again with another seed and "
        "other worlds (adjusted Rand index: 1 is the same clusters, 0 is chance)."
    )
    there = [f"{i}" for i, name in enumerate(methods, 1) if name in CONTROLS]
    if there:
        told += (
            f" {' and '.join(there)}: controls, which take the values as if they were "
            "exact, and so have no confidence."
        )
    return told


def _cell(value: Any) -> str:
    if not isinstance(value, float):
        return str(value)
    return "–" if value != value else f"{value:.2f}"  # NaN
