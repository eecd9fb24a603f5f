"""``incerta demo``: stars with error bars, and the bundled weather stations."""

import shlex
from pathlib import Path
from typing import Annotated

from incerta.backend.progress import bars
from incerta.cli import options
from incerta.wording import SURE, percent

N_UNSURE = 5
# Seed of a draw in which bad measurements mislead k-means, as in one of four.
DRAW = 3

EPILOG = """\
\b
Examples:
  incerta demo
  incerta demo --seed 7 --report stars.html"""


def demo(
    *,
    seed: options.Seed = 0,
    report: Annotated[
        Path,
        options.place("FILE", "File for the report.", "--report"),
    ] = Path("incerta-demo.html"),
    no_report: Annotated[
        bool, options.option("--no-report", "Do not write a report.")
    ] = False,
) -> None:
    """Cluster stars with error bars, then weather stations. No file is needed.

    It prints the result beside that of k-means, and writes a report on the stars.
    """
    from rich.box import SIMPLE
    from rich.console import Console
    from rich.table import Table
    from sklearn.cluster import KMeans
    from sklearn.metrics import normalized_mutual_info_score

    from incerta.api.answer import cluster
    from incerta.api.clustering import reworded
    from incerta.backend.optional import installed, pip_install
    from incerta.datasets import load_weather, make_uncertain_stars
    from incerta.metrics import clustering_accuracy

    console = Console(highlight=False)
    stars, groups = make_uncertain_stars(random_state=DRAW)
    console.print("[bold]300 stars of three moving groups, with error bars[/]")
    console.print("Simulated, so that the groups are known; bright stars are measured")
    console.print("ten times as well as faint ones.")
    console.print(repr(stars), markup=False)
    with bars():
        result = cluster(stars, 3, "auto", seed)
    values = result.data.mean()
    kmeans = KMeans(3, n_init=10, random_state=0).fit(values / values.std(axis=0))
    sure = result.confidence >= SURE
    right, of_sure, of_others = (
        clustering_accuracy(groups[some], result.labels[some])
        for some in (slice(None), sure, ~sure)
    )
    plain = clustering_accuracy(groups, kmeans.labels_)
    smallest = min((kmeans.labels_ == c).sum() for c in range(3))
    group = "a single star" if smallest == 1 else f"{smallest} stars"
    mean = f"{result.confidence.mean():.2f}"
    lines = {
        "k-means on the values": f"{percent(plain)} right, smallest group: {group}",
        "incerta": f"{percent(right)} right, at a mean confidence of {mean}",
        f"  the {sure.sum()} stars it is sure of": f"{percent(of_sure)} right",
        f"  the {(~sure).sum()} others": f"{percent(of_others)} right",
    }
    console.print("\n".join(["", *(f"{who:<32}{what}" for who, what in lines.items())]))

    stations = load_weather()
    console.print("\n[bold]150 weather stations in and around Colorado, 1963–1972[/]")
    console.print(repr(stations.data), markup=False)
    console.print(
        "\nEvery station has many months, none of which is its true value: stations"
        "\nare compared by all their months, not only by their means.\n"
    )
    with bars():
        climates = cluster(stations.data, len(stations.target_names), "auto", seed)
    table = Table(box=SIMPLE)
    for heading in ("cluster", "size", "°C", "mm/month", "altitude m", "confidence"):
        table.add_column(heading, justify="right", no_wrap=True)
    table.add_column("typical station", no_wrap=True)
    clusters = climates.profile()
    typical = climates.ids[climates.typical()]
    elevation = stations.objects["elevation"]
    for number in range(climates.n_clusters):
        temperature, precipitation = clusters.mean[number]
        table.add_row(
            str(number),
            str(clusters.size[number]),
            f"{temperature:.1f}",
            f"{precipitation:.0f}",
            f"{elevation[climates.labels == number].mean():.0f}",
            f"{clusters.confidence[number]:.2f}",
            typical[number],
        )
    console.print(table)
    confidence = climates.confidence
    least = confidence.argsort(kind="stable")[:N_UNSURE]
    unsure = ", ".join(f"{climates.ids[i]} ({confidence[i]:.1f})" for i in least)
    console.print(f"Least certain: {unsure}")
    truth, labels = stations.target, climates.labels
    console.print(
        f"Against the climate classes: ACC {clustering_accuracy(truth, labels):.2f}, "
        f"NMI {normalized_mutual_info_score(truth, labels):.2f}; "
        f"mean confidence {confidence.mean():.2f}"
    )
    if no_report:
        return
    line = f"A report needs the extra report: {pip_install('report')}"
    if installed("jinja2"):
        command = shlex.join(["incerta", "demo", "--seed", str(seed)])
        with bars():
            reworded(result, command=command).report(report)
        line = f"Report: {report}"
    console.print(f"\n{line}", markup=False, soft_wrap=True)
