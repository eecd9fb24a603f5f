"""World divergence on the CPU."""

from typing import Any

import numpy as np
from joblib import Parallel, delayed

from incerta.backend.engine import engine_for
from incerta.backend.memory import blocks
from incerta.backend.progress import track
from incerta.divergence.bandwidth import Spread
from incerta.divergence.kernel_sums import (
    augmented_centres,
    augmented_points,
    kernel_sums,
)
from incerta.typing import Array, Indices
from incerta.worlds import Worlds

# Evaluation points of as many worlds as fit are kept; the others are drawn again.
# Values, which are looked at four times, are kept if all of them fit.
POINT_BYTES = 256 * 2**20


class Densities:
    """Worlds in the features in use, each with its kernel."""

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
    """Mean and standard error of log(1 + f_q/f_p) over the values of each world p.

    `kernels`: the worlds. `picks` (n_worlds, n_points): which values each world is
    evaluated at; with weights, all. `dtype`: precision of the exponentials. `engine`:
    what computes them. `n_jobs`: number of threads.

    Returns `means` (n_worlds, n_worlds). `errors` (n_worlds, n_worlds).
    """
    n_worlds, n_points = picks.shape
    n_objects = kernels.worlds.shape[1]
    means, errors = np.empty((n_worlds, n_worlds)), np.zeros((n_worlds, n_worlds))
    widths, log_norm, weights = kernels.widths, kernels.log_norm, kernels.weights
    engine = engine_for(engine)

    def densities(x: Array, q: int) -> Array:
        """Density of world q at `x`, up to a factor that all worlds share."""
        where_q = kernels.centers[q], widths[q], dtype
        points = augmented_points(x, *where_q)
        centres = augmented_centres(kernels[q], *where_q, weights)
        return kernel_sums(points, centres, engine)

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
    """``log(1 + ratio * exp(log_factor))`` without overflow."""
    if np.abs(log_factor).max() < 600.0:
        return np.log1p(ratio * np.exp(log_factor))
    with np.errstate(divide="ignore"):
        return np.logaddexp(0.0, np.log(ratio) + log_factor)
