"""
Replicates: a handful of measurements per object
================================================

Sixty samples, each measured two to five times; the number of measurements differs, and
so does their scatter. `from_samples` takes the rows as they are, in long form: no
averaging, no padding.
"""

import matplotlib.pyplot as plt
import numpy as np

import incerta as ic

rng = np.random.default_rng(4)
kinds = np.repeat([0, 1, 2], 20)
places = np.array([[0.0, 0.0], [4.0, 1.0], [1.5, 4.0]])[kinds]
places = places + 0.6 * rng.normal(size=places.shape)
counts = rng.integers(2, 6, size=60)
objects = np.repeat([f"sample {i}" for i in range(60)], counts)
scatter = rng.uniform(0.2, 1.2, size=60)
values = np.repeat(places, counts, axis=0)
values = values + np.repeat(scatter, counts)[:, None] * rng.normal(size=values.shape)

data = ic.from_samples(values, objects, feature_names=["marker A", "marker B"])
print(data)

# %%
# Objects that the worlds do not agree on are named, rather than hidden in a label.

result = ic.cluster(data, k=3)
print("fewer than 8 of 10 worlds agree on:", *result.unclassifiable(0.8))
fig, (left, right) = plt.subplots(1, 2, figsize=(12, 4.5), layout="constrained")
result.plot.scatter(ax=left)
result.plot.membership(ax=right)
plt.show()
