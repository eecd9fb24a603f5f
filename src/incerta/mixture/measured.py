"""From uncertain data to measured values with errors."""

import numpy as np

from incerta.data.container import UncertainData
from incerta.mixture.model import Measured, same_for_all


def measured(data: UncertainData) -> Measured:
    """Values, errors, and which values are missing.

    Parameters
    ----------
    data : UncertainData
        Laws other than Gaussian count by their means and covariances.

    Returns
    -------
    Measured
    """
    values = np.ascontiguousarray(data.mean().T)
    if data.law.independent_features:
        errors = np.ascontiguousarray(data.variance().T)
    else:
        errors = np.ascontiguousarray(np.moveaxis(data.covariance(), 0, -1))
    missing = np.isnan(values)
    if not missing.any():
        first = errors[..., :1]
        if (errors == first).all():
            errors = same_for_all(first, len(data))
        return Measured(values, errors)
    values[missing] = 0.0
    errors = np.where(missing, 0.0, errors)
    if errors.ndim == 3:
        errors = np.where(missing[:, None], 0.0, errors)
    return Measured(values, errors, (~missing).astype(np.float64))
