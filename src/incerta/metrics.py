"""Agreement of a clustering with known classes."""

from typing import Any, Literal

import numpy as np
from scipy.optimize import linear_sum_assignment
from sklearn.metrics.cluster import contingency_matrix

from incerta.typing import ArrayLike, Indices

__all__ = ["clustering_accuracy"]


def clustering_accuracy(
    y: ArrayLike,
    labels: ArrayLike,
    *,
    noise: Literal["error", "cluster", "ignore"] = "error",
) -> float:
    """Return the share of correct objects when clusters are best matched to classes.

    Each class is matched to at most one cluster and each cluster to at most one class,
    so that as many objects as possible are correct (Hungarian assignment). Objects in
    unmatched clusters are wrong.

    Parameters
    ----------
    y : array-like of shape (n_objects,)
        Class of each object: numbers or text.
    labels : array-like of shape (n_objects,)
        Cluster of each object; the number -1 is noise.
    noise : {"error", "cluster", "ignore"}, default="error"
        Treatment of noise: always wrong, one more cluster, or left out. With "ignore",
        also report the share that is not noise: ``(labels != -1).mean()``.

    Notes
    -----
    The assignment takes time cubic in the number of classes or clusters.

    References
    ----------
    .. [1] H. W. Kuhn, "The Hungarian method for the assignment problem", Naval
       Research Logistics Quarterly 2, 1955.

    Examples
    --------
    >>> from incerta.metrics import clustering_accuracy
    >>> clustering_accuracy(["a", "a", "b", "b"], [1, 1, 0, 0])
    1.0
    >>> clustering_accuracy([0, 0, 1, 1], [0, 0, 1, -1])
    0.75
    """
    if noise not in ("error", "cluster", "ignore"):
        msg = f"noise={noise!r} must be 'error', 'cluster' or 'ignore'."
        raise ValueError(msg)
    classes, clusters, noisy = _codes(y, labels)
    n_objects = len(classes)
    if noise != "cluster":
        classes, clusters = classes[~noisy], clusters[~noisy]
    if noise == "ignore":
        n_objects = len(classes)
        if n_objects == 0:
            msg = "labels are all -1, and noise='ignore' omits those; use 'error'."
            raise ValueError(msg)
    if len(classes) == 0:
        return 0.0
    table = contingency_matrix(classes, clusters)
    matched = table[linear_sum_assignment(table, maximize=True)].sum()
    return float(matched / n_objects)


def _codes(y: ArrayLike, labels: ArrayLike) -> tuple[Indices, Indices, Any]:
    """Return the codes of classes and clusters, and a mask of noise."""
    columns = {"y": np.asarray(y), "labels": np.asarray(labels)}
    for name, column in columns.items():
        if column.ndim != 1:
            msg = f"{name} has shape {column.shape}; it needs one entry per object."
            raise ValueError(msg)
        if column.dtype.kind == "f" and np.isnan(column).any():
            at = int(np.isnan(column).argmax())
            msg = f"{name} has NaN at position {at}; leave it out."
            raise ValueError(msg)
    n, n_labels = map(len, columns.values())
    if n != n_labels:
        msg = f"y has {n} entries, labels {n_labels}; lengths must agree."
        raise ValueError(msg)
    if n == 0:
        msg = "y and labels are empty; there is nothing to compare."
        raise ValueError(msg)
    codes = []
    for name, column in columns.items():
        try:
            codes.append(np.unique(column, return_inverse=True)[1])
        except TypeError as error:
            msg = f"{name} mixes types: {error}. Convert all of them to text."
            raise ValueError(msg) from error
    numeric = columns["labels"].dtype.kind in "iuf"
    noisy = columns["labels"] == -1 if numeric else np.zeros(n, dtype=bool)
    return codes[0], codes[1], noisy
