"""UKMeans on dask partitions, by workers, beside the same data in one place.

    python benchmarks/bench_dask.py
    python benchmarks/bench_dask.py --objects 1000000 --workers 1 2 4

Objects with five values and ten features around ten places, made on the workers. Wall
time; "rows" is to make the rows and summarise them, "fit" all of it, with five starts.
Objects are whole in their partitions, so nothing is shuffled. Partitioned fits must
all give the same labels.
"""

import argparse
import time

import numpy as np

N_VALUES, N_FEATURES, K = 5, 10, 10
NAMES = [f"f{j}" for j in range(N_FEATURES)]


def rows_of(piece):
    """Rows of the objects whose numbers are in `piece`: a function of these alone."""
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


def estimator():
    import incerta as ic

    return ic.UKMeans(K, n_init=5, random_state=0)


def on_workers(n_workers, n_objects, n_partitions):
    from distributed import Client, LocalCluster

    from incerta.partition.distributed import sorted_ids

    with (
        LocalCluster(
            n_workers=n_workers,
            threads_per_worker=1,
            host="127.0.0.1",
            dashboard_address="127.0.0.1:0",
            silence_logs=50,
        ) as cluster,
        Client(cluster),
    ):
        sorted_ids(partitioned(400 * n_workers, 4 * n_workers).summaries())  # imports
        data = partitioned(n_objects, n_partitions)
        start = time.perf_counter()
        sorted_ids(data.summaries())
        reading = time.perf_counter() - start
        start = time.perf_counter()
        fitted = estimator().fit(data)
        seconds = time.perf_counter() - start
    print(
        f"{n_workers} workers, {n_partitions:3} partitions: rows {reading:7.2f} s, "
        f"fit {seconds:7.2f} s, {fitted.n_iter_} iterations",
        flush=True,
    )
    return fitted


def in_one_place(n_objects):
    import incerta as ic

    start = time.perf_counter()
    data = ic.from_frame(rows_of((0, n_objects)), id="object", values=NAMES)
    reading = time.perf_counter() - start
    fitted = estimator().fit(data)
    seconds = time.perf_counter() - start
    print(
        f"in one place:            rows {reading:7.2f} s, fit {seconds:7.2f} s, "
        f"{fitted.n_iter_} iterations",
        flush=True,
    )
    return fitted


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--small", action="store_true", help="sizes for tests")
    parser.add_argument("--objects", type=int, default=200_000)
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2])
    options = parser.parse_args()
    n_objects = 500 if options.small else options.objects
    workers = [1] if options.small else options.workers
    print(f"{n_objects} objects × {N_VALUES} values × {N_FEATURES} features, k = {K}")
    here = in_one_place(n_objects)
    found = [on_workers(w, n_objects, p) for w in workers for p in (4, 16)]
    same = all((f.labels_ == found[0].labels_).all() for f in found)
    ratio = found[0].inertia_ / here.inertia_
    print(
        f"same labels for every partitioning: {same}; inertia {ratio:.6f} × one place"
    )


if __name__ == "__main__":
    main()
