"""Accuracy of `members` for groups of stars in a field, and for empty fields.

    python benchmarks/members.py --jobs 2  # half an hour; docs/measured/members.txt

*Groups*: 2000 stars with two positions on the sky, parallax and two proper motions. The
field has four broad parts, and 20, 50 or 200 stars belong to a group. Errors are 0.3 to
2 times the dispersion of the group, different for each star, and correlated. F1 of the
members is beside that of the Bayes rule, which uses all true distributions. HDBSCAN and
a mixture of two Gaussians have the best of several settings and clusters, chosen by the
truth. *Probabilities* of all these fields together: expected calibration error, also
for stars with a probability of at least 0.05, and contamination above thresholds.
*Standard errors*: how often the truth is within two of them. *Empty fields*: how often
a group is reported.
"""

import argparse
from itertools import product
from time import process_time

import numpy as np
from joblib import Parallel, delayed
from sklearn.cluster import HDBSCAN
from sklearn.metrics import f1_score
from sklearn.mixture import GaussianMixture
from sklearn.preprocessing import StandardScaler

import incerta as ic
from incerta.mixture.expectation import log_densities
from incerta.mixture.model import Components, Measured

N = 2000
SIZES, SEEDS, DEFAULTS = (20, 50, 200), 20, 1
NAMES = ("ra", "dec", "parallax", "pmra", "pmdec")
CENTER = (359.6, 28.0)  # on both sides of 0 degrees
# The field: shares, means and deviations of its parts.
SHARES = np.array([0.35, 0.35, 0.2, 0.1])
MEANS = np.array(
    [[0, 0, 2.0, -1, -3], [0, 0, 1.0, -2, -2], [0, 0, 0.8, 0, -4], [0, 0, 0.5, 1, -5.0]]
)
WIDTHS = np.array(
    [
        [1.2, 1.2, 0.6, 5, 5],
        [1.2, 1.2, 0.3, 3, 3],
        [1.2, 1.2, 0.4, 6, 6],
        [1.2, 1.2, 0.3, 12, 12],
    ]
)
GROUP = np.array([0.3, 0.3, 0.05, 0.3, 0.3])
LEAST_ERROR, MOST_ERROR = 0.3, 2.0
MIN_SIZES, MIN_SAMPLES = (5, 10, 20, 40, 80), (None, 3, 10)
THRESHOLDS = (0.3, 0.5, 0.7, 0.9)
EMPTY = ("gaia", "gaussian", "t4", "skewed", "parts", "uniform")
SHOWN = 0.05


def stars(n, n_members, seed):
    """Draw measured positions in the plane, error covariances, members and laws."""
    rng = np.random.default_rng(seed)
    part = rng.choice(len(SHARES), n, p=SHARES)
    truth = MEANS[part] + WIDTHS[part] * rng.normal(size=(n, 5))
    mean = np.array(
        [*rng.uniform(-1, 1, 2), rng.uniform(1.0, 2.2), *rng.normal(-1, 3, 2)]
    )
    member = np.arange(n) < n_members
    truth[member] = mean + GROUP * rng.normal(size=(n_members, 5))
    size = np.exp(rng.uniform(*np.log([LEAST_ERROR, MOST_ERROR]), size=(n, 1)))
    roots = rng.normal(size=(n, 5, 8))
    roots /= np.linalg.norm(roots, axis=2, keepdims=True)
    scale = size * GROUP
    covariances = roots @ roots.transpose(0, 2, 1) * scale[:, :, None] * scale[:, None]
    noise = np.linalg.cholesky(covariances) @ rng.normal(size=(n, 5, 1))
    share = n_members / n
    laws = Components(
        np.append(share, (1.0 - share) * SHARES),
        np.vstack([mean, MEANS]),
        np.stack([np.diag(w**2) for w in (GROUP, *WIDTHS)]),
    )
    return truth + noise[:, :, 0], covariances, member, laws


def on_sky(values, covariances):
    """Return the same on a sphere, with errors of the coordinates."""
    a, d = np.radians(CENTER)
    x, y = np.radians(values[:, :2]).T
    # Of the tangent plane.
    down = np.cos(d) - y * np.sin(d)
    ra = np.degrees(a + np.arctan2(x, down)) % 360.0
    dec = np.degrees(np.arctan2(np.sin(d) + y * np.cos(d), np.hypot(x, down)))
    by = np.ones_like(values)
    by[:, 0] = 1.0 / np.cos(np.radians(dec))
    places = np.column_stack([ra, dec, values[:, 2:]])
    errors = covariances * by[:, :, None] * by[:, None]
    return ic.from_gaussian(places, cov=errors, feature_names=NAMES)


def best_f1(member, labels):
    """Return the F1 of the best cluster."""
    return max(f1_score(member, labels == c) for c in set(labels.tolist()) | {0})


def one_group(n, n_members, seed, *, default):
    """Return all scores for one field with a group."""
    values, covariances, member, laws = stars(n, n_members, seed)
    seen = Measured(values.T, np.moveaxis(covariances, 0, -1))
    bayes = np.exp(log_densities(seen, laws).shares[0])
    began = process_time()
    found = ic.members(on_sky(values, covariances), sky=("ra", "dec"))
    seconds = process_time() - began
    probability = np.minimum(found.probability.sum(axis=1), 1.0)
    exact = StandardScaler().fit_transform(values)
    hdbscan = max(
        best_f1(member, HDBSCAN(size, min_samples=least, copy=True).fit_predict(exact))
        for size, least in product(MIN_SIZES, MIN_SAMPLES)
        if size <= n
    )
    two = GaussianMixture(2, n_init=5, random_state=0).fit_predict(exact)
    out = {
        "bayes": f1_score(member, bayes > 0.5),
        "members": f1_score(member, probability >= 0.5),
        "hdbscan": hdbscan,
        "two": best_f1(member, two),
        "default": np.nan,
        "n_groups": found.n_groups,
        "seconds": seconds,
    }
    if default:
        labels = ic.cluster(ic.from_gaussian(values, cov=covariances)).labels
        out["default"] = best_f1(member, labels)
    within = np.full(10, np.nan)
    if found.n_groups:
        group, mean = found.groups[0], laws.means[0]
        # Places on the sphere differ from those in the plane by little that matters.
        off = np.r_[group.mean[2:] - mean[2:], group.dispersion - GROUP]
        errors = np.r_[group.mean_error[2:], group.dispersion_error]
        within[: len(off)] = np.abs(off) < 2.0 * errors
    return out, probability, member, bayes, within


def empty(kind, n, seed):
    """Return the number of groups reported in a field without any."""
    rng = np.random.default_rng(seed)
    if kind == "gaia":
        values, covariances, *_ = stars(n, 0, seed)
        return ic.members(on_sky(values, covariances), sky=("ra", "dec")).n_groups
    values = rng.normal(size=(n, 5))
    if kind == "t4":
        values /= np.sqrt(rng.chisquare(4, size=(n, 1)) / 4.0)
    elif kind == "skewed":
        values = rng.gamma(2.0, size=(n, 5))
    elif kind == "uniform":
        values = rng.uniform(size=(n, 5))
    elif kind == "parts":
        means, widths = 2.0 * rng.normal(size=(4, 5)), rng.uniform(0.7, 2.0, (4, 5))
        part = rng.integers(4, size=n)
        values = means[part] + widths[part] * values
    std = 0.1 * values.std(axis=0) * rng.lognormal(0.0, 0.6, size=(n, 1))
    seen = values + std * rng.normal(size=values.shape)
    return ic.members(ic.from_gaussian(seen, std=std)).n_groups


def calibration_error(probability, truth):
    """Return the expected calibration error in ten bins of equal width."""
    bins = np.minimum((10.0 * probability).astype(int), 9)
    gap = np.bincount(bins, probability - truth, minlength=10)
    return np.abs(gap).sum() / len(probability)


def told_of_groups(answers, sizes, seeds):
    print(f"F1 of members, {seeds} fields each; ± is the standard error:\n")
    heads = ("Bayes", "members", "HDBSCAN", "2 Gauss", "default", "groups", "s")
    print(f"{'members':>8}", *(f"{head:>8}" for head in heads))
    names = ("bayes", "members", "hdbscan", "two", "default", "n_groups", "seconds")
    for size in sizes:
        own = [out for m, (out, *_) in answers if m == size]
        table = np.array([[each[name] for name in names] for each in own], float)
        print(f"{size:>8}", *(f"{v:8.2f}" for v in np.nanmean(table, axis=0)))
        short = table[:, 0] - table[:, 1]
        if len(short) > 1:
            error = short.std(ddof=1) / np.sqrt(len(short))
            print(f"{'':>8} below Bayes by {short.mean():.3f} ± {error:.3f}")


def told_of_probabilities(answers):
    of_each = zip(*(a[1:4] for _, a in answers), strict=True)
    own = [np.concatenate(some) for some in of_each]
    probability, member, bayes = own
    print("\nProbabilities, of all these fields together:\n")
    print(f"{'':>24} {'members':>8} {'Bayes':>8}")
    for text, least in (("ECE, all stars", 0.0), (f"ECE, from {SHOWN} on", SHOWN)):
        errors = [
            calibration_error(p[p >= least], member[p >= least])
            for p in (probability, bayes)
        ]
        print(f"{text:>24}", *(f"{e:8.3f}" for e in errors))
    print(f"\n{'threshold':>24} {'stars':>8} {'promised':>8} {'is':>8} {'complete':>8}")
    for t in THRESHOLDS:
        some = probability >= t
        promised, true = 1.0 - probability[some].mean(), 1.0 - member[some].mean()
        complete = member[some].sum() / member.sum()
        print(f"{t:>24} {some.sum():>8} {promised:8.3f} {true:8.3f} {complete:8.3f}")
    within = np.array([a[4] for _, a in answers])
    print("\nTruth within two standard errors, in %:\n")
    for text, columns in (("mean", slice(0, 3)), ("dispersion", slice(3, 8))):
        print(f"{text:>24} {100 * np.nanmean(within[:, columns]):8.0f}")


def told_of_empty(kinds, numbers, seeds):
    print(f"\nEmpty fields with a group, of {seeds} each:\n")
    for kind in kinds:
        some = sum(n > 0 for k, n in numbers if k == kind)
        print(f"{kind:>24} {some:>8}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--seeds", type=int, default=SEEDS)
    parser.add_argument("--small", action="store_true")
    small = (asked := parser.parse_args()).small
    n, seeds = (300, 1) if small else (N, asked.seeds)
    sizes, kinds = ((50,), ("gaussian",)) if small else (SIZES, EMPTY)
    run = Parallel(asked.jobs)
    work = list(product(sizes, range(seeds)))
    found = run(
        delayed(one_group)(n, m, seed, default=seed < DEFAULTS and not small)
        for m, seed in work
    )
    answers = list(zip((m for m, _ in work), found, strict=True))
    told_of_groups(answers, sizes, seeds)
    told_of_probabilities(answers)
    fields = list(product(kinds, range(seeds)))
    numbers = run(delayed(empty)(kind, n, seed) for kind, seed in fields)
    each = [kind for kind, _ in fields]
    told_of_empty(kinds, list(zip(each, numbers, strict=True)), seeds)


if __name__ == "__main__":
    main()
