"""
How many clusters? Perhaps one
==============================

`choose_k` compares data with references that have fewer clusters but the same spread
and the same error bars. Stability alone cannot tell: two clusters of a cloud without
any structure are stable, too, since a cut along its short side always is.
"""

import matplotlib.pyplot as plt
import numpy as np

import incerta as ic

rng = np.random.default_rng(0)
SETS = {
    "four clusters": 10.0 * rng.integers(2, size=(160, 2)) + rng.normal(size=(160, 2)),
    "no clusters": rng.normal(size=(160, 2)) * [6.0, 2.0],
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
