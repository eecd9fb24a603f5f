"""Variances estimated from few values, moderated by those of all objects.

A variance of three values is a poor estimate. Each is shrunk towards the typical
variance of its feature, and towards the other features of its object: an object that
was measured badly once was often measured badly throughout.

G. K. Smyth, "Linear models and empirical Bayes methods for assessing differential
expression in microarray experiments", Stat. Appl. Genet. Mol. Biol. 3, 2004.
M. E. Ritchie et al., "Empirical array quality weights in the analysis of microarray
data", BMC Bioinformatics 7, 2006.
"""

from typing import NamedTuple

import numpy as np
from scipy.special import digamma, polygamma

from incerta.typing import Array

# Variances below this share of the median are due to rounding.
LEAST_VARIANCE = 1e-5
# Rounds for the factors of the objects; each removes most of the error.
MOST_ROUNDS, SAME_FACTOR = 50, 1e-6
TINY = float(np.finfo(np.float64).tiny)


class Pooled(NamedTuple):
    """The common part of the variances of objects."""

    variances: Array  # (d,), s0², typical variance of each feature
    freedom: Array  # (d,), d0, its weight in values; infinite if all are alike
    factors: Array  # (n,), factor of each object on the variances of its features


def pool(variances: Array, freedom: Array, correlation: Array | None = None) -> Pooled:
    """Pool variances s² with their degrees of freedom d.

    Both have the shape (n_objects, n_features). Variances with d = 0 are not used, and
    every feature needs another one. `correlation` (n_features, n_features) is that of
    the errors of features, by default 0.

    True variances are modeled as ``s0² f / g``, where 1/f, of the object, and g, of
    object and feature, have scaled chi-square laws. log s² then has the variance
    ``ψ'(d/2) + ψ'(d0/2) + v``, and two features of one object the covariance ``v + ρ²
    ψ'(d/2)``, which give v and d0 by moments. The factors are the most probable ones.
    """
    several = freedom > 0
    known = np.where(several, freedom, 1.0)
    usual = (freedom * variances).sum(axis=0) / freedom.sum(axis=0)
    median = np.nanmedian(np.where(several, variances, np.nan), axis=0)
    least = LEAST_VARIANCE * np.where(median > 0.0, median, usual)
    varies = least > 0.0  # otherwise all values of all objects are equal
    logs = np.log(np.maximum(variances, np.where(varies, least, 1.0)))
    logs -= digamma(known / 2) - np.log(known / 2)
    by_chance = polygamma(1, known / 2)
    weights = several / by_chance
    center = (weights * logs).sum(axis=0) / weights.sum(axis=0)

    gaps = np.where(varies, logs - center, 0.0)
    own, common = _spreads(gaps, weights, by_chance, correlation)
    of_objects = _freedom(np.array([common]))[0]
    of_features = _freedom(own)
    # Variances differ by chance only: use their mean, not the mean of logarithms.
    alike = np.isinf(of_features) & np.isinf(of_objects)
    center += _log_bias(of_features) + _log_bias(of_objects)
    center = np.where(alike | ~varies, usual, np.exp(center))
    factors = np.ones(len(variances))
    if np.isfinite(of_objects):
        used = np.where(varies, freedom, 0.0)
        ratios = np.where(used > 0, variances, 0.0) / np.where(varies, center, 1.0)
        factors = _factors(ratios, used, of_features, of_objects)
    return Pooled(center, of_features, factors)


def moderated(variances: Array, freedom: Array, pooled: Pooled) -> Array:
    """Return variances shrunk to typical ones: ``(d0 s0² f + d s²) / (d0 + d)``."""
    usual = pooled.variances * pooled.factors[:, None]
    return usual + _part(freedom, pooled.freedom) * (variances - usual)


def _spreads(
    gaps: Array, weights: Array, by_chance: Array, correlation: Array | None
) -> tuple[Array, float]:
    """Return variances of true log variances: by feature, and common to an object.

    Sampling errors of two features are independent unless the values are correlated, so
    their covariance is due to the object.
    """
    together = weights.T @ weights
    weighted = weights * gaps
    products = weighted.T @ weighted
    rho = np.eye(len(together)) if correlation is None else correlation
    products -= rho**2 * ((weights * by_chance).T @ weights)
    pairs = ~np.eye(len(together), dtype=bool)
    common = float(products[pairs].sum() / max(together[pairs].sum(), TINY))
    return np.diag(products / together) - max(common, 0.0), max(common, 0.0)


def _factors(
    ratios: Array, freedom: Array, of_features: Array, of_objects: float
) -> Array:
    """Return the most probable factor of each object.

    `ratios` follow ``f F(d, d0)``, where d is their `freedom` and d0 `of_features`;
    `of_objects` is the weight, in values, of the typical factor 1.
    """
    factors = np.ones(len(ratios))
    total = of_objects + freedom.sum(axis=1)
    for _ in range(MOST_ROUNDS):
        relative = ratios / factors[:, None]
        # (d + d0) / (d0 + d u / f): a variance far too large for its object has little
        # weight.
        weights = 1.0 / (1.0 + _part(freedom, of_features) * (relative - 1.0))
        after = (of_objects + (weights * freedom * ratios).sum(axis=1)) / total
        change = np.abs(np.log(after / factors)).max()
        factors = after
        if change < SAME_FACTOR:
            break
    return factors


def _part(freedom: Array, of_prior: Array) -> Array:
    """Return ``d / (d + d0)``, 0 if d0 is infinite."""
    return freedom / np.where(np.isinf(of_prior), np.inf, freedom + of_prior)


def _log_bias(freedom: Array) -> Array:
    """Return the mean log of a chi-square value per degree of freedom."""
    half = np.where(np.isinf(freedom), 1.0, freedom / 2)
    bias: Array = np.where(np.isinf(freedom), 0.0, digamma(half) - np.log(half))
    return bias


def _freedom(spread: Array) -> Array:
    """Return degrees of freedom for a variance of log variances; infinite for 0."""
    value = np.where(spread > 0.0, spread, 1.0)
    # Solve ψ'(x) = value by Newton's method on 1 / ψ', which is nearly linear.
    x = 0.5 + 1.0 / value
    for _ in range(50):
        trigamma = polygamma(1, x)
        step = trigamma * (1.0 - trigamma / value) / polygamma(2, x)
        x = x + step
        if (np.abs(step) < 1e-10 * x).all():
            break
    return np.where(spread > 0.0, 2.0 * x, np.inf)
