"""Agreement of a clustering with known classes.

All measures are between 0 and 1 (`ari` may be negative), grow with agreement, and do
not depend on what clusters and classes are called. Time grows with the number of
objects, memory with the number of classes times that of clusters.
"""

from collections.abc import Sequence
from typing import Any, Literal, TypeAlias

import numpy as np
from scipy.optimize import linear_sum_assignment
from sklearn.metrics import adjusted_rand_score, normalized_mutual_info_score
from sklearn.metrics.cluster import contingency_matrix

from incerta.typing import Array, ArrayLike, Indices

NoiseRule: TypeAlias = Literal["cluster", "singletons"]


def clustering_accuracy(
    y: ArrayLike,
    labels: ArrayLike,
    *,
    noise: Literal["error", "cluster", "ignore"] = "error",
) -> float:
    """Share of objects that are right when clusters are best matched to classes.

    Each class is matched to at most one cluster and each cluster to at most one
    class, so that as many objects as possible are right (Hungarian assignment).
    Where there are more clusters than classes, those left over are wrong.

    Parameters
    ----------
    y : array-like of shape (n_objects,)
        Class of each object: numbers or text.
    labels : array-like of shape (n_objects,)
        Cluster of each object; the number -1 is noise.
    noise : {"error", "cluster", "ignore"}, default="error"
        What noise counts as: always wrong, one more cluster, or left out. With
        "ignore", also report what share was not noise: ``(labels != -1).mean()``.

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
    _refuse_unknown("noise", noise, ("error", "cluster", "ignore"))
    classes, clusters, noisy = _codes(y, labels)
    n_objects = len(classes)
    if noise != "cluster":
        classes, clusters = classes[~noisy], clusters[~noisy]
    if noise == "ignore":
        n_objects = len(classes)
        if n_objects == 0:
            msg = "labels are all -1: nothing is left with noise='ignore'; use 'error'."
            raise ValueError(msg)
    if len(classes) == 0:
        return 0.0
    table = contingency_matrix(classes, clusters)
    matched = table[linear_sum_assignment(table, maximize=True)].sum()
    return float(matched / n_objects)


def nmi(
    y: ArrayLike,
    labels: ArrayLike,
    *,
    average: Literal["arithmetic", "geometric", "max", "min"] = "arithmetic",
    noise: NoiseRule = "cluster",
) -> float:
    """Normalised mutual information of classes and clusters.

    ``I(y, labels) / average(H(y), H(labels))``, as scikit-learn computes it: 1 if both
    are a single group, 0 if only one of them is. It rises with the number of clusters
    even for random ones; `ari` does not.

    Parameters
    ----------
    y, labels
        As in `clustering_accuracy`.
    average : {"arithmetic", "geometric", "max", "min"}, default="arithmetic"
        Normalisation. Say which one was used: "arithmetic" is scikit-learn's default,
        "geometric" that of Strehl and Ghosh [1]_.
    noise : {"cluster", "singletons"}, default="cluster"
        Noise is one cluster, or each noise object is a cluster of its own.

    References
    ----------
    .. [1] A. Strehl and J. Ghosh, "Cluster ensembles: a knowledge reuse framework for
       combining multiple partitions", JMLR 3, 2002.

    Examples
    --------
    >>> from incerta.metrics import nmi
    >>> y, labels = [0, 0, 0, 0, 0, 1, 1, 1, 2, 2], [0, 0, 0, 0, 1, 1, 1, 1, 1, 1]
    >>> round(nmi(y, labels), 6), round(nmi(y, labels, average="geometric"), 6)
    (0.496646, 0.507913)
    """
    _refuse_unknown("average", average, ("arithmetic", "geometric", "max", "min"))
    classes, clusters = _grouped(y, labels, noise)
    score = normalized_mutual_info_score(classes, clusters, average_method=average)
    return float(score)


def ari(y: ArrayLike, labels: ArrayLike, *, noise: NoiseRule = "cluster") -> float:
    """Rand index of classes and clusters, adjusted for chance.

    The share of pairs of objects that are together, or apart, in both, scaled to 0 for
    what random labels reach and to 1 for equality, as scikit-learn computes it [1]_.

    Parameters
    ----------
    y, labels, noise
        As in `nmi`.

    References
    ----------
    .. [1] L. Hubert and P. Arabie, "Comparing partitions", Journal of Classification
       2, 1985.

    Examples
    --------
    >>> from incerta.metrics import ari
    >>> ari([0, 0, 1, 1], [1, 1, 0, 0])
    1.0
    """
    return float(adjusted_rand_score(*_grouped(y, labels, noise)))


def f_measure(
    y: ArrayLike,
    labels: ArrayLike,
    *,
    average: Literal["class", "macro"] = "class",
    noise: NoiseRule = "cluster",
) -> float:
    """F-measure: each class against the cluster that fits it best.

    With precision P the share of the class in a cluster and recall R the share of the
    class that the cluster holds, "class" is the mean over classes, weighted by size,
    of the largest ``2 P R / (P + R)``. A cluster may serve several classes.

    Parameters
    ----------
    y, labels, noise
        As in `nmi`.
    average : {"class", "macro"}, default="class"
        "macro" is the older form: the harmonic mean of two averages over classes,
        those of the largest precision and of the largest recall.

    References
    ----------
    .. [1] F. Gullo and A. Tagarelli, "Uncertain centroid based partitional clustering
       of uncertain data", PVLDB 5(7), 2012.

    Examples
    --------
    >>> from incerta.metrics import f_measure
    >>> y, labels = [0, 0, 0, 0, 0, 1, 1, 1, 2, 2], [0, 0, 0, 0, 1, 1, 1, 1, 1, 1]
    >>> round(f_measure(y, labels), 6), round(f_measure(y, labels, average="macro"), 6)
    (0.744444, 0.738609)
    """
    _refuse_unknown("average", average, ("class", "macro"))
    classes, clusters = _grouped(y, labels, noise)
    table: Array = contingency_matrix(classes, clusters).astype(np.float64)
    sizes = table.sum(axis=1)
    if average == "macro":
        precision = (table / table.sum(axis=0)).max(axis=1).mean()
        recall = (table / sizes[:, None]).max(axis=1).mean()
        return float(2 * precision * recall / (precision + recall))
    # 2PR / (P + R) without dividing by 0: twice the overlap over the sum of sizes.
    best = (2 * table / (sizes[:, None] + table.sum(axis=0))).max(axis=1)
    return float(sizes @ best / sizes.sum())


def _grouped(y: ArrayLike, labels: ArrayLike, noise: str) -> tuple[Indices, Indices]:
    _refuse_unknown("noise", noise, ("cluster", "singletons"))
    classes, clusters, noisy = _codes(y, labels)
    if noise == "singletons":
        clusters = clusters.copy()
        clusters[noisy] = clusters.max() + 1 + np.arange(noisy.sum())
    return classes, clusters


def _codes(y: ArrayLike, labels: ArrayLike) -> tuple[Indices, Indices, Any]:
    """Number classes and clusters, and find the noise."""
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


def _refuse_unknown(name: str, value: str, known: Sequence[str]) -> None:
    if value not in known:
        msg = f"{name}={value!r} is not known; choose one of {', '.join(known)}."
        raise ValueError(msg)
