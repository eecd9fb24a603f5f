"""UncertainNaiveBayes: naive Bayes with measurement errors."""

from dataclasses import KW_ONLY
from typing import ClassVar

import numpy as np
from scipy.special import logsumexp, softmax

from incerta.backend.memory import blocks
from incerta.backend.parameters import (
    NOT_NEGATIVE,
    POSITIVE,
    StrOptions,
    parameter,
    with_parameters,
)
from incerta.classifiers._base import STORED, UncertainClassifier
from incerta.data.container import UncertainData
from incerta.data.meaning import of_errors
from incerta.data.reliability import true_spread
from incerta.models.files import Storable
from incerta.typing import Array, Indices

LOG_2PI = float(np.log(2.0 * np.pi))
# Least share of the variance of a class that is left when errors are removed.
LEAST_SHARE = 0.05
TINY = float(np.finfo(np.float64).tiny)


@with_parameters
class UncertainNaiveBayes(Storable, UncertainClassifier):
    """Naive Bayes classifier that accounts for the uncertainty of each value.

    Features are treated as independent within each class. The likelihood of a new
    object is the expected density of the class over the possible values of the object.
    Densities estimated with kernels can have any shape.

    Use it for many features and few objects. Use `ErrorDiscriminant` if features are
    correlated within classes. A prediction costs the number of new objects times
    kernels times features.

    Parameters
    ----------
    density : {"kernel", "gaussian"}, default="kernel"
        "kernel": a kernel at each object of the class, widened by its uncertainty and
        the bandwidth. "gaussian": one Gaussian per class.
    bandwidth : float, default=1.06
        Factor of ``sd * n**(-1/5)``, where n is the number of objects of the class.
    smoothing : float, default=1e-9
        Share of the largest variance of all features that is added to every variance.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The classes, sorted.
    priors_ : ndarray of shape (n_classes,)
        Shares of the classes in the fit.
    centers_ : ndarray of shape (n_kernels, n_features)
        Centers of the kernels: one row per object, or per class.
    variances_ : ndarray of shape (n_kernels, n_features)
        Variances of the kernels, with the bandwidth.
    class_of_kernel_ : ndarray of shape (n_kernels,)
        Number of the class of each kernel.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    Notes
    -----
    With error variances v, the likelihood of a value w is the mean over the kernels of
    a class of ``N(w; center, variance + v)`` [1]_. The errors of the objects of the fit
    are removed: kernels are at the posterior means of their true values, given the
    class. Distributions other than Gaussian enter by mean and variance.

    References
    ----------
    .. [1] J. Ren et al., "Naive Bayes classification of uncertain data", ICDM 2009.

    Examples
    --------
    >>> import incerta as ic
    >>> data = ic.from_gaussian([[0.0], [0.5], [4.0], [4.5]], std=0.2)
    >>> model = ic.UncertainNaiveBayes().fit(data, [0, 0, 1, 1])
    >>> new = ic.from_gaussian([[3.5], [3.5]], std=[[0.1], [50.0]])
    >>> model.predict_proba(new).round(1)
    array([[0. , 1. ],
           [0.5, 0.5]])
    """

    _: KW_ONLY
    density: str = parameter([StrOptions({"kernel", "gaussian"})], default="kernel")
    bandwidth: float = parameter(POSITIVE, default=1.06)
    smoothing: float = parameter(NOT_NEGATIVE, default=1e-9)

    _stored: ClassVar[dict[str, str]] = {
        **STORED,
        "priors_": "f c",
        "centers_": "f k d",
        "variances_": "f k d",
        "class_of_kernel_": "i k",
    }

    def _fit(self, data: UncertainData, codes: Indices) -> None:
        n_classes, means = len(self.classes_), data.mean()
        kernels = [
            self._kernels(data[np.flatnonzero(codes == c)]) for c in range(n_classes)
        ]
        centers, variances = zip(*kernels, strict=True)
        self.priors_ = np.bincount(codes, minlength=n_classes) / len(codes)
        self.centers_ = np.concatenate(centers)
        floor = self.smoothing * float(means.var(axis=0).max())
        self.variances_ = np.concatenate(variances) + max(floor, TINY)
        self.class_of_kernel_ = np.repeat(np.arange(n_classes), list(map(len, centers)))

    def _kernels(self, data: UncertainData) -> tuple[Array, Array]:
        """Return centers and variances of the kernels of a class, (n_kernels, d)."""
        values, own = data.mean(), data.variance()
        center, between = values.mean(axis=0), values.var(axis=0)
        inside = own.mean(axis=0)
        if of_errors(data):
            known = np.ones_like(values.T)
            center, between = true_spread(values.T, own.T, known, LEAST_SHARE)
            kept = between / np.maximum(between + own, TINY)
            values, own = center + kept * (values - center), kept * own
            inside = np.zeros_like(inside)
        if self.density == "gaussian":
            return center[None], (between + inside)[None]
        width = self.bandwidth * np.sqrt(between) * len(values) ** -0.2
        return values, own + width**2

    def _proba(self, data: UncertainData) -> Array:
        means, own = data.mean(), data.variance()
        logs = np.empty((len(data), len(self.classes_)))
        for rows in blocks(len(data), 8 * 4 * len(self.centers_)):
            logs[rows] = self._log_densities(means[rows], own[rows])
        return softmax(logs + np.log(self.priors_), axis=1)

    def _log_densities(self, means: Array, own: Array) -> Array:
        """Return the log likelihood of new objects, (n_new, n_classes)."""
        logs = np.zeros((len(means), len(self.classes_)))
        for j in range(means.shape[1]):
            total = own[:, j, None] + self.variances_[:, j]
            gaps = means[:, j, None] - self.centers_[:, j]
            each = -0.5 * (gaps**2 / total + np.log(total) + LOG_2PI)
            for c in range(len(self.classes_)):
                of_class = each[:, self.class_of_kernel_ == c]
                logs[:, c] += logsumexp(of_class, axis=1) - np.log(of_class.shape[1])
        return logs
