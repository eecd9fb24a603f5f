"""Calibration of the confidence of RPC, for two kinds of labels in worlds.

    python benchmarks/calibration.py

The data are blobs with known clusters, measured with errors of several sizes. "pulled"
labels the objects in each world by the final embedding of consistency learning, "own"
by the initial embedding of the world. A calibrated mean confidence is near the
accuracy. The Brier score is the mean squared error of the probabilities; lower is
better.
"""

import argparse
import warnings

import numpy as np
from scipy.optimize import linear_sum_assignment
from sklearn.metrics.cluster import contingency_matrix

from incerta.datasets import make_uncertain_blobs
from incerta.labels import shares
from incerta.spectral import Laplacians, consistency
from incerta.spectral.embedding import cut, nearest
from incerta.spectral.extension import aligned

K = 3


def measure(uncertainty, seed, n_objects, n_worlds):
    data, truth = make_uncertain_blobs(
        n_objects,
        2,
        K,
        uncertainty=uncertainty,
        center_box=(-4.0, 4.0),
        random_state=seed,
    )
    found = consistency(Laplacians(data.worlds(n_worlds, seed)), K)
    labels, centers = cut(found.common, K, 10, seed)
    rows, columns = linear_sum_assignment(-contingency_matrix(labels, truth))
    name_of = dict(zip(columns, rows, strict=True))
    true_cluster = np.array([name_of[c] for c in truth])
    numbers = [(labels == true_cluster).mean()]
    for embeddings in (found.per_world, found.alone.embeddings):
        each = [nearest(U @ aligned(U, found.common), centers) for U in embeddings]
        membership = shares(np.array(each), K)
        numbers.append(membership[np.arange(n_objects), labels].mean())
        miss = membership - np.eye(K)[true_cluster]
        numbers.append(np.square(miss).sum(axis=1).mean())
    return numbers


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--small", action="store_true", help="a size for tests")
    small = parser.parse_args().small
    n_objects, n_worlds, seeds = (30, 5, 1) if small else (200, 40, 5)
    warnings.simplefilter("ignore")
    print(f"{'':20} | {'pulled':^18} | {'own':^18}")
    print("uncertainty accuracy | confidence   Brier | confidence   Brier")
    for uncertainty in (0.5, 1.0, 2.0, 3.0):
        runs = [measure(uncertainty, s, n_objects, n_worlds) for s in range(seeds)]
        accuracy, *rest = np.mean(runs, axis=0)
        cells = [
            f"{confidence:10.2f} {brier:7.2f}"
            for confidence, brier in (rest[:2], rest[2:])
        ]
        print(f"{uncertainty:11.1f} {accuracy:8.2f} | " + " | ".join(cells))


if __name__ == "__main__":
    main()
