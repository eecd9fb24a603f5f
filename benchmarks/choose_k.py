"""How often `choose_k` finds the number of clusters.

    python benchmarks/choose_k.py --jobs 2

Sets without clusters and sets of four, by several recipes; means are scattered by the
errors they are given with. The bar is 95 of 100 right for each. The last three rows
show its limits: clusters too close, and shapes that no box resembles.
"""

import argparse
import time
from collections import Counter

import numpy as np
from joblib import Parallel, delayed

import incerta as ic
from incerta.number import choose_k

SQUARE = 10.0 * np.array([[0, 0], [1, 0], [0, 1], [1, 1]])


def measured(points, rng, error=0.5, varied=False):
    """Gaussian errors, with `varied` some a tenth of others."""
    sizes = np.full(points.shape, error)
    if varied:
        sizes *= rng.choice([0.2, 2.0], (len(points), 1))
    return ic.from_gaussian(points + sizes * rng.standard_normal(points.shape), sizes)


def in_intervals(points, rng, half=0.8):
    middle = points + rng.uniform(-half, half, points.shape)
    return ic.from_interval(middle - half, middle + half)


def in_joint_draws(points, rng, n_draws=30, error=0.5):
    """Half of the error is common to all objects of a draw."""
    common = rng.standard_normal((n_draws, 1, points.shape[1]))
    own = rng.standard_normal((n_draws, *points.shape))
    return ic.from_worlds(points + error * np.sqrt(0.5) * (common + own))


def blobs(rng, n, centres, spread=1.0, shares=None):
    which = rng.choice(len(centres), n, p=shares)
    spread = np.broadcast_to(spread, len(centres))[which, None]
    return centres[which] + spread * rng.standard_normal((n, centres.shape[1]))


def line(*places):
    return np.column_stack([places, np.zeros(len(places))]).astype(float)


def cloud(rng, n, d):
    return 2.0 * rng.standard_normal((n, d))


def box(rng, n, d):
    return rng.uniform(-3.5, 3.5, (n, d))


ROWS = {
    "Gaussian, n = 50, d = 1": (1, lambda r: measured(cloud(r, 50, 1), r)),
    "Gaussian, n = 100, d = 2": (1, lambda r: measured(cloud(r, 100, 2), r)),
    "Gaussian, n = 200, d = 5": (1, lambda r: measured(cloud(r, 200, 5), r)),
    "Gaussian, correlated": (
        1,
        lambda r: measured(cloud(r, 100, 2) @ np.array([[3.0, 2.0], [0.0, 1.0]]), r),
    ),
    "Gaussian, varied errors": (
        1,
        lambda r: measured(cloud(r, 100, 2), r, 1.0, varied=True),
    ),
    "Gaussian, intervals": (1, lambda r: in_intervals(cloud(r, 100, 2), r)),
    "Gaussian, joint draws": (1, lambda r: in_joint_draws(cloud(r, 100, 2), r)),
    "Gaussian, exact": (1, lambda r: ic.as_uncertain(cloud(r, 100, 2))),
    "uniform, d = 2": (1, lambda r: measured(box(r, 100, 2), r)),
    "uniform, d = 2, intervals": (1, lambda r: in_intervals(box(r, 100, 2), r)),
    "uniform, d = 5, n = 200": (1, lambda r: measured(box(r, 200, 5), r, 0.2)),
    "4 in a square": (4, lambda r: measured(blobs(r, 160, SQUARE), r)),
    "4, n = 300, d = 5": (
        4,
        lambda r: measured(blobs(r, 300, 8.0 * np.eye(4, 5)), r),
    ),
    "4, exact": (4, lambda r: ic.as_uncertain(blobs(r, 160, SQUARE))),
    "4, varied errors": (
        4,
        lambda r: measured(blobs(r, 160, SQUARE), r, 0.5, varied=True),
    ),
    "4, joint draws": (4, lambda r: in_joint_draws(blobs(r, 160, SQUARE), r)),
    "4, of unequal size": (
        4,
        lambda r: measured(blobs(r, 200, SQUARE, shares=[0.55, 0.15, 0.15, 0.15]), r),
    ),
    "4, of unequal spread": (
        4,
        lambda r: measured(blobs(r, 160, 2.0 * SQUARE, [1, 1, 1, 3]), r),
    ),
    "4, two pairs": (
        4,
        lambda r: measured(blobs(r, 160, line(0, 10, 50, 60)), r),
    ),
    "4, five deviations apart": (
        4,
        lambda r: measured(blobs(r, 160, 0.5 * SQUARE), r, 0.1),
    ),
    "4, four deviations apart": (
        4,
        lambda r: measured(blobs(r, 160, 0.4 * SQUARE), r, 0.1),
    ),
    "exponential": (1, lambda r: measured(r.exponential(2.0, (100, 2)), r)),
    "Student's t, 3 degrees": (1, lambda r: measured(r.standard_t(3, (100, 2)), r)),
}


def answer(name, seed, settings):
    rng = np.random.default_rng([seed, *name.encode()])
    start = time.process_time()
    k = choose_k(ROWS[name][1](rng), **settings, random_state=seed).k
    return k, time.process_time() - start


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--small", action="store_true", help="a size for tests")
    parser.add_argument("--simulations", type=int, default=100)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--rows", nargs="*", help="only rows that begin like these")
    options = parser.parse_args()
    settings = {"ks": range(1, 9), "n_worlds": 10}
    if options.small:
        options.simulations, options.rows = 1, ["Gaussian, n = 50", "4, exact"]
        settings = {"ks": range(1, 6), "n_worlds": 4, "n_null": 19}
    names = [
        name
        for name in ROWS
        if not options.rows or name.startswith(tuple(options.rows))
    ]
    print(f"{'':26} right  CPU s  answers: how often")
    for name in names:
        runs = Parallel(n_jobs=options.jobs)(
            delayed(answer)(name, seed, settings) for seed in range(options.simulations)
        )
        found = Counter(k for k, _ in runs)
        share = found[ROWS[name][0]] / options.simulations
        seconds = np.mean([second for _, second in runs])
        counts = ", ".join(f"{k}: {found[k]}" for k in sorted(found))
        print(f"{name:26} {share:5.0%} {seconds:6.2f}  {counts}", flush=True)


if __name__ == "__main__":
    main()
