"""`summarize`: a clustering as a plain dict, from which the page is made."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from inspect import signature
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.optimize import linear_sum_assignment
from sklearn.base import BaseEstimator
from sklearn.metrics import adjusted_rand_score

from incerta.api import comparison
from incerta.api.clustering import Clustering, conditional
from incerta.api.methods import asked, parameters_of
from incerta.data.meaning import certain, of_errors
from incerta.data.reliability import Reliability, reliability
from incerta.estimators.named import IN_WORLDS, KMEANS
from incerta.mixture.deconvolver import located
from incerta.plot.bars import MOST_BARS, highest_bars
from incerta.plot.frame import limits, separating_features
from incerta.plot.worlds import classical_scaling
from incerta.report.plain import (
    distinct,
    name,
    number,
    numbers,
    significant,
    text,
)
from incerta.typing import Array, Indices
from incerta.wording import SURE, counted, joined, no_confidence, percent, share, verb

if TYPE_CHECKING:
    from incerta.data.container import UncertainData
    from incerta.number.choose import NumberOfClusters

FORMAT = 1
LEAST_CERTAIN = 10
MOST_PAIRS = 5
N_BINS = 10
MOST_DOTS = 300  # objects in a small picture
# A map of more worlds takes long, and shows nothing new.
MOST_MAPPED = 1000
MOST_FAILURES = 10
# With more clusters, sizes are not listed one by one.
_FEW_CLUSTERS = 8
MOST_ROWS = 5000
LEAST_CERTAIN_ROWS = 1000
# Up to this many objects are drawn one by one. More are counted in a grid, and the
# least certain ones are drawn on it.
MOST_POINTS = 3000
MOST_UNSURE = 1000
# Ellipses are drawn for this many of the least certain objects.
MOST_ELLIPSES = 1000
MOST_FEATURES = 50
# Features of the picture; the page holds their covariances for all pairs.
MOST_AXES = 6
# Cells of the grid.
COLUMNS, ROWS = 60, 40
# Names of features in a comment.
MOST_NAMES = 8


def summarize(result: Clustering) -> dict[str, Any]:
    """Summarize a result as plain values, ready for JSON.

    Parameters
    ----------
    result : Clustering
        The result of `incerta.cluster`.

    Returns
    -------
    dict
        With the entries below. Numbers that are not finite are None, texts are cut at
        1000 characters, and clusters are numbered as in ``labels``; −1 is noise.

        - ``format``: version of this layout;
        - ``sentences``: the result in words;
        - ``data``: n_objects, n_features, kind, joint, exact, feature_names (of more
          than 50 features, those in which the clusters differ most),
          relative_uncertainty, meaning, reliability (None unless the uncertainty is an
          error);
        - ``directions``: per direction its name, share of the true variance, and the
          features that vary most with it, with their correlations; empty if objects
          were compared in the features;
        - ``method``: name, reasons, parameters, scaled, seed;
        - ``n_noise``; ``clusters``: per cluster its size, share, confidence, n_unsure,
          typical object, and per feature mean, spread, error;
        - ``confidence``: not_applicable (the reason, or None), mean, median, threshold,
          n_unsure, unsure_between (pairs of clusters), histogram;
        - ``objects``: rows of the table by columns (position, id, cluster, confidence,
          runner_up, runner_up_probability, label_set, noise, reliability if there
          are errors, k_means: the cluster by k-means on the values, if there are two
          or more), and how many objects there are;
        - ``k_means``: ari, n_changed, n_changed_unsure and sizes of k-means on the
          values with the same number of clusters; None for one cluster;
        - ``least_certain``: the least certain objects, by rows;
        - ``worlds``, ``choice``, ``alternatives``, ``objective``, ``reachability``:
          None if there is none;
        - ``warnings``, ``versions``, ``reproduce`` (command, python).

    Notes
    -----
    It takes one pass over the objects, and k-means on their means. The size is bounded:
    of more than 5000 objects, the 1000 least certain and an evenly spaced selection of
    the others are listed.

    Examples
    --------
    >>> import incerta as ic
    >>> from incerta.report import summarize
    >>> data, _ = ic.datasets.make_uncertain_blobs(60, 2, 3, random_state=0)
    >>> summary = summarize(ic.cluster(data, k=3, method="UKMeans"))
    >>> summary["sentences"][0]
    'UKMeans found 3 clusters among 60 objects with 2 features: they have 20
    objects each.'
    """
    data, labels, confidence = result.data, result.labels, result.confidence
    rows = shown_objects(confidence, MOST_ROWS, LEAST_CERTAIN_ROWS)
    order = np.argsort(confidence, kind="stable")[:LEAST_CERTAIN]
    errors = reliability(data) if of_errors(data) else None
    features = features_shown(result)
    other = on_values(result)
    least = _columns(result, order, errors, other)
    facts = result.estimator._facts()
    history, reachability = facts.objective, None
    if facts.reachability is not None:
        reached, ranking, cut = facts.reachability
        heights, owners = highest_bars(reached[ranking], labels[ranking], MOST_BARS)
        reachability = {
            "reachability": numbers(heights),
            "cluster": owners.tolist(),
            "cut": None if cut is None else number(cut),
        }
    summary: dict[str, Any] = {
        "format": FORMAT,
        "data": {
            "n_objects": len(data),
            "n_features": data.n_features,
            "kind": text(data.kind),
            "joint": data.joint,
            "exact": certain(data),
            "feature_names": [text(data.feature_names[j]) for j in features],
            "relative_uncertainty": numbers(data.relative_uncertainty()[features]),
            "meaning": data.meaning,
            "reliability": None
            if errors is None
            else numbers(errors.features[features]),
        },
        "directions": [
            {
                "name": each.name,
                "share": number(each.share),
                "features": [
                    {"name": text(feature), "correlation": number(correlation)}
                    for feature, correlation in each.features
                ],
            }
            for each in (result.directions.described() if result.directions else ())
        ],
        "method": {
            "name": text(result.method),
            "reasons": [text(reason) for reason in result.reasons],
            "parameters": {
                text(key): text(repr(value), 200)
                for key, value in result.parameters.items()
            },
            "scaled": result.scaler is not None,
            "seed": int(result.seed),
        },
        "n_noise": int((labels < 0).sum()),
        "clusters": _clusters(result, features),
        "confidence": {
            "not_applicable": result.no_confidence_reason,
            **_confidence(labels, confidence, result.runner_up),
        },
        "objects": {
            "n_objects": len(labels),
            "n_least_certain": min(len(labels), LEAST_CERTAIN_ROWS),
            **_columns(result, rows, errors, other),
        },
        "k_means": compared(result, other, SURE),
        "least_certain": [
            dict(zip(least, row, strict=True))
            for row in zip(*least.values(), strict=True)
        ],
        "worlds": world_facts(result.estimator, labels),
        "choice": None if result.choice is None else _choice(result.choice),
        "alternatives": alternatives(result),
        "objective": None if history is None or len(history) < 2 else numbers(history),
        "reachability": reachability,
        "warnings": [text(warning) for warning in result.warnings],
        "versions": {key: text(value) for key, value in result.versions.items()},
        "reproduce": {
            "command": None if result.command is None else text(result.command, 10_000),
            "python": python_of(result),
        },
    }
    return {"sentences": sentences(summary), **summary}


def _clusters(result: Clustering, features: Indices) -> list[dict[str, Any]]:
    if result.n_clusters == 0:
        return []
    profile, labels = result.profile(), result.labels
    typical = result.ids[result.typical()].tolist()
    unsure = np.bincount(
        labels[(labels >= 0) & (result.confidence < SURE)], minlength=len(profile.size)
    )
    return [
        {
            "cluster": c,
            "size": int(profile.size[c]),
            "share": float(profile.size[c] / len(labels)),
            "confidence": number(profile.confidence[c]),
            "n_unsure": int(unsure[c]),
            "typical": name(typical[c]),
            "mean": numbers(profile.mean[c][features]),
            "spread": numbers(profile.spread[c][features]),
            "error": numbers(profile.error[c][features]),
        }
        for c in range(len(profile.size))
    ]


def _confidence(
    labels: Indices, confidence: Array, runner_up: Indices
) -> dict[str, Any]:
    unsure = confidence < SURE
    pairs = np.sort(np.column_stack([labels, runner_up])[unsure], axis=1)
    found, counts = np.unique(pairs, axis=0, return_counts=True)
    # Leave out noise without a runner-up, which is −1, too.
    different = found[:, 0] != found[:, 1]
    found, counts = found[different], counts[different]
    order = np.argsort(-counts, kind="stable")[:MOST_PAIRS]
    # Shares of worlds lie on the edges of bins, up to the last bit.
    known = confidence[~np.isnan(confidence)]
    bins = np.clip((known * N_BINS + 1e-9).astype(np.intp), 0, N_BINS - 1)
    return {
        "mean": number(confidence.mean()),
        "median": number(float(np.median(confidence))),
        "threshold": SURE,
        "n_unsure": int(unsure.sum()),
        "unsure_between": [
            {"clusters": found[i].tolist(), "n_objects": int(counts[i])} for i in order
        ],
        "histogram": np.bincount(bins, minlength=N_BINS).tolist(),
    }


def _columns(
    result: Clustering,
    rows: Indices,
    errors: Reliability | None,
    other: Indices | None,
) -> dict[str, list[Any]]:
    """Return some objects by columns."""
    sets = result.label_sets()
    runner_up = result.runner_up[rows]
    # The last column is for noise, number −1.
    chances = np.column_stack([result.membership[rows], result.noise[rows]])
    columns = {
        "position": rows.tolist(),
        "id": [name(one) for one in result.ids[rows].tolist()],
        "cluster": result.labels[rows].tolist(),
        "confidence": numbers(result.confidence[rows]),
        "runner_up": runner_up.tolist(),
        "runner_up_probability": numbers(
            np.where(
                runner_up == result.labels[rows],
                0.0,
                chances[np.arange(len(rows)), runner_up],
            )
        ),
        "label_set": [label_set_in_words(sets[i]) for i in rows],
        "noise": numbers(result.noise[rows]),
    }
    if errors is not None:
        columns["reliability"] = numbers(errors.objects[rows])
    if other is not None:
        columns["k_means"] = other[rows].tolist()
    return columns


def _choice(choice: NumberOfClusters) -> dict[str, Any]:
    n = choice.n_tried
    low, usual, high = choice.reference_quantiles([0.05, 0.5, 0.95])[:, :n]
    return {
        "sentences": choice.sentences(),
        "k": int(choice.k),
        "plausibility": number(choice.weight),
        "runner_up": choice.runner_up,
        "tried": [int(k) for k in choice.ks[:n]],
        "weight": numbers(choice.weights[:n]),
        "gain": numbers(choice.scores[:n]),
        "reference_low": numbers(low),
        "reference_median": numbers(usual),
        "reference_high": numbers(high),
        "p_one": numbers([choice.p_one])[0],
        "alpha": float(choice.alpha),
    }


def on_values(result: Clustering) -> Indices | None:
    """Return labels by k-means on the means, scaled as for the estimator.

    Clusters are matched one to one with those of `result` by common objects, and take
    their numbers. Return None for fewer than two clusters.
    """
    k = result.n_clusters
    if k < 2:
        return None
    values = comparison.filled_means(result.data)
    if result.scaler is not None:
        values = (values - result.scaler.center_) / result.scaler.scale_
    labels = comparison.on_values(KMEANS, values, k, result.seed)
    return renumbered(labels, result.labels)


def renumbered(labels: Indices, like: Indices) -> Indices:
    """Renumber clusters by those in `like` with which they share most objects.

    Remaining clusters get numbers that `like` does not have; −1 stays noise.
    """
    both = (labels >= 0) & (like >= 0)
    k = int(max(labels.max(), like.max())) + 1
    overlap = np.zeros((k, k), dtype=np.intp)
    np.add.at(overlap, (labels[both], like[both]), 1)
    numbers = linear_sum_assignment(overlap, maximize=True)[1]
    return np.where(labels >= 0, numbers[labels], -1)


def compared(result: Clustering, other: Indices | None, sure: float) -> Any:
    """Compare other labels with those of the result."""
    if other is None:
        return None
    changed = other != result.labels
    return {
        "ari": float(adjusted_rand_score(result.labels, other)),
        "n_changed": int(changed.sum()),
        "n_changed_unsure": int((changed & (result.confidence < sure)).sum()),
        "sizes": np.bincount(other, minlength=result.n_clusters).tolist(),
    }


def alternatives(result: Clustering) -> dict[str, Any] | None:
    """Return other plausible clusterings, and data for small pictures of them.

    ``x`` and ``y`` are positions of some objects from 0 to 100, and ``here`` their
    clusters in the result. Return None if there are no alternatives.
    """
    found = result.alternatives()
    if not found:
        return None
    data, labels = result.shown, result.labels
    n, means = len(labels), data.mean()
    pair = _by_separation(data, result)[:2]
    rows = np.linspace(0, n - 1, min(n, MOST_DOTS)).astype(np.intp)
    # A single feature is drawn against the position in the data.
    places = np.column_stack([means[:, pair], np.arange(float(n))])
    low, high = limits(places)
    places = 100.0 * (places - low) / np.where(high > low, high - low, 1.0)
    places = np.clip(places, 0.0, 100.0)[rows].round(1)
    return {
        "axes": [text(data.feature_names[j]) for j in pair],
        "x": numbers(places[:, 0]),
        "y": numbers(places[:, 1]),
        "here": labels[rows].tolist(),
        "found": [
            {
                "weight": number(each.weight),
                "what": text(each.what),
                "sizes": np.bincount(own[own >= 0]).tolist(),
                "cluster": own[rows].tolist(),
            }
            for each in found
            for own in [renumbered(each.clustering.labels, labels)]
        ],
    }


def world_facts(estimator: Any, labels: Indices) -> dict[str, Any] | None:
    """Return the number of worlds, their agreement, and the kept ones.

    Return None if the method does not cluster single worlds.
    """
    facts = estimator._facts()
    per_world, kept = facts.labels_per_world, facts.kept
    if per_world is None:
        return None
    agreement = (per_world == labels).mean(axis=1)
    divergences, representatives, places = facts.divergences, [], None
    if kept is not None:
        stands_for: list[int | None] = [None] * len(kept)
        if divergences is not None:
            nearest = divergences[:, kept].argmin(axis=1)
            stands_for = np.bincount(nearest, minlength=len(kept)).tolist()
        names = ("world", "stands_for", "agreement")
        rows = zip(kept.tolist(), stands_for, agreement.tolist(), strict=True)
        representatives = [dict(zip(names, row, strict=True)) for row in rows]
        if divergences is not None and 3 <= len(divergences) <= MOST_MAPPED:
            at, shown = classical_scaling(divergences)
            x, y = numbers(at[:, 0]), numbers(at[:, 1])
            places = {"x": x, "y": y, "kept": kept.tolist(), "shown": numbers(shown)}
    return {
        "n_drawn": facts.n_drawn,
        "n_clustered": len(per_world),
        "agreement": numbers(agreement),
        "stability": None if facts.stability is None else number(facts.stability),
        "representatives": representatives,
        "map": places,
        "alternatives": [
            {
                "world": int(world),
                "probability": number(share),
                "n_clusters": int(found.max()) + 1,
            }
            for world, share, found in facts.alternatives
        ],
        "n_failures": len(facts.failures),
        "failures": [
            {"world": int(world), "what": text(what)}
            for world, what in list(facts.failures.items())[:MOST_FAILURES]
        ],
    }


def sentences(summary: dict[str, Any]) -> list[str]:
    """Describe the result and its confidence in plain words."""
    data, confidence = summary["data"], summary["confidence"]
    n, n_noise, choice = data["n_objects"], summary["n_noise"], summary["choice"]
    lines = [_clusters_in_words(summary)]
    if n_noise:
        belong = verb(n_noise, "belongs", "belong")
        noise = f"{counted(n_noise, 'object')} ({percent(n_noise / n)})"
        lines.append(f"{noise} {belong} to no cluster: noise.")
    if confidence["not_applicable"] is not None:
        lines.append(no_confidence(confidence["not_applicable"]))
    else:
        lines.append(_confidence_in_words(n, confidence))
        if choice is not None:
            lines.append(conditional(choice["k"], choice["plausibility"]))
        between = confidence["unsure_between"][:1]
        if between and (many := between[0]["n_objects"]) > 1:
            first, second = (
                "noise" if c < 0 else f"cluster {c}" for c in between[0]["clusters"]
            )
            lines.append(
                "Most often it is unclear whether an object belongs to "
                f"{first} or to {second} ({counted(many, 'object')})."
            )
    if data["exact"] or n == 1:  # errors cannot be compared with anything
        return lines
    return lines + (_uncertainty if data["reliability"] is None else _reliability)(data)


def label_set_in_words(clusters: tuple[int, ...]) -> str:
    """Write a label set in words: "2", "2 or 0", "2, 0 or noise"."""
    return joined(["noise" if c < 0 else str(c) for c in clusters], "or")


def _clusters_in_words(summary: dict[str, Any]) -> str:
    data, who = summary["data"], summary["method"]["name"]
    objects = counted(data["n_objects"], "object")
    of = f"{objects} with {counted(data['n_features'], 'feature')}"
    sizes = [cluster["size"] for cluster in summary["clusters"]]
    if not sizes:
        return f"{who} found no cluster among {of}."
    if len(sizes) == 1:
        how = f"it has {counted(sizes[0], 'object')}"
    elif len(set(sizes)) == 1:
        how = f"they have {counted(sizes[0], 'object')} each"
    elif len(sizes) <= _FEW_CLUSTERS:
        how = f"they have {joined([f'{size:,}' for size in sizes])} objects"
    else:
        how = f"they have {min(sizes):,} to {max(sizes):,} objects"
    return f"{who} found {counted(len(sizes), 'cluster')} among {of}: {how}."


def _confidence_in_words(n: int, confidence: dict[str, Any]) -> str:
    bound, n_sure = confidence["threshold"], n - confidence["n_unsure"]
    mean = f"A label has a probability of {share(confidence['mean'])} on average"
    if n_sure == n:
        return f"{mean}. For every object it is at least {bound:g}."
    others = "label" if n - n_sure == 1 else f"{n - n_sure:,} labels"
    return (
        f"{mean}. For {counted(n_sure, 'object')} ({percent(n_sure / n)}) it is at "
        f"least {bound:g}; the other {others} should not be relied on."
    )


def _reliability(data: dict[str, Any]) -> list[str]:
    shares = dict(zip(data["feature_names"], data["reliability"], strict=True))
    worst = min(shares, key=shares.__getitem__)
    which = worst if len(shares) == 1 else f"{worst}, the least reliable feature"
    return [
        f"Values are measurements with errors. Of the variance of {which}, "
        f"{percent(shares[worst])} is not error."
    ]


def _uncertainty(data: dict[str, Any]) -> list[str]:
    pairs = zip(data["feature_names"], data["relative_uncertainty"], strict=True)
    ratios = {feature: ratio for feature, ratio in pairs if ratio is not None}
    if not ratios:
        return []
    worst = max(ratios, key=ratios.__getitem__)
    which = f"The most uncertain feature is {worst}: its uncertainty"
    if len(ratios) == 1:
        which = f"The uncertainty of {worst}"
    text = f"{which} is {ratios[worst]:.2g} times the spread between objects."
    # Joint values move together, so objects may differ in every world.
    if ratios[worst] > 1 and not data["joint"]:
        text += " Above 1, single values say little about where an object belongs."
    return [text]


def shown_objects(confidence: Array, most: int, least_certain: int) -> Indices:
    """Return positions of all objects, or the least certain and some of the rest."""
    n = len(confidence)
    if n <= most:
        return np.arange(n)
    order = np.argsort(confidence, kind="stable")
    rest = np.sort(order[least_certain:])
    even = np.linspace(0, len(rest) - 1, most - least_certain)
    return np.sort(np.concatenate([order[:least_certain], rest[even.astype(np.intp)]]))


def features_shown(result: Clustering) -> Indices:
    """Return the features for the tables: those in which clusters differ most."""
    d = result.data.n_features
    if d <= MOST_FEATURES:
        return np.arange(d)
    return np.sort(_by_separation(located(result.data), result)[:MOST_FEATURES])


def _by_separation(data: UncertainData, result: Clustering) -> Indices:
    """Return all features, the two to look at first."""
    return separating_features(data.mean(), data.variance(), result.membership)


def picture(result: Clustering) -> dict[str, Any]:
    """Return the contents of the scatter plot: means, and covariances for the ellipses.

    The last of ``axes`` is the confidence or, without one, the position in the data.
    ``limits`` are the ends of the axes. The least certain objects come last, on top;
    the last ``n_ellipses`` of them have covariances per pair of features ``"i,j"``, i ≤
    j. With more than 3000 objects, only those that lie far out and at most 1000 with an
    unsure label are listed; the grid counts the others.
    """
    labels, confidence = result.labels, result.confidence
    known = result.no_confidence_reason is None
    data = result.shown
    best = _by_separation(data, result)[:MOST_AXES]
    offered = np.sort(best)
    # A single feature is drawn against the axis after it.
    first = np.searchsorted(offered, best[:2]).tolist() if len(best) > 1 else [0, 1]
    last = confidence if known else np.arange(1.0, len(labels) + 1)
    means, many = data.mean()[:, offered], len(labels) > MOST_POINTS
    values = np.vstack([means.T, last])
    bars = 0.0 if many else np.sqrt(data.variance()[:, offered])
    ends = np.nanmin(last), np.nanmax(last)  # these values cannot lie far out
    ranges = np.vstack([limits(means, bars).T, ends])
    rows, grid = np.arange(len(labels)), None
    if many:
        grid = grid_of(values, labels, ranges)
        rows = np.union1d(beyond(values, ranges), _unsure(confidence))
    rows = rows[_drawing_order(labels, confidence)[rows].argsort()]
    n_ellipses = 0 if data.exact else min(len(rows), MOST_ELLIPSES)
    covariances = {}
    if n_ellipses:
        outlined = data[rows[-n_ellipses:]].select(offered.tolist()).covariance()
        covariances = {
            f"{i},{j}": numbers(significant(outlined[:, i, j]))
            for i in range(len(offered))
            for j in range(i, len(offered))
        }
    codes, sizes = np.unique(labels, return_counts=True)
    return {
        "axes": [
            *(text(data.feature_names[i]) for i in offered),
            "confidence" if known else "position in the data",
        ],
        "first": first,
        "limits": numbers(ranges),
        "values": [numbers(distinct(column[rows])) for column in values],
        "covariances": covariances,
        "position": rows.tolist(),
        "id": [name(one) for one in result.ids[rows].tolist()],
        "cluster": labels[rows].tolist(),
        "confidence": numbers(confidence[rows]),
        "n_objects": len(labels),
        "n_ellipses": n_ellipses,
        "sizes": {
            str(code): int(size) for code, size in zip(codes, sizes, strict=True)
        },
        "threshold": SURE,
        "grid": grid,
    }


def _unsure(confidence: Array) -> Indices:
    """Return the objects whose labels are not sure, or the least certain of them."""
    least = np.argsort(confidence, kind="stable")[:MOST_UNSURE]
    return least[confidence[least] < SURE]


def _drawing_order(labels: Indices, confidence: Array) -> Indices:
    """Rank objects: the least certain last and, among equals, small clusters."""
    sizes = np.bincount(labels + 1)[labels + 1]
    order = np.lexsort((-sizes, -np.nan_to_num(confidence, nan=1.0)))
    rank = np.empty(len(order), dtype=np.intp)
    rank[order] = np.arange(len(order))
    return rank


def beyond(values: Array, ranges: Array) -> Indices:
    """Return the positions of objects outside the range of an axis."""
    low, high = ranges.T
    return np.flatnonzero(
        ((values < low[:, None]) | (values > high[:, None])).any(axis=0)
    )


def grid_of(values: Array, labels: Indices, ranges: Array) -> dict[str, Any]:
    """Count the objects of each cluster in cells, for each pair of axes ``"i,j"``.

    ``cells`` has three lists: cell (column × rows + row), cluster and count.
    ``without`` is the number of objects without a value. Objects out of range are not
    counted.
    """
    low, high = ranges.T
    width = np.where(high > low, high - low, 1.0)
    inside = (values >= low[:, None]) & (values <= high[:, None])
    shares = np.where(inside, (values - low[:, None]) / width[:, None], 0.0)
    across, up = (
        np.minimum((shares * n).astype(np.intp), n - 1) for n in (COLUMNS, ROWS)
    )
    cells, without = {}, {}
    for i, j in combinations(range(len(values)), 2):
        both = inside[i] & inside[j]
        cell = across[i, both] * ROWS + up[j, both]
        keys, counts = np.unique(
            cell * (labels.max() + 2) + labels[both] + 1, return_counts=True
        )
        cell, label = np.divmod(keys, labels.max() + 2)
        without[f"{i},{j}"] = int(np.isnan(values[[i, j]]).any(axis=0).sum())
        cells[f"{i},{j}"] = [cell.tolist(), (label - 1).tolist(), counts.tolist()]
    return {
        "columns": COLUMNS,
        "rows": ROWS,
        "ranges": numbers(ranges),
        "cells": cells,
        "without": without,
    }


def python_of(result: Clustering) -> str:
    """Write code that repeats the clustering; comments name anything else."""
    named = result.method in IN_WORLDS
    changed = _in_worlds(result) if named else _own(result)
    given = {name: value for name, value in changed.items() if _is_code(value)}
    method = repr(result.method)
    if not named:
        name = type(result.estimator).__name__
        inside = ", ".join(f"{key}={_shown(value)}" for key, value in given.items())
        method = f"ic.{name}({inside})" if given else repr(name)
    directions = None if result.directions is None else result.directions.n_directions
    params = [f"{key!r}: {_shown(value)}" for key, value in given.items()]
    arguments = [
        "data",
        *_number(result, named),
        f"method={method}",
        *([f"params={{{', '.join(params)}}}"] if named and params else []),
        f"random_state={int(result.seed)}",
        *(["scale=False"] if result.scaler is None else []),
        *([] if directions == "auto" else [f"directions={directions!r}"]),
    ]
    data = result.data
    if result.spec is None or result.file is None:
        what = f"the {len(data):,} objects that were given to ic.cluster"
        names = [text(each, 40) for each in data.feature_names[:MOST_NAMES]]
        more = ", ..." if data.n_features > MOST_NAMES else ""
        reading = [
            f"# data: {what}, with the",
            f"# features {', '.join(map(repr, names))}{more} ({text(data.kind, 100)}).",
            '# If this result was saved, data = ic.load("run.incerta").data has them.',
        ]
    elif result.file != "-":
        reading = [f"data = {result.spec.to_python(result.file)}"]
    else:
        call = result.spec.to_python("stdin.csv")
        reading = ["# stdin.csv: the table from stdin.", f"data = {call}"]
    lines = [
        "import incerta as ic",
        *sorted({line for value in given.values() for line in _imports(value)}),
        "",
        *reading,
        *(
            f"# The method also had {name}={text(' '.join(ascii(value).split()), 100)}."
            for name, value in changed.items()
            if name not in given
        ),
        f"result = ic.cluster({', '.join(arguments)})",
    ]
    return "\n".join(lines)


def _number(result: Clustering, named: bool) -> list[str]:
    """Return the argument k, if the number of clusters was given."""
    wanted = result.parameters.get(result.estimator._number_parameter)
    if named and not asked(result.method).numbers:
        return []
    known = result.choice is None and isinstance(wanted, (int, np.integer))
    return [f"k={wanted}"] if known else []


def _in_worlds(result: Clustering) -> dict[str, Any]:
    """Return the changed parameters of a scikit-learn clusterer in every world."""
    usual = asked(result.method)
    before, now = usual.estimator.get_params(), result.estimator.get_params()
    return {
        name: now[full]
        for name, full in parameters_of(usual).items()
        if full in now and repr(now[full]) != repr(before[full])
    }


def _own(result: Clustering) -> dict[str, Any]:
    """Return the changed parameters of an estimator of this library."""
    usual: Mapping[str, Any] = signature(type(result.estimator)).parameters
    return {
        key: value
        for key, value in result.parameters.items()
        if key not in (result.estimator._number_parameter, "random_state")
        and repr(value) != repr(usual[key].default)
    }


def _is_code(value: Any) -> bool:
    """Return whether a value can be written as code."""
    if isinstance(value, BaseEstimator):
        return all(map(_is_code, value.get_params(deep=False).values()))
    if isinstance(value, (list, tuple)):
        return all(map(_is_code, value))
    try:
        ast.literal_eval(_shown(value))
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return False
    return True


def _shown(value: Any) -> str:
    if isinstance(value, np.generic):
        return repr(value.item())
    if isinstance(value, BaseEstimator):
        # The default length would cut it off.
        return " ".join(value.__repr__(N_CHAR_MAX=10**6).split())
    return repr(value)


def _imports(value: Any) -> Iterator[str]:
    """Yield lines that import the classes of estimators in a value."""
    if isinstance(value, (list, tuple)):
        for one in value:
            yield from _imports(one)
    if isinstance(value, BaseEstimator):
        module = type(value).__module__
        public = ".".join(p for p in module.split(".") if not p.startswith("_"))
        yield f"from {public} import {type(value).__name__}"
        for one in value.get_params(deep=False).values():
            yield from _imports(one)
