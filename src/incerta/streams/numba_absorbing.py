"""Adding objects to micro-clusters: the numba version of `incerta.streams.absorbing`.

Imported only if the extra ``fast`` is installed; compiled once and cached.
"""

import numba
import numpy as np

from incerta.streams.sketch import EQUAL, LITTLE, Rule, Sketch
from incerta.typing import Array, Indices


@numba.njit(cache=True, fastmath={"contract"})
def absorb_all(
    sketch: Sketch,
    n: int,
    next_id: int,
    values: Array,
    variances: Array,
    ages: Array,
    times: Array,
    existence: Array,
    sure: bool,
    rule: Rule,
    joined: Indices,
    into: Indices,
):
    """Add objects to micro-clusters, in their order."""
    weight, squares, mean, scatter, error, number, last, id = sketch
    d, n_joined = values.shape[1], 0
    blur = np.empty(len(weight))  # variance of the centers, up to the factor growth
    for c in range(n):
        blur[c] = _blur(sketch, c)
    for i in range(len(values)):
        growth = 2.0 ** (rule.rate * ages[i])
        own = 0.0
        for j in range(d):
            own += variances[i, j]
        c, least = -1, np.inf
        if not rule.fills or n == len(weight):
            for k in range(n):
                apart = _add_gaps(blur[k] * growth, values, i, mean, k)
                if apart < least:
                    c, least = k, apart
        # With room for a single micro-cluster, it takes all objects.
        if (
            c >= 0
            and len(weight) > 1
            and least + own > _bound(sketch, n, c, growth, rule)
        ):
            c = -1
        e = existence[i]
        if c >= 0 and not sure:
            c = _surest(sketch, n, values, i, own, e, blur, growth, rule)
        if c < 0:
            c = n
            if n < len(weight):
                n += 1
            else:
                c, other = _place(sketch, growth)
                if other >= 0:
                    joined[n_joined, 0] = max(id[c], id[other])
                    joined[n_joined, 1] = min(id[c], id[other])
                    id[other] = joined[n_joined, 1]
                    n_joined += 1
                    blur[other] = _blur(sketch, other)
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
        for j in range(d):
            gap = values[i, j] - mean[c, j]
            mean[c, j] += gap * share
            scatter[c, j] += counts * gap * (values[i, j] - mean[c, j])
            error[c, j] += counts * variances[i, j]
        blur[c] = _blur(sketch, c)
        number[c] += 1
        last[c] = times[i]
        into[i] = id[c]
    return n, next_id, n_joined


@numba.njit(cache=True, fastmath={"contract"})
def _blur(sketch, c):
    errors, weight = 0.0, sketch.weight[c]
    for j in range(sketch.error.shape[1]):
        errors += sketch.error[c, j]
    return errors / weight * (sketch.squares[c] / weight / weight)


@numba.njit(cache=True, fastmath={"contract"})
def _add_gaps(start, values, i, others, k):
    """Return a number plus the squared distance of two rows."""
    for j in range(values.shape[1]):
        gap = values[i, j] - others[k, j]
        start += gap * gap
    return start


@numba.njit(cache=True, fastmath={"contract"})
def _surest(sketch, n, values, i, own, e, blur, growth, rule):
    """Return the row of the micro-cluster within reach with the surest objects."""
    far, doubt = np.empty(n), np.full(n, np.inf)
    for k in range(n):
        far[k] = _add_gaps(blur[k] * growth + own, values, i, sketch.mean, k)
        if far[k] <= _bound(sketch, n, k, growth, rule):
            surely = sketch.squares[k] + growth * e * e
            doubt[k] = 1.0 - surely / (sketch.weight[k] + growth * e)
    lowest, c, least = doubt.min() + EQUAL, 0, np.inf
    for k in range(n):
        if doubt[k] <= lowest and far[k] < least:
            c, least = k, far[k]
    return c


@numba.njit(cache=True, fastmath={"contract"})
def _place(sketch, growth):
    """Return a row for a new micro-cluster, and the row it was merged into, or −1."""
    weight, squares, mean, scatter, error, number, last, _ = sketch
    oldest = int(last.argmin())
    if weight[oldest] < LITTLE * growth:
        return oldest, -1
    q, d = mean.shape
    a, b, least = 0, 1, np.inf
    for k in range(q):
        for m in range(k + 1, q):
            apart = _add_gaps(0.0, mean, k, mean, m)
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
def _bound(sketch, n, c, growth, rule):
    """Return the squared distance up to which objects join a micro-cluster."""
    if sketch.number[c] == 1:
        least = np.inf
        for k in range(n):
            if k != c:
                least = min(least, _add_gaps(0.0, sketch.mean, k, sketch.mean, c))
        return 0.0 if n == 1 else least / 4.0
    weight = sketch.weight[c]
    share_of_one = growth / weight * (sketch.squares[c] / weight)
    total = 0.0
    for j in range(sketch.mean.shape[1]):
        total += sketch.scatter[c, j] + (1.0 + share_of_one) * sketch.error[c, j]
    return rule.factor * rule.factor * total / weight
