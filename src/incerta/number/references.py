"""References: data like those given, but without structure inside clusters."""

from __future__ import annotations

from typing import Any

import numpy as np

from incerta.data.container import UncertainData
from incerta.number.structure import Structure, structure_of
from incerta.typing import Array, Indices
from incerta.worlds.sequence import worlds_of

# Objects that change sides in some worlds, one of a pair of clusters, move the mean
# adjusted Rand index by up to about this over the number of objects.
_ONE_OBJECT = 4.0
# Where references hardly differ (all of them perfectly stable, say), smaller
# differences of the logarithms than these are not counted in standard deviations.
_LEAST_SPREAD_STEADY, _LEAST_SPREAD_TIGHT = 0.1, 1e-3


def reference_means(means: Array, labels: Indices, rng: np.random.Generator) -> Array:
    """Draw means that are uniform inside clusters.

    Parameters
    ----------
    means : ndarray of shape (n_objects, n_features)
    labels : ndarray of shape (n_objects,)
    rng : Generator

    Returns
    -------
    ndarray of shape (n_objects, n_features)
        Each cluster fills a box along its principal axes, and has exactly the mean
        and the covariance it had.
    """
    new = np.empty_like(means)
    for cluster in np.unique(labels):
        members = labels == cluster
        centre = means[members].mean(axis=0)
        _, lengths, axes = np.linalg.svd(means[members] - centre, full_matrices=False)
        size = int(members.sum())
        rank = min(size - 1, len(lengths))  # what is centred spans no more
        box = rng.uniform(-1.0, 1.0, (size, rank))
        # The nearest matrix with orthonormal columns: a sample without correlations.
        left, _, right = np.linalg.svd(box - box.mean(axis=0), full_matrices=False)
        new[members] = centre + (left @ right * lengths[:rank]) @ axes[:rank]
    return new


def shuffled_within(labels: Indices, rng: np.random.Generator) -> Indices:
    """Permute the objects, each within its own cluster."""
    givers = np.empty_like(labels)
    takers = np.argsort(labels, kind="stable")
    givers[takers] = np.lexsort((rng.random(len(labels)), labels))
    return givers


def reference_structure(
    data: UncertainData,
    means: Array,
    labels: Indices,
    ks: tuple[int, ...],
    method: Any,
    n_worlds: int,
    seed: int,
    number: int,
) -> Structure:
    """Draw reference `number` with the clusters `labels`, and cluster its worlds.

    Means are new; deviations from the mean are those of worlds of the data,
    redistributed inside clusters. They keep their order of draws, so what objects have
    in common in a draw of joint data stays common.
    """
    rng = np.random.default_rng([seed, 1, ks[0], number])
    new = reference_means(means, labels, rng)
    givers = shuffled_within(labels, rng)
    world_seed, cluster_seed = rng.integers(2**31, size=2).tolist()
    worlds = worlds_of(data, n_worlds, world_seed).stack()
    worlds = (worlds - means)[:, givers] + new
    found = structure_of(new, worlds, ks, method, cluster_seed)
    return found._replace(labels=found.labels[:, :0])  # long, and not asked for


def excess(structures: list[Structure], n_objects: int) -> Array:
    """How tight larger numbers of clusters are, minus what they lack in stability.

    Parameters
    ----------
    structures : list of Structure
        Of the data, then of the references, for the same numbers of clusters.
    n_objects : int

    Returns
    -------
    ndarray of shape (n_structures, n_ks - 1)
        For all numbers but the first.
    """
    stability = np.array([one.stability[1:] for one in structures])
    # Clusters of references have the covariance of the data's: what is within the
    # first number of clusters is the same for all, and cancels.
    tight = -np.log([one.dispersion[1:] for one in structures])
    steady = -np.log(1.0 - stability + _ONE_OBJECT / n_objects)
    # Unstable clusters count against the number; the opposite proves little, since
    # two of four clear clusters are as stable as all four.
    penalty = np.minimum(standardised(steady, _LEAST_SPREAD_STEADY), 0.0)
    return standardised(tight, _LEAST_SPREAD_TIGHT) + penalty


def standardised(columns: Array, least_spread: float) -> Array:
    """Subtract the mean of the other rows and divide by their standard deviation.

    The data are treated as a row like any other, so under the null all rows are
    exchangeable.
    """
    others = len(columns) - 1
    centred = columns - columns.mean(axis=0)
    squares = np.square(centred)
    # A row differs from the mean of the others by this times what it differs from
    # the mean of all, and adds this times its square to the sum of squares.
    scale = (others + 1) / others
    left = np.maximum(squares.sum(axis=0) - scale * squares, 0.0)
    spread = np.sqrt(left / max(others - 1, 1))
    return scale * centred / np.maximum(spread, least_spread)


def adjusted_p_values(table: Array) -> Array:
    """P-values of the first row, corrected for looking at all columns.

    Parameters
    ----------
    table : ndarray of shape (1 + n_null, n_columns)
        Statistics of the data, then of the references; large ones are remarkable.

    Returns
    -------
    ndarray of shape (n_columns,)
        Share of all rows, the data among them, whose largest entry is at least the
        data's entry (the single step of Westfall and Young).
    """
    return (table.max(axis=1)[:, None] >= table[0]).mean(axis=0)
