"""Eqs. 11 to 15 with dense matrices and full eigen-decompositions."""

import numpy as np


def top(matrix, k):
    return np.linalg.eigh(matrix)[1][:, -k:]


def gap(matrix, k):
    values = np.linalg.eigvalsh(matrix)
    return values[-k] - values[-k - 1] if k < len(values) else 1.0


def consistency(laplacians, k, n_sweeps, weight=1.0):
    """Common projector, objective after each sweep, and the smallest eigengap met."""
    U = [top(L, k) for L in laplacians]
    gaps = [gap(L, k) for L in laplacians]
    objective = []
    for _ in range(n_sweeps):
        total = sum(u @ u.T for u in U)
        gaps.append(gap(total, k))
        common = top(total, k)
        pulled = [L + weight * common @ common.T for L in laplacians]
        gaps += [gap(P, k) for P in pulled]
        U = [top(P, k) for P in pulled]
        objective.append(
            sum(
                np.trace(u.T @ L @ u) + weight * np.square(u.T @ common).sum()
                for u, L in zip(U, laplacians)
            )
        )
    total = sum(u @ u.T for u in U)
    gaps.append(gap(total, k))
    common = top(total, k)
    return common @ common.T, objective, min(gaps)
