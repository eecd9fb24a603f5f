"""``incerta demo``: the bundled weather stations, clustered both ways."""

import shlex
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from incerta.cli import options
from incerta.cli.progress import bars

if TYPE_CHECKING:
    from rich.table import Table

    from incerta.api.clustering import Clustering
    from incerta.datasets import Dataset
    from incerta.estimators import RPC
    from incerta.typing import Ids

N_UNSURE = 5


def demo(
    *,
    seed: options.Seed = 0,
    report: Annotated[
        Path,
        typer.Option("--report", metavar="FILE", help="File for the report."),
    ] = Path("incerta-demo.html"),
    no_report: Annotated[
        bool, typer.Option("--no-report", help="Do not write a report.")
    ] = False,
) -> None:
    """Cluster the bundled weather stations with RPC. Needs no file.

    Prints what was found in joint and in independent worlds, and writes a report on the
    clustering with joint ones.
    """
    from rich.console import Console

    from incerta.api.answer import cluster
    from incerta.datasets import load_weather
    from incerta.estimators import RPC

    console = Console(highlight=False)
    stations = load_weather()
    console.print("[bold]150 weather stations in and around Colorado, 1963–1972[/]")
    console.print(repr(stations.data), markup=False)
    console.print(
        "\nA cold January is cold everywhere: months belong together across stations."
        "\nRPC clusters the stations both ways, over 120 worlds each."
    )
    n_clusters = len(stations.target_names)
    results = []
    for joint, title in (
        (True, "Joint worlds: one month for all stations"),
        (False, "Independent worlds: every station has a month of its own"),
    ):
        stations = load_weather(joint=joint)
        with bars():
            result = cluster(stations.data, n_clusters, RPC(n_worlds=120), seed)
        results.append(result)
        rpc = result.estimator
        console.print()
        console.print(_profile(stations, result, title))
        console.print(_unsure(stations, rpc))
        console.print(_agreement(stations, rpc))
    if not no_report:
        command = shlex.join(["incerta", "demo", "--seed", str(seed)])
        console.print()
        told = _report(replace(results[0], command=command), report)
        console.print(told, markup=False, soft_wrap=True)


def _report(result: "Clustering", path: Path) -> str:
    """Write the report, and say where it is or what is missing."""
    from incerta.backend.optional import installed

    if not (installed("jinja2") and installed("plotly")):
        return "A report needs the extra report: pip install 'incerta[report]'"
    result.report(path)
    return f"Report: {path}"


def _profile(stations: "Dataset", result: "Clustering", title: str) -> "Table":
    from rich.box import SIMPLE
    from rich.table import Table

    table = Table(title=title, title_justify="left", title_style="bold", box=SIMPLE)
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


def _unsure(stations: "Dataset", rpc: "RPC") -> str:
    least = rpc.confidence_.argsort(kind="stable")[:N_UNSURE]
    names = _names(stations)
    listed = ", ".join(f"{names[i]} ({rpc.confidence_[i]:.1f})" for i in least)
    return f"Least certain: {listed}"


def _names(stations: "Dataset") -> "Ids":
    from incerta.data import UncertainData

    assert isinstance(stations.data, UncertainData)
    return stations.data.ids


def _agreement(stations: "Dataset", rpc: "RPC") -> str:
    from incerta.metrics import clustering_accuracy, nmi

    accuracy = clustering_accuracy(stations.target, rpc.labels_)
    return (
        f"Against the climate classes: ACC {accuracy:.2f}, "
        f"NMI {nmi(stations.target, rpc.labels_):.2f}; "
        f"mean confidence {rpc.confidence_.mean():.2f}"
    )
