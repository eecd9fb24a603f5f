"""Many objects: CPU time and peak memory, one process per size.

    python benchmarks/bench_scale.py
    python benchmarks/bench_scale.py --sizes 10000 100000 1000000
    python benchmarks/bench_scale.py --sizes 60 --features 150 --methods ViewConsensus

Gaussian objects around three blobs, with ten features or more. RPC draws 100 worlds and
keeps ten, chosen by their divergences or at random; above 1000 objects worlds are
compared by 250 of them, above 5000 objects 1000 stand for all. The time of
`membership_`, which goes through all 100 worlds, is separate; ViewConsensus has its own
with the labels.
"""

import argparse
import resource
import subprocess
import sys
import time
import warnings

METHODS = {
    "RPC": {"n_worlds": 100, "n_representatives": 10},
    "RPC, random": {"n_worlds": 100, "n_representatives": 10, "selection": "random"},
    "ViewConsensus": {},
}


def fit(n_objects, method, n_features):
    import incerta as ic
    from incerta.datasets import make_uncertain_blobs
    from incerta.metrics import clustering_accuracy

    warnings.simplefilter("ignore")
    data, labels = make_uncertain_blobs(
        n_objects, n_features, 3, center_box=(-20.0, 20.0), random_state=3
    )
    estimator = getattr(ic, method.partition(",")[0])(**METHODS[method], random_state=0)
    estimator.set_params(n_clusters=3)
    start = time.process_time()
    estimator.fit(data)
    fitted = time.process_time()
    estimator.membership_  # noqa: B018 (computed when asked for)
    told = time.process_time()
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    accuracy = clustering_accuracy(labels, estimator.labels_)
    print(
        f"{n_objects:>9} {method:14}{fitted - start:8.1f}{told - fitted:10.1f}"
        f"{1e6 * (told - start) / n_objects:10.0f}{peak:9.2f}{accuracy:7.3f}",
        flush=True,
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="+", default=[2000, 20_000, 100_000])
    parser.add_argument("--features", type=int, default=10)
    parser.add_argument("--methods", nargs="+", default=list(METHODS))
    parser.add_argument("--one", type=int, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        fit(options.one, options.methods[0], options.features)
        return
    print("  objects method         fit, s  all worlds µs/object peak GiB    ACC")
    for size in options.sizes:
        for method in options.methods:
            command = [sys.executable, __file__, "--one", str(size)]
            command += ["--features", str(options.features), "--methods", method]
            subprocess.run(command, check=True)


if __name__ == "__main__":
    main()
