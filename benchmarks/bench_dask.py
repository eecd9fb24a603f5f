"""UKMeans, AutoClusterer and WorldConsensus with one and two dask workers.

    python benchmarks/bench_dask.py
    python benchmarks/bench_dask.py --objects 1000000 --workers 1 2 4 --methods UKMeans

Objects with five values and ten features around ten centers are made on the workers.
Times are wall times of the fits; "in one place" is without dask. Objects are whole in
their partitions, so nothing is shuffled. AutoClusterer fits 2000 objects in the main
process, and the workers handle the others. WorldConsensus keeps all objects in the main
process and distributes worlds by the backend of joblib, which leaves a single worker
idle. Labels must not depend on the number of workers and partitions.
"""

import argparse
import time
from contextlib import contextmanager

import numpy as np

N_VALUES, N_FEATURES, K = 5, 10, 10
NAMES = [f"f{j}" for j in range(N_FEATURES)]
# Number of objects, as a share of the requested number: some methods are slower.
SHARES = {"UKMeans": 1.0, "AutoClusterer": 0.2, "WorldConsensus": 0.01}


def rows_of(piece):
    """Return the rows of the objects numbered in `piece`, and of nothing else."""
    import pandas as pd

    first, last = piece
    places = np.random.default_rng(0).uniform(-3, 3, size=(K, N_FEATURES))
    blocks = []
    for block in range(first, last, 100):
        rng = np.random.default_rng([1, block])
        n = min(last - block, 100)
        at = places[rng.integers(K, size=100)][:n, None]
        noise = rng.normal(size=(100, N_VALUES, N_FEATURES))[:n]
        blocks.append((at + noise).reshape(-1, N_FEATURES))
    frame = pd.DataFrame(np.concatenate(blocks), columns=NAMES)
    frame["object"] = np.repeat(np.arange(first, last), N_VALUES)
    return frame


def partitioned(n_objects, n_partitions):
    import dask.dataframe as dd

    from incerta.data.partitioned import from_dask

    size = -(-n_objects // n_partitions // 100) * 100
    pieces = [(i, min(i + size, n_objects)) for i in range(0, n_objects, size)]
    ddf = dd.from_map(rows_of, pieces, meta=rows_of((0, 1)))
    return from_dask(ddf, id="object", values=NAMES, shuffle=False)


def together(n_objects):
    import incerta as ic

    return ic.from_frame(rows_of((0, n_objects)), id="object", values=NAMES)


def estimator(method, n_worlds=100):
    from sklearn.mixture import GaussianMixture

    import incerta as ic

    if method == "UKMeans":
        return ic.UKMeans(K, n_init=5, random_state=0)
    if method == "AutoClusterer":
        return ic.AutoClusterer(K, n_worlds=8, random_state=0)
    return ic.WorldConsensus(GaussianMixture(K, n_init=5), n_worlds, random_state=0)


def timed(told, model, data):
    start = time.perf_counter()
    labels = model.fit(data).labels_
    print(f"{told:42}{time.perf_counter() - start:7.2f} s", flush=True)
    return labels


@contextmanager
def workers(n_workers):
    import dask
    from distributed import Client, LocalCluster
    from joblib import parallel_config

    with (
        # Without MALLOC_TRIM_THRESHOLD_, by which dask has memory given back at once.
        dask.config.set(
            {"distributed.nanny.pre-spawn-environ": {"OMP_NUM_THREADS": 1}}
        ),
        LocalCluster(
            n_workers=n_workers,
            threads_per_worker=1,
            host="127.0.0.1",
            dashboard_address="127.0.0.1:0",
            silence_logs=50,
        ) as cluster,
        Client(cluster) as client,
        parallel_config("dask"),
    ):
        client.run(estimator, "UKMeans")  # imports
        yield


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--small", action="store_true", help="sizes for tests")
    parser.add_argument("--objects", type=int, default=200_000)
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--methods", nargs="+", default=list(SHARES))
    options = parser.parse_args()
    n_worlds = 5 if options.small else 100
    print(f"{N_VALUES} values × {N_FEATURES} features, k = {K}")
    sizes, found = {}, {}
    for method in options.methods:
        sizes[method] = 200 if options.small else int(options.objects * SHARES[method])
        told = f"{method}, {sizes[method]} objects, in one place"
        model = estimator(method, n_worlds)
        here = timed(told, model, together(sizes[method]))
        # Each partitioning gives other starts.
        found[method] = [here] if method == "WorldConsensus" else []
    for n_workers in [1] if options.small else options.workers:
        with workers(n_workers):
            for method, n_objects in sizes.items():
                told = f"{method}, {n_workers} workers"
                model = estimator(method, n_worlds)
                if method == "WorldConsensus":
                    found[method].append(timed(told, model, together(n_objects)))
                    continue
                for n in (4, 16):
                    data = partitioned(n_objects, n)
                    labels = timed(f"{told}, {n} partitions", model, data)
                    found[method].append(labels)
    for method, labels in found.items():
        same = all((each == labels[0]).all() for each in labels)
        print(f"{method}: same labels {same}")


if __name__ == "__main__":
    main()
