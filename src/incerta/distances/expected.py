"""Expected distances between uncertain objects, each pair computed once.

Squared distances need only the moments. Plain distances are computed from ``φ(t) = E
exp(−t |X − Y|²)`` where it has a formula, and are otherwise averaged over all pairs of
values, tile by tile. In one feature they have a closed form.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.spatial.distance import cdist
from scipy.special import ndtr

from incerta.backend.device import CPU, fetch, namespace, put
from incerta.backend.keyed import Keys
from incerta.backend.memory import blocks, check_fits
from incerta.data.laws import Independent, Joint, Law, Values
from incerta.distances.affinity import (
    expected_affinity,
    expected_squared_distances,
    same_sort,
    with_closed_form,
)
from incerta.typing import Array, Indices

# Edge of a tile of values; its 8 MiB of distances stay in cache until they are summed.
# A device takes 128 MiB at a time.
TILE, DEVICE_TILE = 1024, 4096
# Bytes of a block of pairs in the integration of φ.
PAIR_BYTES = 2**22
# The integral over log t has steps of STEP, which leaves a relative error of
# exp(−π² / STEP) = 2e-6. Outside exp(±REACH) / E|X − Y|² the integrand is a power.
STEP = 0.75
REACH = 14.0
# Below this value, 1 − φ(t) equals t E|X − Y|² up to rounding.
LINEAR = 1e-6
# Distances below this share of the largest one are raised to it.
NEGLIGIBLE = 1e-6
# An interval shorter than this share of the other is replaced by its center. The error
# is of the order of the square; the formula would lose as many digits.
MUCH_SHORTER = 1e-5


def expected_distance_matrix(
    law: Law, metric: str, seed: int, keys: Keys | None = None, device: str = CPU
) -> Array:
    """Return ``E|X − Y|²`` ("sqeuclidean") or ``E|X − Y|`` ("euclidean") of all pairs.

    The diagonal is zero, as an object has no distance from itself, although two
    independent copies of it would. Objects are independent unless the law is joint; the
    result is then the mean over the draws.

    "sqeuclidean" is exact for every law, "euclidean" for lists of values and in one
    feature. For Gaussian, uniform and exponential objects, "euclidean" is an integral
    of about 40 n² operations per feature (correlated Gaussians: the cube of the number
    of features), with a relative error of 1e-5. Each object of another law is replaced
    by 64 stratified values (see `as_values`). Formulas are evaluated on the CPU.
    """
    n, way_out = law.n_objects, "Take fewer objects, or UKMeans, which needs no pairs."
    check_fits(2 * 8 * n * n, f"Distances of all pairs of {n:,} objects", way_out)
    if isinstance(law, Joint):
        out = _of_draws(law, metric, device)
    elif metric == "sqeuclidean":
        out = expected_squared_distances(law, law, device)
    else:
        law = with_closed_form(law, seed, keys)
        objects = np.arange(law.n_objects)
        out = np.zeros((len(objects), len(objects)))
        if isinstance(law, Values):
            runs = list(_runs(law, device))
            for i, run in enumerate(runs):
                for other in runs[i:]:
                    terms = _mean_distances(run, other, device)
                    out[run.objects, other.objects] += terms
                    if other is not run:
                        out[other.objects, run.objects] += terms.T
        else:
            for rows in blocks(len(objects), 8 * 6 * len(objects), PAIR_BYTES):
                rest = slice(rows.start, None)
                upper = _by_formula(law.take(objects[rows]), law.take(objects[rest]))
                out[rows, rest] = upper
                out[rest, rows] = upper.T
    np.fill_diagonal(out, 0.0)
    return out


def expected_distances(
    a: Law, b: Law, metric: str, seed: int, keys: Keys | None = None, device: str = CPU
) -> Array:
    """Return expected distances between the objects of two laws, (n_a, n_b).

    All objects are independent. The result is exact where both laws have the same
    closed form. Otherwise "euclidean" takes 64 stratified values of each object that is
    not a list of values. `keys` are those of the uniform numbers of `a`.
    """
    if metric == "sqeuclidean":
        return expected_squared_distances(a, b, device)
    a, b = same_sort(a, b, seed, keys)
    out = np.zeros((a.n_objects, b.n_objects))
    if isinstance(a, Values) and isinstance(b, Values):
        for run in _runs(a, device):
            for other in _runs(b, device):
                terms = _mean_distances(run, other, device)
                out[run.objects, other.objects] += terms
        return out
    objects = np.arange(a.n_objects)
    for rows in blocks(a.n_objects, 8 * 6 * b.n_objects, PAIR_BYTES):
        out[rows] = _by_formula(a.take(objects[rows]), b)
    return out


@dataclass(frozen=True, kw_only=True)
class Run:
    """A run of values, and the objects they belong to."""

    values: Array
    weights: Array | None  # of the values; None means equally likely
    starts: Indices  # where each object begins among these values
    counts: Indices  # number of values of each object, in this run and others
    objects: slice


def _runs(law: Values, device: str) -> Iterator[Run]:
    # An object may span several runs, so one with very many values fits too.
    tile = TILE if device == CPU else DEVICE_TILE
    for first in range(0, len(law.values), tile):
        rows = slice(first, min(first + tile, len(law.values)))
        begin = int(np.searchsorted(law.starts, first, side="right")) - 1
        end = int(np.searchsorted(law.starts, rows.stop, side="left"))
        objects = slice(begin, end)
        yield Run(
            values=law.values[rows],
            weights=None if law.weights is None else law.weights[rows],
            starts=np.maximum(law.starts[objects] - first, 0),
            counts=law.counts[objects],
            objects=objects,
        )


def _mean_distances(a: Run, b: Run, device: str) -> Array:
    """Return the share of two runs in the expected distances of their objects."""
    apart = _distances(a.values, b.values, device)
    if device != CPU:
        left, right = (put(_shares(run), device) for run in (a, b))
        return fetch(left.T @ apart @ right)
    # Rows are summed first: sums down the columns take three times as long.
    by_value = _over_objects(apart, b)
    return _over_objects(by_value.T, a).T


def _distances(x: Array, y: Array, device: str) -> Any:
    """Return the distances of all pairs of values, on a device."""
    if device == CPU:
        return cdist(x, y)
    total: Any = 0.0
    for k in range(x.shape[1]):
        gaps = put(x[:, k, None], device) - put(y[:, k], device)
        total = total + gaps * gaps
    return namespace(total).sqrt(total)


def _over_objects(terms: Array, run: Run) -> Array:
    if run.weights is not None:
        return np.add.reduceat(terms * run.weights, run.starts, axis=1)
    return np.add.reduceat(terms, run.starts, axis=1) / run.counts


def _shares(run: Run) -> Array:
    """Return the share of each value in each object, shape (n_values, n_objects)."""
    n_values, n_objects = len(run.values), len(run.starts)
    owners = np.repeat(np.arange(n_objects), np.diff(run.starts, append=n_values))
    weights = 1.0 / run.counts[owners] if run.weights is None else run.weights
    shares = np.zeros((n_values, n_objects))
    shares[np.arange(n_values), owners] = weights
    return shares


def _of_draws(law: Joint, metric: str, device: str) -> Array:
    m, n, d = law.draws.shape
    if metric == "sqeuclidean":
        # The draws of an object, end to end, form one point of m × d features.
        points = np.swapaxes(law.draws, 0, 1).reshape(n, m * d)
        point_law = Values(points, np.arange(n + 1))
        return expected_squared_distances(point_law, point_law, device) / m
    out = np.zeros((n, n))
    for rows in blocks(n, 8 * n):
        total: Any = 0.0
        for draw in law.draws:
            total = total + _distances(draw[rows], draw, device) / m
        out[rows] = fetch(total)
    return out


def _by_formula(a: Law, b: Law) -> Array:
    return _in_one_feature(a, b) if a.n_features == 1 else _integral(a, b)


def _integral(a: Law, b: Law) -> Array:
    """Return ``E|D| = ∫ (1 − φ(t)) t^(−3/2) dt / (2 √π)``, by steps in log t.

    All pairs share one grid, so φ is evaluated once per t.
    """
    squares = expected_squared_distances(a, b)
    out = np.zeros_like(squares)
    largest = squares.max()
    if largest == 0.0:
        return out
    least = max(squares[squares > 0].min(), NEGLIGIBLE**2 * largest)
    low, high = -REACH - np.log(largest), REACH - np.log(least)
    grid = np.exp(np.arange(low, high + STEP, STEP))
    # At both ends the integrand falls by a constant factor from node to node, so the
    # omitted nodes form a geometric series.
    weights = np.full(len(grid), STEP)
    weights[[0, -1]] = STEP / (1.0 - np.exp(-STEP / 2))
    for t, weight in zip(grid, weights, strict=True):
        linear = t * squares
        missing = 1.0 - expected_affinity(a, b, float(t))
        missing = np.where(linear < LINEAR, linear, missing)
        out += weight / (2.0 * np.sqrt(np.pi * t)) * missing
    return out


def _in_one_feature(a: Law, b: Law) -> Array:
    """Return ``E|X − Y|`` of all pairs in one feature, in closed form.

    It is ``|E D| + 2 E max(−D, 0)`` for ``D = X − Y``, with the sign chosen so that
    ``E D ≥ 0``. Rounding cannot take it below the distance of the means (Jensen).
    """
    if isinstance(a, Independent) and isinstance(b, Independent):
        if a.family != "gaussian":
            of_family = {"uniform": _uniform, "exponential": _exponential}[a.family]
            return of_family(a.loc, a.scale, b.loc.T, b.scale.T)
        return _gaussian(a.loc - b.loc.T, np.hypot(a.scale, b.scale.T))
    return _gaussian(a.mean() - b.mean().T, np.sqrt(a.variance() + b.variance().T))


def _gaussian(gap: Array, width: Array) -> Array:
    """Return the mean of a folded normal, ``|m| + 2 (s n(m/s) − |m| N(−|m|/s))``."""
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
    # With D starting at gap − (wide + narrow)/2, E max(−D, 0) is a second difference of
    # the cubed depths of the corners below zero.
    half, rest = (wide + narrow) / 2, (wide - narrow) / 2
    with np.errstate(divide="ignore", invalid="ignore"):
        cubes = sum(
            sign * np.maximum(corner - gap, 0.0) ** 3
            for sign, corner in ((1, half), (-1, rest), (-1, -rest), (1, -half))
        )
        both = cubes / (6.0 * wide * narrow)
        center = np.maximum(wide / 2 - gap, 0.0) ** 2 / (2.0 * wide)
    below = np.where(narrow > MUCH_SHORTER * wide, both, center)
    return gap + 2.0 * np.where(wide > 0, np.maximum(below, 0.0), 0.0)


def _exponential(a1: Array, b1: Array, a2: Array, b2: Array) -> Array:
    # The object with the larger mean comes first.
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
