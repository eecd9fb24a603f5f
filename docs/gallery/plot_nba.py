"""
NBA seasons: players who change
===============================

300 basketball players, two to twenty-one seasons each. A player is the set of his
seasons; their mean hides whether he is consistent. ``paper.datasets``, in a clone of
the repository, reads the data from the folder named by ``INCERTA_DATA``; their terms do
not allow us to pass them on.
"""

import matplotlib.pyplot as plt
import numpy as np

import incerta as ic
from paper.datasets import fetch_nba

nba = fetch_nba()
result = ic.cluster(nba.data, k=3)
print(result.explain())

# %%
# The most typical player of each cluster, and the least certain ones.

for cluster, player in enumerate(result.typical()):
    means = ", ".join(
        f"{value:.1f} {name}"
        for name, value in zip(nba.feature_names, nba.data.mean()[player], strict=True)
    )
    print(f"cluster {cluster}: {nba.data.ids[player]} ({means})")
print("least certain:", ", ".join(map(str, result.unsure(0.7)[:6])))

fig, (left, right) = plt.subplots(1, 2, figsize=(12, 4.5), layout="constrained")
result.plot.scatter(ax=left)
spread = np.sqrt(nba.data.variance().sum(axis=1))
right.scatter(spread, result.confidence, s=12, color="#0072B2")
right.set(xlabel="spread of a player's own seasons", ylabel="confidence of his label")
plt.show()
