"""StreamRPC: representative possible worlds of a stream, with consistency learning."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import KW_ONLY, dataclass, replace
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np
from scipy.sparse import csr_array
from sklearn.utils.validation import check_is_fitted

from incerta.backend.memory import blocks
from incerta.backend.parameters import (
    POSITIVE,
    SEED,
    WHOLE,
    StrOptions,
    parameter,
    with_parameters,
)
from incerta.data.coerce import objects_of
from incerta.data.construct import exact, from_worlds
from incerta.data.container import UncertainData
from incerta.exceptions import DataError
from incerta.labels import shares
from incerta.models.checks import whole, wrong
from incerta.selection.keeping import (
    OF_DENSITIES,
    SELECTIONS,
    check_number_kept,
    keep_worlds,
)
from incerta.spectral.affinity import width_of
from incerta.spectral.consistency import consistency
from incerta.spectral.embedding import cut, nearest
from incerta.spectral.extension import Embeddings, extensions, remembered
from incerta.spectral.laplacians import Laplacians
from incerta.streams._base import StreamClusterer
from incerta.streams.absorbing import Absorbed, current_ids, pieces
from incerta.typing import Array, Indices, Seed
from incerta.worlds import Worlds
from incerta.worlds.sequence import worlds_of
from incerta.worlds.streams import as_seed


def rows_of(names: Indices, ids: Indices) -> Indices:
    """Return the row of each name among distinct ids, or −1 if it is missing."""
    if len(ids) == 0:
        return np.full(len(names), -1, dtype=np.intp)
    order = np.argsort(ids)
    there = order[np.searchsorted(ids, names, sorter=order).clip(max=len(ids) - 1)]
    return np.where(ids[there] == names, there, -1)


def moved_centers(
    centers: Array,
    ids: Indices,
    weights: Array,
    drawn: Worlds,
    counts: Array,
    done: Absorbed,
) -> Array:
    """Update the centers (n_now, n_worlds, d) of micro-clusters with new objects.

    `centers` (n_before, n_worlds, d), `ids` and `weights` are those before; `drawn` has
    as many worlds of the objects, or a single one, and `counts` their weights.
    """
    sketch, n, _ = done.room
    now = sketch.id[:n]
    shape = n, *centers.shape[1:]
    out = np.zeros((n, shape[1] * shape[2]))
    known = rows_of(ids, now)
    stay = np.flatnonzero(known >= 0)
    flat = centers.reshape(len(centers), out.shape[1])
    out[known[stay]] = flat[stay]
    begun_with = out.copy()

    def add(values: Array, mass: Array, names: Indices) -> None:
        rows = rows_of(names, now)
        some = np.flatnonzero(rows >= 0)
        rows, share = rows[some], mass[some] / sketch.weight[rows[some]]
        sums = csr_array((share, (rows, np.arange(len(some)))), shape=(n, len(some)))
        out[:] += sums @ (values[some] - begun_with[rows])

    lost = np.flatnonzero(known < 0)  # merged into others, or dropped
    if len(lost):
        add(flat[lost], weights[lost], current_ids(ids[lost], done))
    into = current_ids(done.into, done)
    for part in blocks(len(counts), 24 * out.shape[1]):
        values = drawn.only(part).stack()
        wide = np.broadcast_to(values, (shape[1], *values.shape[1:]))
        each = np.moveaxis(wide, 0, 1).reshape(len(values[0]), out.shape[1])
        add(each, counts[part], into[part])
    return out.reshape(shape)


# Starts of k-means on the common embedding, as in RPC.
N_STARTS = 10


@dataclass(frozen=True, kw_only=True)
class Agreement:
    """The consensus of the worlds on the micro-clusters."""

    labels: Indices  # (n_micro,)
    embedding: Array  # (n_micro, k)
    representatives: Indices
    model: Embeddings  # for predictions


@with_parameters
class StreamRPC(StreamClusterer):
    """Cluster a stream by the agreement of representative worlds, in bounded memory.

    Objects are added to micro-clusters by means and errors, as in `UMicro`. Each world
    draws one value of every object, and the center of a micro-cluster in that world is
    the mean of its values. When clusters are requested, `RPC` is fitted to the weighted
    micro-clusters in their worlds. The argmax of `predict_proba` may differ from
    `predict`, as in `RPC`.

    Use it for streams whose clusters are not round. For round clusters, `UMicro` takes
    a hundredth of the time and memory. For data that can be stored, use `RPC`.

    Parameters
    ----------
    n_clusters : int, default=3
        Number of clusters.
    n_worlds : int, default=100
        Number of worlds. For joint data, at most the number of draws.
    n_representatives : int, default=10
        Number of worlds to keep when clusters are requested.
    n_micro_clusters : int, default=100
        Largest number of micro-clusters. Until it is reached, every object starts one.
        Clusters that are not round need several each.
    factor : float, default=2.0
        Number of radii within which an object joins a micro-cluster.
    half_life : float, optional
        Time after which the weight of an object is halved, in units of `times`, or of
        objects. By default weights do not change.
    selection : {"greedy", "central", "random"}, default="greedy"
        How worlds are selected; see `incerta.selection.representatives`. "random" needs
        no divergences, which saves most of the time.
    divergence : {"jensen-shannon", "per-feature"}, default="jensen-shannon"
        Divergence between worlds; see `incerta.divergence`.
    gamma : {"median", "self-tuning"} or float, default="median"
        Coefficient of the Gaussian affinity ``exp(-gamma d**2)``, or the rule that sets
        its width; see `incerta.spectral.gaussian_affinity`.
    width_scale : float, default=1.0
        Factor on the width ``1 / sqrt(2 gamma)``.
    random_state : int, RandomState, Generator or None, default=0
        Seed of the worlds, of the selection and of k-means.

    Attributes
    ----------
    n_seen_ : int
        Number of objects received.
    time_ : float
        Time of the last object.
    micro_clusters_ : Sketch
        The micro-clusters: weights as of the last object, means, and more.
    macro_labels_ : ndarray of shape (n_micro,)
        Cluster of each micro-cluster; computed on access, like all attributes below.
    labels_ : ndarray of shape (n_objects,)
        Clusters of the objects of the last batch: those of their micro-clusters, or −1
        if these are forgotten by now.
    embedding_ : ndarray of shape (n_micro, n_clusters)
        The common embedding of the micro-clusters.
    representatives_ : ndarray of shape (n_representatives,)
        Numbers of the kept worlds, in the order of selection.
    seed_ : int
        ``random_state=seed_`` repeats the stream.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    Notes
    -----
    Memory is ``n_worlds * n_micro_clusters * n_features`` numbers, whatever the length
    of the stream. An object takes ``n_worlds * n_features`` draws, besides the time of
    `UMicro`. Clustering takes as long as `RPC` for as many objects as micro-clusters.

    With as many micro-clusters as objects (up to 5000), the result is that of `RPC` on
    all objects. A micro-cluster of weight w counts like w objects at its center in the
    affinities, densities and k-means. Only the widths are set by the micro-clusters:
    the width of the densities for ``(Σ w)² / Σ w²`` objects, and the width of the
    affinities by the weighted median over pairs of micro-clusters.

    The values of an object are drawn by its id, or by its position in the stream if ids
    are only numbers. Equal ids get the same random numbers: let ids name measurements,
    not instruments.

    References
    ----------
    .. [1] H. Liu, X. Zhang, X. Zhang, Q. Li, X.-M. Wu, "Clustering Uncertain Data via
       Representative Possible Worlds with Consistency Learning", IJCAI 2019.
    .. [2] C. C. Aggarwal, P. S. Yu, "A framework for clustering uncertain data
       streams", ICDE 2008.

    Examples
    --------
    >>> import incerta as ic
    >>> data, truth = ic.datasets.make_uncertain_rings(600, random_state=0)
    >>> stream = ic.StreamRPC(2, 20, n_micro_clusters=50, width_scale=0.1)
    >>> for start in range(0, 600, 100):
    ...     stream = stream.partial_fit(data[start : start + 100])
    >>> stream.n_seen_, stream.micro_clusters_.n
    (600, 50)
    >>> ic.metrics.clustering_accuracy(truth, stream.predict(data)) > 0.9
    True
    """

    n_clusters: int = parameter(WHOLE, default=3)
    n_worlds: int = parameter(WHOLE, default=100)
    n_representatives: int = parameter(WHOLE, default=10)
    _: KW_ONLY
    n_micro_clusters: int = parameter(WHOLE, default=100)
    factor: float = parameter(POSITIVE, default=2.0)
    half_life: float | None = parameter([*POSITIVE, None], default=None)
    selection: str = parameter([StrOptions(set(SELECTIONS))], default="greedy")
    divergence: str = parameter(
        [StrOptions(set(OF_DENSITIES))], default="jensen-shannon"
    )
    gamma: str | float = parameter(
        [StrOptions({"median", "self-tuning"}), *POSITIVE], default="median"
    )
    width_scale: float = parameter(POSITIVE, default=1.0)
    random_state: Seed = parameter(SEED, default=0)

    _fills = True
    _stored: ClassVar[dict[str, str]] = {
        "seed_": "",
        "_centers": "f q w d",
        "_into": "i n",
    }

    def fit(self, X: Any, y: None = None) -> Self:
        """Add all objects of `X` to an empty stream, and cluster them.

        Parameters
        ----------
        X, y
            As for `UMicro`.
        """
        super().fit(X)
        self._agreement  # noqa: B018
        return self

    def predict(self, X: Any) -> Indices:
        """Return the cluster of new objects, by the common embedding; see `RPC`.

        Parameters
        ----------
        X : UncertainData or anything `as_uncertain` takes
            Objects with the features of the stream, independent of its objects unless
            both are joint.
        """
        rows = np.mean(list(self._extensions(X, common=True)), axis=0)
        return nearest(rows, self._agreement.model.centers)

    def predict_proba(self, X: Any) -> Array:
        """Return the share of kept worlds in which new objects are in each cluster.

        Parameters
        ----------
        X : UncertainData or anything `as_uncertain` takes
            As for `predict`.
        """
        extended = list(self._extensions(X, common=False))
        centers = self._agreement.model.centers
        return shares(
            np.array([nearest(rows, centers) for rows in extended]), len(centers)
        )

    def macro_clusters(self, n_clusters: int | None = None) -> Indices:
        """Cluster the micro-clusters, for another number of clusters.

        Parameters
        ----------
        n_clusters : int, optional
            Number of clusters; by default the parameter of the stream.
        """
        check_is_fitted(self, "time_")
        if n_clusters is None:
            return self._agreement.labels
        if n_clusters < 1:
            msg = f"n_clusters={n_clusters!r} must be at least 1."
            raise ValueError(msg)
        return self._agree(n_clusters).labels

    @property
    def macro_labels_(self) -> Indices:
        """Cluster of each micro-cluster."""
        return self.macro_clusters()

    @property
    def labels_(self) -> Indices:
        """Clusters of the objects of the last batch."""
        rows = rows_of(self._into, self._room.sketch.id[: self._room.n])
        return np.where(rows < 0, -1, self.macro_labels_[rows])

    @property
    def embedding_(self) -> Array:
        """The common embedding of the micro-clusters."""
        check_is_fitted(self, "time_")
        return self._agreement.embedding

    @property
    def representatives_(self) -> Indices:
        """Numbers of the kept worlds."""
        check_is_fitted(self, "time_")
        return self._agreement.representatives

    def _begin(self, n_features: int, time: float) -> None:
        check_number_kept(self.n_representatives, self.n_worlds)
        super()._begin(n_features, time)
        self.seed_ = as_seed(self.random_state)
        self._centers = np.empty((0, 1, n_features))

    def _learn(self, data: UncertainData, when: Array) -> None:
        if np.array_equal(data.ids, np.arange(len(data))):  # only numbers, as in concat
            data = replace(data, ids=data.ids + self.n_seen_)
        drawn = worlds_of(data, self.n_worlds, self.seed_)
        before = self._centers.shape[1]
        if before == 1:  # enough while all objects are exact
            self._centers = np.repeat(self._centers, len(drawn), axis=1)
        elif len(drawn) not in (1, before):
            msg = (
                f"these objects have {len(drawn)} worlds, but earlier objects have "
                f"{before}; all joint data of a stream must have the same number of "
                "draws, or at least n_worlds."
            )
            raise DataError(msg)
        self.__dict__.pop("_agreement", None)  # of earlier batches
        values, variances = data.mean(), data.variance()
        into = np.empty(len(data), dtype=np.int64)
        for part in pieces(when, self._origin, None, self.half_life):
            old_ids = self._room.sketch.id[: self._room.n]
            self._age(float(when[part.start]))
            sketch, n, _ = self._room
            ids, weights = sketch.id[:n].copy(), sketch.weight[:n].copy()
            centers = self._centers[np.isin(old_ids, ids)]
            done = self._absorb(values[part], variances[part], when[part])
            counts = 2.0 ** (self._rate * (when[part] - self._origin))
            known = centers, ids, weights
            self._centers = moved_centers(*known, drawn.only(part), counts, done)
            into[part] = done.into
            into[: part.stop] = current_ids(into[: part.stop], done)
        self._into = into

    @cached_property
    def _agreement(self) -> Agreement:
        """The consensus of the worlds; computed on first access."""
        return self._agree(self.n_clusters)

    def _agree(self, n_clusters: int) -> Agreement:
        centers = np.ascontiguousarray(np.moveaxis(self._centers, 1, 0))
        n_worlds, n, _ = centers.shape
        ids = self._room.sketch.id[:n]
        # Exact objects have a single world.
        data = (
            exact(centers[0], ids) if n_worlds == 1 else from_worlds(centers, ids=ids)
        )
        weights, k = relative(self._room.sketch.weight[:n]), min(n_clusters, n)
        kept = keep_worlds(
            data,
            self.n_worlds,
            self.n_representatives,
            selection=self.selection,
            divergence=self.divergence,
            random_state=self.seed_,
            weights=weights,
        )
        laplacians = Laplacians(
            kept.worlds, width_of(self.gamma), self.width_scale, weights=weights
        )
        found = consistency(laplacians, k)
        # Rows of single objects, not of whole micro-clusters; see `Laplacians`.
        rows = found.common / (1.0 if weights is None else np.sqrt(weights)[:, None])
        labels, cut_at = cut(rows, k, N_STARTS, self.seed_, weights)
        model = remembered(kept.worlds, found, laplacians, cut_at)
        return Agreement(
            labels=labels, embedding=rows, representatives=kept.positions, model=model
        )

    def _extensions(self, X: Any, *, common: bool) -> Iterator[Array]:
        check_is_fitted(self, "time_")
        data = objects_of(self, X, reset=False)
        if data.n_draws is not None and data.n_draws > self.n_worlds:
            spaced = worlds_of(data, self.n_worlds, self.seed_)
            data = from_worlds(spaced.stack(), ids=data.ids)
        model = self._agreement.model
        return extensions(
            model, data, self.n_worlds, width_of(self.gamma), common=common
        )

    def _check_stored(self) -> None:
        super()._check_stored()
        whole(self.seed_, 0, "seed_")
        ids = self._room.sketch.id[: self._room.n]
        if len(self._centers) != len(ids) or self._centers.shape[1] < 1:
            wrong("worlds do not fit the micro-clusters")


def relative(weights: Array) -> Array | None:
    """Return the weights with a mean of 1, or None if all are equal."""
    return None if (weights == weights[0]).all() else weights / weights.mean()
