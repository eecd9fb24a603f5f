"""Merge components of one cluster: a bent or skewed cluster needs several."""

import numpy as np
from scipy.special import ndtri, xlogy

from incerta import settings
from incerta.backend.keyed import keys_of, stream_keys, uniforms
from incerta.backend.memory import blocks
from incerta.mixture.expectation import log_densities
from incerta.mixture.model import Components, without_errors
from incerta.typing import Array, Indices

N_DRAWS = 4000
# With thousands of features, draw fewer values to limit memory.
FEWEST_DRAWS, MOST_NUMBERS = 200, 4_000_000
STEPS = 21  # places on the line between two means


def merged(components: Components, seed: int, n_named: int = 0) -> Indices:
    """Return the cluster of each component, numbered from 0 in their order.

    Merge the two clusters that overlap most until no pair leaves more than 0.35 of the
    entropy of its shares open, or more than 0.1 with no valley in between. The first
    `n_named` components stay apart.
    """
    if components.n_components == 1:
        return np.zeros(1, dtype=np.intp)
    alone = components._replace(
        ranges=None, weights=components.weights / components.weights.sum()
    )
    shares, lowest = _shares_of_draws(alone, seed), _lowest_between(alone)
    groups = np.arange(components.n_components)
    while len(shares) > 1:
        open_parts = _open_parts(shares)
        open_parts[:n_named, :n_named] = 0.0
        most = np.where(
            lowest >= settings.NO_VALLEY, settings.SOME_OPEN, settings.MOST_OPEN
        )
        open_parts[open_parts <= most] = 0.0
        a, b = np.unravel_index(int(open_parts.argmax()), open_parts.shape)
        if open_parts[a, b] == 0.0:
            break
        shares[a] += shares[b]
        shares = np.delete(shares, b, axis=0)
        lowest[a] = lowest[:, a] = np.maximum(lowest[a], lowest[b])
        lowest = np.delete(np.delete(lowest, b, axis=0), b, axis=1)
        groups[groups == b] = a
        groups[groups > b] -= 1
    return groups


def _shares_of_draws(components: Components, seed: int) -> Array:
    """Return component probabilities of values drawn from the mixture, (k, n)."""
    n_features = components.means.shape[1]
    n_draws = min(N_DRAWS, max(FEWEST_DRAWS, MOST_NUMBERS // n_features))
    draws = drawn(components, n_draws, seed)
    return np.exp(log_densities(without_errors(draws), components).shares)


def _lowest_between(components: Components) -> Array:
    """Return the lowest density between means, relative to the lower end, (k, k)."""
    k, d = components.means.shape
    lowest, share = np.ones((k, k)), np.linspace(0.0, 1.0, STEPS)[:, None]
    ones, others = np.triu_indices(k, 1)
    for block in blocks(len(ones), STEPS * d, MOST_NUMBERS):
        a, b = ones[block], others[block]
        starts, ends = components.means[a, None], components.means[b, None]
        places = ((1.0 - share) * starts + share * ends).reshape(-1, d)
        heights = log_densities(without_errors(places), components).totals
        heights = heights.reshape(-1, STEPS)
        ratio = heights.min(axis=1) - np.minimum(heights[:, 0], heights[:, -1])
        lowest[a, b] = lowest[b, a] = np.exp(ratio)
    return lowest


def drawn(components: Components, n: int, seed: int) -> Array:
    """Draw values from a mixture, without its noise component, shape (n, d)."""
    d = components.means.shape[1]
    keys = keys_of(np.arange(n))[:, None] + keys_of(np.arange(1 + d))
    u = uniforms(stream_keys(seed, 4, np.zeros(1, np.intp)), keys)[0]
    edges = np.cumsum(components.weights / components.weights.sum())[:-1]
    picked = np.searchsorted(edges, u[:, 0], side="right")
    out = np.empty((n, d))
    for k in range(components.n_components):
        here = picked == k
        if components.covariances.ndim == 2:
            # Sort by variance, as an eigendecomposition would.
            order = np.argsort(components.covariances[k], kind="stable")
            roots = np.sqrt(components.covariances[k][order])
            found = components.means[k][order] + ndtri(u[here, 1:]) * roots
            out[np.ix_(here, order)] = found
            continue
        values, vectors = np.linalg.eigh(components.covariance_of(k))
        root = vectors * np.sqrt(np.clip(values, 0.0, None))
        out[here] = components.means[k] + ndtri(u[here, 1:]) @ root.T
    return out


def _open_parts(shares: Array) -> Array:
    """Return the share of entropy that remains given a value, for each pair, (k, k)."""
    k = len(shares)
    out = np.zeros((k, k))
    for a in range(k):
        others = shares[a + 1 :]
        given = _entropy(shares[a], others).sum(axis=1)
        before = _entropy(shares[a].sum(), others.sum(axis=1))
        out[a, a + 1 :] = np.divide(given, before, out=given, where=before > 0.0)
    return out


def _entropy(one: Array, other: Array) -> Array:
    """Return ``(a + b) H(a / (a + b))``."""
    both = one + other
    return np.asarray(xlogy(both, both) - xlogy(one, one) - xlogy(other, other), float)
