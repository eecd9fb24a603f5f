"""
Kepler: planets and false alarms, with error bars
=================================================

Objects of interest of the Kepler mission: the duration and depth of the dimming of
their star, the resulting sizes, and properties of the star, all with catalog errors.
Eclipsing binary stars look like giant planets. Do clusters of all features separate
them, and for which objects are they unsure?

``paper.datasets``, in a clone of the repository, fetches the table once, or reads it
from the folder named by ``INCERTA_DATA``.
"""

import matplotlib.pyplot as plt
import numpy as np

import incerta as ic
from paper.datasets import fetch_kepler

kepler = fetch_kepler(progress=False)
some = np.random.default_rng(0).permutation(len(kepler.target))[:1500]
data, target = kepler.data[some], kepler.target[some]
print(data)

# %%
# If several numbers of clusters are plausible, `compare` methods before believing one.

result = ic.cluster(data, k=2, method="UKMeans")
print(result.explain())
share = [np.mean(target[result.labels == c] == 1) for c in range(2)]
print("share of", kepler.target_names[1], "per cluster:", np.round(share, 2))
print(f"{len(result.unsure())} of {len(data)} objects are below 0.9")

fig, ax = plt.subplots(figsize=(8, 5.5), layout="constrained")
result.plot.scatter(ax=ax, features=["log_duration", "log_planet_radius"])
plt.show()
