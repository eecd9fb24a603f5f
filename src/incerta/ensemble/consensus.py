"""Consensus of the clusterings of many worlds, and matching of their clusters."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.optimize import linear_sum_assignment
from sklearn.cluster import KMeans

from incerta.backend.device import threads
from incerta.backend.memory import blocks
from incerta.divergence.clusterings import ari_matrix
from incerta.ensemble import linkage
from incerta.ensemble.linkage import Patterns, patterns
from incerta.models.registry import stored
from incerta.typing import Array, Indices

# Up to this many patterns, starting threads costs more than it saves.
FEW_FOR_THREADS = 20_000


def consensus(
    labels: Indices,
    method: str = "coassociation",
    *,
    n_clusters: int | None = None,
    noise: str = "separate",
    threshold: float = 0.5,
    seed: int = 0,
) -> Indices:
    """Combine the clusterings of many worlds; see `WorldConsensus` for the methods.

    Labels (n_worlds, n_objects) may be any numbers, with −1 for noise. With
    noise="separate" two objects that are noise in the same world are not together
    there. The threshold is a share of the worlds, for "graph", which ignores
    `n_clusters`, and for "coassociation" without `n_clusters`. Time and memory grow
    with n_worlds × n_objects.
    """
    share = (labels < 0).mean(axis=0)
    noisy = share > 0.5
    by_threshold = method == "graph" or (
        method == "coassociation" and n_clusters is None
    )
    if noise == "separate" and by_threshold:
        # Too few worlds without noise to be linked to another object.
        noisy |= 1.0 - share <= threshold + 1e-9
    out = np.full(labels.shape[1], -1, dtype=np.intp)
    if noisy.all():
        return out
    if method == "graph":
        found = patterns(labels, noise)
        out = linkage.components(found, threshold)[found.of_object]
        out[noisy] = -1
        return _renumbered(out)
    out[~noisy] = METHODS[method](
        labels[:, ~noisy] if noisy.any() else labels,
        n_clusters,
        noise,
        threshold,
        seed,
    )
    return _renumbered(out)


def agreed_number(labels: Indices) -> int:
    """Return the most frequent number of clusters, the smallest in case of ties."""
    numbers = [len(np.unique(row[row >= 0])) for row in labels]
    return int(np.bincount([number for number in numbers if number]).argmax())


def _by_coassociation(
    labels: Indices, n_clusters: int | None, noise: str, threshold: float, seed: int
) -> Indices:
    found = patterns(labels, noise)
    out = np.full(len(found.sizes), -1, dtype=np.intp)
    left = np.arange(len(out))
    while len(left):
        # The most frequent patterns: the cores of clusters, if there are any.
        sample = _part(found, left[: linkage.MOST_PAIRS])
        groups = linkage.linked_by_average(sample, n_clusters, threshold)
        if n_clusters is None:
            groups = _keep_supported(sample, groups, agreed_number(labels))
        nearest, share = _nearest_group(_part(found, left), sample, groups)
        kept = np.flatnonzero(groups >= 0)
        nearest[kept], share[kept] = groups[kept], 1.0
        reached = share > 0.0
        out[left[reached]] = nearest[reached] + (out.max() + 1)
        # Patterns never together with any of them form further clusters, if allowed.
        left = left[~reached] if n_clusters is None else left[:0]
    return out[found.of_object]


def _by_kmeans(
    labels: Indices, n_clusters: int | None, noise: str, threshold: float, seed: int
) -> Indices:
    found = patterns(labels, noise)
    k = agreed_number(labels) if n_clusters is None else n_clusters
    kmeans = KMeans(min(k, len(found.sizes)), n_init=10, random_state=seed % 2**32)
    with threads(1 if len(found.sizes) <= FEW_FOR_THREADS else None):
        kmeans.fit(found.one_hot(), sample_weight=found.sizes)
    return kmeans.labels_[found.of_object].astype(np.intp)


def _by_vote(
    labels: Indices, n_clusters: int | None, noise: str, threshold: float, seed: int
) -> Indices:
    numbers = np.array([len(np.unique(row[row >= 0])) for row in labels])
    k = agreed_number(labels) if n_clusters is None else n_clusters
    possible = np.flatnonzero(numbers == k)
    if len(possible) == 0:
        msg = (
            f"n_clusters={k} clusters occur in no world, so no world can be the "
            'reference for consensus="vote"; use consensus="coassociation".'
        )
        raise ValueError(msg)
    likeness = ari_matrix(labels)[possible].mean(axis=1)
    reference = _renumbered(labels[possible[likeness.argmax()]])
    votes = np.zeros((labels.shape[1], k))
    for row in aligned(labels, reference, k):
        taken = np.flatnonzero(row >= 0)
        votes[taken, row[taken]] += 1.0
    return np.where(votes.any(axis=1), votes.argmax(axis=1), -1)


METHODS: dict[str, Callable[[Indices, int | None, str, float, int], Indices]] = {
    "coassociation": _by_coassociation,
    "kmeans-binary": _by_kmeans,
    "vote": _by_vote,
}


def _part(found: Patterns, chosen: Indices) -> Patterns:
    clusters, sizes = found.clusters[:, chosen], found.sizes[chosen]
    return replace(found, clusters=clusters, sizes=sizes)


def _keep_supported(found: Patterns, groups: Indices, n_least: int) -> Indices:
    """Dissolve the groups that are not a cluster in most worlds.

    A group is a cluster if in more than half of the worlds some cluster is matched with
    it, one to one. If no group is, the `n_least` most frequent ones are kept.
    """
    n_groups = int(groups.max()) + 1
    sizes = found.sizes.astype(np.float64)
    membership = sparse.csr_array(
        (sizes, groups, np.arange(len(groups) + 1)), shape=(len(groups), n_groups)
    )
    overlap = found.one_hot().T.tocsr() @ membership
    counts = np.zeros(n_groups, dtype=np.intp)
    for start, end in zip(found.starts[:-1], found.starts[1:], strict=True):
        counts[one_to_one(overlap[start:end].toarray())[1]] += 1
    kept = counts > found.n_worlds / 2
    if not kept.any():
        kept[np.argsort(-counts, kind="stable")[:n_least]] = True
    number = np.where(kept, np.cumsum(kept) - 1, -1)
    return number[groups]


def _nearest_group(
    others: Patterns, found: Patterns, groups: Indices
) -> tuple[Indices, Array]:
    """Return the group each pattern is most often with, on average, and the share."""
    n_groups = int(groups.max()) + 1
    taken = np.flatnonzero(groups >= 0)
    sizes = found.sizes[taken].astype(np.float64)
    weights = sizes / np.bincount(groups[taken], sizes)[groups[taken]]
    membership = sparse.csr_array(
        (weights, groups[taken], np.arange(len(taken) + 1)),
        shape=(len(taken), n_groups),
    )
    profile = (found.one_hot(taken).T.tocsr() @ membership).toarray()
    n = len(others.sizes)
    nearest, share = np.empty(n, dtype=np.intp), np.empty(n)
    for part in blocks(n, 8 * (n_groups + 2 * others.n_worlds)):
        mean = others.one_hot(part) @ profile / others.n_worlds
        nearest[part], share[part] = mean.argmax(axis=1), mean.max(axis=1)
    return nearest, share


def _renumbered(labels: Indices) -> Indices:
    """Renumber labels without gaps; -1 stays."""
    present = np.bincount(labels[labels >= 0]) > 0
    number = np.append(np.cumsum(present) - 1, -1)
    return number[labels]


# matching of clusters ---------------------------------------------------------------


@stored(names="i c", targets="i c")
class Renaming(NamedTuple):
    """Clusters of one world, and their counterparts in the consensus."""

    names: Indices  # in the world, in rising order
    targets: Indices  # in the consensus; -1 for clusters of noise only


def one_to_one(overlap: Array | Indices) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return the pairs of rows and columns with the largest total overlap."""
    rows, columns = linear_sum_assignment(overlap, maximize=True)
    real = overlap[rows, columns] > 0
    return rows[real], columns[real]


def matched(overlap: Array | Indices) -> Indices:
    """Match rows with columns: one to one, then by overlap; −1 without overlap."""
    if overlap.shape[1] == 0:
        return np.full(len(overlap), -1, dtype=np.intp)
    targets = np.where(overlap.max(axis=1) > 0, overlap.argmax(axis=1), -1)
    rows, columns = one_to_one(overlap)
    targets[rows] = columns
    return targets


def renamings(
    labels_per_world: Indices, labels: Indices, n_clusters: int
) -> list[Renaming]:
    """Match the clusters of each world with those of the consensus, by overlap."""
    found = []
    for row in labels_per_world:
        taken = np.flatnonzero(row >= 0)
        names, codes = np.unique(row[taken], return_inverse=True)
        targets = labels[taken]
        cells = codes * n_clusters + targets
        overlap = np.bincount(cells[targets >= 0], minlength=len(names) * n_clusters)
        found.append(Renaming(names, matched(overlap.reshape(len(names), n_clusters))))
    return found


def renamed(labels_per_world: Indices, names: Sequence[Renaming]) -> Indices:
    """Translate the labels of worlds to the consensus; −1 without counterpart."""
    out = np.full_like(labels_per_world, -1)
    for row, renaming, to in zip(labels_per_world, names, out, strict=True):
        if len(renaming.names):
            place = np.searchsorted(renaming.names, row)
            place[place == len(renaming.names)] = 0
            known = renaming.names[place] == row
            to[known] = renaming.targets[place[known]]
    return out


def aligned(labels_per_world: Indices, labels: Indices, n_clusters: int) -> Indices:
    """Rename the clusters of each world to those of a consensus.

    Clusters are matched one to one by the largest overlap. A remaining cluster takes
    the one it overlaps most, or is noise without overlap.
    """
    return renamed(labels_per_world, renamings(labels_per_world, labels, n_clusters))
