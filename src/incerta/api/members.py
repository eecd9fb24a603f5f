"""`members`: find the objects of compact groups in a broad field."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, fields
from dataclasses import field as of_each
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from incerta import plot
from incerta.api.result import Result, or_none, versions
from incerta.data.checks import positions_of_features
from incerta.data.coerce import as_uncertain
from incerta.data.container import UncertainData
from incerta.exceptions import DataError, IncertaWarning
from incerta.groups.errors import errors_of
from incerta.groups.search import find
from incerta.groups.sky import Sky, around
from incerta.mixture.deconvolver import located
from incerta.mixture.expectation import log_densities
from incerta.mixture.model import Components, Measured, measured
from incerta.models.checks import wrong
from incerta.models.registry import stored
from incerta.typing import Array, Indices, Seed
from incerta.wording import counted, cut, given, joined, percent, printable, verb
from incerta.worlds.streams import checked_seed

# Each object needs matrices of this size in every round.
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
        Its standard deviation, because membership is uncertain.
    mean, mean_error : ndarray of shape (n_features,)
        Mean of the true values, and its standard errors.
    dispersion, dispersion_error : ndarray of shape (n_features,)
        Standard deviation of the true values, with measurement errors removed, and its
        standard errors.
    covariance : ndarray of shape (n_features, n_features)
        Covariance of the true values.
    gain : float
        Gain in log likelihood by the group; this is tested.

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
    """Expected properties of the objects above a threshold."""

    n_objects: int
    contamination: float  # share of them outside the group
    completeness: float  # share of the group among them


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
    """The result of `members`; ``print`` it for a summary.

    Attributes
    ----------
    data : UncertainData
        The objects.
    probability : ndarray of shape (n_objects, n_groups)
        Probability that the object belongs to each group; the rest is for the field.
    groups : list of Group
        The groups, the most significant first.
    components : Components
        The distribution of the true values: the groups, then the field; with `sky`, in
        its plane.
    field : {"mixture", "uniform"}
        Model of the field.
    level : float
        Largest share of fields without groups in which a group is found by chance.
    needed : float
        Gain in log likelihood that a group needed.
    seed : int
        ``members(data, ..., random_state=seed)`` gives the same answer.
    sky : Sky or None
        Which features are positions on a sphere.
    versions : dict of str to str
        Versions of the packages used.

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
        """Most probable group of each object; −1 for the field."""
        rest = 1.0 - self.probability.sum(axis=1, keepdims=True)
        return np.argmax(np.hstack([rest, self.probability]), axis=1) - 1

    def expected(self, threshold: float = 0.5, group: int | None = None) -> Expected:
        """Return the expected contamination and completeness above a threshold.

        Parameters
        ----------
        threshold : float, default=0.5
            Objects with at least this probability are taken.
        group : int, optional
            Members of this group; of any group by default.

        Returns
        -------
        Expected
            ``n_objects``, the number taken; ``contamination``, the expected share of
            them that does not belong there; and ``completeness``, the expected share of
            all members among them. NaN where there are none.
        """
        if not 0.0 <= threshold <= 1.0:
            msg = f"threshold={threshold!r} must lie between 0 and 1, such as 0.5."
            raise ValueError(msg)
        if group is not None and not 0 <= group < self.n_groups:
            few = verb(self.n_groups, "is", "are")
            several = counted(self.n_groups, "group")
            msg = f"group={group!r} must be a number from 0: there {few} {several}."
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
        """Return the probability of each group for other objects.

        Parameters
        ----------
        data : UncertainData or anything `as_uncertain` takes
            Objects from the same field, with the same features.

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
        """Return the table by columns, the most probable members first."""
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
        """Draw the groups over the field, colored by probability.

        Parameters
        ----------
        features : sequence of two features, optional
            Names or positions; by default those in which the first group is narrowest.
        ax : matplotlib Axes, optional
            Where to draw; those of a new figure by default.
        """
        data = located(self.data)
        if features is None:
            spread = np.nanstd(data.mean(), axis=0)
            narrow = np.zeros(self.data.n_features)
            if self.groups:
                narrow = self.groups[0].dispersion / np.where(spread > 0, spread, 1.0)
            features = np.argsort(narrow, kind="stable")[:2].tolist()
        return plot.members(data, self._of(None), features, ax)

    def sentences(self) -> list[str]:
        """Summarize the result in sentences."""
        n, k = len(self.data), self.n_groups
        law = "a uniform field"
        if self.field == "mixture":
            several = self.components.n_components - k
            law = f"a field of {counted(several, 'broad Gaussian')}"
        chance = f"{self.level:.0%}" if self.level >= 0.01 else f"{self.level:g}"
        if not k:
            return [
                f"No group was found among {counted(n, 'object')}: {law} explains "
                f"them. A group would have to raise the log likelihood by "
                f"{self.needed:.1f}; a field alone does so in less than {chance} of "
                "cases."
            ]
        inside = int((self.labels >= 0).sum())
        first = (
            f"{counted(k, 'group')} in {law} {verb(k, 'was', 'were')} found among "
            f"{counted(n, 'object')}; {counted(inside, 'object')} "
            f"probably {verb(inside, 'belongs', 'belong')} to "
            f"{verb(k, 'it', 'one of them')}."
        )
        lines = [first]
        weak = [g for g, each in enumerate(self.groups) if each.gain < self.needed]
        if weak:
            which = joined([str(g) for g in weak[:MOST_TOLD]])
            lines.append(
                f"Group {which} could be chance: only a gain in log likelihood of "
                f"{self.needed:.1f} or more is reached by a field alone in less than "
                f"{chance} of cases."
            )
        for threshold in (0.5, 0.9):
            found = self.expected(threshold)
            if found.n_objects:
                lines.append(
                    f"Of the {counted(found.n_objects, 'object')} with a probability "
                    f"of at least {threshold}, {percent(found.contamination)} are "
                    f"expected to belong to the field; they should include "
                    f"{percent(found.completeness)} of all members."
                )
        return lines

    def explain(self) -> str:
        """Summarize the result in sentences, with a table for each group."""
        rows = []
        for g, each in enumerate(self.groups):
            rows += [
                "",
                f"Group {g}: {each.expected:,.1f} ± {each.expected_error:,.1f} objects,"
                f" gain in log likelihood {each.gain:,.1f}",
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
        """Give the result for programs, with None for what is unknown."""
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
    """Find the objects that belong to a compact group in a broad field.

    This answers questions such as "which of these stars belong to the cluster?". Most
    objects form a field of no interest, and some are close together in it. Measurement
    errors are removed from both, so that poorly measured members are not lost to the
    field. The number of groups is tested, and can be zero.

    Parameters
    ----------
    data : UncertainData or anything `as_uncertain` takes
        The objects, with at most 20 features. Leave out features that do not separate
        the group from the field, such as magnitudes.
    n_groups : int or "auto", default="auto"
        "auto" takes the groups that pass a test; a number takes the most significant
        ones, whether they pass or not.
    field : {"mixture", "uniform"}, default="mixture"
        Model of the other objects: a mixture of broad Gaussians, their number chosen by
        BIC, or uniform between the lowest and the highest values.
    sky : pair of str, optional
        Names of the two features that are longitude and latitude on a sphere, in
        degrees, such as ``("ra", "dec")``. Errors are in degrees as well, and that of
        the longitude is the error of the coordinate: divide the errors of ``ra *
        cos(dec)`` that catalogs list by the cosine of the latitude.
    level : float, default=0.05
        Largest share of fields without groups in which one is found by chance.
    random_state : int, RandomState, Generator or None, default=0
        The same seed always gives the same answer. None takes a new one.

    Returns
    -------
    Members
        ``print`` it. ``table()`` lists the objects, the most probable members first,
        ``groups`` describes each group, and ``expected(0.9)`` has the expected
        properties of the objects above a threshold.

    Notes
    -----
    *Model.* True values follow a mixture: broad Gaussians for the field, and a Gaussian
    for each group. Measurements add the error of each object [1]_; they may be
    projections (``projection=`` in `from_gaussian`). A group is *compact*: its
    dispersion, without errors, is at most a third of that of the field around it
    (geometric mean over all directions). The broadest Gaussians that hold half of the
    objects are always field.

    *Search.* Each place with more objects than the field explains starts a Gaussian,
    which is followed by EM beside the field. The best one is a group if it raises the
    log likelihood by ``log(n / level) + 3 d`` for n objects with d features. Then field
    and groups are fitted together, and the search continues. The price for each feature
    comes from simulated fields without groups, among them heavy-tailed and skewed ones
    and some with several parts (``docs/members.rst``); it is not a theorem.

    *Standard errors* come from the observed information, with the field and the other
    groups taken as known.

    For clusters that fill the data, without a field, use `cluster`. Groups of fewer
    than about 10 objects are found only if they are very dense, and groups whose
    dispersion and errors together are as wide as the field are not found. Two groups
    count as one unless they are several times further apart than they are wide. Errors
    that are not Gaussian are represented by their mean and covariance.

    Time grows with the number of objects: 2000 objects with five features take about 3
    seconds, a million 45 s. The broad Gaussians are chosen with at most 3000 objects
    and fitted to 20,000; the search for groups uses all objects.

    References
    ----------
    .. [1] J. Bovy, D. W. Hogg, S. T. Roweis, "Extreme deconvolution: inferring complete
       distribution functions from noisy, heterogeneous and incomplete observations",
       Ann. Appl. Stat. 5, 2011.

    Examples
    --------
    A group of 30 in a field of 400, with errors almost as large as the group:

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
            f"data has {objects.n_features} features; groups can be found in at most "
            f"{MOST_FEATURES}. Select those that separate them from the field with "
            "data.select([...]), or reduce them with "
            "ic.Directions().fit_transform(data)."
        )
        raise DataError(msg)
    some, plane = measured(objects), None
    if some.projection is not None and (sky is not None or field == "uniform"):
        msg = (
            f"{given(sky=sky) if sky is not None else given(field=field)} does not fit "
            "values that were measured in projection: places on a sphere, and the "
            "borders of a uniform field, take the features themselves. Leave it out."
        )
        raise DataError(msg)
    if sky is not None:
        plane = around(some, *_places(some, objects, sky))
        some = plane.flat(some)
    middle, variances = some.true_spread()
    constant = np.flatnonzero((variances == 0.0) & (len(objects) > 1))
    if len(constant):
        msg = (
            f"{objects.feature_names[constant[0]]!r} is the same for all objects and "
            "cannot separate a group from the field; leave it out."
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
    """Check the number of groups; None for as many as pass the test."""
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
    """Find the features that are longitude and latitude."""
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
            "out, as a position needs both."
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
    if some.projection is not None:
        values = some.values - np.einsum("qdn,d->qn", some.projection, middle)
        values *= 1.0 if some.known is None else some.known
        through = some.projection * scale[:, None]
        return some._replace(values=values, projection=through)
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
    """Compute the probability of each of the first k components, (n, k)."""
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
