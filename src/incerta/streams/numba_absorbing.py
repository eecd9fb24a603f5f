"""Objects into micro-clusters: the numba version of the numpy steps.

Imported only where the extra ``fast`` is installed; compiled once and cached. What it
does, and why, is explained in `incerta.streams.absorbing`.
"""

import numba
import numpy as np

from incerta.streams.sketch import LITTLE
from incerta.typing import Array, Indices


@numba.njit(cache=True, fastmath={"contract"})
def absorb_all(  # type: ignore[no-untyped-def]
    weight: Array,
    mean: Array,
    scatter: Array,
    error: Array,
    number: Indices,
    last: Array,
    id: Indices,
    n: int,
    next_id: int,
    values: Array,
    variances: Array,
    ages: Array,
    times: Array,
    factor: float,
    rate: float,
    joined: Indices,
):
    """Put objects into micro-clusters, in their order."""
    d, n_joined = values.shape[1], 0
    blur = np.empty(len(weight))  # Σ error / weight², which growth is a factor of
    for c in range(n):
        blur[c] = error[c].sum() / weight[c] ** 2
    for i in range(len(values)):
        growth = 2.0 ** (rate * ages[i])
        own = 0.0
        for j in range(d):
            own += variances[i, j]
        c, least = -1, np.inf
        for k in range(n):
            apart = blur[k] * growth
            for j in range(d):
                gap = values[i, j] - mean[k, j]
                apart += gap * gap
            if apart < least:
                c, least = k, apart
        if c < 0 or least + own > _bound(
            weight, mean, scatter, error, number, n, c, growth, factor
        ):
            c = n
            if n < len(weight):
                n += 1
            else:
                c, other = _place(weight, mean, scatter, error, number, last, growth)
                if other >= 0:
                    joined[n_joined, 0] = max(id[c], id[other])
                    joined[n_joined, 1] = min(id[c], id[other])
                    id[other] = joined[n_joined, 1]
                    n_joined += 1
                    blur[other] = error[other].sum() / weight[other] ** 2
            weight[c], number[c] = 0.0, 0
            scatter[c], error[c] = 0.0, 0.0
            mean[c] = values[i]
            id[c] = next_id
            next_id += 1
        weight[c] += growth
        share = growth / weight[c]
        errors = 0.0
        for j in range(d):
            gap = values[i, j] - mean[c, j]
            mean[c, j] += gap * share
            scatter[c, j] += growth * gap * (values[i, j] - mean[c, j])
            error[c, j] += growth * variances[i, j]
            errors += error[c, j]
        blur[c] = errors / weight[c] ** 2
        number[c] += 1
        last[c] = times[i]
    return n, next_id, n_joined


@numba.njit(cache=True, fastmath={"contract"})
def _place(  # type: ignore[no-untyped-def]
    weight, mean, scatter, error, number, last, growth
):
    """Row that is free for a new micro-cluster, and that it was joined to, or −1."""
    oldest = int(last.argmin())
    if weight[oldest] < LITTLE * growth:
        return oldest, -1
    q, d = mean.shape
    a, b, least = 0, 1, np.inf
    for k in range(q):
        for m in range(k + 1, q):
            apart = 0.0
            for j in range(d):
                gap = mean[k, j] - mean[m, j]
                apart += gap * gap
            if apart < least:
                a, b, least = k, m, apart
    total = weight[a] + weight[b]
    share = weight[b] / total
    for j in range(d):
        gap = mean[b, j] - mean[a, j]
        scatter[a, j] += scatter[b, j] + weight[a] * share * gap * gap
        mean[a, j] += share * gap
        error[a, j] += error[b, j]
    weight[a] = total
    number[a] += number[b]
    last[a] = max(last[a], last[b])
    return b, a


@numba.njit(cache=True, fastmath={"contract"})
def _bound(  # type: ignore[no-untyped-def]
    weight, mean, scatter, error, number, n, c, growth, factor
):
    """Squared distance up to which objects belong to a micro-cluster."""
    d = mean.shape[1]
    if number[c] == 1:
        least = np.inf
        for k in range(n):
            if k == c:
                continue
            apart = 0.0
            for j in range(d):
                gap = mean[k, j] - mean[c, j]
                apart += gap * gap
            least = min(least, apart)
        return 0.0 if n == 1 else least / 4.0
    squares = 0.0
    for j in range(d):
        squares += scatter[c, j] + (1.0 + growth / weight[c]) * error[c, j]
    return factor * factor * squares / weight[c]
