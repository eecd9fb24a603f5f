"""
Weather stations: joint or independent months
=============================================

The data are ten years of monthly temperature and precipitation at 150 stations in and
around Colorado. A station is not a point but 120 months. Months belong together: a cold
January is cold everywhere. `load_weather(joint=True)` keeps them together, with one
month for all stations in each world.
"""

import matplotlib.pyplot as plt

import incerta as ic

fig, axes = plt.subplots(1, 2, figsize=(12, 5), layout="constrained")
for ax, joint in zip(axes, (True, False), strict=True):
    stations = ic.datasets.load_weather(joint=joint)
    result = ic.cluster(stations.data, k=3)
    result.plot.scatter(ax=ax)
    accuracy = ic.metrics.clustering_accuracy(stations.target, result.labels)
    how = "joint months" if joint else "independent months"
    ax.set_title(f"{how}: agreement with climate classes {accuracy:.2f}")

# %% With joint months the stations are easier to separate, and the labels are more
# certain.

print(result.explain())
plt.show()
