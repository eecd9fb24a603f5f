"""Jensen–Shannon divergence of the kernel densities of worlds (Eqs. 2 to 6)."""

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from math import prod
from typing import Any, Literal, TypedDict, Unpack, overload

import numpy as np

from incerta.backend.keyed import some_by_key
from incerta.backend.optional import engine_for
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
from incerta.exceptions import DataError, IncertaWarning
from incerta.typing import Array, ArrayLike, Indices
from incerta.worlds import Worlds, as_worlds

# The maximum of the Jensen–Shannon divergence.
LOG_2 = float(np.log(2.0))
# The standard error is that of the mean over this number of parts of the objects.
N_PARTS = 10


class SaturationWarning(IncertaWarning):
    """All worlds look equally far apart, so choosing among them is arbitrary."""


def warn_if_saturated(divergences: Array) -> None:
    """Warn if all divergences are close to the maximum."""
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


class _Options(TypedDict, total=False):
    bandwidth: str | ArrayLike
    n_objects: int | None
    n_points: int | None
    dtype: str
    device: str
    engine: str
    n_jobs: int | None
    random_state: int
    weights: Array | None


@overload
def jensen_shannon(
    worlds: Worlds | ArrayLike,
    *,
    return_error: Literal[False] = ...,
    **options: Unpack[_Options],
) -> Array: ...
@overload
def jensen_shannon(
    worlds: Worlds | ArrayLike,
    *,
    return_error: Literal[True],
    **options: Unpack[_Options],
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
    """Return the divergence between the densities of all pairs of worlds.

    The density of a world is a mean of Gaussian kernels around its values. Each
    Kullback–Leibler term is averaged over the values of its world, which has the closed
    form ``log 2 − mean log(1 + f_q/f_p)``.

    Parameters
    ----------
    worlds : Worlds or array-like of shape (n_worlds, n_objects, n_features)
        The worlds.
    bandwidth : {"silverman", "scott"} or array-like, default="silverman"
        Kernel width. "silverman" is the rule of the paper, ``1.06 σ n^(-1/5)`` for any
        number of features. With more than about ten features it makes all worlds look
        infinitely far apart, with a `SaturationWarning`. "scott" is ``σ n^(-1/(d +
        4))``. An array has one width per feature, or one per world and feature.
    n_objects : int, optional
        Compare worlds by this number of objects, chosen at random and the same in all
        worlds. The cost no longer depends on the number of objects in the data.
    n_points : int, optional
        Evaluate each world at this number of its values, chosen at random. The result
        is unbiased, with the standard error that `return_error` gives.
    dtype : {"float32", "float64"}, default="float32"
        Precision of the exponentials; sums are float64. The difference is below 1e-5.
        Devices other than the CPU support only float32.
    device : str, default="cpu"
        "cpu", or a CUDA device of torch such as "cuda" (extra ``gpu``).
    engine : {"auto", "numpy", "numba"}, default="auto"
        Implementation of the exponentials on the CPU. "auto" is numba if the extra
        ``fast`` is installed.
    n_jobs : int, optional
        Number of threads, as in joblib. The result does not depend on it.
    random_state : int, default=0
        Seed of the choice of objects and values for `n_objects` and `n_points`.
    return_error : bool, default=False
        Also return the standard error due to `n_objects`, which takes a tenth longer,
        or else to `n_points`. Without either, it is 0.
    weights : ndarray of shape (n_objects,), optional
        Number of objects that each one represents; on the CPU, and without `n_objects`
        and `n_points`. Kernels are as wide as for ``(Σ w)² / Σ w²`` objects.

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
    The cost is ``n_worlds² n_objects²`` kernel evaluations, or ``n_worlds² n_points
    n_objects``, at about a billion per second and core. Memory does not grow with it.

    Densities of fewer objects have wider kernels, so `n_objects` lowers the
    divergences. If objects are drawn independently, worlds of many objects differ by
    chance alone, and those of a subset by a different chance. The ranking of the
    divergences may then differ between a subset and all objects.

    Densities ignore which object has which value: a world in which all objects swap
    places has divergence 0 from the original. `between_clusterings` compares objects.

    A feature that is constant over all worlds is left out. One that is constant in a
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
    comparison = _Comparison(
        bandwidth=bandwidth,
        n_objects=n_objects,
        n_points=n_points,
        dtype=dtype,
        device=device,
        engine=engine,
        n_jobs=n_jobs,
        random_state=random_state,
        weights=weights,
    )
    some_objects = comparison.chosen(all_objects)
    ((divergences, error),) = comparison.of(some_objects, per_feature=False)
    warn_if_saturated(divergences)
    if not return_error:
        return divergences
    if some_objects is not all_objects:
        how: Any = {"dtype": dtype, "device": device, "engine": engine}
        again = partial(jensen_shannon, bandwidth=bandwidth, n_jobs=n_jobs, **how)
        error = error_of_some(again, some_objects)
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
    """Return the Jensen–Shannon divergence of each feature, averaged over features.

    One-dimensional densities overlap however many features there are, so this does not
    saturate where `jensen_shannon` does. It ignores correlations between features.

    Parameters
    ----------
    worlds, bandwidth, n_objects, n_points, dtype, device, engine, n_jobs, random_state
        As in `jensen_shannon`, like `weights`. The number of kernel evaluations is
        multiplied by the number of features.

    Returns
    -------
    ndarray of shape (n_worlds, n_worlds)
        Symmetric, zero on the diagonal, between 0 and log 2.

    Examples
    --------
    >>> import numpy as np
    >>> from incerta.divergence import jensen_shannon_per_feature
    >>> worlds = np.random.default_rng(0).normal(size=(3, 50, 40))
    >>> jensen_shannon_per_feature(worlds).max() < 0.2
    np.True_
    """
    all_objects = as_worlds(worlds)
    comparison = _Comparison(
        bandwidth=bandwidth,
        n_objects=n_objects,
        n_points=n_points,
        dtype=dtype,
        device=device,
        engine=engine,
        n_jobs=n_jobs,
        random_state=random_state,
        weights=weights,
    )
    some_objects = comparison.chosen(all_objects)
    total = np.zeros((len(some_objects), len(some_objects)))
    features = comparison.of(some_objects, per_feature=True)
    for divergences, _ in features:
        total += divergences
    return total / max(len(features), 1)


def error_of_some(compare: Callable[[Worlds], Array], worlds: Worlds) -> Array:
    """Return the standard error due to the choice of objects, from parts of them."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", IncertaWarning)
        parts = [compare(worlds.only(slice(i, None, N_PARTS))) for i in range(N_PARTS)]
    spread: Array = np.std(parts, axis=0, ddof=1)
    return spread / np.sqrt(N_PARTS)


@dataclass(frozen=True, kw_only=True)
class _Comparison:
    """The parameters of `jensen_shannon`."""

    bandwidth: str | ArrayLike
    n_objects: int | None
    n_points: int | None
    dtype: str
    device: str
    engine: str
    n_jobs: int | None
    random_state: int
    weights: Array | None

    def __post_init__(self) -> None:
        for name, number, least, all_of in (
            ("n_objects", self.n_objects, 2 * N_PARTS, "all objects"),
            ("n_points", self.n_points, 2, "all values"),
        ):
            if number is not None and number < least:
                msg = f"{name}={number} must be at least {least}, or None for {all_of}."
                raise ValueError(msg)
        if self.dtype not in ("float32", "float64"):
            msg = f"dtype={self.dtype!r} must be 'float32' or 'float64'."
            raise ValueError(msg)
        of_cpu = self.dtype, self.engine, self.n_jobs
        if self.device != "cpu" and of_cpu != ("float32", "auto", None):
            msg = (
                f"device={self.device!r} needs dtype='float32' and supports neither "
                f"engine nor n_jobs; got dtype={self.dtype!r}, engine={self.engine!r}, "
                f"n_jobs={self.n_jobs!r}. Use device='cpu' for these."
            )
            raise ValueError(msg)
        engine_for(self.engine)  # raises for an unknown engine

    def chosen(self, worlds: Worlds) -> Worlds:
        """Return the worlds of at most `n_objects` objects, chosen by ids."""
        self._check_weights(worlds.shape[1])
        if self.n_objects is None or self.n_objects >= worlds.shape[1]:
            return worlds
        keys = worlds.data._keys
        return worlds.only(some_by_key(keys, self.n_objects, self.random_state))

    def of(self, worlds: Worlds, *, per_feature: bool) -> list[tuple[Array, Array]]:
        """Return divergences and standard errors, for all features or for each."""
        if not worlds.data.joint and 8 * prod(worlds.shape) <= POINT_BYTES:
            worlds = as_worlds(worlds.stack())  # they need not be drawn again
        spread = spread_of(worlds, self.weights)
        picks = _picks(self.n_points, worlds, self.random_state)
        varying = np.flatnonzero(spread.pooled > 0)
        parts = varying[:, None] if per_feature else [varying]
        return [self._of_features(worlds, part, spread, picks) for part in parts]

    def _of_features(
        self, worlds: Worlds, features: Indices, spread: Spread, picks: Indices
    ) -> tuple[Array, Array]:
        n_worlds = len(worlds)
        bandwidth = _at(self.bandwidth, features, worlds.shape[2])
        if len(features) == 0:
            return np.zeros((n_worlds, n_worlds)), np.zeros((n_worlds, n_worlds))
        spread = Spread(
            spread.centers[:, features],
            spread.pooled[features],
            spread.each[:, features],
        )
        n_objects = effective_number(worlds.shape[1], self.weights)
        widths = bandwidths(bandwidth, spread, n_objects)
        kernels = Densities(worlds, features, spread, widths, self.weights)
        if self.device == "cpu":
            how = np.dtype(self.dtype), self.engine, self.n_jobs
            means, errors = mean_log_ratios_on_cpu(kernels, picks, *how)
        else:
            from incerta.divergence.torch_kernel import mean_log_ratios

            means, errors = mean_log_ratios(kernels, picks, self.device)
        # Row p holds the averages over the values of world p; J needs both directions.
        divergences = np.clip(LOG_2 - (means + means.T) / 2, 0.0, None)
        np.fill_diagonal(divergences, 0.0)
        np.fill_diagonal(errors, 0.0)
        return divergences, np.sqrt(errors**2 + errors.T**2) / 2

    def _check_weights(self, n: int) -> None:
        weights = self.weights
        if weights is None:
            return
        if (self.n_objects, self.n_points, self.device) != (None, None, "cpu"):
            msg = (
                "weights need all objects, all values and device='cpu'; got "
                f"n_objects={self.n_objects}, n_points={self.n_points}, "
                f"device={self.device!r}."
            )
            raise ValueError(msg)
        positive = np.isfinite(weights) & (weights > 0.0)
        if np.shape(weights) != (n,) or not positive.all():
            msg = f"weights must be one positive number for each of the {n} objects."
            raise DataError(msg)


def _picks(n_points: int | None, worlds: Worlds, random_state: int) -> Indices:
    """Return the evaluation points of each world, shape (n_worlds, n_points)."""
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
