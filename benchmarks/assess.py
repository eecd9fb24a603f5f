"""Reliability of the verdicts and probabilities of `assess`.

    INCERTA_DATA=... python benchmarks/assess.py --jobs 2  # docs/measured/assess.txt

*One cluster cut by k-means*: the share of pairs of pieces that are called separate, by
`assess` and by common rules. The rules are the dip test along the same axis (p < 0.05),
a mean silhouette above 0.25, neighbors with the same label (0.9), the same pieces in
bootstraps (mean adjusted Rand index 0.8) and prediction strength (0.8). The last four
judge all pieces at once. *Two clusters*: the same for true labels, and how often a
common label is reported to hide two clusters. *Probabilities*: ECE of the most probable
label, coverage of 95% sets, the estimated share of wrong labels when some are random,
and the AUC of ``right`` for them, beside the share of the ten nearest neighbors with
the same label. *Cost*: one thread, ``OMP_NUM_THREADS=1``.
"""

import argparse
import os
import resource
import sys
import time
from functools import cache
from itertools import product
from pathlib import Path

import numpy as np
from joblib import Parallel, delayed
from scipy.spatial import cKDTree
from sklearn.cluster import KMeans
from sklearn.isotonic import isotonic_regression
from sklearn.metrics import adjusted_rand_score, roc_auc_score, silhouette_score

import incerta as ic

sys.path.insert(0, str(Path(__file__).parent / "accuracy"))

from scores import calibration_error

SIZES, PIECES = (100, 300, 1000, 3000), (2, 3, 8)
LEVEL, UNEVEN = 0.25, 0.8
N_BOOTSTRAPS, N_NEIGHBORS = 5, 10
N_MODES, N_UNIFORM, N_SAMPLES = 16, 300, 200
# Larger samples have more pairs, and fewer seeds.
SEEDS_OF_PEERS, ALL_SEEDS = 3, 300
PEERS = ("dip", "silhouette", "neighbors", "bootstrap", "prediction")
WRONG = (0.01, 0.05, 0.2)
# Objects, features and labels.
COSTS = (100_000, 50, 20), (1_000_000, 20, 10)


def one_cluster(shape, n, rng):
    """Draw values of a single cluster."""
    if shape == "gaussian":
        return rng.normal(size=(n, 5))
    if shape == "long":
        return rng.normal(size=(n, 3)) * [4.0, 1.0, 0.5]
    if shape == "t3":
        return rng.normal(size=(n, 3)) / np.sqrt(rng.chisquare(3, (n, 1)) / 3)
    if shape == "skewed":
        return rng.exponential(size=(n, 3))
    if shape == "bent":
        angle = rng.uniform(0.0, np.pi, n)
        arc = 3.0 * np.column_stack([np.cos(angle), np.sin(angle)])
        return arc + 0.4 * rng.normal(size=(n, 2))
    if shape == "flat":
        return rng.uniform(-2.0, 2.0, size=(n, 2))
    if shape == "sizes":
        width = np.where(rng.random(n) < 0.5, 0.4, 2.0)
        return rng.normal(size=(n, 3)) * width[:, None]
    return np.round(2.0 * rng.normal(size=(n, 2)))  # discrete


ONE = ("gaussian", "long", "t3", "skewed", "bent", "flat", "sizes", "discrete")


def two_clusters(shape, n, apart, rng):
    """Draw values of two clusters at a distance in deviations, and their labels."""
    labels = np.arange(n) % 2
    if shape == "gaussian":
        values = rng.normal(size=(n, 5))
    elif shape == "unequal":
        values = rng.normal(size=(n, 3)) * np.where(labels, 1.5, 0.5)[:, None]
    elif shape == "strips":
        values = rng.normal(size=(n, 2)) * [1.0, 4.0]
    elif shape == "t3":
        values = rng.normal(size=(n, 3)) / np.sqrt(rng.chisquare(3, (n, 1)) / 3)
    elif shape == "skewed":
        values = rng.exponential(size=(n, 3))
    else:  # half circles, each around the end of the other
        angle = rng.uniform(0.0, np.pi, n)
        arc = np.column_stack([np.cos(angle), np.sin(angle)])
        values = np.where(labels[:, None], [1.0, 0.5] - arc, arc) * apart
        return values + rng.normal(size=(n, 2)) / 2.0, labels
    values[:, 0] += apart * labels
    return values, labels


TWO = ("gaussian", "unequal", "strips", "t3", "skewed", "half circles")


def measured(values, level, rng):
    """Add unequal errors to values."""
    if not level:
        return ic.as_uncertain(values)
    factors = UNEVEN * rng.normal(size=(len(values), 1))
    factors = factors + UNEVEN / 3.0 * rng.normal(size=values.shape)
    std = 2.0 * level * values.std(axis=0).mean() / 2.0 * np.exp(factors)
    return ic.from_gaussian(values + std * rng.normal(size=values.shape), std=std)


def dip(values):
    """Return the dip statistic of Hartigan and Hartigan."""
    x = np.unique(values)
    y = np.searchsorted(np.sort(values), x, side="right") / len(values)
    steps = np.diff(x), np.diff(y)
    best = 1.0
    for at in np.linspace(0, len(x) - 1, N_MODES).astype(int):
        left = _off(*(each[:at] for each in steps))
        right = _off(*(each[at:][::-1] for each in steps))
        best = min(best, max(left, right))
    return best / 2.0


def _off(lengths, rises):
    """Return the largest distance of a curve from its greatest convex minorant."""
    if not len(lengths):
        return 0.0
    slopes = isotonic_regression(rises / lengths, sample_weight=lengths)
    return float((np.cumsum(rises) - np.cumsum(slopes * lengths)).max())


@cache
def dip_limit():
    """Return the 95% quantile of the dip of uniform values, times √n."""
    rng = np.random.default_rng(0)
    dips = [dip(rng.random(N_UNIFORM)) for _ in range(200)]
    return np.quantile(dips, 0.95) * np.sqrt(N_UNIFORM)


def dipped(found):
    """Return the compared pairs with two modes by the dip test along the same axis."""
    said, rng = [], np.random.default_rng(0)
    for pair in found.pairs:
        if pair.values is not None:
            places, _, numbers = pair.values
            # Cells are narrow: their values are spread evenly over one.
            values = np.repeat(places, numbers.astype(int))
            values = values + np.ptp(places) / 64.0 * (rng.random(len(values)) - 0.5)
            said.append(dip(values) * np.sqrt(len(values)) > dip_limit())
    return said


def peers(values, labels, k, seed):
    """Return whether other rules accept the labels."""
    near = cKDTree(values).query(values, N_NEIGHBORS + 1)[1][:, 1:]
    rng = np.random.default_rng(seed)
    again = []
    for _ in range(N_BOOTSTRAPS):
        rows = rng.integers(len(values), size=len(values))
        model = KMeans(k, n_init=3, random_state=seed).fit(values[rows])
        again.append(adjusted_rand_score(labels, model.predict(values)))
    half = rng.permutation(len(values))
    one, other = half[: len(half) // 2], half[len(half) // 2 :]
    model = KMeans(k, n_init=3, random_state=seed).fit(values[one])
    told = model.predict(values[other])
    own = KMeans(k, n_init=3, random_state=seed).fit_predict(values[other])
    strengths = []
    for c in range(k):
        counts = np.bincount(told[own == c], minlength=k).astype(float)
        n = counts.sum()
        if n > 1:
            strengths.append((counts * (counts - 1.0)).sum() / (n * (n - 1.0)))
    return [
        silhouette_score(values, labels) > 0.25,
        (labels[near] == labels[:, None]).mean() > 0.9,
        np.mean(again) > 0.8,
        min(strengths) > 0.8,
    ]


def cut(shape, n, seed):
    """Return the verdicts on pieces of a single cluster, ours and those of others.

    Values are exact for even seeds and have errors for odd ones.
    """
    level = LEVEL * (seed % 2)
    rng = np.random.default_rng([seed, *shape.encode()])
    data = measured(one_cluster(shape, n, rng), level, rng)
    ours, dips, others = [], [], []
    for k in PIECES:
        labels = KMeans(k, n_init=3, random_state=seed).fit_predict(data.mean())
        found = ic.assess(data, labels)
        told = [pair for pair in found.pairs if pair.values is not None]
        ours += [pair.verdict == "separate" for pair in told]
        dips += dipped(found)
        if told and seed < SEEDS_OF_PEERS:
            others.append(peers(data.mean(), labels, k, seed))
    return ours, dips, others


def found_two(shape, n, apart, level, seed):
    """Return whether two clusters are called separate, or detected in one label."""
    rng = np.random.default_rng([seed, *shape.encode()])
    values, labels = two_clusters(shape, n, apart, rng)
    data = measured(values, level, rng)
    found = ic.assess(data, labels)
    alone = ic.assess(data, np.zeros(n, dtype=int))
    others = [np.nan] * (len(PEERS) - 1)
    if seed < SEEDS_OF_PEERS:
        others = peers(data.mean(), labels, 2, seed)
    separate = found.pairs[0].verdict == "separate"
    return [separate, alone.clusters[0].hides_two, *dipped(found), *others]


def probabilities(data, labels, seed):
    """Return the calibration of probabilities, and the estimates of wrong labels."""
    found = ic.assess(data, labels, random_state=seed)
    n, k = found.probability.shape
    right = found.likeliest == labels
    row = [calibration_error(found.probability.max(axis=1), right)]
    row.append(chance(found.probability, seed))
    row.append(
        np.mean([own in each for own, each in zip(labels, found.sets(), strict=True)])
    )
    rng = np.random.default_rng(seed)
    near = cKDTree(_filled(data)).query(_filled(data), N_NEIGHBORS + 1)[1][:, 1:]
    for share in WRONG:
        rows = rng.permutation(n)[: round(share * n)]
        given = labels.copy()
        given[rows] = (labels[rows] + rng.integers(1, k, len(rows))) % k
        again = ic.assess(data, given, random_state=seed)
        row.append(again.wrong / n)
        wrong = given != labels
        row.append(roc_auc_score(wrong, -again.right))
        purity = (given[near] == given[:, None]).mean(axis=1)
        row.append(roc_auc_score(wrong, -purity))
    return row


def chance(probability, seed):
    """Return the 95% quantile of the calibration error of true probabilities."""
    rng, most = np.random.default_rng(seed), probability.max(axis=1)
    right = rng.random((N_SAMPLES, len(most))) < most
    return np.quantile([calibration_error(most, each) for each in right], 0.95)


def _filled(data):
    values = ic.Standardizer().fit_transform(data).mean()
    return np.where(np.isnan(values), 0.0, values)


def level(parallel, seeds):
    print("One cluster, cut by k-means into 2, 3 and 8; called separate, in %:\n")
    heads = "".join(f"{name:>12}" for name in PEERS)
    print(f"{'':10}{'n':>6}{'pairs':>7}{'assess':>8}{heads}")
    for shape, n in product(ONE, SIZES):
        most = max(len(seeds) * ALL_SEEDS // max(n, ALL_SEEDS), 1)
        jobs = product([shape], [n], seeds[:most])
        found = parallel(delayed(cut)(*job) for job in jobs)
        ours, dips, others = (
            [x for each in part for x in each] for part in zip(*found, strict=True)
        )
        if others:
            rates = [np.mean(dips), *np.mean(others, axis=0)]
            cells = "".join(f"{100 * rate:12.0f}" for rate in rates)
            own = f"{shape:10}{n:6}{len(ours):7}{100 * np.mean(ours):8.0f}"
            print(own + cells, flush=True)


def power(parallel, seeds):
    print("Two clusters with their true labels; called separate, in %:\n")
    heads = "".join(f"{name:>12}" for name in PEERS)
    print(f"{'':14}{'n each':>8}{'apart':>6}{'assess':>8}{'under one':>10}{heads}")
    for shape, (n, apart) in product(TWO, [(750, 4.0), (250, 4.0), (250, 5.0)]):
        half = seeds[: max(len(seeds) // 2, 1)]
        jobs = product([shape], [n], [apart], [0.0, LEVEL], half)
        rows = parallel(delayed(found_two)(*job) for job in jobs)
        ours, under, *others = 100 * np.nanmean(rows, axis=0)
        cells = f"{ours:8.0f}{under:10.0f}" + "".join(f"{r:12.0f}" for r in others)
        print(f"{shape:14}{n // 2:8}{apart:6.0f}{cells}", flush=True)


def calibration(parallel, seeds):
    print(
        "Probabilities: their calibration error, and how large it is by chance in 5%;"
    )
    print("sets of 95%; of wrong labels the share, AUC of right, AUC of neighbors:\n")
    heads = "".join(f"{f'{w:.0%} wrong':>19}" for w in WRONG)
    print(f"{'':24}{'ECE':>6}{'chance':>8}{'sets':>6}{heads}")
    for name, rows in tables(parallel, seeds[: max(len(seeds) // 20, 1)]):
        ece, by_chance, sets, *rest = np.mean(rows, axis=0)
        cells = "".join(
            f"{share:8.3f}{auc:6.3f}{near:5.2f}"
            for share, auc, near in np.reshape(rest, (-1, 3))
        )
        print(f"{name:24}{ece:6.3f}{by_chance:8.3f}{sets:6.3f}{cells}", flush=True)


def cost(parallel, seeds):
    print("Seconds of CPU time, and GiB of memory at most:\n")
    for n, d, k in COSTS:
        rng = np.random.default_rng(0)
        labels = rng.integers(k, size=n)
        truth = 1.2 * rng.normal(size=(k, d))[labels] + rng.normal(size=(n, d))
        data = measured(truth, LEVEL, rng)
        before = time.process_time()
        ic.assess(data, labels)
        seconds = time.process_time() - before
        most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
        sizes = f"{n:9,} objects, {d} features, {k} labels"
        print(f"{sizes:42}{seconds:6.0f}{most:6.1f}", flush=True)


PARTS = {each.__name__: each for each in (level, power, calibration, cost)}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--only", choices=PARTS)
    parser.add_argument("--small", action="store_true", help="a size for tests")
    given = parser.parse_args()
    if given.small:
        print(found_two("gaussian", 200, 6.0, LEVEL, 0))
        print(cut("gaussian", 200, 0))
        return
    with Parallel(given.jobs) as parallel:
        for name, part in PARTS.items():
            if given.only in (None, name):
                part(parallel, range(given.seeds))
                print(flush=True)


def tables(parallel, seeds):
    """Yield the names of cases with the results of each seed."""
    from real import REAL
    from shapes import SHAPES, made

    def of_shape(name, errors, seed):
        data, labels, _ = made(name, errors, seed)
        known = np.flatnonzero(labels >= 0)
        return probabilities(data[known], labels[known], seed)

    for name, errors in product(SHAPES, ("small uneven", "large uneven")):
        jobs = (delayed(of_shape)(name, errors, seed) for seed in seeds)
        yield f"{name}, {errors[:5]}", parallel(jobs)
    if "INCERTA_DATA" in os.environ:
        for name, load in REAL.items():
            jobs = (delayed(probabilities)(*load(), seed) for seed in seeds)
            yield name, parallel(jobs)


if __name__ == "__main__":
    main()
