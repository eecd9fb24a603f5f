"""Which worlds represent the rest (Eqs. 1 and 7)."""

from typing import Literal, overload

import numpy as np

from incerta.exceptions import DataError
from incerta.typing import Array, ArrayLike, Indices, Seed
from incerta.worlds.streams import as_seed

METHODS = ("greedy", "central", "random")


@overload
def representatives(
    divergences: ArrayLike,
    n: int,
    method: str = ...,
    *,
    random_state: Seed = ...,
    return_loss: Literal[False] = ...,
) -> Indices: ...
@overload
def representatives(
    divergences: ArrayLike,
    n: int,
    method: str = ...,
    *,
    random_state: Seed = ...,
    return_loss: Literal[True],
) -> tuple[Indices, Array]: ...
def representatives(
    divergences: ArrayLike,
    n: int,
    method: str = "greedy",
    *,
    random_state: Seed = 0,
    return_loss: bool = False,
) -> Indices | tuple[Indices, Array]:
    """Choose `n` worlds to represent all of them.

    The loss of a choice is the sum, over all worlds, of the divergence to the nearest
    chosen one (Eq. 1).

    Parameters
    ----------
    divergences : array-like of shape (n_worlds, n_worlds)
        Symmetric, not negative, zero on the diagonal.
    n : int
        Number of worlds to choose.
    method : {"greedy", "central", "random"}, default="greedy"
        "greedy" is the paper's rule (Eq. 7): each pick lowers the loss as much as it
        can; ties go to the lowest index. "central" takes the worlds with the least
        mean divergence. "random" takes any: the control for the other two.
    random_state : int, RandomState, Generator or None, default=0
        Seed of "random".
    return_loss : bool, default=False
        Also return the loss after each pick.

    Returns
    -------
    indices : ndarray of shape (n,)
        The chosen worlds, in the order of choice.
    loss : ndarray of shape (n,)
        Loss after each pick, only if `return_loss` is true. It never rises.

    Notes
    -----
    Time grows with ``n * n_worlds²``. The greedy rule is that of facility location:
    after the first, most central pick, it takes outlying worlds, since only choosing an
    outlier removes the large loss of that outlier. It covers marginal worlds rather
    than filtering them out; "central" filters.

    Examples
    --------
    >>> import numpy as np
    >>> from incerta.selection import representatives
    >>> place = np.array([0.0, 1.0, 3.0, 10.0])
    >>> representatives(abs(place[:, None] - place), 2, return_loss=True)
    (array([1, 3]), array([12.,  3.]))
    """
    table = _checked(divergences)
    n_worlds = len(table)
    if not isinstance(n, (int, np.integer)) or not 1 <= n <= n_worlds:
        msg = (
            f"n={n!r} worlds cannot be chosen from {n_worlds}; lower n to at most that."
        )
        raise ValueError(msg)
    if method == "greedy":
        chosen = _greedy(table, n)
    elif method == "central":
        chosen = np.argsort(_rounded(table.sum(axis=1)), kind="stable")[:n]
    elif method == "random":
        chosen = random_worlds(n_worlds, n, random_state)
    else:
        msg = f"method={method!r} is not known; choose one of {', '.join(METHODS)}."
        raise ValueError(msg)
    if not return_loss:
        return chosen
    return chosen, np.minimum.accumulate(table[chosen], axis=0).sum(axis=1)


def random_worlds(n_worlds: int, n: int, random_state: Seed) -> Indices:
    """Choose `n` of `n_worlds` at random; needs no divergences."""
    rng = np.random.default_rng([as_seed(random_state), 2])
    return rng.choice(n_worlds, n, replace=False)


def _greedy(table: Array, n: int) -> Indices:
    chosen: list[int] = []
    nearest = np.full(len(table), np.inf)
    for _ in range(n):
        # A world already chosen cannot lower the loss, but may tie with one that
        # cannot either.
        loss = _rounded(np.minimum(nearest, table).sum(axis=1))
        loss[chosen] = np.inf
        pick = int(loss.argmin())
        chosen.append(pick)
        nearest = np.minimum(nearest, table[pick])
    return np.array(chosen)


def _rounded(sums: Array) -> Array:
    """Sums without their last digits.

    Two worlds that are each other's only neighbours lower the loss equally; which of
    them is first must not depend on the order of additions.
    """
    size = sums.max()
    return np.round(sums / size, 12) if size > 0 else sums


def _checked(divergences: ArrayLike) -> Array:
    table = np.asarray(divergences, dtype=np.float64)
    if table.ndim != 2 or table.shape[0] != table.shape[1] or table.size == 0:
        msg = f"divergences has shape {table.shape}; it must be (n_worlds, n_worlds)."
        raise DataError(msg)
    if not np.isfinite(table).all() or (table < 0).any():
        msg = "divergences must be finite and not negative."
        raise DataError(msg)
    return table
