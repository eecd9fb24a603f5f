"""Kernel widths of world densities, and the spread of worlds."""

from typing import NamedTuple

import numpy as np

from incerta.exceptions import DataError
from incerta.typing import Array, ArrayLike
from incerta.worlds import Worlds

FLOOR = 1e-3  # least spread of a feature in one world, as a share of the pooled spread


class Spread(NamedTuple):
    """Location and spread of the values of all worlds, per feature."""

    centers: Array  # (n_worlds, n_features), mean of each world
    pooled: Array  # (n_features,), standard deviation over worlds and objects
    each: Array  # (n_worlds, n_features), standard deviation within each world


def spread_of(worlds: "Worlds | Array", weights: Array | None = None) -> Spread:
    """Return the mean and spread of worlds, drawn one at a time."""
    means, variances = [], []
    n_objects = effective_number(worlds.shape[1], weights)
    for world in worlds:
        if weights is None:
            means.append(world.mean(axis=0))
            variances.append(world.var(axis=0))
        else:
            means.append(np.average(world, axis=0, weights=weights))
            squares = np.square(world - means[-1])
            variances.append(np.average(squares, axis=0, weights=weights))
    mean, variance = np.array(means), np.array(variances)
    pooled = variance.mean(axis=0) + mean.var(axis=0)
    size = np.abs(mean).max(axis=0)
    # The spread of a constant feature may be a rounding error.
    pooled[pooled <= (1e-12 * size) ** 2] = 0.0
    each = np.sqrt(variance * (n_objects / max(n_objects - 1, 1)))
    return Spread(mean, np.sqrt(pooled), each)


def effective_number(n_objects: int, weights: Array | None) -> float:
    """Return the effective number of weighted objects, ``(Σ w)² / Σ w²``."""
    if weights is None:
        return n_objects
    return float(weights.sum() ** 2 / np.square(weights).sum())


def bandwidths(rule: "str | ArrayLike", spread: Spread, n_objects: float) -> Array:
    """Return the kernel width of each world and feature (n_worlds, n_features).

    "silverman" is Eq. 6 of the paper, ``1.06 σ n^(-1/5)``, and "scott" is ``σ n^(-1/(d
    + 4))``. Given widths are broadcast. `n_objects` is the `effective_number`.
    """
    sigma = np.maximum(spread.each, FLOOR * spread.pooled)
    d = sigma.shape[1]
    if isinstance(rule, str):
        if rule == "silverman":
            return 1.06 * sigma * n_objects ** (-1 / 5)
        if rule == "scott":
            return sigma * n_objects ** (-1 / (d + 4))
        msg = f"bandwidth={rule!r} must be 'silverman', 'scott' or an array of widths."
        raise ValueError(msg)
    try:
        widths = np.broadcast_to(np.asarray(rule, dtype=np.float64), sigma.shape).copy()
    except ValueError as error:
        msg = (
            f"bandwidth has shape {np.shape(rule)}; give one width per feature, "
            f"({d},), or per world and feature, {sigma.shape}."
        )
        raise DataError(msg) from error
    if not (np.isfinite(widths).all() and (widths > 0).all()):
        msg = "bandwidth must be positive and finite everywhere."
        raise DataError(msg)
    return widths
