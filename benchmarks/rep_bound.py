"""How often the bound of REP is violated.

    python benchmarks/rep_bound.py --sets 200 --true 1000

Sets of objects on a line with known errors are cut into three at the two widest gaps.
The distribution is known, so many true worlds are drawn for each set. The share of them
within tau of the representative is compared with phi, which should be larger in at most
5 of 100 sets.
"""

import argparse

import numpy as np

import incerta as ic
from incerta.divergence.clusterings import ari_matrix

SETTINGS = {
    "half held out (default)": {},
    "none held out": {"holdout": 0.0},
    "none held out, Wilson": {"holdout": 0.0, "bound": "wilson"},
    "none held out, Wald": {"holdout": 0.0, "bound": "wald"},
}


def cut_at_gaps(worlds):
    x = worlds[..., 0]
    order = np.argsort(x, axis=-1)
    gaps = np.diff(np.take_along_axis(x, order, axis=-1), axis=-1)
    steps = np.zeros(x.shape, dtype=int)
    np.put_along_axis(steps, np.argsort(-gaps, axis=-1)[..., :2] + 1, 1, axis=-1)
    labels = np.empty(x.shape, dtype=int)
    np.put_along_axis(labels, order, steps.cumsum(axis=-1), axis=-1)
    return labels


class Gaps:
    def fit(self, X):
        self.labels_ = cut_at_gaps(X)
        return self


def promised_too_much(seed, n_true, options):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(8, 25))
    mean = 2.0 * rng.normal(size=(n, 1)) + 4.0 * rng.integers(3, size=(n, 1))
    std = rng.uniform(0.1, 1.5)
    rep = ic.published.REP(Gaps(), random_state=seed, **options)
    rep.fit(ic.from_gaussian(mean, std=std))
    true = cut_at_gaps(mean + std * rng.normal(size=(n_true, n, 1)))
    # The distances of one row alone: partitions repeat, so few are different.
    kinds, counts = np.unique(true, axis=0, return_counts=True)
    apart = 1.0 - ari_matrix(np.vstack([rep.labels_, kinds]))[0, 1:]
    share = counts[apart <= rep.tau_[0] + 1e-9].sum() / n_true
    return share < rep.phi_[0] - 1e-9, rep.phi_[0], share


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sets", type=int, default=200)
    parser.add_argument("--true", type=int, default=1000)
    chosen = parser.parse_args()
    print(f"{'':24} too much   mean phi   mean share of true worlds")
    for name, options in SETTINGS.items():
        rows = [promised_too_much(s, chosen.true, options) for s in range(chosen.sets)]
        broken, phi, share = np.array(rows, dtype=float).mean(axis=0)
        print(f"{name:24} {broken:7.1%} {phi:10.3f} {share:10.3f}", flush=True)


if __name__ == "__main__":
    main()
