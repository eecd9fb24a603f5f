"""Hypothesis strategies: uncertain data of every kind, small and odd."""

import numpy as np
from hypothesis import settings
from hypothesis import strategies as st
from scipy import stats

import incerta as ic
from incerta.data.laws import Mixtures, SplitNormal
from tests import N_EXAMPLES


def examples(n, **others):
    """Settings of a test whose examples are dear, or cheap: `n` instead of 30."""
    share = settings.default.max_examples / N_EXAMPLES
    return settings(max_examples=round(n * share), **others)


KINDS = (
    "exact",
    "samples",
    "weighted",
    "array",
    "gaussian",
    "correlated",
    "interval",
    "split",
    "distributions",
    "multivariate",
    "worlds",
    "mixed",
    "mixtures",
    "plain mixtures",
)


def make(kind, n=4, d=2, seed=0):
    """Data of a given kind with `n` objects and `d` features."""
    rng = np.random.default_rng(seed)
    mean = rng.normal(scale=3.0, size=(n, d))
    std = rng.uniform(0.1, 2.0, size=(n, d))
    if kind == "exact":
        return ic.as_uncertain(mean)
    if kind in ("samples", "weighted"):
        counts = rng.integers(1, 6, size=n)
        objects = rng.permutation(np.repeat(np.arange(n), counts))
        values = rng.normal(size=(len(objects), d)) + mean[objects]
        weights = rng.uniform(0.1, 1.0, len(objects)) if kind == "weighted" else None
        return ic.from_samples(values, objects, weights)
    if kind == "array":
        return ic.from_array(mean[:, None] + rng.normal(size=(n, 5, d)))
    if kind == "gaussian":
        return ic.from_gaussian(mean, std=std)
    if kind == "correlated":
        root = rng.normal(size=(n, d, d))
        return ic.from_gaussian(mean, cov=root @ np.swapaxes(root, 1, 2))
    if kind == "interval":
        return ic.from_interval(mean, mean + std)
    if kind == "distributions":
        cells = (stats.norm, stats.gumbel_r, stats.uniform, stats.laplace)
        rows = [
            [cells[(i + j) % 4](mean[i, j], std[i, j]) for j in range(d)]
            for i in range(n)
        ]
        rows[0][0] = stats.Normal(mu=mean[0, 0], sigma=std[0, 0])
        rows[-1][-1] = stats.gaussian_kde(rng.normal(size=7) + mean[-1, -1])
        return ic.from_distributions(rows)
    if kind == "multivariate":
        rows = [stats.multivariate_normal(m, np.diag(s)) for m, s in zip(mean, std)]
        rows[0] = stats.gaussian_kde(rng.normal(size=(d, d + 6)))
        rows[-1] = stats.multivariate_t(mean[-1], np.diag(std[-1]), df=9)
        return ic.from_distributions(rows)
    if kind == "worlds":
        return ic.from_worlds(mean + std * rng.normal(size=(6, n, d)))
    ids = np.arange(n)
    names = tuple(f"x{j}" for j in range(d))
    if kind == "split":
        above = rng.uniform(0.1, 2.0, size=(n, d))
        return ic.UncertainData(SplitNormal(mean, std, above), ids, names)
    if kind.endswith("mixtures"):
        centers = mean[:, None] + rng.normal(size=(n, 3, d))
        plain = kind == "plain mixtures"  # features are independent
        factors = 0.3 * rng.normal(size=(n, 3, d, d))
        factors = np.abs(factors[..., 0]) if plain else factors
        law = Mixtures(rng.dirichlet(np.ones(3), size=n), centers, factors)
        return ic.UncertainData(law, ids, names)
    return ic.concat(
        [
            ic.from_gaussian(
                mean[: n // 2], std=std[: n // 2], ids=ids[: n // 2], meaning="belief"
            ),
            ic.from_interval(
                mean[n // 2 :], mean[n // 2 :] + std[n // 2 :], ids=ids[n // 2 :]
            ),
        ]
    )


@st.composite
def uncertain_data(draw, kinds=KINDS):
    kind = draw(st.sampled_from(kinds))
    n, d = draw(st.integers(2, 7)), draw(st.integers(1, 4))
    return make(kind, n, d, draw(st.integers(0, 2**32 - 1)))
