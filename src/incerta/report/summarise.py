"""`summarise`: a clustering as a plain dict, from which the page is made."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from incerta.data.meaning import certain, of_errors
from incerta.data.reliability import Reliability, reliability
from incerta.plot.bars import MOST_BARS, highest_bars
from incerta.report.beside import alternatives, compared, on_values
from incerta.report.code import python_of
from incerta.report.plain import name, number, numbers, text
from incerta.report.shown import (
    LEAST_CERTAIN_ROWS,
    MOST_ROWS,
    SURE,
    features_shown,
    shown_objects,
)
from incerta.report.words import label_set_in_words, sentences
from incerta.report.worlds import world_facts
from incerta.typing import Array, Indices

if TYPE_CHECKING:
    from incerta.api.clustering import Clustering
    from incerta.number.choose import KChoice

FORMAT = 1
LEAST_CERTAIN = 10
MOST_PAIRS = 5
N_BINS = 10


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
        "objective": _objective(result.estimator),
        "reachability": _reachability(result.estimator, labels),
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


def _objective(estimator: Any) -> list[float | None] | None:
    history = estimator.facts().objective
    if history is None or len(history) < 2:
        return None
    return numbers(history)


def _reachability(estimator: Any, labels: Indices) -> dict[str, Any] | None:
    facts = estimator.facts().reachability
    if facts is None:
        return None
    reached, order, cut = facts
    heights, owners = highest_bars(reached[order], labels[order], MOST_BARS)
    return {
        "reachability": numbers(heights),
        "cluster": owners.tolist(),
        "cut": None if cut is None else number(cut),
    }
