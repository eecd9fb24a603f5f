"""Simulated data with known classes; no function here uses labels of the user."""

from typing import Any, Literal

import numpy as np

from incerta.data import UncertainData, as_uncertain, from_gaussian, from_samples
from incerta.data.laws import FAMILIES, Independent
from incerta.exceptions import DataError
from incerta.typing import Array, Indices, Seed
from incerta.worlds.streams import as_seed


def make_uncertain(
    X: Any,
    family: Literal["gaussian", "uniform", "exponential", "laplace"] = "gaussian",
    scale: float = 0.3,
    mode: Literal["centered", "displaced"] = "centered",
    random_state: Seed = None,
) -> UncertainData:
    """Turn an exact table into uncertain data, without using any label.

    Every value gets the standard deviation ``scale * u * sd_j``, where u is uniform
    between 0.5 and 1.5, drawn for each value, and sd_j is the standard deviation of
    feature j over the objects. A constant feature stays exact.

    Parameters
    ----------
    X : array-like or frame of shape (n_objects, n_features)
        Exact values.
    family : {"gaussian", "uniform", "exponential", "laplace"}, default="gaussian"
        Shape of the distributions. The tail of the exponential is on the right.
    scale : float, default=0.3
        Size of the uncertainty relative to the spread of the features. Common levels
        are 0.1, 0.3, 0.5 and 1.
    mode : {"centered", "displaced"}, default="centered"
        "centered": the expected value of an object is its row of `X`, so methods that
        use only expected values lose nothing. "displaced": `X` holds the true values,
        a measurement is a draw around the true value, and the object is a distribution
        around the measurement, as with real error bars.
    random_state : int, RandomState, Generator or None, default=None
        Seed. The same seed gives the same standard deviations in both modes.

    Notes
    -----
    "centered" is the protocol of [1]_, with different standard deviations. Generators
    that use the range of each class reveal the classes: clusterings of such data can
    agree with the classes better than is possible without labels.

    References
    ----------
    .. [1] F. Gullo and A. Tagarelli, "Uncertain centroid based partitional clustering
       of uncertain data", PVLDB 5(7), 2012.

    Examples
    --------
    >>> from incerta.datasets import load_wine, make_uncertain
    >>> data = make_uncertain(load_wine().data, scale=0.5, random_state=0)
    >>> data.kind, data.relative_uncertainty().round(1)[:3]
    ('gaussian', array([0.5, 0.5, 0.5]))
    """
    if family not in FAMILIES:
        msg = f"family={family!r} must be one of {', '.join(FAMILIES)}."
        raise ValueError(msg)
    if mode not in ("centered", "displaced"):
        msg = f"mode={mode!r} must be 'centered' or 'displaced'."
        raise ValueError(msg)
    _refuse_negative(scale=scale)
    exact = as_uncertain(X)
    if not exact.exact:
        msg = f"X is already uncertain ({exact.kind}); pass exact values: X.mean()."
        raise DataError(msg)
    rng = np.random.default_rng(as_seed(random_state))
    center = exact.mean()
    # The spread of a constant feature may be a rounding error.
    spread = np.where(np.ptp(center, axis=0) > 0, center.std(axis=0), 0.0)
    sd = scale * rng.uniform(0.5, 1.5, center.shape) * spread
    shape = FAMILIES[family]
    unit = np.sqrt(shape.variance)
    if mode == "displaced":
        u = np.maximum(rng.random(center.shape), 2.0**-54)  # 0 has no finite quantile
        center = center + sd * (shape.quantile(u) - shape.mean) / unit
    law = Independent(family, center - sd / unit * shape.mean, sd / unit)
    meaning = "error" if mode == "displaced" else "belief"
    return UncertainData(law, exact.ids, exact.feature_names, meaning=meaning)


def make_uncertain_blobs(
    n_objects: int = 300,
    n_features: int = 2,
    n_clusters: int = 3,
    *,
    n_values: int | tuple[int, int] | None = None,
    cluster_std: float = 1.0,
    uncertainty: float = 0.5,
    center_box: tuple[float, float] = (-10.0, 10.0),
    random_state: Seed = None,
) -> tuple[UncertainData, Indices]:
    """Make round clusters of objects measured with errors.

    Each object has a true position around the center of its cluster, and errors whose
    size varies between objects and features. The true position is not in the data: a
    Gaussian object is centered at one measurement, and an object given by values
    consists of several measurements.

    Parameters
    ----------
    n_objects : int, default=300
        Number of objects, spread over the clusters as evenly as possible.
    n_features : int, default=2
        Number of features.
    n_clusters : int, default=3
        Number of clusters.
    n_values : int, (int, int) or None, default=None
        None: Gaussian objects. A number: the number of values per object. A pair: the
        range of the number of values, both ends included.
    cluster_std : float, default=1.0
        Standard deviation of the true positions around the center.
    uncertainty : float, default=0.5
        Mean standard deviation of the errors; the standard deviations are uniform
        between half and one and a half times this.
    center_box : (float, float), default=(-10.0, 10.0)
        Bounds of the centers in each feature.
    random_state : int, RandomState, Generator or None, default=None
        Seed.

    Returns
    -------
    data : UncertainData
    labels : ndarray of shape (n_objects,)
        Cluster of each object.

    Examples
    --------
    >>> from incerta.datasets import make_uncertain_blobs
    >>> data, labels = make_uncertain_blobs(6, n_values=(2, 5), random_state=0)
    >>> data.values_per_object()
    array([2, 5, 4, 3, 3, 3])
    """
    _refuse_below_one(n_objects=n_objects, n_features=n_features, n_clusters=n_clusters)
    _refuse_negative(cluster_std=cluster_std, uncertainty=uncertainty)
    if n_clusters > n_objects:
        msg = f"n_clusters={n_clusters} exceeds n_objects={n_objects}; lower it."
        raise ValueError(msg)
    rng = np.random.default_rng(as_seed(random_state))
    labels = rng.permutation(np.arange(n_objects) % n_clusters)
    low, high = center_box
    if not (np.isfinite([low, high]).all() and low <= high):
        msg = f"center_box={center_box} must be (low, high) with finite low < high."
        raise ValueError(msg)
    centers = rng.uniform(low, high, (n_clusters, n_features))
    noise = rng.standard_normal((n_objects, n_features))
    places = centers[labels] + cluster_std * noise
    sd = uncertainty * rng.uniform(0.5, 1.5, places.shape)
    if n_values is None:
        measured = places + sd * rng.standard_normal(places.shape)
        return from_gaussian(measured, sd), labels
    fewest, most = np.broadcast_to(n_values, 2)
    if not 1 <= fewest <= most:
        msg = (
            f"n_values={n_values} must be None, a number of at least 1, or a pair "
            "(low, high) of such numbers."
        )
        raise ValueError(msg)
    counts = rng.integers(fewest, most + 1, size=n_objects)
    owners = np.repeat(np.arange(n_objects), counts)
    errors = sd[owners] * rng.standard_normal((len(owners), n_features))
    return from_samples(places[owners] + errors, owners), labels


def make_waveform(
    n_objects: int = 5000, *, random_state: Seed = None
) -> tuple[Array, Indices]:
    """Make waveforms: noisy mixtures of two of three triangular waves.

    The data have 21 features and 3 equally likely classes. Class 0 mixes waves 1 and 2,
    class 1 waves 1 and 3, class 2 waves 2 and 3. The best possible classifier has an
    accuracy of about 87%, k-means of about 50% [1]_.

    Parameters
    ----------
    n_objects : int, default=5000
        Number of objects.
    random_state : int, RandomState, Generator or None, default=None
        Seed.

    Returns
    -------
    X : ndarray of shape (n_objects, 21)
    y : ndarray of shape (n_objects,)
        Class of each object.

    References
    ----------
    .. [1] L. Breiman, J. H. Friedman, R. A. Olshen and C. J. Stone, "Classification
       and Regression Trees", Wadsworth, 1984, pp. 49-55.

    Examples
    --------
    >>> from incerta.datasets import make_waveform
    >>> X, y = make_waveform(100, random_state=0)
    >>> X.shape
    (100, 21)
    """
    _refuse_below_one(n_objects=n_objects)
    rng = np.random.default_rng(as_seed(random_state))
    y = rng.integers(3, size=n_objects)
    u = rng.random((n_objects, 1))
    t = np.arange(1, 22)
    waves = np.array([np.maximum(6 - np.abs(t - peak), 0) for peak in (11, 15, 7)])
    one, other = np.array([[0, 1], [0, 2], [1, 2]])[y].T
    noise = rng.standard_normal((n_objects, 21))
    return u * waves[one] + (1 - u) * waves[other] + noise, y


def make_uncertain_moons(
    n_objects: int = 400, *, uncertainty: float = 0.1, random_state: Seed = None
) -> tuple[UncertainData, Indices]:
    """Make two interlocking half circles, measured with errors.

    Parameters
    ----------
    n_objects : int, default=400
        Number of objects, half of them in each moon.
    uncertainty : float, default=0.1
        Mean standard deviation of the errors; the standard deviations are uniform
        between a quarter and seven quarters of it. The moons have radius 1.
    random_state : int, RandomState, Generator or None, default=None
        Seed.

    Returns
    -------
    data : UncertainData
        Gaussian objects around one measurement each.
    labels : ndarray of shape (n_objects,)
        Moon of each object.

    Examples
    --------
    >>> from incerta.datasets import make_uncertain_moons
    >>> data, labels = make_uncertain_moons(100, random_state=0)
    >>> len(data), labels.sum()
    (100, np.int64(50))
    """
    _refuse_below_one(n_objects=n_objects)
    rng = np.random.default_rng(as_seed(random_state))
    labels = rng.permutation(np.arange(n_objects) % 2)
    angle = np.pi * rng.random(n_objects)
    side = np.where(labels == 0, 1.0, -1.0)
    places = np.c_[side * np.cos(angle), side * np.sin(angle)]
    places += np.where(labels[:, None] == 0, [0.0, 0.0], [1.0, 0.5])
    return _measured(places, uncertainty, rng), labels


def make_uncertain_stars(
    n_stars: int = 300, *, random_state: Seed = None
) -> tuple[UncertainData, Indices]:
    """Make three moving groups of stars, with motions measured with errors.

    Errors vary as in catalogs, where bright stars are measured ten times as precisely
    as faint ones (log-normal factors with a standard deviation of 1).

    Parameters
    ----------
    n_stars : int, default=300
        Number of stars.
    random_state : int, RandomState, Generator or None, default=None
        Seed.

    Returns
    -------
    data : UncertainData
        Motions with their errors, in milliarcseconds a year.
    labels : ndarray of shape (n_stars,)
        Group of each star.

    Examples
    --------
    >>> from incerta.datasets import make_uncertain_stars
    >>> data, labels = make_uncertain_stars(200, random_state=0)
    >>> data.meaning, data.feature_names
    ('error', ('east', 'north'))
    """
    _refuse_below_one(n_stars=n_stars)
    rng = np.random.default_rng(as_seed(random_state))
    labels = rng.integers(3, size=n_stars)
    groups = np.array([[-5.0, -5.0], [6.0, -3.0], [0.0, 7.5]])
    motions = groups[labels] + 1.75 * rng.normal(size=(n_stars, 2))
    faint = np.exp(rng.normal(size=(n_stars, 1)))
    errors = faint * np.array([2.5, 1.5])
    measured = motions + errors * rng.normal(size=(n_stars, 2))
    names = ("east", "north")
    return from_gaussian(measured, std=errors, feature_names=names), labels


def make_uncertain_rings(
    n_objects: int = 400, *, uncertainty: float = 0.1, random_state: Seed = None
) -> tuple[UncertainData, Indices]:
    """Make a ring within a ring, measured with errors.

    Parameters
    ----------
    n_objects : int, default=400
        Number of objects, a third of them in the inner ring of radius 1/2, the others
        in the outer one of radius 5/4.
    uncertainty, random_state
        As for `make_uncertain_moons`.

    Returns
    -------
    data : UncertainData
        Gaussian objects around one measurement each.
    labels : ndarray of shape (n_objects,)
        0 for the inner ring, 1 for the outer one.

    Examples
    --------
    >>> from incerta.datasets import make_uncertain_rings
    >>> data, labels = make_uncertain_rings(99, random_state=0)
    >>> len(data), labels.sum()
    (99, np.int64(66))
    """
    _refuse_below_one(n_objects=n_objects)
    rng = np.random.default_rng(as_seed(random_state))
    labels = rng.permutation(np.minimum(np.arange(n_objects) % 3, 1))
    angle = 2 * np.pi * rng.random(n_objects)
    radius = np.where(labels == 0, 0.5, 1.25)
    places = np.c_[radius * np.cos(angle), radius * np.sin(angle)]
    return _measured(places, uncertainty, rng), labels


def _measured(
    places: Array, uncertainty: float, rng: np.random.Generator
) -> UncertainData:
    _refuse_negative(uncertainty=uncertainty)
    sd = uncertainty * rng.uniform(0.25, 1.75, (len(places), 1)) * np.ones(2)
    return from_gaussian(places + sd * rng.standard_normal(places.shape), sd)


def _refuse_below_one(**counts: int) -> None:
    for name, count in counts.items():
        if count < 1:
            msg = f"{name}={count} must be at least 1."
            raise ValueError(msg)


def _refuse_negative(**sizes: float) -> None:
    for name, size in sizes.items():
        if not (np.isfinite(size) and size >= 0):
            msg = f"{name}={size} must be a finite number, 0 or more."
            raise ValueError(msg)
