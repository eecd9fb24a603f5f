"""
New objects, and the same answer tomorrow
=========================================

A clustering is saved to a file, loaded elsewhere, and used for objects that were
measured later. A file contains numbers and text but no code, so it can be loaded
without trusting its source.
"""

import tempfile
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

import incerta as ic

data, truth = ic.datasets.make_uncertain_blobs(120, 2, 3, random_state=1)
result = ic.cluster(data, k=3)

with tempfile.TemporaryDirectory() as folder:
    path = Path(folder) / "stars.incerta"
    result.save(path)
    again = ic.load(path)
print("same labels:", np.array_equal(again.labels, result.labels))

# %%
# Two new objects: one well measured, one with an error as wide as the map.

new = ic.from_gaussian(
    [data.mean()[0] + 0.3, data.mean().mean(axis=0)], std=[[0.2, 0.2], [4.0, 4.0]]
)
membership = again.predict_proba(new)
print(membership.round(2))

fig, ax = plt.subplots(figsize=(8, 5), layout="constrained")
result.plot.scatter(ax=ax)
ax.errorbar(
    *new.mean().T,
    xerr=np.sqrt(new.variance()[:, 0]),
    yerr=np.sqrt(new.variance()[:, 1]),
    fmt="k*",
    markersize=12,
    capsize=3,
)
for place, chances in zip(new.mean(), membership, strict=True):
    ax.annotate(
        f"{chances.max():.0%}", place, xytext=(8, 8), textcoords="offset points"
    )
plt.show()
