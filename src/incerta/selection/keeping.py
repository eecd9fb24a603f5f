"""Draw worlds, compare them, keep those that represent the rest (Eqs. 1 and 7)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal, overload

import numpy as np

from incerta.backend.device import CPU
from incerta.backend.keyed import some_by_key
from incerta.data.coerce import as_uncertain
from incerta.data.container import UncertainData
from incerta.data.refused import refuse_extremes
from incerta.divergence import (
    between_clusterings,
    energy,
    jensen_shannon,
    jensen_shannon_per_feature,
)
from incerta.divergence.jensen_shannon import error_of_some
from incerta.exceptions import DataError
from incerta.typing import Array, ArrayLike, Indices, Seed
from incerta.worlds import Worlds
from incerta.worlds.sequence import worlds_of
from incerta.worlds.streams import as_seed

SELECTIONS = ("greedy", "central", "random")
OF_DENSITIES = ("jensen-shannon", "per-feature")
DIVERGENCES = (*OF_DENSITIES, "energy", "clustering")
# Above so many objects, densities are those of some of them, the same in all worlds.
EXACT_DIVERGENCE_OBJECTS = 1000
DIVERGENCE_OBJECTS = 250

Divergence = str | Callable[[Worlds], Array]


@dataclass(frozen=True, eq=False, repr=False)
class Kept:
    """Worlds of some data, and which of them are kept.

    Made by `keep_worlds`; estimators that cluster worlds accept it in place of data,
    and then neither draw nor choose.

    Attributes
    ----------
    drawn : Worlds
        All worlds that were drawn.
    chosen : ndarray of shape (n_kept,) or None
        Positions of the kept ones, in the order they were chosen; None if all are.
    divergences : ndarray of shape (n_drawn, n_drawn) or None
        Between all worlds; None where the choice needed none.
    loss : ndarray of shape (n_kept,) or None
        Loss after each choice (Eq. 1); None without divergences.
    error : ndarray of shape (n_drawn, n_drawn) or None
        Standard error of the divergences where they are those of some of the objects;
        None where they are exact.

    Examples
    --------
    >>> import incerta as ic
    >>> from incerta.selection import keep_worlds
    >>> data = ic.from_gaussian([[0.0], [0.2], [5.0], [5.3]], std=0.3)
    >>> kept = keep_worlds(data, 40, 5, random_state=0)
    >>> len(kept.worlds), ic.RPC(2, random_state=0).fit(kept).labels_
    (5, array([0, 0, 1, 1]))
    """

    drawn: Worlds
    chosen: Indices | None = None
    divergences: Array | None = None
    loss: Array | None = None
    error: Array | None = None

    @property
    def data(self) -> UncertainData:
        """The data that the worlds are drawn from."""
        return self.drawn.data

    @property
    def worlds(self) -> Worlds:
        """The kept worlds."""
        return self.drawn if self.chosen is None else self.drawn.at(self.chosen)

    @property
    def positions(self) -> Indices:
        """Positions of the kept worlds among those drawn."""
        return np.arange(len(self.drawn)) if self.chosen is None else self.chosen


def keep_worlds(
    data: Any,
    n_worlds: int,
    n_representatives: int | None = None,
    *,
    selection: str = "greedy",
    divergence: Divergence = "jensen-shannon",
    n_clusters: int = 3,
    n_jobs: int | None = None,
    device: str = CPU,
    random_state: int,
    weights: Array | None = None,
) -> Kept:
    """Draw worlds, and keep those that represent all of them.

    Parameters
    ----------
    data : UncertainData or anything `as_uncertain` takes
        The objects. Exact ones have a single world, which is kept; joint ones have no
        more worlds than draws.
    n_worlds : int
        Number of worlds to draw.
    n_representatives : int, optional
        Number of worlds to keep; all by default, and where joint data have fewer draws.
    selection : {"greedy", "central", "random"}, default="greedy"
        How they are chosen; see `incerta.selection.representatives`.
    divergence : str or callable, default="jensen-shannon"
        How far apart worlds are: "jensen-shannon", "per-feature", "energy" or
        "clustering"; see `incerta.divergence`. A callable takes `Worlds` and returns
        the matrix. Above 1000 objects the densities that the first two compare are
        those of 250 objects, the same in all worlds; for all objects, give the
        function: ``divergence=jensen_shannon``.
    n_clusters : int, default=3
        For ``divergence="clustering"``.
    n_jobs : int, optional
        Threads for the divergences; the result does not depend on it.
    device : str, default="cpu"
        Where densities are compared: "cpu", or a device of torch such as "cuda".
    random_state : int
        Seed of the worlds, and of whatever else is random.
    weights : ndarray of shape (n_objects,), optional
        How many objects each one stands for; "jensen-shannon" and "per-feature" know.
    """
    data = as_uncertain(data)
    refuse_extremes(data)
    if selection not in SELECTIONS:
        msg = f"selection={selection!r} must be one of {', '.join(SELECTIONS)}."
        raise ValueError(msg)
    if not callable(divergence) and divergence not in DIVERGENCES:
        known = ", ".join(DIVERGENCES)
        msg = f"divergence={divergence!r} must be a function or one of {known}."
        raise ValueError(msg)
    check_number_kept(n_representatives, n_worlds)
    drawn = worlds_of(data, n_worlds, random_state)
    if n_representatives is None:
        return Kept(drawn)
    n_kept = min(n_representatives, len(drawn))
    if selection == "random":
        return Kept(drawn, random_worlds(len(drawn), n_kept, random_state))
    if len(drawn) == 1:
        return Kept(drawn, np.zeros(1, dtype=np.intp), np.zeros((1, 1)), np.zeros(1))
    where: Any = {"n_jobs": n_jobs} if device == CPU else {"device": device}
    grouped = partial(
        between_clusterings, n_clusters=n_clusters, random_state=random_state
    )
    named: dict[Any, Callable[..., Array]] = {
        "jensen-shannon": partial(jensen_shannon, **where),
        "per-feature": partial(jensen_shannon_per_feature, **where),
        "energy": energy,
        "clustering": grouped,
    }
    compare: Any = divergence if callable(divergence) else named[divergence]
    compared, few = drawn, False
    if divergence in OF_DENSITIES and len(data) > EXACT_DIVERGENCE_OBJECTS:
        few, some = True, some_by_key(data._keys, DIVERGENCE_OBJECTS, random_state)
        compared = drawn.only(some)
        weights = None if weights is None else weights[some]
    if weights is not None:
        if divergence not in OF_DENSITIES:
            msg = f"divergence={divergence!r} does not know weights; use one of "
            raise ValueError(msg + f"{', '.join(OF_DENSITIES)}.")
        compare = partial(compare, weights=weights)

    divergences = compare(compared)
    # Parts of objects with weights may have next to none.
    error = error_of_some(compare, compared) if few and weights is None else None
    chosen, loss = representatives(divergences, n_kept, selection, return_loss=True)
    return Kept(drawn, chosen, divergences, loss, error)


def check_number_kept(n_representatives: int | None, n_worlds: int) -> None:
    """Refuse to keep more worlds than are drawn."""
    if n_representatives is not None and n_representatives > n_worlds:
        msg = (
            f"n_representatives={n_representatives} worlds cannot be kept out of "
            f"n_worlds={n_worlds}; lower the one or raise the other."
        )
        raise ValueError(msg)


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
    table = np.asarray(divergences, dtype=np.float64)
    if table.ndim != 2 or table.shape[0] != table.shape[1] or table.size == 0:
        msg = f"divergences has shape {table.shape}; it must be (n_worlds, n_worlds)."
        raise DataError(msg)
    if not np.isfinite(table).all() or (table < 0).any():
        msg = "divergences must be finite and not negative."
        raise DataError(msg)
    n_worlds = len(table)
    if not isinstance(n, (int, np.integer)) or not 1 <= n <= n_worlds:
        msg = f"n={n!r} worlds cannot be chosen from {n_worlds}; choose 1 to so many."
        raise ValueError(msg)
    if method == "greedy":
        chosen = _greedy(table, n)
    elif method == "central":
        chosen = np.argsort(_rounded(table.sum(axis=1)), kind="stable")[:n]
    elif method == "random":
        chosen = random_worlds(n_worlds, n, random_state)
    else:
        msg = f"method={method!r} is not known; choose one of {', '.join(SELECTIONS)}."
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
    """Sums without their last digits, so that ties do not depend on rounding."""
    size = sums.max()
    return np.round(sums / size, 12) if size > 0 else sums
