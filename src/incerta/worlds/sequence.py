"""`Worlds`: a sequence of possible worlds, drawn on access."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, overload

import numpy as np

from incerta.backend.memory import blocks, check_fits
from incerta.data.construct import from_worlds
from incerta.data.container import UncertainData
from incerta.data.laws import Joint
from incerta.data.refused import refuse_missing
from incerta.exceptions import DataError
from incerta.models.checks import whole, within, wrong
from incerta.models.registry import stored
from incerta.typing import Array, ArrayLike, Indices, Seed
from incerta.worlds.streams import as_seed, stratified_uniforms, uniforms


def _check(worlds: Worlds) -> None:
    if not isinstance(worlds.data, UncertainData):
        wrong("worlds have no data")
    n_draws = worlds.data.n_draws
    within(worlds.indices, 2**62 if n_draws is None else n_draws, "indices")
    whole(worlds.seed, 0, "seed")
    if worlds.n_strata is not None:
        whole(worlds.n_strata, 1, "n_strata")
        # Searching for the stratum of a world outside the strata would never end.
        within(worlds.indices, worlds.n_strata, "indices")


@stored(_check, indices="i w")
@dataclass(frozen=True, eq=False, repr=False)
class Worlds(Sequence[Array]):
    """Possible worlds of uncertain data, each with one value per object.

    `UncertainData.worlds` returns them. Nothing is stored: each access draws a world
    anew, with the same values alone, in a slice or in another process.

    Attributes
    ----------
    data : UncertainData
        The data that the worlds are drawn from.
    indices : ndarray of shape (n_worlds,)
        Numbers of the worlds in this sequence; a slice keeps the numbers.
    seed : int
        Seed of the draws; ``random_state=seed`` reproduces the worlds.
    n_strata : int or None
        Number of requested worlds with ``quasi=True``, else None.

    Examples
    --------
    >>> import incerta as ic
    >>> import numpy as np
    >>> worlds = ic.from_interval([[0.0], [5.0]], [[1.0], [9.0]]).worlds(100, 0)
    >>> len(worlds), worlds[17].shape, len(worlds[10:20])
    (100, (2, 1), 10)
    >>> np.array_equal(worlds[17], worlds[10:20][7])
    True
    """

    data: UncertainData
    indices: Indices
    seed: int
    n_strata: int | None = None

    @classmethod
    def drawn(
        cls,
        data: UncertainData,
        n_worlds: int,
        random_state: Seed = None,
        *,
        quasi: bool = False,
    ) -> Worlds:
        """Return worlds 0 to ``n_worlds - 1`` of `data`; see `UncertainData.worlds`."""
        if not isinstance(n_worlds, (int, np.integer)) or n_worlds < 1:
            msg = f"n_worlds={n_worlds!r} must be a whole number of at least 1."
            raise ValueError(msg)
        if data.n_draws is not None and n_worlds > data.n_draws:
            msg = (
                f"n_worlds={n_worlds} is larger than the number of draws of these "
                f"joint data; use at most {data.n_draws}."
            )
            raise DataError(msg)
        refuse_missing(data)
        strata = int(n_worlds) if quasi and not data.joint else None
        return cls(data, np.arange(n_worlds), as_seed(random_state), strata)

    @property
    def shape(self) -> tuple[int, int, int]:
        """The numbers of worlds, objects and features."""
        return len(self), self.data.n_objects, self.data.n_features

    def __len__(self) -> int:
        return len(self.indices)

    @overload
    def __getitem__(self, key: int) -> Array: ...
    @overload
    def __getitem__(self, key: slice) -> Worlds: ...
    def __getitem__(self, key: int | slice) -> Array | Worlds:
        """Return the world at `key`, or for a slice a sequence of undrawn worlds."""
        if isinstance(key, slice):
            return replace(self, indices=self.indices[key])
        return self._draw(self.indices[key : key + 1 or None])[0]

    def __iter__(self) -> Iterator[Array]:
        for batch in self._batches(self.indices):
            yield from batch

    def at(self, indices: ArrayLike) -> Worlds:
        """Return the worlds at the given positions, in this order, without drawing."""
        return replace(self, indices=self.indices[np.asarray(indices, dtype=np.intp)])

    def only(self, objects: Any) -> Worlds:
        """Return the same worlds for some of the objects, without drawing.

        Parameters
        ----------
        objects : slice, mask or array-like of int
            Selection as in ``data[objects]``. Draws do not depend on other objects.

        Examples
        --------
        >>> import incerta as ic
        >>> import numpy as np
        >>> worlds = ic.from_interval([[0.0], [5.0], [7.0]], [[1.0], [9.0], [8.0]])
        >>> worlds = worlds.worlds(100, 0)
        >>> np.array_equal(worlds.only([2, 0])[17], worlds[17][[2, 0]])
        True
        """
        return replace(self, data=self.data[objects])

    def stack(self, indices: ArrayLike | None = None) -> Array:
        """Draw several worlds into one array (n_indices, n_objects, n_features).

        Parameters
        ----------
        indices : array-like of int, optional
            Positions in this sequence; by default all of them.
        """
        chosen = self.indices if indices is None else self.indices[np.asarray(indices)]
        n_bytes = 8 * len(chosen) * math.prod(self.shape[1:])
        what = f"The values of {len(chosen):,} worlds"
        check_fits(n_bytes, what, "Go through the worlds one by one.")
        out = np.empty((len(chosen), *self.shape[1:]))
        first = 0
        for batch in self._batches(chosen):
            out[first : first + len(batch)] = batch
            first += len(batch)
        return out

    def __repr__(self) -> str:
        n, objects, features = self.shape
        how = "given" if self.data.joint else f"seed={self.seed}"
        if self.n_strata is not None:
            how += ", quasi"
        return f"Worlds({n} worlds of {objects} objects × {features} features, {how})"

    def _batches(self, chosen: Indices) -> Iterator[Array]:
        """Draw a few worlds at a time, as some laws can draw many in one call."""
        world_bytes = (
            8 * self.data.n_objects * (self.data.n_features + self.data.law.n_uniforms)
        )
        for block in blocks(len(chosen), world_bytes):
            yield self._draw(chosen[block])

    def _draw(self, chosen: Indices) -> Array:
        law = self.data.law
        if len(chosen) == 0:
            msg = f"there are only {len(self)} worlds."
            raise IndexError(msg)
        if isinstance(law, Joint):
            return law.draws[chosen]
        keys = self.data.uniform_keys()
        if self.n_strata is None:
            return law.at(uniforms(self.seed, chosen, keys))
        return law.at(stratified_uniforms(self.seed, chosen, self.n_strata, keys))


def check_worlds(worlds: object, *arrays: Array | Indices) -> None:
    """Raise an error unless a stored value is a `Worlds` that fits the arrays."""
    if not isinstance(worlds, Worlds):
        wrong("worlds are of another type")
    if any(len(array) != worlds.shape[1] for array in arrays):
        wrong("worlds do not match the number of objects")


def as_worlds(worlds: Worlds | ArrayLike) -> Worlds:
    """Return the input as `Worlds`; an array holds given draws.

    Parameters
    ----------
    worlds : Worlds or array-like of shape (n_worlds, n_objects, n_features)
        The worlds. An array is read as by `from_worlds`.
    """
    if isinstance(worlds, Worlds):
        return worlds
    if isinstance(worlds, UncertainData):
        msg = "worlds is UncertainData; draw worlds first: data.worlds(100, seed)."
        raise DataError(msg)
    data = from_worlds(worlds)
    return Worlds(data, np.arange(len(np.asarray(worlds))), seed=0)


def worlds_of(data: UncertainData, n_worlds: int, seed: int) -> Worlds:
    """Return at most `n_worlds`; one for exact data, evenly spaced joint draws."""
    if data.exact:
        return data.worlds(1, seed)
    n_draws = data.n_draws
    if n_draws is None:
        return data.worlds(n_worlds, seed)
    spaced = np.linspace(0, n_draws - 1, min(n_worlds, n_draws))
    return data.worlds(n_draws, seed).at(np.round(spaced).astype(np.intp))


class Pairs(NamedTuple):
    """Pairs that consist of a world of the fit and a world of new objects."""

    positions: Indices  # of the worlds in the sequence kept by the fit
    fitted: Worlds
    new: Worlds


def paired(fitted: Worlds, data: UncertainData, n_worlds: int) -> Pairs:
    """Pair worlds of new objects with those kept by a fit.

    Draw j of a joint ensemble is paired with draw j. Other objects are independent of
    the fit, so their worlds have another seed: with the same seed, new object i would
    vary with object i of the fit. The single world of exact objects is paired with all
    worlds of the others. If the fit is exact, draw `n_worlds` for the new objects.
    """
    if fitted.data.exact:
        new = worlds_of(data, n_worlds, fitted.seed + 1)
        positions = np.zeros(len(new), dtype=np.intp)
        return Pairs(positions, fitted.at(positions), new)
    positions = np.arange(len(fitted))
    if data.exact:
        return Pairs(positions, fitted, data.worlds(1, 0).at(np.zeros_like(positions)))
    numbers = fitted.indices
    seed = fitted.seed + 1
    if data.n_draws is not None:
        numbers = numbers % data.n_draws
        seed = fitted.seed  # the draws are given, so nothing is random
    return Pairs(positions, fitted, Worlds(data, numbers, seed, fitted.n_strata))
