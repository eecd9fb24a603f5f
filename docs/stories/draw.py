"""The pictures of the stories: the objects as they were found, and who is right."""

import numpy as np
from check import scores, true_kinds
from matplotlib.figure import Figure
from scipy.optimize import linear_sum_assignment
from sklearn.metrics import f1_score

import incerta as ic

PALETTE = ("#0072B2", "#E69F00", "#009E73", "#CC79A7")
WRONG = "#B00020"
UNSURE = 0.8


def draw(story, folder, path):
    """Draw the model that the commands of a story left in a folder."""
    result = ic.load(folder / story.model / "model.incerta")
    truth = true_kinds(folder / f"{story.file}_truth.csv", result.ids)
    fig = Figure(figsize=(9, 4.1), layout="constrained")
    left, right = fig.subplots(1, 2, width_ratios=(3, 2))
    _objects(left, result, truth, story)
    _scores(right, scores(result, truth, story.member), story)
    fig.savefig(path, dpi=100)


def _objects(ax, result, truth, story):
    names = list(result.data.feature_names)
    columns = [names.index(name) for name in story.features]
    x, y = result.data.mean()[:, columns].T
    # An infinite error is that of a missing value.
    sd = np.sqrt(result.data.variance()[:, columns])
    sd[~np.isfinite(sd)] = np.nan
    colours = np.array(PALETTE)[result.labels % len(PALETTE)]
    unsure = result.confidence < UNSURE
    ax.errorbar(
        x, y, sd[:, 1], sd[:, 0], fmt="none", ecolor=colours, alpha=0.25, linewidth=0.6
    )
    small = 6 if len(x) > 1000 else 14
    ax.scatter(x[~unsure], y[~unsure], s=small, c=colours[~unsure], linewidths=0)
    ax.scatter(
        x[unsure],
        y[unsure],
        s=small,
        facecolors="white",
        edgecolors=colours[unsure],
        linewidths=0.9,
        label=f"confidence below {UNSURE}",
    )
    wrong = ~_right(truth, result.labels, story.member)
    ax.scatter(
        x[wrong],
        y[wrong],
        s=22,
        c=WRONG,
        marker="x",
        linewidths=0.9,
        label=f"wrong ({wrong.sum()} of {len(x)})",
    )
    ax.set(xlabel=story.features[0], ylabel=story.features[1])
    # Some objects are measured so badly, or so far out, that others would be a dot.
    near = slice(None) if story.member is None else truth == story.member
    for values, limit in ((x[near], ax.set_xlim), (y[near], ax.set_ylim)):
        low, high = np.nanquantile(values, (0.01, 0.99))
        limit(low - 0.15 * (high - low), high + 0.15 * (high - low))
    fig = ax.get_figure()
    fig.legend(fontsize=9, loc="outside upper left", ncols=2, frameon=False)


def _right(truth, labels, member):
    """Whether each object is in the cluster that is matched to its kind."""
    if member is not None:
        inside = truth == member
        best = max(set(labels), key=lambda c: f1_score(inside, labels == c))
        return inside == (labels == best)
    kinds, code = np.unique(truth, return_inverse=True)
    counts = np.zeros((len(kinds), labels.max() + 1))
    np.add.at(counts, (code, labels), 1)
    rows, columns = linear_sum_assignment(-counts)
    matched = dict(zip(columns, rows, strict=True))
    return np.array([matched.get(label) for label in labels]) == code


def _scores(ax, found, story):
    names = [name.replace("  ", "the ") for name in found]
    places = np.arange(len(names))[::-1]
    ours = np.array([name == "incerta" or " it is " in name for name in names])
    for some, colour in ((ours, PALETTE[0]), (~ours, "0.45")):
        heights = np.array(list(found.values()))[some]
        ax.hlines(places[some], 0.0, heights, color=colour, linewidth=1.5)
        ax.scatter(heights, places[some], c=colour, s=36)
        for height, place in zip(heights, places[some], strict=True):
            ax.text(1.06, place, f"{height:.2f}", va="center", fontsize=9)
    ax.set_yticks(places, names, fontsize=9)
    ax.set_ylim(-0.6, len(names) - 0.4)
    share = "share in the right cluster"
    ax.set(xlim=(0.0, 1.04), xlabel=share if story.member is None else "F1 of members")
    for side in ("top", "right", "left"):
        ax.spines[side].set_visible(False)
    ax.tick_params(axis="y", length=0)
