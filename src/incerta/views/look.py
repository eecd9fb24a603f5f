"""Three views of the objects: Gaussian, round and connected clusters."""

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

# Tolerance and step limit for the eigenvectors of the neighbor graph.
EIGEN_TOL, MOST_STEPS = 1e-4, 200
MIXTURE, PLACES = "mixture", ("centers", "nearness")
ALL = (MIXTURE, *PLACES)


class Look(NamedTuple):
    """The data of n objects that the views cluster."""

    measured: Measured  # for the mixture
    spaces: dict[str, Array]  # name to (n, f), for k-means and the neighbor graph
    judged: Measured  # for judging clusterings


class Work(NamedTuple):
    """How hard to search for the best solution."""

    covariances: tuple[str, ...]  # covariance types to choose from
    kmeans_starts: int
    of_mixtures: Effort


class Seen(NamedTuple):
    """The clusters in each view."""

    mixture: Components
    shares: Array  # (n, k), probability of each component of the mixture
    labels: dict[str, Indices]  # of each view, (n,)


def seen(
    look: Look,
    k: int,
    work: Work,
    seed: int,
    known: Indices | None = None,
    wanted: Collection[str] = ALL,
) -> Seen:
    """Cluster the objects in every view; `known` labels other than −1 are kept.

    Names in `wanted` stand for all spaces ("centers") or for one ("centers of laws").
    The mixture is always fitted, because worlds are drawn from it.
    """
    with warnings.catch_warnings():
        # Identical values make k-means warn; that is harmless here.
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
    """Find Gaussian clusters and their probabilities for each object, (n, k)."""
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
    """Find round clusters by k-means, and connected ones in a neighbor graph."""
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
    """Find round clusters of similar size by k-means."""
    rng = np.random.default_rng(seed)
    return lloyd(values, k, work.kmeans_starts, rng, known=known).labels


def linked(graph: Matrix, known: Indices | None) -> Matrix:
    """Set affinities to 1 between objects of the same known label, 0 otherwise."""
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
    """Return ``max(10, 2 log2 n)``, enough to keep clusters connected."""
    return int(max(10, 2 * np.log2(max(n_objects, 2))))
