"""Where EM begins: several unlike guesses about the truth."""

from collections.abc import Iterator, Sequence

import numpy as np
from sklearn.metrics.pairwise import euclidean_distances

from incerta.known import kept, named_order
from incerta.lloyd import lloyd, nearest_centres, spread_seeds
from incerta.mixture.belief import belief
from incerta.mixture.model import Components, Measured
from incerta.typing import Array, Indices, Mask

# Share of the objects that begin as noise.
FIRST_NOISE = 0.05
# k-means is fast, and a good start saves rounds of EM.
KMEANS_STARTS = 4
# Variance within a cluster to begin with, at least, of that of all objects.
LEAST_WITHIN = 0.02
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
    seeds: Sequence[int],
) -> Iterator[Components]:
    """Components at unlike places: EM finds what is near, so starts must differ.

    The first are at the centres that k-means finds, the others at objects that were
    measured well and are far from each other; with noise, some more at dense places.
    Objects of known components are near their own.

    `measured`: the objects. `truth`: a single Gaussian that was fitted to them. What it
    says about each object counts, not the values: those that were measured badly would
    lead astray. `n_components`: number of Gaussians. `kind`: of covariances. `noise`:
    whether there is a uniform component besides. `seeds`: for one start each.
    """
    scale = np.sqrt(_positive(truth.variances[0]))
    places = belief(measured._replace(labels=None), truth).centres[:, 0] / scale
    good = places[_measured_well(measured)]
    middle, known = good.mean(axis=0), measured.labels
    ranges = _positive(_ranges(measured)) if noise else None
    for seed in seeds:
        rng = np.random.default_rng(seed)
        if seed == seeds[0] or len(good) < n_components:
            found = lloyd(places, n_components, KMEANS_STARTS, rng, known=known)
            centres = found.centres
        else:
            alike = np.full(len(good), 1.0 / len(good))
            centres = spread_seeds(good - middle, alike, n_components, 1, rng)[0]
            centres += middle
            if known is not None:
                centres = centres[named_order(centres, places, known)]
        nearest = kept(nearest_centres(places - middle, centres - middle), known)
        counts = np.bincount(nearest, minlength=n_components) + 1.0
        weights = counts / counts.sum() * (1.0 - FIRST_NOISE * noise)
        within = np.square(places - centres[nearest]).mean(axis=0)
        within = np.maximum(within, LEAST_WITHIN) * scale**2
        shape = _shaped(np.tile(within, (n_components, 1)), kind)
        yield Components(weights, centres * scale, shape, ranges)
    if noise:
        peaks, radii = _peaks(places, n_components)
        if known is not None:
            order = named_order(places[peaks], places, known)
            peaks, radii = peaks[order], radii[order]
        within = np.square(radii[:, None] * scale) / measured.n_features
        weights = np.full(n_components, 0.5 / n_components)
        yield Components(weights, places[peaks] * scale, _shaped(within, kind), ranges)


def _measured_well(measured: Measured) -> Mask:
    """The half of the objects whose values are the more reliable."""
    true = measured.true_spread().variances[:, None]
    total = true + measured.variances
    shares = np.divide(true, total, out=np.ones_like(total), where=total > 0)
    if measured.known is not None:
        shares *= measured.known
    reliable = shares.mean(axis=0)
    return np.asarray(reliable >= np.median(reliable))


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
