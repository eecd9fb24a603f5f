"""SlidingUMicro: clustering of the latest part of a stream."""

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
    """Cluster the latest part of a stream, with objects that may not exist.

    Objects are added to micro-clusters as in `UMicro`. Objects older than the window
    are removed from them, block by block, as if they had never come. Each object may
    have a probability of existence (such as that of a detection or a matched record),
    which is its weight. It then joins the micro-cluster with the most certain objects
    among those within reach.

    Use it if objects should not count after a certain time. `UMicro` with `half_life`
    lets their weight decay, and needs a tenth of the memory.

    Parameters
    ----------
    n_clusters : int, default=3
        Number of clusters.
    window : float, default=1000.0
        Length of the window, in units of `times`, or of objects.
    n_blocks : int, default=10
        Number of blocks of the window. The latest block is still filling, so the window
        is shorter by up to one block.
    n_micro_clusters : int, default=100
        Largest number of micro-clusters.
    factor : float, default=2.0
        Number of radii within which an object joins a micro-cluster.
    method : {"UKMeans", "ErrorMixture", "AutoClusterer"}, default="UKMeans"
        Method that clusters the micro-clusters.
    random_state : int, RandomState, Generator or None, default=0
        Seed of `method`.

    Attributes
    ----------
    n_seen_ : int
        Number of objects received, in the window or not.
    time_ : float
        Time of the last object.
    micro_clusters_ : Sketch
        The micro-clusters of the window: sums of existences as weights, means, and
        more.
    macro_labels_ : ndarray of shape (n_micro,)
        Cluster of each micro-cluster.
    labels_ : ndarray of shape (n_objects,)
        Clusters of the objects of the last batch.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    Notes
    -----
    A micro-cluster stores the sums of e, e², e x, e x² and e ψ², for existence e, value
    x and error ψ. The mean of 1 − e, weighted by e, is ``1 − Σe² / Σe``. Of the
    micro-clusters within reach, an object joins the one with the lowest mean after
    joining [1]_, and the nearest in case of ties. If none is within reach, it starts a
    new one. While all objects exist and none has left the window, it is `UMicro`.

    An object takes ``n_micro_clusters * n_features`` operations, and a block as many
    for each block. Memory is ``n_blocks * n_micro_clusters * n_features`` numbers.

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
        """Add the next objects of the stream.

        Parameters
        ----------
        X, y, times
            As for `UMicro`.
        existence : array-like of shape (n_objects,), optional
            Probability that each object exists, above 0 and up to 1. By default all
            exist.
        """
        data, when = self._arrived(X, times)
        self._learn(data, when, checked_existence(existence, len(data)))
        return self

    def learn_one(
        self, x: Mapping[str, Any], *, time: float | None = None, existence: float = 1.0
    ) -> Self:
        """Add one object, as river's pipelines do.

        Parameters
        ----------
        x, time
            As for `UMicro`.
        existence : float, default=1.0
            Probability that the object exists.
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
            # If all objects exist, the nearest micro-cluster is enough.
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
        """Move the window; add up the remaining blocks when others leave."""
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
            wrong("the blocks of the window are missing")


def checked_existence(existence: Any, n: int) -> Array | None:
    """Return the existence of `n` objects, or None if all exist."""
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
