"""Clusterers of scikit-learn by name in `cluster`, beside k-means on the values.

    python benchmarks/named_methods.py    # some three minutes

The data are four blobs in six features, and two moons. Errors are log-normal (0.8
between objects, 0.27 between the features of an object) of three sizes. ACC is by the
labels of the generator. Confidence is the probability of the label that exact data
would give. It should equal the share of objects with the label of the same clusterer on
the true values ("as exact"). "Too sure" is the difference.
"""

import argparse
import warnings

import numpy as np
from sklearn.cluster import KMeans
from sklearn.datasets import make_moons

import incerta as ic
from incerta.metrics import clustering_accuracy

METHODS = ("kmeans", "gmm", "agglomerative")
LEVELS = (0.15, 0.4, 0.7)


def blobs(n: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    target = rng.integers(4, size=n)
    centers, within = 2.0 * rng.normal(size=(4, 6)), rng.uniform(0.3, 1.2, size=6)
    return centers[target] + within * rng.normal(size=(n, 6)), target


def moons(n: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    return make_moons(n, noise=0.05, random_state=int(rng.integers(2**31)))


def with_errors(
    truth: np.ndarray, level: float, rng: np.random.Generator
) -> ic.UncertainData:
    uneven = 0.8 * rng.normal(size=(len(truth), 1)) + 0.27 * rng.normal(
        size=truth.shape
    )
    std = level * truth.std(axis=0).mean() * np.exp(uneven)
    return ic.from_gaussian(truth + std * rng.normal(size=truth.shape), std=std)


def scores(
    truth: np.ndarray, target: np.ndarray, level: float, seed: int, n_worlds: int
) -> dict[str, list[float]]:
    """Return ACC, mean confidence, and agreement with exact data, by method."""
    data = with_errors(truth, level, np.random.default_rng([seed, 2]))
    k = target.max() + 1
    control = KMeans(k, n_init=10, random_state=seed)
    labels, exact = (
        control.fit_predict((x - x.mean(axis=0)) / x.std(axis=0))
        for x in (data.mean(), truth)
    )
    out = {
        "k-means on the values": [
            clustering_accuracy(target, labels),
            np.nan,
            clustering_accuracy(exact, labels),
        ]
    }
    for method in METHODS:
        found = ic.cluster(data, k, method, seed, params={"n_worlds": n_worlds})
        exact = ic.cluster(truth, k, method, seed, params={"n_worlds": 1})
        out[method] = [
            clustering_accuracy(target, found.labels),
            found.confidence.mean(),
            clustering_accuracy(exact.labels, found.labels),
        ]
    return out


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--objects", type=int, default=300)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--worlds", type=int, default=100)
    args = parser.parse_args()
    warnings.simplefilter("ignore")
    print(f"{'':29} {'ACC':>6} {'confidence':>11} {'as exact':>9} {'too sure':>9}")
    for make in (blobs, moons):
        for level in LEVELS:
            runs = []
            for seed in range(args.seeds):
                truth, target = make(args.objects, np.random.default_rng([seed, 1]))
                runs.append(scores(truth, target, level, seed, args.worlds))
            print(f"{make.__name__}, errors of {level}")
            for method in runs[0]:
                acc, sure, same = np.mean([run[method] for run in runs], axis=0)
                print(
                    f"    {method:25} {acc:6.3f} {sure:11.3f} {same:9.3f} "
                    f"{sure - same:+9.3f}"
                )


if __name__ == "__main__":
    main()
