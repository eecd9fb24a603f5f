"""Draw the picture of the README.

python docs/picture.py
"""

from pathlib import Path

from matplotlib.figure import Figure
from sklearn.cluster import KMeans

import incerta as ic

data, truth = ic.datasets.make_uncertain_moons(400, random_state=0)
by_means = KMeans(2, n_init=10, random_state=0).fit_predict(data.mean())
found = ic.PDBSCAN(0.2, 8, assignment="maximal", random_state=0).fit(data)

fig = Figure(figsize=(10, 3.6), layout="constrained")
left, right = fig.subplots(1, 2)
ic.plot.scatter(data, by_means, ax=left)
ic.plot.scatter(data, found.labels_, found.confidence_, ax=right)
left.set_title(f"k-means on the means: ARI {ic.metrics.ari(truth, by_means):.2f}")
right.set_title(
    f"PDBSCAN, pale where not sure: ARI {ic.metrics.ari(truth, found.labels_):.2f}"
)
fig.savefig(Path(__file__).with_name("picture.png"), dpi=110)
