"""Eqs. 2 to 6 written out: three loops in float64."""

import numpy as np


def log_density(x, world, h):
    terms = [
        -0.5 * sum(((x[j] - o[j]) / h[j]) ** 2 for j in range(len(h))) for o in world
    ]
    norm = np.log(len(world)) + np.log(h).sum() + len(h) / 2 * np.log(2 * np.pi)
    return np.logaddexp.reduce(terms) - norm


def silverman(worlds):
    """1.06 σ n^(-1/5), with the rules for features without spread."""
    n = worlds.shape[1]
    pooled = worlds.reshape(-1, worlds.shape[2]).std(axis=0)
    sd = worlds.std(axis=1, ddof=1) if n > 1 else np.zeros_like(worlds[:, 0])
    return 1.06 * np.maximum(sd, 1e-3 * pooled) * n ** (-1 / 5)


def jensen_shannon(worlds, h=None):
    worlds = np.asarray(worlds, dtype=np.float64)
    spread = np.ptp(worlds.reshape(-1, worlds.shape[2]), axis=0)
    worlds = worlds[:, :, spread > 0]
    if worlds.shape[2] == 0:
        return np.zeros((len(worlds), len(worlds)))
    h = silverman(worlds) if h is None else h
    m = len(worlds)
    J = np.zeros((m, m))
    for p in range(m):
        for q in range(m):
            for one, other in ((p, q), (q, p)):
                for x in worlds[one]:
                    f = log_density(x, worlds[one], h[one])
                    g = log_density(x, worlds[other], h[other])
                    mixture = np.logaddexp(f, g) - np.log(2)
                    J[p, q] += (f - mixture) / (2 * len(worlds[one]))
    return np.clip(J, 0, None)
