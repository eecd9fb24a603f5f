from . import (
    classifiers as classifiers,
)
from . import (
    data as data,
)
from . import (
    datasets as datasets,
)
from . import (
    divergence as divergence,
)
from . import (
    estimators as estimators,
)
from . import (
    metrics as metrics,
)
from . import (
    plot as plot,
)
from . import (
    published as published,
)
from . import (
    report as report,
)
from . import (
    selection as selection,
)
from . import (
    spectral as spectral,
)
from . import (
    streams as streams,
)
from . import (
    worlds as worlds,
)
from .api import (
    Clustering as Clustering,
)
from .api import (
    cluster as cluster,
)
from .api import (
    load as load,
)
from .api import (
    save as save,
)
from .classifiers import *
from .data import (
    PartitionedData as PartitionedData,
)
from .data import (
    Standardizer as Standardizer,
)
from .data import (
    UncertainData as UncertainData,
)
from .data import (
    as_uncertain as as_uncertain,
)
from .data import (
    concat as concat,
)
from .data import (
    from_array as from_array,
)
from .data import (
    from_dask as from_dask,
)
from .data import (
    from_distributions as from_distributions,
)
from .data import (
    from_frame as from_frame,
)
from .data import (
    from_gaussian as from_gaussian,
)
from .data import (
    from_interval as from_interval,
)
from .data import (
    from_samples as from_samples,
)
from .data import (
    from_uncertainties as from_uncertainties,
)
from .data import (
    from_worlds as from_worlds,
)
from .data import (
    from_xarray as from_xarray,
)
from .data import (
    read as read,
)
from .directions import Directions as Directions
from .estimators import *
from .mixture import Deconvolver as Deconvolver
from .number import (
    KChoice as KChoice,
)
from .number import (
    choose_k as choose_k,
)
from .streams import *
from .worlds import Worlds as Worlds

__version__: str
