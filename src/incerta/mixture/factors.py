"""Very many small symmetric matrices at once: roots, inverses, determinants.

Matrices lie along the last axis, so that every step is one operation over all of them:
for up to some twenty rows several times faster than a call of LAPACK for each.
"""

from collections.abc import Callable, Sequence
from functools import reduce
from math import isfinite
from operator import add, mul
from typing import Any

import numpy as np

from incerta.backend.device import namespace

# Relative to its diagonal, what is left of a singular matrix in double precision.
ROUNDING = 2.0**-52


def inverse_roots(matrices: Any) -> tuple[Any, Any]:
    """``L⁻¹`` (d, d, n) of ``A = L L'`` by the lower half, and log determinants."""
    roots = namespace(matrices).empty_like(matrices)
    return roots, roots_of_columns(lambda j: matrices[j:, j, :], roots)


def roots_of_columns(column: Callable[[int], Any], roots: Any) -> Any:
    """Write inverse factors to `roots` (d, d, n); return log determinants (n,).

    Matrices are nowhere stored: `column(j)` is from the diagonal on, shape (d - j, n).
    """
    xp, d = namespace(roots), roots.shape[0]
    # Below the diagonal are first the factors, then, row by row, their inverses.
    diagonal = []  # of the factors
    for j in range(d):
        roots[j, j + 1 :, :] = 0.0
        below = column(j)
        pivot = below[0, :]
        if j:
            least = ROUNDING * pivot
            below = below - summed("iln,ln->in", roots[j:, :j, :], roots[j, :j, :])
            pivot = xp.maximum(below[0, :], least)
        diagonal.append(root := xp.sqrt(pivot))
        roots[j, j, :] = inverse = 1.0 / root
        _set(roots, np.s_[j + 1 :, j, :], below[1:, :], inverse)
    for i in range(1, d):
        row = summed("ln,ljn->jn", roots[i, :i, :], roots[:i, :i, :])
        _set(roots, np.s_[i, :i, :], row, -roots[i, i, :])
    return 2.0 * log_products(diagonal)


def _set(target: Any, place: Any, a: Any, b: Any) -> None:
    """``target[place] = a * b``, without a copy in between where numpy can."""
    if isinstance(target, np.ndarray):
        np.multiply(a, b, out=target[place])
    else:
        target[place] = a * b


def log_products(factors: Sequence[Any]) -> Any:
    """``Σ_j log factors[j]`` of positive numbers (n,), mostly by one logarithm."""
    xp = namespace(factors[0])
    with np.errstate(all="ignore"):
        logs = xp.log(reduce(mul, factors))
        in_range = isfinite(xp.sum(logs))
    if not in_range:  # a product is out of range, its factors are not
        apart = reduce(add, [xp.log(factor) for factor in factors])
        logs = xp.where(xp.isfinite(logs), logs, apart)
    return logs


def add_to_diagonals(matrices: Any, rows: Any) -> None:
    """Add rows (d, n) to the diagonals of matrices (d, d, n)."""
    if isinstance(matrices, np.ndarray):
        np.einsum("iin->in", matrices)[...] += rows  # a view
        return
    for i in range(matrices.shape[0]):
        matrices[i, i, :] += rows[i, :]


def applied(matrices: Any, vectors: Any) -> Any:
    """Products of matrices (d, d, n), or of one, and vectors (d, n): shape (d, n)."""
    if matrices.shape[2] == 1:
        return matrices[..., 0] @ vectors
    return summed("ijn,jn->in", matrices, vectors)


def summed(subscripts: str, a: Any, b: Any) -> Any:
    """``einsum`` of two arrays, one of which has all axes, in the result's order."""
    if isinstance(a, np.ndarray):
        return np.einsum(subscripts, a, b)
    terms, kept = subscripts.split("->")
    names = terms.split(",")
    every = max(names, key=len)
    spread = [
        array[tuple(slice(None) if name in own else None for name in every)]
        for own, array in zip(names, (a, b), strict=True)
    ]
    gone = tuple(i for i, name in enumerate(every) if name not in kept)
    return namespace(a).sum(spread[0] * spread[1], axis=gone)
