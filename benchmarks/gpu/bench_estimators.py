"""Estimators on a CUDA device and on the CPU: time, and differences of results.

    python benchmarks/gpu/bench_estimators.py
    python benchmarks/gpu/bench_estimators.py --small --device cpu:0   # without a GPU

Wall time of one fit on each side, after a small one that compiles and loads; the CPU
has `--threads` threads.
"""

import argparse
import os
import time

parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
parser.add_argument("--device", default="cuda")
parser.add_argument("--threads", type=int, default=2)
parser.add_argument("--small", action="store_true", help="a trial run, in seconds")
options = parser.parse_args()
for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[name] = str(options.threads)

import numpy as np  # noqa: E402

import incerta as ic  # noqa: E402
from incerta.datasets import make_uncertain_blobs  # noqa: E402
from incerta.distances.expected import expected_distance_matrix  # noqa: E402

SHRINK = 50 if options.small else 1
# Those beyond 2000 are compared with the 2000 on the device.
N_OBJECTS, N_WORLDS = (2100, 2) if options.small else (100_000, 32)


def means(n):
    """Objects with error bars, for squared distances."""
    return make_uncertain_blobs(n, 10, 4, random_state=0)[0]


def values(n):
    """Objects of 50 values, all in one place."""
    rng = np.random.default_rng(0)
    centers = rng.normal(size=(n, 1, 10))
    return ic.from_array(0.9 * (centers + rng.normal(size=(n, 50, 10))))


def correlated(n):
    """Values with unequal, correlated errors."""
    rng = np.random.default_rng(0)
    places = 2.0 * rng.normal(size=(4, 6))
    roots = 0.5 * rng.normal(size=(n, 6, 6))
    covariances = roots @ np.swapaxes(roots, 1, 2) + 0.1 * np.eye(6)
    true = places[rng.integers(4, size=n)] + rng.normal(size=(n, 6))
    noise = np.linalg.cholesky(covariances) @ rng.normal(size=(n, 6, 1))
    return ic.from_gaussian(true + noise[..., 0], cov=covariances)


def seconds(function, *args):
    """Time a call; return seconds and the result."""
    start = time.perf_counter()
    result = function(*args)
    return time.perf_counter() - start, result


def row(name, here, there, change):
    print(
        f"{name:<48}{here:>9.2f}{there:>9.2f}{here / there:>9.1f} {change}", flush=True
    )


def distances(metric, data):
    """Compute the matrix that UKMedoids starts from."""

    def on(device, data):
        return expected_distance_matrix(data.law, metric, 0, device=device)

    on(options.device, data[:60])
    here, one = seconds(on, "cpu", data)
    there, other = seconds(on, options.device, data)
    name = f"expected {metric}, {len(data)} objects"
    row(name, here, there, f"off by {np.abs(one - other).max() / one.max():.0e}")


def fits(name, data, make):
    """Fit an estimator to data on both sides."""

    def on(device, data):
        return make(device).fit(data)

    for device in ("cpu", options.device):
        on(device, data[:60])
    here, one = seconds(on, "cpu", data)
    there, other = seconds(on, options.device, data)
    differ = int((one.labels_ != other.labels_).sum())
    change = f"{differ} labels differ"
    if "membership_" in vars(one):
        off = np.abs(one.membership_ - other.membership_).max()
        change += f", membership off by {off:.0e}"
    row(f"{name}, {len(data)} objects", here, there, change)


def main():
    print(f"{'seconds':<48}{'CPU':>9}{options.device:>9}{'ratio':>9}")
    many, lists = means(10_000 // SHRINK), values(1000 // SHRINK)
    distances("sqeuclidean", many)
    fits(
        "UKMedoids, sqeuclidean",
        many,
        lambda device: ic.UKMedoids(4, n_init=1, random_state=0, device=device),
    )
    distances("euclidean", lists)
    fits(
        "UKMedoids, euclidean",
        lists,
        lambda device: ic.UKMedoids(
            4, metric="euclidean", n_init=1, random_state=0, device=device
        ),
    )
    fits(
        "FDBSCAN",
        values(2000 // SHRINK),
        lambda device: ic.FDBSCAN(4.1, random_state=0, device=device),
    )
    fits(
        "ErrorMixture",
        correlated(200_000 // SHRINK),
        lambda device: ic.ErrorMixture(
            4, covariance_type="full", random_state=0, device=device
        ),
    )
    fits(
        "AutoClusterer",
        means(N_OBJECTS),
        lambda device: ic.AutoClusterer(
            4, n_worlds=N_WORLDS, random_state=0, device=device
        ),
    )


if __name__ == "__main__":
    main()
