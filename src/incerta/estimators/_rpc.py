"""RPC: representative possible worlds with consistency learning."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import KW_ONLY, replace
from numbers import Integral
from typing import Any, ClassVar

import numpy as np

from incerta.backend.device import CPU
from incerta.backend.keyed import some_by_key
from incerta.backend.parameters import (
    AUTO,
    NOT_NEGATIVE,
    POSITIVE,
    SEED,
    WHOLE,
    StrOptions,
    parameter,
    with_parameters,
)
from incerta.backend.progress import followed
from incerta.data.container import UncertainData
from incerta.estimators._base import (
    DIVERGENCE,
    SELECTION,
    UncertainClusterer,
    kept_worlds,
)
from incerta.labels import in_order_of_appearance, shares, with_empty_last
from incerta.models.checks import wrong
from incerta.spectral.affinity import width_of
from incerta.spectral.consistency import (
    Alone,
    consistency,
    embeddings_alone,
    n_clusters_by_eigengap,
)
from incerta.spectral.embedding import cut, nearest, of_unit_length
from incerta.spectral.extension import (
    Embedded,
    Embeddings,
    aligned,
    extend,
    extensions,
    remembered,
)
from incerta.spectral.laplacians import DENSE_OBJECTS, Laplacians
from incerta.typing import Array, Indices, Seed
from incerta.worlds import Worlds

# Number of worlds whose embeddings are held at once for `membership_`.
WORLDS_AT_A_TIME = 10
# With more than 5000 objects, fit to this many and embed the others by them.
N_LANDMARKS = 1000


@with_parameters
class RPC(UncertainClusterer):
    """Cluster uncertain objects by the agreement of representative possible worlds.

    Possible worlds are random draws of the data. The few that represent them best are
    kept, and their spectral embeddings are pulled towards a common one, which k-means
    cuts into clusters of any shape [1]_.

    Use it if clusters are not round, or if objects depend on each other (joint data).
    `ExpectedSpectral` is its limit for infinitely many worlds and costs one
    eigenproblem instead of many. For round clusters, `UKMeans` is far cheaper.

    Parameters
    ----------
    n_clusters : int or "auto", default=3
        Number of clusters. "auto" takes the largest gap between the eigenvalues of the
        common embedding, from 2 to 10 clusters. It cannot find a single cluster, and is
        unreliable if clusters overlap.
    n_worlds : int, default=100
        Number of worlds to draw. For joint data, at most the number of draws; if there
        are more draws, `n_worlds` of them are used, evenly spaced.
    n_representatives : int, default=10
        Number of worlds to keep, at most the number drawn.
    selection : {"greedy", "central", "random"}, default="greedy"
        How worlds are selected; see `incerta.selection.representatives`. "random" needs
        no divergences, which saves most of the time, and did as well in our trials.
    divergence : str or callable, default="jensen-shannon"
        Divergence between worlds: "jensen-shannon" (as published), "per-feature",
        "energy" or "clustering"; see `incerta.divergence`. A callable takes `Worlds`
        and returns the matrix. With more than 1000 objects the first two use 250 of
        them, the same in all worlds; ``divergence=jensen_shannon`` uses all.
    gamma : {"median", "self-tuning"} or float, default="median"
        Coefficient of the Gaussian affinity ``exp(-gamma d**2)``, or the rule that sets
        its width; see `incerta.spectral.gaussian_affinity`.
    width_scale : float, default=1.0
        Factor on the width ``1 / sqrt(2 gamma)``.
    n_neighbors : int, "auto" or None, default="auto"
        Number of neighbors in a sparse graph of affinities. None keeps all pairs, and
        so does "auto" with up to 5000 objects. With more, "auto" compares 1000 of them
        and embeds the others by these; clusters without any of the 1000 are missed.
    consistency_weight : float, default=1.0
        Weight of agreement relative to each world's structure (Eq. 11).
    normalize_rows : bool, default=False
        Whether to scale the rows of the embedding to length 1 before k-means.
    tol : float, default=1e-6
        Relative gain of the objective below which the sweeps stop.
    max_iter : int, default=200
        Maximum number of sweeps.
    n_init : int, default=10
        Number of k-means starts.
    n_jobs : int, optional
        Number of threads for the divergences; the result does not depend on it.
    device : str, default="cpu"
        Where worlds and objects are compared: "cpu", or a torch device such as "cuda"
        (extra ``gpu``).
    random_state : int, RandomState, Generator or None, default=None
        Seed of the worlds, of the selection and of k-means.

    Attributes
    ----------
    labels_ : ndarray of shape (n_objects,)
        Cluster of each object, numbered in the order of the ids.
    membership_ : ndarray of shape (n_objects, n_clusters)
        Share of all drawn worlds, kept or not, in which the object is in each cluster:
        the embedding of each world is rotated to the common one (Procrustes) and cut at
        the same centers. Computed on first access.
    confidence_ : ndarray of shape (n_objects,)
        Membership in the cluster of the label.
    labels_per_world_ : ndarray of shape (n_representatives, n_objects)
        Labels in each kept world, computed as for `membership_`.
    representatives_ : ndarray of shape (n_representatives,)
        Numbers of the kept worlds, in the order of selection.
    n_drawn_ : int
        Number of worlds drawn.
    divergences_ : ndarray of shape (n_worlds, n_worlds) or None
        Divergences between all worlds; None if `selection` is "random".
    divergence_error_ : ndarray of shape (n_worlds, n_worlds) or None
        Standard error of the divergences, if they use only some of the objects.
    loss_ : ndarray of shape (n_representatives,) or None
        Loss after each selected world (Eq. 1); None without divergences.
    embedding_ : ndarray of shape (n_objects, n_clusters)
        The common embedding U*.
    objective_ : list of float
        Objective (Eq. 11) after each sweep; never falls.
    n_iter_ : int
        Number of sweeps.
    n_clusters_ : int
        Number of clusters used.
    seed_, n_features_in_, feature_names_in_
        ``random_state=seed_`` repeats the fit; the others are as in scikit-learn.

    Notes
    -----
    With M worlds, R of them kept, and n objects, the divergences take M² n² kernel
    evaluations (n at most 1000), and the affinities R n². Memory holds a few n × n
    matrices with up to 5000 objects, else one world and a row of 1000 per object.
    Objects without uncertainty have a single world: this is spectral clustering.

    `predict` extends the common embedding to new objects in each kept world (Nyström),
    and cuts the mean at the same centers. `predict_proba` cuts the embedding of each
    world, so the argmax of `predict_proba` may differ from `predict`, and that of
    `membership_` from `labels_`. Values are drawn again for objects of the fit.

    References
    ----------
    .. [1] H. Liu, X. Zhang, X. Zhang, Q. Li, X.-M. Wu, "Clustering Uncertain Data via
       Representative Possible Worlds with Consistency Learning", IJCAI 2019.

    Examples
    --------
    >>> import incerta as ic
    >>> X = [[[0.0], [0.2]], [[0.1]], [[9.0], [9.3]], [[9.1]]]
    >>> rpc = ic.RPC(n_clusters=2, n_worlds=20, random_state=0).fit(X)
    >>> rpc.labels_, rpc.confidence_
    (array([0, 0, 1, 1]), array([1., 1., 1., 1.]))
    """

    n_clusters: int | str = parameter([*WHOLE, AUTO], default=3)
    n_worlds: int = parameter(WHOLE, default=100)
    n_representatives: int = parameter(WHOLE, default=10)
    _: KW_ONLY
    selection: str = parameter(SELECTION, default="greedy")
    divergence: str | Callable[[Worlds], Array] = parameter(
        DIVERGENCE, default="jensen-shannon"
    )
    gamma: str | float = parameter(
        [StrOptions({"median", "self-tuning"}), *POSITIVE], default="median"
    )
    width_scale: float = parameter(POSITIVE, default=1.0)
    n_neighbors: int | str | None = parameter([*WHOLE, AUTO, None], default="auto")
    consistency_weight: float = parameter(NOT_NEGATIVE, default=1.0)
    normalize_rows: bool = parameter(["boolean"], default=False)
    tol: float = parameter(NOT_NEGATIVE, default=1e-6)
    max_iter: int = parameter(WHOLE, default=200)
    n_init: int = parameter(WHOLE, default=10)
    n_jobs: int | None = parameter([Integral, None], default=None)
    device: str = parameter([str], default=CPU)
    random_state: Seed = parameter(SEED, default=None)

    _takes_kept = True
    _stored: ClassVar[dict[str, str]] = {
        "representatives_": "i w",
        "n_drawn_": "",
        "divergences_": "f m m",
        "divergence_error_": "f m m",
        "loss_": "f w",
        "embedding_": "f n e",
        "objective_": "",
        "n_iter_": "",
        "n_clusters_": "",
        "_model": "",
    }

    def _fit(self, objects: Any) -> None:
        k = 3 if isinstance(self.n_clusters, str) else int(self.n_clusters)
        kept = kept_worlds(self, objects, k)
        self._landmarks = self._standing_for_all(kept.data)
        worlds = self._of_landmarks(kept.worlds)
        alone = self._embed(worlds)
        self.n_clusters_ = len(self._model.centers)
        self.n_iter_ = len(self.objective_)
        self.representatives_ = kept.positions
        self.n_drawn_, self._drawn = len(kept.drawn), kept.drawn
        self.divergences_, self.loss_ = kept.divergences, kept.loss
        self.divergence_error_ = kept.error
        if self._landmarks is None:
            self.embedding_ = self._common
            self.labels_per_world_ = self._each_alone(alone)
        else:
            self._put_all(kept.worlds)

    def _embed(self, worlds: Worlds) -> Array:
        """Find U* and its labels, and return the embedding of each world alone."""
        k = (
            n_clusters_by_eigengap(worlds, self.n_neighbors)
            if isinstance(self.n_clusters, str)
            else int(self.n_clusters)
        )
        how: Any = width_of(self.gamma), self.width_scale, self.n_neighbors, self.device
        laplacians = Laplacians(worlds, *how)
        stop: Any = {"tol": self.tol, "max_iter": self.max_iter}
        found = consistency(laplacians, k, weight=self.consistency_weight, **stop)
        rows = self._rows(found.common)
        self.labels_, centers = cut(rows, k, self.n_init, self.seed_)
        self._model = remembered(worlds, found, laplacians, centers)
        self._common, self.objective_ = found.common, found.objective
        return found.alone.embeddings

    def _standing_for_all(self, data: UncertainData) -> Indices | None:
        """Return the landmarks if there are too many objects to compare them all."""
        if self.n_neighbors != "auto" or len(data) <= DENSE_OBJECTS:
            return None
        return some_by_key(data._keys, N_LANDMARKS, self.seed_)

    def _of_landmarks(self, worlds: Worlds) -> Worlds:
        return worlds if self._landmarks is None else worlds.only(self._landmarks)

    def _put_all(self, worlds: Worlds) -> None:
        """Put all objects next to the landmarks, in the same worlds."""
        model, k = self._model, self.n_clusters_
        self.embedding_ = np.zeros((worlds.shape[1], k))
        per_world = np.empty(worlds.shape[:2], dtype=np.intp)
        for j in followed(range(len(worlds)), "objects"):
            both = np.hstack([model.common_target, model.targets[j]])
            rows = self._beside(worlds[j], model.scales[j], model.roots[j], both)
            per_world[j] = nearest(self._rows(rows[:, k:]), model.centers)
            self.embedding_ += rows[:, :k] / len(worlds)
        labels = nearest(self._rows(self.embedding_), model.centers)
        self.labels_, order = in_order_of_appearance(labels)
        order = with_empty_last(order, k)
        self._model = replace(model, centers=model.centers[order])
        self.labels_per_world_ = np.argsort(order)[per_world]

    def _membership(self) -> Array:
        how = (
            width_of(self.gamma),
            self.width_scale,
            self._model.n_neighbors,
            self.device,
        )
        n_worlds, n_objects, _ = self._drawn.shape
        counts = np.zeros((n_objects, self.n_clusters_))
        for first in followed(range(0, n_worlds, WORLDS_AT_A_TIME), "confidence"):
            some = self._drawn[first : first + WORLDS_AT_A_TIME]
            laplacians = Laplacians(self._of_landmarks(some), *how)
            alone = embeddings_alone(laplacians, self.n_clusters_)
            for labels in self._of_all(some, laplacians, alone):
                counts[np.arange(n_objects), labels] += 1.0
        return self._at_rows(counts / n_worlds)

    def _of_all(
        self, worlds: Worlds, laplacians: Laplacians, alone: Alone
    ) -> Iterable[Indices]:
        """Yield the labels of all objects in each world, by the world's embedding."""
        if self._landmarks is None:
            yield from self._each_alone(alone.embeddings)
            return
        for j, values in enumerate(worlds):
            own = alone.embeddings[j]
            target = (own / alone.eigenvalues[j]) @ aligned(own, self._common)
            scales, roots = laplacians.scales[j], laplacians.roots[j]
            rows = self._beside(values, scales, roots, target)
            yield nearest(self._rows(rows), self._model.centers)

    def _beside(
        self, values: Array, scales: Array, roots: Array, targets: Array
    ) -> Array:
        """Embed all objects of a world next to the landmarks."""
        world = Embedded(
            values=values[self._landmarks], scales=scales, roots=roots, targets=targets
        )
        return extend(values, world, width_of(self.gamma), None, self.device)

    def _predict(self, data: UncertainData) -> Indices:
        # The extensions of the common embedding are averaged, and cut at its centers.
        mean = np.mean(list(self._extensions(data, common=True)), axis=0)
        return nearest(self._rows(mean), self._model.centers)

    def _proba(self, data: UncertainData) -> Array:
        extended = self._extensions(data, common=False)
        each = [nearest(self._rows(rows), self._model.centers) for rows in extended]
        return shares(np.array(each), self.n_clusters_)

    def _rows(self, embedding: Array) -> Array:
        return of_unit_length(embedding) if self.normalize_rows else embedding

    def _each_alone(self, alone: Array) -> Indices:
        """Return the labels of the objects in each world, by the world's embedding.

        Embeddings pulled towards the common one would agree even where they are wrong.
        """
        rotated = (own @ aligned(own, self._common) for own in alone)
        centers = self._model.centers
        return np.array([nearest(self._rows(rows), centers) for rows in rotated])

    def _extensions(self, data: UncertainData, *, common: bool) -> Iterator[Array]:
        how: Any = self.n_worlds, width_of(self.gamma)
        return extensions(self._model, data, *how, common=common, device=self.device)

    def _check_stored(self) -> None:
        if not isinstance(self._model, Embeddings):
            wrong("the embeddings are missing")
        data = self._model.worlds.data
        if data.n_features != self.n_features_in_ or len(data) > len(self.labels_):
            wrong("the data are not those of the model")
