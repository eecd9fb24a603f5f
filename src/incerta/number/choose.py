"""Choose the number of clusters with `choose_k`."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from os import PathLike
from typing import Any

import numpy as np

from incerta import settings
from incerta.data.coerce import as_uncertain
from incerta.data.container import UncertainData, features_by_name, sorted_by_id
from incerta.data.projections import projected
from incerta.data.refused import refuse_extremes
from incerta.directions import Directions
from incerta.directions.transformer import directions_for
from incerta.mixture.fitting import Effort, Search
from incerta.mixture.merging import merged
from incerta.mixture.model import (
    Components,
    Measured,
    errors_of_means,
    measured,
    without_errors,
)
from incerta.mixture.pieces import some_objects
from incerta.models.checkpoint import opened
from incerta.models.checks import whole, wrong
from incerta.models.registry import stored
from incerta.number.references import Best, p_of_one
from incerta.typing import Array, ArrayLike, Seed
from incerta.wording import counted, verb
from incerta.worlds.streams import checked_seed

# Components to try beyond the largest number of clusters, as some clusters need two.
MORE = 2
# A shared covariance ("tied") separates many small clusters from a few large ones.
KINDS = ("diag", "full", "tied")
EFFORT = Effort(n_init=2, tol=1e-4)
# Number of directions above which covariances cost more than they are worth.
MOST_DIRECTIONS = 8
# Smallest cluster size, relative to the mean size, in data of few objects.
PART_OF_MEAN = 0.25
LEAST_WEIGHT = 1e-4  # least plausibility of a number to keep
MOST_SHOWN = 3


def _check(choice: NumberOfClusters) -> None:
    for k in choice.ks:
        whole(k, 1, "ks")
    if len(choice.ks) != len(choice.scores) or choice.k not in choice.ks:
        wrong("ks does not fit the scores")


@stored(_check, weights="f k", scores="f k", null_scores="f r k")
@dataclass(frozen=True, eq=False, repr=False)
class NumberOfClusters:
    """The number of clusters chosen by `choose_k`; ``print`` it for a summary.

    Attributes
    ----------
    k : int
        The chosen number of clusters.
    ks : tuple of int
        The numbers to choose from, in ascending order.
    weights : ndarray of shape (n_ks,)
        Plausibility of each number; they sum to 1. The most plausible number above 1 is
        chosen, or 1 if the test does not reject a single cluster.
    scores : ndarray of shape (n_ks,)
        Half the gain in BIC per object of each number of Gaussians over the smallest
        number. NaN for numbers not tried, because two in a row brought no improvement.
    null_scores : ndarray of shape (n_references, n_ks)
        Scores of the references with one cluster; empty if none were needed.
    p_one : float
        Probability that a reference with one cluster looks as clustered as the data.
        NaN if a single cluster was not tested.
    alpha : float
        Level at which a single cluster is rejected.
    seed : int
        Seed of starts and references.

    Examples
    --------
    >>> import incerta as ic
    >>> data, _ = ic.datasets.make_uncertain_blobs(60, 2, 3, random_state=1)
    >>> choice = ic.choose_k(data, range(1, 5), random_state=0)
    >>> choice
    NumberOfClusters(k=3, ks=(1, 2, 3, 4), seed=0)
    >>> choice.weights.round(2)
    array([0.05, 0.  , 0.95, 0.  ])
    """

    k: int
    ks: tuple[int, ...]
    weights: Array
    scores: Array
    null_scores: Array
    p_one: float
    alpha: float
    seed: int

    @property
    def weight(self) -> float:
        """Plausibility of the chosen number."""
        return float(self.weights[self.ks.index(self.k)])

    @property
    def runner_up(self) -> int | None:
        """The next most plausible number, or None."""
        others = np.where(np.array(self.ks) == self.k, 0.0, self.weights)
        best = int(others.argmax())
        return self.ks[best] if others[best] >= LEAST_WEIGHT else None

    @property
    def n_tried(self) -> int:
        """Count of the numbers tried until two in a row brought no improvement."""
        tried = ~np.isnan(self.scores) | (self.weights > 0.0)
        return int(np.flatnonzero(tried)[-1]) + 1

    def __repr__(self) -> str:
        return f"NumberOfClusters(k={self.k}, ks={self.ks}, seed={self.seed})"

    def __str__(self) -> str:
        lines = [*self.sentences(), ""]
        heads = ("clusters", "weight", "gain", "references")
        lines.append("{:>8} {:>7} {:>8} {:>11}".format(*heads))
        usual = self.reference_quantiles([0.5])[0]
        rows = [*zip(self.ks, self.weights, self.scores, usual, strict=True)]
        for k, weight, score, reference in rows[: self.n_tried]:
            numbers = ["–" if np.isnan(x) else f"{x:.3f}" for x in (score, reference)]
            row = "{:8} {:7.2f} {:>8} {:>11}".format(k, weight, *numbers)
            lines.append(f"{row} <-" if k == self.k else row)
        return "\n".join([*lines, "", f"Seed {self.seed}."])

    def reference_quantiles(self, quantiles: ArrayLike) -> Array:
        """Return quantiles of the references' scores.

        Parameters
        ----------
        quantiles : array-like of shape (n,)
            Levels between 0 and 1.

        Returns
        -------
        ndarray of shape (n, n_ks)
            NaN where no reference got that far.
        """
        levels = np.asarray(quantiles, dtype=np.float64)
        out = np.full((len(levels), len(self.ks)), np.nan)
        reached = ~np.isnan(self.null_scores)
        for j in np.flatnonzero(reached.any(axis=0)):
            out[:, j] = np.quantile(self.null_scores[reached[:, j], j], levels)
        return out

    def sentences(self) -> list[str]:
        """Return sentences that state the choice and its reasons."""
        shown = [
            f"{self.ks[j]}: {self.weights[j]:.2f}"
            for j in np.argsort(-self.weights, kind="stable")[:MOST_SHOWN]
            if self.weights[j] >= 0.005
        ]
        plausible = f" (plausibility {', '.join(shown)})" if len(shown) > 1 else ""
        lines = [
            f"{counted(self.k, 'cluster')} {verb(self.k, 'was', 'were')} chosen from "
            f"{self.ks[0]} to {self.ks[-1]}{plausible}."
        ]
        if not np.isnan(self.p_one):
            if self.k == 1:
                lines.append(
                    "A single cluster, with features of the same shape and the same "
                    f"errors, can look like this (p = {self.p_one:.2f})."
                )
            else:
                p = f"= {self.p_one:.3f}" if self.p_one >= 0.001 else "< 0.001"
                lines.append(f"A single cluster would rarely look like this (p {p}).")
        elif self.k == 1:
            lines.append("One Gaussian explains the data best, errors included.")
        if self.k == self.ks[-1]:
            lines.append("There may be more: larger numbers were not allowed.")
        return lines

    def plot(self, ax: Any = None) -> Any:
        """Plot how well each number explains the data, beside the references.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Axes to draw into; a new figure by default.
        """
        from incerta.plot import choice

        band = self.reference_quantiles([0.05, 0.95])
        return choice(self.ks, self.scores, band, self.k, ax=ax)


def choose_k(
    data: Any,
    ks: Iterable[int] = range(1, 11),
    *,
    n_null: int = 39,
    alpha: float = 0.025,
    max_objects: int = 1000,
    n_jobs: int | None = None,
    checkpoint: str | PathLike[str] | None = None,
    random_state: Seed = None,
    directions: int | str | None = "auto",
) -> NumberOfClusters:
    """Choose the number of clusters, which may be one.

    Mixtures of Gaussians that account for the errors are compared by BIC, and Gaussians
    that overlap, or have no valley between them, count as one cluster. More than one
    cluster is accepted only if a single cluster would rarely look like this.

    Parameters
    ----------
    data : UncertainData or anything `as_uncertain` takes
        The objects. Measurements are used with their errors, other laws by their means,
        with the errors of the means if the objects have many values.
    ks : iterable of int, default=range(1, 11)
        Numbers of clusters to choose from, at least two. Leave out 1 only if you are
        certain that there are clusters.
    n_null : int, default=39
        Maximum number of references with one cluster.
    alpha : float, default=0.025
        Level of the test: the approximate rate at which data with one cluster are split
        into more. The test needs at least ``1 / alpha - 1`` references.
    max_objects : int, default=1000
        With more objects, use only this many, chosen by their ids.
    n_jobs : int, optional
        Number of processes for the references. ``joblib.parallel_config`` can set
        another backend, such as a Dask cluster. The result does not depend on it.
    checkpoint : path-like, optional
        Folder for finished mixtures and references, created if missing. After an
        interruption, the same call continues from there, with a bit-identical result.
        A folder made with other data or parameters is refused.
    random_state : int, RandomState, Generator or None, default=None
        Seed of starts and references.
    directions : "auto", int or None, default="auto"
        Number of `Directions` in which mixtures are fitted, as for `cluster`; at most
        eight with "auto". None fits them to the features.

    Notes
    -----
    1. Tables with many features are reduced to their `Directions`. Mixtures of 1, 2, …
       Gaussians are fitted as by `ErrorMixture`, with diagonal, full and shared
       covariances, until two numbers in a row bring no improvement in BIC. Components
       that overlap count as one cluster: two equal ones closer than 2.5 standard
       deviations of the true values, or slightly farther apart if there is no valley
       between them. A few objects far from all others do not count as a cluster.
    2. If this gives more than one cluster, references are drawn from a single cluster
       that is otherwise like the data. Each feature keeps the distribution of its true
       values, reduced to a single peak without shoulders (on either side a mixture of
       half Gaussians, or flat). Features keep their correlations (Gaussian copula), and
       objects keep their errors. Skewed, flat and heavy-tailed data are therefore not
       mistaken for clusters.
    3. The gain of more Gaussians over one, by BIC, or of features with more peaks, is
       reduced by the gain of features with one peak, and compared with that of the
       references, one after the other. One cluster is accepted as soon as a reference
       gains as much, unless this takes ``1 / alpha`` of them or more (Besag and
       Clifford [1]_). A few references are enough if all gain far less.
    4. The weight of a number is ``exp(-0.1 * BIC)`` of the best mixture with this many
       clusters. After a test, one cluster has the weight
       ``sqrt(p) / (sqrt(p) + 2 * sqrt(alpha))``. Numbers with weight 0.7 are right in
       70 of 100 simulated data sets (``benchmarks/choose_k.py``).

    Clusters are assumed to be elliptical: a bent one, such as a ring, counts as
    several. The time is that of some ten fits of `ErrorMixture`: a few seconds.

    References
    ----------
    .. [1] J. Besag, P. Clifford, "Sequential Monte Carlo p-values", Biometrika 78,
       1991.

    Examples
    --------
    >>> import incerta as ic
    >>> data, _ = ic.datasets.make_uncertain_blobs(60, 2, 3, random_state=0)
    >>> choose_k(data, range(1, 5), random_state=0).k
    3
    """
    objects = features_by_name(sorted_by_id(as_uncertain(data)))
    refuse_extremes(objects)
    tried = _checked(ks, min(len(objects), max_objects), n_null, alpha)
    given = {"ks": tried, "n_null": n_null, "alpha": alpha}
    given |= {"max_objects": max_objects, "directions": directions}
    seed, seed_is_given = checked_seed(random_state), random_state is not None
    pieces = opened(checkpoint, "choose_k", given, objects, seed, seed_is_given)
    seed = pieces.seed
    some, _ = some_objects(objects, max_objects, seed)
    if directions is not None:
        some = directions_for(directions, seed).fit_transform(some)
    measured = projected(some.law) is None
    if directions == "auto" and measured and some.n_features > MOST_DIRECTIONS:
        some = Directions(MOST_DIRECTIONS, random_state=seed).fit_transform(some)
    seen = _seen(some)

    most = min(tried[-1] + MORE, seen.n_objects)
    search = Search(
        numbers=range(1, most + 1), covariances=KINDS, seed=seed, effort=EFFORT
    )
    best = Best.kept("mixtures", seen, search, pieces)
    weights = weights_of(best, tried, seed)
    j, p_one, null_scores = int(weights.argmax()), np.nan, np.empty((0, len(tried)))
    if tried[0] == 1 and j > 0:
        p_one, null_scores = p_of_one(seen, best, tried, search, n_null, n_jobs, pieces)
        weights = after_test(weights, p_one, alpha)
        j = j if p_one <= alpha else 0
    k = tried[j]
    scores = best.gains(tried)
    return NumberOfClusters(
        k, tried, weights, scores, null_scores, float(p_one), alpha, seed
    )


def after_test(weights: Array, p_one: float, alpha: float) -> Array:
    """Return the plausibility of each number, the first of which is 1, after a test."""
    of_one = np.sqrt(p_one) / (np.sqrt(p_one) + 2.0 * np.sqrt(alpha))
    others = weights[1:] / weights[1:].sum()
    return np.append(of_one, (1.0 - of_one) * others)


def weights_of(best: Best, tried: tuple[int, ...], seed: int) -> Array:
    """Return the plausibility of each number, from the mixtures with that number."""
    least = min(mixture.bic for mixture in best.mixtures.values())
    weights = np.zeros(len(tried))
    for mixture in best.mixtures.values():
        weight = np.exp(-0.5 * settings.TEMPER * (mixture.bic - least))
        if weight >= LEAST_WEIGHT:
            k = _n_clusters(mixture.components, best.n_objects, seed)
            if k in tried:
                j = tried.index(k)
                weights[j] = max(weights[j], weight)
    if not weights.any():  # none of these numbers explains the data well
        weights[tried.index(best.best_of(tried))] = 1.0
    return weights / weights.sum()


def _n_clusters(components: Components, n_objects: int, seed: int) -> int:
    """Count the clusters of a mixture, without those of only a few objects."""
    groups = merged(components, seed)
    sizes = n_objects * np.bincount(groups, components.weights)
    fewest = min(settings.FEWEST_IN_CLUSTER, PART_OF_MEAN * n_objects / len(sizes))
    return int((sizes >= fewest).sum())


def _seen(data: UncertainData) -> Measured:
    """Return values and errors, or means with theirs for objects with many values."""
    if data.meaning == "error":
        return measured(data)
    if data.meaning == "spread":
        return Measured(np.ascontiguousarray(data.mean().T), errors_of_means(data))
    return without_errors(data.mean())


def _checked(ks: Any, n_objects: int, n_null: int, alpha: float) -> tuple[int, ...]:
    """Return the numbers to choose from in ascending order; refuse bad parameters."""
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
            f"ks goes up to {max(listed)} clusters, but only "
            f"{counted(n_objects, 'object')} can be used; give smaller numbers."
        )
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
