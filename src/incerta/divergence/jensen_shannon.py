"""Jensen–Shannon divergence of the kernel densities of worlds (Eqs. 2 to 6)."""

import warnings
from functools import partial
from math import prod
from typing import Any, Literal, NamedTuple, overload

import numpy as np

from incerta.backend.engine import engine_for
from incerta.divergence.bandwidth import (
    Spread,
    bandwidths,
    effective_number,
    spread_of,
)
from incerta.divergence.cpu_kernel import (
    POINT_BYTES,
    Densities,
    mean_log_ratios_on_cpu,
)
from incerta.divergence.parts import N_PARTS, by_some_objects, error_of_some
from incerta.exceptions import DataError, IncertaWarning
from incerta.typing import Array, ArrayLike, Indices
from incerta.worlds import Worlds, as_worlds

# The largest Jensen–Shannon divergence that there is.
LOG_2 = float(np.log(2.0))


class SaturationWarning(IncertaWarning):
    """All worlds look equally far apart, so that choosing among them is arbitrary."""


def warn_if_saturated(divergences: Array) -> None:
    """Warn if all pairs are as far apart as densities can be."""
    n_worlds = len(divergences)
    if n_worlds < 3:
        return
    apart = divergences[np.triu_indices(n_worlds, 1)]
    flat = np.ptp(apart) < 1e-3 * LOG_2 and apart.mean() > 0.5 * LOG_2
    if flat or apart.mean() > 0.99 * LOG_2:
        msg = (
            f"the divergences of all pairs of worlds lie between {apart.min():.4f} and "
            f"{apart.max():.4f} (log 2 = 0.6931 is the maximum), so choosing "
            "among these worlds is arbitrary. Use bandwidth='scott', or "
            "jensen_shannon_per_feature, which does not saturate."
        )
        warnings.warn(msg, SaturationWarning, stacklevel=3)


@overload
def jensen_shannon(
    worlds: Worlds | ArrayLike,
    *,
    bandwidth: str | ArrayLike = ...,
    n_objects: int | None = ...,
    n_points: int | None = ...,
    dtype: str = ...,
    device: str = ...,
    engine: str = ...,
    n_jobs: int | None = ...,
    random_state: int = ...,
    return_error: Literal[False] = ...,
    weights: Array | None = ...,
) -> Array: ...
@overload
def jensen_shannon(
    worlds: Worlds | ArrayLike,
    *,
    bandwidth: str | ArrayLike = ...,
    n_objects: int | None = ...,
    n_points: int | None = ...,
    dtype: str = ...,
    device: str = ...,
    engine: str = ...,
    n_jobs: int | None = ...,
    random_state: int = ...,
    return_error: Literal[True],
    weights: Array | None = ...,
) -> tuple[Array, Array]: ...
def jensen_shannon(
    worlds: Worlds | ArrayLike,
    *,
    bandwidth: str | ArrayLike = "silverman",
    n_objects: int | None = None,
    n_points: int | None = None,
    dtype: str = "float32",
    device: str = "cpu",
    engine: str = "auto",
    n_jobs: int | None = None,
    random_state: int = 0,
    return_error: bool = False,
    weights: Array | None = None,
) -> Array | tuple[Array, Array]:
    """Divergence between the densities of all pairs of worlds.

    The density of a world is a mean of Gaussian kernels around its values; each
    Kullback–Leibler term is averaged over the values of its own world, and that average
    has the closed form ``log 2 − mean log(1 + f_q/f_p)``.

    Parameters
    ----------
    worlds : Worlds or array-like of shape (n_worlds, n_objects, n_features)
        The worlds.
    bandwidth : {"silverman", "scott"} or array-like, default="silverman"
        Kernel width. "silverman" is the paper's ``1.06 σ n^(-1/5)`` whatever the
        number of features; above about ten features it makes all worlds look infinitely
        far apart (a `SaturationWarning` says so). "scott" is ``σ n^(-1/(d + 4))``. An
        array holds widths, one per feature, or one per world and feature.
    n_objects : int, optional
        Compare worlds by this many objects, chosen at random and the same in all
        worlds, instead of all. The cost no longer depends on how many there are.
    n_points : int, optional
        Evaluate each world at this many of its values, chosen at random, instead of
        all: unbiased, with the standard error that `return_error` gives.
    dtype : {"float32", "float64"}, default="float32"
        Precision of the exponentials; sums are float64. The difference is below
        1e-5. Devices other than the CPU have only float32.
    device : str, default="cpu"
        "cpu", or a CUDA device of torch such as "cuda" (extra ``gpu``).
    engine : {"auto", "numpy", "numba"}, default="auto"
        What computes the exponentials on the CPU. "auto" is numba if the extra ``fast``
        is installed.
    n_jobs : int, optional
        Number of threads, as in joblib. The result does not depend on it.
    random_state : int, default=0
        Which objects and values `n_objects` and `n_points` pick.
    return_error : bool, default=False
        Also return the standard error that comes from `n_objects`, which takes a tenth
        longer, or else from `n_points`; 0 without both.
    weights : ndarray of shape (n_objects,), optional
        How many objects each one stands for, on the CPU and with all of them. Kernels
        are as wide as for ``(Σ w)² / Σ w²`` objects.

    Returns
    -------
    divergences : ndarray of shape (n_worlds, n_worlds)
        Symmetric, zero on the diagonal, between 0 and log 2.
    error : ndarray of shape (n_worlds, n_worlds)
        Standard error of each entry, only if `return_error` is true.

    Warns
    -----
    SaturationWarning
        If nearly all divergences are log 2.

    Notes
    -----
    It takes ``n_worlds² n_objects²`` kernel evaluations, about a billion per second and
    core, or ``n_worlds² n_points n_objects``. Memory does not grow with their number.

    Densities of fewer objects have wider kernels, and divergences are lower with
    `n_objects`. Where the values of objects are drawn on their own, worlds of many
    objects differ by chance alone, and those of a part by another chance: which worlds
    are nearer to each other is then not the same for a part and for all.

    The density compares clouds of values and does not know which object is where: a
    world in which all objects swapped places has divergence 0 from the original.
    `between_clusterings` does know.

    A feature that is constant over all worlds is left out; one that is flat in a
    single world gets a thousandth of the pooled spread there.

    References
    ----------
    .. [1] H. Liu et al., "Clustering Uncertain Data via Representative Possible
       Worlds with Consistency Learning", IJCAI 2019, Eqs. 2 to 6.

    Examples
    --------
    >>> import numpy as np
    >>> from incerta.divergence import jensen_shannon
    >>> worlds = np.random.default_rng(0).normal(size=(3, 200, 1))
    >>> worlds[2] += 100.0
    >>> jensen_shannon(worlds).round(2)
    array([[0.  , 0.02, 0.69],
           [0.02, 0.  , 0.69],
           [0.69, 0.69, 0.  ]])
    """
    all_objects = as_worlds(worlds)
    _check_choices(n_objects, n_points, dtype, device, engine, n_jobs)
    _check_weights(weights, all_objects, n_objects, n_points, device)
    worlds = by_some_objects(all_objects, n_objects, random_state)
    some = _drawn_once(worlds)
    spread = spread_of(some, weights)
    varying = np.flatnonzero(spread.pooled > 0)
    divergences, error = _of_features(
        some,
        varying,
        spread,
        _at(bandwidth, varying, worlds.shape[2]),
        _picks(n_points, worlds, random_state),
        _Where(np.dtype(dtype), device, engine, n_jobs),
        weights,
    )
    warn_if_saturated(divergences)
    if not return_error:
        return divergences
    if worlds is not all_objects:
        how: Any = {"dtype": dtype, "device": device, "engine": engine}
        again = partial(jensen_shannon, bandwidth=bandwidth, n_jobs=n_jobs, **how)
        error = error_of_some(again, worlds)
    return divergences, error


def jensen_shannon_per_feature(
    worlds: Worlds | ArrayLike,
    *,
    bandwidth: str | ArrayLike = "silverman",
    n_objects: int | None = None,
    n_points: int | None = None,
    dtype: str = "float32",
    device: str = "cpu",
    engine: str = "auto",
    n_jobs: int | None = None,
    random_state: int = 0,
    weights: Array | None = None,
) -> Array:
    """Jensen–Shannon divergence feature by feature, averaged.

    In one dimension kernel densities overlap, however many features there are, so
    this does not saturate where `jensen_shannon` does. It does not see correlations.

    Parameters
    ----------
    worlds, bandwidth, n_objects, n_points, dtype, device, engine, n_jobs, random_state
        As in `jensen_shannon`.
    weights : ndarray of shape (n_objects,), optional
        As in `jensen_shannon`.

    Returns
    -------
    ndarray of shape (n_worlds, n_worlds)
        Symmetric, zero on the diagonal, between 0 and log 2.

    Notes
    -----
    It takes as many kernel evaluations as `jensen_shannon`, times the number of
    features.

    Examples
    --------
    >>> import numpy as np
    >>> from incerta.divergence import jensen_shannon_per_feature
    >>> worlds = np.random.default_rng(0).normal(size=(3, 50, 40))
    >>> jensen_shannon_per_feature(worlds).max() < 0.2
    np.True_
    """
    worlds = as_worlds(worlds)
    _check_choices(n_objects, n_points, dtype, device, engine, n_jobs)
    _check_weights(weights, worlds, n_objects, n_points, device)
    worlds = _drawn_once(by_some_objects(worlds, n_objects, random_state))
    spread = spread_of(worlds, weights)
    picks = _picks(n_points, worlds, random_state)
    where = _Where(np.dtype(dtype), device, engine, n_jobs)
    varying = np.flatnonzero(spread.pooled > 0)
    total = np.zeros((len(worlds), len(worlds)))
    for feature in varying:
        one = np.array([feature])
        width = _at(bandwidth, one, worlds.shape[2])
        total += _of_features(worlds, one, spread, width, picks, where, weights)[0]
    return total / max(len(varying), 1)


def _drawn_once(worlds: Worlds) -> Worlds:
    """Worlds that need not be drawn again, if there is memory for that."""
    if worlds.data.joint or 8 * prod(worlds.shape) > POINT_BYTES:
        return worlds
    return as_worlds(worlds.stack())


class _Where(NamedTuple):
    """Precision, and what computes."""

    dtype: "np.dtype[Any]"
    device: str
    engine: str
    n_jobs: int | None


def _of_features(
    worlds: Worlds,
    features: Indices,
    spread: Spread,
    bandwidth: "str | ArrayLike",
    picks: Indices,
    where: _Where,
    weights: Array | None,
) -> tuple[Array, Array]:
    """Divergences and standard errors of the densities of some features."""
    n_worlds = len(worlds)
    if len(features) == 0:
        return np.zeros((n_worlds, n_worlds)), np.zeros((n_worlds, n_worlds))
    spread = Spread(
        spread.centers[:, features], spread.pooled[features], spread.each[:, features]
    )
    n_objects = effective_number(worlds.shape[1], weights)
    widths = bandwidths(bandwidth, spread, n_objects)
    kernels = Densities(worlds, features, spread, widths, weights)
    if where.device == "cpu":
        how = where.dtype, where.engine, where.n_jobs
        means, errors = mean_log_ratios_on_cpu(kernels, picks, *how)
    else:
        from incerta.divergence.torch_kernel import mean_log_ratios

        means, errors = mean_log_ratios(kernels, picks, where.device)
    # Row p holds the averages over the values of world p; J needs both directions.
    divergences = np.clip(LOG_2 - (means + means.T) / 2, 0.0, None)
    np.fill_diagonal(divergences, 0.0)
    np.fill_diagonal(errors, 0.0)
    return divergences, np.sqrt(errors**2 + errors.T**2) / 2


def _picks(n_points: int | None, worlds: Worlds, random_state: int) -> Indices:
    """Which values each world is evaluated at, shape (n_worlds, n_points)."""
    n_worlds, n, _ = worlds.shape
    if n_points is None or n_points >= n:
        return np.broadcast_to(np.arange(n), (n_worlds, n))
    rng = np.random.default_rng([random_state, 1])
    chosen = [rng.choice(n, n_points, replace=False) for _ in range(n_worlds)]
    return np.sort(np.array(chosen), axis=1)


def _at(
    bandwidth: "str | ArrayLike", features: Indices, n_features: int
) -> "str | ArrayLike":
    if isinstance(bandwidth, str) or np.ndim(bandwidth) == 0:
        return bandwidth
    widths = np.asarray(bandwidth)
    if widths.shape[-1] != n_features:
        msg = (
            f"bandwidth is for {widths.shape[-1]} features, but the worlds have "
            f"{n_features}."
        )
        raise DataError(msg)
    return widths[..., features]


def _check_choices(
    n_objects: int | None,
    n_points: int | None,
    dtype: str,
    device: str,
    engine: str,
    n_jobs: int | None,
) -> None:
    if n_objects is not None and n_objects < 2 * N_PARTS:
        msg = (
            f"n_objects={n_objects} must be at least {2 * N_PARTS}, or None for all "
            "objects."
        )
        raise ValueError(msg)
    if n_points is not None and n_points < 2:
        msg = f"n_points={n_points} must be at least 2, or None for all values."
        raise ValueError(msg)
    if dtype not in ("float32", "float64"):
        msg = f"dtype={dtype!r} must be 'float32' or 'float64'."
        raise ValueError(msg)
    if device != "cpu" and (dtype, engine, n_jobs) != ("float32", "auto", None):
        msg = (
            f"device={device!r} goes with dtype='float32' and without engine or "
            f"n_jobs; got dtype={dtype!r}, engine={engine!r}, n_jobs={n_jobs!r}. "
            "These are for device='cpu'."
        )
        raise ValueError(msg)
    engine_for(engine)  # refuses what it does not know


def _check_weights(
    weights: Array | None,
    worlds: Worlds,
    n_objects: int | None,
    n_points: int | None,
    device: str,
) -> None:
    if weights is None:
        return
    if (n_objects, n_points, device) != (None, None, "cpu"):
        msg = (
            f"weights go with all objects and device='cpu'; got n_objects={n_objects}, "
            f"n_points={n_points}, device={device!r}."
        )
        raise ValueError(msg)
    n = worlds.shape[1]
    if np.shape(weights) != (n,) or not (np.isfinite(weights) & (weights > 0.0)).all():
        msg = f"weights must be one positive number for each of the {n} objects."
        raise DataError(msg)
