from .coerce import as_uncertain
from .construct import (
    from_array,
    from_gaussian,
    from_interval,
    from_samples,
    from_worlds,
)
from .container import UncertainData, concat
from .counts import from_counts
from .files.reader import read_table
from .from_dataarray import from_xarray
from .from_science import from_distribution_array, from_uncertainties
from .from_scipy import from_distributions
from .from_table import from_frame
from .partitioned import PartitionedData, from_dask
from .standardize import Standardizer

__all__ = [
    "PartitionedData",
    "Standardizer",
    "UncertainData",
    "as_uncertain",
    "concat",
    "from_array",
    "from_counts",
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
    "read_table",
]
