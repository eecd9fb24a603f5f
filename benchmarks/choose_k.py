"""Accuracy of `choose_k` for the number of clusters, beside BIC without errors.

    python benchmarks/choose_k.py --jobs 2  # an hour; docs/measured/choose_k.txt

The data are 300 objects with unequal errors. There are two to six round clusters,
equally often. The distance to the nearest other cluster is given in standard
deviations, errors included (half of the variance). Then come data without clusters, a
clump of 500 in a field of 1500, shapes of the study, nine clusters in 6 of 30
dimensions, and halves of the exact digits, where 8 to 13 clusters count as correct.
"BIC" is GaussianMixture of scikit-learn on the values. "Says" is the mean plausibility
of the chosen number. The last table compares plausibilities with the truth.
"""

import argparse
import sys
import time
import warnings
from collections import Counter
from itertools import pairwise
from pathlib import Path

import numpy as np
from joblib import Parallel, delayed
from sklearn.datasets import load_digits
from sklearn.mixture import GaussianMixture

import incerta as ic
from incerta.api.comparison import filled_means

sys.path.insert(0, str(Path(__file__).parent / "accuracy"))

import shapes

MOST, DIGITS = 14, "digits"
BINS = (0.0, 0.4, 0.6, 0.8, 0.9, 0.97, 1.0)


def errors(rng, n, d, size):
    """Draw standard deviations with a root mean square of `size`."""
    std = np.exp(0.8 * rng.standard_normal((n, 1)) + 0.27 * rng.standard_normal((n, d)))
    return size * std / np.sqrt(np.square(std).mean())


def centers(rng, k, d, apart):
    """Draw centers at the distance `apart` from their nearest ones."""
    found = [np.zeros(d)]
    while len(found) < k:
        direction = rng.standard_normal(d)
        direction *= apart / np.linalg.norm(direction)
        place = found[rng.integers(len(found))] + direction
        if min(np.linalg.norm(place - other) for other in found) > 0.999 * apart:
            found.append(place)
    return np.array(found)


def measured(truth, std, rng):
    return ic.from_gaussian(truth + std * rng.standard_normal(truth.shape), std=std)


def blobs(rng, number, d, apart):
    k = 2 + number % 5
    truth = centers(rng, k, d, apart)[rng.integers(k, size=300)]
    truth = truth + np.sqrt(0.5) * rng.standard_normal((300, d))
    return k, measured(truth, errors(rng, 300, d, np.sqrt(0.5)), rng)


def nothing(rng, number, d, kind):
    truth = {
        "Gaussian": lambda: rng.standard_normal((300, d)),
        "uniform": lambda: rng.uniform(-1.7, 1.7, (300, d)),
        "exponential": lambda: rng.exponential(size=(300, d)),
        "log-normal": lambda: np.exp(0.6 * rng.standard_normal((300, d))),
        "Student's t": lambda: rng.standard_t(3, size=(300, d)) / np.sqrt(3.0),
        "correlated": lambda: rng.standard_normal((300, d)) @ rng.normal(size=(d, d)),
    }[kind]()
    return 1, measured(truth, errors(rng, 300, d, 0.5), rng)


def clump(rng, number):
    is_clump = np.arange(2000)[:, None] < 500
    dense = rng.normal([0.5, 0.5, 0.0], 0.15, size=(2000, 3))
    truth = np.where(is_clump, dense, 1.2 * rng.standard_normal((2000, 3)))
    return 2, measured(truth, errors(rng, 2000, 3, 0.15), rng)


def shape(rng, number, name):
    kinds = list(shapes.ERRORS)
    data, classes, _ = shapes.made(name, kinds[number % len(kinds)], number)
    return classes.max() + 1, data


def nine(rng, number):
    places = shapes.apart(rng, 9, 6, 5.0, 3.0)[rng.integers(9, size=450)]
    truth = places + rng.standard_normal((450, 6))
    truth = truth @ np.linalg.qr(rng.standard_normal((30, 6)))[0].T
    truth = truth + 0.5 * rng.standard_normal((450, 30))
    return 9, ic.Standardizer().fit_transform(
        measured(truth, errors(rng, 450, 30, 0.35), rng)
    )


def digits(rng, number):
    values = load_digits().data
    some = rng.choice(len(values), len(values) // 2, replace=False)
    return 10, ic.Standardizer().fit_transform(ic.as_uncertain(values[some]))


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
    "skewed (skew)": (shape, "skew"),
    "heavy tails (t3)": (shape, "t3"),
    "of rank 2 (lowrank)": (shape, "lowrank"),
    "5% in a clump (rare)": (shape, "rare"),
    "nine, 30 features": (nine,),
    DIGITS: (digits,),
}


def by_bic(values):
    """Return the number of Gaussians with the lowest BIC, without errors."""
    best, at = np.inf, 0
    for k in range(1, MOST + 1):
        bic = GaussianMixture(k, n_init=3, random_state=0).fit(values).bic(values)
        if bic < best:
            best, at = bic, k
        elif k > at + 1:
            break
    return at


def is_right(name, found, k):
    return 8 <= found <= 13 if name == DIGITS else found == k


def answer(name, number):
    warnings.simplefilter("ignore")
    make, *settings = ROWS[name]
    rng = np.random.default_rng([number, *name.encode()])
    k, data = make(rng, number, *settings)
    start = time.process_time()
    choice = ic.choose_k(data, range(1, MOST + 1), random_state=0)
    took = time.process_time() - start
    says = choice.weights[choice.ks.index(choice.k)]
    bic = is_right(name, by_bic(filled_means(data)), k)
    return is_right(name, choice.k, k), says, bic, took, choice.k - k


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sets", type=int, default=100, help="per row")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--small", action="store_true", help="a size for tests")
    options = parser.parse_args()
    n_sets = 1 if options.small else options.sets
    rows = list(ROWS)[: 1 if options.small else None]
    print(f"{'':<26}{'right':>7}{'says':>7}{'BIC':>7}{'CPU s':>7}  off by: how often")
    whole = []
    for name in rows:
        make, *_ = ROWS[name]
        some = max(n_sets // (1 if make in (blobs, nothing) else 5), 1)
        found = Parallel(options.jobs)(delayed(answer)(name, i) for i in range(some))
        right, says, bic, took, off = zip(*found, strict=True)
        told = ", ".join(f"{by:+d}: {n}" for by, n in sorted(Counter(off).items()))
        print(
            f"{name:<26}{np.mean(right):>7.0%}{np.mean(says):>7.2f}"
            f"{np.mean(bic):>7.0%}{np.mean(took):>7.2f}  {told}",
            flush=True,
        )
        whole += zip(says, right, strict=True)
    says, right = np.array(whole).T
    print(f"\n{'plausibility':<26}{'right':>7}{'says':>7}{'sets':>7}")
    for low, high in pairwise(BINS):
        inside = (says > low) & (says <= high)
        if inside.any():
            print(
                f"{f'{low:.2f} to {high:.2f}':<26}{right[inside].mean():>7.0%}"
                f"{says[inside].mean():>7.2f}{inside.sum():>7}"
            )


if __name__ == "__main__":
    main()
