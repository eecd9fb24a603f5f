"""`members`: which objects belong to a compact group in a broad field."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, fields
from dataclasses import field as of_each
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from incerta import plot
from incerta.api.answer import checked_seed
from incerta.api.result import Result, or_none, versions
from incerta.data.checks import positions_of_features
from incerta.data.coerce import as_uncertain
from incerta.data.container import UncertainData
from incerta.exceptions import DataError, IncertaWarning
from incerta.groups.errors import errors_of
from incerta.groups.search import find
from incerta.groups.sky import Sky, around
from incerta.mixture.expectation import log_densities
from incerta.mixture.model import Components, Measured, measured
from incerta.models.checks import wrong
from incerta.models.registry import stored
from incerta.typing import Array, Indices, Seed
from incerta.wording import counted, cut, given, joined, printable, verb

# Each object takes matrices of this size in every round.
MOST_FEATURES = 20
FIELDS = ("mixture", "uniform")
MOST_TOLD = 5


@stored(
    mean="f d",
    mean_error="f d",
    dispersion="f d",
    dispersion_error="f d",
    covariance="f d d",
)
@dataclass(frozen=True, kw_only=True, eq=False)
class Group:
    """A group, in the units of the data.

    Attributes
    ----------
    expected : float
        Expected number of objects: the sum of their probabilities.
    expected_error : float
        Its standard deviation, as it is open which objects they are.
    mean, mean_error : ndarray of shape (n_features,)
        Mean of the true values, and its standard errors.
    dispersion, dispersion_error : ndarray of shape (n_features,)
        Standard deviation of the true values, without the errors of the objects, and
        its standard errors.
    covariance : ndarray of shape (n_features, n_features)
        Covariance of the true values.
    gain : float
        Log likelihood that the group brings; it is tested.

    Notes
    -----
    With ``sky=``, errors, dispersion and covariance are in degrees of arc: those of the
    longitude are multiplied by the cosine of the latitude.

    Examples
    --------
    >>> import numpy as np
    >>> import incerta as ic
    >>> rng = np.random.default_rng(0)
    >>> field, group = rng.normal(size=(400, 2)), rng.normal(1.0, 0.02, size=(30, 2))
    >>> found = ic.members(ic.from_gaussian(np.vstack([field, group]), std=0.02))
    >>> found.groups[0].mean.round(1), round(found.groups[0].expected)
    (array([1., 1.]), 30)
    """

    expected: float
    expected_error: float
    mean: Array
    mean_error: Array
    dispersion: Array
    dispersion_error: Array
    covariance: Array
    gain: float


class Expected(NamedTuple):
    """What is to be expected of the objects above a threshold."""

    n_objects: int
    contamination: float  # share of them that is not of the group
    completeness: float  # share of the group that is among them


def _check(found: Members) -> None:
    n, k = found.probability.shape
    if n != len(found.data) or k != len(found.groups):
        wrong("groups do not fit the objects")
    if found.components.n_components < k:
        wrong("there are fewer components than groups")
    d = found.data.n_features
    if found.components.means.shape[1] != d:
        wrong("components do not fit the features")
    if found.components.covariances.shape[1:] != (d, d):
        wrong("covariances do not fit the features")
    if any(len(each.mean) != d for each in found.groups):
        wrong("groups do not fit the features")


@stored(_check, by_itself=True, probability="f n k")
@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Members(Result):
    """What `members` found out about groups in a field; ``print`` it for a summary.

    Attributes
    ----------
    data : UncertainData
        The objects.
    probability : ndarray of shape (n_objects, n_groups)
        Probability that the object belongs to each group; the rest is the field.
    groups : list of Group
        The groups, the most significant one first.
    components : Components
        The law of the true values: the groups, then the field; of places on a sphere,
        in the plane of `sky`.
    field : {"mixture", "uniform"}
        What the field was taken for.
    level : float
        A field without a group has a group by chance in at most such a share of cases.
    needed : float
        Log likelihood that a group had to bring.
    seed : int
        ``members(data, ..., random_state=seed)`` gives the same answer.
    sky : Sky or None
        Which features are places on a sphere.
    versions : dict of str to str
        What it was made with.

    Examples
    --------
    >>> import numpy as np
    >>> import incerta as ic
    >>> rng = np.random.default_rng(0)
    >>> field, group = rng.normal(size=(400, 2)), rng.normal(1.0, 0.02, size=(30, 2))
    >>> found = ic.members(ic.from_gaussian(np.vstack([field, group]), std=0.02))
    >>> found
    <Members: 1 group in a field, of 430 objects>
    >>> found.labels[[0, -1]]
    array([-1,  0])
    """

    data: UncertainData
    probability: Array
    groups: list[Group]
    components: Components
    field: str
    level: float
    needed: float
    seed: int
    sky: Sky | None = None
    versions: dict[str, str] = of_each(default_factory=versions)

    @property
    def n_groups(self) -> int:
        """Number of groups."""
        return len(self.groups)

    @cached_property
    def labels(self) -> Indices:
        """The most probable of the groups and the field (−1), for each object."""
        rest = 1.0 - self.probability.sum(axis=1, keepdims=True)
        return np.argmax(np.hstack([rest, self.probability]), axis=1) - 1

    def expected(self, threshold: float = 0.5, group: int | None = None) -> Expected:
        """What is to be expected of the objects that are members so probably.

        Parameters
        ----------
        threshold : float, default=0.5
            Objects of at least this probability are taken.
        group : int, optional
            Members of this group; of any group by default.

        Returns
        -------
        Expected
            ``n_objects`` that are taken, their ``contamination``, the share that is
            expected not to belong there, and ``completeness``, the share of all members
            that is among them. NaN where there are none.
        """
        if not 0.0 <= threshold <= 1.0:
            msg = f"threshold={threshold!r} must lie between 0 and 1, such as 0.5."
            raise ValueError(msg)
        if group is not None and not 0 <= group < self.n_groups:
            msg = f"group={group!r} is none of the {counted(self.n_groups, 'group')}."
            raise ValueError(msg)
        own = self._of(group)
        taken = own[own >= threshold]
        return Expected(
            len(taken),
            float(1.0 - taken.mean()) if len(taken) else np.nan,
            float(taken.sum() / own.sum()) if own.sum() > 0.0 else np.nan,
        )

    def _of(self, group: int | None) -> Array:
        if group is not None:
            return self.probability[:, group]
        return np.minimum(self.probability.sum(axis=1), 1.0)

    def probability_of(self, data: Any) -> Array:
        """Probability of each group, for other objects with the same features.

        Parameters
        ----------
        data : UncertainData or anything `as_uncertain` takes
            Objects that were drawn from the same field.

        Returns
        -------
        ndarray of shape (n_objects, n_groups)
        """
        objects = as_uncertain(data)
        if objects.n_features != self.data.n_features:
            msg = (
                f"data has {counted(objects.n_features, 'feature')}; the groups were "
                f"found in {self.data.n_features}: {', '.join(self.data.feature_names)}"
            )
            raise DataError(msg + ".")
        some = measured(objects)
        if self.sky is not None:
            some = self.sky.flat(some)
        return _shares(some, self.components, self.n_groups)

    def columns(self) -> dict[str, Any]:
        """The table by columns, the most probable members first."""
        member = self._of(None)
        order = np.argsort(-member, kind="stable")
        return {
            "id": self.data.ids[order],
            "group": self.labels[order],
            "probability": member[order],
            **{
                f"p_{g}": self.probability[order, g]
                for g in range(self.n_groups if self.n_groups > 1 else 0)
            },
        }

    def plot(
        self, features: Sequence[str] | Sequence[int] | None = None, ax: Any = None
    ) -> Any:
        """Draw the groups over the field, by the probability of each object.

        Parameters
        ----------
        features : sequence of two features, optional
            Names or positions; those in which the first group is narrowest by default.
        ax : matplotlib Axes, optional
            Where to draw; those of a new figure by default.
        """
        if features is None:
            spread = np.nanstd(self.data.mean(), axis=0)
            narrow = np.zeros(self.data.n_features)
            if self.groups:
                narrow = self.groups[0].dispersion / np.where(spread > 0, spread, 1.0)
            features = np.argsort(narrow, kind="stable")[:2].tolist()
        return plot.members(self.data, self._of(None), features, ax)

    def sentences(self) -> list[str]:
        """What was found, in plain sentences."""
        n, k = len(self.data), self.n_groups
        law = "a uniform field"
        if self.field == "mixture":
            several = self.components.n_components - k
            law = f"a field of {counted(several, 'broad Gaussian')}"
        chance = f"{self.level:.0%}" if self.level >= 0.01 else f"{self.level:g}"
        if not k:
            return [
                f"No group was found among {counted(n, 'object')}: {law} explains "
                f"them. A group would have to bring a log likelihood of "
                f"{self.needed:.1f}; a field alone does so in less than {chance} of "
                "cases."
            ]
        inside = int((self.labels >= 0).sum())
        first = (
            f"{counted(k, 'group')} in {law} {verb(k, 'was', 'were')} found among "
            f"{counted(n, 'object')}; {counted(inside, 'object')} "
            f"{verb(inside, 'is', 'are')} rather of "
            f"{verb(k, 'it', 'one')} than of the field."
        )
        told = [first]
        weak = [g for g, each in enumerate(self.groups) if each.gain < self.needed]
        if weak:
            which = joined([str(g) for g in weak[:MOST_TOLD]])
            told.append(
                f"Group {which} could be chance: a group must bring a log likelihood "
                f"of {self.needed:.1f} for a field alone to do so in less than "
                f"{chance} of cases."
            )
        for threshold in (0.5, 0.9):
            found = self.expected(threshold)
            if found.n_objects:
                told.append(
                    f"Of the {counted(found.n_objects, 'object')} with a probability "
                    f"of at least {threshold}, {found.contamination:.0%} are expected "
                    f"to be of the field, and {found.completeness:.0%} of all members "
                    "to be among them."
                )
        return told

    def explain(self) -> str:
        """What was found, in sentences, and each group in 80 columns."""
        rows = []
        for g, each in enumerate(self.groups):
            rows += [
                "",
                f"Group {g}: {each.expected:,.1f} ± {each.expected_error:,.1f} objects,"
                f" log likelihood {each.gain:,.1f}",
                f"{'':>16} {'mean':>12} {'±':>10} {'dispersion':>12} {'±':>10}",
            ]
            for j, name in enumerate(self.data.feature_names):
                rows.append(
                    f"{cut(printable(name), 16):>16} {each.mean[j]:>12.5g} "
                    f"{each.mean_error[j]:>10.2g} {each.dispersion[j]:>12.4g} "
                    f"{each.dispersion_error[j]:>10.2g}"
                )
        return "\n".join([*self.sentences(), *rows])

    def summary(self) -> dict[str, Any]:
        """What was found, for programs; None where nothing is known."""
        names = self.data.feature_names
        thresholds = {str(t): self.expected(t)._asdict() for t in (0.1, 0.5, 0.9)}
        return {
            "objects": len(self.data),
            "groups": [
                {
                    name: dict(zip(names, map(or_none, value.tolist()), strict=True))
                    if isinstance(value, np.ndarray) and value.ndim == 1
                    else value.tolist()
                    if isinstance(value, np.ndarray)
                    else or_none(value)
                    for name, value in (
                        (f.name, getattr(each, f.name)) for f in fields(Group)
                    )
                }
                for each in self.groups
            ],
            "thresholds": {
                t: {name: or_none(value) for name, value in each.items()}
                for t, each in thresholds.items()
            },
            "field": self.field,
            "level": self.level,
            "needed": self.needed,
            "sentences": self.sentences(),
            "seed": self.seed,
            "versions": self.versions,
        }

    def __repr__(self) -> str:
        n = counted(len(self.data), "object")
        return f"<Members: {counted(self.n_groups, 'group')} in a field, of {n}>"

    __str__ = explain


def members(
    data: Any,
    n_groups: int | str = "auto",
    *,
    field: str = "mixture",
    sky: Sequence[str] | None = None,
    level: float = 0.05,
    random_state: Seed = 0,
) -> Members:
    """Say which objects belong to a compact group in a broad field.

    For the question "which of these stars are of the cluster?": most objects are of a
    field that nobody asks about, and some are close together in it. Errors are taken
    off both, so that a bad measurement is rather of the field only as far as it should
    be. The number of groups is tested, and may be none.

    Parameters
    ----------
    data : UncertainData or anything `as_uncertain` takes
        The objects; at most 20 features. Leave out those that do not tell the group
        from the field, such as magnitudes.
    n_groups : int or "auto", default="auto"
        "auto" takes groups that pass a test; a number takes the most significant ones,
        whether they pass it or not.
    field : {"mixture", "uniform"}, default="mixture"
        What the other objects are like: a mixture of broad Gaussians, as many as BIC
        asks for, or uniform between the lowest and the highest values.
    sky : pair of str, optional
        Names of two features that are longitude and latitude on a sphere, in degrees,
        such as ``("ra", "dec")``. Their errors are in degrees, too, that of the
        longitude as of a coordinate: errors of ``ra * cos(dec)``, as catalogs have
        them, must be divided by the cosine of the latitude.
    level : float, default=0.05
        A field without a group has one by chance in at most such a share of cases.
    random_state : int, RandomState, Generator or None, default=0
        The same seed always gives the same answer. None takes a new one.

    Returns
    -------
    Members
        ``print`` it; ``table()`` has the objects, the most probable members first,
        ``groups`` what each group is like, ``expected(0.9)`` what is to be expected of
        those above a threshold.

    Notes
    -----
    *Model.* True values are of a mixture: broad Gaussians for the field, and a Gaussian
    for each group; what was measured has the error of each object added [1]_. A group
    is *compact*: its dispersion, without errors, is at most a third of that of the
    field around it (geometric mean over all directions). The broadest Gaussians that
    hold half of the objects are field in any case.

    *Search.* Places that have more objects than the field explains start a Gaussian
    each, which is followed by EM beside the field; the best one is a group if its log
    likelihood gains ``log(n / level) + 3 d`` with n objects of d features. Then field
    and groups are fitted together, and the search goes on. The price for each feature
    was found by simulations of fields without groups (``docs/members.rst``), which may
    have heavy tails, be skewed or have several parts; it is not a theorem.

    *Standard errors* are those of the observed information, with the field and the
    other groups taken as known.

    It is not for clusters that fill the data, and no field: use `cluster`. Groups of
    less than some 10 objects are found only if they are very dense, and none whose
    dispersion and errors together are as wide as the field. Two groups are one unless
    they are several times further apart than they are wide. Errors that are not
    Gaussian count by their mean and covariance.

    Time grows with the number of objects: 2000 objects of five features take some 5
    seconds. The number and the places of broad Gaussians are chosen with at most 3000
    objects and settled with 20,000; the search for groups looks at all.

    References
    ----------
    .. [1] J. Bovy, D. W. Hogg, S. T. Roweis, "Extreme deconvolution: inferring complete
       distribution functions from noisy, heterogeneous and incomplete observations",
       Ann. Appl. Stat. 5, 2011.

    Examples
    --------
    A group of 30 in a field of 400, with errors as large as the group is wide:

    >>> import numpy as np
    >>> import incerta as ic
    >>> rng = np.random.default_rng(0)
    >>> field, group = rng.normal(size=(400, 2)), rng.normal(1.0, 0.03, size=(30, 2))
    >>> found = ic.members(ic.from_gaussian(np.vstack([field, group]), std=0.02))
    >>> found.n_groups, int((found.labels[400:] == 0).sum())
    (1, 30)
    >>> ic.members(ic.from_gaussian(field, std=0.02)).n_groups
    0
    """
    objects = as_uncertain(data)
    wanted = _wanted(n_groups)
    _check_options(field, level)
    seed = checked_seed(random_state)
    if objects.n_features > MOST_FEATURES:
        msg = (
            f"data has {objects.n_features} features; a group is looked for in at most "
            f"{MOST_FEATURES}. Name those that tell it from the field, "
            "data.select([...]), or put them into few directions first, "
            "ic.Directions().fit_transform(data)."
        )
        raise DataError(msg)
    some, plane = measured(objects), None
    if sky is not None:
        plane = around(some, *_places(some, objects, sky))
        some = plane.flat(some)
    middle, variances = some.true_spread()
    constant = np.flatnonzero((variances == 0.0) & (len(objects) > 1))
    if len(constant):
        msg = (
            f"{objects.feature_names[constant[0]]!r} is the same for all objects and "
            "tells no group from the field; leave it out."
        )
        raise DataError(msg)
    scale = np.sqrt(np.where(variances > 0.0, variances, 1.0))
    found = find(
        _scaled(some, middle, scale),
        wanted,
        uniform=field == "uniform",
        level=level,
        seed=seed,
    )
    k = len(found.gains)
    if wanted is not None and k < wanted:
        msg = (
            f"{given(n_groups=n_groups)}: only {counted(k, 'compact group')} "
            f"{verb(k, 'was', 'were')} found."
        )
        warnings.warn(msg, IncertaWarning, stacklevel=2)
    law = _unscaled(found.components, middle, scale)
    probability = _shares(some, law, k)
    return Members(
        data=objects,
        probability=probability,
        groups=[
            _group(some, law, g, probability[:, g], float(found.gains[g]), plane)
            for g in range(k)
        ],
        components=law,
        field=field,
        level=float(level),
        needed=found.needed,
        seed=seed,
        sky=plane,
    )


def _wanted(n_groups: Any) -> int | None:
    """Number of groups; None for as many as pass the test."""
    if isinstance(n_groups, str) and n_groups == "auto":
        return None
    whole = isinstance(n_groups, (int, np.integer)) and not isinstance(n_groups, bool)
    if not whole or n_groups < 1:
        msg = f"{given(n_groups=n_groups)} must be a whole number from 1, or 'auto'."
        raise ValueError(msg)
    return int(n_groups)


def _check_options(field: Any, level: Any) -> None:
    if field not in FIELDS:
        msg = f"{given(field=field)} is not one of {', '.join(FIELDS)}."
        raise ValueError(msg)
    if not 0.0 < level < 1.0:
        msg = f"{given(level=level)} must lie between 0 and 1, such as 0.05."
        raise ValueError(msg)


def _places(some: Measured, data: UncertainData, sky: Sequence[str]) -> list[int]:
    """Numbers of the features that are longitude and latitude."""
    at = positions_of_features(sky, data.feature_names).tolist()
    if len(set(at)) != 2 or len(at) != 2:
        msg = (
            f"{given(sky=sky)} must name two features, longitude and latitude, such as "
            "('ra', 'dec')."
        )
        raise DataError(msg)
    longitude, latitude = (data.feature_names[j] for j in at)
    if some.known is not None and not some.known[at].all():
        msg = (
            f"{longitude!r} or {latitude!r} is missing for some objects; leave these "
            "out: a place on a sphere needs both."
        )
        raise DataError(msg)
    highest = np.abs(some.values[at[1]]).max()
    if highest > 90.0:
        msg = (
            f"{latitude!r} is up to {highest:g}; the second feature of "
            f"{given('sky')} is the latitude, from −90 to 90 degrees."
        )
        raise DataError(msg)
    return at


def _scaled(some: Measured, middle: Array, scale: Array) -> Measured:
    values = (some.values - middle[:, None]) / scale[:, None]
    if some.known is not None:
        values *= some.known
    by = scale**2 if some.errors.ndim == 2 else scale[:, None] * scale
    errors = some.errors / by[..., None]
    if some.alike:
        errors = np.broadcast_to(errors[..., :1], errors.shape)
    return Measured(values, errors, some.known)


def _unscaled(law: Components, middle: Array, scale: Array) -> Components:
    return Components(
        law.weights,
        law.means * scale + middle,
        law.covariances * scale[:, None] * scale,
        None if law.ranges is None else law.ranges * scale,
    )


def _shares(some: Measured, law: Components, k: int) -> Array:
    """Probability of each of the first k components, (n, k)."""
    if not k:
        return np.empty((some.n_objects, 0))
    return np.ascontiguousarray(np.exp(log_densities(some, law).shares[:k]).T)


def _group(
    some: Measured, law: Components, g: int, share: Array, gain: float, sky: Sky | None
) -> Group:
    d = some.n_features
    mean, turn = law.means[g].copy(), np.eye(d)
    if sky is not None:
        at = [sky.longitude, sky.latitude]
        mean[at], turn[np.ix_(at, at)] = sky.back(mean[at])
    covariance = turn @ law.covariances[g] @ turn.T
    known = errors_of(some, law, g)
    of_variances = np.einsum(
        "ia,ib,ic,id,abcd->i", turn, turn, turn, turn, known.covariance, optimize=True
    )
    dispersion = np.sqrt(np.diag(covariance))
    return Group(
        expected=float(share.sum()),
        expected_error=float(np.sqrt((share * (1.0 - share)).sum())),
        mean=mean,
        mean_error=np.sqrt(np.diag(turn @ known.mean @ turn.T)),
        dispersion=dispersion,
        dispersion_error=np.sqrt(of_variances) / (2.0 * dispersion),
        covariance=covariance,
        gain=gain,
    )
