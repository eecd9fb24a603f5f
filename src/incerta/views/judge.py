"""Judge a clustering by how well true values predict its labels.

A law of the true values is fitted to each cluster on one half of the objects and then
predicts the other half. A gap between clusters leaves little doubt, and a cut through a
dense region leaves much doubt.
"""

from __future__ import annotations

from functools import partial
from typing import NamedTuple

import numpy as np
from scipy.special import entr

from incerta import settings
from incerta.backend.device import CPU, threads
from incerta.mixture.expectation import (
    log_densities,
    shares_of_clusters,
    sums_of_each,
)
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

# Numbers of Gaussians that the law of a cluster may have (BIC), and objects for each.
NUMBERS, OBJECTS_EACH = (1, 2, 4), 5
FEWEST = 2  # objects that a law is fitted to
N_FOLDS = 2
QUICK = Effort(n_init=1, tol=1e-3, max_iter=40)
SETTLING = 4  # rounds


def _check(laws: Laws) -> None:
    within(laws.clusters, len(laws.components.weights), "clusters")


@stored(_check, clusters="i k")
class Laws(NamedTuple):
    """The laws of the true values of clusters: mixtures of Gaussians."""

    components: Components  # of all clusters together
    clusters: Indices  # the cluster of each component

    def shares(self, some: Measured, k: int, device: str = CPU) -> Array:
        """Return the probability of each of k clusters for every object, (n, k)."""
        there = some.on(device)
        return shares_of_clusters(there, self.components, self.clusters, k)


class Judgment(NamedTuple):
    """The score of a clustering, and predicted memberships."""

    score: float  # share of label entropy that true values explain, from 0 to 1
    membership: Array  # (n, k), predicted by the laws of the other half


def laws_of(
    some: Measured,
    labels: Indices,
    k: int,
    seed: int,
    numbers: tuple[int, ...] = NUMBERS,
    kind: str | None = None,
) -> tuple[Laws, Laws]:
    """Fit the laws of k clusters: of one Gaussian each, and of as many as BIC chooses.

    Clusters may be empty, and `numbers` are those to try, the first of which is 1. By
    default covariances are full if objects suffice.
    """
    counts = np.bincount(labels, minlength=k)
    clusters = np.flatnonzero(counts)
    spread = some.true_spread().variances
    usual = settings.USUAL_WIDTH * np.where(spread > 0.0, spread, 1.0)
    found = [
        _law_of(some.only(np.flatnonzero(labels == c)), usual, seed, numbers, kind)
        for c in clusters
    ]
    shares = counts[clusters] / counts.sum()
    simple, chosen = zip(*found, strict=True)
    return _joined(simple, shares, clusters), _joined(chosen, shares, clusters)


def laws_together(
    some: Measured,
    labels: Indices,
    k: int,
    seed: int,
    numbers: tuple[int, ...] = NUMBERS,
) -> Laws:
    """Fit the laws of all clusters jointly, so that they overlap as they should.

    BIC chooses between the two laws of each cluster that `laws_of` returns.
    """
    found, n = [], some.n_objects
    for each in laws_of(some, labels, k, seed, numbers):
        laws, objective = _overlapping(some, each)
        kind = "diag" if laws.components.covariances.ndim == 2 else "full"
        size = n_parameters(laws.components, kind)
        found.append((size * np.log(n) - 2.0 * n * objective, laws))
    return min(found, key=lambda pair: pair[0])[1]


def _joined(found: tuple[Components, ...], shares: Array, clusters: Indices) -> Laws:
    """Join the laws of several clusters, with the same kind of covariances."""
    diagonal = all(law.covariances.ndim == 2 for law in found)
    found = tuple(law.as_kind("diag" if diagonal else "full") for law in found)
    components = Components(
        np.concatenate([s * law.weights for s, law in zip(shares, found, strict=True)]),
        np.concatenate([law.means for law in found]),
        np.concatenate([law.covariances for law in found]),
    )
    return Laws(components, np.repeat(clusters, [law.n_components for law in found]))


def _overlapping(some: Measured, laws: Laws) -> tuple[Laws, float]:
    """Let laws reach across the borders of their clusters; also return the objective.

    A law fitted to the objects of one cluster ends at its border. A few rounds of EM
    over the components of all laws let it reach across.
    """
    prior = prior_for(some, QUICK.prior_weight)
    with threads(1):
        trying, start = partial(sums_of_each, some), [laws.components]
        last = climbed(trying, start, prior, 0.0, SETTLING)[0][-1]
    return laws._replace(components=last.components), last.objective


def _fits(some: Measured, laws: Laws) -> float:
    """Return the log density of objects under laws; for new ones, larger is better."""
    return float(log_densities(some, laws.components).totals.sum())


def judged(some: Measured, labels: Indices, k: int, seed: int) -> Judgment:
    """Judge a clustering by cross-fitted predictions of its labels."""
    n, counts = len(labels), np.bincount(labels, minlength=k)
    order = np.random.default_rng(seed).permutation(n)
    order = order[np.argsort(labels[order], kind="stable")]
    fold = np.empty(n, dtype=np.intp)
    fold[order] = np.arange(n) % N_FOLDS  # halves every cluster
    shares, membership = np.empty((n, k)), np.empty((n, k))
    for number in range(min(N_FOLDS, n)):
        here, there = np.flatnonzero(fold == number), np.flatnonzero(fold != number)
        there = there if len(there) else here
        learned, asked = some.only(there), some.only(here)
        laws = laws_of(learned, labels[there], k, seed)
        shares[here] = laws[1].shares(asked, k)
        overlapping = [_overlapping(learned, each)[0] for each in laws]
        best = max(overlapping, key=partial(_fits, asked))
        membership[here] = best.shares(asked, k)
    return Judgment(share_told(shares, counts / n), membership)


def share_told(membership: Array, sizes: Array) -> float:
    """Return ``1 - mean(H(membership)) / H(sizes)``, with H the entropy; at least 0.

    A random labeling scores 0. Dividing by H(sizes) lets rare clusters count.
    """
    rare = settings.LEAST_TO_TELL
    most, least = entr(sizes).sum(), entr([rare, 1.0 - rare]).sum()
    explained = most - entr(membership).sum(axis=1).mean()
    return float(max(explained / max(most, least), 0.0))


def _law_of(
    own: Measured,
    usual: Array,
    seed: int,
    numbers: tuple[int, ...],
    kind: str | None,
) -> tuple[Components, Components]:
    """Fit the law of one cluster: as one Gaussian, and as several if BIC wants them."""
    n, d = own.n_objects, own.n_features
    if n < FEWEST:
        means = own.true_spread().means
        point = Components(np.ones(1), means[None], usual[None])
        return point, point
    numbers = tuple(m for m in numbers if m * OBJECTS_EACH <= n) or (1,)
    kind = kind or ("full" if n > settings.LAW_OBJECTS_PER_FEATURE * d else "diag")
    search = Search(numbers=numbers, covariances=(kind,), seed=seed, effort=QUICK)
    tried: list[FittedMixture] = []
    for found in candidates(own, search):
        tried.append(found)
        m = found.components.n_components
        # The price of each further Gaussian in BIC, in units of 2 log density.
        price = (n_parameters(found.components, kind) + 1) / m * np.log(n)
        too_dear = price > 2.0 * settings.MOST_TO_BRING * n
        if too_dear or found.bic - tried[0].bic > settings.HOPELESS * (m - 1) * price:
            break
    return tried[0].components, min(tried, key=lambda found: found.bic).components
