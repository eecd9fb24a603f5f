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
) -> Laws:
    """Fit the laws of k clusters; `numbers` are the numbers of Gaussians to try.

    Clusters may be empty. By default covariances are full if objects suffice.
    """
    counts = np.bincount(labels, minlength=k)
    clusters = np.flatnonzero(counts)
    spread = some.true_spread().variances
    usual = settings.USUAL_WIDTH * np.where(spread > 0.0, spread, 1.0)
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
    """Fit the laws of all clusters jointly, so that they overlap as they should.

    A law fitted to its own objects ends at the border of the cluster. A few rounds of
    EM over all components let it reach across. BIC then chooses the numbers again.
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
    """Judge a clustering by cross-fitted predictions of its labels."""
    n, counts = len(labels), np.bincount(labels, minlength=k)
    order = np.random.default_rng(seed).permutation(n)
    order = order[np.argsort(labels[order], kind="stable")]
    fold = np.empty(n, dtype=np.intp)
    fold[order] = np.arange(n) % N_FOLDS  # halves every cluster
    membership = np.empty((n, k))
    for number in range(min(N_FOLDS, n)):
        here, there = np.flatnonzero(fold == number), np.flatnonzero(fold != number)
        there = there if len(there) else here
        laws = laws_of(some.only(there), labels[there], k, seed)
        membership[here] = laws.shares(some.only(here), k)
    return Judgment(share_told(membership, counts / n), membership)


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
) -> Components:
    """Fit the law of one cluster."""
    n, d = own.n_objects, own.n_features
    if n < FEWEST:
        means = own.true_spread().means
        return Components(np.ones(1), means[None], usual[None])
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
    return min(tried, key=lambda found: found.bic).components
