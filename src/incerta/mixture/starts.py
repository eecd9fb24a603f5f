"""Where EM begins: clusters of what is known about the truth, by k-means."""

import numpy as np
from sklearn.cluster import KMeans

from incerta.mixture.belief import belief
from incerta.mixture.maximisation import true_spread
from incerta.mixture.model import Components, Measured
from incerta.typing import Array

# Share of the objects that begin as noise.
FIRST_NOISE = 0.05
# k-means is fast, and a good start saves rounds of EM.
KMEANS_STARTS = 4


def one_component(measured: Measured, kind: str) -> Components:
    """A single Gaussian with the mean and variances of the truth."""
    means, variances = true_spread(measured)
    variances = _positive(variances)
    covariances = variances[None] if kind == "diag" else np.diag(variances)[None]
    return Components(np.ones(1), means[None], covariances)


def starting_components(
    measured: Measured,
    truth: Components,
    n_components: int,
    kind: str,
    noise: bool,
    seed: int,
) -> Components:
    """Components at the centres that k-means finds.

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
    seed : int
        Of k-means.

    Returns
    -------
    Components
    """
    centres = belief(measured, truth).centres[:, 0]
    scale = np.sqrt(_positive(np.diag(truth.covariance_of(0))))
    kmeans = KMeans(n_components, n_init=KMEANS_STARTS, random_state=seed % 2**32)
    kmeans.fit(centres / scale)
    # Within a cluster there is less variance than in all; EM finds out how much.
    part = n_components ** (-2.0 / measured.n_features)
    within = _positive(true_spread(measured)[1]) * part
    shapes = {
        "full": np.tile(np.diag(within), (n_components, 1, 1)),
        "tied": np.diag(within)[None],
        "diag": np.tile(within, (n_components, 1)),
    }
    counts = np.bincount(kmeans.labels_, minlength=n_components) + 1.0
    weights = counts / counts.sum()
    ranges = None
    if noise:
        weights = weights * (1.0 - FIRST_NOISE)
        ranges = _positive(_ranges(measured))
    return Components(weights, kmeans.cluster_centers_ * scale, shapes[kind], ranges)


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
