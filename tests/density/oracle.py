"""Density by brute force: over all combinations of the values of all objects."""

from itertools import product

import numpy as np


def combinations(objects):
    """All worlds of objects given as (values, weights), with their probabilities."""
    for places in product(*(range(len(values)) for values, _ in objects)):
        world = np.array([values[a] for (values, _), a in zip(objects, places)])
        weight = np.prod([weights[a] for (_, weights), a in zip(objects, places)])
        yield world, weight


def close(world, eps):
    gaps = world[:, None] - world[None]
    return (gaps**2).sum(axis=2) <= eps * eps


def within(objects, eps):
    return sum(weight * close(world, eps) for world, weight in combinations(objects))


def exact(objects, eps, m):
    """Core and reachability probabilities, no assumption made."""
    n = len(objects)
    core, reached = np.zeros(n), np.zeros((n, n))
    for world, weight in combinations(objects):
        near = close(world, eps)
        is_core = near.sum(axis=1) >= m
        core += weight * is_core
        reached += weight * (near & is_core[:, None])
    return core, reached


def subsets(probabilities, m):
    """P(at least m of independent events), over all subsets of them."""
    total = 0.0
    for happens in product((False, True), repeat=len(probabilities)):
        if sum(happens) >= m:
            chances = np.where(happens, probabilities, 1.0 - np.asarray(probabilities))
            total += np.prod(chances)
    return total


def marginal(table, m):
    """Core and reachability probabilities as if distances were independent."""
    n = len(table)
    core = np.array([subsets(table[o], m) for o in range(n)])
    reached = np.array(
        [
            [table[o, p] * subsets(np.delete(table[o], p), m - 1) for p in range(n)]
            for o in range(n)
        ]
    )
    return core, reached


def labels(core, reached, core_threshold, reach_threshold, noise_below, alone=False):
    """Clusters by repeated scanning, from the definition."""
    n = len(core)
    found = np.arange(n)
    is_core = core >= core_threshold
    if not alone:
        others = reached * (1 - np.eye(n))
        is_core &= others.max(axis=1, initial=0.0) >= reach_threshold
    for _ in range(n):
        for o in range(n):
            for p in range(n):
                joined = is_core[o] and is_core[p] and reached[o, p] >= reach_threshold
                if joined:
                    found[[o, p]] = min(found[o], found[p])
    out = np.where(is_core, found, -1)
    for p in np.flatnonzero(~is_core):
        chances = np.where(is_core, reached[:, p], -1.0)
        best = int(chances.argmax())
        if chances[best] > 0 and chances[best] >= noise_below:
            out[p] = out[best]
    names = {}
    return np.array([-1 if k < 0 else names.setdefault(k, len(names)) for k in out])
