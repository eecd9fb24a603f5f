"""What clusters are like, and which objects are typical of them."""

from typing import NamedTuple

import numpy as np

from incerta.typing import Array, Indices


class Profile(NamedTuple):
    """Clusters in the units of the data, one row each."""

    size: Indices  # (n_clusters,)
    mean: Array  # (n_clusters, n_features): mean of the objects' means
    spread: Array  # (n_clusters, n_features): their standard deviation
    error: Array  # (n_clusters, n_features): root mean square of the objects' own
    confidence: Array  # (n_clusters,): mean over the objects


def profile_of(
    labels: Indices, n_clusters: int, means: Array, variances: Array, confidence: Array
) -> Profile:
    """Sizes, means and spreads of clusters; noise and missing values are left out."""
    member = (labels[:, None] == np.arange(n_clusters)).astype(float)
    size = member.sum(axis=0)
    known = ~np.isnan(means)
    counts = np.maximum(member.T @ known, 1.0)
    mean = member.T @ np.where(known, means, 0.0) / counts
    centred = means - np.vstack([mean, np.zeros(means.shape[1])])[labels]
    return Profile(
        size.astype(np.intp),
        mean,
        np.sqrt(member.T @ np.where(known, centred, 0.0) ** 2 / counts),
        np.sqrt(member.T @ np.where(known, variances, 0.0) / counts),
        member.T @ confidence / size,
    )


def typical_of(
    labels: Indices, n_clusters: int, means: Array, confidence: Array
) -> Indices:
    """Most typical object of each cluster: sure of its label, and in the middle.

    Means are those of features on one scale.
    """
    sure = np.nan_to_num(confidence, nan=1.0)
    out = np.empty(n_clusters, dtype=np.intp)
    for c in range(n_clusters):
        members = np.flatnonzero(labels == c)
        surest = sure[members] >= np.quantile(sure[members], 0.75)
        middle = np.nanmean(means[members], axis=0)
        # What is missing speaks neither for nor against an object.
        apart = np.nansum(np.square(means[members] - middle), axis=1)
        out[c] = members[np.where(surest, apart, np.inf).argmin()]
    return out
