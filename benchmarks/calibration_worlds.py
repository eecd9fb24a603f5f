"""Calibration of the confidence of WorldConsensus.

    python benchmarks/calibration_worlds.py

True values come from two overlapping Gaussians, and each is measured with a known
error. In "right", the library gets the distribution of the true value given the
measurement, so labels with a confidence of 0.8 should be correct in 8 of 10 cases. In
"error bar", it gets the error bar around the measurement, as is common. Values are then
spread twice, by the actual error and by the drawn one.

There are two events. The true value may lie in the cluster (k-means, and a mixture
model by its labels), and the object may belong to the component (a mixture model by its
probabilities, ``soft=True``). Both probabilities have closed forms; "off" is the mean
distance of the membership from them.
"""

import argparse
from itertools import pairwise

import numpy as np
from scipy.stats import norm
from sklearn.cluster import KMeans
from sklearn.mixture import GaussianMixture

import incerta as ic
from incerta import WorldConsensus

HALF_GAP = 1.5  # the components are at -1.5 and 1.5 of the first feature, with spread 1
EDGES = (0.0, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)
ENOUGH = 200  # objects in a bin: the standard error of its share is at most 0.035
LIMIT = 0.05
QUESTIONS = {
    "k-means, true value": (KMeans(2, n_init=3), False),
    "mixture, true value": (GaussianMixture(2), False),
    "mixture, component": (GaussianMixture(2), True),
}


class Measured:
    """Simulated measurements, and the true probabilities."""

    def __init__(self, n_objects, n_worlds, seed):
        self.seed, self.n_worlds = seed, n_worlds
        rng = np.random.default_rng([seed, 1])
        self.component = rng.integers(2, size=n_objects)
        centers = np.array([[-HALF_GAP, 0.0], [HALF_GAP, 0.0]])
        self.true = centers[self.component] + rng.normal(size=(n_objects, 2))
        self.error = rng.uniform(0.3, 1.5, size=(n_objects, 1))
        self.seen = self.true + self.error * rng.normal(size=(n_objects, 2))
        # Given the component the true value is Gaussian, drawn towards the center.
        variance = self.error**2
        spread = np.sqrt(1.0 + variance[:, 0])
        likelihood = norm.pdf(self.seen[:, :1], centers[:, 0], spread[:, None])
        self.of_component = likelihood[:, 1] / likelihood.sum(axis=1)
        self.means = (variance[:, :, None] * centers.T + self.seen[:, :, None]) / (
            1.0 + variance[:, :, None]
        )
        self.spread = np.sqrt(variance / (1.0 + variance))
        each = norm.sf(0.0, self.means[:, 0], self.spread)
        self.of_value = (
            each[:, 0] * (1.0 - self.of_component) + each[:, 1] * self.of_component
        )

    def right(self):
        """Return draws of the true values given the measurements."""
        rng = np.random.default_rng([self.seed, 2])
        shape = (self.n_worlds, len(self.seen))
        drawn = rng.random(shape) < self.of_component
        means = np.where(drawn[:, :, None], self.means[:, :, 1], self.means[:, :, 0])
        return ic.from_worlds(means + self.spread * rng.normal(size=(*shape, 2)))

    def error_bar(self):
        """Return measurements with error bars, taken as distributions of the truth."""
        return ic.from_gaussian(
            self.seen, std=np.broadcast_to(self.error, (len(self.seen), 2))
        )


def answers(data, measured, clusterer, soft):
    """Return confidences, correctness of labels, and errors of the membership."""
    found = WorldConsensus(
        clusterer,
        measured.n_worlds,
        n_clusters=2,
        soft=soft,
        random_state=measured.seed,
    ).fit(data)
    # The cluster further to the right is that of component 1.
    places = [measured.seen[found.labels_ == c, 0].mean() for c in range(2)]
    upper = int(np.argmax(places))
    said = (found.labels_ == upper).astype(int)
    truth = measured.component if soft else (measured.true[:, 0] > 0).astype(int)
    exact = measured.of_component if soft else measured.of_value
    off = np.abs(found.membership_[:, upper] - exact)
    return found.confidence_, said == truth, off


def table(confidence, right, off):
    """Print the reliability curve; return the largest gap of well filled bins."""
    print("    confidence     mean   right      n     gap")
    gaps = []
    for low, high in pairwise(EDGES):
        last = high == EDGES[-1]
        here = (confidence >= low) & ((confidence < high) | last)
        n = int(here.sum())
        if n == 0:
            continue
        mean, share = confidence[here].mean(), right[here].mean()
        print(
            f"    {low:.1f} to {high:.1f}  {mean:9.3f} {share:7.3f} {n:6d} "
            f"{share - mean:+7.3f}{'' if n >= ENOUGH else '  (few)'}"
        )
        gaps += [abs(share - mean)] if n >= ENOUGH else []
    largest = max(gaps, default=np.nan)
    print(
        f"    largest gap {largest:.3f} (wanted: {LIMIT}); mean confidence "
        f"{confidence.mean():.3f}, right {right.mean():.3f}, off {off.mean():.3f}"
    )
    return largest


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seeds", type=int, default=10, help="simulated data sets")
    parser.add_argument("--objects", type=int, default=1000, help="objects of each")
    parser.add_argument("--worlds", type=int, default=100)
    chosen = parser.parse_args()
    sets = [Measured(chosen.objects, chosen.worlds, s) for s in range(chosen.seeds)]
    for law in ("right", "error_bar"):
        for question, (clusterer, soft) in QUESTIONS.items():
            print(f"law: {law.replace('_', ' ')}; {question}")
            each = [answers(getattr(m, law)(), m, clusterer, soft) for m in sets]
            table(*(np.concatenate(column) for column in zip(*each, strict=True)))


if __name__ == "__main__":
    main()
