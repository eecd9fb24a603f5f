"""WorldsClassifier: any classifier of scikit-learn, run in many possible worlds."""

from collections.abc import Iterator
from dataclasses import KW_ONLY
from numbers import Integral
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from sklearn.base import MetaEstimatorMixin, clone
from sklearn.ensemble import RandomForestClassifier

from incerta.backend.parameters import (
    SEED,
    WHOLE,
    HasMethods,
    parameter,
    with_parameters,
)
from incerta.classifiers._base import UncertainClassifier, beliefs_about, believer_for
from incerta.data.container import UncertainData
from incerta.typing import Array, Indices, Seed
from incerta.worlds.sequence import paired, worlds_of


@with_parameters
class WorldsClassifier(MetaEstimatorMixin, UncertainClassifier):  # type: ignore[misc]
    """Train any classifier on random draws of uncertain data, and average.

    In a possible world (a random draw of the data) every object has one value. A copy
    of the classifier is trained in each world of the objects of the fit and applied to
    a world of the new objects. Probabilities are means over the worlds. Measured values
    with errors are first deconvolved (see `Deconvolver`), because drawing around them
    would add a second error. Without uncertainty there is one world.

    Use it if a classifier of scikit-learn suits the exact values. `ErrorDiscriminant`
    is cheaper, and better if classes are elliptical. Time and memory are those of the
    classifier, times the number of worlds.

    Parameters
    ----------
    classifier : classifier, optional
        Any classifier with the interface of scikit-learn; a random forest by default.
        Without `predict_proba`, its labels are counted.
    n_worlds : int, default=20
        Number of worlds. For joint data, at most the number of draws.
    n_jobs : int, optional
        Number of worlds processed in parallel.
    random_state : int, RandomState, Generator or None, default=0
        Seed of the worlds, and of a classifier whose ``random_state`` is None.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The classes, sorted.
    estimators_ : list of classifier
        The classifier of each world, fitted to numbers of classes.
    seed_, n_features_in_, feature_names_in_
        ``random_state=seed_`` repeats the fit; the others are as in scikit-learn.

    Notes
    -----
    New objects are paired with the objects of the fit world by world: draws of one
    ensemble belong together.

    Examples
    --------
    >>> import incerta as ic
    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> data = ic.from_interval([[0.0], [0.5], [4.0], [4.5]], [[1], [1.5], [5], [5.5]])
    >>> model = ic.WorldsClassifier(KNeighborsClassifier(1)).fit(data, list("aabb"))
    >>> model.predict(ic.from_interval([[0.2], [3.9]], [[0.4], [4.1]]))
    array(['a', 'b'], dtype='<U1')
    """

    classifier: Any = parameter([HasMethods(["fit", "predict"]), None], default=None)
    _: KW_ONLY
    n_worlds: int = parameter(WHOLE, default=20)
    n_jobs: int | None = parameter([Integral, None], default=None)
    random_state: Seed = parameter(SEED, default=0)

    def _fit(self, data: UncertainData, codes: Indices) -> None:
        self._believer = believer_for(data)
        beliefs = beliefs_about(self._believer, data)
        self._worlds = worlds_of(beliefs, self.n_worlds, self.seed_)
        base = RandomForestClassifier() if self.classifier is None else self.classifier
        if base.get_params().get("random_state", 0) is None:
            base = clone(base).set_params(random_state=self.seed_)
        self.estimators_ = Parallel(self.n_jobs)(
            delayed(clone(base).fit)(world, codes) for world in self._worlds
        )

    def _proba(self, data: UncertainData) -> Array:
        beliefs = beliefs_about(self._believer, data)
        pairs = paired(self._worlds, beliefs, self.n_worlds)
        models = (self.estimators_[j] for j in pairs.positions)
        answers: Iterator[Array] = Parallel(self.n_jobs, return_as="generator")(
            delayed(_probabilities)(model, world, len(self.classes_))
            for model, world in zip(models, pairs.new, strict=True)
        )
        total = np.zeros((len(data), len(self.classes_)))
        for answer in answers:
            total += answer
        return total / len(pairs.positions)


def _probabilities(model: Any, world: Array, n_classes: int) -> Array:
    if not hasattr(model, "predict_proba"):
        return np.eye(n_classes)[model.predict(world)]
    return model.predict_proba(world)
