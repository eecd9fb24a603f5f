"""Draw worlds, compare them, and keep representative ones (Eqs. 1 and 7)."""

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
# With more than 1000 objects, densities are those of 250, the same in all worlds.
EXACT_DIVERGENCE_OBJECTS = 1000
DIVERGENCE_OBJECTS = 250

Divergence = str | Callable[[Worlds], Array]


@dataclass(frozen=True, eq=False, repr=False)
class Kept:
    """The worlds drawn from some data, and the representative ones among them.

    `keep_worlds` returns it. Estimators that cluster worlds accept it in place of data,
    and then neither draw nor choose worlds.

    Attributes
    ----------
    drawn : Worlds
        All drawn worlds.
    chosen : ndarray of shape (n_kept,) or None
        Positions of the kept worlds in the order of choice; None if all are kept.
    divergences : ndarray of shape (n_drawn, n_drawn) or None
        Divergences between all worlds; None if the choice needed none.
    loss : ndarray of shape (n_kept,) or None
        Loss after each choice (Eq. 1); None without divergences.
    error : ndarray of shape (n_drawn, n_drawn) or None
        Standard error of the divergences if only some objects were compared; None if
        they are exact.

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
    """Draw worlds and keep representative ones.

    Parameters
    ----------
    data : UncertainData or anything `as_uncertain` takes
        The objects. Exact objects have a single world, which is kept; joint objects
        have at most as many worlds as draws.
    n_worlds : int
        Number of worlds to draw.
    n_representatives : int, optional
        Number of worlds to keep. By default, and if joint data have fewer draws, all
        are kept.
    selection : {"greedy", "central", "random"}, default="greedy"
        Rule of choice; see `incerta.selection.representatives`.
    divergence : str or callable, default="jensen-shannon"
        Divergence between worlds: "jensen-shannon", "per-feature", "energy" or
        "clustering"; see `incerta.divergence`. A callable takes `Worlds` and returns
        the matrix. With more than 1000 objects, the first two compare the densities of
        250 objects, the same in all worlds. To compare all objects, pass the function:
        ``divergence=jensen_shannon``.
    n_clusters : int, default=3
        Number of clusters for ``divergence="clustering"``.
    n_jobs : int, optional
        Number of threads for the divergences; it does not change the result.
    device : str, default="cpu"
        Device that compares densities: "cpu", or one of torch such as "cuda".
    random_state : int
        Seed of the worlds and of every other random choice.
    weights : ndarray of shape (n_objects,), optional
        Number of objects that each one represents, for "jensen-shannon" and
        "per-feature".
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
            msg = f"divergence={divergence!r} does not support weights; use one of "
            raise ValueError(msg + f"{', '.join(OF_DENSITIES)}.")
        compare = partial(compare, weights=weights)

    divergences = compare(compared)
    # The parts of weighted objects may have almost no weight.
    error = error_of_some(compare, compared) if few and weights is None else None
    chosen, loss = representatives(divergences, n_kept, selection, return_loss=True)
    return Kept(drawn, chosen, divergences, loss, error)


def check_number_kept(n_representatives: int | None, n_worlds: int) -> None:
    """Raise if more worlds are to be kept than drawn."""
    if n_representatives is not None and n_representatives > n_worlds:
        msg = (
            f"n_representatives={n_representatives} is larger than "
            f"n_worlds={n_worlds}; lower it or raise n_worlds."
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
        "greedy" is the rule of the paper (Eq. 7): each pick lowers the loss as much as
        possible, and ties go to the lowest index. "central" takes the worlds with the
        least mean divergence. "random" is the control for the other two.
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
    Time grows with ``n * n_worlds²``. The greedy rule is that of facility location.
    The first pick is the most central world. Later picks are outlying worlds, since
    only choosing an outlier removes its large loss. The rule therefore covers marginal
    worlds, whereas "central" filters them out.

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
        msg = f"n={n!r} must be between 1 and the number of worlds, {n_worlds}."
        raise ValueError(msg)
    if method == "greedy":
        chosen = _greedy(table, n)
    elif method == "central":
        chosen = np.argsort(_rounded(table.sum(axis=1)), kind="stable")[:n]
    elif method == "random":
        chosen = random_worlds(n_worlds, n, random_state)
    else:
        msg = f"method={method!r} must be one of {', '.join(SELECTIONS)}."
        raise ValueError(msg)
    if not return_loss:
        return chosen
    return chosen, np.minimum.accumulate(table[chosen], axis=0).sum(axis=1)


def random_worlds(n_worlds: int, n: int, random_state: Seed) -> Indices:
    """Choose `n` of `n_worlds` at random."""
    rng = np.random.default_rng([as_seed(random_state), 2])
    return rng.choice(n_worlds, n, replace=False)


def _greedy(table: Array, n: int) -> Indices:
    chosen: list[int] = []
    nearest = np.full(len(table), np.inf)
    for _ in range(n):
        # A chosen world cannot lower the loss, but may tie with others that cannot.
        loss = _rounded(np.minimum(nearest, table).sum(axis=1))
        loss[chosen] = np.inf
        pick = int(loss.argmin())
        chosen.append(pick)
        nearest = np.minimum(nearest, table[pick])
    return np.array(chosen)


def _rounded(sums: Array) -> Array:
    """Round sums, so that ties do not depend on the last digits."""
    size = sums.max()
    return np.round(sums / size, 12) if size > 0 else sums
