"""
Replicates, and uninformative markers
=====================================

240 samples were measured three to six times each, some more carefully than others. Four
of ten markers separate the three kinds of samples. Repeated measurements of one
quantity are errors (`meaning="error"`): an object is its mean, with an error. Three
values give a poor estimate of the error, so variances are pooled over all samples, and
over the markers of a sample.

Errors help because they differ between samples; with equal errors k-means is as good
(see :doc:`/meaning`).
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.cluster import KMeans

import incerta as ic

rng = np.random.default_rng(0)
kind = rng.integers(3, size=240)
usual = np.zeros((3, 10))
usual[:, :4] = np.array([[1, 1, 0, 0], [0, -1, 1, 0], [0, 0, -1, -1]]) * 1.7
differ = np.r_[np.full(4, 0.5), np.zeros(3), np.ones(3)]
truth = usual[kind] + differ * rng.normal(size=(240, 10))

counts = rng.integers(3, 7, size=240)
sample = np.repeat(np.arange(240), counts)
error = rng.lognormal(0.0, 0.7, size=(240, 1)) * np.r_[np.ones(4), np.full(6, 3.0)]
values = truth[sample] + error[sample] * rng.normal(size=(len(sample), 10))

names = [f"marker {j}" for j in range(10)]
data = ic.from_samples(values, sample, feature_names=names, meaning="error")
print(data)

# %% k-means on the means, k-means on scaled means, and the replicates as errors.

means = data.mean()
answers = {
    "k-means on means": KMeans(3, n_init=10, random_state=0).fit_predict(means),
    "k-means, one scale": KMeans(3, n_init=10, random_state=0).fit_predict(
        means / means.std(axis=0)
    ),
}
result = ic.cluster(data, k=3)
answers["replicates as errors"] = result.labels
for name, labels in answers.items():
    print(f"{name}: ACC {ic.metrics.clustering_accuracy(kind, labels):.3f}")
print(f"mean confidence {result.confidence.mean():.3f}")
print(result.explain())

# %% The share of the observed variance of each marker that is not error.

shares = ic.Deconvolver().fit(data).reliability_
fig, (left, right) = plt.subplots(1, 2, figsize=(11, 4.4), layout="constrained")
left.barh(names[::-1], shares[::-1], color=["0.7"] * 6 + ["C0"] * 4)
left.set(xlabel="share of the variance that is not error", xlim=(0, 1))
result.plot.scatter(ax=right)
plt.show()
