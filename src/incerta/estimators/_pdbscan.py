"""PDBSCAN: probabilities of being close, and no object left out."""

from functools import cached_property
from numbers import Real
from typing import Any, ClassVar

from sklearn.utils.validation import check_is_fitted

from incerta.data.container import UncertainData
from incerta.density.in_worlds import DenseClusters
from incerta.density.probabilities import of_products
from incerta.density.within import known, within
from incerta.estimators._base import (
    SEED,
    WHOLE,
    Interval,
    StrOptions,
    UncertainClusterer,
    check_model,
)
from incerta.estimators._density import STORED, grow, prepared
from incerta.estimators._facts import Facts
from incerta.labels import shares
from incerta.typing import Array, Indices, Seed


class PDBSCAN(UncertainClusterer):
    """Cluster uncertain objects by density, with one product per pair.

    Like `FDBSCAN`, but the probability that an object is reached from another is the
    product of the probability that the other is core and the probability of being
    within `eps` [1]_. With ``assignment="maximal"`` it is PDBSCANi: every object goes
    to the core object that reaches it most probably, however improbable that is. The
    exact definitions of the paper are not public; these are ours, based on its
    abstract.

    Parameters
    ----------
    eps : float or "auto", default="auto"
        The radius. "auto" takes one at which the clusters that last longest while the
        radius grows are apart; look at `eps_`. Their scale must be about the same.
    min_samples : int or "auto", default=5
        Number of objects within `eps`, itself included, that makes an object core.
        "auto" is one more than the number of features, at least 4 and at most 20.
    assignment : {"threshold", "maximal"}, default="threshold"
        Whether an object that is not core is noise unless some core object reaches it
        with probability `reach_threshold`, or goes to the one that reaches it most
        probably (PDBSCANi) unless that probability is below `noise_threshold`.
    core_threshold : float, default=0.5
        Probability from which an object counts as core.
    reach_threshold : float, default=0.5
        Core objects are in one cluster where one reaches the other with at least this
        probability.
    noise_threshold : float, default=0.0
        With ``assignment="maximal"``: an object reached with a probability below this
        is noise. One that no other can reach is noise in any case.
    distances : {"exact", "fast"}, default="exact"
        How the distances of Gaussian objects are treated: integrated, or matched by
        four moments, about eight times as fast but off by up to 0.13 for few features.
    n_worlds : int, default=100
        Number of worlds behind `membership_`. Joint data have no more worlds than
        draws. The labels do not depend on it.
    random_state : int, RandomState, Generator or None, default=None
        Seed of the worlds, and of the values that represent other laws.

    Attributes
    ----------
    labels_ : ndarray of shape (n_objects,)
        Cluster of each object, numbered in the order of the ids; −1 is noise.
    n_clusters_ : int
        Number of clusters found.
    core_sample_indices_ : ndarray of shape (n_core,)
        The core objects that reach another one.
    core_probabilities_ : ndarray of shape (n_objects,)
        Probability that each object is core.
    eps_ : float
        The radius that was used.
    min_samples_ : int
        The number of objects that was used.
    cluster_levels_ : ndarray of shape (n_found,)
        The radius of each cluster: `eps_`.
    labels_per_world_ : ndarray of shape (n_worlds, n_objects)
        In each world the cluster of which another object that is core there is within
        `eps_`: the object's own cluster first, else the nearest; −1 is noise. Computed
        when first asked for.
    membership_ : ndarray of shape (n_objects, n_found)
        Share of the worlds in which the object falls into each cluster; the rest,
        up to 1, is noise.
    confidence_ : ndarray of shape (n_objects,)
        Share of the worlds that agree with the object's label, noise or not.
    seed_ : int
        ``random_state=seed_`` repeats the fit.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features,)
        Names of the features, if the data had names.

    Notes
    -----
    It costs as much as `FDBSCAN`, minus the removal of one neighbour per pair. The
    probabilities are never larger than those of `FDBSCAN`, which takes into account
    that the object reached helps to make the other one core. The hierarchical version
    of the same authors is ``FOPTICS(method="grid")``.

    References
    ----------
    .. [1] X. Zhang, H. Liu, X. Zhang, X. Liu, "Novel Density-Based Clustering
       Algorithms for Uncertain Data", AAAI 2014.

    Examples
    --------
    >>> import incerta as ic
    >>> mean = [[0.0], [0.3], [0.5], [0.8], [5.0], [5.2], [5.6], [5.9], [1.8]]
    >>> data = ic.from_gaussian(mean, std=[[0.1]] * 8 + [[0.4]])
    >>> ic.PDBSCAN(eps=0.8, min_samples=3).fit(data).labels_
    array([ 0,  0,  0,  0,  1,  1,  1,  1, -1])
    >>> ic.PDBSCAN(eps=0.8, min_samples=3, assignment="maximal").fit(data).labels_
    array([0, 0, 0, 0, 1, 1, 1, 1, 0])
    """

    finds_number = True
    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "eps": [Interval(Real, 0, None, closed="both"), StrOptions({"auto"})],
        "min_samples": [*WHOLE, StrOptions({"auto"})],
        "assignment": [StrOptions({"threshold", "maximal"})],
        "core_threshold": [Interval(Real, 0, 1, closed="right")],
        "reach_threshold": [Interval(Real, 0, 1, closed="right")],
        "noise_threshold": [Interval(Real, 0, 1, closed="both")],
        "distances": [StrOptions({"exact", "fast"})],
        "n_worlds": WHOLE,
        "random_state": SEED,
    }
    _stored: ClassVar[dict[str, str]] = STORED

    def __init__(
        self,
        eps: float | str = "auto",
        min_samples: int | str = 5,
        *,
        assignment: str = "threshold",
        core_threshold: float = 0.5,
        reach_threshold: float = 0.5,
        noise_threshold: float = 0.0,
        distances: str = "exact",
        n_worlds: int = 100,
        random_state: Seed = None,
    ) -> None:
        self.eps = eps
        self.min_samples = min_samples
        self.assignment = assignment
        self.core_threshold = core_threshold
        self.reach_threshold = reach_threshold
        self.noise_threshold = noise_threshold
        self.distances = distances
        self.n_worlds = n_worlds
        self.random_state = random_state

    def _fit(self, data: UncertainData) -> None:
        everyone = self.assignment == "maximal"
        if self.noise_threshold > 0 and not everyone:
            msg = (
                f"noise_threshold={self.noise_threshold} is for assignment='maximal'; "
                "with 'threshold', reach_threshold decides."
            )
            raise ValueError(msg)
        how = prepared(self, data)
        fast = self.distances == "fast"
        law = known(data.law, self.seed_, data.uniform_keys())
        table = within(law, how.eps, fast=fast)
        reach = of_products(table, how.min_samples)
        noise_below = self.noise_threshold if everyone else self.reach_threshold
        grow(self, how, reach, self.core_threshold, self.reach_threshold, noise_below)

    @cached_property
    def labels_per_world_(self) -> Indices:
        """Labels of the objects in each world."""
        check_is_fitted(self)
        return self._at_rows(self._model.labels_per_world(), axis=1)

    def _membership(self) -> Array:
        return shares(self.labels_per_world_, len(self.cluster_levels_))

    def facts(self) -> Facts:
        """What the fit can tell; see `Facts`."""
        worlds = self.labels_per_world_
        return Facts(labels_per_world=worlds, n_drawn=len(worlds))

    def _proba(self, data: UncertainData) -> Array:
        return self._model.proba(data, self.n_worlds)

    def _check_stored(self) -> None:
        check_model(self, DenseClusters)
