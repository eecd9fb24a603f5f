"""Accuracy and speed for tables with more features than objects.

    python benchmarks/wide.py --jobs 2 --seeds 3  # ten minutes; docs/measured/wide.txt
    python benchmarks/wide.py --costs              # time and memory: some minutes

The tables have 400 features (or the number in the name) and four clusters. They differ
in a few features, each by twice the deviation within clusters times a normal number.
Errors are 0.7 such deviations, unequal between objects (log-normal, 0.8). *Best* uses
the true centers. The others get the number of clusters; *k* is the share of tables for
which `choose_k` gives four. *Features* is the default without directions,
*ErrorMixture* is run in directions, and *ranking* is sparse k-means with the true
number of relevant features.
"""

import argparse
import resource
import subprocess
import sys
import time
import warnings
from typing import NamedTuple

import numpy as np
from joblib import Parallel, delayed
from sklearn.cluster import KMeans, kmeans_plusplus
from sklearn.decomposition import PCA
from sklearn.metrics import adjusted_rand_score
from sklearn.mixture import GaussianMixture

import incerta as ic
from incerta.api.comparison import filled_means

K = 4


class Table(NamedTuple):
    values: np.ndarray
    std: np.ndarray
    classes: np.ndarray
    best: np.ndarray  # labels of who knows the centers

    @property
    def data(self):
        return ic.from_gaussian(self.values, std=self.std, missing="infinite")


def table(
    seed,
    n=300,
    d=400,
    informative=None,
    shift=2.0,
    gaps=0.0,
    told=1.0,
    tails=False,
    nuisance=0.0,
    batch=0.0,
    by_value=False,
):
    rng = np.random.default_rng([seed, n, d])
    classes = rng.integers(K, size=n)
    within = np.exp(0.3 * rng.normal(size=d))
    tells = rng.choice(d, informative or max(2, d // 20), replace=False)
    centers = np.zeros((K, d))
    centers[:, tells] = shift * within[tells] * rng.normal(size=(K, len(tells)))
    truth = centers[classes] + within * rng.normal(size=(n, d))
    truth += nuisance * within * rng.normal(size=(n, 1)) * rng.normal(size=d)
    batches = rng.integers(3, size=n)
    truth += (batch * within * rng.normal(size=(3, d)))[batches]
    factors = 0.8 * rng.normal(size=(n, 1)) + 0.27 * rng.normal(size=(n, d))
    std = 0.7 * within * np.exp(factors)
    unit = (
        rng.standard_t(3, size=(n, d)) / np.sqrt(3)
        if tails
        else rng.normal(size=(n, d))
    )
    values = truth + std * unit
    variances = within**2 + std**2
    fits = np.stack([((values - one) ** 2 / variances).sum(axis=1) for one in centers])
    if gaps:
        likely = np.full(values.shape, gaps)
        if by_value:
            likely = 2.0 * gaps / (1.0 + np.exp(2.0 * values / values.std(axis=0)))
        values[rng.random(values.shape) < likely] = np.nan
    return Table(values, told * std, classes, fits.argmin(axis=0))


TABLES = {
    "300 × 400": {},
    "20% gaps": {"gaps": 0.2},
    "gaps by value": {"gaps": 0.2, "by_value": True},
    "large nuisance": {"nuisance": 1.0},
    "batches": {"batch": 0.25},
    "error bars halved": {"told": 0.5},
    "error bars doubled": {"told": 2.0},
    "t errors": {"tails": True},
    "60 × 400": {"n": 60},
    "60 × 2000": {"n": 60, "d": 2000},
    "60 × 20000": {"n": 60, "d": 20000},
    "60 × 20000, 1%": {"n": 60, "d": 20000, "informative": 200, "shift": 1.5},
    "60 × 1000, 10 tell": {"n": 60, "d": 1000, "informative": 10, "shift": 3.0},
    "1000 × 100": {"n": 1000, "d": 100},
    "1000 × 1000": {"n": 1000, "d": 1000, "informative": 20},
}
MOST_VALUES = 200_000  # of the default without directions, which is slow


def scaled(made):
    return filled_means(ic.Standardizer().fit_transform(made.data))


def by_components(made, seed):
    return PCA(min(10, len(made.values) - 1), random_state=seed).fit_transform(
        scaled(made)
    )


def by_ranking(made, seed, most=10, starts=10):
    """Run sparse k-means by feature ranking (Zhang, Lange, Xu 2020), 10 features."""
    values, best = scaled(made), (-np.inf, None)
    for start in range(starts):
        centers, _ = kmeans_plusplus(values, K, random_state=seed + start)
        kept, labels = np.arange(values.shape[1]), None
        for _ in range(50):
            gaps = values[:, None][..., kept] - centers[:, kept]
            found = np.square(gaps).sum(axis=2).argmin(axis=1)
            if labels is not None and (found == labels).all():
                break
            labels = found
            member = np.eye(K)[labels]
            sizes = np.maximum(member.sum(axis=0), 1.0)
            centers = member.T @ values / sizes[:, None]
            scores = sizes @ centers**2
            kept = np.argsort(-scores)[:most]
        best = max(best, (scores[kept].sum(), labels.tolist()))
    return np.array(best[1])


def by_mixture(made, seed):
    places = by_components(made, seed)
    return GaussianMixture(K, n_init=5, reg_covar=1e-3, random_state=seed).fit_predict(
        places
    )


def kmeans(values, seed):
    return KMeans(K, n_init=10, random_state=seed).fit_predict(values)


METHODS = {
    "default": lambda made, seed: ic.cluster(made.data, K, random_state=seed).labels,
    "features": lambda made, seed: (
        ic.cluster(made.data, K, random_state=seed, directions=None).labels
        if made.values.size <= MOST_VALUES
        else None
    ),
    "ErrorMixture": lambda made, seed: (
        ic.ErrorMixture(K, random_state=seed)
        .fit(ic.Directions().fit_transform(made.data))
        .labels_
    ),
    "k-means": lambda made, seed: kmeans(scaled(made), seed),
    "PCA, k-means": lambda made, seed: kmeans(by_components(made, seed), seed),
    "PCA, GMM": by_mixture,
    "ranking": by_ranking,
}


def row(name, seed):
    warnings.simplefilter("ignore")
    made = table(seed, **TABLES[name])
    out = {"best": adjusted_rand_score(made.classes, made.best)}
    for method, run in METHODS.items():
        labels = run(made, seed)
        score = np.nan if labels is None else adjusted_rand_score(made.classes, labels)
        out[method] = score
    found = ic.Directions().fit(made.data)
    out["q"] = found.n_directions_
    out["k"] = ic.choose_k(made.data, range(1, 9), random_state=seed).k == K
    return name, out


def noise_row(n, d, seed):
    warnings.simplefilter("ignore")
    rng = np.random.default_rng([seed, n, d, 1])
    std = 0.7 * np.exp(0.8 * rng.normal(size=(n, 1)) + np.zeros((n, d)))
    data = ic.from_gaussian(
        rng.normal(size=(n, d)) + std * rng.normal(size=(n, d)), std=std
    )
    q = ic.Directions().fit(data).n_directions_
    chance = q if d <= 100 else 0 if _anyway(data) else q
    return n, d, chance > 0, ic.choose_k(data, range(1, 7), random_state=seed).k == 1


def _anyway(data):
    """Return whether directions were used although none is beyond chance."""
    from incerta import settings
    from incerta.directions.factors import found_in
    from incerta.directions.transformer import MOST_DIRECTIONS, table_of

    limit = min(MOST_DIRECTIONS, max(2, len(data) // settings.OBJECTS_PER_DIRECTION))
    return found_in(table_of(data), limit, 0).factors is None


def study(names, seeds, jobs):
    found = Parallel(jobs)(delayed(row)(n, s) for n in names for s in range(seeds))
    heads = ["best", *METHODS]
    print(
        f"{'mean ARI':20}" + "".join(f"{head:>14}" for head in heads) + "     q     k"
    )
    for name in names:
        mine = [out for key, out in found if key == name]
        means = [np.mean([one[head] for one in mine]) for head in heads]
        cells = "".join(f"{'–' if np.isnan(m) else f'{m:.2f}':>14}" for m in means)
        q, k = (np.mean([one[key] for one in mine]) for key in ("q", "k"))
        print(f"{name:20}{cells}{q:6.1f}{k:6.2f}")


def noise(seeds, jobs):
    sizes = [(60, 400), (300, 400), (200, 50), (60, 2000)]
    found = Parallel(jobs)(
        delayed(noise_row)(*s, i) for s in sizes for i in range(seeds)
    )
    print("\nnoise only: share of tables with directions, and called one cluster")
    for n, d in sizes:
        mine = np.array([one[2:] for one in found if one[:2] == (n, d)], dtype=float)
        print(f"{n:5} × {d:<6} {mine[:, 0].mean():8.2f} {mine[:, 1].mean():8.2f}")


SIZES = [(60, 20_000), (1000, 1000), (5000, 200), (20_000, 2000)]
CALLS = {
    "default, k told": lambda made: ic.cluster(made.data, K),
    "default, k chosen": lambda made: ic.cluster(made.data),
    "PCA, k-means": lambda made: kmeans(by_components(made, 0), 0),
    "PCA, GMM": lambda made: by_mixture(made, 0),
}


def cost(n, d, call):
    warnings.simplefilter("ignore")
    made = table(0, n=n, d=d, informative=max(10, d // 50))
    ic.cluster(ic.from_gaussian(made.values[:60, :9], std=made.std[:60, :9]), 2)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    start = time.process_time()
    found = CALLS[call](made)
    took = time.process_time() - start
    peak = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 2**20
    score = adjusted_rand_score(made.classes, getattr(found, "labels", found))
    print(
        f"{f'{n:,} × {d:,}':18} {call:18} {took:8.1f} {peak:8.2f} {score:8.2f}",
        flush=True,
    )


def costs():
    print(f"{'':18} {'':18} {'CPU s':>8} {'GiB':>8} {'ARI':>8}", flush=True)
    for n, d in SIZES:
        for call in CALLS:
            subprocess.run(
                [sys.executable, __file__, "--one", f"{n},{d},{call}"], check=True
            )


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--tables", help="some of them, separated by semicolons")
    parser.add_argument("--costs", action="store_true")
    parser.add_argument("--one", help=argparse.SUPPRESS)
    parser.add_argument("--small", action="store_true", help="a size for tests")
    options = parser.parse_args()
    if options.one:
        n, d, call = options.one.split(",", 2)
        cost(int(n), int(d), call)
    elif options.costs:
        costs()
    elif options.small:
        TABLES["small"] = {"n": 40, "d": 60, "informative": 10}
        study(["small"], 1, 1)
    else:
        names = options.tables.split(";") if options.tables else list(TABLES)
        study(names, options.seeds, options.jobs)
        noise(4 * options.seeds, options.jobs)


if __name__ == "__main__":
    main()
