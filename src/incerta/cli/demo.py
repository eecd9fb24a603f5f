"""``incerta demo``: stars with error bars, and the bundled weather stations."""

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from incerta.cli import options
from incerta.cli.progress import bars
from incerta.wording import SURE

if TYPE_CHECKING:
    from rich.table import Table

    from incerta.api.clustering import Clustering
    from incerta.datasets import Dataset
    from incerta.typing import Indices

N_UNSURE = 5
# One of the draws, about one in four, in which k-means falls for bad measurements.
DRAW = 3

EXAMPLES = """\
\b
Examples:
  incerta demo
  incerta demo --seed 7 --report stars.html"""


def demo(
    *,
    seed: options.Seed = 0,
    report: Annotated[
        Path,
        typer.Option(
            "--report",
            metavar="FILE",
            parser=options.place,
            help="File for the report.",
        ),
    ] = Path("incerta-demo.html"),
    no_report: Annotated[
        bool, typer.Option("--no-report", help="Do not write a report.")
    ] = False,
) -> None:
    """Cluster stars with error bars, then weather stations. Needs no file.

    Prints what was found beside what k-means finds, and writes a report on the stars.
    """
    from rich.console import Console

    from incerta.api.answer import cluster
    from incerta.api.clustering import reworded
    from incerta.datasets import load_weather, make_uncertain_stars

    console = Console(highlight=False)
    stars, groups = make_uncertain_stars(random_state=DRAW)
    console.print("[bold]300 stars of three moving groups, with error bars[/]")
    console.print("Simulated, so that the groups are known; bright stars are measured")
    console.print("ten times as well as faint ones.")
    console.print(repr(stars), markup=False)
    with bars():
        found = cluster(stars, 3, "auto", seed)
    console.print()
    for line in _told(found, groups):
        console.print(line)

    stations = load_weather()
    console.print("\n[bold]150 weather stations in and around Colorado, 1963–1972[/]")
    console.print(repr(stations.data), markup=False)
    console.print(
        "\nEvery station has many months, and none is the true one: stations are"
        "\ncompared by all that they see, not by their means alone."
    )
    with bars():
        climates = cluster(stations.data, len(stations.target_names), "auto", seed)
    console.print()
    console.print(_profile(stations, climates))
    console.print(_unsure(climates))
    console.print(_agreement(stations, climates))
    if not no_report:
        command = shlex.join(["incerta", "demo", "--seed", str(seed)])
        console.print()
        reading = f"data, _ = ic.datasets.make_uncertain_stars(random_state={DRAW})"
        told = _report(reworded(found, command=command, reading=reading), report)
        console.print(told, markup=False, soft_wrap=True)


def _told(found: "Clustering", groups: "Indices") -> list[str]:
    """What k-means makes of the stars, what we do, and what confidence is worth."""
    from sklearn.cluster import KMeans

    from incerta.metrics import clustering_accuracy

    values = found.data.mean()
    kmeans = KMeans(3, n_init=10, random_state=0).fit(values / values.std(axis=0))
    sure = found.confidence >= SURE
    right, of_sure, of_others = (
        clustering_accuracy(groups[some], found.labels[some])
        for some in (slice(None), sure, ~sure)
    )
    plain = clustering_accuracy(groups, kmeans.labels_)
    least = min((kmeans.labels_ == c).sum() for c in range(3))
    group = "a single star" if least == 1 else f"{least} stars"
    return [
        f"{'k-means on the values':<32}{plain:.0%} right, its smallest group is "
        f"{group}",
        f"{'incerta':<32}{right:.0%} right, at a mean confidence of "
        f"{found.confidence.mean():.2f}",
        f"{f'  the {sure.sum()} stars it is sure of':<32}{of_sure:.0%} right",
        f"{f'  the {(~sure).sum()} others':<32}{of_others:.0%} right",
    ]


def _report(result: "Clustering", path: Path) -> str:
    """Write the report, and say where it is or what is missing."""
    from incerta.backend.optional import installed

    if not installed("jinja2"):
        return "A report needs the extra report: pip install 'incerta[report]'"
    with bars():
        result.report(path)
    return f"Report: {path}"


def _profile(stations: "Dataset", result: "Clustering") -> "Table":
    from rich.box import SIMPLE
    from rich.table import Table

    table = Table(box=SIMPLE)
    for heading in ("cluster", "size", "°C", "mm/month", "altitude m", "confidence"):
        table.add_column(heading, justify="right", no_wrap=True)
    table.add_column("typical station", no_wrap=True)
    clusters = result.profile()
    typical = result.ids[result.typical()]
    elevation = stations.objects["elevation"]
    for cluster in range(result.n_clusters):
        temperature, precipitation = clusters.mean[cluster]
        table.add_row(
            str(cluster),
            str(clusters.size[cluster]),
            f"{temperature:.1f}",
            f"{precipitation:.0f}",
            f"{elevation[result.labels == cluster].mean():.0f}",
            f"{clusters.confidence[cluster]:.2f}",
            typical[cluster],
        )
    return table


def _unsure(result: "Clustering") -> str:
    least = result.confidence.argsort(kind="stable")[:N_UNSURE]
    listed = ", ".join(f"{result.ids[i]} ({result.confidence[i]:.1f})" for i in least)
    return f"Least certain: {listed}"


def _agreement(stations: "Dataset", result: "Clustering") -> str:
    from incerta.metrics import clustering_accuracy, nmi

    accuracy = clustering_accuracy(stations.target, result.labels)
    return (
        f"Against the climate classes: ACC {accuracy:.2f}, "
        f"NMI {nmi(stations.target, result.labels):.2f}; "
        f"mean confidence {result.confidence.mean():.2f}"
    )
