"""``incerta compare``: several methods side by side."""

import sys
import time
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from incerta.cli import options
from incerta.cli.columns import Columns, classes_of, on_disk
from incerta.cli.failures import in_one_line
from incerta.cli.output import check_format, write_table
from incerta.cli.progress import bars
from incerta.cli.summary import noted, say

if TYPE_CHECKING:
    from incerta.api.clustering import Clustering
    from incerta.data import UncertainData
    from incerta.typing import Array, Ids

USUAL = ("ViewConsensus", "UKMeans", "RPC", "FDBSCAN")

EXAMPLES = """\
\b
Examples:
  incerta compare stars.csv --id star --values mass --errors '{}_error'
  incerta compare stars.csv --id star --values mass --errors '{}_error' \\
      --methods RPC,UKMeans -k 3 --truth class --format csv"""


class Answer(NamedTuple):
    """What a method found, and how long it took."""

    result: "Clustering"
    seconds: float


def compare(
    file: options.File,
    *,
    id: options.Id = None,
    values: options.Values,
    errors: options.Errors = None,
    kind: options.Kind = None,
    weight: options.Weight = None,
    sample: options.Sample = None,
    joint: options.Joint = None,
    missing: options.Missing = None,
    meaning: options.Meaning = None,
    batch: options.Batch = None,
    sep: options.Sep = None,
    decimal: options.Decimal = None,
    encoding: options.Encoding = None,
    na: options.Na = None,
    methods: Annotated[
        str,
        typer.Option(
            "--methods",
            metavar="NAME,…",
            callback=options.some_of(options.METHODS),
            help=f"Methods, separated by commas, from {', '.join(options.METHODS)}.",
        ),
    ] = ",".join(USUAL),
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

    For each method: clusters, objects that are noise, mean confidence, seconds, and
    the adjusted Rand index with each other method (1 is the same clustering, 0 is
    chance). Density methods find their own number of clusters.
    """
    if form is not None:
        check_format(form)
    names = methods.split(",")
    columns = Columns.of(
        id=id,
        values=values,
        errors=errors,
        kind=kind,
        weight=weight,
        sample=sample,
        joint=joint,
        missing=missing,
        meaning=meaning,
        batch=batch,
        sep=sep,
        decimal=decimal,
        encoding=encoding,
        na=na,
    )
    classes: Ids | None = None
    failed: dict[str, str] = {}
    answers: dict[str, Answer] = {}
    with noted() as warned, bars(shown=not quiet):
        with on_disk(file) as path:
            data = columns.read(path)
            if truth is not None:
                classes = classes_of(path, columns, truth)
        asked = options.number_of_clusters(k)
        numbers = _numbers(data, asked, names, seed, scale)
        for name in names:
            try:
                answers[name] = _answer(data, numbers[name], name, seed, scale)
            except ValueError as error:  # too few objects for it, and the like
                failed[name] = in_one_line(error)
    for name, why in failed.items():
        typer.echo(f"Error: {name}: {why}", err=True)
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
    from incerta import estimators
    from incerta.api.answer import chosen_number, scaled_by, takes_number

    models = {name: getattr(estimators, name)() for name in names}
    if k != "auto":
        return {n: k if takes_number(model) else "auto" for n, model in models.items()}
    chosen = None
    if not all(model.finds_number for model in models.values()):
        chosen = chosen_number(scaled_by(data, scale)[1], seed)
    number: int | str = "auto" if chosen is None else chosen.k
    return {n: "auto" if model.finds_number else number for n, model in models.items()}


def _answer(
    data: "UncertainData", k: int | str, name: str, seed: int, scale: bool
) -> Answer:
    from incerta.api.answer import cluster

    start = time.perf_counter()
    result = cluster(data, k=k, method=name, seed=seed, scale=scale)
    return Answer(result, time.perf_counter() - start)


def _show(answers: dict[str, Answer], classes: "Ids | None", form: str | None) -> None:
    import numpy as np

    from incerta.metrics import ari

    facts = _facts(answers, classes)
    found = [answer.result.labels for answer in answers.values()]
    agreement = np.array([[ari(one, other) for other in found] for one in found])
    if form is None:
        _print_tables(facts, agreement)
        return
    facts |= {f"ari_{name}": agreement[:, j] for j, name in enumerate(answers)}
    write_table(facts, form, sys.stdout.buffer)


def _facts(answers: dict[str, Answer], classes: "Ids | None") -> dict[str, Any]:
    """What to say about each method, by columns."""
    import numpy as np

    from incerta.metrics import clustering_accuracy, nmi

    results = [answer.result for answer in answers.values()]
    facts = {
        "method": np.array(list(answers)),
        "clusters": np.array([result.n_clusters for result in results]),
        "noise": np.array([(result.labels < 0).sum() for result in results]),
        "confidence": np.array([result.confidence.mean() for result in results]),
        "seconds": np.array([answer.seconds for answer in answers.values()]),
    }
    if classes is not None:
        facts["acc"] = np.array(
            [clustering_accuracy(classes, r.labels) for r in results]
        )
        facts["nmi"] = np.array([nmi(classes, r.labels) for r in results])
    return facts


def _print_tables(facts: dict[str, Any], agreement: "Array") -> None:
    """Two tables of at most 80 columns; the second names methods by number."""
    from rich.console import Console
    from rich.table import Table

    headings = {"acc": "ACC", "nmi": "NMI"}
    console = Console(highlight=False, markup=False)
    table = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False)
    table.add_column("")
    table.add_column("method", no_wrap=True)
    for name in list(facts)[1:]:
        table.add_column(headings.get(name, name), justify="right", no_wrap=True)
    for i, row in enumerate(zip(*facts.values(), strict=True), start=1):
        table.add_row(str(i), *map(_cell, row))
    console.print(table)
    if len(agreement) == 1:
        return
    matrix = Table(box=None, padding=(0, 1, 0, 0), pad_edge=False)
    matrix.add_column("")
    for i in range(1, len(agreement) + 1):
        matrix.add_column(str(i), justify="right", no_wrap=True)
    for i, row in enumerate(agreement, start=1):
        matrix.add_row(str(i), *(f"{100.0 * value:.0f}" for value in row))
    console.print("\nAgreement (adjusted Rand index, in %)")
    console.print(matrix)


def _cell(value: Any) -> str:
    if not isinstance(value, float):
        return str(value)
    return "–" if value != value else f"{value:.2f}"  # NaN
