"""
An ensemble: every member is a world
====================================

A forecast is run 30 times from slightly different starts. Each run has values for all
stations, so the draws are joint: mixing stations from different runs would give weather
that no run contains. `from_worlds` keeps the runs whole.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.metrics import adjusted_rand_score

import incerta as ic

rng = np.random.default_rng(1)
n_members, n_places = 30, 80
regime = np.repeat([0, 1], n_places // 2)
mean = np.array([[12.0, 2.0], [15.0, 6.0]])[regime]
mean = mean + rng.normal(size=mean.shape)
common = 2.5 * rng.normal(size=(n_members, 1, 2))  # the whole map is warmer, or wetter
own = 0.7 * rng.normal(size=(n_members, n_places, 2))
ensemble = mean + common + own
names = ["temperature", "rain"]

together = ic.from_worlds(ensemble, feature_names=names)
apart = ic.from_array(np.swapaxes(ensemble, 0, 1), feature_names=names)

# %% If stations are independent, they overlap: the common error is as large as the
# difference between the regimes. Within a member it cancels.

fig, axes = plt.subplots(1, 2, figsize=(12, 4.5), layout="constrained")
for ax, (name, data) in zip(
    axes, {"members kept whole": together, "members mixed": apart}.items(), strict=True
):
    result = ic.cluster(data, k=2)
    result.plot.scatter(ax=ax)
    score = adjusted_rand_score(regime, result.labels)
    ax.set_title(
        f"{name}: ARI {score:.2f}, mean confidence {result.confidence.mean():.2f}"
    )
plt.show()
