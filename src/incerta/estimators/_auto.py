"""AutoClusterer: a weighted mean of mixture, k-means and spectral clusterings."""

from collections.abc import Sequence
from dataclasses import KW_ONLY, replace
from typing import Any, ClassVar, NamedTuple

import numpy as np

from incerta import settings
from incerta.backend.device import CPU, threads
from incerta.backend.memory import blocks
from incerta.backend.parameters import SEED, WHOLE, parameter, with_parameters
from incerta.backend.progress import followed
from incerta.data.container import UncertainData, features_by_name
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

# Numbers of Gaussians per cluster tried for assignment; scoring tries NUMBERS only.
MORE_NUMBERS = (*NUMBERS, 8)
# Memory of a block of objects, and the least that one object takes.
BLOCK_BYTES, OBJECT_BYTES = 256 * 2**20, 4_000


@stored()
class Clusters(NamedTuple):
    """The state of predictions: where true values come from, and laws of clusters."""

    truths: Truths
    laws: Laws


@with_parameters
class AutoClusterer(UncertainClusterer):
    """Cluster uncertain data automatically, by several methods weighted by their fit.

    Three kinds of clusters, called views, are tried: Gaussian components with the
    errors removed, as in `ErrorMixture` ("mixture"); round clusters, as in k-means
    ("centers"); and connected neighborhoods, as in spectral clustering ("nearness").
    Each view is scored by how well the true values predict its labels: a gap between
    clusters scores high, a cut through a dense region scores low. The result is the
    weighted mean of the memberships.

    It is the default of `cluster`. Use it if you do not know the shape of the clusters.
    `ErrorMixture` is better for elliptical clusters, and `UKMeans` is faster. A fit
    clusters `n_worlds` random versions of the data, with at most 1000 of the objects.

    Parameters
    ----------
    n_clusters : int, default=3
        Number of clusters.
    n_worlds : int, optional
        Number of worlds (random versions of the data) that each view clusters. The
        default is 16, or up to 40 of the draws that joint data have.
    views : sequence of str, optional
        Names of the views to use, among "mixture", "centers" and "nearness". By default
        all of them.
    one_shape : bool, default=False
        Whether the mixture may use one covariance for all clusters, if BIC prefers it.
        `cluster` sets it for objects in `Directions`: with few objects, a covariance
        for each cluster can make wrong clusters look clear.
    device : str, default="cpu"
        Where new objects, and those that the views did not cluster, are assigned to
        clusters: "cpu", or a torch device such as "cuda" (extra ``gpu``).
    random_state : int, RandomState, Generator or None, default=None
        Seed of the worlds and of the starts.

    Attributes
    ----------
    labels_ : ndarray of shape (n_objects,)
        Most probable cluster of each object, numbered in the order of the ids, or as
        in `y`.
    membership_ : ndarray of shape (n_objects, n_clusters)
        Probability of each cluster, given that there are `n_clusters`. It accounts for
        measurement errors, overlap of clusters and disagreement of the views.
    confidence_ : ndarray of shape (n_objects,)
        Probability of the object's label.
    views_ : dict of str to View
        For each view: ``score``, how well the true values predict its labels, from 0 to
        1; ``stability``, the similarity of its clusterings of different worlds;
        ``weight`` in the mean; and ``agreement`` of its labels with the result
        (normalized mutual information).
    labels_per_world_ : ndarray of shape (n_worlds, n_objects)
        Cluster of each object in each world, by the view with the largest weight. Only
        with at most 1000 objects and some uncertainty.
    ids_ : ndarray of shape (n_objects,)
        For partitioned data: sorted ids of the objects. Other attributes follow them.
    seed_, n_features_in_, feature_names_in_
        ``random_state=seed_`` repeats the fit; the others are as in scikit-learn.

    Notes
    -----
    The score of a view is the share of the entropy of its labels that the true values
    explain. For each cluster, a mixture of one, two or four Gaussians is fitted to the
    true values of one half of the objects, with the errors removed. These mixtures, the
    laws of the clusters, then predict the clusters of the other half. A random
    clustering scores 0, and one with gaps between the clusters scores 1.

    Each view clusters every world, and the majority over the worlds is scored. The
    probability of a cluster is the mean of the share of worlds in which the object is
    in it, which reflects the effect of the errors on the view, and of the probability
    by the laws of the other half, after a few rounds of EM over all laws together,
    which reflects the overlap of clusters. The mixture's own probabilities account for
    both. Weights are
    ``exp(30 * (score * balance + 0.1 * stability))``, so views with similar scores
    are averaged. The balance is ``log(m) / log(k)``, where m is the number of clusters
    with at least 4% of the objects (smaller ones count in part); it penalizes nearly
    empty clusters. Stability is low where random noise decides the clusters.

    How worlds are drawn depends on the meaning of the uncertainty. For measurement
    errors, they come from the posterior of each true value: half of the worlds under a
    mixture chosen by AIC, the others under mixtures of random halves of the objects, so
    that worlds differ where the data do not determine the mixture. Beliefs are sampled
    as they are. The values of objects with many values are reweighted (Bayesian
    bootstrap), and the views use means, means with deviations, and whole distributions.
    Exact data have one world, and the laws of the clusters give the probabilities.

    Labels of some objects, ``fit(X, y)`` with −1 for the others, are kept in every view
    and world. The mixture is that of `ErrorMixture` with labels, and the centers are
    those of constrained k-means [1]_. In the graph, objects with the same label are as
    near as possible, and objects with different labels are not connected. A `y` without
    any −1 is ignored.

    A fit solves an eigenproblem of a sparse graph and fits a mixture for each world.
    With more than 1000 objects, views are fitted to 1000 of them, chosen by their ids,
    and the laws of the clusters assign all objects. `predict` uses these laws for every
    object, so for objects of the fit it may differ from `labels_`. Only the 1000
    objects leave the partitions of `from_dask` and ``read_table(..., lazy=True)``.

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

    A few labels name the clusters and help to find them:

    >>> known = [*truth[:9], *[-1] * 51]
    >>> (model.fit(data, known).labels_ == truth).mean()
    np.float64(1.0)
    """

    n_clusters: int = parameter(WHOLE, default=3)
    _: KW_ONLY
    n_worlds: int | None = parameter([*WHOLE, None], default=None)
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
        # Products are small and many: threads would cost more than they save.
        with threads(1):
            self._find(objects, known)

    def _find(
        self, objects: UncertainData | PartitionedData, known: Indices | None
    ) -> None:
        k, seed = self.n_clusters, self.seed_
        some, kept, n_objects = some_labeled(
            objects, settings.MOST_OBJECTS, seed, known
        )
        some = features_by_name(some)
        truths, wanted = truths_of(some, k, seed), self._wanted()
        n_worlds = number_of_worlds(self.n_worlds, some)
        found = consensus(some, truths, k, n_worlds, seed, kept, wanted, self.one_shape)
        membership = surely(found.membership, kept)
        chosen = likeliest(membership)
        laws = laws_together(found.judged, chosen, k, seed, MORE_NUMBERS)
        self._model, self.views_ = Clusters(truths, laws), found.views
        if len(some) < n_objects:
            membership = surely(self._shares(objects, seed), known)
        elif found.per_world is not None:  # all objects, in the order of their ids
            self.labels_per_world_ = found.per_world
        self._number(membership, n_named(known))

    def _wanted(self) -> Sequence[str]:
        """Return the names of the views to use."""
        wanted = ALL if self.views is None else self.views
        unknown = [name for name in wanted if name.partition(" of ")[0] not in ALL]
        if unknown or not wanted:
            msg = f"views={self.views!r} must be None or some of {', '.join(ALL)}."
            raise ValueError(msg)
        return wanted

    def _number(self, membership: Array, n_known: int) -> None:
        """Number clusters in order of appearance; clusters with labels keep theirs."""
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
        """Return the facts of the fit; see `Facts`."""
        facts = super()._facts()
        return facts if facts.n_drawn else replace(facts, n_drawn=1)

    def score(self, X: Any, y: None = None) -> float:
        """Return how well the true values of new objects predict their clusters.

        The score is between 0 and 1, as for a view, and 0 for one cluster. `y` is not
        used.
        """
        membership = self.predict_proba(X)
        return share_told(membership, membership.mean(axis=0))

    def _proba(self, objects: UncertainData | PartitionedData) -> Array:
        # Draws of the same ensemble belong together; others are independent.
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
            wrong("the clusters are missing")
        if not isinstance(found.laws, Laws):
            wrong("the laws of the clusters are missing")
        within(found.laws.clusters, self.n_clusters, "clusters")


def number_of_worlds(asked: int | None, data: UncertainData) -> int:
    """Return the requested number, or that of the settings; joint draws are data."""
    if asked is not None:
        return asked
    n_draws = data.n_draws
    return settings.N_WORLDS if n_draws is None else min(n_draws, settings.MOST_DRAWS)


def _by_laws(
    data: UncertainData,
    found: Clusters,
    k: int,
    asked: int | None,
    seed: int,
    device: str,
) -> Array:
    """Return the probability of each cluster for each object, by the cluster laws."""
    out, n_worlds = np.zeros((len(data), k)), number_of_worlds(asked, data)
    for part in followed(blocks(len(data), OBJECT_BYTES, BLOCK_BYTES), "objects"):
        drawn = found.truths.told(features_by_name(data[part]), n_worlds, seed)
        each = [found.laws.shares(some, k, device) for some in drawn]
        out[part] = sum(each) / len(each)
    return out
