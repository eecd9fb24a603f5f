"""The evidence for a shape that errors leave, compared with a single Gaussian.

    python benchmarks/hidden_shapes.py            # half a minute
    python benchmarks/hidden_shapes.py --twins    # a minute

Rings and moons of the study are displaced by errors. *In favor* is the log likelihood
ratio of the true distribution over the best single Gaussian, which is the evidence for
the shape whatever the method. Below about five there is hardly any, and a method
without knowledge of rings cannot tell that exact data would show some. *Best* is the
accuracy of the optimal rule for the ring or moon of an object.

With --twins, there are rings, and a round cloud that looks like them after errors of
equal size. *Agrees* is the share of objects to which the default gives the same cluster
as for exact values, *says* its mean confidence: no answer is right for both.
"""

import argparse
import sys
from pathlib import Path

import numpy as np
from scipy.special import logsumexp

sys.path.insert(0, str(Path(__file__).parent / "accuracy"))

from scores import in_names_of

import incerta as ic
from incerta.mixture.expectation import log_densities
from incerta.mixture.fitting import Search, fitted
from incerta.mixture.model import measured
from sets import EXACT, SIZES, Design, displaced, standard

SHAPES = ("rings", "moons")
N_DRAWS = 20  # samples of the true law


def law_of(name):
    """Return many exact values and their classes, as the distribution of a set."""
    drawn = [EXACT[name](np.random.default_rng([1, seed])) for seed in range(N_DRAWS)]
    values, classes = (np.concatenate(parts) for parts in zip(*drawn, strict=True))
    return standard(values), classes


def told(data, values, classes):
    """Return the log density of the data under a law, and their optimal classes."""
    means, deviations = data.mean(), np.sqrt(data.variance())
    totals, found = np.empty(len(data)), np.empty(len(data), int)
    for i, (mean, deviation) in enumerate(zip(means, deviations, strict=True)):
        squares = np.square((values - mean) / deviation).sum(axis=1)
        logs = -0.5 * squares - np.log(deviation * np.sqrt(2.0 * np.pi)).sum()
        each = [logsumexp(logs[classes == c]) for c in (0, 1)]
        totals[i], found[i] = logsumexp(each) - np.log(len(values)), np.argmax(each)
    return totals.sum(), found


def by_one_gaussian(data):
    how = Search(numbers=[1], covariances=["full"], seed=0)
    some = measured(data)
    return log_densities(some, fitted(some, how).components).totals.sum()


def cloud(rng):
    return rng.normal(size=(400, 2)), np.arange(400) % 2


def show_twins(sizes, seeds, n_worlds=32):
    print("shape  size  in favor  agrees   says")
    EXACT["cloud"] = cloud
    for size in sizes:
        for name in ("rings", "cloud"):
            values, classes = law_of(name)
            rows = []
            for seed in range(seeds):
                made = displaced(name, Design(size, 0.0), seed)
                gain = told(made.data, values, classes)[0] - by_one_gaussian(made.data)
                model = ic.AutoClusterer(2, n_worlds=n_worlds, random_state=seed)
                labels = model.fit(made.data).labels_
                says = model.confidence_.mean()
                exact = in_names_of(model.fit(made.exact).labels_, labels, 2)
                rows.append((gain, (exact == labels).mean(), says))
            gain, agrees, says = np.mean(rows, axis=0)
            print(f"{name}  {size:<4}  {gain:9.0f}  {agrees:6.2f}   {says:.2f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--small", action="store_true", help="a size for tests")
    parser.add_argument("--twins", action="store_true", help="rings and a cloud")
    options = parser.parse_args()
    if options.small:
        show_twins(SIZES[2:], 1, 2)
    if options.twins:
        show_twins(SIZES[1:], options.seeds)
        return
    sizes = SIZES[:1] if options.small else SIZES
    seeds = 1 if options.small else options.seeds
    print("shape  size  errors   in favor   best")
    for name in SHAPES[: 1 if options.small else None]:
        values, classes = law_of(name)
        for size in sizes:
            for uneven in (0.0, 0.8):
                rows = []
                for seed in range(seeds):
                    made = displaced(name, Design(size, uneven), seed)
                    density, found = told(made.data, values, classes)
                    gain = density - by_one_gaussian(made.data)
                    rows.append((gain, (found == made.classes).mean()))
                gain, best = np.mean(rows, axis=0)
                errors = "unequal" if uneven else "equal"
                print(f"{name}  {size:<4}  {errors:7}  {gain:9.0f}   {best:.2f}")


if __name__ == "__main__":
    main()
