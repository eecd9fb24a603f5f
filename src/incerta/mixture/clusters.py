"""Clusters of one or more components: how probable they are, and which are known."""

import numpy as np

from incerta.data.container import UncertainData
from incerta.data.order import order_of, sorted_by_id
from incerta.mixture.expectation import log_densities
from incerta.mixture.measured import measured
from incerta.mixture.model import Components, Measured
from incerta.typing import Array, Indices


def by_cluster(
    data: UncertainData, components: Components, clusters: Indices, device: str
) -> Array:
    """Probability of each cluster: of its components together.

    `data`: the n objects. `components`: the mixture. `clusters` (n_components,):
    cluster of each component. `device`: where densities are computed.
    """
    there, k = measured(data).on(device), int(clusters.max()) + 1
    return shares_of_clusters(there, components, clusters, k)


def shares_of_clusters(
    some: Measured, components: Components, clusters: Indices, n_clusters: int
) -> Array:
    """As `by_cluster`, for objects as they were measured; clusters may be empty."""
    shares = np.exp(log_densities(some, components).shares)
    return shares[: len(clusters)].T @ np.eye(n_clusters)[clusters]


def with_clusters_known(
    data: UncertainData,
    known: Indices | None,
    components: Components,
    clusters: Indices,
) -> Measured:
    """What was measured, in the order of the ids, and components that are known.

    `data`: the n objects. `known` (n,): their clusters, −1 where unknown. Of a cluster
    of several components, an object is of the most probable one. `components`: the
    mixture. `clusters` (n_components,): cluster of each component.
    """
    given = measured(sorted_by_id(data))
    if known is None:
        return given
    order = order_of(data.ids)
    known = known if order is None else known[order]
    logs = log_densities(given, components).shares[: len(clusters)]
    other = known != clusters[:, None]
    likely = np.where(other, -np.inf, logs).argmax(axis=0)
    return given._replace(labels=np.where(known < 0, known, likely))
