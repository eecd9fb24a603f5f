"""`assess`: how sure existing labels are."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse.csgraph import connected_components
from scipy.special import entr

from incerta import plot
from incerta.api.answer import in_directions, scaled_by
from incerta.api.result import ReportedResult, or_none, versions
from incerta.assessment.pairs import Axes, within
from incerta.assessment.posterior import along_common_axes, posterior
from incerta.assessment.valley import Counts, Gaussians, Valley
from incerta.data.checks import nothing_in
from incerta.data.coerce import as_uncertain
from incerta.data.container import UncertainData
from incerta.data.standardize import Standardizer
from incerta.directions import Directions
from incerta.exceptions import DataError
from incerta.mixture.deconvolver import located
from incerta.models.checks import wrong
from incerta.models.registry import stored
from incerta.plot.style import new_figure
from incerta.typing import Array, Ids, Indices, Mask, Seed
from incerta.views.truths import judged_where
from incerta.wording import counted, cut, joined, percent, printable, share, verb
from incerta.worlds.streams import checked_seed

# Compare each label with this many that its objects could belong to, and the nearest.
MOST_CONFUSED = 3
# Objects of a label that are used to test whether it hides two.
MOST_HALVED = 1000
# With fewer objects in the smaller of two labels, no verdict is given.
FEWEST = 50
# Depth from which a valley counts as real (`benchmarks/assess.py`).
DEEP = 3.0
SEPARATE, TOGETHER, FEW = "separate", "no valley shown", "too few to tell"
# Below this probability of being right, a label should be looked at.
DOUBTFUL = 0.5
NOISE = "-1"
MOST_LISTED = 5
# Sizes of pictures.
MOST_DRAWN, COLUMNS, MOST_RINGED, LONGEST = 12, 4, 50, 24


@stored()
@dataclass(frozen=True, kw_only=True)
class AssessedPair:
    """Two labels, and whether there is a valley between them.

    Attributes
    ----------
    one, other : label
        The two labels.
    depth : float
        Depth of the valley along the axis between them; NaN if there are too few
        objects. It is twice the gain in log likelihood of several modes over one.
    verdict : str
        "separate", "no valley shown" or "too few to tell". Two labels with a valley
        are not separate if others connect them step by step without a valley, as the
        pieces of a bent cluster do.
    values : Counts or None
        The objects along the axis, counted in cells.
    law : Gaussians or None
        The distribution of the true values along the axis.

    Examples
    --------
    >>> import incerta as ic
    >>> data, classes = ic.datasets.make_uncertain_blobs(200, 2, 2, random_state=0)
    >>> pair = ic.assess(data, classes).pairs[0]
    >>> pair.one, pair.other, pair.verdict
    (0, 1, 'separate')
    """

    one: Any
    other: Any
    depth: float
    verdict: str
    values: Counts | None
    law: Gaussians | None


@stored()
@dataclass(frozen=True, kw_only=True)
class AssessedLabel:
    """A label, and how well its objects fit it.

    Attributes
    ----------
    label : label
        The label.
    size : int
        Number of objects.
    sure : float
        Mean probability of this label for its objects.
    wrong : float
        Expected number of objects whose label is wrong.
    nearest : label or None
        The label with the shallowest valley to this one; without a valley to measure,
        the one that its objects are most often confused with.
    depth : float
        Depth of that valley.
    verdict : str
        The verdict on that pair.
    depth_within : float
        Depth of the valley within the label; NaN if there are too few objects.
    hides_two : bool
        Whether there is such a valley.

    Examples
    --------
    >>> import incerta as ic
    >>> data, classes = ic.datasets.make_uncertain_blobs(200, 2, 2, random_state=0)
    >>> first = ic.assess(data, classes).clusters[0]
    >>> first.label, first.size, first.nearest, first.hides_two
    (0, 100, 1, False)
    """

    label: Any
    size: int
    sure: float
    wrong: float
    nearest: Any
    depth: float
    verdict: str
    depth_within: float
    hides_two: bool


def _check(found: Assessment) -> None:
    n, k = found.probability.shape
    if not n == len(found.data) == len(found.codes) == len(found.right):
        wrong("an assessment does not fit its data")
    if k != len(found.names):
        wrong("an assessment does not fit its labels")


@stored(
    _check,
    by_itself=True,
    codes="i n",
    probability="f n k",
    right="f n",
    fold="i n",
)
@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Assessment(ReportedResult):
    """The result of `assess`; ``print`` it for a summary.

    Attributes
    ----------
    data : UncertainData
        The objects.
    names : ndarray of shape (n_labels,)
        The labels, sorted.
    codes : ndarray of shape (n_objects,)
        Number of each object's label among these; −1 if it has none.
    probability : ndarray of shape (n_objects, n_labels)
        Probability that the object would be given each label, by the other objects.
    right : ndarray of shape (n_objects,)
        Probability that the given label is right; NaN without a label.
    fold : ndarray of shape (n_objects,)
        Each object is assessed by what was fitted to the other fold; −1 without a
        label.
    clusters : list of AssessedLabel
        One for each label, but for noise (−1).
    pairs : list of AssessedPair
        The compared labels, shallowest valley first.
    seed : int
        ``assess(data, labels, random_state=seed)`` gives the same answer.
    scaler : Standardizer or None
        Brings the features to one scale; None if they were left as they are.
    directions : Directions or None
        Reduces many features to few directions; None if it was switched off.
    versions : dict of str to str
        Versions of the packages used.

    Examples
    --------
    >>> import incerta as ic
    >>> data, classes = ic.datasets.make_uncertain_blobs(300, 2, 3, random_state=0)
    >>> found = ic.assess(data, classes)
    >>> [(each.label, each.size, each.verdict) for each in found.clusters]
    [(0, 100, 'separate'), (1, 100, 'separate'), (2, 100, 'separate')]
    """

    data: UncertainData
    names: Ids
    codes: Indices
    probability: Array
    right: Array
    fold: Indices
    clusters: list[AssessedLabel]
    pairs: list[AssessedPair]
    seed: int
    scaler: Standardizer | None = None
    directions: Directions | None = None
    versions: dict[str, str] = field(default_factory=versions)

    @cached_property
    def own(self) -> Array:
        """Probability of each object's given label; NaN without one."""
        own = self.probability[np.arange(len(self.codes)), self.codes]
        return np.where(self.codes >= 0, own, np.nan)

    @property
    def likeliest(self) -> Ids:
        """Most probable label of each object."""
        best: Indices = self.probability.argmax(axis=1)
        return self.names[best]

    @cached_property
    def shown(self) -> UncertainData:
        """The objects as drawn in pictures: in directions, if there are any."""
        finder = self.directions
        if finder is None or finder.n_directions_ == 0:
            return located(self.data)
        scaled = self.data if self.scaler is None else self.scaler.transform(self.data)
        seen = finder.transform(scaled)
        return replace(seen, feature_names=tuple(finder.labels()))

    @property
    def plot(self) -> Plots:
        """Plots: ``found.plot.pairs()`` and ``found.plot.map()``."""
        return Plots(self)

    @property
    def score(self) -> float:
        """Share of the labels' entropy that the values explain; NaN for one label."""
        return _told(self.probability, self.codes)

    @property
    def score_joined(self) -> float:
        """The score after joining labels without a valley between them."""
        groups = np.eye(len(self.names))[self._groups]
        codes = np.where(self.codes >= 0, self._groups[self.codes], -1)
        return _told(self.probability @ groups, codes)

    @property
    def wrong(self) -> float:
        """Expected number of objects whose label is wrong."""
        return float(np.nansum(1.0 - self.right))

    @property
    def look(self) -> Ids:
        """Ids of the objects whose label is probably wrong, worst first."""
        worst = np.argsort(self.right, kind="stable")
        return self.data.ids[worst[self.right[worst] < DOUBTFUL]]

    def sets(self, coverage: float = 0.95) -> list[tuple[Any, ...]]:
        """Return the plausible labels of each object.

        Among objects labeled as these were, a share of `coverage` has the given label
        in its set, however poor the fit: the sets are conformal. A set can be empty.

        Parameters
        ----------
        coverage : float, default=0.95
            Between 0 and 1.
        """
        if not 0.0 < coverage < 1.0:
            msg = f"coverage={coverage!r} must lie between 0 and 1, such as 0.95."
            raise ValueError(msg)
        least = np.zeros(3)
        for g in (0, 1):
            own = np.sort(self.own[self.fold == g])
            rank = int((1.0 - coverage) * (len(own) + 1))
            least[g] = own[rank - 1] if rank else 0.0
        least[-1] = least[:2].min()  # of objects without a label
        rows, labels = np.nonzero(self.probability >= least[self.fold][:, None])
        ends = np.searchsorted(rows, np.arange(1, len(self.codes)))
        return [tuple(each.tolist()) for each in np.split(self.names[labels], ends)]

    def joined(self) -> Ids:
        """Join labels without a valley between them; None without a label.

        Joined labels take the name of the first, in the order of `names`.
        """
        first = np.array([np.flatnonzero(self._groups == g)[0] for g in self._groups])
        return _given(self.names[first], self.codes)

    @cached_property
    def _groups(self) -> Indices:
        """Number of the group that each label is in after joining."""
        where = {name: i for i, name in enumerate(self.names.tolist())}
        links = np.zeros((len(where), len(where)))
        for pair in self.pairs:
            if pair.verdict == TOGETHER:
                links[where[pair.one], where[pair.other]] = 1.0
        return np.asarray(connected_components(links, directed=False)[1], np.intp)

    def columns(self) -> dict[str, Any]:
        """Return the table by columns, in the order of the objects."""
        sets = ["|".join(map(str, each)) for each in self.sets()]
        return {
            "id": self.data.ids,
            "label": _given(self.names, self.codes),
            "probability": self.own,
            "right": self.right,
            "likeliest": self.likeliest,
            "label_set": np.array(sets),
            **{f"p_{n}": self.probability[:, c] for c, n in enumerate(self.names)},
        }

    def sentences(self) -> list[str]:
        """Summarize the result in three sentences."""
        n = int((self.codes >= 0).sum())
        several = counted(len(self.names), "label")
        n_wrong = round(self.wrong)
        wrong = "hardly any object has a wrong one."
        if n_wrong:
            has = verb(n_wrong, "has", "have")
            wrong = f"about {counted(n_wrong, 'object')} {has} a wrong one."
        labels = f"{counted(n, 'object')} have the same label."
        if len(self.names) > 1:
            share = f"The values explain {percent(self.score)} of the {several} of"
            labels = f"{share} {counted(n, 'object')}; {wrong}"
        listed = [_listed(self.pairs, each) for each in (SEPARATE, TOGETHER, FEW)]
        if listed[1]:
            valleys = f"No valley is shown between {listed[1]}: they may be one cluster"
        elif listed[0]:
            valleys = "All labels that can be compared are separated by valleys"
        elif len(self.clusters) < 2:
            valleys = "There is no second label to compare with"
        else:
            valleys = f"No two labels have the {FEWEST} objects that a comparison needs"
        if listed[2] and (listed[0] or listed[1]):
            valleys += f"; there are too few objects to compare {listed[2]}"
        two = [str(each.label) for each in self.clusters if each.hides_two]
        if two:
            which = verb(len(two), "Label", "Each of the labels")
            hides = f"{which} {joined(_few(two))} may hide two clusters"
        else:
            hides = "No label can be shown to hide two clusters"
        if len(self.look):
            first = joined(_few([str(each) for each in self.look]))
            hides += f"; look first at {first}"
        return [labels, f"{valleys}.", f"{hides}."]

    def explain(self) -> str:
        """Summarize the result in three sentences and a line for each label."""
        rows = ["{:>12} {:>9} {:>5} {:>7}  {}".format(*_HEADS)]
        for each in self.clusters:
            remarks = ["may hide two"] * each.hides_two
            if each.nearest is not None:
                way = "to" if each.verdict == TOGETHER else "from"
                nearest = cut(printable(each.nearest), 9)
                remarks.insert(0, f"{each.verdict} {way} {nearest}")
            rows.append(
                f"{cut(printable(each.label), 12):>12} {each.size:9,} "
                f"{share(each.sure):>5} {each.wrong:7,.1f}  "
                f"{'; '.join(remarks)}".rstrip()
            )
        return "\n".join([*self.sentences(), "", *rows])

    def summary(self) -> dict[str, Any]:
        """Give the result for programs, with None for what is unknown."""
        pairs = ("one", "other", "depth", "verdict")
        look = self.look if self.look.dtype.kind in "iu" else self.look.astype(str)
        return {
            "objects": int((self.codes >= 0).sum()),
            "wrong": or_none(self.wrong),
            "score": or_none(self.score),
            "score_joined": or_none(self.score_joined),
            "sentences": self.sentences(),
            "clusters": [
                _fields(each, AssessedLabel.__annotations__) for each in self.clusters
            ],
            "pairs": [_fields(each, pairs) for each in self.pairs],
            "look": look.tolist(),
            "seed": self.seed,
            "versions": self.versions,
        }

    def __repr__(self) -> str:
        n = int((self.codes >= 0).sum())
        labels = counted(len(self.names), "label")
        return f"<Assessment: {labels} of {counted(n, 'object')}>"

    __str__ = explain


_HEADS = ("label", "objects", "sure", "wrong", "nearest")


class Plots:
    """Pictures of one assessment.

    Parameters
    ----------
    found : Assessment
        What is drawn.
    """

    def __init__(self, found: Assessment) -> None:
        self._found = found

    def pairs(self, figure: Any = None) -> NDArray[np.object_]:
        """Draw pairs of labels along the axis between them, shallowest valley first.

        At most 12, each in its own Axes, which are returned. Bars show the values,
        lines the distribution of the true values: see `plot.valley`.

        Parameters
        ----------
        figure : matplotlib Figure or SubFigure, optional
            Where to draw; a new one by default.
        """
        pairs = [pair for pair in self._found.pairs if pair.values is not None]
        pairs = pairs[:MOST_DRAWN]
        if not pairs:
            msg = f"no two labels have the {FEWEST} objects that a comparison needs."
            raise ValueError(msg)
        n_columns = min(len(pairs), COLUMNS)
        n_rows = -(-len(pairs) // n_columns)
        figure = figure or new_figure((3.2 * n_columns, 2.4 * n_rows))
        places = figure.subplots(n_rows, n_columns, squeeze=False).ravel()
        for ax in places[len(pairs) :]:
            ax.remove()
        for pair, ax in zip(pairs, places, strict=False):
            counts, law = pair.values, pair.law
            assert counts is not None
            assert law is not None
            at = plot.valleys.along(counts.places)
            plot.valley(counts.places, counts.numbers, at, law.density(at), ax=ax)
            title = f"{short(pair.one)} | {short(pair.other)}\n{said(pair)}"
            ax.set_title(title, loc="left", fontsize="small", parse_math=False)
            ax.set(xlabel="", ylabel="", yticks=[])
        figure.supxlabel("along the axis, in deviations within clusters", size="small")
        return places[: len(pairs)]

    def map(self, features: Any = None, ax: Any = None) -> Any:
        """Draw the objects by label, paler where the label is less likely right.

        Rings mark those to look at first, at most 50. A wide table is shown in its
        directions unless features are named; see `plot.scatter`.

        Parameters
        ----------
        features : sequence of one or two features, optional
            Names or positions; by default those that separate the labels best.
        ax : matplotlib Axes, optional
            Where to draw; those of a new figure by default.
        """
        f = self._found
        worst = np.argsort(f.right, kind="stable")[: min(len(f.look), MOST_RINGED)]
        real = np.array([str(name) != NOISE for name in f.names.tolist()])
        number = np.where(real, np.cumsum(real) - 1, -1)
        rest = ["noise"] * (not real.all()) + ["no label"] * bool((f.codes < 0).any())
        return plot.scatter(
            f.shown if features is None else f.data,
            np.where(f.codes >= 0, number[f.codes], -1),
            f.right,
            features,
            ax,
            names=[*map(short, f.names[real]), " or ".join(rest)],
            ringed=worst,
        )


def assess(
    data: Any,
    labels: Any,
    *,
    random_state: Seed = 0,
    scale: bool = True,
    directions: int | str | None = "auto",
) -> Assessment:
    """Assess how sure labels from another tool or a person are.

    Two questions are kept apart because their answers differ. *Can the label be
    predicted from the values?* That is possible even if a single cluster was cut in
    two. *Is the split real?* Only if the true values have a valley between the two
    labels.

    Parameters
    ----------
    data : UncertainData or anything `as_uncertain` takes
        The objects, without the labels.
    labels : array-like of shape (n_objects,)
        The label of each object: words, numbers or categories. Missing ones (None, NaN,
        an empty word) are predicted but not assessed. −1, as a number or a word, is
        noise: it counts as one more label, which is not compared with the others.
    random_state : int, RandomState, Generator or None, default=0
        The same seed always gives the same answer. None takes a new one.
    scale : bool, default=True
        Bring all features to one scale first, as for `cluster`.
    directions : "auto", int or None, default="auto"
        Number of `Directions` in which objects are compared, as for `cluster`.

    Returns
    -------
    Assessment
        ``print`` it; ``table()`` has a row for each object, ``clusters`` and ``pairs``
        describe the labels.

    Notes
    -----
    *Probabilities.* The objects of each label are split in half. The distribution of
    their true values is fitted to one half, with the errors removed (a mixture of one,
    two or four Gaussians, chosen by BIC), and applied to the other half. It is fitted
    again without objects that probably belong to another label. Raising probabilities
    to a power ``beta``, found on the other half, calibrates them. The share of labels
    that are wrong at random is estimated along with it, so that ``right`` distinguishes
    overlap from wrong labels. The promise concerns the label that *would be given*, by
    whoever labeled these objects.

    *Valleys.* Two labels are compared along an axis through the Gaussians that are
    hardest to tell apart, using objects near the axis; objects of other labels count if
    they lie between the two ends. The best mixture of two to four Gaussians is compared
    with the best of all distributions with a single mode (Khintchine), both blurred by
    the errors. The labels play no part in this, so that a cut through one cluster shows
    no valley, whoever made it. A depth of 3 counts as a valley: fewer than 5 in 100
    cuts of a single cluster reach it (``docs/assess.rst``). *No valley shown* does not
    prove that there is one cluster: with few objects a valley is easily missed.

    Mixtures are fitted to at most 2000 objects of each label, and each pair takes one
    pass over all objects: 100,000 objects with 20 labels take about a minute. To find
    clusters, use `cluster`; to predict labels of other objects, a classifier such as
    `ErrorDiscriminant`.

    Examples
    --------
    The halves of a cluster can be predicted, but there is no valley between them:

    >>> import numpy as np
    >>> import incerta as ic
    >>> values = np.random.default_rng(0).normal(size=(400, 2))
    >>> data = ic.from_gaussian(values, std=0.1)
    >>> found = ic.assess(data, np.where(values[:, 0] > 0.0, "right", "left"))
    >>> found.pairs[0].verdict, found.score > 0.8
    ('no valley shown', True)
    """
    objects = as_uncertain(data)
    names, codes = _named(labels, len(objects))
    seed = checked_seed(random_state)
    scaler, scaled = scaled_by(objects, scale)
    finder, seen = in_directions(scaled, directions, seed)
    k = len(names)
    some = along_common_axes(judged_where(seen, k, seed), codes)
    found = posterior(some, codes, k, seed)
    real = names.astype(str) != NOISE
    sizes = np.bincount(codes[codes >= 0], minlength=k)
    confused = np.zeros((k, k))
    np.add.at(confused, codes[codes >= 0], found.probability[codes >= 0])
    confused /= sizes[:, None]

    axes = Axes(some, codes, found)
    valleys = {
        (a, b): axes.between(a, b) if min(sizes[a], sizes[b]) >= FEWEST else None
        for a, b in _to_compare(confused, axes.means(k), real)
    }
    pairs = _pairs(names, valleys)
    inside = {}
    for c in np.flatnonzero(real).tolist():
        # A few wrong labels far away would be a half by themselves.
        rows = np.flatnonzero((codes == c) & (found.right >= DOUBTFUL))[:MOST_HALVED]
        inside[c] = within(some.only(rows), seed) if len(rows) >= FEWEST else None
    return Assessment(
        data=objects,
        names=names,
        codes=codes,
        probability=found.probability,
        right=found.right,
        fold=found.fold,
        clusters=_clusters(names, codes, found.right, confused, pairs, inside),
        pairs=sorted(pairs, key=lambda pair: (np.isnan(pair.depth), pair.depth)),
        seed=seed,
        scaler=scaler,
        directions=finder,
    )


def _named(labels: Any, n: int) -> tuple[Ids, Indices]:
    """Sort the labels and number each object's; −1 means no label."""
    given = np.asarray(labels)
    if given.shape != (n,):
        msg = (
            f"labels has the shape {given.shape} for {counted(n, 'object')}; give each "
            "object one label, or None."
        )
        raise DataError(msg)
    known = ~nothing_in(given)
    if given.dtype.kind == "f" and (given[known] == np.rint(given[known])).all():
        given = np.where(known, given, 0.0)
        given = given.astype(np.int64 if np.isfinite(given).all() else str)
    elif given.dtype.kind not in "iub":
        words = given.astype(object)
        words[~known] = ""
        given = words.astype(str)
        known = given != ""
    if not known.any():
        msg = (
            "labels has no label at all; give most objects one, and None to the others."
        )
        raise DataError(msg)
    names, codes = np.unique(given[known], return_inverse=True)
    if len(names) > known.sum() / 2:
        msg = (
            f"labels has {counted(len(names), 'different label')} for "
            f"{counted(int(known.sum()), 'object')}; pass the column of clusters, in "
            "which several objects share a label."
        )
        raise DataError(msg)
    out = np.full(n, -1)
    out[known] = codes
    return names, out


def _to_compare(confused: Array, means: Array, real: Mask) -> list[tuple[int, int]]:
    """Choose pairs of labels: those most often confused, and the nearest."""
    chosen = set()
    for a in np.flatnonzero(real).tolist():
        others = np.flatnonzero(real & (np.arange(len(real)) != a))
        if len(others):
            order = np.argsort(-confused[a, others], kind="stable")[:MOST_CONFUSED]
            apart = np.square(means[others] - means[a]).sum(axis=1)
            for b in (*others[order].tolist(), int(others[apart.argmin()])):
                chosen.add((min(a, b), max(a, b)))
    return sorted(chosen)


def _pairs(
    names: Ids, valleys: dict[tuple[int, int], Valley | None]
) -> list[AssessedPair]:
    """Give verdicts; labels that others connect without a valley are not separate."""
    highest = np.full((len(names), len(names)), np.inf)
    for (a, b), seen in valleys.items():
        if seen is not None:
            highest[a, b] = highest[b, a] = seen.depth
    for c in range(len(names)):  # the deepest valley of the shallowest way
        highest = np.minimum(highest, np.maximum(highest[:, [c]], highest[[c]]))
    pairs = []
    for (a, b), seen in valleys.items():
        verdict = FEW
        if seen is not None:
            verdict = SEPARATE if highest[a, b] >= DEEP else TOGETHER
        pairs.append(
            AssessedPair(
                one=names[a].item(),
                other=names[b].item(),
                depth=np.nan if seen is None else seen.depth,
                verdict=verdict,
                values=None if seen is None else seen.counts,
                law=None if seen is None else seen.law,
            )
        )
    return pairs


def _clusters(
    names: Ids,
    codes: Indices,
    right: Array,
    confused: Array,
    pairs: list[AssessedPair],
    halved: dict[int, Valley | None],
) -> list[AssessedLabel]:
    order = {name: i for i, name in enumerate(names.tolist())}
    out = []
    for c, seen in halved.items():
        name = names[c].item()
        of_it = [pair for pair in pairs if name in (pair.one, pair.other)]

        def near(pair: AssessedPair, c: int = c) -> tuple[bool, float]:
            if not np.isnan(pair.depth):
                return False, pair.depth
            a, b = order[pair.one], order[pair.other]
            return True, -confused[c, a + b - c]

        nearest = min(of_it, key=near, default=None)
        other = None
        if nearest is not None:
            other = nearest.other if nearest.one == name else nearest.one
        inside = np.nan if seen is None else seen.depth
        out.append(
            AssessedLabel(
                label=name,
                size=int((codes == c).sum()),
                sure=float(confused[c, c]),
                wrong=float((1.0 - right[codes == c]).sum()),
                nearest=other,
                depth=np.nan if nearest is None else nearest.depth,
                verdict=FEW if nearest is None else nearest.verdict,
                depth_within=inside,
                hides_two=bool(inside >= DEEP),
            )
        )
    return out


def _given(names: Ids, codes: Indices) -> Ids:
    """Look up the label of each object; None where it has none."""
    if (codes >= 0).all():
        return names[codes]
    out = np.full(len(codes), None, dtype=object)
    out[codes >= 0] = names[codes[codes >= 0]].tolist()
    return out


def _fields(
    record: AssessedLabel | AssessedPair, names: Iterable[str]
) -> dict[str, Any]:
    return {name: or_none(getattr(record, name)) for name in names}


def _told(probability: Array, codes: Indices) -> float:
    """Compute ``1 − CE / H``, the share of the labels' entropy that is explained."""
    rows = np.flatnonzero(codes >= 0)
    sizes = np.bincount(codes[rows], minlength=probability.shape[1]) / len(rows)
    most = entr(sizes).sum()
    if most <= 0.0:
        return np.nan
    cross = -np.log(np.maximum(probability[rows, codes[rows]], 1e-300)).mean()
    return float(np.clip(1.0 - cross / most, 0.0, 1.0))


def short(label: Any) -> str:
    """Shorten a label for a picture."""
    return cut(printable(label), LONGEST)


def said(pair: AssessedPair) -> str:
    """Put the verdict on a pair and its depth into words."""
    if pair.verdict == TOGETHER and pair.depth >= DEEP:
        return f"{TOGETHER}: others connect them"
    depth = "" if np.isnan(pair.depth) else f", depth {pair.depth:.1f}"
    return f"{pair.verdict}{depth}".replace("-", "−")


def _few(words: Sequence[str]) -> list[str]:
    more = len(words) - MOST_LISTED
    return [*words[:MOST_LISTED], *([f"{more:,} more"] if more > 0 else [])]


def _listed(pairs: Sequence[AssessedPair], verdict: str) -> str:
    some = [f"{p.one} and {p.other}" for p in pairs if p.verdict == verdict]
    return ", ".join(_few(some))
