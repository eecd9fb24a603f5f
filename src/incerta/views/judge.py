"""How much of a clustering the true values tell.

Laws of the true values of clusters, fitted to one half of the objects, are asked about
the other: a gap between clusters leaves little open, a cut through a dense place much.
"""

from __future__ import annotations

from functools import partial
from typing import NamedTuple

import numpy as np
from scipy.special import entr

from incerta.backend.device import CPU, threads
from incerta.mixture.expectation import shares_of_clusters, sums_of_each
from incerta.mixture.fitting import (
    Effort,
    FittedMixture,
    Search,
    candidates,
    n_parameters,
)
from incerta.mixture.maximization import climbed, prior_for
from incerta.mixture.model import Components, Measured
from incerta.models.checks import within
from incerta.models.registry import stored
from incerta.typing import Array, Indices

# Laws have one of these numbers of Gaussians (BIC), if there are so many objects for
# each; and covariances, which make much look clear, with so many for each feature.
NUMBERS, OBJECTS_EACH, OBJECTS_PER_FEATURE = (1, 2, 4), 5, 10
# The law of fewer objects is as wide as a cluster usually is, a tenth of all variance.
FEWEST, USUAL_WIDTH = 2, 0.1
# More Gaussians are not tried once several bring less than half of their price by BIC:
# a ring takes four, and two of them bring something.
HOPELESS = 0.5
N_FOLDS = 2
QUICK = Effort(n_init=1, tol=1e-3, max_iter=40)
SETTLING = 4  # rounds
# What is told is compared with all there is to tell; that is at least as much as of a
# cluster of 5 % of the objects beside the others. A handful of outliers is always told.
WORTH = float(entr([0.05, 0.95]).sum())


def _check(laws: Laws) -> None:
    within(laws.clusters, len(laws.components.weights), "clusters")


@stored(_check, clusters="i k")
class Laws(NamedTuple):
    """Laws of the true values of clusters: mixtures of Gaussians."""

    components: Components  # of all clusters together
    clusters: Indices  # the cluster of each component

    def shares(self, some: Measured, k: int, device: str = CPU) -> Array:
        """Probability of each of k clusters for each of n objects, (n, k)."""
        there = some.on(device)
        return shares_of_clusters(there, self.components, self.clusters, k)


class Judgment(NamedTuple):
    """What was found out about a clustering."""

    score: float  # share of the entropy of the labels that true values tell, 0 to 1
    membership: Array  # (n, k), of each object by the laws of the other half


def laws_of(
    some: Measured,
    labels: Indices,
    k: int,
    seed: int,
    numbers: tuple[int, ...] = NUMBERS,
    kind: str | None = None,
) -> Laws:
    """Fit the laws of k clusters, some maybe empty, by such numbers of Gaussians.

    Without a `kind`, covariances are full where there are enough objects.
    """
    counts = np.bincount(labels, minlength=k)
    clusters = np.flatnonzero(counts)
    spread = some.true_spread().variances
    usual = USUAL_WIDTH * np.where(spread > 0.0, spread, 1.0)
    found = [
        _law_of(some.only(np.flatnonzero(labels == c)), usual, seed, numbers, kind)
        for c in clusters
    ]
    diagonal = all(law.covariances.ndim == 2 for law in found)
    found = [law.as_kind("diag" if diagonal else "full") for law in found]
    shares = counts[clusters] / counts.sum()
    components = Components(
        np.concatenate([s * law.weights for s, law in zip(shares, found, strict=True)]),
        np.concatenate([law.means for law in found]),
        np.concatenate([law.covariances for law in found]),
    )
    return Laws(components, np.repeat(clusters, [law.n_components for law in found]))


def laws_together(
    some: Measured,
    labels: Indices,
    k: int,
    seed: int,
    numbers: tuple[int, ...] = NUMBERS,
) -> Laws:
    """Laws of clusters that know where the other clusters are.

    A law fitted to one side of a border ends there; some rounds of EM of all components
    let it reach to where it meets the others. Numbers are chosen again then (BIC).
    """
    prior, found = prior_for(some, QUICK.prior_weight), []
    for each in ((1,), numbers):
        laws = laws_of(some, labels, k, seed, each)
        with threads(1):
            trying, start = partial(sums_of_each, some), [laws.components]
            last = climbed(trying, start, prior, 0.0, SETTLING)[0][-1]
        kind = "diag" if last.components.covariances.ndim == 2 else "full"
        n, size = some.n_objects, n_parameters(last.components, kind)
        bic = size * np.log(n) - 2.0 * n * last.objective
        found.append((bic, laws._replace(components=last.components)))
    return min(found, key=lambda pair: pair[0])[1]


def judged(some: Measured, labels: Indices, k: int, seed: int) -> Judgment:
    """Judge a clustering by `share_told`."""
    n, counts = len(labels), np.bincount(labels, minlength=k)
    order = np.random.default_rng(seed).permutation(n)
    order = order[np.argsort(labels[order], kind="stable")]
    fold = np.empty(n, dtype=np.intp)
    fold[order] = np.arange(n) % N_FOLDS  # each cluster is halved
    membership = np.empty((n, k))
    for number in range(min(N_FOLDS, n)):
        here, there = np.flatnonzero(fold == number), np.flatnonzero(fold != number)
        there = there if len(there) else here
        laws = laws_of(some.only(there), labels[there], k, seed)
        membership[here] = laws.shares(some.only(here), k)
    return Judgment(share_told(membership, counts / n), membership)


def share_told(membership: Array, sizes: Array) -> float:
    """``1 - mean(H(membership)) / H(sizes)``, with H the entropy; at least 0.

    A random labeling scores 0; dividing makes rare clusters worth finding.
    """
    most = entr(sizes).sum()
    told = most - entr(membership).sum(axis=1).mean()
    return float(max(told / max(most, WORTH), 0.0))


def _law_of(
    own: Measured,
    usual: Array,
    seed: int,
    numbers: tuple[int, ...],
    kind: str | None,
) -> Components:
    """The law of one cluster."""
    n, d = own.n_objects, own.n_features
    if n < FEWEST:
        means = own.true_spread().means
        return Components(np.ones(1), means[None], usual[None])
    numbers = tuple(m for m in numbers if m * OBJECTS_EACH <= n) or (1,)
    kind = kind or ("full" if n > OBJECTS_PER_FEATURE * d else "diag")
    search = Search(numbers=numbers, covariances=(kind,), seed=seed, effort=QUICK)
    tried: list[FittedMixture] = []
    for found in candidates(own, search):
        tried.append(found)
        sizes = [n_parameters(each.components, kind) for each in (tried[0], found)]
        price = (sizes[1] - sizes[0]) * np.log(n)
        if found.bic - tried[0].bic > HOPELESS * price:
            break
    return min(tried, key=lambda found: found.bic).components
