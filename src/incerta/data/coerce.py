"""`as_uncertain`: the one door for whatever an estimator is given."""

from typing import Any

import narwhals as nw
import numpy as np

from incerta.backend.optional import comes_from
from incerta.data.checks import HOW_TO_TELL
from incerta.data.construct import exact, from_array, from_lists
from incerta.data.container import UncertainData
from incerta.exceptions import DataError


def as_uncertain(X: Any) -> UncertainData:
    """Take anything that can be read as uncertain data.

    Parameters
    ----------
    X : UncertainData, array-like, list of arrays or frame
        An `UncertainData` comes back unchanged. A 2-D array or frame of numbers
        holds objects without uncertainty, a 3-D array is taken as by `from_array`,
        a list of 2-D arrays holds the values of one object each. Arrays of the
        package uncertainties and astropy Distributions are taken with their errors.

    Returns
    -------
    UncertainData

    Examples
    --------
    >>> from incerta.data import as_uncertain
    >>> as_uncertain([[[0.0], [0.2]], [[9.0]]]).values_per_object()
    array([2, 1])
    """
    if isinstance(X, UncertainData):
        return X
    if comes_from(X, "xarray"):
        msg = "a DataArray does not say which dimension is which; use from_xarray."
        raise DataError(msg)
    if comes_from(X, "astropy") and hasattr(X, "distribution"):
        from incerta.data.science import from_distribution_array

        return from_distribution_array(X)
    native = nw.from_native(X, eager_only=True, pass_through=True)
    if isinstance(native, nw.DataFrame):
        return exact(native.to_numpy(), feature_names=native.columns)
    if isinstance(X, (list, tuple)) and len(X) == 0:
        msg = "X is empty; there is nothing to cluster."
        raise DataError(msg)
    try:
        array = np.asarray(X)
    except ValueError:  # numpy's word for lists of different lengths
        return from_lists(X)
    if array.dtype == object and comes_from(array.ravel()[0], "uncertainties"):
        from incerta.data.science import from_uncertainties

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
