"""Where EM begins: clusters of what is known about the truth, by k-means."""

from collections.abc import Iterable, Iterator

import numpy as np
from sklearn.cluster import KMeans
from sklearn.metrics.pairwise import euclidean_distances

from incerta.mixture.belief import belief
from incerta.mixture.model import Components, Measured
from incerta.typing import Array, Indices

# Share of the objects that begin as noise.
FIRST_NOISE = 0.05
# k-means is fast, and a good start saves rounds of EM.
KMEANS_STARTS = 4
# At least so many neighbours say how dense a place is.
NEIGHBOURS = 10
TINY_RADIUS = 1e-3


def one_component(measured: Measured, kind: str) -> Components:
    """A single Gaussian with the mean and variances of the truth."""
    means, variances = measured.true_spread()
    variances = _positive(variances)
    covariances = variances[None] if kind == "diag" else np.diag(variances)[None]
    return Components(np.ones(1), means[None], covariances)


def starting_components(
    measured: Measured,
    truth: Components,
    n_components: int,
    kind: str,
    noise: bool,
    seeds: Iterable[int],
) -> Iterator[Components]:
    """Components at centres that k-means finds; with noise, at dense places as well.

    Parameters
    ----------
    measured : Measured
        The objects.
    truth : Components
        A single Gaussian that was fitted to them. What it says about each object is
        clustered, not the values: those that were measured badly would lead astray.
    n_components : int
        Number of Gaussians.
    kind : {"full", "diag", "tied"}
        Of covariances.
    noise : bool
        Whether there is a uniform component besides.
    seeds : iterable of int
        Of k-means, for one start each.

    Yields
    ------
    Components
    """
    centres = belief(measured, truth).centres[:, 0]
    scale = np.sqrt(_positive(np.diag(truth.covariance_of(0))))
    places = centres / scale
    ranges = _positive(_ranges(measured)) if noise else None
    # Within a cluster there is less variance than in all; EM finds out how much.
    part = n_components ** (-2.0 / measured.n_features)
    within = _positive(measured.true_spread().variances) * part
    for seed in seeds:
        kmeans = KMeans(n_components, n_init=KMEANS_STARTS, random_state=seed % 2**32)
        kmeans.fit(places)
        counts = np.bincount(kmeans.labels_, minlength=n_components) + 1.0
        weights = counts / counts.sum() * (1.0 - FIRST_NOISE * noise)
        shape = _shaped(np.tile(within, (n_components, 1)), kind)
        yield Components(weights, kmeans.cluster_centers_ * scale, shape, ranges)
    if noise:
        peaks, radii = _peaks(places, n_components)
        squares = np.square(radii[:, None] * scale) / measured.n_features
        weights = np.full(n_components, 0.5 / n_components)
        yield Components(weights, centres[peaks], _shaped(squares, kind), ranges)


def _shaped(variances: Array, kind: str) -> Array:
    """Covariances of a kind with the variances (k, d)."""
    if kind == "diag":
        return variances
    covariances = variances[:, :, None] * np.eye(variances.shape[1])
    return covariances[:1] if kind == "tied" else covariances


def _peaks(places: Array, n_peaks: int) -> tuple[Indices, Array]:
    """Dense places that are far from denser ones, and how far their neighbours are.

    A. Rodriguez, A. Laio, "Clustering by fast search and find of density peaks",
    Science 344, 2014.
    """
    n = len(places)
    squares = euclidean_distances(places, squared=True)
    n_near = min(max(NEIGHBOURS, n // 50), n - 1)
    radii = np.sqrt(np.partition(squares, n_near, axis=1)[:, n_near])
    order = np.argsort(radii, kind="stable")
    denser = np.tri(n, k=-1, dtype=bool)
    apart = np.where(denser, squares[np.ix_(order, order)], np.inf).min(axis=1)
    apart[0] = squares.max()
    with np.errstate(divide="ignore"):
        heights = np.log(apart) / 2 - places.shape[1] * np.log(radii[order])
    peaks = order[np.argsort(-heights, kind="stable")[:n_peaks]]
    return peaks, np.maximum(radii[peaks], TINY_RADIUS)


def _ranges(measured: Measured) -> Array:
    """From the lowest to the highest value of each feature."""
    if measured.known is None:
        return np.ptp(measured.values, axis=1)
    known = measured.known > 0
    high = np.where(known, measured.values, -np.inf).max(axis=1)
    low = np.where(known, measured.values, np.inf).min(axis=1)
    return high - low


def _positive(values: Array) -> Array:
    """1 instead of 0: features that do not vary."""
    return np.where(values > 0.0, values, 1.0)
