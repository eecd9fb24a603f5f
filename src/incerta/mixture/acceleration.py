"""Fewer rounds: guesses far ahead of where EM is going.

EM slows down where errors are large. Two rounds show the way; a long step along it is
kept if it is better. R. Varadhan, C. Roland, "Simple and globally convergent methods
for accelerating the convergence of any EM algorithm", Scand. J. Stat. 35, 2008.
"""

import numpy as np

from incerta.mixture.model import Components
from incerta.typing import Array


def ahead(
    rounds: tuple[Components, Components, Components], scale: Array, longest: float
) -> tuple[Components | None, float]:
    """Components ahead of where two rounds have led.

    `rounds`: before, between and after the two rounds. `scale` (d,): standard
    deviations of the features. `longest`: the longest step to try; 1 is where the
    rounds have led.

    Returns `components`: None where there is nothing to be gained. `step`: length of
    the step.
    """
    before, between, after = (coordinates(each, scale) for each in rounds)
    way = between - before
    bend = after - between - way
    length = float(np.linalg.norm(bend))
    if not length * longest > 0.0:
        return None, 1.0
    step = min(float(np.linalg.norm(way) / length), longest)
    if step <= 1.0:
        return None, 1.0
    return _at(before + 2.0 * step * way + step**2 * bend, rounds[0], scale), step


def coordinates(components: Components, scale: Array) -> Array:
    """Components as a vector: roots of weights, means, covariances or log variances."""
    weights = np.append(components.weights, components.noise_weight)
    return np.concatenate(
        [
            np.sqrt(weights),
            (components.means / scale).ravel(),
            _standard(components.covariances, scale).ravel(),
        ]
    )


def _standard(covariances: Array, scale: Array) -> Array:
    if covariances.ndim == 2:
        return np.log(covariances / scale**2)
    return covariances / scale[:, None] / scale


def _at(place: Array, like: Components, scale: Array) -> Components | None:
    k, d = like.means.shape
    roots, means, shapes = np.split(place, [k + 1, k + 1 + k * d])
    shapes = shapes.reshape(like.covariances.shape)
    if shapes.ndim == 2:
        with np.errstate(over="ignore"):
            covariances = np.exp(shapes) * scale**2
    else:
        # Long steps make rounding errors large: what is symmetric must stay so.
        shapes = 0.5 * (shapes + np.swapaxes(shapes, 1, 2))
        covariances = shapes * scale[:, None] * scale
        try:
            np.linalg.cholesky(covariances)
        except np.linalg.LinAlgError:
            return None
    weights = np.square(roots)
    return like._replace(
        weights=(weights / weights.sum())[:k],
        means=means.reshape(k, d) * scale,
        covariances=covariances,
    )
