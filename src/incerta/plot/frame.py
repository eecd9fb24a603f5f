"""What a picture shows: the features to look at, and the limits of its axes."""

import numpy as np
from scipy import sparse

from incerta.typing import Array, Indices

# Objects on either side of an axis that do not decide its limits: 0.5%, at most 50.
# Among fewer than 20 objects every one decides.
FAR, MOST_BEYOND, FEWEST = 0.005, 50, 20
# Values are still shown this far beyond the others, as a share of their range.
ROOM = 0.5
# An error bar widens an axis by at most this multiple of the median bar.
LONGEST_BAR = 1.5
# Correlations within clusters are shrunk by this factor, so that a copy of a feature
# adds nothing to it.
SHRINKAGE = 0.99
# Pairs are sought among this many features, those that separate best on their own.
MOST_PAIRED = 100


def limits(values: Array, deviations: Array | float = 0.0) -> Array:
    """Return where the axis of each feature begins and ends, shape (2, n_features).

    A value that lies further out than half the range of all but the outermost 0.5% of
    the values does not count. Error bars of the others, `deviations`, are within.
    """
    known = np.isfinite(values).sum(axis=0)
    few = np.minimum(np.ceil(FAR * known).astype(np.intp), MOST_BEYOND)
    few[known < FEWEST] = 0
    order = np.sort(values, axis=0)  # NaN last
    ends = np.stack([few, np.maximum(known - 1 - few, 0)])
    low, high = np.take_along_axis(order, ends, axis=0)
    room = np.where(high > low, ROOM * (high - low), np.inf)
    inside = (values >= low - room) & (values <= high + room)
    bars = np.broadcast_to(deviations, values.shape)
    bars = np.where(np.isfinite(bars), bars, 0.0)
    bars = np.minimum(bars, LONGEST_BAR * np.median(bars, axis=0))
    begin = np.min(values - bars, axis=0, where=inside, initial=np.inf)
    end = np.max(values + bars, axis=0, where=inside, initial=-np.inf)
    return np.where(known > 0, [begin, end], [[0.0], [1.0]])


def separating_features(
    means: Array, variances: Array, membership: Array | sparse.sparray
) -> Indices:
    """Return all features, first the two in which clusters lie furthest apart.

    The criterion is the trace of W⁻¹B for each pair, where B is the covariance of the
    means between clusters, and W that within clusters with the objects' own variances
    added; objects count by their membership (n_objects, n_clusters). The others follow
    by B/W of each. Far values count as if they were at the limits of the axis. With
    fewer than two clusters or three features the order stays.
    """
    weights = sparse.csc_array(membership)
    weights = weights[:, weights.sum(axis=0) > 0]
    sizes, shares = weights.sum(axis=0), weights.sum(axis=1)
    n, d = sizes.sum(), means.shape[1]
    if len(sizes) < 2 or d <= 2:
        return np.arange(d)
    values = np.clip(means, *limits(means))
    there = np.isfinite(values) * shares[:, None]
    centered = np.nan_to_num(values)
    centered -= (there * centered).sum(axis=0) / np.maximum(there.sum(axis=0), 1e-300)
    centered[there == 0] = 0.0
    total = (
        np.square(centered).T @ shares
        + np.where(np.isfinite(variances), variances, 0.0).T @ shares
    )
    centered /= np.where(total > 0, np.sqrt(total / n), 1.0)
    sums = weights.T @ centered
    # A spread of 1 is the total; the floor is for clusters without any width.
    shift = (np.square(sums) / sizes[:, None]).sum(axis=0) / n
    width = np.sqrt(np.clip(1.0 - shift, 1e-9, None))
    alone = shift / width**2
    order = np.argsort(-alone, kind="stable")
    best = order[:MOST_PAIRED]
    sums, values = sums[:, best], centered[:, best]
    between = (sums / sizes[:, None]).T @ sums / n
    within = (values * shares[:, None]).T @ values / n - between
    scale = width[best] * width[best][:, None]
    between, correlation = between / scale, SHRINKAGE * within / scale
    score = alone[best] + alone[best][:, None] - 2.0 * correlation * between
    score /= 1.0 - correlation**2
    score[np.tril_indices(len(score))] = -np.inf
    pair = best[np.sort(np.unravel_index(score.argmax(), score.shape))]
    return np.concatenate([pair, order[~np.isin(order, pair)]])


def one_hot(labels: Indices) -> sparse.csr_array:
    """Return labels as memberships of 0 and 1; noise belongs to no cluster."""
    rows = np.flatnonzero(labels >= 0)
    shape = len(labels), int(labels.max(initial=0)) + 1
    return sparse.csr_array((np.ones(len(rows)), (rows, labels[rows])), shape=shape)
