"""Known labels: the clusters of some objects, and −1 for the others."""

from numbers import Real
from typing import Any

import numpy as np
from scipy.optimize import linear_sum_assignment
from sklearn.metrics.pairwise import euclidean_distances

from incerta.backend.keyed import Keys, some_by_key
from incerta.typing import Array, Indices

UNKNOWN = -1


def known_labels(y: Any, n_objects: int, most: int, parameter: str) -> Indices | None:
    """Check labels, which must be whole numbers from 0, or −1 where unknown.

    Return None if no labels or all labels are known: model selection in scikit-learn
    passes the classes of all objects to `fit`, and using them as labels would make any
    clustering look perfect. `most` is the number of clusters, set by `parameter`.
    """
    if not partial(y):
        return None
    given = np.asarray(y)
    if given.shape != (n_objects,):
        msg = (
            f"y has shape {given.shape}, but there are {n_objects} objects; give one "
            "label per object, -1 where it is unknown."
        )
        raise ValueError(msg)
    odd = () if given.dtype.kind in "iu" else [one for one in given if not _whole(one)]
    if odd:
        msg = (
            f"y has the label {odd[0]!r}; labels must be whole numbers from 0, or -1 "
            "where unknown. np.unique(classes, return_inverse=True) numbers classes."
        )
        raise ValueError(msg)
    labels = given.astype(np.intp)
    low, high = int(labels.min()), int(labels.max())
    if low < UNKNOWN:
        msg = f"y has the label {low}; labels start at 0, and -1 means unknown."
        raise ValueError(msg)
    if high >= most:
        msg = (
            f"y has the label {high}, but with {parameter}={most} the largest is "
            f"{most - 1}; raise {parameter}, or number the classes from 0."
        )
        raise ValueError(msg)
    return None if high == UNKNOWN else labels


def partial(y: Any) -> bool:
    """Return whether some labels are unknown; raise an error for missing values."""
    if y is None:
        return False
    given = np.asarray(y)
    if _gaps(given):
        msg = "y has gaps (NaN or None); write -1 where a label is unknown."
        raise ValueError(msg)
    if given.dtype.kind in "US" and (given == str(UNKNOWN)).any():
        msg = (
            "y mixes text and -1; labels must be whole numbers from 0, or -1 where "
            "unknown. np.unique(classes, return_inverse=True) numbers classes."
        )
        raise ValueError(msg)
    return bool((given == UNKNOWN).any())


def _gaps(given: Any) -> bool:
    if given.dtype == object:
        return any(each is None or each != each for each in given.ravel())
    return given.dtype.kind == "f" and bool(np.isnan(given).any())


def _whole(label: Any) -> bool:
    return isinstance(label, Real) and float(label).is_integer()


def n_named(known: Indices | None) -> int:
    """Return the number of clusters with fixed numbers: the highest known label + 1."""
    return 0 if known is None else int(known.max()) + 1


def kept(labels: Indices, known: Indices | None) -> Indices:
    """Replace labels (n, ...) by the known labels of the same objects."""
    if known is None:
        return labels
    known = known.reshape(-1, *(1,) * (labels.ndim - 1))
    return np.where(known >= 0, known, labels)


def surely(membership: Array, known: Indices | None) -> Array:
    """Set the probabilities (n, k) of objects with known labels to 0 or 1."""
    if known is None:
        return membership
    one = np.eye(membership.shape[1])[known]
    return np.where(known[:, None] >= 0, one, membership)


def some_with_labels(
    keys: Keys, most: int, seed: int, known: Indices | None
) -> Indices:
    """Choose up to `most` objects, at most half with known labels; sort positions."""
    if known is None or len(keys) <= most:
        return some_by_key(keys, most, seed)
    labeled = np.flatnonzero(known >= 0)
    labeled = labeled[some_by_key(keys[labeled], most // 2, seed)]
    others = np.setdiff1d(np.arange(len(keys)), labeled)
    others = others[some_by_key(keys[others], most - len(labeled), seed)]
    return np.sort(np.concatenate([labeled, others]))


def class_means(
    places: Array, known: Indices, weights: Array | None = None
) -> tuple[Indices, Array]:
    """Return the known classes and the means (c, d) of their objects."""
    labeled = np.flatnonzero(known >= 0)
    classes, codes = np.unique(known[labeled], return_inverse=True)
    own = np.ones(len(labeled)) if weights is None else weights[labeled]
    member = np.eye(len(classes))[codes].T * own
    return classes, member @ places[labeled] / member.sum(axis=1, keepdims=True)


def named_order(centers: Array, places: Array, known: Indices) -> Indices:
    """Order the centers (k, d) by the nearest means of objects with known labels."""
    classes, means = class_means(places, known)
    counts = np.bincount(known[known >= 0])[classes]
    costs = euclidean_distances(means, centers, squared=True) * counts[:, None]
    order = np.full(len(centers), -1, dtype=np.intp)
    order[classes] = linear_sum_assignment(costs)[1]
    order[order < 0] = np.setdiff1d(np.arange(len(centers)), order)
    return order
