"""The radius chosen by density methods: for bent clusters, round ones, and none.

    python benchmarks/radius.py           # two minutes

Values are measured with errors of unequal size, and all methods have default
parameters. HDBSCAN of scikit-learn uses only the values. For a set without clusters,
nine tenths of the objects in one cluster are correct, or none (HDBSCAN).
"""

import argparse
import warnings

import numpy as np
from sklearn.cluster import HDBSCAN
from sklearn.metrics import adjusted_rand_score

import incerta as ic

LAWS = {
    "Gaussian": lambda rng, n: rng.normal(size=(n, 2)),
    "uniform": lambda rng, n: rng.random((n, 2)),
    "exponential": lambda rng, n: rng.exponential(size=(n, 2)),
}


def bent(make, error):
    return lambda seed, n: make(n, uncertainty=error, random_state=seed)


def blobs(seed, n):
    """Draw three round clusters, seven deviations apart."""
    rng = np.random.default_rng(seed)
    target = rng.integers(3, size=n)
    centers = 7.0 * np.array([[0.0, 0.0], [1.0, 0.0], [0.5, 0.87]])
    return measured(centers[target] + rng.normal(size=(n, 2)), 0.3, rng), target


def structureless(law):
    def made(seed, n):
        rng = np.random.default_rng(seed)
        values = LAWS[law](rng, n)
        return measured(values / values.std(axis=0), 0.2, rng), None

    return made


def measured(values, size, rng):
    std = size * rng.lognormal(0.0, 0.5, (len(values), 1)) * np.ones(2)
    return ic.from_gaussian(values + std * rng.normal(size=values.shape), std=std)


CASES = {
    **{
        f"{name}, errors of {error}": bent(make, error)
        for name, make in (
            ("moons", ic.datasets.make_uncertain_moons),
            ("rings", ic.datasets.make_uncertain_rings),
        )
        for error in (0.0, 0.05, 0.1, 0.15)
    },
    "three blobs": blobs,
    **{f"none, {law}": structureless(law) for law in LAWS},
}


def ours(method, seed):
    return lambda data: ic.cluster(data, method=method, random_state=seed).labels


def score(truth, labels):
    if truth is not None:
        return adjusted_rand_score(truth, labels)
    counts = np.bincount(labels[labels >= 0], minlength=1)
    return float(counts.max() >= 0.9 * len(labels) or counts.sum() == 0)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--objects", type=int, default=400)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    print("Mean adjusted Rand index; for none, the share of sets that are one cluster")
    print()
    print(f"{'':<24}{'FDBSCAN':>9}{'PDBSCAN':>9}{'FOPTICS':>9}{'HDBSCAN':>9}")
    for name, make in CASES.items():
        scores = []
        for seed in range(options.seeds):
            data, truth = make(seed, options.objects)
            methods = [ours(m, seed) for m in ("FDBSCAN", "PDBSCAN", "FOPTICS")]
            methods.append(lambda data: HDBSCAN(copy=True).fit_predict(data.mean()))
            scores.append([score(truth, found(data)) for found in methods])
        means = np.mean(scores, axis=0)
        print(f"{name:<24}" + "".join(f"{value:>9.2f}" for value in means), flush=True)


if __name__ == "__main__":
    main()
