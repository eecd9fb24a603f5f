"""The same objects in one place and in partitions."""

import numpy as np

import incerta as ic
from incerta.data.partitioned import PartitionedData


def blobs(n=60, d=2, k=3, seed=0, grid=None):
    """Objects with values, around k places; on a grid there are ties."""
    rng = np.random.default_rng(seed)
    places = rng.uniform(-5, 5, size=(k, d))[rng.integers(k, size=n)]
    values = places[:, None] + rng.normal(size=(n, 4, d))
    if grid:
        values = np.round(values / grid) * grid
    return ic.from_array(values, ids=[f"s{i}" for i in rng.permutation(n)])


def parted(data, cuts, order):
    pieces = np.split(order, sorted(cuts))
    parts = tuple(data[p] if len(p) else None for p in pieces)
    return PartitionedData(parts, data.feature_names)
