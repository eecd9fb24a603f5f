"""`Clustering`: a result, with everything that belongs to it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from html import escape
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np
from sklearn.base import clone

from incerta import plot
from incerta.api.methods import NUMBERS
from incerta.api.notes import in_words
from incerta.api.novelty import FEWEST, Novelty
from incerta.api.result import ReportedResult, coordinates_of, versions
from incerta.data.coerce import as_uncertain
from incerta.data.container import UncertainData
from incerta.data.counts import under_prior_of
from incerta.data.meaning import certain
from incerta.data.projections import projected
from incerta.data.standardize import Standardizer
from incerta.data.tables.spec import TableSpec
from incerta.directions import Directions
from incerta.estimators._base import UncertainClusterer, check_fitted_to
from incerta.labels import (
    ROUNDING,
    confidence_of,
    label_sets,
    likeliest,
    most_probable,
    second_best,
    with_empty_last,
)
from incerta.metrics import clustering_accuracy
from incerta.mixture import Deconvolver
from incerta.models.checks import texts, whole, wrong
from incerta.models.registry import Recipe, State, register
from incerta.number.choose import NumberOfClusters
from incerta.typing import Array, Ids, Indices
from incerta.wording import SURE, capital, counted, cut, no_confidence, share

if TYPE_CHECKING:
    from incerta.api.assess import Assessment
    from incerta.views.consensus import View

# Optional parts of a clustering, and their types.
PARTS: dict[str, type] = {
    "spec": TableSpec,
    "scaler": Standardizer,
    "directions": Directions,
    "deconvolver": Deconvolver,
    "choice": NumberOfClusters,
}
# Rows shown in a notebook: clusters, least certain objects, first objects.
MOST_CLUSTERS, N_UNSURE, N_ROWS = 12, 5, 5
LONGEST = 40
# The notebook sets the colors, light or dark; ours are its text color, transparent.
_TABLES = "display:flex;flex-wrap:wrap;align-items:flex-start"
_PLACE = "margin:.4em 1.5em .4em 0;border-collapse:collapse"
_TITLE = "text-align:left;font-weight:600;padding:.2em 0"
_CELL = "padding:.15em .7em .15em 0;text-align:{};vertical-align:top"
_HEAD = "border-bottom:1px solid #80808080;font-weight:600"
MOST_ALTERNATIVES = 3
# Alternatives with a lower weight are left out.
LEAST = 0.05
# Share of the objects in another cluster from which on two clusterings with the same
# number of clusters count as different. Views always disagree about some objects
# between overlapping clusters.
MOVED = 0.25
# A view is not an alternative if its agreement with the result is higher than this
# (normalized mutual information).
ALIKE = 0.8


@dataclass(frozen=True, kw_only=True)
class Profile:
    """Clusters in the units of the data, one row each."""

    size: Indices  # (n_clusters,)
    mean: Array  # (n_clusters, n_features): mean of the objects' means
    spread: Array  # (n_clusters, n_features): their standard deviation
    error: Array  # (n_clusters, n_features): root mean square of the objects' own
    confidence: Array  # (n_clusters,): mean over the objects


@dataclass(frozen=True, eq=False, repr=False)
class Clustering(ReportedResult):
    """The result of `cluster`; ``print`` it for a summary.

    Attributes
    ----------
    data : UncertainData
        The objects.
    estimator : object
        The fitted estimator. It was given the data after `scaler`, `directions` and
        `deconvolver`.
    method : str
        Name of the estimator.
    reasons : tuple of str
        The choices that were made, and the reasons for them.
    seed : int
        ``cluster(data, ..., random_state=seed)`` gives the same answer.
    scaler : Standardizer or None
        Scales the features; None with ``scale=False``.
    directions : Directions or None
        Reduces many features to few directions; None with ``directions=None``.
    deconvolver : Deconvolver or None
        Turned measured values into beliefs about the true values, if needed.
    choice : NumberOfClusters or None
        The choice of the number of clusters; None if the number was given.
    warnings : tuple of str
        Warnings of all steps.
    command : str or None
        The command line that gave this result, if there was one.
    file : str or None
        The file that the data come from, if there was one.
    spec : TableSpec or None
        The description by which the file was read.
    versions : dict of str to str
        Versions of the packages used.

    Examples
    --------
    >>> import incerta as ic
    >>> data, _ = ic.datasets.make_uncertain_blobs(60, 2, 3, random_state=0)
    >>> result = ic.cluster(data, k=3)
    >>> result.labels[:6], result.confidence[:3]
    (array([0, 1, 2, 2, 1, 0]), array([1., 1., 1.]))
    >>> len(result.unsure())
    0
    """

    data: UncertainData
    estimator: Any
    method: str
    reasons: tuple[str, ...]
    seed: int
    scaler: Standardizer | None = None
    choice: NumberOfClusters | None = None
    directions: Directions | None = None
    deconvolver: Deconvolver | None = None
    warnings: tuple[str, ...] = ()
    command: str | None = None
    file: str | None = None
    spec: TableSpec | None = None
    versions: dict[str, str] = field(default_factory=versions)

    @cached_property
    def labels(self) -> Indices:
        """Most probable cluster of each object; −1 is noise."""
        # The last entry is for noise, −1.
        rank = np.full(len(self._order) + 1, -1)
        rank[self._order] = np.arange(len(self._order))
        return rank[self._likeliest]

    @cached_property
    def membership(self) -> Array:
        """Probability of each cluster for each object; the rest, up to 1, is noise."""
        return self.estimator.membership_[:, self._order]

    @cached_property
    def confidence(self) -> Array:
        """Probability of each object's label; NaN where it would be meaningless."""
        if self.no_confidence_reason is not None:
            return np.full(len(self.labels), np.nan)
        return confidence_of(self.labels, self.membership)

    @cached_property
    def no_confidence_reason(self) -> str | None:
        """The reason why a confidence would be meaningless; None if it is not."""
        if self.membership.shape[1] == 0:
            return "there is no cluster"
        if self.membership.shape[1] == 1 and self.noise.max() <= ROUNDING:
            return "there is one cluster"
        if self.n_clusters == len(self.labels):
            return "every object is a cluster of its own"
        if certain(self.data) and (self.membership == self.membership.round()).all():
            return "the data have no uncertainty"
        return "there is one world" if self.parameters.get("n_worlds") == 1 else None

    @cached_property
    def _order(self) -> Indices:
        """Numbers of the clusters in the estimator, empty ones last."""
        found, n_clusters = self._likeliest, self.estimator.membership_.shape[1]
        return with_empty_last(np.unique(found[found >= 0]), n_clusters)

    @cached_property
    def _likeliest(self) -> Indices:
        """Most probable cluster of each object, in the numbers of the estimator."""
        return most_probable(self.estimator.labels_, self.estimator.membership_)

    @property
    def noise(self) -> Array:
        """Probability of noise for each object."""
        rest = np.clip(1.0 - self.membership.sum(axis=1), 0.0, 1.0)
        return np.where(rest > ROUNDING, rest, 0.0)

    @property
    def n_clusters(self) -> int:
        """Number of clusters that have objects."""
        return int(self.labels.max()) + 1

    @property
    def ids(self) -> Ids:
        """Names of the objects."""
        return self.data.ids

    @property
    def feature_names(self) -> tuple[str, ...]:
        """Names of the features."""
        return self.data.feature_names

    @property
    def parameters(self) -> dict[str, Any]:
        """Parameters of the estimator."""
        return dict(self.estimator.get_params(deep=False))

    @property
    def runner_up(self) -> Indices:
        """Second most probable cluster of each object, or −1 for noise or none."""
        return second_best(self.labels, self.membership)

    @property
    def plot(self) -> Plots:
        """Plots of the result: ``result.plot.scatter()`` and others."""
        return Plots(self)

    def predict(self, X: Any) -> Indices:
        """Return the cluster of new objects, in the units of the data; −1 is noise.

        Parameters
        ----------
        X : UncertainData or anything `as_uncertain` takes
            New objects with the same features.
        """
        return likeliest(self.predict_proba(X))

    def predict_proba(self, X: Any) -> Array:
        """Return the probability of each cluster for new objects; the rest is noise.

        Parameters
        ----------
        X : UncertainData or anything `as_uncertain` takes
            New objects with the same features.
        """
        return self.estimator.predict_proba(self._scaled(X))[:, self._order]

    @cached_property
    def novelty(self) -> Array:
        """Novelty of each object among the others: 3 is 1 in 1000; see `novelty_of`."""
        if self._novelty is None:
            return np.full(len(self.data), np.nan)
        return self._novelty.of_fit(self._there(self._filled))

    def novelty_of(self, X: Any) -> Array:
        """Return how unlike the objects of the fit new objects are.

        A novelty of 3 means that 1 in 1000 objects like those of the fit lies as far
        out, and 4 that 1 in 10,000 does; the maximum is 10. A far value with a large
        error is not novel. The novelty is NaN if the fit had fewer than 20 objects.

        Parameters
        ----------
        X : UncertainData or anything `as_uncertain` takes
            New objects with the same features.
        """
        data = self._there(X if self._filler is None else self._filler.transform(X))
        if self._novelty is None:
            return np.full(len(data), np.nan)
        return self._novelty.of(data)

    @cached_property
    def _novelty(self) -> Novelty | None:
        if len(self.data) < FEWEST:
            return None
        return Novelty(self._there(self._filled))

    def columns(self) -> dict[str, Any]:
        """Return the table by columns, in the order of the objects.

        The columns are id, cluster, confidence, runner_up, the label set for a
        probability of 0.9 (such as ``2|0``), the probability of each cluster and of
        noise, and the novelty. Cells of a grid have their coordinates, too.
        """
        membership = self.membership
        columns = {
            "id": self.ids,
            "cluster": self.labels,
            "confidence": self.confidence,
            "runner_up": self.runner_up,
            "label_set": np.array(["|".join(map(str, s)) for s in self.label_sets()]),
            **{f"p_{c}": membership[:, c] for c in range(membership.shape[1])},
            "p_noise": self.noise,
            "novelty": self.novelty,
        }
        return {**columns, **coordinates_of(self.ids), **columns}

    def unsure(self, confidence: float = SURE) -> Ids:
        """Return the ids of objects with a low confidence, the least certain first.

        Parameters
        ----------
        confidence : float, default=0.9
            Objects with a lower confidence are returned.
        """
        if not 0.0 <= confidence <= 1.0:
            msg = f"confidence={confidence} must be between 0 and 1."
            raise ValueError(msg)
        order = self.confidence.argsort(kind="stable")
        return self.ids[order[self.confidence[order] < confidence]]

    def label_sets(self, coverage: float = SURE) -> list[tuple[int, ...]]:
        """Return the smallest sets of clusters with a total probability of `coverage`.

        The most probable cluster comes first: ``(2,)``, or ``(2, 0)`` if cluster 2
        alone is not certain enough. −1 is noise.

        Parameters
        ----------
        coverage : float, default=0.9
            Total probability of the clusters of a set.

        Examples
        --------
        >>> import incerta as ic
        >>> values, errors = [[0.0], [0.3], [9.0], [9.4], [5.0]], [[0.1]] * 4 + [[6.0]]
        >>> data = ic.from_gaussian(values, std=errors)
        >>> ic.cluster(data, 2, "ErrorMixture").label_sets()
        [(0,), (0,), (1,), (1,), (1, 0)]
        """
        if not 0.0 < coverage <= 1.0:
            msg = f"coverage={coverage} must be above 0 and at most 1."
            raise ValueError(msg)
        return label_sets(self.labels, self.membership, coverage)

    def typical(self) -> Indices:
        """Return the position of the most typical object of each cluster.

        Among the most confident objects of the cluster, its mean is nearest to the
        middle of the cluster, with scaled features.
        """
        means = self._scaled(self._filled).mean()
        return typical_of(self.labels, self.n_clusters, means, self.confidence)

    @cached_property
    def shown(self) -> UncertainData:
        """The objects as drawn in pictures: in directions, if there are any."""
        finder = self.directions
        if finder is None or finder.n_directions_ == 0:
            return self._filled
        return replace(self._compared, feature_names=tuple(finder.labels()))

    def profile(self) -> Profile:
        """Describe the clusters in the units of the data, without missing values."""
        moments = self._filled.mean(), self._filled.variance()
        return profile_of(self.labels, self.n_clusters, *moments, self.confidence)

    def alternatives(self) -> list[Alternative]:
        """Return other plausible clusterings of the data, at most three.

        The most plausible one comes first. Each has a ``weight``, a sentence ``what``
        that describes the difference, and a ``clustering``.

        Notes
        -----
        Alternatives have another number of clusters, if the number was chosen, or come
        from a view of `AutoClusterer` that disagrees with the result about a quarter of
        the objects. The weight is the plausibility of the number, or the weight of the
        view. Alternatives with a weight below 0.05 are left out. Each takes about as
        long as the result.

        Examples
        --------
        >>> import incerta as ic
        >>> data, _ = ic.datasets.make_uncertain_blobs(60, 2, 4, random_state=0)
        >>> result = ic.cluster(data)
        >>> result.choice.k, round(result.choice.weight, 1)
        (4, 0.5)
        >>> [(round(each.weight, 1), each.what) for each in result.alternatives()]
        [(0.4, '3 clusters instead of 4.')]
        """
        seen = self._scaled(self.data)
        plausible = 1.0 if self.choice is None else self.choice.weight
        views = of_views(self.estimator._facts().views, plausible)
        found = []
        for weight, parameters, what in [*_numbers(self), *views]:
            if weight >= LEAST:
                model = clone(self.estimator).set_params(**parameters).fit(seen)
                other = replace(
                    self, estimator=model, reasons=(what,), choice=None, warnings=()
                )
                found.append(Alternative(weight, what, other))
        return distinct(found, self)

    def explain(self) -> str:
        """Describe the steps and the reasons for them in sentences."""
        lines = [headline(self), "", *self.reasons]
        if self.no_confidence_reason is not None:
            lines.append(no_confidence(self.no_confidence_reason))
        elif self.choice is not None:
            lines.append(conditional(self.choice.k, self.choice.weight))
        if self.warnings:
            lines += ["", "Warnings:", *(f"- {text}" for text in self.warnings)]
        return "\n".join(lines)

    def assess(self) -> Assessment:
        """Assess how sure the labels are, and which clusters a valley separates.

        This is `assess` for these labels: probabilities follow from the values, not
        from the method that assigned the labels. Noise is a label, too.

        Examples
        --------
        >>> import incerta as ic
        >>> data, _ = ic.datasets.make_uncertain_blobs(300, 2, 3, random_state=0)
        >>> found = ic.cluster(data, k=3).assess()
        >>> [pair.verdict for pair in found.pairs]
        ['separate', 'separate', 'separate']
        """
        from incerta.api.assess import assess

        finder = self.directions
        return assess(
            self.data,
            self.labels,
            random_state=self.seed,
            scale=self.scaler is not None,
            directions=None if finder is None else finder.n_directions,
        )

    def __repr__(self) -> str:
        return f"<Clustering: {headline(self)}>"

    __str__ = explain

    def _repr_html_(self) -> str:
        return as_html(self)

    def _scaled(self, X: Any) -> UncertainData:
        data = self._compared if X is self.data else self._there(X)
        return data if self.deconvolver is None else self.deconvolver.transform(data)

    @cached_property
    def _filler(self) -> Deconvolver | None:
        """Return the deconvolver that completes projected data; None if not needed."""
        measured = projected(self.data.law) is not None
        return Deconvolver().fit(self.data) if measured else None

    @cached_property
    def _filled(self) -> UncertainData:
        """Return the objects with all features known, so that they can be drawn."""
        return self.data if self._filler is None else self._filler.transform(self.data)

    @cached_property
    def _compared(self) -> UncertainData:
        """Return the objects of the fit as they were compared."""
        return self._there(self.data)

    def _there(self, X: Any) -> UncertainData:
        """Return scaled objects in the directions in which they are compared."""
        data: Any = under_prior_of(self.data, as_uncertain(X))
        for step in (self.scaler, self.directions):
            data = data if step is None else step.transform(data)
        assert isinstance(data, UncertainData)
        return data


def profile_of(
    labels: Indices, n_clusters: int, means: Array, variances: Array, confidence: Array
) -> Profile:
    """Return sizes, means and spreads of clusters, without noise and missing values."""
    member = (labels[:, None] == np.arange(n_clusters)).astype(float)
    size = member.sum(axis=0)
    known = ~np.isnan(means)
    counts = np.maximum(member.T @ known, 1.0)
    mean = member.T @ np.where(known, means, 0.0) / counts
    centered = means - np.vstack([mean, np.zeros(means.shape[1])])[labels]
    return Profile(
        size=size.astype(np.intp),
        mean=mean,
        spread=np.sqrt(member.T @ np.where(known, centered, 0.0) ** 2 / counts),
        error=np.sqrt(member.T @ np.where(known, variances, 0.0) / counts),
        confidence=member.T @ confidence / size,
    )


def typical_of(
    labels: Indices, n_clusters: int, means: Array, confidence: Array
) -> Indices:
    """Return the most typical object of each cluster: confident and near its middle.

    Means are those of scaled features.
    """
    sure = np.nan_to_num(confidence, nan=1.0)
    out = np.empty(n_clusters, dtype=np.intp)
    for c in range(n_clusters):
        members = np.flatnonzero(labels == c)
        surest = sure[members] >= np.quantile(sure[members], 0.75)
        middle = np.nanmean(means[members], axis=0)
        # Missing values do not count.
        apart = np.nansum(np.square(means[members] - middle), axis=1)
        out[c] = members[np.where(surest, apart, np.inf).argmin()]
    return out


def predicted(model: Any, data: UncertainData) -> dict[str, Any]:
    """Return the table of new objects by columns, by a `Clustering` or an estimator."""
    membership = model.predict_proba(data)
    # The label of a Clustering is always the most probable one.
    ours = isinstance(model, Clustering)
    labels = likeliest(membership) if ours else model.predict(data)
    confidence = confidence_of(labels, membership)
    if ours and model.no_confidence_reason:
        # There is a reason as in the fit, unless only the new objects are uncertain.
        # With one cluster or one world all shares are 1.
        single = model.n_clusters < 2 or model.parameters.get("n_worlds") == 1
        if single or certain(data):
            confidence = np.full(len(labels), np.nan)
    columns = {
        "id": data.ids,
        "cluster": labels,
        "confidence": confidence,
        **{f"p_{c}": membership[:, c] for c in range(membership.shape[1])},
        "p_noise": np.clip(1.0 - membership.sum(axis=1), 0.0, 1.0),
    }
    return columns | {"novelty": model.novelty_of(data)} if ours else columns


def reworded(result: Clustering, **words: Any) -> Clustering:
    """Copy a result with other reasons, warnings or origin.

    Computed attributes are kept; `dataclasses.replace` would drop them.
    """
    other = copy(result)
    vars(other).update(words)
    return other


def _made(state: State) -> Clustering:
    result = Clustering(**state)
    if not isinstance(result.estimator, UncertainClusterer):
        wrong("the estimator does not belong to this library")
    for name in ("reasons", "warnings"):
        texts(getattr(result, name), name)
    texts((*result.versions, *result.versions.values()), "versions")
    texts((result.method, result.command or "", result.file or ""), "method or origin")
    whole(result.seed, 0, "seed")
    for name, kind in PARTS.items():
        if not isinstance(getattr(result, name), kind | None):
            wrong(f"{name} is not a {kind.__name__}")
    finder = result.directions
    n_compared = 0 if finder is None else len(finder.get_feature_names_out())
    check_fitted_to(result.estimator, result.data, n_compared)
    return result


def _spec_made(state: State) -> TableSpec:
    for name, value in state.items():
        if name == "joint" and isinstance(value, bool):
            continue
        texts(value if isinstance(value, tuple) else (value,), name)
    return TableSpec(**state)


def _state(result: Clustering) -> State:
    return {each.name: getattr(result, each.name) for each in fields(Clustering)}


register(Clustering, Recipe(_state, _made, is_model=True))
register(TableSpec, Recipe(TableSpec.said, _spec_made))


def headline(result: Clustering) -> str:
    """Summarize a result in one line."""
    n_noise = int((result.labels < 0).sum())
    noise = f", {n_noise} noise" if n_noise else ""
    found = (
        f"{counted(len(result.labels), 'object')} in "
        f"{counted(result.n_clusters, 'cluster')}"
    )
    sure = "confidence not applicable"
    if result.no_confidence_reason is None:
        sure = f"mean confidence {result.confidence.mean():.2f}"
    return f"{found}{noise} by {result.method}, {sure}"


def conditional(k: int, weight: float) -> str:
    """Return the sentence that confidences assume the chosen number of clusters."""
    return (
        f"Confidences hold if there are {counted(k, 'cluster')} (plausibility "
        f"{share(weight)})."
    )


def as_html(result: Clustering) -> str:
    """Render a result as small tables without scripts, with all texts escaped."""
    labels, confidence, runner_up = result.labels, result.confidence, result.runner_up
    sure = result.no_confidence_reason is None
    names = ["noise", *map(str, range(result.n_clusters))]  # of −1, 0, 1, ...

    def objects(title: str, positions: Iterable[int]) -> str:
        rows = []
        for i in positions:
            other = names[runner_up[i] + 1] if confidence[i] < 1.0 else "–"
            name = cut(str(result.ids[i]), LONGEST)
            rows.append([name, names[labels[i] + 1], share(confidence[i]), other])
        return table(title, ["object", "cluster", "confidence", "runner-up"], rows)

    def table(title: str, headings: Sequence[str], rows: Sequence[list[str]]) -> str:
        n = len(headings) if sure else 2  # the others are about confidence
        ways = ["left", *["right"] * (n - 1)]
        head = "".join(
            f'<th scope="col" style="{_CELL.format(way)};{_HEAD}">{escape(text)}</th>'
            for way, text in zip(ways, headings, strict=False)
        )
        body = "".join(
            f'<td style="{_CELL.format(way)}"><bdi>{escape(text)}</bdi></td>'
            + "</tr><tr>" * (j == n - 1)
            for row in rows
            for j, (way, text) in enumerate(zip(ways, row, strict=False))
        )
        return (
            f'<table style="{_PLACE}"><caption style="{_TITLE}">{escape(title)}'
            f"</caption><thead><tr>{head}</tr></thead><tbody><tr>"
            f"{body.removesuffix('<tr>')}</tbody></table>"
        )

    shown = range(min(result.n_clusters, MOST_CLUSTERS))
    clusters = []
    for c in [*shown, -1] if (labels < 0).any() else shown:
        mean = share(confidence[labels == c].mean())
        clusters.append([names[c + 1], f"{(labels == c).sum():,}", mean])
    left = result.n_clusters - MOST_CLUSTERS
    title = "Clusters" if left <= 0 else f"Clusters ({left} more)"
    tables = [table(title, ["cluster", "objects", "confidence"], clusters)]
    if sure:
        order = confidence.argsort(kind="stable")[:N_UNSURE]
        tables.append(objects("Least certain", order.tolist()))
    tables.append(objects("First objects", range(min(N_ROWS, len(labels)))))
    parts = [f"<p><strong>{escape(headline(result))}</strong></p>"]
    parts.append(f'<div style="{_TABLES}">{"".join(tables)}</div>')
    if result.no_confidence_reason is not None:
        parts.append(f"<p>{escape(no_confidence(result.no_confidence_reason))}</p>")
    if result.warnings:
        items = (f"<li>{escape(cut(text, 300))}</li>" for text in result.warnings)
        parts.append(f"<p>Warnings:</p><ul>{''.join(items)}</ul>")
    parts.append(
        "<p>All objects: <code>result.table()</code>; why: "
        "<code>result.explain()</code>; a page to pass on: "
        "<code>result.report(&quot;report.html&quot;)</code></p>"
    )
    return f'<div style="overflow-x:auto">{"".join(parts)}</div>'


class Alternative(NamedTuple):
    """Another plausible clustering of the data."""

    weight: float  # plausibility, from 0 to 1
    what: str  # the difference, in a sentence
    clustering: Clustering


# Plausibility of an alternative, parameters of the estimator, and a sentence.
_Asked: TypeAlias = tuple[float, dict[str, Any], str]


def _numbers(result: Clustering) -> Iterator[_Asked]:
    """Yield other numbers of clusters."""
    choice, parameters = result.choice, result.estimator.get_params()
    if choice is None:
        return
    names = [name for name in parameters if name.rpartition("__")[2] in NUMBERS]
    for k, weight in zip(choice.ks, choice.weights, strict=True):
        if k != choice.k:
            what = f"{counted(k, 'cluster')} instead of {choice.k}."
            yield float(weight), dict.fromkeys(names, k), what


def of_views(views: Mapping[str, View], plausible: float) -> Iterator[_Asked]:
    """Yield the views that disagree with a result, which is so plausible."""
    for name, view in views.items():
        if view.agreement < ALIKE:
            what = f"{capital(in_words(name))} alone."
            yield plausible * view.weight, {"views": [name]}, what


def distinct(found: Sequence[Alternative], result: Clustering) -> list[Alternative]:
    """Join those that are alike; leave out what is like the result; sort by weight."""
    others: list[Alternative] = []
    for other in found:
        if _moved(other.clustering, result) < MOVED:
            continue
        for i, earlier in enumerate(others):
            if _moved(other.clustering, earlier.clustering) < MOVED:
                others[i] = earlier._replace(weight=earlier.weight + other.weight)
                break
        else:
            others.append(other)
    return sorted(others, key=lambda each: -each.weight)[:MOST_ALTERNATIVES]


def _moved(one: Clustering, other: Clustering) -> float:
    """Return the share of objects in another cluster; 1 if the numbers differ."""
    if one.n_clusters != other.n_clusters:
        return 1.0
    return 1.0 - clustering_accuracy(one.labels, other.labels)


class Plots:
    """Plots of one result; each method returns the matplotlib Axes.

    Parameters
    ----------
    result : Clustering
        The result to draw.
    """

    def __init__(self, result: Clustering) -> None:
        self._result = result

    def scatter(self, features: Any = None, ax: Any = None) -> Any:
        """Draw the objects with error ellipses, colored by cluster.

        A wide table is drawn in its directions unless features are named.
        """
        r = self._result
        sure = r.confidence if r.no_confidence_reason is None else None
        data = r.shown if features is None else r.data
        return plot.scatter(data, r.labels, sure, features, ax, membership=r.membership)

    def membership(self, ax: Any = None) -> Any:
        """Draw the probabilities of the clusters for each object."""
        return plot.membership(self._result.membership, self._result.labels, ax=ax)

    def coassociation(self, ax: Any = None) -> Any:
        """Draw the share of worlds in which two objects are in the same cluster."""
        labels = self._told("labels_per_world", "worlds")
        return plot.coassociation(labels, self._result.labels, ax=ax)

    def divergences(self, ax: Any = None) -> Any:
        """Draw a map of the worlds by their divergences, with the representatives."""
        divergences = self._told("divergences", "divergences between worlds")
        chosen = self._told("kept", "representative worlds")
        return plot.divergences(divergences, chosen, ax=ax)

    def objective(self, ax: Any = None) -> Any:
        """Draw the objective of the method after each step."""
        return plot.objective(self._told("objective", "objective"), ax=ax)

    def choice(self, ax: Any = None) -> Any:
        """Draw the choice of the number of clusters."""
        choice = self._result.choice
        if choice is None:
            msg = "the number of clusters was not chosen here; use k='auto'."
            raise ValueError(msg)
        return choice.plot(ax=ax)

    def reachability(self, ax: Any = None) -> Any:
        """Draw the reachability distance of each object in order."""
        reached, order, cut = self._told("reachability", "reachability")
        return plot.reachability(reached, order, self._result.labels, cut, ax=ax)

    def _told(self, name: str, what: str) -> Any:
        fact = getattr(self._result.estimator._facts(), name)
        if fact is None:
            msg = f"{self._result.method} has no {what} to draw."
            raise ValueError(msg)
        return fact
