"""The views: a mixture of Gaussians, centers, and a graph of near neighbors."""

from __future__ import annotations

import warnings
from collections.abc import Collection
from typing import NamedTuple

import numpy as np
from scipy.sparse import coo_array, csr_array
from sklearn.exceptions import ConvergenceWarning

from incerta.lloyd import lloyd
from incerta.mixture.expectation import log_densities
from incerta.mixture.fitting import Effort, Search, fitted
from incerta.mixture.model import Components, Measured
from incerta.spectral.affinity import Matrix, nearness, normalized_laplacian
from incerta.spectral.embedding import leading_eigenvectors, of_unit_length
from incerta.typing import Array, Indices

# The graph is cut by so exact eigenvectors.
EIGEN_TOL, MOST_STEPS = 1e-4, 200
MIXTURE, PLACES = "mixture", ("centers", "nearness")
ALL = (MIXTURE, *PLACES)


class Look(NamedTuple):
    """What views look at, for n objects."""

    measured: Measured  # of the mixture
    spaces: dict[str, Array]  # (n, f) each, of centers and graphs, by name
    judged: Measured  # where clusterings are judged


class Work(NamedTuple):
    """How hard to look for the best solution."""

    covariances: tuple[str, ...]  # kinds to choose from
    kmeans_starts: int
    of_mixtures: Effort


class Seen(NamedTuple):
    """The clusterings of one look at the objects."""

    mixture: Components
    shares: Array  # (n, k), probabilities of the components of the mixture
    labels: dict[str, Indices]  # of each view, (n,)


def seen(
    look: Look,
    k: int,
    work: Work,
    seed: int,
    known: Indices | None = None,
    wanted: Collection[str] = ALL,
) -> Seen:
    """Cluster objects in views; clusters of `known` labels, not −1, keep their numbers.

    Names in `wanted` stand for all spaces ("centers") or for one ("centers of laws").
    The mixture is fitted in any case.
    """
    with warnings.catch_warnings():
        # Values that coincide are no fault of the search.
        warnings.simplefilter("ignore", ConvergenceWarning)
        mixture, shares = by_mixture(look.measured, k, work, seed, known)
        labels = {MIXTURE: shares.argmax(axis=1)} if MIXTURE in wanted else {}
        for space, values in look.spaces.items():
            names = {view: f"{view} of {space}" if space else view for view in PLACES}
            views = [view for view in names if {view, names[view]} & {*wanted}]
            found = by_places(values, k, views, work, seed, known)
            for view, own in zip(views, found, strict=True):
                labels[names[view]] = own
    return Seen(mixture, shares, labels)


def by_mixture(
    some: Measured, k: int, work: Work, seed: int, known: Indices | None = None
) -> tuple[Components, Array]:
    """Clusters that are Gaussian, and how probable each is for each object, (n, k)."""
    search = Search(
        numbers=[k], covariances=work.covariances, seed=seed, effort=work.of_mixtures
    )
    some = some._replace(labels=known)
    components = fitted(some, search).components
    return components, np.exp(log_densities(some, components).shares).T


def by_places(
    values: Array,
    k: int,
    wanted: Collection[str],
    work: Work,
    seed: int,
    known: Indices | None = None,
) -> list[Indices]:
    """Clusters by where objects are: around centers, or of any shape, in a graph."""
    found = []
    if "centers" in wanted:
        found.append(around_centers(values, k, work, seed, known))
    if "nearness" in wanted:
        graph = linked(nearness(values, n_neighbors(len(values))), known)
        laplacian = normalized_laplacian(graph)
        _, vectors = leading_eigenvectors(
            laplacian, k, tol=EIGEN_TOL, max_steps=MOST_STEPS
        )
        found.append(around_centers(of_unit_length(vectors), k, work, seed, known))
    return found


def around_centers(
    values: Array, k: int, work: Work, seed: int, known: Indices | None = None
) -> Indices:
    """Clusters that are round and of one size."""
    rng = np.random.default_rng(seed)
    return lloyd(values, k, work.kmeans_starts, rng, known=known).labels


def linked(graph: Matrix, known: Indices | None) -> Matrix:
    """A graph in which objects of one known label have affinity 1, of two labels 0."""
    if known is None:
        return graph
    pairs = coo_array(graph)
    one, other = known[pairs.row], known[pairs.col]
    stays = (one < 0) | (other < 0)
    labeled = np.flatnonzero(known >= 0)
    same = known[labeled, None] == known[labeled]
    rows, columns = (labeled[side] for side in np.nonzero(same))
    values = np.concatenate([pairs.data[stays], np.ones(len(rows))])
    rows = np.concatenate([pairs.row[stays], rows])
    columns = np.concatenate([pairs.col[stays], columns])
    return csr_array((values, (rows, columns)), graph.shape)


def n_neighbors(n_objects: int) -> int:
    """``max(10, 2 log2 n)``: enough to connect what belongs together."""
    return int(max(10, 2 * np.log2(max(n_objects, 2))))
