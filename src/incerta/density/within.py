"""Probability that two uncertain objects are within eps of each other."""

from collections.abc import Callable
from functools import partial, singledispatch
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array, csr_array

from incerta.backend.device import CPU
from incerta.backend.keyed import Keys
from incerta.backend.memory import blocks
from incerta.data.laws import (
    Gaussian,
    Independent,
    Joint,
    Law,
    Values,
    as_values,
    points_like,
)
from incerta.density.boxes import Tree, pairs_within, plant
from incerta.density.quadratic import correlated_within, gaussian_within
from incerta.density.value_pairs import pairs_of_values, shares_of_draws
from incerta.typing import Array, Indices


def within(
    law: Law,
    eps: float,
    *,
    seed: int = 0,
    fast: bool = False,
    least: float = 0.0,
    device: str = CPU,
) -> csr_array:
    """``P(|X_i − X_j| ≤ eps)`` of all pairs of objects that can be that close.

    `law`: the objects; independent of each other unless the law is joint. `eps`: the
    distance, at least 0. `seed`: seed of the values that represent laws other than
    values, Gaussians and joint draws. `fast`: whether Gaussian differences are matched
    by four moments instead of integrated; see `gaussian_within` for the error. `least`:
    probabilities below it are left out. `device`: where values of objects given by
    values are compared; the result is the same.

    Returns (n_objects, n_objects): symmetric; 1 on the diagonal, as an object is at
    distance 0 from itself, though two independent copies of it would not be. What is
    not stored is 0.

    Exact for objects given by values and for joint draws. Gaussian objects are taken to
    lie within 7 standard deviations of their mean. Other laws are replaced by 64
    stratified values each. Pairs whose boxes are further apart than eps are never
    looked at, and pairs that cannot be further apart are 1 without being computed; the
    others take an operation per feature and pair of values, or an integral per pair.

    >>> import incerta as ic
    >>> data = ic.from_array([[[0.0], [1.0]], [[2.0], [3.0]], [[90.0], [91.0]]])
    >>> within(data.law, 2.0).toarray()
    array([[1.  , 0.75, 0.  ],
           [0.75, 1.  , 0.  ],
           [0.  , 0.  , 1.  ]])
    """
    n = law.n_objects
    found = _collect(_sorted(known(law, seed)), None, eps, fast, least, device)
    half = _table(found, (n, n))
    return csr_array(half + half.T)


def within_between(
    a: Law,
    b: Law,
    eps: float,
    *,
    seed: int = 0,
    fast: bool = False,
    device: str = CPU,
) -> csr_array:
    """``P(|X_i − Y_j| ≤ eps)`` of objects of one law and of another.

    `a`, `b`: objects, independent of each other. `eps`, `seed`, `fast`, `device`: as
    for `within`.

    Exact, or an integral, where both are given by values, both are Gaussian, or one has
    no uncertainty; else objects not given by values are replaced by 64 stratified ones
    each.
    """
    a, b = alike(a, b, seed)
    found = _collect(_sorted(a), _sorted(b), eps, fast, 0.0, device)
    return _table(found, (a.n_objects, b.n_objects))


def known(law: Law, seed: int, keys: Keys | None = None) -> Law:
    """The law itself if its distance probabilities are known, else values from it.

    `law`, `seed`, `keys`: as for `as_values`.
    """
    gaussian = isinstance(law, Independent) and law.family == "gaussian"
    if gaussian or isinstance(law, (Values, Gaussian, Joint)):
        return law
    return as_values(law, seed, keys)


def alike(a: Law, b: Law, seed: int) -> tuple[Law, Law]:
    """Two laws of independent objects as laws of one kind."""
    # Joint draws of one law say nothing of the other: their objects are values here.
    a, b = (
        known(each, seed) if each.n_draws is None else as_values(each, seed)
        for each in (a, b)
    )
    if type(a) is not type(b):
        a, b = (
            one if one.kind != "exact" else points_like(other, one.mean())
            for one, other in ((a, b), (b, a))
        )
    if type(a) is not type(b):
        a, b = as_values(a, seed), as_values(b, seed)
    return a, b


class Sorted(NamedTuple):
    """Objects in the order of a tree of their boxes."""

    law: Law
    tree: Tree


class Found(NamedTuple):
    """Pairs of objects, by their places in the data, and their probabilities."""

    rows: NDArray[np.int32]
    columns: NDArray[np.int32]
    shares: Array


def _table(found: Found, shape: tuple[int, int]) -> csr_array:
    places = found.rows, found.columns
    return csr_array(coo_array((found.shares, places), shape=shape))


def _sorted(law: Law) -> Sorted:
    tree = plant(law.boxes())
    return Sorted(law.take(tree.order), tree)


def _collect(
    a: Sorted, b: Sorted | None, eps: float, fast: bool, least: float, device: str
) -> Found:
    other = a if b is None else b
    shares_of = _shares_of(a.law, other.law, eps, fast, device)
    # Positions of less than 2^31 objects in half the memory.
    order_a, order_b = (each.tree.order.astype(np.int32) for each in (a, other))
    rows, columns, shares = [order_a[:0]], [order_b[:0]], [np.empty(0)]
    if b is None:  # half of the diagonal: the other half comes with the transpose
        rows, columns = [order_a], [order_a]
        shares = [np.full(len(order_a), 0.5)]
    for i, j, certain in pairs_within(a.tree, None if b is None else b.tree, eps):
        found = np.ones(len(i))
        found[~certain] = shares_of(i[~certain], j[~certain])
        kept = (found > 0.0) & (found >= least)
        rows.append(order_a[i[kept]])
        columns.append(order_b[j[kept]])
        shares.append(found[kept])
    return Found(np.concatenate(rows), np.concatenate(columns), np.concatenate(shares))


@singledispatch
def _shares_of(
    a: Law, b: Law, eps: float, fast: bool, device: str
) -> Callable[[Indices, Indices], Array]:
    """Function that gives the probabilities of pairs of objects of two laws."""
    return _of_gaussians(gaussian_within, a.variance(), a, b.variance(), b, eps, fast)


@_shares_of.register
def _(a: Gaussian, b: Law, eps: float, fast: bool, device: str) -> Any:
    spreads = a.covariance(), a, b.covariance(), b
    return _of_gaussians(correlated_within, *spreads, eps, fast)


@_shares_of.register
def _(a: Joint, b: Law, eps: float, fast: bool, device: str) -> Any:
    return partial(shares_of_draws, a, eps=eps)


@_shares_of.register
def _(a: Values, b: Values, eps: float, fast: bool, device: str) -> Any:
    return pairs_of_values(a, b, eps, device=device)


def _of_gaussians(
    probability: Callable[..., Array],
    spread_a: Array,
    a: Law,
    spread_b: Array,
    b: Law,
    eps: float,
    fast: bool,
) -> Callable[[Indices, Indices], Array]:
    mean_a, mean_b, width = a.mean(), b.mean(), spread_a[0].size

    def shares(i: Indices, j: Indices) -> Array:
        out = np.empty(len(i))
        for some in blocks(len(i), 8 * 3 * width):
            gap = mean_a[i[some]] - mean_b[j[some]]
            spread = spread_a[i[some]] + spread_b[j[some]]
            out[some] = probability(gap, spread, eps, fast=fast)
        return out

    return shares
