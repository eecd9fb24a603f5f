"""Wide tables of known structure."""

import numpy as np

import incerta as ic


def factor_table(seed, n=120, d=40, q=2, level=0.6, gaps=0.0):
    """Places, loadings, and measured values with unequal errors."""
    rng = np.random.default_rng([seed, 3])
    places, loadings = rng.normal(size=(n, q)), rng.normal(size=(d, q))
    truth = places @ loadings.T + 0.5 * rng.normal(size=(n, d))
    std = level * np.exp(0.6 * rng.normal(size=(n, 1)) + 0.3 * rng.normal(size=(n, d)))
    values = truth + std * rng.normal(size=(n, d))
    values[rng.random((n, d)) < gaps] = np.nan
    return places, loadings, values, std


def noise(seed, n, d, level=0.6, uneven=0.8, tails=False, gaps=0.0):
    """Independent features with errors of unequal size."""
    rng = np.random.default_rng([seed, 5])
    truth = rng.standard_t(4, size=(n, d)) if tails else rng.normal(size=(n, d))
    std = level * np.exp(uneven * rng.normal(size=(n, 1)) + np.zeros((n, d)))
    values = truth + std * rng.normal(size=(n, d))
    values[rng.random((n, d)) < gaps] = np.nan
    return values, std


def few_tell(seed, n, d, informative, k=4, shift=3.0, level=0.3):
    """Clusters that show in a few of many features."""
    rng = np.random.default_rng([seed, n, d])
    classes = rng.integers(k, size=n)
    truth = rng.normal(size=(n, d))
    truth[:, :informative] += shift * rng.normal(size=(k, informative))[classes]
    std = level * np.exp(0.5 * rng.normal(size=(n, 1)) + np.zeros((n, d)))
    return truth + std * rng.normal(size=(n, d)), std, classes


def with_errors(values, std):
    return ic.from_gaussian(values, std=std, missing="infinite")
