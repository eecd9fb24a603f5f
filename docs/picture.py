"""Draw the picture of the README, and count how often k-means goes wrong.

python docs/picture.py    # a minute
"""

from pathlib import Path

import numpy as np
from matplotlib.figure import Figure
from sklearn.cluster import KMeans

import incerta as ic
from incerta.cli.demo import DRAW

N_DRAWS = 20


def by_kmeans(data):
    """Labels of k-means on standardised values."""
    values = data.mean()
    kmeans = KMeans(3, n_init=10, random_state=0)
    return kmeans.fit_predict(values / values.std(axis=0))


def accuracies(draw):
    """k-means, ours, and how sure we are."""
    data, groups = ic.datasets.make_uncertain_stars(random_state=draw)
    found = ic.cluster(data, 3)
    accuracy = ic.metrics.clustering_accuracy
    return (
        accuracy(groups, by_kmeans(data)),
        accuracy(groups, found.labels),
        found.confidence.mean(),
    )


data, groups = ic.datasets.make_uncertain_stars(random_state=DRAW)
found = ic.cluster(data, 3)
plain = by_kmeans(data)
fig = Figure(figsize=(10, 4.2), layout="constrained")
left, right = fig.subplots(1, 2, sharex=True, sharey=True)
ic.plot.scatter(data, plain, ax=left)
ic.plot.scatter(data, found.labels, found.confidence, ax=right)
for ax, name, labels in (
    (left, "k-means on the values", plain),
    (right, "incerta, pale where not sure", found.labels),
):
    right_part = ic.metrics.clustering_accuracy(groups, labels)
    ax.set_title(f"{name}: {right_part:.0%} right")
    # Some stars were measured so badly that all others would be a dot.
    ax.set(xlim=(-22, 22), ylim=(-16, 18))
fig.savefig(Path(__file__).with_name("picture.png"), dpi=110)

scores = np.array([accuracies(draw) for draw in range(N_DRAWS)])
for name, found in zip(("k-means", "incerta", "confidence"), scores.T, strict=True):
    print(f"{name:<12}{found.mean():.2f}, from {found.min():.2f} to {found.max():.2f}")
print(f"k-means below 0.75 in {(scores[:, 0] < 0.75).sum()} of {N_DRAWS} draws")
