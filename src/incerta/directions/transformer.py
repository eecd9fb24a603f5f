"""`Directions`: a transformer from wide tables to a few directions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, replace
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from incerta import settings
from incerta.backend.device import CPU, put, threads
from incerta.backend.fold import mapped as mapped_parts
from incerta.backend.memory import BLOCK_BYTES, blocks
from incerta.backend.parameters import (
    SEED,
    WHOLE,
    StrOptions,
    parameter,
    with_parameters,
)
from incerta.data.coerce import is_plain_table, objects_of, uncertain_stays
from incerta.data.container import UncertainData, features_by_name, order_of_names
from incerta.data.laws import Gaussian
from incerta.data.meaning import of_errors
from incerta.data.partitioned import PartitionedData
from incerta.data.projections import projected
from incerta.directions.factors import Factors, Found, Table, found_in, places_of
from incerta.exceptions import DataError
from incerta.mixture.model import errors_of_means
from incerta.mixture.pieces import by_moments, some_objects
from incerta.models.checks import wrong
from incerta.models.files import Storable
from incerta.typing import Seed
from incerta.wording import counted, given, printable, verb
from incerta.worlds.streams import as_seed

# Up to this many features, use directions only if they hold most of the true variance:
# methods can handle the features, and directions could lose what only a few show.
MANY_FEATURES = 100
MOST_DIRECTIONS = 20
# Number of directions to use in wider tables if none is beyond chance.
ANYWAY = 2
# Directions are fitted to about this many values, of at least this many objects.
MOST_VALUES, MANY_OBJECTS = 4_000_000, 400
# Number of objects to compare features with, when looking for copies.
OBJECTS_FOR_COPIES = 10_000
# Features to name for each direction: in a label, and in a table.
NAMED, MOST_MAIN = 3, 10
MINUS = "\N{MINUS SIGN}"


class Direction(NamedTuple):
    """The description of a direction in reports."""

    name: str
    share: float  # of the true variance of all features
    # Features that vary most with it, and correlations of their true values with it.
    features: tuple[tuple[str, float], ...]


@uncertain_stays
@with_parameters
class Directions(Storable, TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Find the few directions in which objects differ by more than error and noise.

    In tables with many features, distances between objects are mostly noise, and full
    covariances cannot be estimated. `Directions` finds the directions in which features
    vary together, beyond their errors and beyond chance. Each object becomes a point in
    these directions with an error covariance, which is large for an object with large
    errors or many missing values. Features unrelated to any direction are left out.
    `cluster` applies it automatically; use it before other methods on wide data.

    There are no such directions if features vary independently of each other, and a
    single feature that separates clusters is not detected. Choose features first, or
    use `ErrorMixture` with ``covariance_type="diag"`` on all of them.

    Parameters
    ----------
    n_directions : int or "auto", default="auto"
        Number of directions. "auto" takes those beyond chance, at most 20 and at most
        one per 8 objects, and leaves data alone that would not benefit (see Notes).
    device : str, default="cpu"
        Device on which objects are transformed: "cpu", or a torch device such as
        "cuda" (extra ``gpu``).
    random_state : int, RandomState, Generator or None, default=0
        Seed of the comparison with chance.

    Attributes
    ----------
    n_directions_ : int
        Number of directions; 0 if the data are left alone. The next four attributes
        exist only if it is not 0.
    loadings_ : ndarray of shape (n_features, n_directions)
        Change of each feature per unit step in each direction. One unit is the standard
        deviation of the place of an object due to unique variation.
    noise_ : ndarray of shape (n_features,)
        Standard deviation of each feature's unique variation: not shared with other
        features, and not due to errors.
    center_ : ndarray of shape (n_features,)
        Mean of the true values.
    explained_ : ndarray of shape (n_directions,)
        Share of the true variance of the standardized features in each direction.
    copies_ : ndarray of shape (n_features,)
        Number of the feature that each feature repeats, or its own number. Features
        repeat each other if the correlation of their values exceeds 0.99, or 0.9999 in
        data that are left alone. The first one by name is kept.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    Notes
    -----
    True values are ``center + loadings @ place + unique variation``. The errors of the
    data are added, and a missing value has an infinite error. The number of directions
    is found by comparison with the same table under random signs (parallel analysis
    [1]_), and by correlations between features beyond chance, which reveal directions
    in a few of many thousand features. Loadings are the leading singular vectors of the
    values, each shrunk according to its error. Places are estimated by weighted least
    squares; correlations between the errors of an object affect its error covariance,
    but not its weights. The units of the features do not matter.

    With "auto", data with at most 8 features are left alone. So are data with up to 100
    features if the directions hold less than two thirds of the true variance, are more
    than half as many as the features, or reach the largest number allowed. In wider
    tables without directions beyond chance, the two strongest are taken.

    Fitting takes some ten decompositions of a table of at most 4 million values (from a
    sample of objects in larger data), and ``n_features**2 * n_objects / 2`` operations
    for correlations. To transform takes ``n_objects * n_features * n_directions**2``.

    Beliefs, and objects with many values, are mapped with the weights of exact values.

    References
    ----------
    .. [1] D. Hong, Y. Sheng, E. Dobriban, "Selecting the number of components in PCA
       via random signflips", arXiv:2012.02985.

    Examples
    --------
    >>> import numpy as np
    >>> import incerta as ic
    >>> rng = np.random.default_rng(0)
    >>> group = rng.integers(2, size=80)
    >>> truth = rng.normal(size=(80, 300))
    >>> truth[:, :30] += 2.0 * group[:, None]
    >>> data = ic.from_gaussian(truth + rng.normal(size=truth.shape), std=1.0)
    >>> directions = ic.Directions().fit(data)
    >>> directions.n_directions_
    1
    >>> places = directions.transform(data)
    >>> places.shape, places.kind
    ((80, 1), 'correlated gaussian')
    >>> abs(np.corrcoef(places.mean().ravel(), group)[0, 1]).round(2)
    np.float64(0.97)
    """

    n_directions: int | str = parameter([*WHOLE, StrOptions({"auto"})], default="auto")
    _: KW_ONLY
    device: str = parameter([str], default=CPU)
    random_state: Seed = parameter(SEED, default=0)

    _takes_missing: ClassVar[bool] = True
    _stored: ClassVar[dict[str, str]] = {
        "n_features_in_": "",
        "feature_names_in_": "a d",
        "_found": "",
    }

    def __sklearn_tags__(self) -> Any:
        """Return the tags of the estimator for scikit-learn."""
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags

    def fit(self, X: Any, y: None = None) -> Self:
        """Find the directions.

        Parameters
        ----------
        X : UncertainData, PartitionedData or anything `as_uncertain` takes
            The objects.
        y : None
            Not used; present for pipelines.
        """
        self._validate_params()
        in_parts = isinstance(X, PartitionedData)
        objects = objects_of(self, X.example() if in_parts else X)
        d, seed = self.n_features_in_, as_seed(self.random_state)
        wanted = None if self.n_directions == "auto" else int(self.n_directions)
        if not in_parts and projected(objects.law) is not None:
            if wanted:
                raise DataError(_in_projection(wanted))
            nothing = np.zeros(d, dtype=np.bool_)
            return self._keep(
                Found(copy_of=np.arange(d), constant=nothing, empty=nothing)
            )
        looks = wanted or d > settings.FEW_FEATURES
        most = max(MANY_OBJECTS, MOST_VALUES // d) if looks else OBJECTS_FOR_COPIES
        some, _ = some_objects(by_moments(X) if in_parts else objects, most, seed)
        order, some = order_of_names(some.feature_names), features_by_name(some)
        limit = min(
            MOST_DIRECTIONS, max(2, len(some) // settings.OBJECTS_PER_DIRECTION)
        )
        anyway = ANYWAY if d > MANY_FEATURES else 0
        found = None
        # Many products of thin matrices: threads would cost more than they save.
        with threads(1):
            if looks:
                table = table_of(some)
                found = found_in(table, limit, seed, wanted=wanted, anyway=anyway)
            pays = found and (wanted or d > MANY_FEATURES)
            if found is None or not (pays or _pays(found.factors, limit)):
                found = found_in(exact_table_of(some), 0, seed)
        return self._keep(found if order is None else found.reordered(order))

    def transform(self, X: Any) -> Any:
        """Transform objects, those of the fit or new ones, to places in the directions.

        Parameters
        ----------
        X : UncertainData, PartitionedData or anything `as_uncertain` takes
            The objects.

        Returns
        -------
        UncertainData, PartitionedData or ndarray
            Values in the directions, with correlated errors. Data that are left alone
            are returned unchanged, except that features that repeat others are dropped.
            A plain 2-D array gives an array.
        """
        check_is_fitted(self)
        found, in_parts = self._found, isinstance(X, PartitionedData)
        data = objects_of(self, X.example() if in_parts else X, reset=False)
        changed = found.factors is not None or not found.originals.all()
        if in_parts and changed:
            parts = mapped_parts(X.partitions, placed, found, self.device)
            return PartitionedData(tuple(parts), tuple(self.get_feature_names_out()))
        if in_parts:
            return X
        if changed and projected(data.law) is not None:
            raise DataError(_in_projection(self.n_directions))
        if changed:
            there = placed(data, found, self.device)
            assert there is not None
            data = there
        return data.mean() if is_plain_table(X) else data

    def inverse_transform(self, X: Any) -> Any:
        """Return the features that correspond to places in the directions.

        Parameters
        ----------
        X : UncertainData or array-like of shape (n_objects, n_directions)
            Objects in the directions.

        Returns
        -------
        UncertainData or ndarray of shape (n_objects, n_features)
            Means and covariances of the features, without their unique variation. An
            array gives an array. Data that were left alone are returned as they are,
            without features that repeat others.
        """
        check_is_fitted(self)
        if self.n_directions_ == 0:
            return X
        if not isinstance(X, UncertainData):
            return np.asarray(X) @ self.loadings_.T + self.center_
        return X.affine(self.loadings_, self.center_, self._names())

    def get_feature_names_out(self, input_features: Any = None) -> Any:
        """Return the names of the directions, or of the features of data left alone."""
        check_is_fitted(self)
        factors = self._found.factors
        if factors is not None:
            return np.array(names_of(factors), dtype=object)
        given = self._names() if input_features is None else input_features
        return np.asarray(given, dtype=object)[self._found.originals]

    def described(self) -> list[Direction]:
        """Describe each direction by the features that vary most with it."""
        factors, names = self._found.factors, self._names()
        if factors is None:
            return []
        correlations = np.sign(factors.loadings) * np.sqrt(factors.shares)
        directions = []
        for a, name in enumerate(names_of(factors)):
            of_a = correlations[:, a]
            main = np.argsort(-np.abs(of_a), kind="stable")[:MOST_MAIN]
            features = tuple((names[j], float(of_a[j])) for j in main if of_a[j] != 0.0)
            directions.append(Direction(name, float(self.explained_[a]), features))
        return directions

    def labels(self) -> list[str]:
        """Return labels for plots, such as "direction 1 (+mass, −age)"."""
        return [
            f"{name} ({', '.join(_signed(*each) for each in features[:NAMED])})"
            for name, _, features in self.described()
        ]

    def sentences(self) -> list[str]:
        """Describe directions, and repeated, constant and empty features, in words."""
        found, names = self._found, self._names()
        d, q = self.n_features_in_, self.n_directions_
        lines = []
        if q:
            tells = int(self.loadings_.any(axis=1).sum())
            where = f", and {verb(q, 'shows', 'show')} in {tells:,} of them"
            where = where if tells < d else ""
            lines = [
                f"{counted(d, 'feature')}, {counted(q, 'direction')} "
                f"{verb(q, 'holds', 'hold')} what is not error or independent noise"
                f"{where}. Objects were compared there.",
                *(f"{label[0].upper()}{label[1:]}." for label in self.labels()),
            ]
        nothing, copy_of = np.arange(d), found.copy_of
        near_to = nothing if found.near_to is None else found.near_to
        near_to = np.where(copy_of == nothing, near_to, nothing)
        for other_of, one, many in (
            (copy_of, "repeats another one", "repeat others"),
            (near_to, "nearly repeats another one", "nearly repeat others"),
        ):
            pairs = [
                f"{names[j]} ({names[other]})"
                for j, other in enumerate(other_of.tolist())
                if j != other
            ]
            lines += _of_features(pairs, one, many)
        for which, one, many in (
            (found.constant, "does not vary", "do not vary"),
            (found.empty, "is missing nearly always", "are missing nearly always"),
        ):
            chosen = [names[j] for j in np.flatnonzero(which).tolist()]
            lines += _of_features(chosen, one, many)
        return lines

    def _keep(self, found: Found) -> Self:
        self._found = found
        self.copies_ = found.copy_of
        self.n_directions_ = 0
        if found.factors is not None:
            factors = found.factors
            self.n_directions_ = len(factors.variances)
            self.loadings_, self.center_ = factors.loadings, factors.center
            self.noise_ = np.sqrt(factors.own)
            self.explained_ = factors.shares.mean(axis=0)
        return self

    def _check_stored(self) -> None:
        found, d = self._found, self.n_features_in_
        if not isinstance(found, Found) or len(found.copy_of) != d:
            wrong("the directions do not fit the features")
        if found.factors is not None and len(found.factors.own) != d:
            wrong("the directions do not fit the features")
        self._keep(found)

    def _names(self) -> Sequence[str]:
        counted_names = tuple(f"x{j}" for j in range(self.n_features_in_))
        return tuple(getattr(self, "feature_names_in_", counted_names))


def _in_projection(n_directions: int | str) -> str:
    return (
        f"{given(n_directions=n_directions)}: directions are found in features that "
        "were measured one by one, and these objects were measured in projection. Take "
        "what Deconvolver().fit_transform(data) believes of them, or leave directions "
        "out; 'auto' does."
    )


def directions_for(directions: int | str, seed: int) -> Directions:
    """Return the `Directions` for the parameter `directions` of a function."""
    if directions != "auto" and (isinstance(directions, str) or directions < 1):
        name = given(directions=directions)
        msg = f"{name} must be a whole number of at least 1, 'auto' or None."
        raise ValueError(msg)
    return Directions(directions, random_state=seed)


def _pays(factors: Factors | None, limit: int) -> bool:
    """Return whether a table of up to 100 features benefits from directions."""
    if factors is None:
        return False
    d, q = factors.loadings.shape
    held = factors.shares.mean(axis=0).sum()
    # If q reaches the limit there may be more directions, which would be lost.
    return bool(held >= settings.LEAST_HELD and 2 * q <= d and q < limit)


def _signed(name: str, correlation: float) -> str:
    return f"{'+' if correlation > 0.0 else MINUS}{printable(name)}"


def _of_features(names: Sequence[str], one: str, many: str) -> list[str]:
    """Return a sentence about features that names the first of them."""
    if not names:
        return []
    n, first = len(names), ", ".join(map(printable, names[:NAMED]))
    more = f" and {n - NAMED:,} more" if n > NAMED else ""
    return [f"{counted(n, 'feature')} {verb(n, one, many)}: {first}{more}."]


def names_of(factors: Factors) -> tuple[str, ...]:
    """Return the names of directions as features."""
    return tuple(f"direction {a + 1}" for a in range(len(factors.variances)))


def table_of(data: UncertainData) -> Table:
    """Return measured values and the variances of their errors, features first."""
    table = exact_table_of(data)
    if data.meaning == "spread" and not data.joint:
        variances = errors_of_means(data)
        if variances.ndim == 3:
            variances = np.einsum("iin->in", variances)
    else:
        variances = np.where(table.known, data.variance().T, 0.0)
    return table._replace(variances=variances)


def exact_table_of(data: UncertainData) -> Table:
    """Return the means of objects as exact values, features first."""
    values = np.ascontiguousarray(data.mean().T)
    known = ~np.isnan(values)
    return Table(np.where(known, values, 0.0), np.zeros_like(values), known)


def placed(
    data: UncertainData | None, found: Found, device: str
) -> UncertainData | None:
    """Transform objects to directions, or drop copies; only errors affect weights."""
    if data is None:
        return None
    if found.factors is None:
        return data.select(np.flatnonzero(found.originals).tolist())
    tells = np.flatnonzero(found.factors.tells)
    factors, names = found.factors.only(tells), names_of(found.factors)
    some = data.select(tells.tolist())
    if not of_errors(data):
        matrix = factors.directly
        return _small(some.affine(matrix, -matrix @ factors.center, names))
    q, correlated = len(names), not data.law.independent_features
    values, errors = np.empty((len(data), q)), np.empty((len(data), q, q))
    # Memory for one object: copies of its values, and a matrix for correlated errors.
    numbers = len(tells) * (len(tells) if correlated else 8) + 4 * q * q
    for block in blocks(len(data), 8 * numbers, BLOCK_BYTES):
        part = some[block]
        table = table_of(part)
        known = put(table.known.astype(np.float64), device)
        there = Table(put(table.values, device), put(table.variances, device), known)
        together = part.covariance() if correlated else None
        values[block], errors[block] = places_of(there, factors, together)
        exact = (table.known & (table.variances == 0.0)).all(axis=0)
        errors[block][exact] = 0.0
    law = Gaussian.with_covariance(values, errors)
    return replace(data, law=law, feature_names=names)


def _small(data: UncertainData) -> UncertainData:
    """Reduce a Gaussian with more factors than features to its covariance."""
    law = data.law
    if not isinstance(law, Gaussian) or law.n_uniforms <= law.n_features:
        return data
    return replace(data, law=Gaussian.with_covariance(law.mean(), law.covariance()))
