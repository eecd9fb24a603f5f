from . import (
    classifiers as classifiers,
    data as data,
    datasets as datasets,
    divergence as divergence,
    estimators as estimators,
    metrics as metrics,
    plot as plot,
    published as published,
    report as report,
    scverse as scverse,
    selection as selection,
    spectral as spectral,
    streams as streams,
    worlds as worlds,
)
from .api import (
    Clustering as Clustering,
    cluster as cluster,
    load as load,
    save as save,
)
from .api.assess import (
    AssessedLabel as AssessedLabel,
    AssessedPair as AssessedPair,
    Assessment as Assessment,
    assess as assess,
)
from .api.check import (
    Check as Check,
    check_classifier as check_classifier,
)
from .api.comparison import (
    Comparison as Comparison,
    compare as compare,
)
from .api.members import (
    Group as Group,
    Members as Members,
    members as members,
)
from .api.watcher import Watcher as Watcher
from .classifiers import *
from .data import (
    PartitionedData as PartitionedData,
    Standardizer as Standardizer,
    UncertainData as UncertainData,
    as_uncertain as as_uncertain,
    concat as concat,
    from_array as from_array,
    from_counts as from_counts,
    from_dask as from_dask,
    from_distributions as from_distributions,
    from_frame as from_frame,
    from_gaussian as from_gaussian,
    from_interval as from_interval,
    from_samples as from_samples,
    from_uncertainties as from_uncertainties,
    from_worlds as from_worlds,
    from_xarray as from_xarray,
    read_table as read_table,
)
from .directions import Directions as Directions
from .estimators import *
from .mixture import Deconvolver as Deconvolver
from .number import (
    NumberOfClusters as NumberOfClusters,
    choose_k as choose_k,
)
from .streams import *
from .worlds import Worlds as Worlds

__version__: str
