"""
How many clusters? Perhaps one
==============================

`choose_k` counts the Gaussians, errors taken off, that explain the data best. More than
one is believed only if references of one cluster, whose features have the same shape,
hardly ever look as clustered: skewed data need several Gaussians, too.
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
