"""
Is a confidence of 0.8 right 8 times out of 10?
===============================================

True values come from two overlapping Gaussians, and each is measured with an error of
known size. `WorldConsensus` runs k-means in 100 worlds; an object's confidence is the
share of worlds that agree with its label. If worlds are drawn from the right
distribution of the true values, this share is the probability that the true value is in
the cluster.

The library is given two distributions. The *right* one is that of the true value given
the measurement. It is shifted towards the middle of the groups, because very large
values are mostly due to errors. The other is the *error bar* around the measurement,
which is often used instead.
"""

import matplotlib.pyplot as plt
import numpy as np
from scipy.stats import norm
from sklearn.cluster import KMeans

import incerta as ic

CENTERS = np.array([-1.5, 1.5])
N_WORLDS = 100


def measured(n, rng):
    """Return true values, measurements and their errors."""
    true = rng.choice(CENTERS, n) + rng.normal(size=n)
    error = rng.uniform(0.3, 1.5, n)
    return true, true + error * rng.normal(size=n), error


def law_of_the_truth(seen, error, rng):
    """Draw true values given the measurements (Bayes, with the groups known)."""
    weight = norm.pdf(seen[:, None], CENTERS, np.sqrt(1 + error**2)[:, None])
    upper = rng.random((N_WORLDS, len(seen))) < weight[:, 1] / weight.sum(axis=1)
    mean = (seen + error**2 * CENTERS[upper.astype(int)]) / (1 + error**2)
    draws = mean + error / np.sqrt(1 + error**2) * rng.normal(size=upper.shape)
    return ic.from_worlds(draws[:, :, None])


rng = np.random.default_rng(0)
answers = {"right law": [], "error bar": []}
for seed in range(3):
    true, seen, error = measured(1500, rng)
    laws = {
        "right law": law_of_the_truth(seen, error, rng),
        "error bar": ic.from_gaussian(seen[:, None], std=error[:, None]),
    }
    for name, data in laws.items():
        found = ic.WorldConsensus(
            KMeans(2, n_init=3), N_WORLDS, n_clusters=2, random_state=seed
        ).fit(data)
        # The cluster with the larger mean is that of the values above zero.
        upper = np.argmax([seen[found.labels_ == c].mean() for c in range(2)])
        correct = (found.labels_ == upper) == (true > 0)
        answers[name].append((found.confidence_, correct))

# %%
# Objects in bins of confidence; the band is 0.05 around the diagonal.

fig, (curve, counts) = plt.subplots(
    2, 1, figsize=(6, 6.5), height_ratios=[3, 1], sharex=True, layout="constrained"
)
edges = np.linspace(0.5, 1.0, 6)
curve.fill_between(edges, edges - 0.05, edges + 0.05, color="0.9")
curve.plot(edges, edges, color="0.5", linewidth=1)
for (name, pairs), color in zip(answers.items(), ["#0072B2", "#D55E00"], strict=True):
    confidence, correct = (np.concatenate(each) for each in zip(*pairs, strict=True))
    bins = np.clip(np.digitize(confidence, edges) - 1, 0, len(edges) - 2)
    n = np.bincount(bins, minlength=len(edges) - 1)
    said = np.bincount(bins, confidence, len(edges) - 1) / n
    right = np.bincount(bins, correct, len(edges) - 1) / n
    gap = np.abs(said - right).max()
    curve.plot(said, right, "o-", color=color, label=f"{name}: within {gap:.3f}")
    counts.step(edges, np.append(n, n[-1]), where="post", color=color)
curve.set(ylabel="share that is right", xlim=(0.5, 1.0), ylim=(0.4, 1.02))
curve.legend(loc="lower right")
counts.set(xlabel="confidence", ylabel="objects")
plt.show()
