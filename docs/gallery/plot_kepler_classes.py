"""
Kepler: planet or false positive?
=================================

Many objects of interest of the Kepler mission are now known to be planets, or false
positives such as eclipsing binary stars. Their catalog has an error for each value. Can
a classifier that accounts for the errors separate them better than a random forest on
the values alone? Here it cannot, and this page shows why.

``paper.datasets``, in a clone of the repository, fetches the table once, or reads it
from the folder named by ``INCERTA_DATA``. Durations, depths and radii are positive and
skewed, so they are replaced by their logarithms, with relative errors. Unequal errors
above and below are replaced by their mean.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.discriminant_analysis import QuadraticDiscriminantAnalysis
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import cross_val_predict

import incerta as ic
from paper.datasets import fetch_kepler

kepler = fetch_kepler(progress=False)
some = np.random.default_rng(0).permutation(len(kepler.target))[:800]
data, is_planet = kepler.data[some], kepler.target[some]
values, errors = data.mean(), np.sqrt(data.variance())
print(data)

# %% Cross-validation in five folds. Brier is the mean squared error of the
# probabilities of both classes: 0 is perfect, and predicting the shares of the classes
# gives 0.45.

forest = RandomForestClassifier(30, random_state=0)
contest = {
    "QDA of the values": (QuadraticDiscriminantAnalysis(), values),
    "ErrorDiscriminant": (ic.ErrorDiscriminant(), data),
    "ErrorDiscriminant(3)": (ic.ErrorDiscriminant(3, n_init=1), data),
    "... values as exact": (ic.ErrorDiscriminant(3, n_init=1), values),
    "forests in six worlds": (
        ic.WorldsClassifier(RandomForestClassifier(5), n_worlds=6),
        data,
    ),
    "forest of the values": (forest, values),
    "forest of the errors": (forest, errors),
    "forest of both": (forest, np.hstack([values, errors])),
}
scores = {}
for name, (classifier, X) in contest.items():
    probable = cross_val_predict(classifier, X, is_planet, method="predict_proba")[:, 1]
    right = np.mean((probable > 0.5) == is_planet)
    scores[name] = right, 2.0 * np.mean((probable - is_planet) ** 2)
    print(f"{name:24} accuracy {right:.3f}   Brier {scores[name][1]:.3f}")

# %%
# One Gaussian for each class is not enough: the classes are not elliptical. With
# three, the errors help `ErrorDiscriminant`, but the forest on the values is better.
# Forests in possible worlds do not improve on it, because the errors are small compared
# with the differences between objects (*reliability* above). :doc:`/classification` has
# a table with more objects and classifiers.
#
# But the sizes of the errors reveal the class. Many confirmed planets have stars with
# small errors, probably because these stars were observed again. A forest with errors
# as features learns this, and would predict whether a new object has been followed up.
# Our classifiers use an error only as the error of its value.

fig, (left, right) = plt.subplots(
    1, 2, figsize=(11, 4.2), width_ratios=[3, 2], layout="constrained"
)
names, found = list(scores), np.array(list(scores.values()))
for kind, color, rows in (
    ("values alone", "0.5", [0, 3, 5]),
    ("values with errors", "#0072B2", [1, 2, 4]),
    ("errors as features", "#D55E00", [6, 7]),
):
    left.scatter(found[rows, 1], rows, c=color, s=60, label=kind)
left.legend()
for row, (accuracy, brier) in enumerate(found):
    left.annotate(f"accuracy {accuracy:.2f}", (brier + 0.01, row), va="center")
left.set_yticks(range(len(names)), names)
left.set(xlabel="Brier score, lower is better", xlim=(0.1, 0.62))
left.invert_yaxis()
column = data.feature_names.index("log_star_radius")
size = 100.0 * (10.0 ** errors[:, column] - 1.0)
for c, color in enumerate(["#D55E00", "#0072B2"]):
    right.hist(
        size[is_planet == c],
        bins=np.geomspace(1.0, 100.0, 30),
        histtype="step",
        density=True,
        color=color,
        label=kepler.target_names[c],
    )
right.set(xscale="log", xlabel="error of the star's radius in %", yticks=[])
right.legend()
plt.show()
