"""World divergence on the CPU: sums of Gaussian kernels by matrix products."""

from functools import cache
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import NDArray

from incerta.backend.memory import blocks
from incerta.backend.optional import engine_for
from incerta.backend.progress import track
from incerta.divergence.bandwidth import Spread
from incerta.typing import Array, Indices
from incerta.worlds import Worlds

# Bytes of evaluation points that are kept; those of other worlds are drawn again.
# Values, which are used four times, are kept if all of them fit into this.
POINT_BYTES = 256 * 2**20
# Bytes of a block of exponents, to stay in the second-level cache.
POINTS, CENTERS = 512, 512
LOG2_E = 1.4426950408889634
# 2**LOWEST is the smallest normal float32. Arithmetic below it is a hundred times
# slower, and such terms add less than 1e-37 to sums of at least 1.
LOWEST = -126.0


class Densities:
    """Worlds restricted to the features in use, each with its kernel widths."""

    def __init__(
        self,
        worlds: Worlds,
        features: Indices,
        spread: Spread,
        widths: Array,
        weights: Array | None = None,
    ) -> None:
        self.worlds, self.features = worlds, features
        self.centers, self.widths = spread.centers, widths
        self.log_norm = np.log(widths).sum(axis=1)
        self.weights = weights  # of the objects

    def __len__(self) -> int:
        return len(self.worlds)

    def __getitem__(self, j: int) -> Array:
        return self.worlds[j][:, self.features]


def mean_log_ratios_on_cpu(
    kernels: Densities,
    picks: Indices,
    dtype: "np.dtype[Any]",
    engine: str,
    n_jobs: int | None,
) -> tuple[Array, Array]:
    """Return the mean and standard error of log(1 + f_q/f_p) over values of world p."""
    n_worlds, n_points = picks.shape
    n_objects = kernels.worlds.shape[1]
    means, errors = np.empty((n_worlds, n_worlds)), np.zeros((n_worlds, n_worlds))
    widths, log_norm, weights = kernels.widths, kernels.log_norm, kernels.weights
    engine = engine_for(engine)

    def densities(x: Array, q: int) -> Array:
        """Return the density of world q at `x`, up to a factor shared by all worlds."""
        where_q = kernels.centers[q], widths[q], dtype
        points = augmented_points(x, *where_q)
        centers = augmented_centers(kernels[q], *where_q, weights)
        return kernel_sums(points, centers, engine)

    def column(x: Array, own: Array, q: int) -> tuple[int, Array]:
        ratio = densities(x, q).reshape(own.shape) / own
        # own is at least the weight of x, which is one of the values it sums.
        return q, log_one_plus(ratio, log_norm[block, None] - log_norm[q])

    world_bytes = 8 * n_points * len(kernels.features)
    parts = list(blocks(n_worlds, world_bytes, POINT_BYTES))
    steps = track(n_worlds * len(parts), "divergence")
    parallel = Parallel(
        n_jobs=n_jobs, prefer="threads", return_as="generator_unordered"
    )
    for block in parts:
        members = range(*block.indices(n_worlds))
        each = [kernels[p][picks[p]] for p in members]
        own = np.stack([densities(x, p) for x, p in zip(each, members, strict=True)])
        x = np.concatenate(each)
        for q, logs in parallel(delayed(column)(x, own, q) for q in range(n_worlds)):
            means[block, q] = np.average(logs, axis=1, weights=weights)
            if n_points < n_objects:
                errors[block, q] = logs.std(axis=1)
            next(steps)
    left_out = (n_objects - n_points) / max(n_objects - 1, 1)
    return means, errors * np.sqrt(left_out / n_points)


def log_one_plus(ratio: Array, log_factor: Array) -> Array:
    """Return ``log(1 + ratio * exp(log_factor))`` without overflow."""
    if np.abs(log_factor).max() < 600.0:
        return np.log1p(ratio * np.exp(log_factor))
    with np.errstate(divide="ignore"):
        return np.logaddexp(0.0, np.log(ratio) + log_factor)


def augmented_points(
    x: Array, center: Array, widths: Array, dtype: Any
) -> NDArray[Any]:
    """Return rows ``[x, 1, −|x|²/2]`` around `center`, in `widths`, to base 2."""
    d = x.shape[1]
    out = np.empty((x.shape[0], d + 2), dtype=dtype)
    unit = np.sqrt(LOG2_E) / widths
    np.multiply(x - center, unit, out=out[:, :d], casting="same_kind")
    out[:, d] = 1.0
    # Squares of the rounded coordinates, so that rounding only moves the points.
    np.einsum("ij,ij->i", out[:, :d], out[:, :d], out=out[:, d + 1])
    out[:, d + 1] *= -0.5
    return out


def augmented_centers(
    a: Array, center: Array, widths: Array, dtype: Any, weights: Array | None = None
) -> NDArray[Any]:
    """Return columns ``[a, −|a|²/2, 1]`` in units of kernel `widths`, to base 2.

    Weights are divided by the largest one, as the exponents must not exceed 0.
    """
    out = augmented_points(a, center, widths, dtype)
    if weights is not None:
        out[:, -1] += np.log2(weights / weights.max())
    out[:, [-2, -1]] = out[:, [-1, -2]]
    return np.ascontiguousarray(out.T)


def kernel_sums(points: NDArray[Any], centers: NDArray[Any], engine: str) -> Array:
    """Sum the kernels of all `centers` (d + 2, n) at the `points` (n, d + 2)."""
    add_powers = _numpy_powers
    if engine == "numba" and points.dtype == np.float32:
        from incerta.divergence import numba_kernel

        if len(centers) - 2 <= numba_kernel.FEW_FEATURES:
            return numba_kernel.kernel_sums_of_few(points, centers)
        add_powers = numba_kernel.add_powers_of_two
    sums = np.zeros(len(points))
    buffer = np.empty(POINTS * CENTERS, dtype=points.dtype)
    for i in range(0, len(points), POINTS):
        rows = points[i : i + POINTS]
        for j in range(0, centers.shape[1], CENTERS):
            columns = centers[:, j : j + CENTERS]
            shape = len(rows), columns.shape[1]
            exponents = buffer[: shape[0] * shape[1]].reshape(shape)
            np.matmul(rows, columns, out=exponents)
            add_powers(exponents, sums[i : i + POINTS])
    return sums


def _numpy_powers(exponents: NDArray[Any], sums: Array) -> None:
    np.maximum(exponents, exponents.dtype.type(LOWEST), out=exponents)
    np.exp2(exponents, out=exponents)
    sums += exponents @ _ones(exponents.shape[1], exponents.dtype)


@cache
def _ones(n: int, dtype: "np.dtype[Any]") -> NDArray[Any]:
    return np.ones(n, dtype=dtype)
