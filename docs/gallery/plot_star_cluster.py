"""
A star cluster in a field, with correlated errors
=================================================

500 of 2000 stars belong to a cluster, with the same motion and distance. The errors of
proper motions and parallaxes are correlated, and about twenty times larger for faint
stars than for bright ones. Clustering the values mistakes faint members for field
stars; `ErrorMixture` accounts for the errors.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.metrics import f1_score
from sklearn.mixture import GaussianMixture

import incerta as ic

rng = np.random.default_rng(0)
names = ["motion in ra", "motion in dec", "parallax"]
is_member = np.arange(2000) < 500
field = rng.normal([0.0, -2.0, 1.5], [6.0, 6.0, 1.0], size=(2000, 3))
members = rng.normal([4.0, -6.0, 2.2], [0.15, 0.15, 0.05], size=(2000, 3))
truth = np.where(is_member[:, None], members, field)

# Errors grow with magnitude; those of the two motions are correlated.
size = 0.05 * 10 ** rng.uniform(0.0, 1.3, size=2000)
correlation = np.array([[1.0, 0.6, 0.2], [0.6, 1.0, -0.3], [0.2, -0.3, 1.0]])
unit = np.array([1.0, 1.0, 0.5])
cov = size[:, None, None] ** 2 * correlation * unit * unit[:, None]
noise = np.einsum("nij,nj->ni", np.linalg.cholesky(cov), rng.normal(size=(2000, 3)))
values = truth + noise

data = ic.from_gaussian(values, cov=cov, feature_names=names)
print(data)

# %%
# The same mixture, without and with the errors.

naive = GaussianMixture(2, n_init=5, random_state=0).fit(values)
widths = [np.linalg.det(cov) for cov in naive.covariances_]
said_naively = naive.predict(values) == np.argmin(widths)

mixture = ic.ErrorMixture(2, random_state=0).fit(data)
tight = np.argmin([np.linalg.det(cov) for cov in mixture.covariances_])
said = mixture.labels_ == tight
print(f"without errors: F1 {f1_score(is_member, said_naively):.3f}")
print(f"with errors:    F1 {f1_score(is_member, said):.3f}")
true_width = members[is_member].std(axis=0)
print("widths of the cluster:", true_width.round(2))
print(
    "found without errors: ",
    np.sqrt(np.diag(naive.covariances_[np.argmin(widths)])).round(2),
)
print("found with errors:    ", np.sqrt(np.diag(mixture.covariances_[tight])).round(2))

# %% Without the errors, faint members, whose errors are large, are missed.

fig, axes = plt.subplots(1, 2, figsize=(11, 4.6), layout="constrained", sharey=True)
for ax, name, labels in (
    (axes[0], "values only", said_naively),
    (axes[1], "values with errors", said),
):
    missed = is_member & ~labels
    wrong = ~is_member & labels
    ax.scatter(*values[~labels & ~is_member, :2].T, s=4, c="0.75", label="field")
    ax.scatter(*values[labels & is_member, :2].T, s=5, c="C0", label="members found")
    ax.scatter(*values[missed, :2].T, s=14, c="C3", marker="x", label="members missed")
    ax.scatter(*values[wrong, :2].T, s=14, c="C1", marker="+", label="wrongly taken")
    ax.set(title=name, xlabel=names[0], xlim=(-2, 10), ylim=(-12, 0))
axes[0].set_ylabel(names[1])
axes[0].legend(loc="upper left", fontsize=8)
plt.show()
