"""The pictures of the stories: objects by cluster, and accuracy of the methods."""

import numpy as np
from check import confidence_of, right, scores, true_kinds
from matplotlib.figure import Figure

import incerta as ic
from incerta.wording import SURE

PALETTE = ("#0072B2", "#E69F00", "#009E73", "#CC79A7")
WRONG = "#B00020"
FIELD = "#999999"


def draw(story, folder, path):
    """Draw the model that the commands of a story left in a folder."""
    result = ic.load(folder / story.model / story.file_of_model)
    truth = true_kinds(folder / f"{story.file}_truth.csv", result.data.ids)
    # One above the other, to be large enough on a phone.
    fig = Figure(figsize=(5.8, 6.8), layout="constrained")
    above, below = fig.subfigures(2, 1, height_ratios=(5, 3))
    _objects(above.subplots(), result, truth, story)
    _scores(below.subplots(), scores(result, truth, story.member), story)
    fig.savefig(path, dpi=100)


def _objects(ax, result, truth, story):
    names = list(result.data.feature_names)
    columns = [names.index(name) for name in story.features]
    x, y = result.data.mean()[:, columns].T
    # Missing values have infinite errors.
    sd = np.sqrt(result.data.variance()[:, columns])
    sd[~np.isfinite(sd)] = np.nan
    colors = np.array([*PALETTE, FIELD])[
        np.where(result.labels < 0, -1, result.labels % len(PALETTE))
    ]
    unsure = confidence_of(result) < SURE
    ax.errorbar(
        x, y, sd[:, 1], sd[:, 0], fmt="none", ecolor=colors, alpha=0.25, linewidth=0.6
    )
    small = 6 if len(x) > 1000 else 14
    ax.scatter(x[~unsure], y[~unsure], s=small, c=colors[~unsure], linewidths=0)
    ax.scatter(
        x[unsure],
        y[unsure],
        s=small,
        facecolors="white",
        edgecolors=colors[unsure],
        linewidths=0.9,
    )
    ax.scatter(
        [],
        [],
        s=small,
        facecolors="white",
        edgecolors="black",
        label=f"confidence below {SURE}",
    )
    wrong = ~right(truth, result.labels, story.member)
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
    # Some objects have such large errors, or lie so far out, that all others would form
    # a dot.
    near = slice(None) if story.member is None else truth == story.member
    for values, limit in ((x[near], ax.set_xlim), (y[near], ax.set_ylim)):
        low, high = np.nanquantile(values, (0.01, 0.99))
        limit(low - 0.15 * (high - low), high + 0.15 * (high - low))
    fig = ax.get_figure()
    fig.legend(fontsize=10, loc="outside upper left", ncols=2, frameon=False)


def _scores(ax, found, story):
    names = [name.replace("  ", "the ") for name in found]
    places = np.arange(len(names))[::-1]
    ours = np.array([name == "incerta" or " it is " in name for name in names])
    for some, color in ((ours, PALETTE[0]), (~ours, "0.45")):
        heights = np.array(list(found.values()))[some]
        ax.hlines(places[some], 0.0, heights, color=color, linewidth=1.5)
        ax.scatter(heights, places[some], c=color, s=36)
        for height, place in zip(heights, places[some], strict=True):
            ax.text(1.06, place, f"{height:.2f}", va="center", fontsize=10)
    ax.set_yticks(places, names, fontsize=10)
    ax.set_ylim(-0.6, len(names) - 0.4)
    share = "share in the right cluster"
    ax.set(xlim=(0.0, 1.04), xlabel=share if story.member is None else "F1 of members")
    for side in ("top", "right", "left"):
        ax.spines[side].set_visible(False)
    ax.tick_params(axis="y", length=0)
