"""`UncertainData`: the class of all uncertain data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from html import escape
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from incerta.backend.keyed import GOLDEN, Keys, keys_of, keys_of_texts, mixed
from incerta.data.checks import (
    as_feature_names,
    as_map,
    positions_of_features,
    positions_of_objects,
)
from incerta.data.laws import Arrays, Joint, Law, Values, stack
from incerta.data.meaning import MEANINGS, as_meaning, of_errors
from incerta.data.projections import projected
from incerta.data.reliability import reliability
from incerta.data.replicates import replicated
from incerta.exceptions import DataError
from incerta.models.checks import texts, wrong
from incerta.models.registry import stored
from incerta.typing import Array, ArrayLike, Ids, Indices, Seed
from incerta.wording import given

if TYPE_CHECKING:
    from incerta.worlds import Worlds


# Frame libraries that are supported for tables and results.
FRAME_LIBRARIES = ("pandas", "polars", "pyarrow")
SHOWN_FEATURES = 6


def _check(data: UncertainData) -> None:
    if not isinstance(data.law, Law) or len(data.ids) != data.law.n_objects:
        wrong("there is not one id per object")
    texts(data.feature_names, "feature_names")
    if len(data.feature_names) != data.law.n_features:
        wrong("there is not one name per feature")
    if data.library is not None and data.library not in FRAME_LIBRARIES:
        wrong(f"library {data.library!r} is unknown")
    if data.meaning not in MEANINGS:
        wrong(f"meaning {data.meaning!r} is unknown")


@stored(_check, ids="a n")
@dataclass(frozen=True, eq=False, repr=False)
class UncertainData:
    """Objects that are distributions rather than points.

    It is made by the ``from_*`` functions and `read_table`, and is immutable. Objects
    are independent of each other unless `joint` is true.

    Attributes
    ----------
    law : Law
        The distribution of the values of all objects.
    ids : ndarray of shape (n_objects,)
        Name of each object; all different.
    feature_names : tuple of str
        Name of each feature.
    library : str or None
        Frame library of the table, for results: "pandas", "polars" or "pyarrow"; None
        if the data were not a frame.
    meaning : {"error", "belief", "spread"}
        Meaning of the uncertainty: values are measurements with an error of known size;
        laws describe what is known about the true values; or objects have many values,
        none of which is the true one.

    Examples
    --------
    >>> import incerta as ic
    >>> data = ic.from_gaussian([[0.0, 1.0], [5.0, 2.0]], std=[[0.1, 0.2], [0.3, 0.1]])
    >>> len(data), data.n_features, data.joint
    (2, 2, False)
    >>> data.worlds(3, random_state=0)[2].shape
    (2, 2)
    """

    law: Law
    ids: Ids
    feature_names: tuple[str, ...]
    library: str | None = None
    meaning: str = "belief"

    def __post_init__(self) -> None:
        ids = self.ids.view()
        ids.flags.writeable = False
        object.__setattr__(self, "ids", ids)
        names = self.feature_names
        if len(set(names)) < len(names):
            twice = next(name for name in names if names.count(name) > 1)
            msg = f"two features have the name {twice!r}; give each a name of its own."
            raise DataError(msg)

    @property
    def n_objects(self) -> int:
        """Number of objects."""
        return self.law.n_objects

    @property
    def n_features(self) -> int:
        """Number of features."""
        return self.law.n_features

    @property
    def shape(self) -> tuple[int, int]:
        """Number of objects and of features."""
        return self.n_objects, self.n_features

    @property
    def kind(self) -> str:
        """Kind of the distributions: "samples", "gaussian", "joint worlds", ..."""
        return self.law.kind

    @property
    def joint(self) -> bool:
        """Whether the worlds are given draws of all objects together."""
        return self.law.n_draws is not None

    @property
    def n_draws(self) -> int | None:
        """Number of given draws of joint data; None for independent objects."""
        return self.law.n_draws

    @property
    def exact(self) -> bool:
        """Whether the objects are points: no uncertainty at all."""
        return self.kind == "exact"

    def __len__(self) -> int:
        return self.n_objects

    def __getitem__(self, key: Any) -> UncertainData:
        """Return some objects, by slice, mask, position or list of positions."""
        index = positions_of_objects(key, self.n_objects)
        return replace(self, law=self.law.take(index), ids=self.ids[index])

    def __array__(self, *_: Any, **__: Any) -> NoReturn:
        msg = (
            "UncertainData is not an array. Take .mean() for values without their "
            "uncertainty, .worlds(n)[j] for one possible world, or WorldConsensus for "
            "a clusterer that takes arrays."
        )
        raise TypeError(msg)

    def mean(self) -> Array:
        """Return the expected value of each object, shape (n_objects, n_features)."""
        return self.law.mean()

    def variance(self) -> Array:
        """Return the variance of each feature of each object, (n_objects, n_features).

        The values of an object with their weights are its whole distribution: squares
        are divided by their number, not by one less.
        """
        return self.law.variance()

    def covariance(self) -> Array:
        """Return the covariance of each object, (n_objects, n_features, n_features).

        Slice the data first if you need only some objects.
        """
        return self.law.covariance()

    def worlds(
        self, n_worlds: int = 100, random_state: Seed = None, *, quasi: bool = False
    ) -> Worlds:
        """Draw possible worlds, lazily.

        Parameters
        ----------
        n_worlds : int, default=100
            Number of worlds; for joint data, at most the number of draws.
        random_state : int, RandomState, Generator or None, default=None
            Seed. The value of an object in world j depends on its law and id, the names
            of the features, the seed and j. It does not depend on its row, or on other
            objects and features.
        quasi : bool, default=False
            Whether to spread the values of each object evenly over its distribution:
            exactly one of the `n_worlds` worlds falls into each of `n_worlds` equal
            parts. Averages over worlds vary less, and single worlds have the same
            distribution. World j then depends on `n_worlds`, too.
        """
        from incerta.worlds import Worlds

        return Worlds.drawn(self, n_worlds, random_state, quasi=quasi)

    @cached_property
    def _keys(self) -> Keys:
        """Return the hash of each id, which determines random numbers (64 bits)."""
        return keys_of(self.ids)

    def uniform_keys(self) -> Keys:
        """Return keys of the uniform numbers of a world, (n_objects, n_uniforms)."""
        return self.law.keys(self._keys, keys_of_texts(self.feature_names))

    def affine(
        self,
        matrix: ArrayLike,
        offset: ArrayLike = 0.0,
        feature_names: Sequence[str] | None = None,
    ) -> UncertainData:
        """Map every object by ``matrix @ value + offset``.

        Gaussians, values and joint worlds keep their kind.

        Parameters
        ----------
        matrix : array-like of shape (n_new_features, n_features) or (n_features,)
            A matrix, such as the ``components_`` of a PCA, or one factor per feature.
        offset : array-like of shape (n_new_features,) or float, default=0.0
            Added after the product.
        feature_names : sequence of str, optional
            Names of the new features. Factors keep the old names, a matrix counts
            from ``map0``.

        Examples
        --------
        >>> import incerta as ic
        >>> data = ic.from_gaussian([[1.0, 2.0]], std=[[0.3, 0.4]])
        >>> data.affine([[1.0, 1.0]], feature_names=["sum"]).variance()
        array([[0.25]])
        """
        map_, shift = as_map(matrix, offset, self.n_features)
        if map_.ndim == 1:
            law, default = self.law.rescaled(map_, shift), self.feature_names
        else:
            law = self.law.mapped(map_, shift)
            default = tuple(f"map{i}" for i in range(len(map_)))
        names = as_feature_names(feature_names or default, len(map_))
        return replace(self, law=law, feature_names=names)

    def select(self, features: Sequence[str] | Sequence[int]) -> UncertainData:
        """Return data with some features, by name or position.

        Examples
        --------
        >>> import incerta as ic
        >>> data = ic.from_interval([[0.0, 1.0]], [[1.0, 3.0]])
        >>> data.select(["x1"]).mean()
        array([[2.]])
        """
        index = positions_of_features(features, self.feature_names)
        names = tuple(self.feature_names[i] for i in index)
        return replace(self, law=self.law.select(index), feature_names=names)

    def with_meaning(self, meaning: str) -> UncertainData:
        """Return the data with another meaning of the uncertainty.

        Parameters
        ----------
        meaning : {"error", "belief", "spread"}
            With "error", the values of an object are replicates: they become their mean
            and its error, from variances pooled over all objects.

        Examples
        --------
        >>> import incerta as ic
        >>> data = ic.from_gaussian([[0.0], [1.0]], std=0.3)
        >>> data.meaning, data.with_meaning("belief").meaning
        ('error', 'belief')
        """
        law = self.law.meant(as_meaning(meaning))
        if meaning == "error" and isinstance(law, Values):
            law = replicated(law, self.feature_names)
        if meaning != "error" and projected(law) is not None:
            msg = (
                "values that were measured in projection have errors: "
                f"{given(meaning=meaning)} cannot be. What they say about the "
                "features is Deconvolver().fit_transform(data)."
            )
            raise DataError(msg)
        return replace(self, law=law, meaning=meaning)

    def relative_uncertainty(self) -> Array:
        """Return the size of the uncertainty relative to the spread between objects.

        For each feature, it is the root mean variance divided by the standard deviation
        of the object means. It is 0 for points. If it is well above 1, the objects
        overlap so much that their means say little. It is infinite if all means are
        equal but the values are not. For measurements in projection, it is the share of
        each feature that they leave open, as a deviation.
        """
        if projected(self.law) is not None:
            return np.sqrt(1.0 - reliability(self).features)
        means, variances = self.mean(), self.variance()
        if self.law.missing() is None:
            within, between = np.sqrt(variances.mean(axis=0)), means.std(axis=0)
        else:
            means = np.where(np.isnan(means).all(axis=0), 0.0, means)  # nothing known
            known = np.where(np.isnan(means), np.nan, variances)
            within, between = np.sqrt(np.nanmean(known, axis=0)), np.nanstd(means, 0)
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(within == 0, 0.0, within / between)

    def values_per_object(self) -> Indices | None:
        """Return the number of values of each object, or None if given by a formula."""
        return self.law.values_per_object()

    def __repr__(self) -> str:
        lines = [f"  {heading:<18} {text}" for heading, text in _facts(self).items()]
        return "\n".join(["UncertainData", *lines])

    def _repr_html_(self) -> str:
        left = '"text-align:left"'
        rows = "".join(
            f"<tr><th style={left}>{escape(heading)}</th>"
            f"<td style={left}>{escape(text)}</td></tr>"
            for heading, text in _facts(self).items()
        )
        return f"<table><caption>UncertainData</caption><tbody>{rows}</tbody></table>"


def concat(parts: Sequence[UncertainData]) -> UncertainData:
    """Combine the objects of several data sets into one.

    Parameters
    ----------
    parts : sequence of UncertainData
        Data with the same features. Either none is joint, or all are and have the same
        number of draws: draw j of the result is draw j of every part.

    Examples
    --------
    >>> import incerta as ic
    >>> a = ic.from_gaussian([[0.0]], std=[[1.0]], ids=["a"])
    >>> b = ic.from_gaussian([[3.0]], std=[[2.0]], ids=["b"])
    >>> ic.concat([a, b]).ids.tolist()
    ['a', 'b']
    """
    parts = list(parts)
    if not parts:
        msg = "parts is empty; give at least one data set to concat."
        raise DataError(msg)
    first = parts[0]
    for number, part in enumerate(parts):
        if part.feature_names != first.feature_names:
            msg = (
                f"parts[{number}] has features {part.feature_names}, parts[0] has "
                f"{first.feature_names}; select or rename them first."
            )
            raise DataError(msg)
        if part.joint != first.joint:
            msg = (
                f"parts[{number}] is {part.kind}, parts[0] is {first.kind}: joint "
                "draws cannot be mixed with independent objects. Make the joint part "
                "independent with from_array, or draw the other part's worlds."
            )
            raise DataError(msg)
    if first.joint:
        sizes = {p.n_draws for p in parts if p.n_draws is not None}
        if len(sizes) > 1:
            msg = f"parts have {sorted(sizes)} joint draws; the numbers must agree."
            raise DataError(msg)
    meanings = {part.meaning for part in parts if not part.exact}
    if len(meanings) > 1:
        msg = (
            f"parts have different meanings of their uncertainty: {sorted(meanings)}; "
            "set one with with_meaning."
        )
        raise DataError(msg)
    numbered = all(np.array_equal(p.ids, np.arange(len(p))) for p in parts)
    n_objects = sum(map(len, parts))
    ids = np.arange(n_objects) if numbered else np.concatenate([p.ids for p in parts])
    if len(np.unique(ids)) < n_objects:
        msg = (
            "parts share object ids; give each object its own with ids= when the "
            "data are made."
        )
        raise DataError(msg)
    return UncertainData(
        stack([p.law for p in parts]),
        ids,
        first.feature_names,
        meaning=next(iter(meanings), first.meaning),
    )


def first_equals(data: UncertainData) -> Indices:
    """Return the position of the first object equal to each; usually its own.

    Laws with several values and joint draws are not compared, because they are hardly
    ever equal. It takes one pass over the data.
    """
    n, columns = len(data), _numbers_of(data)
    if columns is None:
        return np.arange(n)
    keys = np.full(n, GOLDEN)
    for column in columns:
        # Zero has two signs, and counts as one number.
        keys = mixed(keys * GOLDEN + (column + 0.0).view(np.uint64))
    _, first, group = np.unique(keys, return_index=True, return_inverse=True)
    return first[group]


def _numbers_of(data: UncertainData) -> list[Array] | None:
    """Return numbers that describe each object, in arrays of shape (n,)."""
    law = data.law
    if isinstance(law, Values) and data.exact:
        return [*law.values.T]
    if not isinstance(law, Arrays) or isinstance(law, Joint):
        return None
    found = []
    for name, letters in law.axes.items():
        if "n" in letters:
            rows = np.moveaxis(getattr(law, name), letters.index("n"), 0)
            found += [*rows.reshape(len(data), -1).astype(float).T]
    return found


def _facts(data: UncertainData) -> dict[str, str]:
    """Return the description of `data` in pairs of a heading and a text."""
    numbered = np.array_equal(data.ids, np.arange(data.n_objects))
    examples = "" if numbered else f" ({_listed([*map(str, data.ids[:4])], 3)})"
    shown = {
        "objects": f"{data.n_objects:,}{examples}",
        "features": f"{data.n_features:,}: {_listed(data.feature_names)}",
        "kind": data.kind,
    }
    if not data.exact:
        shown["meaning"] = f"{data.meaning}: {MEANINGS[data.meaning]}"
    counts = data.values_per_object()
    if counts is not None and not data.exact and len(counts):
        low, high = counts.min(), counts.max()
        number = f"{low:,}" if low == high else f"{low:,} to {high:,}"
        shown["values per object"] = f"{number} ({counts.sum():,} in all)"
    gaps, seen = data.law.missing(), projected(data.law)
    if seen is not None:
        counts = seen.measured.sum(axis=1)
        number = "–".join(map(str, sorted({counts.min(), counts.max()})))
        shown["measured"] = f"{number} combinations of {data.n_features} features"
    elif gaps is not None:
        shown["missing"] = f"{gaps.sum():,} of {gaps.size:,} values"
    if data.n_objects:
        shown.update(_uncertainty(data))
    if data.n_objects > 1 and of_errors(data):
        shares = reliability(data)
        shown["reliability"] = shares.by_feature(data.feature_names)
        shown["of objects"] = shares.by_object()
    return shown


def _listed(names: Sequence[str], most: int = SHOWN_FEATURES) -> str:
    short = [name if len(name) <= 24 else name[:23] + "…" for name in names[:most]]
    return ", ".join(short) + (", …" if len(names) > most else "")


def _uncertainty(data: UncertainData) -> dict[str, str]:
    if data.exact:
        return {"uncertainty": "none"}
    ratio = data.relative_uncertainty()
    shown = {"uncertainty": f"{np.median(ratio):.2g} × the spread between objects"}
    if data.n_features > SHOWN_FEATURES:
        shown["by feature"] = f"from {ratio.min():.2g} to {ratio.max():.2g}"
    elif data.n_features > 1:
        shown["by feature"] = ", ".join(
            f"{name} {value:.2g}"
            for name, value in zip(data.feature_names, ratio, strict=True)
        )
    return shown


# the order of objects: by ids, so that fits do not depend on that of the rows ----


def order_of(ids: Ids) -> Indices | None:
    """Return the positions of the sorted ids; None if they are in order."""
    # Ids that are neither numbers nor text may have no order.
    names = ids.astype(str) if ids.dtype == object else ids
    if (names[1:] > names[:-1]).all():
        return None
    return np.argsort(names, kind="stable")


def sorted_by_id(data: UncertainData) -> UncertainData:
    """Return the objects in the order of their ids; the same data if in order."""
    order = order_of(data.ids)
    return data if order is None else data[order]


def features_by_name(data: UncertainData) -> UncertainData:
    """Return the features in the order of their names, for methods that draw."""
    order = order_of_names(data.feature_names)
    return data if order is None else data.select(order.tolist())


def order_of_names(names: Sequence[str]) -> Indices | None:
    """Return positions of names by length, then letters; None if in order.

    x10 comes after x9, and the order of a plain array does not change.
    """
    order = sorted(range(len(names)), key=lambda j: (len(names[j]), names[j]))
    return None if order == [*range(len(names))] else np.array(order, dtype=np.intp)


def at_their_rows(order: Indices) -> Indices:
    """Return the inverse of an order: the new position of each row."""
    rows = np.empty_like(order)
    rows[order] = np.arange(len(order))
    return rows
