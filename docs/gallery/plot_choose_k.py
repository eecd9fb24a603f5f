"""
How many clusters? Perhaps one
==============================

`choose_k` counts the Gaussians that, with the errors removed, explain the data best.
Skewed data need several Gaussians, too. More than one cluster is therefore accepted
only if a single cluster with features of the same shape would rarely look as clustered.
"""

import matplotlib.pyplot as plt
import numpy as np

import incerta as ic

rng = np.random.default_rng(0)
SETS = {
    "four clusters": 10.0 * rng.integers(2, size=(160, 2)) + rng.normal(size=(160, 2)),
    "no clusters": rng.exponential(size=(160, 2)) * [6.0, 2.0],
}

fig, axes = plt.subplots(2, 2, figsize=(10, 7), layout="constrained")
for (points, curve), (name, places) in zip(axes, SETS.items(), strict=True):
    error = rng.uniform(0.3, 1.0, size=places.shape)
    data = ic.from_gaussian(places + error * rng.normal(size=places.shape), std=error)
    choice = ic.choose_k(data, range(1, 8), random_state=0)
    points.errorbar(
        *data.mean().T,
        xerr=error[:, 0],
        yerr=error[:, 1],
        fmt=".",
        color="#0072B2",
        ecolor="0.8",
    )
    points.set(title=f"{name}: choose_k says {choice.k}", xlabel="x", ylabel="y")
    choice.plot(curve)
plt.show()
