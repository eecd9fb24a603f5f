"""`summarise`: a clustering as a plain dict, from which the page is made."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.optimize import linear_sum_assignment

from incerta.api import comparison
from incerta.api.words import conditional
from incerta.data.meaning import certain, of_errors
from incerta.data.reliability import Reliability, reliability
from incerta.estimators.named import KMEANS
from incerta.metrics import ari
from incerta.plot.bars import MOST_BARS, highest_bars
from incerta.plot.worlds import classical_scaling
from incerta.report.code import python_of
from incerta.report.plain import name, number, numbers, percent, text
from incerta.report.shown import (
    LEAST_CERTAIN_ROWS,
    MOST_ROWS,
    features_shown,
    shown_objects,
    two_features,
)
from incerta.typing import Array, Indices
from incerta.wording import SURE, counted, joined, no_confidence, share, verb

if TYPE_CHECKING:
    from incerta.api.clustering import Clustering
    from incerta.number.choose import KChoice

FORMAT = 1
LEAST_CERTAIN = 10
MOST_PAIRS = 5
N_BINS = 10
MOST_DOTS = 300  # of a small picture
# A map of more worlds takes long, and shows no more.
MOST_MAPPED = 1000
MOST_FAILURES = 10
# Beyond this many clusters their sizes are not listed one by one.
_FEW_CLUSTERS = 8


def summarise(result: Clustering) -> dict[str, Any]:
    """Give what was found as plain values, ready for JSON.

    Parameters
    ----------
    result : Clustering
        What `incerta.cluster` returned.

    Returns
    -------
    dict
        With these entries; whatever is not finite is None, texts are cut at 1000
        characters, and clusters are numbered as in ``labels``, −1 being noise:

        - ``format``: version of this layout;
        - ``sentences``: what was found, in words;
        - ``data``: n_objects, n_features, kind, joint, exact, feature_names (of more
          than 50 features, those in which the clusters differ most),
          relative_uncertainty, meaning, reliability (None unless these are errors);
        - ``directions``: per direction its name, share of the true variance, and the
          features that vary most with it, with their correlations; empty if objects
          were compared in the features;
        - ``method``: name, reasons, parameters, scaled, seed;
        - ``n_noise``; ``clusters``: per cluster its size, share, confidence, n_unsure,
          typical object, and per feature mean, spread, error;
        - ``confidence``: not_applicable (why, or None), mean, median, threshold,
          n_unsure, unsure_between (pairs of clusters), histogram;
        - ``objects``: rows of the table by columns (position, id, cluster, confidence,
          runner_up, runner_up_probability, label_set, noise, reliability if there
          are errors, k_means: the cluster by k-means on the values, if there are two
          or more), and how many objects there are;
        - ``k_means``: ari, n_changed, n_changed_unsure and sizes of k-means on the
          values with as many clusters, beside this result; None if there is one;
        - ``least_certain``: some of these objects, by rows;
        - ``worlds``, ``choice``, ``alternatives``, ``objective``, ``reachability``:
          None if there is none;
        - ``warnings``, ``versions``, ``reproduce`` (command, python).

    Notes
    -----
    It takes one pass over the objects, and a k-means on their means. Of more than 5000
    objects, the 1000 least certain and an evenly spaced selection of the others are
    listed, so the size is bounded.

    Examples
    --------
    >>> import incerta as ic
    >>> from incerta.report import summarise
    >>> data, _ = ic.datasets.make_uncertain_blobs(60, 2, 3, random_state=0)
    >>> summary = summarise(ic.cluster(data, k=3, method="UKMeans"))
    >>> summary["sentences"][0]
    'UKMeans found 3 clusters among 60 objects with 2 features: they have 20
    objects each.'
    """
    labels, confidence = result.labels, result.confidence
    rows = shown_objects(confidence, MOST_ROWS, LEAST_CERTAIN_ROWS)
    order = np.argsort(confidence, kind="stable")[:LEAST_CERTAIN]
    errors = reliability(result.data) if of_errors(result.data) else None
    features = features_shown(result)
    other = on_values(result)
    least = _columns(result, order, errors, other)
    facts = result.estimator.facts()
    history = facts.objective
    summary: dict[str, Any] = {
        "format": FORMAT,
        "data": _data(result, errors, features),
        "directions": _directions(result),
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
            "not_applicable": result.no_confidence,
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
        "reachability": _reachability(facts.reachability, labels),
        "warnings": [text(warning) for warning in result.warnings],
        "versions": {key: text(value) for key, value in result.versions.items()},
        "reproduce": {
            "command": None if result.command is None else text(result.command, 10_000),
            "python": python_of(result),
        },
    }
    return {"sentences": sentences(summary), **summary}


def _data(
    result: Clustering, errors: Reliability | None, features: Indices
) -> dict[str, Any]:
    data = result.data
    return {
        "n_objects": len(data),
        "n_features": data.n_features,
        "kind": text(data.kind),
        "joint": data.joint,
        "exact": certain(data),
        "feature_names": [text(data.feature_names[j]) for j in features],
        "relative_uncertainty": numbers(data.relative_uncertainty()[features]),
        "meaning": data.meaning,
        "reliability": None if errors is None else numbers(errors.features[features]),
    }


def _directions(result: Clustering) -> list[dict[str, Any]]:
    found = result.directions
    if found is None:
        return []
    return [
        {
            "name": one.name,
            "share": number(one.share),
            "features": [
                {"name": text(feature), "correlation": number(correlation)}
                for feature, correlation in one.features
            ],
        }
        for one in found.described()
    ]


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
    # Pairs of noise and nothing: the runner-up is −1 where there is none.
    told = found[:, 0] != found[:, 1]
    found, counts = found[told], counts[told]
    order = np.argsort(-counts, kind="stable")[:MOST_PAIRS]
    # Shares of worlds lie on the edges of bins, give or take the last bit.
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
    """Some objects, by columns."""
    sets = result.label_sets()
    runner_up = result.runner_up[rows]
    # One column more, the last, for noise, whose number is −1.
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


def _choice(choice: KChoice) -> dict[str, Any]:
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


def _reachability(facts: Any, labels: Indices) -> dict[str, Any] | None:
    if facts is None:
        return None
    reached, order, cut = facts
    heights, owners = highest_bars(reached[order], labels[order], MOST_BARS)
    return {
        "reachability": numbers(heights),
        "cluster": owners.tolist(),
        "cut": None if cut is None else number(cut),
    }


def on_values(result: Clustering) -> Indices | None:
    """Labels by k-means on the means, on the scale that the estimator saw.

    Clusters have the numbers of those of `result` which they share most objects with,
    one to one. None if fewer than two clusters were found: there is nothing to compare.
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
    """Labels with the numbers of clusters that they share most objects with.

    Numbers that `like` does not have are left for clusters that remain; −1 stays noise.
    """
    both = (labels >= 0) & (like >= 0)
    k = int(max(labels.max(), like.max())) + 1
    overlap = np.zeros((k, k), dtype=np.intp)
    np.add.at(overlap, (labels[both], like[both]), 1)
    numbers = linear_sum_assignment(overlap, maximize=True)[1]
    return np.where(labels >= 0, numbers[labels], -1)


def compared(result: Clustering, other: Indices | None, sure: float) -> Any:
    """How far other labels agree with those that were found."""
    if other is None:
        return None
    changed = other != result.labels
    return {
        "ari": float(ari(result.labels, other)),
        "n_changed": int(changed.sum()),
        "n_changed_unsure": int((changed & (result.confidence < sure)).sum()),
        "sizes": np.bincount(other, minlength=result.n_clusters).tolist(),
    }


def alternatives(result: Clustering) -> dict[str, Any] | None:
    """Other clusterings that the data allow, with what small pictures of them need.

    ``x`` and ``y`` are places of some objects from 0 to 100, and ``here`` their
    clusters in the result. None if there are none.
    """
    found = result.alternatives()
    if not found:
        return None
    data, labels = result.shown, result.labels
    n, means = len(labels), data.mean()
    pair = two_features(data, labels)
    rows = np.linspace(0, n - 1, min(n, MOST_DOTS)).astype(np.intp)
    places = [_from_0_to_100(means[:, j])[rows] for j in pair]
    if len(pair) == 1:  # against the place in the data
        places.append(_from_0_to_100(np.arange(float(n)))[rows])
    return {
        "axes": [text(data.feature_names[j]) for j in pair],
        "x": numbers(places[0].round(1)),
        "y": numbers(places[1].round(1)),
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


def _from_0_to_100(column: Array) -> Array:
    """Places between the extremes, but for the last hundredth on either side."""
    low, high = np.nanquantile(column, [0.01, 0.99])
    return 100.0 * np.clip((column - low) / ((high - low) or 1.0), 0.0, 1.0)


def world_facts(estimator: Any, labels: Indices) -> dict[str, Any] | None:
    """Tell how many worlds there were, how they agree, and which were kept.

    None if the method does not look at single worlds.
    """
    facts = estimator.facts()
    per_world, kept = facts.labels_per_world, facts.kept
    if per_world is None:
        return None
    agreement = (per_world == labels).mean(axis=1)
    return {
        "n_drawn": facts.n_drawn,
        "n_clustered": len(per_world),
        "agreement": numbers(agreement),
        "stability": None if facts.stability is None else number(facts.stability),
        "representatives": []
        if kept is None
        else _representatives(kept, agreement, facts.divergences),
        "map": None if kept is None else _map(facts.divergences, kept),
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


def _representatives(
    kept: Indices, agreement: Array, divergences: Array | None
) -> list[dict[str, Any]]:
    stands_for: list[int | None] = [None] * len(kept)
    if divergences is not None:
        nearest = divergences[:, kept].argmin(axis=1)
        stands_for = np.bincount(nearest, minlength=len(kept)).tolist()
    names = ("world", "stands_for", "agreement")
    rows = zip(kept.tolist(), stands_for, agreement.tolist(), strict=True)
    return [dict(zip(names, row, strict=True)) for row in rows]


def _map(divergences: Array | None, kept: Indices) -> dict[str, Any] | None:
    if divergences is None or not 3 <= len(divergences) <= MOST_MAPPED:
        return None
    places, shown = classical_scaling(divergences)
    return {
        "x": numbers(places[:, 0]),
        "y": numbers(places[:, 1]),
        "kept": kept.tolist(),
        "shown": numbers(shown),
    }


# in sentences -------------------------------------------------------------------------


def sentences(summary: dict[str, Any]) -> list[str]:
    """Say in plain words what was found, and how sure it is."""
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
        lines += _unclear(confidence["unsure_between"])
    if data["exact"] or n == 1:  # nothing to compare its errors with
        return lines
    return lines + (_uncertainty if data["reliability"] is None else _reliability)(data)


def label_set_in_words(clusters: tuple[int, ...]) -> str:
    """Clusters of which one is the object's: "2", "2 or 0", "2, 0 or noise"."""
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


def _unclear(pairs: list[dict[str, Any]]) -> list[str]:
    if not pairs or pairs[0]["n_objects"] < 2:
        return []
    clusters = pairs[0]["clusters"]
    first, second = ("noise" if c < 0 else f"cluster {c}" for c in clusters)
    return [
        f"Most often it is unclear whether an object belongs to {first} or to {second} "
        f"({counted(pairs[0]['n_objects'], 'object')})."
    ]


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
    # Joint values move together, so that objects may differ in every world.
    if ratios[worst] > 1 and not data["joint"]:
        text += " Above 1, single values say little about where an object belongs."
    return [text]
