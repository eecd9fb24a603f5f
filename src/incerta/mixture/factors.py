"""Factors, inverses and determinants of many small symmetric matrices at once.

Matrices are stacked along the last axis, so every step is one operation on all of them.
Up to about twenty rows this is several times faster than one LAPACK call per matrix.
"""

from collections.abc import Callable, Sequence
from functools import reduce
from math import isfinite
from operator import add, mul
from typing import Any

import numpy as np

from incerta.backend.device import namespace

# Smallest pivot relative to the diagonal: a singular matrix in double precision.
ROUNDING = 2.0**-52


def inverse_roots(matrices: Any) -> tuple[Any, Any]:
    """Return ``L⁻¹`` (d, d, n) of ``A = L L'`` and log det, from the lower half."""
    roots = namespace(matrices).empty_like(matrices)
    return roots, roots_of_columns(lambda j: matrices[j:, j, :], roots)


def roots_of_columns(column: Callable[[int], Any], roots: Any) -> Any:
    """Write inverse factors to `roots` (d, d, n); return log determinants (n,).

    No matrix is stored: `column(j)` is column j from the diagonal on, (d - j, n).
    """
    xp, d = namespace(roots), roots.shape[0]
    # The lower half holds the factors first, then, row by row, their inverses.
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
    """Set ``target[place] = a * b``, without a temporary copy in numpy."""
    if isinstance(target, np.ndarray):
        np.multiply(a, b, out=target[place])
    else:
        target[place] = a * b


def log_products(factors: Sequence[Any]) -> Any:
    """Return ``Σ_j log factors[j]``, shape (n,), by one logarithm where possible."""
    xp = namespace(factors[0])
    with np.errstate(all="ignore"):
        logs = xp.log(reduce(mul, factors))
        in_range = isfinite(xp.sum(logs))
    if not in_range:  # a product overflows or underflows, its factors do not
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
    """Multiply matrices (d, d, n), or a single one, by vectors (d, n)."""
    if matrices.shape[2] == 1:
        return matrices[..., 0] @ vectors
    return summed("ijn,jn->in", matrices, vectors)


def summed(subscripts: str, a: Any, b: Any) -> Any:
    """Return ``einsum`` of two arrays; one has all axes, in the order of the result."""
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
