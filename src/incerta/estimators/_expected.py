"""ExpectedSpectral: spectral clustering of the expected affinity."""

from collections.abc import Iterator
from dataclasses import KW_ONLY, dataclass, replace
from typing import ClassVar

import numpy as np

from incerta.backend.keyed import some_by_key
from incerta.backend.memory import blocks
from incerta.backend.parameters import (
    POSITIVE,
    SEED,
    WHOLE,
    StrOptions,
    parameter,
    with_parameters,
)
from incerta.backend.progress import followed
from incerta.data.container import UncertainData
from incerta.data.laws import Law, points_like
from incerta.distances.affinity import (
    expected_affinity,
    expected_squared_distances,
    same_sort,
    with_closed_form,
)
from incerta.estimators._base import Facts, UncertainClusterer
from incerta.labels import in_order_of_appearance, shares, with_empty_last
from incerta.models.checks import wrong
from incerta.models.registry import stored
from incerta.spectral.affinity import (
    dense_affinity,
    inverse_root,
    normalize_in_place,
    usable_width,
    width_of,
)
from incerta.spectral.embedding import (
    cut,
    leading_eigenvectors,
    nearest,
    of_unit_length,
)
from incerta.typing import Array, Indices, Seed
from incerta.worlds.sequence import worlds_of

# With more objects than MOST_OBJECTS, fit to N_LANDMARKS of them.
MOST_OBJECTS, N_LANDMARKS = 5000, 1000
# Joint objects cannot be embedded one by one, so all of them are compared.
MOST_JOINT = 20_000
# A new object is far from all others if its largest affinity is below this share of
# the median.
LOST = 1e-3


@stored(centers="f k e", targets="f n e")
@dataclass(frozen=True, kw_only=True)
class ExpectedEmbedding:
    """The objects of the fit, and the extension of their embedding to new objects."""

    law: Law
    centers: Array  # (n_clusters, k), k-means centers of the embedding
    targets: Array  # (n_objects, k), factors of the affinities of new objects
    least: float  # a new object with smaller affinities is far from all others


@with_parameters
class ExpectedSpectral(UncertainClusterer):
    """Spectral clustering of uncertain objects by their expected affinity.

    The affinity of two objects is the expectation of the Gaussian kernel over all their
    values, in closed form where possible. k-means on its leading eigenvectors gives the
    clusters, which may have any shape. `predict` uses expected embeddings and
    `predict_proba` counts worlds (random draws of the values), so the argmax of
    `predict_proba` may differ.

    Use it for independent objects. It is the limit of `RPC` for infinitely many worlds,
    and costs one eigenproblem instead of many. For joint data also try `RPC`; for round
    clusters, `UKMeans` is cheaper.

    Parameters
    ----------
    n_clusters : int, default=3
        Number of clusters.
    gamma : "median" or float, default="median"
        Coefficient of the kernel ``exp(-gamma d**2)``. "median" sets the squared width
        to the median expected squared distance of all pairs.
    width_scale : float, default=1.0
        Factor on the width ``1 / sqrt(2 gamma)``. Smaller factors (0.25, 0.5) help if
        objects overlap.
    normalize_rows : bool, default=False
        Whether to scale the rows of the embedding to length 1 before k-means.
    n_worlds : int, default=100
        Number of worlds for `membership_`; the labels do not depend on it.
    n_init : int, default=10
        Number of k-means starts.
    random_state : int, RandomState, Generator or None, default=None
        Seed of k-means, of the worlds, and of the values that represent laws without a
        closed form.

    Attributes
    ----------
    labels_ : ndarray of shape (n_objects,)
        Cluster of each object, numbered in the order of the ids.
    confidence_ : ndarray of shape (n_objects,)
        Share of the worlds that agree with the object's label.
    membership_ : ndarray of shape (n_objects, n_clusters)
        Share of the worlds in which the object's value is in each cluster.
    labels_per_world_ : ndarray of shape (n_worlds, n_objects)
        Labels of the values of each world in the embedding (Nyström); only with at most
        5000 objects, or joint data.
    affinity_ : ndarray of shape (n_objects, n_objects)
        The expected affinity, 1 on the diagonal; only with `labels_per_world_`.
    embedding_ : ndarray of shape (n_objects, n_clusters)
        Leading eigenvectors.
    eigenvalues_ : ndarray of shape (n_clusters,)
        Eigenvalues of the embedding, largest first.
    width_ : float
        Kernel width used.
    seed_, n_features_in_, feature_names_in_
        ``random_state=seed_`` repeats the fit; the others are as in scikit-learn.

    Notes
    -----
    Gaussian, uniform and exponential objects take n² operations per feature. Lists of
    values take all pairs of values, and joint worlds the mean of their affinities. All
    these are exact; other distributions are replaced by 64 stratified values each. With
    more than 5000 objects, fit to 1000 of them, chosen by their ids, and extend the
    embedding to the others (Nyström). Clusters without any of the 1000 are missed. Of
    joint objects, at most 20,000, all are compared.

    Examples
    --------
    >>> import incerta as ic
    >>> data = ic.from_gaussian([[0.0], [0.2], [5.0], [5.3]], std=0.3)
    >>> ic.ExpectedSpectral(n_clusters=2, random_state=0).fit_predict(data)
    array([0, 0, 1, 1])
    """

    n_clusters: int = parameter(WHOLE, default=3)
    _: KW_ONLY
    gamma: str | float = parameter(
        [StrOptions({"median"}), *POSITIVE], default="median"
    )
    width_scale: float = parameter(POSITIVE, default=1.0)
    normalize_rows: bool = parameter(["boolean"], default=False)
    n_worlds: int = parameter(WHOLE, default=100)
    n_init: int = parameter(WHOLE, default=10)
    random_state: Seed = parameter(SEED, default=None)

    _stored: ClassVar[dict[str, str]] = {
        "affinity_": "f n n",
        "embedding_": "f n e",
        "eigenvalues_": "f e",
        "width_": "",
        "_model": "",
    }

    def _fit(self, data: UncertainData) -> None:
        if data.joint and len(data) > MOST_JOINT:
            msg = (
                f"{len(data)} joint objects are too many for a matrix of all pairs (at "
                f"most {MOST_JOINT}); use RPC."
            )
            raise ValueError(msg)
        some = data
        if len(data) > MOST_OBJECTS and not data.joint:
            some = data[some_by_key(data._keys, N_LANDMARKS, self.seed_)]
        law = with_closed_form(some.law, self.seed_, some.uniform_keys())

        self.width_ = self._kernel_width(some)
        affinity = self._expected(some, law)
        roots = inverse_root(affinity.sum(axis=1))
        laplacian = normalize_in_place(affinity.copy(), roots)
        self.eigenvalues_, embedding = leading_eigenvectors(laplacian, self.n_clusters)
        labels, centers = cut(
            self._rows(embedding), self.n_clusters, self.n_init, self.seed_
        )

        targets = roots[:, None] * embedding / self.eigenvalues_
        least = LOST * float(np.median(affinity))
        self._model = ExpectedEmbedding(
            law=law, centers=centers, targets=targets, least=least
        )
        if some is data:
            self.affinity_, self.embedding_, self.labels_ = affinity, embedding, labels
            self.labels_per_world_ = np.array(list(self._labels_in_worlds(data)))
            self.membership_ = shares(self.labels_per_world_, self.n_clusters)
        else:
            self._put_all(data)

    def _put_all(self, data: UncertainData) -> None:
        """Embed all objects by their affinity with the landmarks."""
        self.embedding_ = self._embedded(data)
        labels = nearest(self._rows(self.embedding_), self._model.centers)
        self.labels_, order = in_order_of_appearance(labels)
        order = with_empty_last(order, self.n_clusters)
        self._model = replace(self._model, centers=self._model.centers[order])
        self.membership_ = self._proba(data)

    def _predict(self, data: UncertainData) -> Indices:
        return nearest(self._rows(self._embedded(data)), self._model.centers)

    def _facts(self) -> Facts:
        """Return the facts of the fit; see `Facts`."""
        facts = super()._facts()
        return facts if facts.n_drawn else replace(facts, n_drawn=self.n_worlds)

    def _proba(self, data: UncertainData) -> Array:
        counts = np.zeros((len(data), self.n_clusters))
        rows = np.arange(len(data))
        n_worlds = 0
        for labels in self._labels_in_worlds(data):
            counts[rows, labels] += 1.0
            n_worlds += 1
        return counts / n_worlds

    @property
    def _t(self) -> float:
        return 0.5 / self.width_**2

    def _kernel_width(self, data: UncertainData) -> float:
        width = width_of(self.gamma)
        if not isinstance(width, str):
            return usable_width(width, self.width_scale)
        apart = expected_squared_distances(data.law, data.law)
        apart = apart[np.triu_indices(len(data), 1)]
        if len(apart) == 0 or np.median(apart) == 0.0:
            apart = apart[apart > 0.0]
        median = float(np.sqrt(np.median(apart))) if len(apart) else 1.0
        return usable_width(median, self.width_scale)

    def _expected(self, data: UncertainData, law: Law) -> Array:
        if data.n_draws is None:
            affinity = expected_affinity(law, law, self._t)
        else:
            affinity = np.zeros((len(data), len(data)))
            scales = np.full(len(data), self.width_)
            for draw in data.worlds(data.n_draws, 0):
                affinity += dense_affinity(draw, scales) / data.n_draws
        # An object shares its value with itself: it is no independent copy.
        np.fill_diagonal(affinity, 1.0)
        return affinity

    def _rows(self, embedding: Array) -> Array:
        return of_unit_length(embedding) if self.normalize_rows else embedding

    def _embedded(self, data: UncertainData) -> Array:
        """Extend the embedding to other objects, block by block."""
        out = np.empty((len(data), self.n_clusters))
        for part in blocks(len(data), self._object_bytes()):
            block = data[part]
            keys = block.uniform_keys()
            new, known = same_sort(block.law, self._model.law, self.seed_, keys)
            out[part] = self._extend(new, known)
        return out

    def _object_bytes(self) -> int:
        """Return the memory for comparing one object with the objects of the fit."""
        return 32 * self._model.law.n_objects

    def _extend(self, new: Law, known: Law) -> Array:
        """Extend the embedding to new objects by their expected affinity (Nyström)."""
        affinity = expected_affinity(new, known, self._t)
        # An object far from everything joins its nearest object.
        lost = np.flatnonzero(affinity.max(axis=1) < self._model.least)
        apart = expected_squared_distances(new.take(lost), known)
        affinity[lost] = 0.0
        affinity[lost, apart.argmin(axis=1)] = 1.0
        own = inverse_root(affinity.sum(axis=1))
        return own[:, None] * (affinity @ self._model.targets)

    def _labels_in_worlds(self, data: UncertainData) -> Iterator[Indices]:
        law, centers = self._model.law, self._model.centers
        worlds = worlds_of(data, self.n_worlds, self.seed_)
        for world in followed(worlds, "confidence"):
            labels = np.empty(len(world), dtype=np.intp)
            for part in blocks(len(world), self._object_bytes()):
                rows = self._rows(self._extend(points_like(law, world[part]), law))
                labels[part] = nearest(rows, centers)
            yield labels

    def _check_stored(self) -> None:
        if not isinstance(self._model, ExpectedEmbedding):
            wrong("the embedding is missing")
        law = self._model.law
        if not isinstance(law, Law) or law.n_features != self.n_features_in_:
            wrong("the objects do not have the features of the model")
        if law.n_objects > len(self.labels_):
            wrong("the objects are not those of the model")
