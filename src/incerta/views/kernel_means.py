"""Laws as points: mean values of random waves, whose distances are those of laws (MMD).

A. Rahimi, B. Recht, "Random features for large-scale kernel machines", NIPS 2007.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_array

from incerta.backend.memory import blocks
from incerta.backend.progress import followed
from incerta.models.registry import stored
from incerta.spectral.affinity import median_distance
from incerta.typing import Array

# Waves; distances between laws are off by some 1 / sqrt(N_WAVES) of their largest.
N_WAVES = 500
# Width of the kernel, in median distances of values, for objects with n values each:
# WIDTH / sqrt(n), within bounds. Few values say little more of a law than its mean, and
# that is what a wide kernel sees; with many, finer differences are more than chance.
WIDTH, BOUNDS = 5.0, (0.35, 2.0)
# Directions in which laws differ most; the others are mostly chance.
N_AXES = 20


@stored(frequencies="f d w", centre="f m", axes="f m a")
class KernelMeans(NamedTuple):
    """From values to features whose means describe laws."""

    frequencies: Array  # (d, n_waves)
    centre: Array  # (2 n_waves,)
    axes: Array  # (2 n_waves, n_axes)

    def features(self, values: Array) -> Array:
        """Features of values; those of a law are their mean over its values."""
        out = np.empty((len(values), self.axes.shape[1]))
        for part in followed(blocks(len(values), 8 * len(self.centre)), "laws"):
            here = waves(values[part], self.frequencies)
            out[part] = (here - self.centre) @ self.axes
        return out


def waves(values: Array, frequencies: Array) -> Array:
    """Cosines and sines, scaled so that products approximate the Gaussian kernel."""
    phases = values @ frequencies
    both = np.concatenate([np.cos(phases), np.sin(phases)], axis=1)
    return both / np.sqrt(frequencies.shape[1])


def kernel_means(values: Array, shares: csr_array, seed: int) -> KernelMeans:
    """Features for the laws of objects.

    Parameters
    ----------
    values : ndarray of shape (n_values, n_features)
        Of all objects.
    shares : sparse array of shape (n_objects, n_values)
        Probability of each value in each object.
    seed : int
        Of the waves.

    Returns
    -------
    KernelMeans
        For a kernel that is the narrower, the more values objects have.
    """
    rng = np.random.default_rng(seed)
    n_values = np.median(np.diff(shares.indptr))
    width = median_distance(values) * np.clip(WIDTH / np.sqrt(n_values), *BOUNDS)
    frequencies = rng.normal(size=(values.shape[1], N_WAVES)) / width
    means = np.zeros((shares.shape[0], 2 * N_WAVES))
    for part in followed(blocks(len(values), 8 * 2 * N_WAVES), "laws"):
        means += shares[:, part] @ waves(values[part], frequencies)
    centre = means.mean(axis=0)
    axes = np.linalg.svd(means - centre, full_matrices=False)[2][:N_AXES].T
    return KernelMeans(frequencies, centre, axes)
