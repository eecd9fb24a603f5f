"""``E|X − Y|`` in one feature, in closed form.

Every family is computed as ``|E D| + 2 E max(−D, 0)`` of ``D = X − Y``, with the sign
such that ``E D ≥ 0``: what is added is never negative, so rounding cannot take the
result below the distance of the means, which Jensen's inequality forbids.
"""

from functools import singledispatch
from typing import Any

import numpy as np
from scipy.special import ndtr

from incerta.data.laws import Gaussian, Independent, Law
from incerta.typing import Array

# An interval this much shorter than the other counts as its centre: what that leaves
# out is of the order of the square, and the formula would lose as many digits.
MUCH_SHORTER = 1e-5


def distances_in_one_feature(a: Law, b: Law) -> Array:
    """``E|X − Y|`` of all pairs of objects of two laws with one feature.

    Laws are of one kind, for which `with_closed_form` knows a formula, and no values.
    """
    return _of_pairs(a, b)


@singledispatch
def _of_pairs(a: Law, b: Any) -> Array:
    msg = f"distances of objects given as {a.kind} have no formula."
    raise TypeError(msg)


@_of_pairs.register
def _(a: Gaussian, b: Gaussian) -> Array:
    return _gaussian(a.mean() - b.mean().T, np.sqrt(a.variance() + b.variance().T))


@_of_pairs.register
def _(a: Independent, b: Independent) -> Array:
    if a.family == "gaussian":
        return _gaussian(a.loc - b.loc.T, np.hypot(a.scale, b.scale.T))
    of_family = {"uniform": _uniform, "exponential": _exponential}[a.family]
    return of_family(a.loc, a.scale, b.loc.T, b.scale.T)


def _gaussian(gap: Array, width: Array) -> Array:
    """``|m| + 2 (s n(m/s) − |m| N(−|m|/s))``, the mean of a folded normal."""
    size = np.abs(gap)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        z = np.where(width > 0, size / width, np.inf)
        density = np.exp(-0.5 * z**2) / np.sqrt(2.0 * np.pi)
    return size + 2.0 * np.maximum(width * density - size * ndtr(-z), 0.0)


def _uniform(a1: Array, w1: Array, a2: Array, w2: Array) -> Array:
    a1, a2 = a1 + np.minimum(w1, 0.0), a2 + np.minimum(w2, 0.0)
    w1, w2 = np.broadcast_arrays(np.abs(w1), np.abs(w2))
    gap = np.abs((a1 + w1 / 2) - (a2 + w2 / 2))
    wide, narrow = np.maximum(w1, w2), np.minimum(w1, w2)
    # Turned so that D runs from gap − (wide + narrow)/2: E max(−D, 0) is a second
    # difference of the cube of how far each corner lies below zero.
    half, rest = (wide + narrow) / 2, (wide - narrow) / 2
    with np.errstate(divide="ignore", invalid="ignore"):
        cubes = sum(
            sign * np.maximum(corner - gap, 0.0) ** 3
            for sign, corner in ((1, half), (-1, rest), (-1, -rest), (1, -half))
        )
        both = cubes / (6.0 * wide * narrow)
        centre = np.maximum(wide / 2 - gap, 0.0) ** 2 / (2.0 * wide)
    below = np.where(narrow > MUCH_SHORTER * wide, both, centre)
    return gap + 2.0 * np.where(wide > 0, np.maximum(below, 0.0), 0.0)


def _exponential(a1: Array, b1: Array, a2: Array, b2: Array) -> Array:
    # Whichever has the larger mean comes first.
    gap, b1, b2 = np.broadcast_arrays(a1 - a2, b1, b2)
    turned = gap + b1 - b2 < 0
    gap = np.where(turned, -gap, gap)
    b1, b2 = np.where(turned, b2, b1), np.where(turned, b1, b2)
    # D is gap + Exp(b1) with probability b1/(b1 + b2), else gap − Exp(b2).
    ahead, behind = np.maximum(gap, 0.0), np.maximum(-gap, 0.0)
    total = b1 + b2
    share = np.where(total > 0, b1 / np.where(total > 0, total, 1.0), 0.5)
    with np.errstate(divide="ignore", invalid="ignore"):
        reached = np.where(b1 > 0, b1 * np.expm1(-behind / b1), 0.0)
        passed = np.where(b2 > 0, b2 * np.exp(-ahead / b2), 0.0)
    below = share * (behind + reached) + (1.0 - share) * (behind + passed)
    return np.maximum(gap + b1 - b2, 0.0) + 2.0 * np.maximum(below, 0.0)
