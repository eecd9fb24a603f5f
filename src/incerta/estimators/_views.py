"""ViewConsensus: what several unlike views of the data agree on."""

from collections.abc import Iterator
from itertools import cycle, repeat
from typing import Any, ClassVar, NamedTuple

import numpy as np
from sklearn.metrics import normalized_mutual_info_score

from incerta.backend.device import CPU
from incerta.backend.memory import blocks
from incerta.backend.progress import followed, track
from incerta.backend.threads import threads
from incerta.data.container import UncertainData
from incerta.data.meaning import of_errors
from incerta.data.partitioned import PartitionedData
from incerta.estimators._base import SEED, WHOLE, UncertainClusterer
from incerta.estimators._facts import Facts
from incerta.known import kept, n_named, surely
from incerta.labels import likeliest, numbered, shares
from incerta.mixture.fitting import PRIOR_WEIGHT, How, fitted
from incerta.mixture.measured import measured
from incerta.mixture.model import MOST_CORRELATED
from incerta.mixture.pieces import ids_of, some_labelled
from incerta.models.checks import wrong
from incerta.models.registry import stored
from incerta.partition.distributed import wherever
from incerta.typing import Array, Indices, Seed
from incerta.views.kernel_means import kernel_means
from incerta.views.look import Effort, Look
from incerta.views.naming import at_odds, labels_in_worlds, named_alike
from incerta.views.partition import Partition, Seen, joined, seen
from incerta.views.stability import in_parts, in_worlds
from incerta.views.truths import (
    Beliefs,
    Measurements,
    Spreads,
    Truths,
    own_weights,
    scatter_of,
    shares_of,
    values_of,
)

# Views are found with so many objects at most; the others are put into their clusters.
MOST_OBJECTS = 2000
# Memory for the shares of objects in worlds, and what an object takes at least.
SHARES_BYTES = 256 * 2**20
OBJECT_BYTES = 13_000
AT_FIRST = Effort(("diag", "full"), 8, 10, 1e-6, 500)
# Worlds are looked at as hard as exact data would be, or nearly so, and from scratch:
# beginning at what was found in the given data would make them agree too often.
IN_WORLDS = Effort((), 4, 10, 1e-4, 100)
VIEWS = ("mixture", "centres", "neighbours", "nearness", "laws")


@stored()
class Views(NamedTuple):
    """What predictions need: where true values come from, and clusters in worlds."""

    truths: Truths
    partitions: tuple[Partition, ...]


class ViewConsensus(UncertainClusterer):
    """Cluster uncertain objects as several unlike views of them agree.

    No single idea of a cluster is right for all data. Several are tried, and what they
    agree on is the result: Gaussian components that errors have blurred, as in
    `ErrorMixture`; centres, as in k-means, where bad measurements count for less; and
    two graphs of what is believed about the true values, one of neighbours, one of how
    near they are. For objects that are spread there are also centres among their laws,
    so that objects can differ in more than their means. The same is done in worlds in
    which the objects are as they could really be; the share of the worlds in which an
    object is in a cluster is its probability.

    It is the default of `cluster`. If clusters are known to be elliptical,
    `ErrorMixture` is better, and takes a million objects at once; `UKMeans` is faster.

    Parameters
    ----------
    n_clusters : int, default=3
        Number of clusters.
    n_worlds : int, default=32
        Number of worlds behind `membership_`.
    device : str, default="cpu"
        Where objects are compared with the 2000 that views are found with, if there are
        more, and in predictions: "cpu", or a device of torch such as "cuda" (extra
        ``gpu``).
    random_state : int, RandomState, Generator or None, default=None
        Seed of worlds and starts.

    Attributes
    ----------
    labels_ : ndarray of shape (n_objects,)
        Most probable cluster of each object, numbered in the order of the ids, or as
        labels in `y` name them.
    membership_ : ndarray of shape (n_objects, n_clusters)
        Share of the worlds in which the object is in each cluster.
    confidence_ : ndarray of shape (n_objects,)
        Share of the worlds that agree with the object's label: how probably exact data
        would give the same one.
    views_ : dict of str to float
        How much each view of the given data agrees with the result (normalised mutual
        information).
    labels_per_world_ : ndarray of shape (n_worlds, n_objects)
        Cluster of each object in each world; only up to 2000 objects.
    ids_ : ndarray of shape (n_objects,)
        For partitioned data: ids of the objects, sorted; all attributes and predictions
        are in their order.
    seed_ : int
        ``random_state=seed_`` repeats the fit.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features,)
        Names of the features, if the data had names.

    Notes
    -----
    What worlds are goes by the meaning of the uncertainty. Of measured values with
    errors, half of the worlds are drawn from beliefs that take all true values to be of
    one Gaussian, half from beliefs that take them to be of a mixture, which has at
    least as many components as there are clusters (AIC). If more of them describe the
    data much better (BIC), all worlds are drawn from the mixture; also if they describe
    them clearly better and the worlds of the two have different clusters, as with a
    ring, which one Gaussian fills. That takes twice the time. Beliefs are drawn from as
    they are; of objects with many values, these are weighted anew (Bayesian bootstrap).

    Clusters of worlds have the names that they have in the given data, by the objects
    they share; or, if errors have blurred these so much that worlds have others, those
    of the world that is most like the others.

    Views are fused by the mean of the projections onto their clusters. Each is weighted
    by its agreement with the others and by the square of how much it finds again in
    other worlds (for exact data, in parts of them): a view that alone sees clusters
    finds them each time, one that sees none finds something else. The two graphs, which
    are alike, count for one view. If the result has less in common with the views than
    one of them has with the others, that one is the result.

    Correlations between features are looked for where objects could tell them: in
    components with more than ``n_clusters * n_features`` objects, in the belief with
    more objects than features, in errors of means up to ten features.

    Labels of some objects, ``fit(X, y)`` with −1 for the others, stay as they are, in
    every view and world, and are certain: the mixture is that of `ErrorMixture` with
    labels, centres are those of constrained k-means [1]_, and in the graphs two objects
    of one label are as near as can be, two of different labels unconnected. If every
    cluster has a labelled object, views name their clusters alike, and vote. A `y`
    without any −1 counts as classes to compare with, and is not used.

    Exact data have one world: the result is certain, whatever it is worth.

    A fit takes as many eigenproblems of a sparse graph and mixtures as there are
    worlds. Above 2000 objects views are found with 2000 of them, chosen by their ids,
    and the others are put into the clusters of each world; that is linear in their
    number. On a device, objects are compared with these 2000 and with components;
    draws, k-means and the sparse eigenproblems, which are small, stay on the CPU.

    Data in partitions, of a dask cluster (`from_dask`) or of files (``read(...,
    lazy=True)``), stay there, except for these 2000: partitions are sent the views and
    return shares. Errors of objects with many values are pooled within a partition, so
    that a share may depend a little on it.

    References
    ----------
    .. [1] S. Basu, A. Banerjee, R. Mooney, "Semi-supervised clustering by seeding",
       ICML 2002.

    Examples
    --------
    >>> import incerta as ic
    >>> data, truth = ic.datasets.make_uncertain_blobs(60, 2, 3, random_state=1)
    >>> model = ic.ViewConsensus(3, random_state=0).fit(data)
    >>> ic.metrics.clustering_accuracy(truth, model.labels_)
    1.0
    >>> sorted(model.views_)
    ['centres', 'mixture', 'nearness', 'neighbours']

    A few labels name the clusters, and help to find them:

    >>> known = [*truth[:9], *[-1] * 51]
    >>> (model.fit(data, known).labels_ == truth).mean()
    np.float64(1.0)
    """

    views_: dict[str, float]

    knows_errors = True
    takes_labels = True
    _takes_missing = True
    _takes_partitions = True
    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "n_clusters": WHOLE,
        "n_worlds": WHOLE,
        "device": [str],
        "random_state": SEED,
    }
    _stored: ClassVar[dict[str, str]] = {
        "views_": "",
        "ids_": "a n",
        "_model": "",
    }

    def __init__(
        self,
        n_clusters: int = 3,
        *,
        n_worlds: int = 32,
        device: str = CPU,
        random_state: Seed = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.n_worlds = n_worlds
        self.device = device
        self.random_state = random_state

    def _fit(
        self,
        objects: UncertainData | PartitionedData,
        known: Indices | None = None,
    ) -> None:
        if isinstance(objects, PartitionedData):
            self.ids_ = objects.each(ids_of)
            self._check_number(len(self.ids_))
        # Products are small and many: threads would cost more than they bring.
        with threads(1):
            self._find(objects, known)

    def _find(
        self, objects: UncertainData | PartitionedData, known: Indices | None
    ) -> None:
        k = self.n_clusters
        some, told, n_objects = some_labelled(objects, MOST_OBJECTS, self.seed_, known)
        truths = _truths(some, self.seed_)
        given = truths.as_given(some)
        how = k, isinstance(truths, Spreads)
        first = seen(given, *how, AT_FIRST, self.seed_, told)
        effort = IN_WORLDS._replace(covariances=(first.model.kind,))
        worlds: list[Seen] = []
        if k == 1 or truths.certain(some):
            stable = in_parts(given, *how, effort, self.seed_, told)
        else:
            possible: tuple[Truths, ...] = (truths,)
            if isinstance(truths, Measurements):
                possible = truths.with_model(some, first.model, self.seed_)
            for truths in possible:
                looks = truths.possible(some, self.n_worlds, self.seed_)
                worlds = self._seen(looks, *how, effort, told)
                stable = in_worlds([world.labels for world in worlds], k)
                partitions = [
                    joined(world, stable, k, seed, told)
                    for seed, world in enumerate(worlds, self.seed_ + 1)
                ]
                if not at_odds(np.array(labels_in_worlds(partitions, worlds, told))):
                    break

        found = joined(first, stable, k, self.seed_, told)
        # Of clusters that are as probable, an object gets that with the lower number,
        # which must not be an accident of the search.
        labels = kept(found.fusion.labels_of(first.labels), told)
        found = found.renamed(_ranks(labels, k, n_named(told)))
        if worlds:
            labels = kept(found.fusion.labels_of(first.labels), told)
            partitions = named_alike(partitions, worlds, labels, k, told)
        else:
            partitions, worlds = [found], [first]
        per_world = np.array(labels_in_worlds(partitions, worlds, told))
        self._model = Views(truths, tuple(partitions))

        if len(some) == n_objects:  # all of them, in the order of their ids
            self.labels_per_world_ = per_world
            membership = shares(per_world, k)
        else:
            found_by = self._model, k, self.n_worlds, self.seed_, self.device
            membership = wherever(_shares_in_worlds, objects, *found_by)
        self._number(surely(membership, known), n_named(known))
        together = likeliest(shares(per_world, k))
        self.views_ = {
            name: float(normalized_mutual_info_score(row, together))
            for name, row in zip(VIEWS, first.labels, strict=False)
        }

    def _seen(
        self,
        looks: Iterator[Look],
        k: int,
        of_laws: bool,
        effort: Effort,
        known: Indices | None,
    ) -> list[Seen]:
        """Clusters that each view finds in worlds."""
        steps, worlds = track(self.n_worlds, "worlds"), []
        for seed, look in enumerate(looks, self.seed_ + 1):
            worlds.append(seen(look, k, of_laws, effort, seed, known))
            next(steps, None)
        return worlds

    def _number(self, membership: Array, n_known: int) -> None:
        """Number the clusters in the order in which they appear, but for named ones."""
        labels = likeliest(membership)
        rank = _ranks(labels, self.n_clusters, n_known)
        self.labels_ = rank[labels]
        self.membership_ = membership[:, np.argsort(rank)]
        if hasattr(self, "labels_per_world_"):
            self.labels_per_world_ = rank[self.labels_per_world_]
        self._model = self._model._replace(
            partitions=tuple(p.renamed(rank) for p in self._model.partitions)
        )

    def facts(self) -> Facts:
        """What the fit can tell; see `Facts`."""
        worlds = getattr(self, "labels_per_world_", None)
        n_drawn = len(self._model.partitions)
        return Facts(labels_per_world=worlds, n_drawn=n_drawn, views=self.views_)

    def _proba(self, objects: UncertainData | PartitionedData) -> Array:
        # Draws of the same ensemble belong together; all others are independent.
        joint = isinstance(objects, UncertainData) and objects.joint
        given = self._model, self.n_clusters, self.n_worlds
        seed = self.seed_ + (0 if joint else 1)
        return wherever(_shares_in_worlds, objects, *given, seed, self.device)

    def _check_stored(self) -> None:
        if not isinstance(self._model, Views) or not isinstance(
            self._model.truths, Measurements | Beliefs | Spreads
        ):
            wrong("what should be views is something else")
        if not self._model.partitions:
            wrong("there is no world")
        for partition in self._model.partitions:
            if not isinstance(partition, Partition):
                wrong("what should be a partition is something else")
            partition.check(self.n_clusters)


def _shares_in_worlds(
    data: UncertainData,
    views: Views,
    n_clusters: int,
    n_worlds: int,
    seed: int,
    device: str,
) -> Array:
    """Share of the worlds in which each object is in each cluster."""
    out = np.empty((len(data), n_clusters))
    object_bytes = max(OBJECT_BYTES, views.truths.object_bytes())
    for part in followed(blocks(len(data), object_bytes, SHARES_BYTES), "objects"):
        worlds = np.array(list(_in_worlds(data[part], views, n_worlds, seed, device)))
        out[part] = shares(worlds, n_clusters)
    return out


def _in_worlds(
    data: UncertainData, views: Views, n_worlds: int, seed: int, device: str
) -> Iterator[Indices]:
    """Clusters of objects in each world."""
    truths, partitions = views
    looks = truths.possible(data, n_worlds, seed)
    if truths.certain(data):
        looks = repeat(next(looks), len(partitions))
        n_worlds = len(partitions)
    steps = track(n_worlds, "confidence")
    for look, partition in zip(looks, cycle(partitions), strict=False):
        yield partition.labels_of(look, device)
        next(steps, None)


def _ranks(labels: Indices, n_clusters: int, n_known: int) -> Indices:
    """New number of each cluster, in the order of `numbered`."""
    return np.argsort(numbered(labels, n_clusters, n_known))


def _truths(data: UncertainData, seed: int) -> Truths:
    """Where the true values of objects come from."""
    if data.exact or of_errors(data):
        # Fewer objects than features do not tell how these go together.
        d = data.n_features
        kind = "full" if d < len(data) and d <= MOST_CORRELATED else "diag"
        how = How([1], (kind,), False, PRIOR_WEIGHT, 1, 1e-6, 500, seed)
        return Measurements((fitted(measured(data), how).components,))
    if data.meaning == "spread" and not data.joint:
        law = values_of(data)
        found = kernel_means(law.values, shares_of(law, own_weights(law)), seed)
        return Spreads(found, scatter_of(law))
    return Beliefs()
