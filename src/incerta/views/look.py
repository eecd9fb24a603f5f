"""The views: a mixture, centres, neighbours; and for laws, centres among laws."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.sparse import coo_array, csr_array
from sklearn.metrics import pairwise_distances_argmin

from incerta.backend.device import CPU
from incerta.lloyd import lloyd
from incerta.mixture.expectation import log_densities
from incerta.mixture.fitting import PRIOR_WEIGHT, How, fitted
from incerta.mixture.model import Components, Measured
from incerta.models.registry import stored
from incerta.spectral.affinity import (
    Matrix,
    neighbour_graphs,
    normalised_laplacian,
)
from incerta.spectral.embedding import leading_eigenvectors, of_unit_length
from incerta.spectral.nearest import nearest_of
from incerta.typing import Array, Indices

# New values go with the majority of so many neighbours.
VOTERS = 5
# Eigenvectors of a graph that is cut anyway.
EIGEN_TOL, MOST_STEPS = 1e-4, 200


class Look(NamedTuple):
    """What views look at, for n objects."""

    measured: Measured  # of the mixture
    places: Array  # (n, d), of centres
    weights: Array | None  # (n,), of centres
    features: Array  # (n, f), of neighbours, and of centres among laws

    def only(self, chosen: Indices) -> Look:
        """The chosen objects."""
        weights = None if self.weights is None else self.weights[chosen]
        measured = self.measured.only(chosen)
        return Look(measured, self.places[chosen], weights, self.features[chosen])


class Effort(NamedTuple):
    """How hard to look for the best solution."""

    covariances: tuple[str, ...]  # kinds to choose from
    n_init: int  # starts of a mixture
    kmeans_starts: int
    tol: float  # of a mixture
    max_iter: int  # of a mixture


@stored(centres="f k f")
class Centres(NamedTuple):
    """Clusters around centres."""

    centres: Array

    def labels_of(self, values: Array) -> Indices:
        """Nearest centre of each value."""
        labels: Indices = pairwise_distances_argmin(values, self.centres)
        return labels


@stored(values="f n f", labels="i g n")
class Neighbours(NamedTuple):
    """Clusters that are known at some values, one clustering for each graph."""

    values: Array
    labels: Indices

    def labels_of(self, values: Array, device: str = CPU) -> Indices:
        """Label of the majority of the nearest values, ties to the nearest."""
        k = min(VOTERS, len(self.values))
        votes = self.labels[:, nearest_of(values, self.values, k, device)]
        counts = (votes[..., None] == votes[..., None, :]).sum(axis=3)
        # The first of those with most votes is the nearest.
        first = counts.argmax(axis=2)[..., None]
        labels: Indices = np.take_along_axis(votes, first, axis=2)[..., 0]
        return labels


@stored()
class Model(NamedTuple):
    """Clusters that are the components of a mixture."""

    components: Components

    @property
    def kind(self) -> str:
        """Of the covariances."""
        return "diag" if self.components.covariances.ndim == 2 else "full"

    def labels_of(self, measured: Measured, device: str = CPU) -> Indices:
        """Most probable component of each object."""
        found = log_densities(measured.on(device), self.components)
        labels: Indices = found.shares.argmax(axis=0)
        return labels


def by_mixture(
    look: Look, k: int, effort: Effort, seed: int, known: Indices | None = None
) -> tuple[Model, Indices]:
    """Clusters that are Gaussian."""
    how = How(
        [k],
        effort.covariances,
        False,
        PRIOR_WEIGHT,
        effort.n_init,
        effort.tol,
        effort.max_iter,
        seed,
    )
    measured = look.measured._replace(labels=known)
    model = Model(fitted(measured, how).components)
    return model, model.labels_of(measured)


def by_centres(
    values: Array,
    weights: Array | None,
    k: int,
    effort: Effort,
    seed: int,
    known: Indices | None = None,
) -> tuple[Centres, Indices]:
    """Clusters that are round and of one size."""
    rng = np.random.default_rng(seed)
    centres, labels = lloyd(values, k, effort.kmeans_starts, rng, weights, known)
    return Centres(centres), labels


def by_neighbours(
    values: Array, k: int, effort: Effort, seed: int, known: Indices | None = None
) -> tuple[Neighbours, Indices]:
    """Clusters of any shape, with gaps between them, in two graphs.

    In the first one, all neighbours count alike; in the second, near ones count for
    more. That finds dense clusters in thin surroundings, and is lost more easily.
    """
    found, vectors = [], None
    for graph in neighbour_graphs(values, n_neighbours(len(values))):
        laplacian = normalised_laplacian(linked(graph, known))
        # The graphs have the same neighbours, and much the same eigenvectors.
        _, vectors = leading_eigenvectors(
            laplacian, k, tol=EIGEN_TOL, max_steps=MOST_STEPS, near=vectors
        )
        rows = of_unit_length(vectors)
        found.append(by_centres(rows, None, k, effort, seed, known)[1])
    labels = np.array(found)
    return Neighbours(values, labels), labels


def linked(graph: Matrix, known: Indices | None) -> Matrix:
    """A graph in which objects with the same label are together, and others apart.

    Parameters
    ----------
    graph : scipy.sparse.csr_array of shape (n, n)
        Affinities, from 0 to 1.
    known : ndarray of shape (n,) or None
        Labels, −1 where unknown.

    Returns
    -------
    scipy.sparse.csr_array of shape (n, n)
        1 between objects of one known label, 0 between those of different ones.
    """
    if known is None:
        return graph
    pairs = coo_array(graph)
    one, other = known[pairs.row], known[pairs.col]
    stays = (one < 0) | (other < 0)
    labelled = np.flatnonzero(known >= 0)
    same = known[labelled, None] == known[labelled]
    rows, columns = (labelled[side] for side in np.nonzero(same))
    values = np.concatenate([pairs.data[stays], np.ones(len(rows))])
    rows = np.concatenate([pairs.row[stays], rows])
    columns = np.concatenate([pairs.col[stays], columns])
    return csr_array((values, (rows, columns)), graph.shape)


def n_neighbours(n_objects: int) -> int:
    """``max(10, 2 log2 n)``: enough to connect what belongs together."""
    return int(max(10, 2 * np.log2(max(n_objects, 2))))
