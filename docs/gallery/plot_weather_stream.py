"""
A stream of weather months
==========================

150 stations in and around Colorado report temperature and precipitation, month after
month. They are in ten bands of altitude with fifteen stations each. The weather of a
band in a month is fifteen numbers, an uncertain object. These objects arrive as a
stream, ten each month, and are not stored. What is still known on 1 March 1972: the
kinds of weather, the last winter, and how it differed from the last summer?
"""

import matplotlib.pyplot as plt
import numpy as np

import incerta as ic

stations = ic.datasets.load_weather(joint=True)
months = np.array(list(stations.data.worlds(120)))  # (month, station, feature)
months[:, :, 1] = np.log10(1.0 + months[:, :, 1])  # few months are very wet
by_altitude = np.argsort(stations.objects["elevation"]).reshape(10, 15)
until = 12 * 9 + 2  # from January 1963 to February 1972

# %% Ten objects arrive each month, with fifteen values each. The unit of time is a
# month. States are stored every month, and fewer old ones are kept. Temperature in
# degrees would dominate the logarithm of rain, so both are scaled by their values in
# 1963.

scale = months[:12].std(axis=(0, 1))
stream = ic.UMicro(3, n_micro_clusters=60, factor=1.0, snapshot_every=1.0)
for month in range(until):
    bands = months[month][by_altitude] / scale
    stream.partial_fit(ic.from_array(bands), times=np.full(10, float(month)))
print(
    f"{stream.n_seen_} objects came, of which {stream.micro_clusters_.n} sums are left"
)

# %% Objects since December, and objects from June to August.

questions = {
    "this winter": (until - 3, until),
    "last summer": (until - 9, until - 6),
}
answers = {name: stream.between(*asked) for name, asked in questions.items()}
for name, (first, last) in questions.items():
    micro = answers[name].micro_clusters_
    told = np.average(micro.mean, axis=0, weights=micro.weight) * scale
    exact = months[first:last].mean(axis=(0, 1))
    print(
        f"{name}: {told[0]:.2f} °C and {10 ** told[1] - 1:.1f} mm; in the records, "
        f"which were not kept: {exact[0]:.2f} °C and {10 ** exact[1] - 1:.1f} mm"
    )

# %% Few old states are kept. The winter of 1963 cannot be separated from later months,
# and a message says so.

try:
    stream.between(11.0, 14.0)
except ValueError as problem:
    print(problem)

# %% Micro-clusters, sized by their number of objects and colored by the three clusters
# of the whole stream: cold, dry, and warm and wet. This winter half of the objects were
# dry, mostly at low altitudes. The dry objects of last summer are June in the
# mountains.

fig, axes = plt.subplots(1, 3, figsize=(12, 4.2), layout="constrained")
colors = np.array(["#0072B2", "#E69F00", "#009E73"])
everything = stream.micro_clusters_.mean * scale
for ax, (name, part) in zip(
    axes, {"all that came": stream, **answers}.items(), strict=True
):
    micro = part.micro_clusters_
    cluster = stream.predict(micro.mean)
    share = np.bincount(cluster, micro.weight, 3) / micro.weight.sum()
    print(name, "in clusters:", share.round(2))
    ax.scatter(*everything.T, s=8, c="0.85")
    ax.scatter(
        *(micro.mean * scale).T,
        s=300.0 * micro.weight / micro.weight.max(),
        c=colors[cluster],
        alpha=0.6,
        edgecolor="k",
        linewidth=0.4,
    )
    ax.set(title=f"{name}: {part.n_seen_} objects", xlabel="temperature in °C")
    ax.sharex(axes[0])
    ax.sharey(axes[0])
axes[0].set_ylabel("log10 of 1 + precipitation in mm")
plt.show()
