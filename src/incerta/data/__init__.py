"""What uncertain data is, and every way to bring it in."""

from incerta.data.coerce import as_uncertain
from incerta.data.construct import (
    from_array,
    from_gaussian,
    from_interval,
    from_samples,
    from_worlds,
)
from incerta.data.container import UncertainData, concat
from incerta.data.files.read import read
from incerta.data.from_frame import from_frame
from incerta.data.from_science import from_distribution_array, from_uncertainties
from incerta.data.from_scipy import from_distributions
from incerta.data.from_xarray import from_xarray
from incerta.data.partitioned import PartitionedData, from_dask
from incerta.data.standardize import Standardizer

__all__ = [
    "PartitionedData",
    "Standardizer",
    "UncertainData",
    "as_uncertain",
    "concat",
    "from_array",
    "from_dask",
    "from_distribution_array",
    "from_distributions",
    "from_frame",
    "from_gaussian",
    "from_interval",
    "from_samples",
    "from_uncertainties",
    "from_worlds",
    "from_xarray",
    "read",
]
