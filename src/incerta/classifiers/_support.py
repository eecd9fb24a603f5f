"""SupportMeasureClassifier: a support vector machine for distributions."""

from dataclasses import KW_ONLY
from numbers import Integral
from typing import Any

import numpy as np
from sklearn.calibration import CalibratedClassifierCV
from sklearn.model_selection import StratifiedKFold
from sklearn.svm import SVC
from sklearn.utils.validation import check_is_fitted

from incerta.backend.parameters import (
    POSITIVE,
    SEED,
    Options,
    StrOptions,
    parameter,
    with_parameters,
)
from incerta.classifiers._base import UncertainClassifier, beliefs_about, believer_for
from incerta.data.coerce import objects_of
from incerta.data.container import UncertainData
from incerta.distances.affinity import expected_affinity, same_sort, with_closed_form
from incerta.spectral.affinity import median_distance
from incerta.typing import Array, Indices, Seed

FOLDS = 5
# Number of objects compared at a time where only the diagonal is needed.
AT_ONCE = 16


@with_parameters
class SupportMeasureClassifier(UncertainClassifier):
    """Support vector machine whose inputs are distributions.

    The kernel of two objects is the expectation of a Gaussian kernel over the values of
    both, in closed form where possible. Measured values with errors are first
    deconvolved (see `Deconvolver`). Without uncertainty it is the usual support vector
    machine with a Gaussian kernel.

    Use it for objects that are distributions (replicates, ensembles, intervals).
    `ErrorDiscriminant` is faster, and better for values with error bars if classes are
    elliptical. Time and memory grow with the square of the number of objects, so it is
    for up to some thousand.

    Parameters
    ----------
    C : float, default=1.0
        Penalty of misclassified objects; larger values fit the objects more closely.
    gamma : "median" or float, default="median"
        Coefficient of the kernel ``exp(-gamma d**2)``. "median" sets the width
        ``1 / sqrt(2 gamma)`` to the median distance between the means of the fit.
    level : {1, 2}, default=1
        1 is the expected kernel, which compares where objects are. 2 is a Gaussian
        kernel of the distance between expected kernels (MMD), which also separates
        distributions with the same mean and different shapes.
    random_state : int, RandomState, Generator or None, default=0
        Seed of the cross-validation for probabilities, and of the values that represent
        distributions without a closed form.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The classes, sorted.
    gamma_ : float
        Coefficient of the kernel.
    gamma_of_level_2_ : float
        Coefficient of the second kernel, whose width is the median distance between
        objects of the fit; only with ``level=2``.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    Notes
    -----
    Kernel means are those of [1]_. Probabilities are calibrated by a sigmoid in
    cross-validation with five folds, or fewer if a class has fewer objects. If a class
    has a single object, probabilities are 0 and 1.

    References
    ----------
    .. [1] K. Muandet, K. Fukumizu, F. Dinuzzo, B. Schölkopf, "Learning from
       distributions via support measure machines", NeurIPS 2012.

    Examples
    --------
    >>> import incerta as ic
    >>> import numpy as np
    >>> narrow, wide = np.random.default_rng(0).normal(size=(2, 20, 30, 1))
    >>> data = ic.from_array(np.concatenate([narrow, 5.0 * wide]))
    >>> model = ic.SupportMeasureClassifier(level=2).fit(data, [0] * 20 + [1] * 20)
    >>> model.predict(data)[[0, 19, 20, 39]]
    array([0, 0, 1, 1])
    """

    C: float = parameter(POSITIVE, default=1.0)
    _: KW_ONLY
    gamma: str | float = parameter(
        [StrOptions({"median"}), *POSITIVE], default="median"
    )
    level: int = parameter([Options(Integral, {1, 2})], default=1)
    random_state: Seed = parameter(SEED, default=0)

    def _fit(self, data: UncertainData, codes: Indices) -> None:
        self._believer = believer_for(data)
        beliefs = beliefs_about(self._believer, data)
        self._law = with_closed_form(beliefs.law, self.seed_, beliefs.uniform_keys())
        self.gamma_ = (
            0.5 / median_distance(beliefs.mean()) ** 2
            if isinstance(self.gamma, str)
            else float(self.gamma)
        )
        expected = expected_affinity(self._law, self._law, self.gamma_)
        self._sizes = expected.diagonal().copy()
        kernel = expected
        if self.level == 2:
            apart = self._squared_distances(expected, self._sizes)
            apart = apart[np.triu_indices(len(apart), 1)]
            apart = apart[apart > 0.0]
            middle = np.median(apart) if len(apart) else 1.0
            self.gamma_of_level_2_ = float(0.5 / middle)
            kernel = self._of_level_2(expected, self._sizes)
        self._machine = SVC(C=self.C, kernel="precomputed")
        rarest = int(np.bincount(codes).min())
        self._calibrated = None
        if rarest > 1 and len(self.classes_) > 1:
            folds = StratifiedKFold(min(FOLDS, rarest), shuffle=True, random_state=0)
            self._calibrated = CalibratedClassifierCV(
                self._machine, method="sigmoid", ensemble=False, cv=folds
            ).fit(kernel, codes)
            self._machine = self._calibrated.calibrated_classifiers_[0].estimator
        else:
            self._machine.fit(kernel, codes)

    def decision_function(self, X: Any) -> Array:
        """Return the signed distances of objects to the decision boundaries.

        Parameters
        ----------
        X : UncertainData or anything `as_uncertain` takes
            As for `predict`.

        Returns
        -------
        ndarray of shape (n_new,) or (n_new, n_classes)
            As for scikit-learn's `SVC`.
        """
        check_is_fitted(self)
        kernel = self._kernel(objects_of(self, X, reset=False))
        return self._machine.decision_function(kernel)

    def _proba(self, data: UncertainData) -> Array:
        kernel = self._kernel(data)
        if self._calibrated is None:
            return np.eye(len(self.classes_))[self._machine.predict(kernel)]
        return self._calibrated.predict_proba(kernel)

    def _kernel(self, data: UncertainData) -> Array:
        """Return the kernel of new objects with the objects of the fit."""
        beliefs = beliefs_about(self._believer, data)
        keys = beliefs.uniform_keys()
        new, old = same_sort(beliefs.law, self._law, self.seed_, keys)
        t = self.gamma_
        expected = expected_affinity(new, old, t)
        if self.level == 1:
            return expected
        own = np.empty(new.n_objects)  # of each object with a copy of itself
        for start in range(0, len(own), AT_ONCE):
            few = new.take(np.arange(start, min(start + AT_ONCE, len(own))))
            affinity = expected_affinity(few, few, t)
            own[start : start + AT_ONCE] = affinity.diagonal()
        return self._of_level_2(expected, own)

    def _of_level_2(self, expected: Array, own: Array) -> Array:
        apart = self._squared_distances(expected, own)
        return np.exp(-self.gamma_of_level_2_ * apart)

    def _squared_distances(self, expected: Array, own: Array) -> Array:
        """Return the squared MMD of objects with `own` kernels to those of the fit."""
        return np.clip(own[:, None] + self._sizes - 2.0 * expected, 0.0, None)
