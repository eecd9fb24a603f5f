"""Draw worlds, compare them, keep those that represent the rest."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from incerta.backend.device import CPU
from incerta.backend.keyed import some_by_key
from incerta.data.coerce import as_uncertain
from incerta.data.container import UncertainData
from incerta.data.extremes import refuse_extremes
from incerta.divergence import (
    between_clusterings,
    energy,
    jensen_shannon,
    jensen_shannon_per_feature,
)
from incerta.divergence.parts import error_of_some
from incerta.selection.choosing import random_worlds, representatives
from incerta.typing import Array, Indices
from incerta.worlds import Worlds
from incerta.worlds.sequence import worlds_of

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
    >>> kept = keep_worlds(data, 40, 5, seed=0)
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
    seed: int,
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
    seed : int
        Seed of the worlds, and of whatever else is random.
    weights : ndarray of shape (n_objects,), optional
        How many objects each one stands for; "jensen-shannon" and "per-feature" know.

    Returns
    -------
    Kept
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
    drawn = worlds_of(data, n_worlds, seed)
    if n_representatives is None:
        return Kept(drawn)
    n_kept = min(n_representatives, len(drawn))
    if selection == "random":
        return Kept(drawn, random_worlds(len(drawn), n_kept, seed))
    if len(drawn) == 1:
        return Kept(drawn, np.zeros(1, dtype=np.intp), np.zeros((1, 1)), np.zeros(1))
    compare: Any = _comparing(divergence, n_clusters, n_jobs, device, seed)
    compared, few = drawn, False
    if divergence in OF_DENSITIES and len(data) > EXACT_DIVERGENCE_OBJECTS:
        few, some = True, some_by_key(data.keys, DIVERGENCE_OBJECTS, seed)
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


def _comparing(
    divergence: Divergence, n_clusters: int, n_jobs: int | None, device: str, seed: int
) -> Callable[[Worlds], Array]:
    if callable(divergence):
        return divergence
    where: Any = {"n_jobs": n_jobs} if device == CPU else {"device": device}
    named: dict[str, Callable[[Worlds], Array]] = {
        "jensen-shannon": partial(jensen_shannon, **where),
        "per-feature": partial(jensen_shannon_per_feature, **where),
        "energy": energy,
        "clustering": partial(
            between_clusterings, n_clusters=n_clusters, random_state=seed
        ),
    }
    return named[divergence]
