"""SlidingUMicro: clusters of the last part of a stream, and of nothing before."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import KW_ONLY
from typing import Any, ClassVar, Self

import numpy as np

from incerta.backend.parameters import (
    POSITIVE,
    SEED,
    WHOLE,
    StrOptions,
    parameter,
    with_parameters,
)
from incerta.data.container import UncertainData
from incerta.models.checks import wrong
from incerta.streams._base import ByMoments, StreamClusterer
from incerta.streams.absorbing import (
    Block,
    current_ids,
    made_room,
    of_objects,
    pieces,
    renamed,
    ticks,
    together,
)
from incerta.streams.macro import METHODS
from incerta.streams.sketch import empty
from incerta.typing import Array, Seed


@with_parameters
class SlidingUMicro(ByMoments, StreamClusterer):
    """Cluster the last part of a stream, whose objects may not exist.

    Objects are absorbed by micro-clusters as in `UMicro`. What is older than the window
    is taken out of them, block by block, as if it had never come. An object may have a
    probability that it exists at all (a detection, a record that was matched): it then
    counts for as much, and of the micro-clusters that it may belong to it goes into
    that whose objects are surest.

    Use it where the past should not count beyond a certain time. With `UMicro` and a
    half-life it counts for less and less, in a tenth of the memory.

    Parameters
    ----------
    n_clusters : int, default=3
        Number of clusters.
    window : float, default=1000.0
        Length of the window; in units of `times`, or of objects.
    n_blocks : int, default=10
        Number of blocks that the window is made of. The last one is not full yet, so
        that the window is shorter by up to a block.
    n_micro_clusters : int, default=100
        Largest number of micro-clusters.
    factor : float, default=2.0
        Radii within which an object belongs to a micro-cluster.
    method : {"UKMeans", "ErrorMixture", "AutoClusterer"}, default="UKMeans"
        What clusters the micro-clusters.
    random_state : int, RandomState, Generator or None, default=0
        Seed of that.

    Attributes
    ----------
    n_seen_ : int
        How many objects came, in the window or not.
    time_ : float
        When the last one did.
    micro_clusters_ : Sketch
        The micro-clusters of the window: sums of existences as weights, means, and
        more.
    macro_labels_ : ndarray of shape (n_micro,)
        Cluster of each micro-cluster.
    labels_ : ndarray of shape (n_objects,)
        Clusters of the objects of the last piece.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    Notes
    -----
    A micro-cluster has the sums of e, e², e x, e x² and e ψ², with existence e, value x
    and error ψ. The mean of 1 − e, weighted by e, is ``1 − Σe² / Σe``; of those whose
    radii reach the object, the one goes where this is lowest with it [1]_, and of equal
    ones the nearest. It begins a new one if it is out of reach of the nearest, as in
    `UMicro`, which this is where all exist and none has left the window.

    An object takes ``n_micro_clusters * n_features`` operations, and a block as many
    for each block; memory is ``n_blocks * n_micro_clusters * n_features`` numbers.

    References
    ----------
    .. [1] C. Zhang, M. Gao, A. Zhou, "Tracking high quality clusters over uncertain
       data streams", ICDE 2009.

    Examples
    --------
    >>> import numpy as np
    >>> import incerta as ic
    >>> rng = np.random.default_rng(0)
    >>> stream = ic.SlidingUMicro(n_clusters=2, window=200.0)
    >>> for hour in range(10):  # two groups that move
    ...     values = rng.choice([0.0, 9.0], size=(50, 1)) + hour
    ...     piece = ic.from_gaussian(values + rng.normal(size=(50, 1)), std=0.3)
    ...     stream = stream.partial_fit(piece, existence=rng.uniform(0.5, 1.0, 50))
    >>> stream.n_seen_, stream.micro_clusters_.number.sum()
    (500, np.int64(200))
    """

    n_clusters: int = parameter(WHOLE, default=3)
    _: KW_ONLY
    window: float = parameter(POSITIVE, default=1000.0)
    n_blocks: int = parameter(WHOLE, default=10)
    n_micro_clusters: int = parameter(WHOLE, default=100)
    factor: float = parameter(POSITIVE, default=2.0)
    method: str = parameter([StrOptions(set(METHODS))], default="UKMeans")
    random_state: Seed = parameter(SEED, default=0)

    _stored: ClassVar[dict[str, str]] = {
        "labels_": "i n",
        "_blocks": "",
        "_numbers": "",
    }

    def partial_fit(
        self, X: Any, y: None = None, *, times: Any = None, existence: Any = None
    ) -> Self:
        """Take the next objects of the stream.

        Parameters
        ----------
        X, y, times
            As for `UMicro`.
        existence : array-like of shape (n_objects,), optional
            How probable it is that each of them exists, above 0 and up to 1. By default
            all do.
        """
        data, when = self._arrived(X, times)
        self._learn(data, when, checked_existence(existence, len(data)))
        return self

    def learn_one(
        self, x: Mapping[str, Any], *, time: float | None = None, existence: float = 1.0
    ) -> Self:
        """Take one object, as pipelines of river do.

        Parameters
        ----------
        x, time
            As for `UMicro`.
        existence : float, default=1.0
            How probable it is that it exists.
        """
        when = None if time is None else [time]
        return self.partial_fit(self._one(x), times=when, existence=[existence])

    def _begin(self, n_features: int, time: float) -> None:
        super()._begin(n_features, time)
        self._blocks: list[Block] = []

    def _learn(
        self, data: UncertainData, when: Array, existence: Array | None = None
    ) -> None:
        values, variances = data.mean(), data.variance()
        existence = np.ones(len(data)) if existence is None else existence
        length = self.window / self.n_blocks
        for part in pieces(when, self._origin, length, None):
            number = int(ticks(when[part.start], self._origin, length))
            self._slide_to(number)
            some, there = (values[part], variances[part]), existence[part]
            # Where all exist, there is no search for the surest.
            sure = (there == 1.0).all() and self._all_exist()
            done = self._absorb(*some, when[part], None if sure else there)
            blocks = [Block(n, renamed(sketch, done)) for n, sketch in self._blocks]
            into = current_ids(done.into, done)
            kept = np.flatnonzero(into >= 0)
            new = of_objects(*some, there, when[part], into).only(kept)
            same = [sketch for n, sketch in blocks if n == number]
            others = [block for block in blocks if block.number != number]
            self._blocks = [*others, Block(number, together([*same, new]))]
        self._name(data)

    def _all_exist(self) -> bool:
        sketch, n, _ = self._room
        return bool((sketch.squares[:n] == sketch.weight[:n]).all())

    def _slide_to(self, number: int) -> None:
        """Add up what is left when blocks leave the window."""
        left = [
            block for block in self._blocks if block.number > number - self.n_blocks
        ]
        if len(left) < len(self._blocks):
            nothing = empty(self.n_features_in_)
            sketch = together([nothing, *(block.sketch for block in left)])
            self._room = made_room(sketch, self.n_micro_clusters, self._room.next_id)
            self._blocks = left

    def _check_stored(self) -> None:
        super()._check_stored()
        if not isinstance(self._blocks, list) or not all(
            isinstance(block, Block)
            and block.sketch.n_features == self.n_features_in_
            and block.sketch.n <= self.n_micro_clusters
            for block in self._blocks
        ):
            wrong("what should be blocks of a window is something else")


def checked_existence(existence: Any, n: int) -> Array | None:
    """How probable it is that `n` objects exist; None if all do."""
    if existence is None:
        return None
    there = np.asarray(existence, dtype=np.float64)
    if there.shape != (n,):
        msg = f"existence must be one number for each of the {n} objects."
        raise ValueError(msg)
    wrong_ones = ~((there > 0.0) & (there <= 1.0))
    if wrong_ones.any():
        i = int(wrong_ones.argmax())
        msg = (
            f"existence[{i}]={there[i]} must be above 0 and at most 1; leave out "
            "objects that do not exist."
        )
        raise ValueError(msg)
    return there
