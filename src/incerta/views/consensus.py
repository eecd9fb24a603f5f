"""Combine all views into one answer, weighted by how well each describes the data."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np
from scipy.optimize import linear_sum_assignment
from sklearn.metrics import adjusted_rand_score, normalized_mutual_info_score

from incerta import settings
from incerta.backend.progress import track
from incerta.data.container import UncertainData
from incerta.known import kept, n_named
from incerta.labels import numbered
from incerta.mixture.fitting import Effort
from incerta.mixture.model import Measured
from incerta.models.registry import stored
from incerta.typing import Array, Indices
from incerta.views.judge import judged
from incerta.views.look import ALL, MIXTURE, Seen, Work, seen
from incerta.views.truths import Measurements, Truths

# Rounds of matching clusters across worlds; the mean they are matched to sharpens.
ROUNDS = 3


def named_after(membership: Array, reference: Array, n_named: int = 0) -> Indices:
    """Match k clusters to those of a reference (n, k); the first `n_named` stay."""
    common = membership.T @ reference
    keep = np.arange(n_named)
    common[keep, keep] += 1.0 + len(membership)
    names: Indices = linear_sum_assignment(-common)[1]
    return names


def renamed(membership: Array, reference: Array, n_named: int = 0) -> Array:
    """Reorder the columns of a membership to match a reference."""
    return membership[:, np.argsort(named_after(membership, reference, n_named))]


def in_one_naming(labels: Indices, first: Indices, k: int, n_named: int = 0) -> Indices:
    """Match the labels of all worlds, (n_worlds, n), to `first`, then to their mean."""
    one = np.eye(k)
    reference = one[first]
    for _ in range(ROUNDS):
        labels = np.array(
            [named_after(one[row], reference, n_named)[row] for row in labels]
        )
        reference = one[labels].mean(axis=0)
    return labels


def stability(labels: Indices) -> float:
    """Return the mean adjusted Rand index between each world and the next."""
    if len(labels) < 2:
        return 1.0
    others = np.roll(labels, -1, axis=0)
    return float(np.mean([*map(adjusted_rand_score, labels, others)]))


def balance(labels: Indices, k: int) -> float:
    """Return ``log(m) / log(k)``, where m counts clusters and tiny ones only in part.

    It lowers the score of a view that leaves a cluster empty or spends it on a few
    outliers. A cluster counts in full if it holds at least 4% of the objects, or a
    quarter of the mean cluster size if there are many clusters.
    """
    if k < 2:
        return 1.0
    sizes = np.bincount(labels, minlength=k) / len(labels)
    in_full = min(settings.FULL_SHARE, settings.FULL_PART_OF_MEAN / k)
    return float(np.log(np.minimum(sizes / in_full, 1.0).sum()) / np.log(k))


def led_by(membership: Array, labels: Indices) -> Array:
    """Raise the probability of each label just enough to make it the largest."""
    rows = np.arange(len(labels))
    lacks = membership.max(axis=1) - membership[rows, labels]
    more = (lacks / (1.0 + lacks))[:, None]
    return (1.0 - more) * membership + more * np.eye(membership.shape[1])[labels]


AT_FIRST = Work(("diag", "full"), 10, Effort())
OF_ONE_SHAPE = AT_FIRST._replace(covariances=("diag", "full", "tied"))
# Start from scratch: with starts from the given data, worlds would agree too often. And
# start often: a search that fails now and then would pass for an unstable clustering.
IN_WORLDS = Work((), 5, Effort(n_init=8, tol=1e-4, max_iter=100))


@stored()
@dataclass(frozen=True, kw_only=True)
class View:
    """How well one view describes the data, and how much it counts."""

    score: float  # how well true values predict its labels, from 0 to 1
    stability: float  # mean agreement of its clusterings of worlds, at most 1
    weight: float  # of its memberships; all weights together are 1
    agreement: float  # of its labels with the result (normalized mutual information)


@dataclass(frozen=True, kw_only=True)
class Consensus:
    """The combined membership, and the contributions of the views."""

    membership: Array  # (n, k)
    judged: Measured  # where views were judged
    views: dict[str, View]
    memberships: dict[str, Array]  # of each view, with common names
    per_world: Indices | None  # (n_worlds, n), from the view with the largest weight


def consensus(
    data: UncertainData,
    truths: Truths,
    k: int,
    n_worlds: int,
    seed: int,
    known: Indices | None = None,
    wanted: Collection[str] = ALL,
    one_shape: bool = False,
) -> Consensus:
    """Cluster the objects in every view, judge the views, and average memberships.

    With `one_shape`, the mixture may use one covariance for all clusters (BIC).
    """
    look, one, named = truths.as_given(data), np.eye(k), n_named(known)
    some = look.judged
    first = seen(look, k, OF_ONE_SHAPE if one_shape else AT_FIRST, seed, known, wanted)
    if not first.labels:
        msg = f"views={[*wanted]}: these data have none of these; leave views out."
        raise ValueError(msg)
    judge = _once(lambda labels: judged(some, labels, k, seed))
    labels, worlds, found = {}, {}, {}
    for name, row in first.labels.items():
        row = kept(row, known)
        labels[name] = np.argsort(numbered(row, k, named))[row]
    exact = k == 1 or truths.certain(data)
    several = [] if exact else _in_worlds(data, truths, first, k, n_worlds, seed, known)
    scores, stable, decided = {}, dict.fromkeys(labels, 1.0), dict(labels)
    for name, row in labels.items():
        if not several:
            scores[name], by_laws = judge(row)
            found[name] = first.shares if name == MIXTURE else led_by(by_laws, row)
            continue
        rows = np.array([world.labels[name] for world in several])
        stable[name] = stability(rows)
        worlds[name] = in_one_naming(rows, row, k, named)
        shares = one[worlds[name]].mean(axis=0)
        if name != MIXTURE:
            # Worlds account for errors; cluster laws account for overlap.
            decided[name] = most = shares.argmax(axis=1)
            scores[name], by_laws = judge(most)
            found[name] = (shares + led_by(by_laws, most)) / 2.0
            continue
        scores[name], found[name] = judge(row).score, first.shares
        if not isinstance(truths, Measurements):
            each = [renamed(world.shares, shares, named) for world in several]
            found[name] = np.mean(each, axis=0)
    clear = [scores[name] * balance(decided[name], k) for name in found]
    worth = np.array(clear) + settings.STABLE * np.array(
        [stable[name] for name in found]
    )
    weights = np.exp(settings.SHARPNESS * (worth - worth.max()))
    weights /= weights.sum()
    leading = list(found)[int(worth.argmax())]
    found = {name: renamed(own, found[leading], named) for name, own in found.items()}
    membership = sum(w * own for w, own in zip(weights, found.values(), strict=True))
    weight = dict(zip(found, weights.tolist(), strict=True))
    result = membership.argmax(axis=1)
    views = {
        name: View(
            score=scores[name],
            stability=stable[name],
            weight=weight[name],
            agreement=float(normalized_mutual_info_score(row, result)),
        )
        for name, row in labels.items()
    }
    return Consensus(
        membership=membership,
        judged=some,
        views=views,
        memberships=found,
        per_world=worlds.get(leading),
    )


def _once(ask: Callable[[Indices], Any]) -> Callable[[Indices], Any]:
    """Cache a function of labels: several views may find the same ones."""
    known: dict[bytes, Any] = {}

    def asked(labels: Indices) -> Any:
        key = labels.tobytes()
        if key not in known:
            known[key] = ask(labels)
        return known[key]

    return asked


def _in_worlds(
    data: UncertainData,
    truths: Truths,
    first: Seen,
    k: int,
    n_worlds: int,
    seed: int,
    known: Indices | None,
) -> list[Seen]:
    """Cluster every possible world in every view."""
    sources: list[Truths] = [truths]
    if isinstance(truths, Measurements):
        sources = [*truths.with_mixtures(data, first.mixture, seed)]
    sizes = map(len, np.array_split(range(n_worlds), len(sources)))
    looks = chain.from_iterable(
        source.possible(data, n, own)
        for own, (source, n) in enumerate(zip(sources, sizes, strict=True), seed)
        if n
    )
    work = IN_WORLDS._replace(covariances=(first.mixture.kind,))
    steps, found = track(n_worlds, "worlds"), []
    for own, look in enumerate(looks, seed + 1):
        found.append(seen(look, k, work, own, known, tuple(first.labels)))
        next(steps, None)
    return found
