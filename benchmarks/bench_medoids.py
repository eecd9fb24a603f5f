"""CPU time of UKMedoids: distances of all pairs and the search for medoids.

    python benchmarks/bench_medoids.py

CPU time on one BLAS thread, for 5000 objects in ten blobs with four features, given by
ten values each and as Gaussians. Memory is the peak of the distances, beside the size
of a matrix of all pairs of values.
"""

import argparse
import os
import time
import tracemalloc

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(name, "1")


def timed(function, *args):
    start = time.process_time()
    result = function(*args)
    return time.process_time() - start, result


def peak(function, *args):
    tracemalloc.start()
    function(*args)
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return most


def to_the_end(search, distances, first):
    return list(search(distances, first))


def main():
    import numpy as np

    from incerta.datasets import make_uncertain_blobs
    from incerta.distances.expected import expected_distance_matrix
    from incerta.partition.medoids import METHODS, seeds

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--small", action="store_true", help="a size for tests")
    small = parser.parse_args().small
    n, n_values, k, n_starts = (60, 3, 3, 2) if small else (5000, 10, 10, 10)

    print(f"{n} objects, 4 features; distances of all pairs")
    for kind, metric, values in [
        ("values", "sqeuclidean", n_values),
        ("values", "euclidean", n_values),
        ("gaussian", "euclidean", None),
    ]:
        data, _ = make_uncertain_blobs(
            n, 4, k, n_values=values, center_box=(-8.0, 8.0), random_state=0
        )
        args = (expected_distance_matrix, data.law, metric, 0)
        seconds, distances = timed(*args)
        most = peak(*args)
        naive = 8 * (n * n_values) ** 2 / 2**30
        print(
            f"  {kind:9} {metric:12} {seconds:7.2f} s, peak {most / 2**30:.2f} GiB"
            + (f", all pairs of values {naive:.1f} GiB" if values else ""),
            flush=True,
        )
        if kind == "gaussian":
            continue
        for method, search in METHODS.items():
            losses, passes, total = [], [], 0.0
            for start in range(n_starts):
                first = seeds(distances, k, np.random.default_rng(start))
                seconds, states = timed(to_the_end, search, distances, first)
                total += seconds
                losses.append(states[-1].objective)
                passes.append(len(states))
            print(
                f"    {method:10} {n_starts} starts: {total / n_starts:6.2f} s each, "
                f"{np.mean(passes):4.1f} passes, objective best {min(losses):.6g}, "
                f"mean {np.mean(losses):.6g}",
                flush=True,
            )


if __name__ == "__main__":
    main()
