"""How often `choose_k` finds the number of clusters, beside BIC without errors.

    python benchmarks/choose_k.py --jobs 2    # some 20 minutes

300 objects with unequal errors. Round clusters are so many deviations apart, errors
included (half of the variance), that every one has its nearest neighbour at that
distance; there are two to six of them, as often. The rest has no clusters, but for a
clump of 500 in a field of 1500. "BIC" is scikit-learn's GaussianMixture on the values.
"""

import argparse
import time
import warnings
from collections import Counter

import numpy as np
from joblib import Parallel, delayed
from sklearn.mixture import GaussianMixture

import incerta as ic

MOST = 8


def errors(rng, n, d, size):
    """Standard deviations with a root mean square of `size`."""
    std = np.exp(0.8 * rng.standard_normal((n, 1)) + 0.27 * rng.standard_normal((n, d)))
    return size * std / np.sqrt(np.square(std).mean())


def centres(rng, k, d, apart):
    """Places of which each is `apart` from its nearest one."""
    found = [np.zeros(d)]
    while len(found) < k:
        direction = rng.standard_normal(d)
        direction *= apart / np.linalg.norm(direction)
        place = found[rng.integers(len(found))] + direction
        if min(np.linalg.norm(place - other) for other in found) > 0.999 * apart:
            found.append(place)
    return np.array(found)


def blobs(rng, number, d, apart):
    k = 2 + number % 5
    truth = centres(rng, k, d, apart)[rng.integers(k, size=300)]
    truth = truth + np.sqrt(0.5) * rng.standard_normal((300, d))
    return k, truth, errors(rng, 300, d, np.sqrt(0.5))


def nothing(rng, number, d, kind):
    truth = {
        "Gaussian": lambda: rng.standard_normal((300, d)),
        "uniform": lambda: rng.uniform(-1.7, 1.7, (300, d)),
        "exponential": lambda: rng.exponential(size=(300, d)),
        "log-normal": lambda: np.exp(0.6 * rng.standard_normal((300, d))),
        "Student's t": lambda: rng.standard_t(3, size=(300, d)) / np.sqrt(3.0),
        "correlated": lambda: rng.standard_normal((300, d)) @ rng.normal(size=(d, d)),
    }[kind]()
    return 1, truth, errors(rng, 300, d, 0.5)


def clump(rng, number):
    is_clump = np.arange(2000)[:, None] < 500
    dense = rng.normal([0.5, 0.5, 0.0], 0.15, size=(2000, 3))
    truth = np.where(is_clump, dense, 1.2 * rng.standard_normal((2000, 3)))
    return 2, truth, errors(rng, 2000, 3, 0.15)


ROWS = {
    **{
        f"{apart} apart, {d} features": (blobs, d, apart)
        for apart in (3, 4, 5)
        for d in (2, 6)
    },
    **{
        f"{kind}, {d} features": (nothing, d, kind)
        for kind in (
            "Gaussian",
            "correlated",
            "uniform",
            "exponential",
            "log-normal",
            "Student's t",
        )
        for d in (2, 6)
    },
    "clump in a field": (clump,),
}


def by_bic(values):
    """Number of Gaussians with the lowest BIC, errors ignored."""
    bic = [
        GaussianMixture(k, n_init=3, random_state=0).fit(values).bic(values)
        for k in range(1, MOST + 1)
    ]
    return 1 + int(np.argmin(bic))


def answer(name, number):
    warnings.simplefilter("ignore")
    make, *settings = ROWS[name]
    rng = np.random.default_rng([number, *name.encode()])
    k, truth, std = make(rng, number, *settings)
    values = truth + std * rng.standard_normal(truth.shape)
    start = time.process_time()
    data = ic.from_gaussian(values, std=std)
    found = ic.choose_k(data, range(1, MOST + 1), random_state=0).k
    took = time.process_time() - start
    return found == k, by_bic(values) == k, took, found - k


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sets", type=int, default=100, help="per row")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--small", action="store_true", help="a size for tests")
    options = parser.parse_args()
    n_sets = 1 if options.small else options.sets
    rows = list(ROWS)[: 1 if options.small else None]
    print(f"{'':<26}{'right':>7}{'BIC':>7}{'CPU s':>7}  off by: how often")
    for name in rows:
        some = n_sets if name != "clump in a field" else max(n_sets // 5, 1)
        found = Parallel(options.jobs)(delayed(answer)(name, i) for i in range(some))
        right, bic, took, off = zip(*found, strict=True)
        told = ", ".join(f"{by:+d}: {n}" for by, n in sorted(Counter(off).items()))
        print(
            f"{name:<26}{np.mean(right):>7.0%}{np.mean(bic):>7.0%}{np.mean(took):>7.2f}"
            f"  {told}",
            flush=True,
        )


if __name__ == "__main__":
    main()
