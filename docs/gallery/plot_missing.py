"""
Missing values, without imputing them
=====================================

A fifth of the values is missing. A table with filled gaps looks more certain than it
is. With `missing="infinite"`, a missing value is a value with an infinite error, and
`ErrorMixture` needs nothing else.
"""

import warnings

import matplotlib.pyplot as plt
import numpy as np
from sklearn.cluster import KMeans

import incerta as ic

rng = np.random.default_rng(0)
kind = rng.integers(3, size=300)
usual = rng.normal(size=(3, 5)) * 1.6
mixed = np.linalg.cholesky(0.6 * np.ones((5, 5)) + 0.4 * np.eye(5))
truth = usual[kind] + rng.normal(size=(300, 5)) @ mixed.T * 0.8
error = 0.3 * rng.lognormal(0.0, 0.5, size=(300, 5))
values = truth + error * rng.normal(size=(300, 5))
values[rng.random((300, 5)) < 0.2] = np.nan

names = ["a", "b", "c", "d", "e"]
columns = {"id": np.arange(300)}
for j, name in enumerate(names):
    columns[name], columns[f"{name}_error"] = values[:, j], error[:, j]
told = {"id": "id", "values": names, "errors": "{}_error"}
data = ic.from_frame(columns, **told, missing="infinite")
print(data)

# %% Gaps filled with means, gaps filled with random draws given the known values, and
# gaps left as they are.

filled = np.where(np.isnan(values), np.nanmean(values, axis=0), values)
naive = KMeans(3, n_init=10, random_state=0).fit(filled / filled.std(axis=0))
with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # it counts what was imputed
    imputed = ic.from_frame(columns, **told, missing="impute")
answers = {
    "k-means, means filled in": naive.labels_,
    "values imputed": ic.cluster(imputed, k=3).labels,
    "kept missing": (result := ic.cluster(data, k=3)).labels,
}
scores = {
    name: ic.metrics.clustering_accuracy(kind, labels)
    for name, labels in answers.items()
}
for name, score in scores.items():
    print(f"{name}: ACC {score:.3f}")

# %% Objects with fewer known values have a lower confidence.

n_missing = np.isnan(values).sum(axis=1)
fig, (left, right) = plt.subplots(1, 2, figsize=(10, 4.2), layout="constrained")
left.barh(list(scores)[::-1], list(scores.values())[::-1], color=["C0", "0.6", "0.6"])
left.set(xlim=(0.5, 1.0), xlabel="ACC")
right.boxplot(
    [result.confidence[n_missing == m] for m in range(4)], tick_labels=range(4)
)
right.set(xlabel="missing values of an object", ylabel="confidence")
plt.show()
