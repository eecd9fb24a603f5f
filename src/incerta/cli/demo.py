"""``incerta demo``: the bundled weather stations, described and clustered."""

from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from rich.table import Table

    from incerta.datasets import Dataset
    from incerta.typing import Indices


def demo(
    seed: Annotated[int, typer.Option(help="Seed of everything random.")] = 0,
) -> None:
    """Describe and cluster the bundled weather stations. Needs no file."""
    from rich.console import Console
    from sklearn.cluster import KMeans

    from incerta.data import Standardizer
    from incerta.datasets import load_weather
    from incerta.metrics import clustering_accuracy, nmi

    stations = load_weather()
    console = Console()
    console.print("[bold]150 weather stations in and around Colorado, 1963–1972[/]")
    console.print(repr(stations.data), markup=False, highlight=False)

    means = Standardizer().fit_transform(stations.data).mean()
    n_clusters = len(stations.target_names)
    labels = KMeans(n_clusters, n_init=10, random_state=seed).fit_predict(means)

    console.print()
    console.print(_profile(stations, labels))
    accuracy = clustering_accuracy(stations.target, labels)
    console.print(
        f"Against the climate classes: ACC {accuracy:.2f}, "
        f"NMI {nmi(stations.target, labels):.2f}",
        highlight=False,
    )


def _profile(stations: "Dataset", labels: "Indices") -> "Table":
    import numpy as np
    from rich.table import Table

    table = Table(title="k-means on the station means")
    table.add_column("cluster", justify="right")
    table.add_column("stations", justify="right")
    table.add_column("temperature °C", justify="right")
    table.add_column("precipitation mm", justify="right")
    table.add_column("most frequent climate")
    means = stations.data.mean()
    for cluster in range(labels.max() + 1):
        members = labels == cluster
        temperature, precipitation = means[members].mean(axis=0)
        climate = np.bincount(stations.target[members]).argmax()
        table.add_row(
            str(cluster),
            str(members.sum()),
            f"{temperature:.1f}",
            f"{precipitation:.0f}",
            stations.target_names[climate],
        )
    return table
