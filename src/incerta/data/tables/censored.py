"""Values of which only an upper limit is known, among others that are known."""

import numpy as np
from scipy.optimize import minimize
from scipy.special import log_ndtr
from scipy.stats import truncnorm

from incerta.typing import Array


def below_limits(known: Array, limits: Array) -> tuple[Array, Array]:
    """Where values below limits are, if all values come from one Gaussian.

    Its mean and standard deviation are the most likely ones given the known values and
    the limits; values below a limit follow the part of it that is below.

    Parameters
    ----------
    known : ndarray of shape (n_known,)
        At least two different values.
    limits : ndarray of shape (n_limits,)
        Upper limits of other values.

    Returns
    -------
    mean, std : ndarray of shape (n_limits,)
        Of the value below each limit.

    Notes
    -----
    The likelihood has a single maximum in 1/std and mean/std (R. J. Olsen, "Note on the
    uniqueness of the maximum likelihood estimator for the Tobit model", Econometrica
    46, 1978).

    Examples
    --------
    >>> import numpy as np
    >>> from incerta.data.tables.censored import below_limits
    >>> mean, std = below_limits(np.array([-1.0, 0.0, 1.0, 2.0]), np.array([0.0]))
    >>> mean.round(2), std.round(2)
    (array([-0.86]), array([0.67]))
    """
    centre, scale = known.mean(), known.std()
    x, ends = (known - centre) / scale, (limits - centre) / scale

    def loss(parameters: Array) -> tuple[float, Array]:
        shift, slope = parameters  # mean/std and 1/std
        z, a = slope * x - shift, slope * ends - shift
        logs = log_ndtr(a)
        hazard = np.exp(-(a**2) / 2 - np.log(2 * np.pi) / 2 - logs)
        value = (z**2).sum() / 2 - len(x) * np.log(slope) - logs.sum()
        by_shift = hazard.sum() - z.sum()
        by_slope = z @ x - len(x) / slope - hazard @ ends
        return float(value), np.array([by_shift, by_slope])

    limit = [(None, None), (1e-6, None)]
    options = {"ftol": 1e-14, "gtol": 1e-9}
    start = np.array([0.0, 1.0])
    best = minimize(loss, start, jac=True, bounds=limit, options=options)
    shift, slope = best.x
    z = slope * ends - shift
    mean, variance = truncnorm.stats(-np.inf, z, moments="mv")
    return (
        centre + scale * (mean + shift) / slope,
        scale * np.sqrt(variance) / slope,
    )
