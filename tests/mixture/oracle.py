"""Extreme deconvolution by the letter: loops over objects and components."""

import numpy as np
from scipy.stats import multivariate_normal


def belief_about(w, S, known, weights, means, covariances, projections=None):
    """Shares (n, k), centers (n, k, d) and covariances (n, k, d, d) of the truth."""
    n, (k, d) = len(w), means.shape
    if projections is None:
        projections = np.broadcast_to(np.eye(d), (n, d, d))
    q, b, B = np.zeros((n, k)), np.zeros((n, k, d)), np.zeros((n, k, d, d))
    density = np.zeros(n)
    for i in range(n):
        seen = np.flatnonzero(known[i])
        R = projections[i][seen]
        for c in range(k):
            V = covariances[c]
            T = R @ V @ R.T + S[i][np.ix_(seen, seen)]
            gap = w[i, seen] - R @ means[c]
            gain = V @ R.T @ np.linalg.inv(T)
            b[i, c] = means[c] + gain @ gap
            B[i, c] = V - gain @ R @ V
            q[i, c] = weights[c]
            if len(seen):
                q[i, c] *= multivariate_normal.pdf(gap, np.zeros(len(seen)), T)
        density[i] = q[i].sum()
        q[i] /= density[i]
    return q, b, B, np.log(density)


def em_round(
    w,
    S,
    known,
    weights,
    means,
    covariances,
    prior_weight,
    prior_variances,
    labels=None,
    projections=None,
):
    """One round; returns log densities before it, and what comes after it."""
    q, b, B, logs = belief_about(w, S, known, weights, means, covariances, projections)
    for i, label in enumerate([] if labels is None else labels):
        if label >= 0:
            logs[i] += np.log(q[i, label])
            q[i] = np.eye(len(weights))[label]
    totals = np.maximum(q.sum(axis=0), 1e-300)
    new_means = np.einsum("nk,nkd->kd", q, b) / totals[:, None]
    gap = b - new_means
    spread = np.einsum("nk,nki,nkj->kij", q, gap, gap) + np.einsum("nk,nkij->kij", q, B)
    spread += prior_weight * np.diag(prior_variances)
    spread /= (totals + prior_weight)[:, None, None]
    return logs, totals / len(w), new_means, spread
