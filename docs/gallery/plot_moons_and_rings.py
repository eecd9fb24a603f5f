"""
Moons and rings with errors of different size
=============================================

Some objects of these curved clusters were measured well and some badly. k-means cuts
the clusters in two. Badly measured objects may mislead DBSCAN on the mean values by
forming bridges, here between the moons. `FDBSCAN` labels them as noise, and `PDBSCAN`
with maximal assignment adds them to the cluster that most probably reaches them.
"""

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.collections import EllipseCollection
from sklearn.cluster import DBSCAN, KMeans
from sklearn.metrics import adjusted_rand_score

import incerta as ic
from incerta.published import PDBSCAN

SETS = {
    "moons": (ic.datasets.make_uncertain_moons(600, random_state=0), 0.2),
    "rings": (ic.datasets.make_uncertain_rings(600, random_state=0), 0.25),
}
# Blue, orange and green that all eyes can tell apart.
COLORS = np.array(["#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00"])


def draw(ax, data, labels, confidence=None):
    """Draw circles of one standard deviation; gray is noise, pale is unsure."""
    mean, sd = data.mean(), np.sqrt(data.variance()[:, 0])
    colors = np.where(labels < 0, "#999999", COLORS[labels % len(COLORS)])
    alpha = 0.45 if confidence is None else 0.1 + 0.5 * confidence
    circles = EllipseCollection(
        2 * sd,
        2 * sd,
        np.zeros(len(sd)),
        units="xy",
        offsets=mean,
        offset_transform=ax.transData,
        facecolors=colors,
        alpha=alpha,
        linewidths=0,
    )
    ax.add_collection(circles, autolim=False)
    low, high = mean.min(axis=0) - 0.2, mean.max(axis=0) + 0.2
    ax.set(xticks=[], yticks=[], aspect="equal")
    ax.set(xlim=(low[0], high[0]), ylim=(low[1], high[1]))


# %% Four methods, with the same radius and ten neighbors. Below each picture are the
# adjusted Rand index with the truth, over the objects that are not noise, and the share
# of noise.

fig, axes = plt.subplots(2, 4, figsize=(11, 6), layout="constrained")
for row, (name, ((data, truth), eps)) in zip(axes, SETS.items(), strict=True):
    fdbscan = ic.FDBSCAN(eps, min_samples=10, random_state=0).fit(data)
    everyone = PDBSCAN(eps, 10, assignment="maximal", random_state=0).fit(data)
    ways = {
        "k-means on means": (KMeans(2, n_init=10, random_state=0), None),
        "DBSCAN on means": (DBSCAN(eps=eps, min_samples=10), None),
        "FDBSCAN": (fdbscan, fdbscan.confidence_),
        "PDBSCAN, maximal": (everyone, everyone.confidence_),
    }
    for ax, (title, (way, confidence)) in zip(row, ways.items(), strict=True):
        labels = way.labels_ if confidence is not None else way.fit_predict(data.mean())
        draw(ax, data, labels, confidence)
        kept = labels >= 0
        score = adjusted_rand_score(truth[kept], labels[kept])
        ax.set_xlabel(f"ARI {score:.2f}, {1 - kept.mean():.0%} noise")
        ax.set_title(title)
    row[0].set_ylabel(name)

# %% `FOPTICS` needs no radius: valleys of the expected reachability are clusters. The
# dashed line is the cut that leaves two clusters.

fig, axes = plt.subplots(1, 2, figsize=(11, 3), layout="constrained")
for ax, (name, ((data, truth), _)) in zip(axes, SETS.items(), strict=True):
    foptics = ic.FOPTICS(10, n_clusters=2, random_state=0).fit(data)
    heights = foptics.reachability_[foptics.ordering_]
    # Unreached objects get the full height of the picture.
    heights = np.minimum(heights, 1.1 * heights[np.isfinite(heights)].max())
    labels = foptics.labels_[foptics.ordering_]
    colors = np.where(labels < 0, "#999999", COLORS[labels % len(COLORS)])
    ax.bar(np.arange(len(heights)), heights, width=1.0, color=colors)
    ax.axhline(foptics.eps_, color="black", linestyle="--", linewidth=1)
    kept = foptics.labels_ >= 0
    score = adjusted_rand_score(truth[kept], foptics.labels_[kept])
    ax.set(
        xlabel="objects, in the order they are reached",
        ylabel="expected reachability",
        title=f"{name}: ARI {score:.2f}, {1 - kept.mean():.0%} noise",
        xlim=(0, len(heights)),
    )
plt.show()
