"""How many clusters there are: `choose_k`."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from sklearn.base import BaseEstimator
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

from incerta.backend.progress import track
from incerta.data.coerce import as_uncertain
from incerta.data.container import UncertainData
from incerta.data.meaning import of_errors
from incerta.data.order import sorted_by_id
from incerta.mixture import Deconvolver
from incerta.models.checks import whole, wrong
from incerta.models.registry import stored
from incerta.number.references import adjusted_p_values, excess, reference_structure
from incerta.number.structure import structure_of
from incerta.typing import Array, Seed
from incerta.worlds.sequence import worlds_of
from incerta.worlds.streams import as_seed


def _check(choice: KChoice) -> None:
    for k in choice.ks:
        whole(k, 1, "ks")
    if len(choice.ks) != len(choice.scores) or choice.k not in choice.ks:
        wrong("ks does not fit the scores")


@stored(_check, scores="f k", null_scores="f r k", p_values="f k", p_more="f k")
@dataclass(frozen=True, eq=False, repr=False)
class KChoice:
    """What `choose_k` found; ``print`` it for an answer in words.

    Attributes
    ----------
    k : int
        The number of clusters.
    ks : tuple of int
        The numbers that were tried, rising.
    scores : ndarray of shape (n_ks,)
        Stability: mean adjusted Rand index of the clusterings of two worlds.
    null_scores : ndarray of shape (n_null, n_ks)
        Stability of the references with ``ks[0]`` clusters, for each number.
    p_values : ndarray of shape (n_ks,)
        How often references with ``ks[0]`` clusters look, for any number of
        clusters, as clustered as the data do for this one. Corrected for trying
        many numbers.
    p_more : ndarray of shape (n_ks,)
        P-value of "there are no more than this many clusters". NaN where it was not
        tested: beyond `k`, and for the last number.
    alpha : float
        Level of the tests.
    n_worlds : int
        Number of worlds that were clustered.
    seed : int
        What worlds and references were drawn with.

    Examples
    --------
    >>> import incerta as ic
    >>> data, _ = ic.datasets.make_uncertain_blobs(60, 2, 3, random_state=1)
    >>> choice = ic.choose_k(data, range(1, 5), n_worlds=5, n_null=19, random_state=0)
    >>> choice
    KChoice(k=3, ks=(1, 2, 3, 4), seed=0)
    >>> choice.p_values.round(2)
    array([1.  , 0.05, 0.05, 0.05])
    """

    k: int
    ks: tuple[int, ...]
    scores: Array
    null_scores: Array
    p_values: Array
    p_more: Array
    alpha: float
    n_worlds: int
    seed: int

    def __repr__(self) -> str:
        return f"KChoice(k={self.k}, ks={self.ks}, seed={self.seed})"

    def __str__(self) -> str:
        clusters = "1 cluster" if self.k == 1 else f"{self.k} clusters"
        at = self.ks.index(self.k)
        lines = [f"{clusters}, of {self.ks[0]} to {self.ks[-1]} that were tried."]
        if at > 0:
            p = self.p_more[:at].max()
            lines.append(f"That there are fewer is unlikely (p = {p:.3f}).")
        if self.k == self.ks[-1]:
            lines.append("There may be more: larger numbers were not tried.")
        else:
            p = self.p_more[at]
            lines.append(f"Nothing shows that there are more (p = {p:.3f}).")
        lines += [
            "",
            "Stability over worlds: how alike two worlds are clustered, at best 1.",
            f"Beside it that of references with {self._fewest}, and the p-value of the",
            f"data against {len(self.null_scores)} of them.",
            "",
            f"{'clusters':>8} {'stability':>10} {'references':>11} {'p-value':>8}",
        ]
        usual = np.median(self.null_scores, axis=0)
        for k, *row in zip(self.ks, self.scores, usual, self.p_values, strict=True):
            mark = " <-" if k == self.k else ""
            lines.append("{:8} {:10.2f} {:11.2f} {:8.3f}".format(k, *row) + mark)
        lines += ["", f"{self.n_worlds} worlds, seed {self.seed}."]
        return "\n".join(lines)

    @property
    def _fewest(self) -> str:
        return "one cluster" if self.ks[0] == 1 else f"{self.ks[0]} clusters"

    def plot(self, ax: Any = None) -> Any:
        """Draw the stability of the data over that of the references.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; a new figure by default.

        Returns
        -------
        matplotlib Axes
        """
        from incerta.plot import choice

        return choice(self.ks, self.scores, self.null_scores, self.k, ax=ax)


def choose_k(
    data: Any,
    ks: Iterable[int] = range(1, 11),
    *,
    method: Any = "kmeans",
    n_worlds: int = 20,
    n_null: int = 38,
    alpha: float = 0.05,
    max_objects: int = 1000,
    n_jobs: int | None = None,
    random_state: Seed = None,
) -> KChoice:
    """Choose the number of clusters; one is a possible answer.

    A number is believed until a larger one makes clusters that are tighter, and no less
    stable over worlds, than in references that have only that many clusters but the
    same spread and the same error bars.

    Parameters
    ----------
    data : UncertainData or anything `as_uncertain` takes
        The objects. Distances between values must be meaningful: bring features to one
        scale first, for example with `Standardizer`.
    ks : iterable of int, default=range(1, 11)
        Numbers of clusters to try, at least two. The smallest is believed until the
        data speak against it: leave out 1 only if there certainly are clusters.
    method : "kmeans" or estimator, default="kmeans"
        What clusters a world. An estimator must have the parameter `n_clusters`.
    n_worlds : int, default=20
        Number of worlds to cluster; for joint data at most the number of draws.
    n_null : int, default=38
        Number of references per test. A number is refuted if the data look more
        clustered than all of 38 references: by chance in one case out of 39.
    alpha : float, default=0.05
        Level of each test: a bound on the probability of finding more clusters than
        there are. Needs at least ``1 / alpha - 1`` references.
    max_objects : int, default=1000
        If there are more objects, a random subset of this size is used.
    n_jobs : int, optional
        Number of processes, as in joblib. The answer does not depend on it.
    random_state : int, RandomState, Generator or None, default=None
        Seed of worlds, references and starts.

    Returns
    -------
    KChoice

    Notes
    -----
    The numbers are tried in rising order, and the answer is the first one that the
    data do not refute. To test whether there are no more than k clusters:

    1. The means of the objects are put into k clusters. A reference replaces each
       cluster by one without any structure: new means, uniform in a box along the
       principal axes, with exactly the mean and the covariance of the old ones.
       Nothing is added to the means: their covariance already holds the scatter due
       to errors. Deviations of the values from the means are redistributed among the
       objects of a cluster, so error bars stay what they are; deviations of joint data
       stay together draw by draw.
    2. Data and references are clustered world by world into each larger number of
       clusters. The result is described by its tightness, which is minus the logarithm
       of the dispersion of the means within the clusters that were found in a world,
       and by its stability. Both are standardised by the references. If stability is
       below their mean, it is added to the tightness: it counts against the number.
    3. The largest sum over all larger numbers is compared with that of each
       reference: one test per k, however many numbers are tried.

    The box represents all data without clusters, because its edges make it look more
    clustered than, say, a Gaussian of the same covariance does. Uniform data are called
    clustered in at most about `alpha` of all cases, Gaussian ones hardly ever. The
    price: clusters whose centres are closer than about five standard deviations (errors
    included) may be counted as one, all the more if they have few objects. It fails for
    strongly skewed data, which can be called clustered without being so (transform them
    first), and for bent or ring-shaped clusters, which are not tight. Objects without
    any uncertainty are judged by tightness only.

    Time grows with n_null × n_worlds × n_objects × n_features × the sum of `ks`, for
    every number up to the answer. An estimator is fitted n_null × n_worlds × n_ks times
    for each: use a fast one, or lower these numbers.

    References
    ----------
    .. [1] R. Tibshirani, G. Walther and T. Hastie, "Estimating the number of clusters
       in a data set via the gap statistic", J. R. Stat. Soc. B 63, 2001.
    .. [2] U. von Luxburg, "Clustering stability: an overview", Foundations and Trends
       in Machine Learning 2, 2010.

    Examples
    --------
    >>> import incerta as ic
    >>> data, _ = ic.datasets.make_uncertain_blobs(60, 2, 3, random_state=0)
    >>> choose_k(data, range(1, 5), n_worlds=5, random_state=0).k
    3
    """
    data = sorted_by_id(as_uncertain(data))
    if of_errors(data):
        # Worlds are to be draws of the truth, not measurements of measurements.
        data = Deconvolver().fit_transform(data)
    tried = _checked(ks, min(len(data), max_objects), n_worlds, n_null, alpha)
    _check_method(method)
    seed = as_seed(random_state)
    if len(data) > max_objects:
        rng = np.random.default_rng([seed, 0])
        data = data[np.sort(rng.choice(len(data), max_objects, replace=False))]
    # Products are small and many: threads would cost more than they bring.
    with threadpool_limits(limits=1):
        return _first_not_refuted(
            data, tried, method, n_worlds, n_null, alpha, n_jobs, seed
        )


def _first_not_refuted(
    data: UncertainData,
    tried: tuple[int, ...],
    method: Any,
    n_worlds: int,
    n_null: int,
    alpha: float,
    n_jobs: int | None,
    seed: int,
) -> KChoice:
    means = data.mean()
    worlds = worlds_of(data, n_worlds, seed).stack()
    found = structure_of(means, worlds, tried, method, seed)

    k, p_more = tried[-1], np.full(len(tried), np.nan)
    p_values, null_scores = np.ones(len(tried)), np.ones((n_null, len(tried)))
    for j, fewest in enumerate(tried[:-1]):
        tasks = (
            delayed(reference_structure)(
                data, means, found.labels[j], tried[j:], method, n_worlds, seed, number
            )
            for number in range(n_null)
        )
        references = []
        steps = track(n_null, "references")
        for reference in Parallel(n_jobs=n_jobs, return_as="generator")(tasks):
            references.append(reference)
            next(steps)
        p = adjusted_p_values(excess([found.beyond(j), *references], len(data)))
        p_more[j] = p.min()
        if j == 0:
            p_values[1:] = p
            null_scores = np.array([one.stability for one in references])
        if p_more[j] > alpha:
            k = fewest
            break
    return KChoice(
        k=k,
        ks=tried,
        scores=found.stability,
        null_scores=null_scores,
        p_values=p_values,
        p_more=p_more,
        alpha=alpha,
        n_worlds=len(worlds),
        seed=seed,
    )


def _checked(
    ks: Any, n_objects: int, n_worlds: int, n_null: int, alpha: float
) -> tuple[int, ...]:
    """The numbers to try, in order; raise for what cannot be done."""
    if not isinstance(ks, Iterable):
        msg = f"ks={ks!r} must hold the numbers to try, such as range(1, 11)."
        raise TypeError(msg)
    listed = list(ks)
    if not all(isinstance(k, (int, np.integer)) and k >= 1 for k in listed):
        msg = f"ks={listed!r} must hold whole numbers of at least 1."
    elif len(set(listed)) < len(listed):
        msg = f"ks={listed!r} names a number twice."
    elif len(listed) < 2:
        msg = f"ks={listed!r} leaves nothing to choose; give at least two numbers."
    elif max(listed) > n_objects:
        msg = (
            f"ks goes up to {max(listed)} clusters, but only {n_objects} objects are "
            "used; give smaller numbers."
        )
    elif not isinstance(n_worlds, (int, np.integer)) or n_worlds < 1:
        msg = f"n_worlds={n_worlds!r} must be a whole number of at least 1."
    elif not 0 < alpha < 1:
        msg = f"alpha={alpha!r} must lie between 0 and 1."
    elif not isinstance(n_null, (int, np.integer)) or (n_null + 1) * alpha < 1:
        msg = (
            f"n_null={n_null!r} references cannot give a p-value of alpha={alpha}; "
            f"ask for at least {int(np.ceil(1 / alpha)) - 1}."
        )
    else:
        return tuple(sorted(int(k) for k in listed))
    raise ValueError(msg)


def _check_method(method: Any) -> None:
    if isinstance(method, str):
        known = method == "kmeans"
    else:
        known = isinstance(method, BaseEstimator) and hasattr(method, "n_clusters")
    if not known:
        msg = f'method={method!r} must be "kmeans" or an estimator with n_clusters.'
        raise ValueError(msg)
