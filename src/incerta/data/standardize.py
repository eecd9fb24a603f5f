"""`Standardizer`: uncertain data on comparable scales."""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from incerta.data.coerce import is_plain_table, objects_of, uncertain_stays
from incerta.data.container import UncertainData, sorted_by_id
from incerta.data.projections import Projected, projected
from incerta.data.reliability import spread_in_projection
from incerta.exceptions import MissingValueError
from incerta.models.checks import check_shapes, whole
from incerta.models.registry import Recipe, State, register
from incerta.typing import Array, Indices

# Least share of the observed variance of a projected feature that is its spread.
LEAST_TRUE = 0.05


@uncertain_stays
class Standardizer(OneToOneFeatureMixin, TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Bring features to a common scale, including their uncertainty.

    Every value of every object is shifted and divided by the same two numbers per
    feature, so error bars, covariances, bounds and values shrink alike and the worlds
    stay comparable. Use it before any method that measures distances across features
    of different units. It costs one pass over the data.

    Parameters
    ----------
    spread : {"total", "means"}, default="total"
        The quantity that becomes 1: the standard deviation of the values of all objects
        together (law of total variance), or of the object means. "means" inflates a
        feature in which objects differ little compared with its uncertainty. For
        measurements in projection, it is the standard deviation of the true values.

    Attributes
    ----------
    center_ : ndarray of shape (n_features,)
        Mean of the object means.
    scale_ : ndarray of shape (n_features,)
        Spread of each feature; 1 if a feature does not vary at all.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features,)
        Names of the features, if the data had names.

    Notes
    -----
    For a plain 2-D array the result is that of scikit-learn's ``StandardScaler``.

    Examples
    --------
    >>> import incerta as ic
    >>> data = ic.from_gaussian([[0.0], [10.0]], std=[[1.0], [2.0]])
    >>> scaled = ic.Standardizer().fit_transform(data)
    >>> scaled.mean().ravel().round(2), scaled.variance().ravel().round(2)
    (array([-0.95,  0.95]), array([0.04, 0.15]))
    """

    _takes_missing: ClassVar[bool] = True
    _stored: ClassVar[dict[str, str]] = {
        "center_": "f d",
        "scale_": "f d",
        "feature_names_in_": "a d",
    }

    def __init__(self, spread: str = "total") -> None:
        self.spread = spread

    def __sklearn_tags__(self) -> Any:
        """Return the tags of the estimator for scikit-learn."""
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags

    def fit(self, X: Any, y: None = None) -> Self:
        """Find center and scale of each feature.

        Parameters
        ----------
        X : UncertainData or anything `as_uncertain` takes
            The objects.
        y : None
            Not used; present for pipelines.
        """
        if self.spread not in ("means", "total"):
            msg = f"spread={self.spread!r} must be 'means' or 'total'."
            raise ValueError(msg)
        data = sorted_by_id(objects_of(self, X))  # sums round along the rows
        seen = projected(data.law)
        if seen is not None:
            return self._fit_in_projection(seen, data.feature_names)
        means = data.mean()
        known = ~np.isnan(means)
        _refuse_empty(known.sum(axis=0), data.feature_names)
        variance = means.var(axis=0, where=known)
        if self.spread == "total":
            variance = variance + data.variance().mean(axis=0, where=known)
        # Rounding gives a constant column a spread of about 1e-16 of its size.
        largest = np.abs(means).max(axis=0, where=known, initial=0.0)
        flat = variance <= (1e-14 * largest) ** 2
        self.center_ = means.mean(axis=0, where=known)
        self.scale_ = np.where(flat, 1.0, np.sqrt(variance))
        return self

    def _fit_in_projection(self, seen: Projected, names: tuple[str, ...]) -> Self:
        """Fit to measurements in projection, of which only the truth has features."""
        _refuse_empty((seen.matrix != 0.0).sum(axis=(0, 1)), names)
        values = np.where(seen.measured, seen.center, 0.0)
        self.center_, variances, _ = spread_in_projection(
            values, seen.errors, seen.matrix, LEAST_TRUE
        )
        self.scale_ = np.where(variances > 0.0, np.sqrt(variances), 1.0)
        return self

    def transform(self, X: Any) -> UncertainData | Array:
        """Center and scale `X`; a plain 2-D array gives a plain array.

        Parameters
        ----------
        X : UncertainData or anything `as_uncertain` takes
            The objects.
        """
        check_is_fitted(self)
        return self._affine(X, 1.0 / self.scale_, -self.center_ / self.scale_)

    def inverse_transform(self, X: Any) -> UncertainData | Array:
        """Undo `transform`; a plain 2-D array gives a plain array.

        Parameters
        ----------
        X : UncertainData or anything `as_uncertain` takes
            Objects on the common scale.
        """
        check_is_fitted(self)
        return self._affine(X, self.scale_, self.center_)

    def _affine(self, X: Any, scale: Array, offset: Array) -> UncertainData | Array:
        moved = objects_of(self, X, reset=False).affine(scale, offset)
        return moved.mean() if is_plain_table(X) else moved


def _refuse_empty(n_known: Indices, names: tuple[str, ...]) -> None:
    if not n_known.all():
        name = names[int(n_known.argmin())]
        msg = f"feature {name!r} is missing in every object; leave it out."
        raise MissingValueError(msg)


def _state(scaler: Standardizer) -> State:
    fields = ("spread", "n_features_in_", *Standardizer._stored)
    return {name: getattr(scaler, name) for name in fields if hasattr(scaler, name)}


def _made(state: State) -> Standardizer:
    scaler = Standardizer(state["spread"])
    whole(state["n_features_in_"], 0, "n_features_in_")
    check_shapes(state, Standardizer._stored, {"d": state["n_features_in_"]})
    for name in ("n_features_in_", *Standardizer._stored.keys() & state.keys()):
        setattr(scaler, name, state[name])
    return scaler


register(Standardizer, Recipe(_state, _made, is_model=True))
