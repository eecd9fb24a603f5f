"""Time and peak memory for a parquet folder that may be larger than the memory.

    python benchmarks/bench_lazy.py
    python benchmarks/bench_lazy.py --rows 2000000 10000000 --objects 100000

The table is in long form: the rows are divided among objects with three features around
five centers. Files of a million rows are written one after the other, and each method
reads them in a separate process; with `--here` also from all rows in memory. The peak
of a process that only imports the libraries comes first. Only the memory for objects
may grow: labels, memberships, means and variances.
"""

import argparse
import resource
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

NAMES = ["a", "b", "c"]
K = 5
FILE_ROWS = 10**6
METHODS = {
    "UKMeans": {"n_clusters": K, "n_init": 2},
    "ErrorMixture": {"n_components": K},
    "AutoClusterer": {"n_clusters": K, "n_worlds": 8},
}


def write(folder, n_rows, n_objects):
    """Write the rows of objects, with each object in one file."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    n_values = n_rows // n_objects
    places = np.random.default_rng(0).uniform(-8, 8, size=(K, len(NAMES)))
    step = max(FILE_ROWS // n_values, 1)
    for number, first in enumerate(range(0, n_objects, step)):
        objects = np.arange(first, min(first + step, n_objects))
        rng = np.random.default_rng([1, number])
        own = places[objects % K] + rng.normal(size=(len(objects), len(NAMES)))
        noise = rng.normal(size=(len(objects), n_values, len(NAMES)))
        rows = (own[:, None] + noise).reshape(-1, len(NAMES))
        columns = {name: rows[:, j] for j, name in enumerate(NAMES)}
        table = pa.table({"star": np.repeat(objects, n_values), **columns})
        # Row groups do not care where objects end.
        pq.write_table(table, folder / f"{number:05}.parquet", row_group_size=200_003)


def fit(folder, method, n_rows, here):
    import incerta as ic

    start = time.perf_counter()
    share = ""
    if method == "import":
        import pyarrow.parquet

        ic.read_table, ic.AutoClusterer, pyarrow.parquet  # noqa: B018 (imported when used)
    else:
        data = ic.read_table(folder, lazy=True, id="star", values=NAMES)
        data = data.gather() if here else data
        found = getattr(ic, method)(**METHODS[method], random_state=0).fit(data)
        found.membership_  # noqa: B018 (computed when asked for)
        truth = np.sort(data.ids if here else found.ids_) % K
        share = f"{ic.metrics.clustering_accuracy(truth, found.labels_):8.4f}"
    seconds = time.perf_counter() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**10
    where = ", here" if here else ""
    print(f"{n_rows:>11} {method + where:20}{seconds:8.1f}{peak:10.0f}{share}")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--small", action="store_true", help="sizes for tests")
    parser.add_argument("--rows", type=int, nargs="+", default=[10**8])
    parser.add_argument("--objects", type=int, default=10**6)
    parser.add_argument("--methods", nargs="+", default=["import", *METHODS])
    parser.add_argument("--here", action="store_true", help="in memory, too")
    parser.add_argument("--folder", type=Path, help="where to write; a temporary one")
    parser.add_argument("--one", nargs=2, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        method, n_rows = options.one
        if method == "write":
            write(options.folder, int(n_rows), options.objects)
        else:
            fit(options.folder, method, int(n_rows), options.here)
        return
    sizes, n_objects = options.rows, options.objects
    if options.small:
        sizes, n_objects = [4000], 400
    print(f"{n_objects} objects, k = {K}")
    print("       rows method                   s  peak MiB     ACC", flush=True)
    for n_rows in sizes:
        with TemporaryDirectory(dir=options.folder) as folder:
            command = [sys.executable, __file__, "--folder", folder]
            command += ["--objects", str(n_objects), "--one"]
            # A process begins with the peak of the one that starts it.
            subprocess.run([*command, "write", str(n_rows)], check=True)
            for method in options.methods:
                one = [*command, method, str(n_rows)]
                subprocess.run(one, check=True)
                if options.here and method != "import":
                    subprocess.run([*one, "--here"], check=True)


if __name__ == "__main__":
    main()
