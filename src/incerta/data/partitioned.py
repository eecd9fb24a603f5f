"""`PartitionedData`: uncertain data in pieces, in files or with workers.

Each piece holds whole objects. Algorithms see only summaries of the pieces: ids, means
and variances of the objects.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from operator import add
from typing import Any, NamedTuple, NoReturn, TypeVar

import numpy as np
from numpy.typing import NDArray

from incerta.backend.fold import Parts, mapped, sums_of_runs
from incerta.backend.optional import comes_from, require
from incerta.data.construct import exact
from incerta.data.container import UncertainData, concat
from incerta.data.from_table import from_spec
from incerta.data.laws import Values
from incerta.data.refused import refuse_extremes, refuse_missing
from incerta.data.tables.spec import COUNTS, Errors, Kind, Missing, TableSpec
from incerta.exceptions import DataError
from incerta.typing import Array, Ids

T = TypeVar("T", bound=np.generic)


class Summary(NamedTuple):
    """A summary of the objects of a partition."""

    ids: Ids  # (n_objects,)
    keys: NDArray[np.uint64]  # (n_objects,), a hash of each id
    means: Array  # (n_objects, n_features)
    variances: Array  # (n_objects,), summed over the features


@dataclass(frozen=True, eq=False, repr=False)
class PartitionedData:
    """Uncertain objects in partitions; no object is split.

    It is made by `from_dask` and ``read_table(..., lazy=True)``, and accepted by
    `UKMeans`, `ErrorMixture` and `AutoClusterer`. Nothing is computed until it is used.

    Attributes
    ----------
    partitions : tuple
        The partitions: `UncertainData`, None without objects, or recipes for these:
        dask's delayed values, or files to read. Files are read one after the other, or
        by the workers of dask if there is a client; the workers must find them under
        the same path.
    feature_names : tuple of str
        Name of each feature.

    Examples
    --------
    >>> import incerta as ic
    >>> from incerta.data.partitioned import PartitionedData
    >>> a = ic.from_gaussian([[0.0], [0.2]], std=0.1, ids=["c", "a"])
    >>> b = ic.from_gaussian([[9.0]], std=0.1, ids=["b"])
    >>> data = PartitionedData((a, b), a.feature_names)
    >>> data
    PartitionedData(n_partitions=2, feature_names=('x0',))
    >>> data.gather().ids.tolist()
    ['a', 'b', 'c']
    """

    partitions: tuple[Any, ...]
    feature_names: tuple[str, ...]

    @property
    def n_partitions(self) -> int:
        """Number of partitions, empty ones included."""
        return len(self.partitions)

    @property
    def n_features(self) -> int:
        """Number of features."""
        return len(self.feature_names)

    def summaries(self) -> Parts:
        """Return summaries of the partitions, which stay with the workers."""
        return Parts(mapped(self.partitions, summary, self.n_features), hold=True)

    def example(self) -> UncertainData:
        """Return an object with these features, for checks of the features."""
        return exact(np.zeros((1, self.n_features)), feature_names=self.feature_names)

    def gather(self) -> UncertainData:
        """Collect all objects, sorted by id."""
        parts = Parts(self.partitions).fold(_present, add)
        in_order_of_ids([(part.ids, part.ids) for part in parts])  # none twice
        together = concat(parts)
        return together[np.argsort(together.ids)]

    def each(self, function: Callable[..., NDArray[T]], *given: Any) -> NDArray[T]:
        """Return rows of ``function(data, *given)``, one per object, sorted by id."""
        rows = Parts(self.partitions).fold(_applied, add, function, given)
        return in_order_of_ids(rows)[1]

    def __repr__(self) -> str:
        return (
            f"PartitionedData(n_partitions={self.n_partitions}, "
            f"feature_names={self.feature_names})"
        )

    def __array__(self, *args: Any, **kwargs: Any) -> NoReturn:
        msg = (
            "only UKMeans, ErrorMixture and AutoClusterer take partitioned data; bring "
            "them here with gather()."
        )
        raise TypeError(msg)


def from_dask(
    ddf: Any,
    *,
    id: str,
    values: str | Sequence[str],
    errors: Errors | None = None,
    kind: Kind = "sd",
    weight: str | None = None,
    missing: Missing | None = None,
    shuffle: bool | None = None,
    corr: str | None = None,
    log: str | Sequence[str] | bool | None = None,
) -> PartitionedData:
    """Make data from a dask DataFrame: rows of values, or values with error columns.

    The rows stay where they are computed. Results do not depend on the partitioning or
    on the order of the rows.

    Parameters
    ----------
    ddf : dask.dataframe.DataFrame
        Without `errors`, rows with the same id are possible values of one object; with
        `errors` each row is an object.
    id : str
        Column with the object of each row.
    values : str or list of str
        Columns of the features.
    errors, kind, corr, log
        Error columns and their contents, columns of correlations, and values to replace
        by their logarithm, as for `from_frame`.
    weight : str, optional
        Column with the relative probability of each value; not with `errors`.
    missing : {"error", "infinite"}, optional
        "error" refuses missing values. "infinite", the default with `errors`, keeps
        them as in `from_frame`; a missing error is replaced by that of the partition's
        other values.
    shuffle : bool, optional
        Whether to move the rows of each object into one partition. False saves this
        step if they already are; an object in two partitions is then an error, raised
        when the data are used. By default True without `errors`.

    Notes
    -----
    The rows are read once to fit, and once more for `membership_` and for each
    prediction; ``ddf.persist()`` keeps them in the memory of the workers. The ids of
    the objects are collected. Without a cluster, dask's local scheduler does the work.

    Examples
    --------
    >>> import dask.dataframe as dd
    >>> import pandas as pd
    >>> import incerta as ic
    >>> from incerta import from_dask
    >>> rows = {"star": ["b", "a", "c", "b", "d"], "mass": [1.0, 1.2, 8.0, 1.4, 8.1]}
    >>> ddf = dd.from_pandas(pd.DataFrame(rows), npartitions=2)
    >>> data = from_dask(ddf, id="star", values="mass")
    >>> uk = ic.UKMeans(n_clusters=2, random_state=0).fit(data)
    >>> uk.ids_.tolist(), uk.labels_
    (['a', 'b', 'c', 'd'], array([0, 0, 1, 1]))
    """
    spec = TableSpec.of_call(locals())
    refuse_imputation(spec)
    require("dask.dataframe", "dask", "from_dask")
    if not comes_from(ddf, "dask") or not hasattr(ddf, "to_delayed"):
        msg = (
            f"ddf is a {type(ddf).__name__}; from_dask takes a dask DataFrame. Frames "
            "of other libraries go through from_frame."
        )
        raise DataError(msg)
    rows = ddf[spec.columns(list(ddf.columns))]
    wanted = errors is None if shuffle is None else shuffle
    if wanted and rows.npartitions > 1:
        # Shuffle by tasks: if a worker is lost, its pieces can be computed again.
        rows = rows.shuffle(on=id, shuffle_method="tasks")
    return of_tables(rows.to_delayed(), spec)


def of_tables(tables: Sequence[Any], spec: TableSpec) -> PartitionedData:
    """Make data from tables, or recipes for tables, with whole objects in each."""
    if spec.missing_rule == "error":
        spec = replace(spec, missing="error")
    parts = mapped(tables, _objects, spec)
    return PartitionedData(tuple(parts), spec.features)


def refuse_imputation(spec: TableSpec) -> None:
    """Refuse options that need more than one partition."""
    why = "learns from all objects at once what is usual; read the whole table."
    spec.refuse(["kind"] * (spec.kind == COUNTS), why)
    taken = (None, "error", "infinite") if spec.errors else (None, "error")
    if spec.missing not in taken:
        msg = (
            f"missing={spec.missing!r} must be 'error' or, with errors, 'infinite': "
            "partitions are read by themselves, and what is missing in one cannot be "
            "imputed from it alone. Leave such rows out of the files."
        )
        raise DataError(msg)


def summary(data: UncertainData | None, n_features: int) -> Summary:
    """Summarize the objects of a partition; values may be in any order."""
    if data is None:
        none = np.empty(0, dtype=np.uint64)
        return Summary(none, none, np.empty((0, n_features)), np.empty(0))
    refuse_missing(data)
    law, variances = data.law, np.zeros(len(data))
    if isinstance(law, Values):
        means = np.empty((len(data), n_features))
        for j, column in enumerate(law.values.T):
            means[:, j] = _expected(column, law)
            off = column - np.repeat(means[:, j], law.counts)
            variances += _expected(np.square(off), law)
    else:
        means = data.mean()
        for column in data.variance().T:
            variances += column
    return Summary(data.ids, data._keys, means, variances)


def in_order_of_ids(parts: Sequence[tuple[Ids, Any]]) -> tuple[Ids, Any]:
    """Combine results of partitions: ids and rows, sorted by id."""
    parts = [pair for pair in parts if len(pair[0])]
    if not parts:
        msg = "the table has no rows; there is nothing to cluster."
        raise DataError(msg)
    kinds = {"n" if ids.dtype.kind in "biuf" else ids.dtype.kind for ids, _ in parts}
    if len(kinds) > 1:
        msg = "ids are numbers in some partitions and not in others; convert them."
        raise DataError(msg)
    ids = np.concatenate([pair[0] for pair in parts])
    order = np.argsort(ids, kind="stable")
    ids = ids[order]
    twice = ids[1:][ids[1:] == ids[:-1]]
    if len(twice):
        msg = (
            f"object {twice[0]!s} has rows in more than one partition, and so do "
            f"{len(twice) - 1} others; say from_dask(..., shuffle=True), or in files "
            "put the rows of an object one after the other, into one file."
        )
        raise DataError(msg)
    return ids, np.concatenate([pair[1] for pair in parts])[order]


def _objects(rows: Any, spec: TableSpec) -> UncertainData | None:
    """Turn the rows of a partition into objects, on the worker."""
    if not len(rows):
        return None
    data = from_spec(rows, spec) if spec.errors else _objects_of_values(rows, spec)
    refuse_extremes(data, spread=False)
    return data


def _objects_of_values(rows: Any, spec: TableSpec) -> UncertainData:
    weight = spec.weight
    columns = spec.values if weight is None else (*spec.values, weight)
    plain = TableSpec(id=spec.id, values=columns, log=tuple(spec.logs))
    data = from_spec(rows, plain)
    law = data.law
    if not isinstance(law, Values):
        values = list(spec.values)
        msg = f"values={values} must hold numbers; gather the table and use read."
        raise DataError(msg)
    if weight is None:
        return data
    # The weights of from_frame would not do: their sums depend on the order of rows.
    likely = law.values[:, -1]
    totals = sums_of_runs(likely, law.starts)
    bad = (np.minimum.reduceat(likely, law.starts[:-1]) < 0) | (totals <= 0)
    if bad.any():
        msg = (
            f"weight={weight!r} of object {data.ids[int(bad.argmax())]!s} must not be "
            "negative, nor 0 for all of its values; leave such rows out."
        )
        raise DataError(msg)
    shares = likely / np.repeat(totals, law.counts)
    inner = np.ascontiguousarray(law.values[:, :-1])
    weighted = Values(inner, law.starts, shares)
    names = data.feature_names[:-1]
    return UncertainData(weighted, data.ids, names, meaning=data.meaning)


def _expected(column: Array, law: Values) -> Array:
    """Average over the values of each object, in any order."""
    if law.weights is None:
        return sums_of_runs(column, law.starts) / law.counts
    return sums_of_runs(column * law.weights, law.starts)


def _present(data: UncertainData | None) -> list[UncertainData]:
    return [] if data is None else [data]


def _applied(
    data: UncertainData | None, function: Callable[..., Any], given: Sequence[Any]
) -> list[tuple[Ids, Any]]:
    return [] if data is None else [(data.ids, function(data, *given))]
