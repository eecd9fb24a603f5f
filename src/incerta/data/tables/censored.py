"""Values with an upper limit, among known values."""

import numpy as np
import scipy  # scipy.optimize is slow to import, and few tables need it
from scipy.special import log_ndtr

from incerta.typing import Array


def below_limits(known: Array, limits: Array) -> tuple[Array, Array]:
    """Return mean and deviation of values below limits, if all are from one Gaussian.

    The Gaussian is the most likely one given the known values (at least two distinct
    ones) and the limits. Values below a limit follow its part below the limit. The
    likelihood has a single maximum in 1/std and mean/std (R. J. Olsen, "Note on the
    uniqueness of the maximum likelihood estimator for the Tobit model", Econometrica
    46, 1978).
    """
    center, scale = known.mean(), known.std()
    x, ends = (known - center) / scale, (limits - center) / scale

    def loss(parameters: Array) -> tuple[float, Array]:
        shift, slope = parameters  # mean/std and 1/std
        z, a = slope * x - shift, slope * ends - shift
        hazard = _hazard(a)
        value = (z**2).sum() / 2 - len(x) * np.log(slope) - log_ndtr(a).sum()
        by_shift = hazard.sum() - z.sum()
        by_slope = z @ x - len(x) / slope - hazard @ ends
        return float(value), np.array([by_shift, by_slope])

    best = scipy.optimize.minimize(
        loss,
        np.array([0.0, 1.0]),
        method="L-BFGS-B",
        jac=True,
        bounds=[(None, None), (1e-6, None)],
        options={"ftol": 1e-14, "gtol": 1e-9},
    )
    shift, slope = best.x
    z = slope * ends - shift
    hazard = _hazard(z)
    mean, variance = -hazard, 1.0 - hazard * (hazard + z)
    # In the far tail the difference is lost to rounding; it is 1 / z² there.
    variance = np.where(z < -1e3, 1.0 / np.maximum(z**2, 1.0), variance)
    return (
        center + scale * (mean + shift) / slope,
        scale * np.sqrt(variance) / slope,
    )


def _hazard(z: Array) -> Array:
    """Return the density of a standard Gaussian over the probability below."""
    hazard: Array = np.exp(-(z**2) / 2 - np.log(2 * np.pi) / 2 - log_ndtr(z))
    return hazard
