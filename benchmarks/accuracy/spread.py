"""Simulated objects with many values, whose means or distributions differ.

Each function returns a list of arrays, the values of each object, and the classes. What
k-means on the means can find is in some of them all there is, in some nothing.
"""

import numpy as np
from sklearn import datasets

N_OBJECTS = 300


def replicates(rng):
    """Three groups eight deviations apart in one feature, another one pure noise."""
    target = rng.integers(3, size=N_OBJECTS)
    means = np.stack([8.0 * target, 0.0 * target], axis=1)
    means = means + rng.normal(size=means.shape)
    return [mean + rng.normal(size=(40, 2)) for mean in means], target


def assays(rng):
    """Six replicates of eight features, three informative; some objects are worse."""
    target = rng.integers(4, size=N_OBJECTS)
    centers = np.zeros((4, 8))
    centers[:, :3] = 2.0 * rng.normal(size=(4, 3))
    means = centers[target] + rng.normal(size=(N_OBJECTS, 8))
    width = np.exp(0.8 * rng.normal(size=N_OBJECTS))
    each = zip(means, width, strict=True)
    return [mean + w * rng.normal(size=(6, 8)) for mean, w in each], target


def sensors(rng):
    """Logs of 5 to 100 readings with heavy tails; three states, which overlap."""
    target = rng.integers(3, size=N_OBJECTS)
    centers = 2.1 * np.eye(3, 4)
    means = centers[target] + rng.normal(size=(N_OBJECTS, 4))
    lengths = rng.integers(5, 101, size=N_OBJECTS)
    each = zip(means, lengths, strict=True)
    return [mean + rng.standard_t(3, size=(m, 4)) for mean, m in each], target


def seasons(rng):
    """Months of ten years: two climates differ in their means, two in the range."""
    target = rng.integers(4, size=N_OBJECTS)
    phase = np.arange(120) * np.pi / 6.0
    mean = np.array([0.0, 0.0, 3.0, 3.0])[target] + rng.normal(size=N_OBJECTS)
    range_ = np.array([2.0, 5.0, 2.0, 5.0])[target] * rng.uniform(0.8, 1.2, N_OBJECTS)
    return [
        np.stack([m + r * np.cos(phase), 0.5 * m + 0.2 * r * np.sin(phase)], axis=1)
        + rng.normal(size=(120, 2))
        for m, r in zip(mean, range_, strict=True)
    ], target


def widths(rng):
    """Three classes: two differ in how wide objects are, one in its mean."""
    target = rng.integers(3, size=N_OBJECTS)
    centers = np.array([[0.0, 0.0], [0.0, 0.0], [4.0, 0.0]])
    means = centers[target] + 0.7 * rng.normal(size=(N_OBJECTS, 2))
    width = np.array([1.0, 2.5, 1.0])[target]
    each = zip(means, width, strict=True)
    return [mean + w * rng.normal(size=(25, 2)) for mean, w in each], target


def modes(rng):
    """One mode or two, with the same means and deviations."""
    target = rng.integers(2, size=N_OBJECTS)
    means = 0.5 * rng.normal(size=(N_OBJECTS, 2))
    objects = []
    for mean, two in zip(means, target, strict=True):
        around = rng.normal(size=(50, 2))
        if two:
            side = rng.choice([-1.0, 1.0], size=50)
            around[:, 0] = 0.9 * side + np.sqrt(1.0 - 0.81) * around[:, 0]
        objects.append(mean + around)
    return objects, target


def correlations(rng):
    """Two features with a positive or a negative correlation."""
    target = rng.integers(2, size=N_OBJECTS)
    means = 0.5 * rng.normal(size=(N_OBJECTS, 2))
    objects = []
    for mean, sign in zip(means, 2 * target - 1, strict=True):
        around = rng.normal(size=(40, 2))
        around[:, 1] = 0.8 * sign * around[:, 0] + 0.6 * around[:, 1]
        objects.append(mean + around)
    return objects, target


def spread_of(load):
    """Return exact values, each the mean of fifteen, with different spreads."""

    def made(rng):
        X, target = load(return_X_y=True)
        chosen = rng.permutation(len(X))[:N_OBJECTS]
        X, target = X[chosen], target[chosen]
        X = X[:, X.std(axis=0) > 0]
        X = (X - X.mean(axis=0)) / X.std(axis=0)
        width = 0.7 * np.exp(0.8 * rng.normal(size=len(X)))
        each = zip(X, width, strict=True)
        return [x + w * rng.normal(size=(15, len(x))) for x, w in each], target

    return made


SPREAD = {
    "replicates": replicates,
    "assays": assays,
    "sensors": sensors,
    "seasons": seasons,
    "widths": widths,
    "modes": modes,
    "correlations": correlations,
    "iris, spread": spread_of(datasets.load_iris),
    "wine, spread": spread_of(datasets.load_wine),
    "digits, spread": spread_of(datasets.load_digits),
}
