"""What a summary says in sentences."""

from typing import Any

from incerta.api.words import conditional
from incerta.report.plain import percent
from incerta.wording import counted, joined, no_confidence, share, verb

# Beyond this many clusters their sizes are not listed one by one.
_FEW_CLUSTERS = 8


def sentences(summary: dict[str, Any]) -> list[str]:
    """Say in plain words what was found, and how sure it is."""
    told = [_found(summary)]
    if summary["n_noise"]:
        told.append(_noise(summary))
    if summary["confidence"]["not_applicable"] is None:
        told.append(_sure(summary))
        if summary["choice"] is not None:
            choice = summary["choice"]
            told.append(conditional(choice["k"], choice["plausibility"]))
        told += _unclear(summary)
    else:
        told.append(no_confidence(summary["confidence"]["not_applicable"]))
    data = summary["data"]
    if data["exact"] or data["n_objects"] == 1:  # nothing to compare its errors with
        return told
    told += (_uncertainty if data["reliability"] is None else _reliability)(data)
    return told


def label_set_in_words(clusters: tuple[int, ...]) -> str:
    """Clusters of which one is the object's: "2", "2 or 0", "2, 0 or noise"."""
    return joined(["noise" if c < 0 else str(c) for c in clusters], "or")


def _found(summary: dict[str, Any]) -> str:
    data, clusters = summary["data"], summary["clusters"]
    of = (
        f"{counted(data['n_objects'], 'object')} with "
        f"{counted(data['n_features'], 'feature')}"
    )
    if not clusters:
        return f"{summary['method']['name']} found no cluster among {of}."
    sizes = [f"{cluster['size']:,}" for cluster in clusters]
    what = counted(len(clusters), "cluster")
    if len(sizes) == 1:
        how = f"it has {counted(clusters[0]['size'], 'object')}"
    elif len(set(sizes)) == 1:
        how = f"they have {counted(clusters[0]['size'], 'object')} each"
    elif len(sizes) <= _FEW_CLUSTERS:
        how = f"they have {joined(sizes)} objects"
    else:
        by_size = sorted(cluster["size"] for cluster in clusters)
        how = f"they have {by_size[0]:,} to {by_size[-1]:,} objects"
    return f"{summary['method']['name']} found {what} among {of}: {how}."


def _noise(summary: dict[str, Any]) -> str:
    n, share = summary["n_noise"], summary["n_noise"] / summary["data"]["n_objects"]
    belong = verb(n, "belongs", "belong")
    return f"{counted(n, 'object')} ({percent(share)}) {belong} to no cluster: noise."


def _sure(summary: dict[str, Any]) -> str:
    n, confidence = summary["data"]["n_objects"], summary["confidence"]
    bound, sure = confidence["threshold"], n - confidence["n_unsure"]
    mean = f"A label has a probability of {share(confidence['mean'])} on average"
    if sure == n:
        return f"{mean}. For every object it is at least {bound:g}."
    others = "label" if n - sure == 1 else f"{n - sure:,} labels"
    return (
        f"{mean}. For {counted(sure, 'object')} ({percent(sure / n)}) it is at least "
        f"{bound:g}; the other {others} should not be relied on."
    )


def _unclear(summary: dict[str, Any]) -> list[str]:
    pairs = summary["confidence"]["unsure_between"]
    if not pairs or pairs[0]["n_objects"] < 2:
        return []
    most = pairs[0]
    first, second = (
        "noise" if cluster < 0 else f"cluster {cluster}" for cluster in most["clusters"]
    )
    return [
        f"Most often it is unclear whether an object belongs to {first} or to {second} "
        f"({counted(most['n_objects'], 'object')})."
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
    ratios = {
        feature: ratio
        for feature, ratio in zip(
            data["feature_names"], data["relative_uncertainty"], strict=True
        )
        if ratio is not None
    }
    if not ratios:
        return []
    worst = max(ratios, key=ratios.__getitem__)
    if len(ratios) == 1:
        which = f"The uncertainty of {worst}"
    else:
        which = f"The most uncertain feature is {worst}: its uncertainty"
    said = f"{which} is {ratios[worst]:.2g} times the spread between objects."
    # Joint values move together, so that objects may differ in every world.
    if ratios[worst] > 1 and not data["joint"]:
        said += " Above 1, single values say little about where an object belongs."
    return [said]
