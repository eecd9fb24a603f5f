"""The loss in ARI when some objects represent all.

    python benchmarks/landmarks.py
    python benchmarks/landmarks.py --objects 300 --seeds 1 --landmarks 100

The data are 5000 simulated objects with known clusters and errors. RPC embeds all
objects, or 1000 objects and extends the embedding to the others. AutoClusterer fits all
objects, or 2000. Figures are the mean adjusted Rand index with the truth over the
seeds, and the difference.
"""

import argparse
import warnings
from unittest import mock

import numpy as np
from sklearn.metrics import adjusted_rand_score

import incerta as ic
from incerta import settings
from incerta.estimators import _rpc


def blobs(rng, n, sizes, d, apart):
    """Draw Gaussian clusters of given relative sizes, with errors of three kinds."""
    labels = rng.choice(len(sizes), n, p=np.array(sizes) / sum(sizes))
    centers = np.zeros((len(sizes), d))
    centers[:, :2] = apart * np.array(
        [[np.cos(a), np.sin(a)] for a in 2 * np.pi * np.arange(len(sizes)) / len(sizes)]
    )
    std = rng.choice([0.2, 0.5, 1.0], (n, 1)) * np.ones(d)
    truth = centers[labels] + rng.normal(size=(n, d))
    return ic.from_gaussian(truth + std * rng.normal(size=(n, d)), std=std), labels


SETS = {
    "3 apart, 2 features": ([1, 1, 1], 2, 5.0),
    "3 near, 2 features": ([1, 1, 1], 2, 3.0),
    "3 of sizes 1:3:10": ([1, 3, 10], 2, 5.0),
    "4 apart, 10 features": ([1, 1, 1, 1], 10, 6.0),
}


def fits(data, k, n_all, n_landmarks):
    """Return RPC and AutoClusterer, each with all objects and with some."""
    for name, part in (("all", False), ("part", True)):
        with (
            mock.patch.object(_rpc, "DENSE_OBJECTS", 0 if part else n_all),
            mock.patch.object(_rpc, "N_LANDMARKS", n_landmarks),
            mock.patch.object(
                settings, "MOST_OBJECTS", 2 * n_landmarks if part else n_all
            ),
        ):
            rpc = ic.RPC(k, 20, 5, selection="random", random_state=0)
            yield "RPC", name, rpc.fit(data).labels_
            views = ic.AutoClusterer(k, n_worlds=8, random_state=0)
            yield "AutoClusterer", name, views.fit(data).labels_


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--objects", type=int, default=5000)
    parser.add_argument("--landmarks", type=int, default=1000)
    parser.add_argument("--seeds", type=int, default=5)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    print(f"{'':<24}{'method':<15}{'all':>8}{'part':>8}{'part - all':>12}")
    for name, (sizes, d, apart) in SETS.items():
        scores = {}
        for seed in range(options.seeds):
            rng = np.random.default_rng([seed, *name.encode()])
            data, truth = blobs(rng, options.objects, sizes, d, apart)
            found = fits(data, len(sizes), options.objects, options.landmarks)
            for method, how, labels in found:
                ari = adjusted_rand_score(truth, labels)
                scores.setdefault(method, {}).setdefault(how, []).append(ari)
        for method, of in scores.items():
            whole, part = np.mean(of["all"]), np.mean(of["part"])
            scored = f"{whole:>8.3f}{part:>8.3f}{part - whole:>+12.3f}"
            print(f"{name:<24}{method:<15}{scored}", flush=True)


if __name__ == "__main__":
    main()
