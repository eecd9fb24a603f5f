"""AutoClusterer: several unlike views of the data, each judged, and their mean."""

from collections.abc import Sequence
from dataclasses import KW_ONLY, replace
from typing import Any, ClassVar, NamedTuple

import numpy as np

from incerta.backend.device import CPU, threads
from incerta.backend.memory import blocks
from incerta.backend.parameters import SEED, WHOLE, parameter, with_parameters
from incerta.backend.progress import followed
from incerta.data.container import UncertainData
from incerta.data.partitioned import PartitionedData
from incerta.estimators._base import Facts, UncertainClusterer
from incerta.known import n_named, surely
from incerta.labels import likeliest, numbered
from incerta.mixture.pieces import ids_of, some_labeled
from incerta.models.checks import within, wrong
from incerta.models.registry import stored
from incerta.partition.distributed import wherever
from incerta.typing import Array, Indices, Seed
from incerta.views.consensus import consensus
from incerta.views.judge import NUMBERS, Laws, laws_together, share_told
from incerta.views.look import ALL
from incerta.views.truths import Beliefs, Measurements, Spreads, Truths, truths_of

# Views are found with so many objects at most; the others are put into their clusters.
MOST_OBJECTS = 1000
# Laws that objects are put into clusters by may be more bent than those that judge.
MORE_NUMBERS = (*NUMBERS, 8)
# Memory for a block of objects, and what an object takes at least.
BLOCK_BYTES, OBJECT_BYTES = 256 * 2**20, 4_000


@stored()
class Clusters(NamedTuple):
    """What predictions need: where true values come from, and the laws of clusters."""

    truths: Truths
    laws: Laws


@with_parameters
class AutoClusterer(UncertainClusterer):
    """Cluster uncertain objects by the views of them that see clear clusters.

    No single idea of a cluster is right for all data. Several are tried: Gaussian
    components that errors have blurred, as in `ErrorMixture`; centers, as in k-means;
    and a graph of near neighbors among what is believed about the true values. Each
    view is judged by how much of its labels the true values tell: a gap between
    clusters leaves no doubt where an object belongs, a cut through a dense place does.
    The result is the mean of the memberships, in which clear views count most.

    It is the default of `cluster`. If clusters are known to be elliptical,
    `ErrorMixture` is better; `UKMeans` is faster.

    Parameters
    ----------
    n_clusters : int, default=3
        Number of clusters.
    n_worlds : int, default=24
        Number of worlds in which views look for clusters again.
    views : sequence of str, optional
        Names of the only views to take, as `views_` has them: "mixture", "centers",
        "nearness".
    one_shape : bool, default=False
        Whether the clusters of the mixture may have one covariance in common, if BIC
        prefers that. `cluster` says so for objects in `Directions`: few objects fit a
        mixture with a shape for each cluster so well that wrong clusters look clear.
    device : str, default="cpu"
        Where objects beyond the 1000 that views are found with, and new ones, are put
        into clusters: "cpu", or a device of torch such as "cuda" (extra ``gpu``).
    random_state : int, RandomState, Generator or None, default=None
        Seed of worlds and starts.

    Attributes
    ----------
    labels_ : ndarray of shape (n_objects,)
        Most probable cluster of each object, numbered in the order of the ids, or as
        labels in `y` name them.
    membership_ : ndarray of shape (n_objects, n_clusters)
        Probability that the object belongs to each cluster, if there are so many:
        measurement errors, overlap of the clusters and disagreement of the views
        together.
    confidence_ : ndarray of shape (n_objects,)
        Probability of the object's own label.
    views_ : dict of str to View
        What each view is worth: ``score``, how much of its labels the true values tell,
        from 0 to 1; ``stability``, how alike its clusterings of worlds are; ``weight``
        of its memberships in the mean; and ``agreement`` of its labels with the result
        (normalized mutual information).
    labels_per_world_ : ndarray of shape (n_worlds, n_objects)
        Cluster of each object in each world, by the view that counts most; only up to
        1000 objects, and if there is something uncertain.
    ids_ : ndarray of shape (n_objects,)
        For partitioned data: ids of the objects, sorted, as all other attributes are.
    seed_, n_features_in_, feature_names_in_
        ``random_state=seed_`` repeats the fit; the others are as in scikit-learn.

    Notes
    -----
    The score of a view is the share of the entropy of its labels that the true values
    tell. For each cluster the law of the true values is fitted to one half of the
    objects: a mixture of one, two or four Gaussians, with the errors taken off. It says
    how probable each cluster is for the other half, from their measured values and
    errors. A random clustering scores 0, one with gaps 1.

    Views look for clusters again in worlds, in which the objects are as they could
    really be. What most worlds say is judged. How probable a cluster is for an object,
    by such a view, is the mean of two numbers: the share of the worlds in which the
    object is in the cluster, which knows what errors do to the view; and the
    probability by the laws of the clusters, which knows where they overlap. The mixture
    has its own probabilities, which know both. Weights are
    ``exp(30 * (score * balance + 0.15 * stability))``: views that are judged much alike
    are averaged. The balance, ``log(m) / log(k)`` with m the number of clusters that
    have 4 % of the objects (smaller ones count in part), keeps a view from leaving a
    cluster over. Stability, the likeness of the clusterings of worlds, is low where
    noise alone has drawn clusters.

    What worlds are goes by the meaning of the uncertainty. Of measured values with
    errors, they are drawn from beliefs that take true values to be of a mixture (AIC).
    Beliefs are drawn from as they are; of objects with many values, these are weighted
    anew (Bayesian bootstrap), and views look at means, at means and deviations, and at
    whole laws. Exact data have one world; there, the laws of the clusters say how
    probable each is.

    Labels of some objects, ``fit(X, y)`` with −1 for the others, stay as they are, in
    every view and world, and are certain: the mixture is that of `ErrorMixture` with
    labels, centers are those of constrained k-means [1]_, and in the graph two objects
    of one label are as near as can be, two of different labels unconnected. A `y`
    without any −1 counts as classes to compare with, and is not used.

    A fit takes an eigenproblem of a sparse graph and a mixture for each world. Above
    1000 objects views are found with 1000 of them, chosen by their ids; the laws of
    their clusters, which are used in predictions, say how probable these are for all.
    Data in partitions (`from_dask`, ``read_table(..., lazy=True)``) stay there but for
    these.

    References
    ----------
    .. [1] S. Basu, A. Banerjee, R. Mooney, "Semi-supervised clustering by seeding",
       ICML 2002.

    Examples
    --------
    >>> import incerta as ic
    >>> data, truth = ic.datasets.make_uncertain_blobs(60, 2, 3, random_state=1)
    >>> model = ic.AutoClusterer(3, random_state=0).fit(data)
    >>> ic.metrics.clustering_accuracy(truth, model.labels_)
    1.0
    >>> sorted(model.views_)
    ['centers', 'mixture', 'nearness']

    A few labels name the clusters, and help to find them:

    >>> known = [*truth[:9], *[-1] * 51]
    >>> (model.fit(data, known).labels_ == truth).mean()
    np.float64(1.0)
    """

    n_clusters: int = parameter(WHOLE, default=3)
    _: KW_ONLY
    n_worlds: int = parameter(WHOLE, default=24)
    views: Sequence[str] | None = parameter([list, tuple, None], default=None)
    one_shape: bool = parameter(["boolean"], default=False)
    device: str = parameter([str], default=CPU)
    random_state: Seed = parameter(SEED, default=None)

    _knows_errors = True
    _takes_labels = True
    _takes_missing = True
    _takes_partitions = True
    _stored: ClassVar[dict[str, str]] = {"views_": "", "ids_": "a n", "_model": ""}

    def _fit(
        self, objects: UncertainData | PartitionedData, known: Indices | None = None
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
        k, seed = self.n_clusters, self.seed_
        some, told, n_objects = some_labeled(objects, MOST_OBJECTS, seed, known)
        truths, wanted = truths_of(some, k, seed), self._wanted()
        found = consensus(
            some, truths, k, self.n_worlds, seed, told, wanted, self.one_shape
        )
        membership = surely(found.membership, told)
        chosen = likeliest(membership)
        laws = laws_together(found.judged, chosen, k, seed, MORE_NUMBERS)
        self._model, self.views_ = Clusters(truths, laws), found.views
        if len(some) < n_objects:
            membership = surely(self._shares(objects, seed), known)
        elif found.per_world is not None:  # all objects, in the order of their ids
            self.labels_per_world_ = found.per_world
        self._number(membership, n_named(known))

    def _wanted(self) -> Sequence[str]:
        """Names of the views to take."""
        wanted = ALL if self.views is None else self.views
        unknown = [name for name in wanted if name.partition(" of ")[0] not in ALL]
        if unknown or not wanted:
            msg = (
                f"views={self.views!r} must name some of {', '.join(ALL)}, or be None."
            )
            raise ValueError(msg)
        return wanted

    def _number(self, membership: Array, n_known: int) -> None:
        """Number the clusters in the order in which they appear, but for named ones."""
        labels = likeliest(membership)
        order = numbered(labels, self.n_clusters, n_known)
        rank = np.argsort(order)
        self.labels_, self.membership_ = rank[labels], membership[:, order]
        if hasattr(self, "labels_per_world_"):
            self.labels_per_world_ = rank[self.labels_per_world_]
        laws = self._model.laws
        laws = laws._replace(clusters=rank[laws.clusters])
        self._model = self._model._replace(laws=laws)

    def _facts(self) -> Facts:
        """What the fit can tell; see `Facts`."""
        facts = super()._facts()
        return facts if facts.n_drawn else replace(facts, n_drawn=1)

    def score(self, X: Any, y: None = None) -> float:
        """How much of the clusters of new objects their true values tell.

        From 0 to 1, as the score of a view; 0 for one cluster. `y` is not used.
        """
        membership = self.predict_proba(X)
        return share_told(membership, membership.mean(axis=0))

    def _proba(self, objects: UncertainData | PartitionedData) -> Array:
        # Draws of the same ensemble belong together; all others are independent.
        joint = isinstance(objects, UncertainData) and objects.joint
        return self._shares(objects, self.seed_ + (0 if joint else 1))

    def _shares(self, objects: UncertainData | PartitionedData, seed: int) -> Array:
        given = self._model, self.n_clusters, self.n_worlds, seed, self.device
        return wherever(_by_laws, objects, *given)

    def _check_stored(self) -> None:
        found = self._model
        if not isinstance(found, Clusters) or not isinstance(
            found.truths, Measurements | Beliefs | Spreads
        ):
            wrong("what should be the clusters found is something else")
        if not isinstance(found.laws, Laws):
            wrong("what should be laws is something else")
        within(found.laws.clusters, self.n_clusters, "clusters")


def _by_laws(
    data: UncertainData, found: Clusters, k: int, n_worlds: int, seed: int, device: str
) -> Array:
    """Probability of each cluster for each object, by the laws of clusters."""
    out = np.zeros((len(data), k))
    for part in followed(blocks(len(data), OBJECT_BYTES, BLOCK_BYTES), "objects"):
        asked = found.truths.told(data[part], n_worlds, seed)
        each = [found.laws.shares(some, k, device) for some in asked]
        out[part] = sum(each) / len(each)
    return out
