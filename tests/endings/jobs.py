"""Jobs that are killed, and what they leave."""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import numpy as np

import incerta as ic

INCERTA = (sys.executable, "-c", "from incerta.cli import main; main()")
COLUMNS = ("--id", "star", "--values", "x,y", "--errors", "{}_error", "-k", "3")
CHECKPOINTED = """
import sys
from sklearn.cluster import KMeans
import incerta as ic
data = ic.read_table("stars.csv", id="star", values=["x", "y"], errors="{}_error")
model = ic.WorldConsensus(
    KMeans(3), n_worlds=40, random_state=0, checkpoint="checkpoint"
)
model.fit(data).save("model.incerta")
"""


class Job(NamedTuple):
    """A command, and what is read from the folder where it worked.

    `before` is what is there already; `found` reads all that must be complete, and
    raises where it is not. What a job begins again with (`partial`) may be anything.
    """

    command: tuple[str, ...]
    found: Callable[[Path], object]
    before: Callable[[Path], object] | None = None
    partial: tuple[str, ...] = ()


def write_stars(folder: Path, n: int = 60) -> None:
    rng = np.random.default_rng(0)
    values = rng.normal(size=(n, 2)) + 6.0 * (np.arange(n) % 3)[:, None]
    lines = [
        f"s{i},{x:.4f},{y:.4f},0.2,{0.1 + 0.01 * i:.2f}"
        for i, (x, y) in enumerate(values)
    ]
    text = "\n".join(["star,x,y,x_error,y_error", *lines])
    (folder / "stars.csv").write_text(text + "\n", encoding="utf-8")


def results_in(folder: Path) -> dict[str, object] | None:
    """What `incerta fit -o out` wrote: all of it, or nothing."""
    out = folder / "out"
    if not out.exists():
        return None
    names = sorted(p.name for p in out.iterdir() if ".part-" not in p.name)
    assert names == ["model.incerta", "report.html", "summary.json", "table.csv"]
    labels = ic.load(out / "model.incerta").labels.tolist()
    page = (out / "report.html").read_text(encoding="utf-8")
    assert page.rstrip().endswith("</html>")
    return {"table": (out / "table.csv").read_text(encoding="utf-8"), "labels": labels}


def write_results(result: ic.Clustering, folder: Path) -> None:
    """What ``fit -o`` with a report writes."""
    from incerta.cli.fit import files_of
    from incerta.cli.output import Target

    target = Target(folder=folder, form="csv")
    target.deliver(result.columns(), lambda: files_of(result, report=True), None)


def old_results(folder: Path) -> None:
    """Results of another number of clusters, which are to be replaced."""
    data = ic.read_table(
        folder / "stars.csv", id="star", values=["x", "y"], errors="{}_error"
    )
    write_results(ic.cluster(data, 2), folder / "out")


def whole_model(folder: Path) -> object:
    model = folder / "model.incerta"
    return ic.load(model).labels_.tolist() if model.exists() else None


def cells_in(folder: Path) -> object:
    """Rows of the experiment without what a clock says, which is never the same."""
    import csv

    path = folder / "results" / "cells.csv"
    if not path.exists():
        return None
    with path.open(newline="", encoding="utf-8") as lines:
        rows = list(csv.DictReader(lines))
    clocks = ("seconds", "version", "when", "machine")
    return sorted(
        tuple(v for k, v in row.items() if not any(c in k for c in clocks))
        for row in rows
    )


JOBS = {
    "fit": Job(
        (*INCERTA, "fit", "stars.csv", *COLUMNS, "-q", "-o", "out", "--report"),
        results_in,
    ),
    "fit again": Job(
        (*INCERTA, "fit", "stars.csv", *COLUMNS, "-q", "-o", "out", "--report"),
        results_in,
        old_results,
    ),
    "compare": Job(
        (*INCERTA, "compare", "stars.csv", *COLUMNS, "--methods", "UKMeans,CKMeans"),
        lambda folder: sorted(path.name for path in folder.iterdir()),
    ),
    "checkpoint": Job(
        (sys.executable, "-c", CHECKPOINTED), whole_model, partial=("checkpoint",)
    ),
    "paper": Job(
        (
            *(sys.executable, "-m", "paper", "table2", "--data", "wine"),
            *("--methods", "UK-means,CK-means", "--seeds", "3", "--out", "results"),
        ),
        cells_in,
        partial=("results",),
    ),
}
