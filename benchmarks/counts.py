"""Values with errors that represent counts, and the accuracy of the default for them.

In simulated data, the rates of three clusters have Gamma distributions of a common
shape around different centers, and counts are Poisson. The Bayes rule, which uses these
distributions (negative binomial likelihoods), is the optimum. Then come the mixtures of
RNA, if INCERTA_DATA names their folder. In thinned counts, each count is kept with
probability one half.

    python benchmarks/counts.py > docs/measured/counts.txt
"""

import argparse
import os
import warnings

import numpy as np
from scipy.optimize import linear_sum_assignment
from scipy.special import digamma, logsumexp, polygamma
from scipy.stats import nbinom
from sklearn.metrics import normalized_mutual_info_score

import incerta as ic

K, D = 3, 6
SETS = {
    "mean 20": {"mean": 20.0},
    "mean 5": {"mean": 5.0},
    "mean 2": {"mean": 2.0},
    "mean 0.7": {"mean": 0.7},
    "mean 2, no own spread": {"mean": 2.0, "shape": 1e6},
    "mean 20, own spread 0.6": {"mean": 20.0, "shape": 3.0, "apart": 1.2},
    "mean 5, exposures 1 to 100": {"mean": 5.0, "range": 100.0},
}


def drawn(seed, n, mean, shape=10.0, apart=0.8, range=10.0):
    """Draw counts, exposures, clusters, and the centers and shape of rates."""
    rng = np.random.default_rng(seed)
    clusters = rng.integers(K, size=n)
    usual = mean * np.exp(0.5 * rng.normal(size=D))
    centers = usual * np.exp(apart * rng.normal(size=(K, D)))
    exposure = range ** rng.uniform(-0.5, 0.5, size=n)
    rates = centers[clusters] * rng.gamma(shape, 1 / shape, size=(n, D))
    counts = rng.poisson(exposure[:, None] * rates)
    return counts, exposure, clusters, centers, shape


def bayes(counts, exposure, centers, shape):
    """Return the probability of each cluster by the true distributions."""
    expected = exposure[:, None, None] * centers
    likely = nbinom.logpmf(counts[:, None], shape, shape / (shape + expected))
    likely = likely.sum(axis=2)
    return np.exp(likely - logsumexp(likely, axis=1, keepdims=True))


def as_rates(counts, exposure):
    return ic.from_counts(counts, exposure)


def as_overdispersed(counts, exposure):
    return ic.from_counts(counts, exposure, overdispersion=0.1)


def as_posteriors(counts, exposure):
    """Return posteriors as if they were measurements."""
    law = ic.from_counts(counts, exposure, meaning="belief")
    return ic.from_gaussian(law.mean(), std=np.sqrt(law.variance()))


def as_quotients(counts, exposure):
    """Return posteriors over their prior, both as Gaussians of the logarithm.

    The value is missing if the quotient has no finite variance, as for a zero.
    """
    law = ic.from_counts(counts, exposure, meaning="belief").law
    precision = 1.0 / law.scale**2
    usual = 1.0 / polygamma(1, law.shape)
    left = np.where(precision > 1.001 * usual, precision - usual, np.nan)
    values = precision * law.loc - usual * (digamma(law.shape) - np.log(law.rate))
    std = 1.0 / np.sqrt(left)
    return ic.from_gaussian(values / left, std=std, missing="infinite")


def as_logs(counts, exposure):
    """Return logarithms of counts plus one half."""
    more = counts + 0.5
    return ic.from_gaussian(np.log(more / exposure[:, None]), std=1.0 / np.sqrt(more))


def as_roots(counts, exposure):
    """Return square roots, whose errors hardly depend on the count."""
    looked = exposure[:, None]
    std = 0.5 / np.sqrt(looked) + np.zeros(counts.shape)
    return ic.from_gaussian(np.sqrt((counts + 0.375) / looked), std=std)


WAYS = {
    "counts": as_rates,
    "posterior": as_posteriors,
    "quotient": as_quotients,
    "log n+1/2": as_logs,
    "root": as_roots,
}


def mixture(data):
    fitted = ic.ErrorMixture(K, random_state=0).fit(data)
    return fitted.labels_, fitted.confidence_


def default(data, k=K):
    result = ic.cluster(data, k)
    return result.labels, result.confidence


def right(labels, clusters):
    """Return which labels are correct, with the best names of clusters."""
    k = max(labels.max(), clusters.max()) + 1
    table = np.zeros((k, k))
    np.add.at(table, (labels, clusters), 1)
    return linear_sum_assignment(-table)[1][labels] == clusters


def ece(confidence, correct, n_bins=10):
    """Return the expected calibration error."""
    bins = np.minimum((confidence * n_bins).astype(int), n_bins - 1)
    gaps = np.bincount(bins, confidence - correct, n_bins)
    return np.abs(gaps).sum() / len(correct)


def scores(labels, confidence, clusters):
    correct = right(labels, clusters)
    return correct.mean(), ece(confidence, correct), confidence.mean()


def print_ways(n, seeds):
    print("accuracy (and ECE) of ErrorMixture, by what stands for the counts")
    print(f"{'':<27}{'Bayes':>6}" + "".join(f"{name:>14}" for name in WAYS))
    for name, told in SETS.items():
        best, found = [], {way: [] for way in WAYS}
        for seed in range(seeds):
            counts, exposure, clusters, centers, shape = drawn(seed, n, **told)
            likely = bayes(counts, exposure, centers, shape)
            best.append((likely.argmax(axis=1) == clusters).mean())
            for way, made in WAYS.items():
                answer = mixture(made(counts, exposure))
                found[way].append(scores(*answer, clusters)[:2])
        cells = [np.mean(found[way], axis=0) for way in WAYS]
        shown = "".join(f"{f'{acc:.3f} ({gap:.3f})':>14}" for acc, gap in cells)
        print(f"{name:<27}{np.mean(best):6.3f}{shown}", flush=True)


def print_default(n, seeds):
    print("\nthe default, all counts and thinned by half")
    print(
        f"{'':<27}{'Bayes':>6}{'ACC':>7}{'ECE':>7}{'conf.':>7}"
        f"{'Bayes':>9}{'ACC':>7}{'ECE':>7}{'conf.':>7}"
    )
    for name, told in SETS.items():
        line = ""
        for kept in (1.0, 0.5):
            rows = []
            for seed in range(seeds):
                counts, exposure, clusters, centers, shape = drawn(seed, n, **told)
                rng = np.random.default_rng(seed)
                counts, exposure = rng.binomial(counts, kept), kept * exposure
                likely = bayes(counts, exposure, centers, shape)
                best = (likely.argmax(axis=1) == clusters).mean()
                answer = default(ic.from_counts(counts, exposure))
                rows.append((best, *scores(*answer, clusters)))
            cells = np.mean(rows, axis=0)
            line += f"{cells[0]:{6 if kept == 1.0 else 9}.3f}"
            line += "".join(f"{cell:7.3f}" for cell in cells[1:])
        print(f"{name:<27}{line}", flush=True)


def print_rna(seeds):
    from accuracy.real import table

    wells = table("rna_mixtures")
    counts = wells[[c for c in wells if c.startswith("n_")]].to_numpy(int)
    totals = wells["total_count"].to_numpy(float)
    # The first two mixtures are the same.
    mixtures = np.maximum(wells["mix"].to_numpy(), 2) - 2
    amount = wells["mRNA_pg"].to_numpy()
    amounts = np.unique(amount)
    print("\nrna_mixtures, the default, told 7 clusters; confidence by pg of RNA")
    heads = "".join(f"{each:>7g}" for each in amounts)
    print(f"{'':<27}{'ACC':>7}{'NMI':>7}{'ECE':>7}{'conf.':>7}{heads}")
    for name, made, kept in (
        ("counts", as_rates, 1.0),
        ("counts, overdispersion 0.1", as_overdispersed, 1.0),
        ("log n+1/2", as_logs, 1.0),
        ("counts, thinned by half", as_rates, 0.5),
        ("counts, a quarter kept", as_rates, 0.25),
    ):
        rows = []
        for seed in range(1 if kept == 1.0 else seeds):
            some = np.random.default_rng(seed).binomial(counts, kept)
            labels, confidence = default(made(some, kept * totals), 7)
            acc, gap, mean = scores(labels, confidence, mixtures)
            parts = [confidence[amount == each].mean() for each in amounts]
            rows.append(
                (acc, normalized_mutual_info_score(mixtures, labels), gap, mean, *parts)
            )
        cells = "".join(f"{cell:7.3f}" for cell in np.mean(rows, axis=0))
        print(f"{name:<27}{cells}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--small", action="store_true")
    parser.add_argument("--seeds", type=int, default=5)
    chosen = parser.parse_args()
    warnings.simplefilter("ignore")
    if chosen.small:
        for name in list(SETS)[1:]:
            del SETS[name]
    n, seeds = (60, 1) if chosen.small else (600, chosen.seeds)
    print_ways(n, seeds)
    print_default(n, seeds)
    if "INCERTA_DATA" in os.environ and not chosen.small:
        print_rna(seeds)


if __name__ == "__main__":
    main()
