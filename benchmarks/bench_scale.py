"""CPU time and peak memory for many objects, with one process per size.

    python benchmarks/bench_scale.py
    python benchmarks/bench_scale.py --sizes 10000 100000 1000000
    python benchmarks/bench_scale.py --sizes 60 --features 150 --methods AutoClusterer
    python benchmarks/bench_scale.py --sizes 2000 --clusters 10 --overlap
    python benchmarks/bench_scale.py --methods AutoClusterer ErrorMixture KMeans

The data are Gaussian objects in three or more blobs, with ten or more features. With
--overlap, clusters overlap and values are displaced by errors of unequal sizes, which
takes longest. RPC draws 100 worlds and keeps ten, chosen by their divergences or at
random. With more than 1000 objects, worlds are compared by 250 of them; with more than
5000, 1000 represent all. The time of `membership_`, which uses all 100 worlds, is
separate; AutoClusterer computes it with the labels.
"""

import argparse
import resource
import subprocess
import sys
import time
import warnings

import numpy as np

METHODS = {
    "RPC": {"n_worlds": 100, "n_representatives": 10},
    "RPC, random": {"n_worlds": 100, "n_representatives": 10, "selection": "random"},
    "AutoClusterer": {},
}
# Beside them; the last two, of scikit-learn, take values for exact.
PEERS = {"ErrorMixture": {}, "GaussianMixture": {"n_init": 5}, "KMeans": {"n_init": 10}}


def overlapping(n_objects, n_features, n_clusters):
    import incerta as ic

    rng = np.random.default_rng(0)
    centers = rng.normal(size=(n_clusters, n_features)) * 2.0 * np.sqrt(2 / n_features)
    labels = rng.integers(n_clusters, size=n_objects)
    errors = 0.35 * rng.lognormal(0.0, 0.8, size=(n_objects, n_features))
    off = 0.5 * rng.normal(size=errors.shape) + errors * rng.normal(size=errors.shape)
    return ic.from_gaussian(centers[labels] + off, std=errors), labels


def named(method):
    """Return the parameters and the estimator, from incerta or scikit-learn."""
    import sklearn.cluster
    import sklearn.mixture

    import incerta as ic

    name = method.partition(",")[0]
    for home in (ic, sklearn.cluster, sklearn.mixture):
        if hasattr(home, name):
            return (METHODS | PEERS)[method], getattr(home, name)()
    raise SystemExit(f"{name} is not known.")


def fit(options):
    import incerta as ic
    from incerta.datasets import make_uncertain_blobs
    from incerta.metrics import clustering_accuracy

    warnings.simplefilter("ignore")
    n_objects, (method,) = options.one, options.methods
    size = n_objects, options.features, options.clusters
    if options.overlap:
        data, labels = overlapping(*size)
    else:
        box = (-20.0, 20.0)
        data, labels = make_uncertain_blobs(*size, center_box=box, random_state=3)
    made, own = named(method)
    name = "n_clusters" if "n_clusters" in own.get_params() else "n_components"
    estimator = own.set_params(**{name: options.clusters}, **made, random_state=0)
    data = data if hasattr(ic, type(estimator).__name__) else data.mean()
    start = time.process_time()
    found = estimator.fit_predict(data)
    fitted = time.process_time()
    getattr(estimator, "membership_", None)  # computed when asked for
    told = time.process_time()
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    accuracy = clustering_accuracy(labels, found)
    print(
        f"{n_objects:>9} {method:14}{fitted - start:8.1f}{told - fitted:10.1f}"
        f"{1e6 * (told - start) / n_objects:10.0f}{peak:9.2f}{accuracy:7.3f}",
        flush=True,
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="+", default=[2000, 20_000, 100_000])
    parser.add_argument("--features", type=int, default=10)
    parser.add_argument("--clusters", type=int, default=3)
    parser.add_argument("--overlap", action="store_true", help="and unequal errors")
    parser.add_argument("--methods", nargs="+", default=list(METHODS))
    parser.add_argument("--one", type=int, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        fit(options)
        return
    print("  objects method         fit, s  all worlds µs/object peak GiB    ACC")
    for size in options.sizes:
        for method in options.methods:
            command = [sys.executable, __file__, "--one", str(size)]
            command += ["--features", str(options.features), "--methods", method]
            command += ["--clusters", str(options.clusters)]
            command += ["--overlap"] * options.overlap
            subprocess.run(command, check=True)


if __name__ == "__main__":
    main()
