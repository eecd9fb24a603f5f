"""Expected affinities of independent uncertain objects, without random draws.

They follow from ``φ(t) = E exp(−t |X − Y|²)``, the Laplace transform of the squared
distance, which factorizes over independent features.
"""

from functools import singledispatch
from itertools import islice
from typing import Any

import numpy as np
from scipy.special import erf, erfc, erfcx

from incerta.backend.device import CPU, fetch, in_place, put
from incerta.backend.keyed import Keys
from incerta.backend.memory import blocks
from incerta.backend.progress import followed, track
from incerta.data.laws import Gaussian, Independent, Law, Values, as_values
from incerta.typing import Array

# Intervals up to this length, in kernel widths, are expanded about their centers.
SHORT = 0.02


def expected_squared_distances(a: Law, b: Law, device: str = CPU) -> Array:
    """Return ``E |X − Y|²`` of all pairs of independent objects, exactly."""
    mean_a, mean_b = a.mean(), b.mean()
    center = mean_b.mean(axis=0)
    mean_a, mean_b = mean_a - center, mean_b - center
    size_a = np.square(mean_a).sum(axis=1) + a.variance().sum(axis=1)
    size_b = np.square(mean_b).sum(axis=1) + b.variance().sum(axis=1)
    squares = put(-2.0 * mean_a, device) @ put(mean_b, device).T
    squares += put(size_a[:, None], device)
    squares += put(size_b, device)
    return fetch(in_place("clip", squares, 0.0, None))


def expected_affinity(a: Law, b: Law, t: float) -> Array:
    """Return ``E exp(−t |X − Y|²)`` of all pairs of independent objects.

    A kernel of width g has t = 1/(2 g²). The laws are of one kind, see `same_sort`.
    Closed forms cost n² operations per feature; correlated Gaussians cost the cube of
    the number of features, and lists of values the product of their total numbers.
    """
    return _affinity(a, b, t, np.empty((a.n_objects, b.n_objects)))


def with_closed_form(law: Law, seed: int, keys: Keys | None = None) -> Law:
    """Return the law if it has a closed form, else its values by `as_values`."""
    if isinstance(law, Independent):
        # A negative scale is a tail to the left, which the formula does not cover.
        left = law.family == "exponential" and bool((law.scale < 0).any())
        has_formula = law.family in LOG_FACTORS and not left
    else:
        has_formula = isinstance(law, Values | Gaussian)
    return law if has_formula else as_values(law, seed, keys)


def same_sort(a: Law, b: Law, seed: int, keys: Keys | None = None) -> tuple[Law, Law]:
    """Return two laws as laws of one kind, by values if their kinds differ.

    The objects are independent: values of `a` are drawn with another seed, from the
    uniform numbers of `keys` (a.n_objects, a.n_uniforms). Those of `b` are numbered.
    """
    one, two = with_closed_form(a, seed + 1, keys), with_closed_form(b, seed)
    if type(one) is type(two) and one.kind == two.kind:
        return one, two
    return as_values(a, seed + 1, keys), as_values(b, seed)


@singledispatch
def _affinity(a: Law, b: Any, t: float, out: Array) -> Array:
    msg = f"the affinity of objects of kind {a.kind!r} has no formula."
    raise TypeError(msg)


@_affinity.register
def _(a: Independent, b: Independent, t: float, out: Array) -> Array:
    log_factor = LOG_FACTORS[a.family]
    for rows in followed(blocks(a.n_objects, 8 * 6 * b.n_objects), "affinity"):
        logs = np.zeros((rows.stop - rows.start, b.n_objects))
        for j in range(a.n_features):
            of_a = a.loc[rows, j, None], a.scale[rows, j, None]
            logs += log_factor(*of_a, b.loc[:, j], b.scale[:, j], t)
        out[rows] = np.exp(logs)
    return out


def _log_gaussian(m1: Array, s1: Array, m2: Array, s2: Array, t: float) -> Array:
    grown = 1.0 + 2.0 * t * (s1**2 + s2**2)
    return -0.5 * np.log(grown) - t * (m1 - m2) ** 2 / grown


def _log_uniform(a1: Array, w1: Array, a2: Array, w2: Array, t: float) -> Array:
    # A negative width is a mirrored interval.
    a1, a2 = a1 + np.minimum(w1, 0.0), a2 + np.minimum(w2, 0.0)
    w1, w2 = np.abs(w1), np.abs(w2)
    root = np.sqrt(t)
    x = root * (a1 - a2)  # lower bounds, in units of the kernel
    v1, v2 = np.broadcast_arrays(root * w1, root * w2)
    wide, narrow = np.maximum(v1, v2), np.minimum(v1, v2)

    def antiderivative(z: Array) -> Array:  # twice that of erf, up to constants
        return z * np.sqrt(np.pi) / 2 * erf(z) + np.exp(-(z**2)) / 2

    with np.errstate(divide="ignore", invalid="ignore"):
        both = (
            antiderivative(x + v1)
            - antiderivative(x)
            - antiderivative(x + v1 - v2)
            + antiderivative(x - v2)
        ) / (v1 * v2)
        # Second differences lose the digits of a short interval. Its mean is the
        # other's factor f at its center plus narrow² f'' / 24, up to narrow⁴ / 160.
        low = np.where(v1 >= v2, x - v2 / 2, -(x + v1 / 2))
        high = low + wide
        at_center = np.sqrt(np.pi) / 2 * (erf(high) - erf(low))
        bend = 2.0 * (low * np.exp(-(low**2)) - high * np.exp(-(high**2)))
        short = (at_center + narrow**2 / 24 * bend) / np.where(wide, wide, 1)
        factor = np.where(narrow > SHORT, both, short)
        exact = np.log(np.clip(factor, 0.0, None))
    # If both are short compared with the kernel, Gaussians of the same variance do.
    m1, m2 = a1 + w1 / 2, a2 + w2 / 2
    smooth = _log_gaussian(m1, w1 / np.sqrt(12), m2, w2 / np.sqrt(12), t)
    return np.where(wide < 1e-3, smooth, exact)


def _log_exponential(a1: Array, b1: Array, a2: Array, b2: Array, t: float) -> Array:
    # X − Y is a1 − a2 + Exp(b1) − Exp(b2), a two-sided exponential: the side of X
    # has probability b1/(b1 + b2).
    gap = a1 - a2
    total = b1 + b2
    share = np.where(total > 0, b1 / np.where(total > 0, total, 1.0), 0.5)
    right = _one_sided(gap, np.broadcast_to(b1, gap.shape), t)
    left = _one_sided(-gap, np.broadcast_to(b2, gap.shape), t)
    with np.errstate(divide="ignore"):
        return np.log(share * right + (1.0 - share) * left)


def _one_sided(b: Array, scale: Array, t: float) -> Array:
    """Return ``E exp(−t (b + scale · Exp(1))²)``."""
    root = np.sqrt(t)
    small = scale * root < 1e-9
    safe = np.where(small, 1.0, scale)
    w = root * b + 0.5 / (safe * root)
    front = np.sqrt(np.pi) / (2.0 * root * safe)
    with np.errstate(over="ignore", invalid="ignore"):
        near = np.exp(-t * b**2) * erfcx(np.maximum(w, 0.0))
        exponent = b / safe + 0.25 / (t * safe**2)
        far = np.exp(np.where(w < 0, exponent, 0.0)) * erfc(w)
    return np.where(small, np.exp(-t * b**2), front * np.where(w >= 0, near, far))


@_affinity.register
def _(a: Gaussian, b: Gaussian, t: float, out: Array) -> Array:
    d = a.n_features
    cov_a, cov_b = a.covariance(), b.covariance()
    size = 8 * 4 * d * d * b.n_objects
    for rows in followed(blocks(a.n_objects, size), "affinity"):
        grown = np.eye(d) + 2.0 * t * (cov_a[rows, None] + cov_b)
        gap = a.center[rows, None] - b.center
        solved = np.linalg.solve(grown, gap[..., None])[..., 0]
        _, log_det = np.linalg.slogdet(grown)
        out[rows] = np.exp(-0.5 * log_det - t * (gap * solved).sum(axis=-1))
    return out


@_affinity.register
def _(a: Values, b: Values, t: float, out: Array) -> Array:
    # One matrix product gives the exponents, as for the densities of worlds.
    center = b.values.mean(axis=0)
    x, y = a.values - center, b.values - center
    x_norm, y_norm = np.square(x).sum(axis=1), np.square(y).sum(axis=1)
    first, steps = 0, track(a.n_objects, "affinity")
    while first < a.n_objects:
        # Whole objects that fit into a block, at least one.
        goal = a.starts[first] + max(1, (32 * 2**20) // (8 * len(y)))
        last = int(np.searchsorted(a.starts, goal, side="right")) - 1
        last = min(max(last, first + 1), a.n_objects)
        rows = slice(a.starts[first], a.starts[last])
        terms = x[rows] @ y.T
        terms *= 2.0 * t
        terms -= t * x_norm[rows, None]
        terms -= t * y_norm
        np.minimum(terms, 0.0, out=terms)
        np.exp(terms, out=terms)
        if b.weights is not None:
            terms *= b.weights
        sums = np.add.reduceat(terms, b.starts[:-1], axis=1)
        if b.weights is None:
            sums /= b.counts
        if a.weights is not None:
            sums *= a.weights[rows, None]
        starts = a.starts[first:last] - a.starts[first]
        sums = np.add.reduceat(sums, starts, axis=0)
        if a.weights is None:
            sums /= a.counts[first:last, None]
        out[first:last] = sums
        next(islice(steps, last - first - 1, None), None)
        first = last
    return out


LOG_FACTORS = {
    "gaussian": _log_gaussian,
    "uniform": _log_uniform,
    "exponential": _log_exponential,
}
