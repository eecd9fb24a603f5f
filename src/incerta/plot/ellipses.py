"""What a scatter shows: the shape of the uncertainty, and the features to look at."""

import numpy as np
from scipy import sparse

from incerta.typing import Array, Indices

# Correlations within clusters are shrunk by this, so that a copy of a feature adds
# nothing to it.
SHRINKAGE = 0.99


def ellipse_axes(covariance: Array) -> tuple[Array, Array, Array]:
    """Ellipses of one standard deviation of covariances (n, 2, 2).

    Lengths and widths are full axes, twice the roots of the eigenvalues; angles go from
    the first feature to the longer axis, in degrees.
    """
    a, b, c = covariance[:, 0, 0], covariance[:, 0, 1], covariance[:, 1, 1]
    largest = (a + c) / 2.0 + np.hypot((a - c) / 2.0, b)
    # By the determinant: a difference would lose the smaller one of two features
    # whose units differ by many powers of ten.
    smallest = np.clip(a * c - b**2, 0.0, None) / np.where(largest > 0, largest, 1.0)
    angles = np.degrees(np.arctan2(2.0 * b, a - c) / 2.0)
    return 2.0 * np.sqrt(largest), 2.0 * np.sqrt(smallest), angles


def separating_features(means: Array, variances: Array, labels: Indices) -> Indices:
    """The two features in which clusters lie furthest apart relative to their width.

    The criterion is the trace of W⁻¹B for each pair, where B is the covariance of the
    means between clusters, and W that within clusters with the objects' own variances
    added: a feature that was measured badly separates less. Noise is left out. The
    better feature comes first; they are 0 and 1 if there are fewer than two clusters.

    Takes n_objects × n_features² operations, and a table of all pairs of features.
    """
    kept = labels >= 0
    clusters, codes = np.unique(labels[kept], return_inverse=True)
    if len(clusters) < 2:
        return np.arange(2)
    n = len(codes)
    centred = means[kept] - means[kept].mean(axis=0)
    spread = np.sqrt(np.square(centred).mean(axis=0) + variances[kept].mean(axis=0))
    centred /= np.where(spread > 0, spread, 1.0)
    members = sparse.csr_array((np.ones(n), (codes, np.arange(n))))
    sums = members @ centred
    between = (sums / np.bincount(codes)[:, None]).T @ sums / n
    within = centred.T @ centred / n - between
    # A spread of 1 is the total; the floor is for clusters without any width.
    width = np.sqrt(np.clip(1.0 - np.diag(between), 1e-9, None))
    between /= width * width[:, None]
    correlation = SHRINKAGE * within / (width * width[:, None])
    alone = np.diag(between)
    score = alone + alone[:, None] - 2.0 * correlation * between
    score /= 1.0 - correlation**2
    score[np.tril_indices(len(score))] = -np.inf
    pair = np.array(np.unravel_index(score.argmax(), score.shape))
    return pair[np.argsort(-alone[pair], kind="stable")]
