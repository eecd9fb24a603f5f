"""Sentences about a result that users should know before they use it."""

from collections.abc import Iterable, Mapping

import numpy as np

from incerta.api.novelty import from_which
from incerta.data.container import UncertainData
from incerta.data.guess.described import wants_logarithm
from incerta.data.projections import projected
from incerta.typing import Array, Ids, Indices
from incerta.views.consensus import View
from incerta.wording import capital, counted, given, joined, percent, printable, verb

# With fewer objects, tiny clusters and skewness are meaningless.
FEWEST = 20
# A crumb is a cluster of a single object or two, or of 1% of them, if that is less
# than a fifth of the mean size.
CRUMB, CRUMB_SHARE, PART_OF_MEAN = 2, 0.01, 0.2
MOST_CRUMBS = 3
MOST_NAMED = 8
# A view with a lower agreement with the result is reported as different.
SOMETHING_ELSE = 0.1
# A view with a higher weight decided the answer.
CARRIED = 0.5
VIEWS = {
    "mixture": "Gaussian clusters",
    "centers": "clusters around centers",
    "nearness": "clusters of near neighbors",
}
SPACES = {
    "means": "by the objects' means",
    "deviations": "by means and deviations",
    "laws": "by whole distributions",
}


def crumbs(ids: Ids, labels: Indices, finds_number: bool) -> list[str]:
    """Name the objects of tiny clusters.

    `finds_number` says whether the method can label objects as noise.
    """
    sizes = np.bincount(labels[labels >= 0])
    few = max(CRUMB, int(CRUMB_SHARE * len(labels)))
    n_clusters = max(len(sizes), 1)
    small = (sizes <= few) & (sizes < PART_OF_MEAN * len(labels) / n_clusters)
    found = np.flatnonzero(small & (sizes > 0))
    if len(labels) < FEWEST or len(found) == 0:
        return []
    wayout = f" Leave it out, or use {given(method='FDBSCAN')}, which has noise."
    wayout = "" if finds_number else wayout
    if len(found) > MOST_CRUMBS:
        low, high = sizes[found].min(), sizes[found].max()
        each = f"{low}" if low == high else f"{low} to {high}"
        which = named(ids[np.isin(labels, found)]) + f".{wayout}"
        return [f"{len(found)} clusters are tiny, of {each} objects each: {which}"]
    return [
        f"Cluster {c} is only {named(ids[labels == c])}: perhaps an outlier rather "
        f"than a cluster.{wayout}"
        for c in found
    ]


def in_views(n_objects: int, views: Mapping[str, View]) -> list[str]:
    """Say which view decided the answer, and which views differ from it."""
    if not views or n_objects < FEWEST:
        return []
    by_weight = sorted(views, key=lambda name: -views[name].weight)
    first = views[by_weight[0]]
    if first.weight > CARRIED:
        text = (
            f"The answer is mainly that of {in_words(by_weight[0])} (weight "
            f"{first.weight:.2f}): the true values explain {percent(first.score)} "
            "of their labels."
        )
    else:
        some = [name for name in by_weight if views[name].weight >= 0.5 * first.weight]
        what = "all views" if len(some) == len(views) else named(map(in_words, some))
        text = f"The answer is an average: {what} are about equally clear."
    sentences = [text]
    other = [name for name, view in views.items() if view.agreement < SOMETHING_ELSE]
    if other:
        what = named(map(in_words, other))
        share = named(f"{views[name].agreement:.2f}" for name in other)
        clear = named(percent(views[name].score) for name in other)
        sentences.append(
            f"{capital(what)} would group the objects quite differently (agreement "
            f"{share}); the true values explain {clear} of their labels."
        )
    return sentences


def in_words(name: str) -> str:
    """Return the kind of clusters of a view, such as "Gaussian clusters"."""
    view, _, space = name.partition(" of ")
    return f"{VIEWS[view]} {SPACES[space]}" if space else VIEWS[view]


def unlike(ids: Ids, novelty: Array) -> list[str]:
    """Name objects of a fit that are unlike all others, by their novelty."""
    which, least = by_novelty(novelty)
    if not (n := len(which)):
        return []
    return [
        f"{counted(n, 'object')} {verb(n, 'is', 'are')} unlike all others: "
        f"{named(ids[which])} ({least}). "
        f"{verb(n, 'Its label means', 'Their labels mean')} little."
    ]


def unlike_fit(ids: Ids, novelty: Array) -> list[str]:
    """Name new objects that are unlike those of the fit, by their novelty."""
    which, least = by_novelty(novelty)
    if not (n := len(which)):
        return []
    return [
        f"{n:,} of {counted(len(ids), 'new object')} {verb(n, 'is', 'are')} unlike "
        f"those of the fit ({least}): {named(ids[which])}; "
        f"{verb(n, 'its label means', 'their labels mean')} little."
    ]


def by_novelty(novelty: Array) -> tuple[Indices, str]:
    """Return objects called unlike others, the most novel first, and the threshold."""
    which = np.flatnonzero(novelty >= from_which(len(novelty)))
    which = which[np.argsort(-novelty[which], kind="stable")]
    more = verb(len(which), "", " or more")
    least = novelty[which].min(initial=np.inf)
    return which, f"novelty {least:.1f}{more}; 3 is 1 in 1,000"


def named(names: Iterable[object]) -> str:
    """List a few objects: "a", "a and b", "a, b and 12 more"."""
    ids = list(names)
    first = [printable(one) for one in ids[:MOST_NAMED]]
    more = len(ids) - len(first)
    return joined([*first, f"{more:,} more"] if more else first)


def skewed(data: UncertainData) -> str | None:
    """Propose logarithms of features that are strongly skewed, if there are any."""
    if len(data) < FEWEST or projected(data.law) is not None:
        return None
    columns = zip(data.feature_names, data.mean().T, strict=True)
    names = [name for name, values in columns if wants_logarithm(values)]
    if not names:
        return None
    log = given(log=names[0] if len(names) == 1 else names)
    return (
        f"{named(names)} {verb(len(names), 'is', 'are')} strongly skewed: a few large "
        f"values dominate all distances. Try {log} when the table is read."
    )
