"""Samples of objects and sums over all of them, in one place or in partitions."""

from dataclasses import replace
from functools import partial
from typing import NamedTuple

import numpy as np

from incerta.backend.fold import Parts, mapped
from incerta.backend.keyed import some_by_key
from incerta.backend.memory import Scratch
from incerta.data.container import UncertainData, concat, sorted_by_id
from incerta.data.laws import Gaussian
from incerta.data.partitioned import PartitionedData
from incerta.known import some_with_labels
from incerta.mixture.expectation import Sums, sums
from incerta.mixture.fitting import FittedMixture, Search, fitted
from incerta.mixture.maximization import SumsOf
from incerta.mixture.model import Components, Measured, measured
from incerta.typing import Ids, Indices

# With more objects, the first rounds and all choices use a sample of this size.
MANY_OBJECTS = 50_000


class Some(NamedTuple):
    """A sample of the objects of a partition, and the number of all its objects."""

    n_objects: int
    data: UncertainData | None


def some_objects(
    objects: UncertainData | PartitionedData, most: int, seed: int
) -> tuple[UncertainData, int]:
    """Return at most `most` objects, chosen and sorted by id, and the number of all."""
    if isinstance(objects, PartitionedData):
        merge = partial(_some_of_both, most=most, seed=seed)
        found = Parts(objects.partitions).fold(_some_of, merge, most, seed)
    else:
        found = _some_of(objects, most, seed)
    assert found.data is not None
    return sorted_by_id(found.data), found.n_objects


def some_labeled(
    objects: UncertainData | PartitionedData,
    most: int,
    seed: int,
    known: Indices | None,
) -> tuple[UncertainData, Indices | None, int]:
    """Return a sample, up to half of it labeled, its labels, and the number of all."""
    if known is None or not isinstance(objects, UncertainData):
        some, n_objects = some_objects(objects, most, seed)
        return some, None, n_objects
    if len(objects) <= most:
        return objects, known, len(objects)
    chosen = some_with_labels(objects._keys, most, seed, known)
    return objects[chosen], known[chosen], len(objects)


def sums_over(
    objects: UncertainData | PartitionedData,
    device: str,
    known: Indices | None = None,
) -> SumsOf:
    """Return a function that computes sums over all objects for given components.

    Objects in one place are sent to the device once, partitions in every round. Sums of
    partitions are added in order, so a different partitioning rounds differently.
    """
    if not isinstance(objects, PartitionedData):
        here = measured(objects)._replace(labels=known).on(device)
        return partial(sums, here, scratch=Scratch())
    given = mapped(objects.partitions, _measured, objects.n_features)
    parts = Parts(given, hold=True)

    def folded(components: Components) -> Sums:
        return parts.fold(_sums_on, Sums.plus, components, device)

    return folded


def fitted_to(
    objects: UncertainData | PartitionedData,
    search: Search,
    known: Indices | None = None,
) -> FittedMixture:
    """Fit a mixture to all objects, partitioned or not; `known` is sorted by id."""
    some, labels, n_objects = some_labeled(
        by_moments(objects), MANY_OBJECTS, search.seed, known
    )
    all_of_them = len(some) == n_objects
    sums_of = None if all_of_them else sums_over(objects, search.device, known)
    return fitted(measured(some)._replace(labels=labels), search, sums_of)


def by_moments(
    objects: UncertainData | PartitionedData,
) -> UncertainData | PartitionedData:
    """Reduce partitions to means and covariances; leave objects in one place as is."""
    if not isinstance(objects, PartitionedData):
        return objects
    parts = mapped(objects.partitions, _without_values)
    return replace(objects, partitions=tuple(parts))


def ids_of(data: UncertainData) -> Ids:
    """Return the ids of the objects of a partition."""
    return data.ids


def _without_values(data: UncertainData | None) -> UncertainData | None:
    if data is None or data.exact or data.meaning != "spread" or data.joint:
        return data
    law = Gaussian.with_covariance(data.mean(), data.covariance())
    return replace(data, law=law)


def _some_of(data: UncertainData | None, most: int, seed: int) -> Some:
    if data is None:
        return Some(0, None)
    return Some(len(data), data[some_by_key(data._keys, most, seed)])


def _some_of_both(a: Some, b: Some, most: int, seed: int) -> Some:
    parts = [some.data for some in (a, b) if some.data is not None]
    data = _some_of(concat(parts) if parts else None, most, seed).data
    return Some(a.n_objects + b.n_objects, data)


def _sums_on(some: Measured, components: Components, device: str) -> Sums:
    return sums(some.on(device), components)


def _measured(data: UncertainData | None, n_features: int) -> Measured:
    if data is None:
        return Measured(np.empty((n_features, 0)), np.empty((n_features, 0)))
    return measured(data)
