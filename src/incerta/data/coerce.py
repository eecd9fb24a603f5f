"""Convert the input of estimators: `as_uncertain`, `objects_of`."""

from collections.abc import Callable
from dataclasses import replace
from functools import wraps
from os import PathLike
from typing import Any, TypeVar

import narwhals as nw
import numpy as np
from sklearn.utils.validation import validate_data

from incerta.backend.optional import comes_from
from incerta.data import from_scipy  # noqa: F401 (what models may hold)
from incerta.data.checks import (
    HOW_TO_TELL,
    as_feature_names,
    as_finite,
    plain_numbers,
    without_masks,
)
from incerta.data.construct import exact, from_array, from_gaussian, from_lists
from incerta.data.container import UncertainData
from incerta.data.refused import refuse_extremes, refuse_missing
from incerta.data.tables.columns import as_narwhals, library_of, numbers_of
from incerta.data.tables.names import refuse_errors
from incerta.exceptions import DataError
from incerta.typing import Array

T = TypeVar("T", bound=type[Any])


def as_uncertain(X: Any) -> UncertainData:
    """Convert anything that can be read as uncertain data.

    Parameters
    ----------
    X : UncertainData, array-like, list of arrays or frame
        An `UncertainData` comes back unchanged. A 2-D array or frame of numbers holds
        objects without uncertainty; a frame with columns that are named like errors is
        refused. A 3-D array is read as by `from_array`, and a list of 2-D arrays holds
        the values of one object in each. Arrays of the package uncertainties and
        astropy Distributions keep their errors.

    Examples
    --------
    >>> from incerta.data import as_uncertain
    >>> as_uncertain([[[0.0], [0.2]], [[9.0]]]).values_per_object()
    array([2, 1])
    """
    if isinstance(X, UncertainData):
        if not len(X):
            msg = "data has no objects; there is nothing to cluster."
            raise DataError(msg)
        return X
    if isinstance(X, (str, PathLike)):
        msg = f"X={str(X)!r} is a name, not data; read it first: ic.read_table(...)."
        raise DataError(msg)
    if comes_from(X, "xarray"):
        msg = "the dimensions of a DataArray have no fixed roles; use from_xarray."
        raise DataError(msg)
    if comes_from(X, "astropy") and hasattr(X, "distribution"):
        from incerta.data.from_science import from_distribution_array

        return from_distribution_array(X)
    native = as_narwhals(X, eager_only=True, pass_through=True)
    if isinstance(native, nw.DataFrame):
        names = native.columns
        if not names:
            msg = "X has no columns; there is nothing to cluster."
            raise DataError(msg)
        table = np.column_stack([_feature(native, name) for name in names])
        refuse_errors(names, table)
        for name, column in zip(names, table.T, strict=True):
            as_finite(column, f"column {name!r}")
        return replace(exact(table, feature_names=names), library=library_of(X))
    if isinstance(X, (list, tuple)) and len(X) == 0:
        msg = "X is empty; there is nothing to cluster."
        raise DataError(msg)
    X = without_masks(X)
    try:
        array = np.asarray(X)
    except ValueError:  # numpy's word for lists of different lengths
        return from_lists(X)
    if array.dtype == object and comes_from(array.ravel()[0], "uncertainties"):
        from incerta.data.from_science import from_uncertainties

        return from_uncertainties(array)
    if array.ndim == 2:
        return exact(array)
    if array.ndim == 3:
        return from_array(array)
    if array.dtype == object:
        return from_lists(X)
    msg = (
        f"X has shape {array.shape}; uncertain data have 2 dimensions (points) or 3 "
        f"(values of each object). {HOW_TO_TELL}"
    )
    if array.ndim == 1:
        msg += " For a single exact feature pass X.reshape(-1, 1)."
    raise DataError(msg)


def is_plain_table(X: Any) -> bool:
    """Tell whether `X` is a 2-D table of exact numbers, as scikit-learn takes it."""
    if isinstance(X, UncertainData) or comes_from(X, "xarray", "astropy"):
        return False
    if isinstance(X, (list, tuple)):
        try:
            X = np.asarray(X)
        except ValueError:
            return False
    array_like = isinstance(X, np.ndarray)
    if array_like and X.dtype == object and X.size:
        first = X.ravel()[0]
        return (
            X.ndim != 3
            and np.ndim(first) == 0
            and not comes_from(first, "uncertainties")
        )
    return not (array_like and X.ndim == 3)


def _plain_table(X: Any) -> Any:
    """Refuse a table of exact values with cells that only look like numbers.

    scikit-learn would accept dates and numbers written as text, and drop masks.
    """
    native = as_narwhals(X, eager_only=True, pass_through=True)
    if isinstance(native, nw.DataFrame):
        for name, kind in native.schema.items():
            if not kind.is_numeric():
                _feature(native, name)
        return X
    if isinstance(X, (list, tuple, np.ndarray)) or hasattr(X, "unmasked"):
        array = np.asarray(without_masks(X))
        # Complex numbers are refused by scikit-learn, with its usual message.
        return array if array.dtype.kind == "c" else plain_numbers(array, "X")
    return X


def _feature(frame: nw.DataFrame[Any], name: str) -> Array:
    """Return a column as numbers; suggest text columns as ids."""
    try:
        return numbers_of(frame[name], name)
    except DataError as error:
        others = [other for other, kind in frame.schema.items() if kind.is_numeric()]
        column = frame[name]
        names_objects = column.dtype == nw.String and column.is_unique().all()
        if not others:
            raise
        table = np.column_stack([numbers_of(frame[other], other) for other in others])
        refuse_errors(others, table, name if names_objects else None)
        id, how = "", "To leave it out, name the others"
        if names_objects:
            id, how = f"id={name!r}, ", "If it names the objects, say so"
        msg = f"{error} {how}: from_frame(table, {id}values={others!r})."
        raise DataError(msg) from error


def objects_of(estimator: Any, X: Any, *, reset: bool = True) -> UncertainData:
    """Convert the input of an estimator, and check it against the fit.

    Plain tables pass scikit-learn's check; NaN is a missing value if the estimator
    supports that. With `reset`, as in ``fit``, set ``n_features_in_`` and, if features
    have names, ``feature_names_in_`` of the estimator; otherwise `X` must have the
    features of the fit.
    """
    takes_missing = getattr(estimator, "_takes_missing", False)
    if is_plain_table(X):
        table = validate_data(
            estimator,
            _plain_table(X),
            dtype=np.float64,
            reset=reset,
            ensure_all_finite="allow-nan" if takes_missing else True,
        )
        names = getattr(estimator, "feature_names_in_", None)
        if reset and names is not None:
            refuse_errors(names.tolist(), table)
        data = (
            from_gaussian(table, std=0.0, feature_names=names, missing="infinite")
            if np.isnan(table).any()
            else exact(table, feature_names=names)
        )
        refuse_extremes(data, spread=reset)
        return data
    data = as_uncertain(X)
    refuse_extremes(data, spread=reset)
    if not takes_missing:
        refuse_missing(data)
    named = data.feature_names != as_feature_names(None, data.n_features)
    if reset:
        estimator.n_features_in_ = data.n_features
        if hasattr(estimator, "feature_names_in_"):
            del estimator.feature_names_in_
        if named:
            estimator.feature_names_in_ = np.array(data.feature_names, dtype=object)
        return data
    if data.n_features != estimator.n_features_in_:
        msg = (
            f"X has {data.n_features} features, but {type(estimator).__name__} is "
            f"expecting {estimator.n_features_in_} features as input."
        )
        raise DataError(msg)
    fitted = tuple(getattr(estimator, "feature_names_in_", data.feature_names))
    if named and fitted != data.feature_names:
        msg = (
            f"X has the features {data.feature_names}, but {type(estimator).__name__} "
            f"was fitted with {fitted}; select or rename them."
        )
        raise DataError(msg)
    return data


def uncertain_stays(cls: T) -> T:
    """Keep ``set_output`` of scikit-learn from putting uncertain data into a frame."""
    for name in ("transform", "fit_transform"):
        setattr(cls, name, _uncontained(getattr(cls, name)))
    return cls


def _uncontained(method: Callable[..., Any]) -> Callable[..., Any]:
    """Choose between scikit-learn's wrapper and the method that it wraps."""
    ours: Callable[..., Any] = getattr(method, "__wrapped__", method)

    @wraps(ours)
    def chosen(self: Any, X: Any, *args: Any, **kwargs: Any) -> Any:
        called = method if is_plain_table(X) else ours
        return called(self, X, *args, **kwargs)

    return chosen
