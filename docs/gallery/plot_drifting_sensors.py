"""
Drifting sensors: clusters that move
====================================

Two sensors measure three kinds of air repeatedly, with a different error for each
reading. Their zero drifts: in the end, one kind has the readings that another kind had
at first. A clustering of the first readings soon becomes wrong. `UMicro` keeps
learning: with a half-life, old readings lose weight, and the clusters follow the drift.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.metrics import adjusted_rand_score

import incerta as ic

N, PIECE = 6000, 100
rng = np.random.default_rng(0)
kind = rng.integers(3, size=N)
air = np.array([[0.0, 0.0], [7.0, 2.0], [3.0, 8.0]])
day = np.arange(N) / PIECE
zero = np.column_stack([8.0 * day / 60.0, 3.0 * np.sin(day / 12.0)])
error = 0.4 * rng.lognormal(0.0, 0.6, size=(N, 2))
true = air[kind] + zero + rng.normal(size=(N, 2))
readings = ic.from_gaussian(true + error * rng.normal(size=(N, 2)), std=error)

# %% One clustering uses only the first ten days. Two streams learn from each day as it
# comes, with a half-life of two days and without one. Each method labels the readings
# of each day.

fixed = ic.UKMeans(3, random_state=0).fit(readings[: 10 * PIECE])
streams = {
    "UMicro, half-life of two days": ic.UMicro(3, half_life=2.0 * PIECE),
    "UMicro that forgets nothing": ic.UMicro(3),
}
agreement = {"UKMeans of the first ten days": [], **{name: [] for name in streams}}
paths, numbers = [], []
for start in range(0, N, PIECE):
    today = slice(start, start + PIECE)
    found = {"UKMeans of the first ten days": fixed.predict(readings[today])}
    for name, stream in streams.items():
        found[name] = stream.partial_fit(readings[today]).labels_
    for name, labels in found.items():
        agreement[name].append(adjusted_rand_score(kind[today], labels))
    following = streams["UMicro, half-life of two days"]
    numbers.append(following.labels_)
    micro, labels = following.micro_clusters_, following.macro_labels_
    paths.append(
        [
            np.average(
                micro.mean[labels == c], axis=0, weights=micro.weight[labels == c]
            )
            for c in range(labels.max() + 1)
        ]
    )
for name, each in agreement.items():
    print(f"{name:30} ARI of the last ten days {np.mean(each[-10:]):.2f}")

# %% A cluster keeps its number from day to day, so its path can be drawn, and a label
# means the same on all days. Days with enough readings could also be clustered one by
# one, but their clusters would be unrelated to those of the day before.

whole = adjusted_rand_score(kind, np.concatenate(numbers))
print(f"all labels of the stream, as they were given: ARI {whole:.2f}")

paths = np.array(paths)
fig, (plane, curve) = plt.subplots(1, 2, figsize=(11, 4.8), layout="constrained")
plane.scatter(*readings.mean()[::6].T, s=3, c=day[::6], cmap="Grays", vmin=-30)
for c, center in enumerate(air):
    name = "truth" if c == 0 else None
    plane.plot(*(center + zero).T, color="#F0E442", linewidth=6, label=name)
for c, color in enumerate(["#0072B2", "#D55E00", "#009E73"]):
    plane.plot(*paths[:, c].T, color=color, label=f"cluster {c}")
    plane.plot(*paths[-1, c], "o", color=color)
plane.plot(*fixed.cluster_centers_.T, "k*", markersize=11, label="UKMeans")
plane.set(xlabel="first sensor", ylabel="second sensor", title="centers over time")
plane.legend(fontsize=8)
for (name, each), style in zip(agreement.items(), ["k", "C0", "C0:"], strict=True):
    curve.plot(each, style, label=name)
curve.axvspan(0, 10, color="0.92")
curve.set(xlabel="day", ylabel="ARI of the day", ylim=(-0.05, 1.05))
curve.legend(fontsize=8, loc="lower left")
plt.show()
