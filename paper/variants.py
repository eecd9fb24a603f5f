"""RPC with one step replaced by another, on the same worlds.

Figure 2 and the claims of the paper are about steps: the choice and number of worlds,
the kernel width for their comparison, and the way they are combined. Compared variants
share the data, the seed and the 100 worlds.
"""

from typing import NamedTuple

import numpy as np
from sklearn.metrics import normalized_mutual_info_score

from incerta.estimators import RPC, ExpectedSpectral, UKMeans
from incerta.metrics import clustering_accuracy
from incerta.selection import Kept, random_worlds, representatives
from incerta.spectral import (
    gaussian_affinity,
    leading_eigenvectors,
    normalized_laplacian,
)
from incerta.spectral.embedding import cut
from incerta.typing import Array, Indices
from incerta.worlds.sequence import worlds_of
from paper.methods import N_REPRESENTATIVES, N_WORLDS
from paper.quiet import quietly
from paper.selected import divergences_of
from paper.sets import Problem, Setting, problem

N_STARTS = 10


class Variant(NamedTuple):
    """A variant of the algorithm; the defaults are those of the paper."""

    selection: str = "greedy"  # "central", "random"; see `RPC`
    bandwidth: str = "silverman"  # "scott"
    n_kept: int = N_REPRESENTATIVES
    # Combination of worlds: "consistency" (RPC), or the mean of their "affinities".
    # "expected" is the expected affinity, and "means" the mean of each object;
    # neither needs worlds.
    agreement: str = "consistency"
    width: str = "median"  # of the affinity, which the paper leaves open; "self-tuning"


PAPER = Variant()
WITH_WORLDS = ("consistency", "affinities")


class VariantTask(NamedTuple):
    """Variants to run on one draw of one set."""

    set: str
    mode: str
    noise: float
    seed: int
    variants: tuple[Variant, ...]


class VariantCell(NamedTuple):
    """The scores of a variant."""

    set: str
    mode: str
    noise: float
    seed: int
    selection: str
    bandwidth: str
    n_kept: int
    agreement: str
    width: str
    acc: float
    nmi: float
    # Mean divergence of all pairs of worlds; nan if none were computed. At log 2 =
    # 0.693 worlds have nothing in common, and any choice is as good.
    divergence: float
    divergence_sd: float

    @property
    def variant(self) -> Variant:
        """The variant."""
        return Variant(*self[4:9])


def compute_variants(task: VariantTask) -> list[VariantCell]:
    """Run variants on the same worlds.

    Parameters
    ----------
    task : VariantTask

    Returns
    -------
    list of VariantCell
        In the order of the variants.

    Examples
    --------
    >>> from paper.variants import PAPER, VariantTask, compute_variants
    >>> task = VariantTask("wine", "centered", 0.5, 0, (PAPER,))
    >>> [round(cell.acc, 2) for cell in compute_variants(task)]
    [0.96]
    """
    given = problem(Setting(task.set, task.seed, task.noise, task.mode))
    worlds = worlds_of(given.data, N_WORLDS, given.seed)
    divergences: dict[str, Array] = {}
    cells = []
    with quietly():
        for variant in task.variants:
            needed = variant.agreement in WITH_WORLDS and variant.selection != "random"
            if needed and variant.bandwidth not in divergences:
                divergences[variant.bandwidth] = divergences_of(
                    worlds, variant.bandwidth
                )
            table = divergences[variant.bandwidth] if needed else None
            labels = labels_of(given, variant, table)
            scores = (
                clustering_accuracy(given.target, labels),
                normalized_mutual_info_score(given.target, labels),
            )
            cell = (*task[:4], *variant, *scores, *_mean_and_sd(table))
            cells.append(VariantCell._make(cell))
    return cells


def labels_of(given: Problem, variant: Variant, divergences: Array | None) -> Indices:
    """Return the labels of a variant."""
    k, seed = given.n_clusters, given.seed
    if variant.agreement == "expected":
        expected = ExpectedSpectral(k, width_scale=0.5, n_worlds=1, random_state=seed)
        return _fitted(expected, given)
    if variant.agreement == "means":
        return _fitted(UKMeans(k, random_state=seed), given)
    if variant.agreement == "consistency":
        rpc = RPC(k, gamma=variant.width, random_state=seed)
        found: Indices = rpc.fit(_kept(given, variant, divergences)).labels_
        return found
    return _by_mean_affinity(given, variant, divergences)


def _mean_and_sd(divergences: Array | None) -> tuple[float, float]:
    if divergences is None:
        return float("nan"), float("nan")
    pairs = divergences[np.triu_indices(len(divergences), 1)]
    return float(pairs.mean()), float(pairs.std())


def _fitted(estimator: RPC | ExpectedSpectral | UKMeans, given: Problem) -> Indices:
    labels: Indices = estimator.fit(given.data).labels_
    return labels


def _kept(given: Problem, variant: Variant, divergences: Array | None) -> Kept:
    """Return the worlds that a variant keeps."""
    worlds = worlds_of(given.data, N_WORLDS, given.seed)
    if variant.selection == "random":
        return Kept(worlds, random_worlds(len(worlds), variant.n_kept, given.seed))
    assert divergences is not None  # computed for every rule but "random"
    chosen = representatives(divergences, variant.n_kept, variant.selection)
    return Kept(worlds, chosen, divergences)


def _by_mean_affinity(
    given: Problem, variant: Variant, divergences: Array | None
) -> Indices:
    """Spectral clustering of the mean affinity of the worlds that `RPC` would keep."""
    total = np.zeros((len(given.data), len(given.data)))
    for world in _kept(given, variant, divergences).worlds:
        total += np.asarray(gaussian_affinity(world, width=variant.width))
    laplacian = normalized_laplacian(total / variant.n_kept)
    rows = leading_eigenvectors(laplacian, given.n_clusters)[1]
    return cut(rows, given.n_clusters, N_STARTS, given.seed)[0]
