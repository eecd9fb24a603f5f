"""
Your own clusterer: HDBSCAN over the error bars
===============================================

HDBSCAN clusters points. `WorldConsensus` runs it in every world, and reports for each
object the shares of worlds in which it is in its cluster, in another one, or noise.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.cluster import HDBSCAN

import incerta as ic

data, truth = ic.datasets.make_uncertain_moons(300, uncertainty=0.08, random_state=3)
hdbscan = HDBSCAN(min_cluster_size=20, copy=True)
once = hdbscan.fit_predict(data.mean())
found = ic.WorldConsensus(hdbscan, n_worlds=60, random_state=0).fit(data)
print(f"on the means: {once.max() + 1} clusters; over the worlds: {found.n_clusters_}")
print(found.instability(n_seeds=2, n_worlds=10))

fig, axes = plt.subplots(1, 2, figsize=(12, 4.5), layout="constrained")
ic.plot.scatter(data, once, ax=axes[0])
axes[0].set_title(f"HDBSCAN on the means: {np.mean(once < 0):.0%} noise")
ic.plot.scatter(data, found.labels_, found.confidence_, ax=axes[1])
axes[1].set_title(
    f"over 60 worlds: {np.mean(found.labels_ < 0):.0%} noise, "
    f"mean confidence {found.confidence_.mean():.2f}"
)

# %% The share of worlds in which two objects are together:

fig, ax = plt.subplots(figsize=(5.5, 4.5), layout="constrained")
ic.plot.coassociation(found.labels_per_world_, found.labels_, ax=ax)
plt.show()
