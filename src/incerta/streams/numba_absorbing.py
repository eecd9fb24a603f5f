"""Objects into micro-clusters: the numba version of the numpy steps.

Imported only where the extra ``fast`` is installed; compiled once and cached. What it
does, and why, is explained in `incerta.streams.absorbing`.
"""

import numba
import numpy as np

from incerta.streams.sketch import EQUAL, LITTLE
from incerta.typing import Array, Indices


@numba.njit(cache=True, fastmath={"contract"})
def absorb_all(
    weight: Array,
    squares: Array,
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
    existence: Array,
    sure: bool,
    factor: float,
    rate: float,
    fills: bool,
    joined: Indices,
    into: Indices,
):
    """Put objects into micro-clusters, in their order."""
    d, n_joined = values.shape[1], 0
    blur = np.empty(len(weight))  # of the centres, which growth is a factor of
    for c in range(n):
        blur[c] = _blur(error[c].sum(), weight[c], squares[c])
    for i in range(len(values)):
        growth = 2.0 ** (rate * ages[i])
        own = 0.0
        for j in range(d):
            own += variances[i, j]
        c, least = -1, np.inf
        if not fills or n == len(weight):
            for k in range(n):
                apart = blur[k] * growth
                for j in range(d):
                    gap = values[i, j] - mean[k, j]
                    apart += gap * gap
                if apart < least:
                    c, least = k, apart
        # Where there is room for one, it takes all: there are no two to be joined.
        if c >= 0 and len(weight) > 1:
            bound = _bound(
                weight, squares, mean, scatter, error, number, n, c, growth, factor
            )
            if least + own > bound:
                c = -1
        e = existence[i]
        if c >= 0 and not sure:
            c = _surest(
                weight,
                squares,
                mean,
                scatter,
                error,
                number,
                n,
                values[i],
                own,
                e,
                blur,
                growth,
                factor,
            )
        if c < 0:
            c = n
            if n < len(weight):
                n += 1
            else:
                c, other = _place(
                    weight, squares, mean, scatter, error, number, last, growth
                )
                if other >= 0:
                    joined[n_joined, 0] = max(id[c], id[other])
                    joined[n_joined, 1] = min(id[c], id[other])
                    id[other] = joined[n_joined, 1]
                    n_joined += 1
                    errors = error[other].sum()
                    blur[other] = _blur(errors, weight[other], squares[other])
            weight[c], squares[c], number[c] = 0.0, 0.0, 0
            # Assigning rows takes seconds to compile.
            for j in range(d):
                mean[c, j], scatter[c, j], error[c, j] = values[i, j], 0.0, 0.0
            id[c] = next_id
            next_id += 1
        counts = growth * e
        weight[c] += counts
        squares[c] += counts * e
        share = counts / weight[c]
        errors = 0.0
        for j in range(d):
            gap = values[i, j] - mean[c, j]
            mean[c, j] += gap * share
            scatter[c, j] += counts * gap * (values[i, j] - mean[c, j])
            error[c, j] += counts * variances[i, j]
            errors += error[c, j]
        blur[c] = _blur(errors, weight[c], squares[c])
        number[c] += 1
        last[c] = times[i]
        into[i] = id[c]
    return n, next_id, n_joined


@numba.njit(cache=True, fastmath={"contract"})
def _blur(errors, weight, squares):
    return errors / weight * (squares / weight / weight)


@numba.njit(cache=True, fastmath={"contract"})
def _surest(
    weight,
    squares,
    mean,
    scatter,
    error,
    number,
    n,
    x,
    own,
    e,
    blur,
    growth,
    factor,
):
    """Row of the micro-cluster of the surest objects among those in reach."""
    far, doubt = np.empty(n), np.full(n, np.inf)
    for k in range(n):
        far[k] = blur[k] * growth + own
        for j in range(len(x)):
            far[k] += (x[j] - mean[k, j]) ** 2
        if far[k] <= _bound(
            weight, squares, mean, scatter, error, number, n, k, growth, factor
        ):
            surely = squares[k] + growth * e * e
            doubt[k] = 1.0 - surely / (weight[k] + growth * e)
    lowest, c, least = doubt.min() + EQUAL, 0, np.inf
    for k in range(n):
        if doubt[k] <= lowest and far[k] < least:
            c, least = k, far[k]
    return c


@numba.njit(cache=True, fastmath={"contract"})
def _place(weight, squares, mean, scatter, error, number, last, growth):
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
    squares[a] += squares[b]
    number[a] += number[b]
    last[a] = max(last[a], last[b])
    return b, a


@numba.njit(cache=True, fastmath={"contract"})
def _bound(weight, squares, mean, scatter, error, number, n, c, growth, factor):
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
    share_of_one = growth / weight[c] * (squares[c] / weight[c])
    total = 0.0
    for j in range(d):
        total += scatter[c, j] + (1.0 + share_of_one) * error[c, j]
    return factor * factor * total / weight[c]
