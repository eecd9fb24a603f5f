"""From uncertain data to measured values with errors."""

from dataclasses import replace

import numpy as np

from incerta.data.container import UncertainData
from incerta.data.laws import Values
from incerta.data.replicates import replicated
from incerta.mixture.model import Measured, same_for_all
from incerta.typing import Array

# With more features, errors of means are taken to be independent: a matrix for each
# object costs the cube of their number, and brings less and less.
MOST_CORRELATED = 10


def measured(data: UncertainData) -> Measured:
    """Values, errors, and which values are missing.

    `data`: laws other than Gaussian count by their means and covariances.
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


def errors_of_means(data: UncertainData) -> Array:
    """Error variances of the means of objects, shape (d, n); 0 for laws that are known.

    Covariances, of shape (d, d, n), if values are clearly correlated and features few.
    """
    law = data.law
    if data.exact or not isinstance(law, Values):
        return np.zeros((data.n_features, len(data)))
    if law.weights is None:
        together = data.n_features <= MOST_CORRELATED
        means = replicated(law, data.feature_names, together)
        return measured(replace(data, law=means, meaning="error")).errors
    squares = np.add.reduceat(law.weights**2, law.starts[:-1])
    return np.ascontiguousarray((law.variance() * squares[:, None]).T)
