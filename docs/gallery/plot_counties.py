"""
Counties with margins of error
==============================

A survey gives income, rent and age of 600 counties, with 90% margins of error. Small
counties have large margins. `read_table` and `from_frame` need only a table with
columns of margins. The numbers here are simulated, so that the three kinds of counties
are known.

Margins help here because they are large for rent and small for age. With margins of the
same relative size in all features, k-means on the values is as good (see
:doc:`/meaning`).
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.cluster import KMeans

import incerta as ic

rng = np.random.default_rng(0)
kind = rng.integers(3, size=600)
usual = np.array([[52.0, 0.80, 43.0], [70.0, 1.15, 38.0], [55.0, 1.00, 33.0]])
truth = usual[kind] + rng.normal(size=(600, 3)) * [3.5, 0.06, 1.3]
people = rng.lognormal(10.3, 1.4, size=600)
# Few people rent in small counties; ages are known from registers.
few = np.sqrt(20_000 / people)[:, None]
error = few * np.column_stack(
    [np.full(600, 6.0), 0.6 * rng.lognormal(0.0, 0.6, size=600), np.full(600, 1.0)]
)
values = truth + error * rng.normal(size=(600, 3))

columns = ["income", "rent", "age"]
table = {"county": [f"county {i}" for i in range(600)]}
for name, value, std in zip(columns, values.T, error.T, strict=True):
    table[name] = value
    table[f"{name}_moe"] = 1.645 * std
data = ic.from_frame(table, id="county", values=columns, errors="{}_moe", kind="moe90")
print(data)

# %% Common methods, and the same data with the margins.

naive = KMeans(3, n_init=10, random_state=0).fit(values / values.std(axis=0))
result = ic.cluster(data, k=3)
print(result.explain())
for name, labels in (("k-means", naive.labels_), ("cluster", result.labels)):
    print(f"{name}: ACC {ic.metrics.clustering_accuracy(kind, labels):.3f}")

# %% A confidence is useful if it is low where labels are wrong.

right = np.zeros(600, dtype=bool)
for c in range(3):
    inside = result.labels == c
    right[inside] = kind[inside] == np.bincount(kind[inside]).argmax()
fig, (left, middle) = plt.subplots(1, 2, figsize=(11, 4.6), layout="constrained")
result.plot.scatter(ax=left, features=["income", "age"])
for label, some, color in (("right", right, "C0"), ("wrong", ~right, "C3")):
    middle.scatter(people[some], result.confidence[some], s=10, c=color, label=label)
middle.set(xscale="log", xlabel="people", ylabel="confidence", title="labels")
middle.legend()
plt.show()
