"""Cluster data that is not exact, and learn how sure each label is.

Names are imported when they are first used, so ``import incerta`` costs next to
nothing and pulls in no optional library.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from incerta import (
        data,
        datasets,
        divergence,
        estimators,
        metrics,
        plot,
        report,
        selection,
        spectral,
        worlds,
    )
    from incerta.api import Clustering, cluster, load, save
    from incerta.data import (
        PartitionedData,
        Standardizer,
        UncertainData,
        as_uncertain,
        concat,
        from_array,
        from_dask,
        from_distributions,
        from_frame,
        from_gaussian,
        from_interval,
        from_samples,
        from_uncertainties,
        from_worlds,
        from_xarray,
        read,
    )
    from incerta.estimators import (
        FDBSCAN,
        FOPTICS,
        PDBSCAN,
        REP,
        RPC,
        SC,
        UCPC,
        CKMeans,
        ExpectedSpectral,
        MMVar,
        PossibleWorldConsistency,
        UKMeans,
        UKMedoids,
        WorldConsensus,
    )
    from incerta.number import KChoice, choose_k
    from incerta.worlds import Worlds

__version__ = "0.1.0.dev0"

_HOMES = {
    "incerta.api": ("Clustering", "cluster", "load", "save"),
    "incerta.number": ("KChoice", "choose_k"),
    "incerta.estimators": (
        "FDBSCAN",
        "FOPTICS",
        "PDBSCAN",
        "REP",
        "RPC",
        "SC",
        "UCPC",
        "CKMeans",
        "ExpectedSpectral",
        "MMVar",
        "PossibleWorldConsistency",
        "UKMeans",
        "UKMedoids",
        "WorldConsensus",
    ),
    "incerta.data": (
        "PartitionedData",
        "Standardizer",
        "UncertainData",
        "as_uncertain",
        "concat",
        "from_array",
        "from_dask",
        "from_distributions",
        "from_frame",
        "from_gaussian",
        "from_interval",
        "from_samples",
        "from_uncertainties",
        "from_worlds",
        "from_xarray",
        "read",
    ),
    "incerta.worlds": ("Worlds",),
}
_ROOMS = (
    "data",
    "datasets",
    "divergence",
    "estimators",
    "metrics",
    "plot",
    "report",
    "selection",
    "spectral",
    "worlds",
)
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}

__all__ = [
    "__version__",
    *_ROOMS,
    *_HOME_OF,
]


def __getattr__(name: str) -> Any:
    if name in _ROOMS:
        return import_module(f"incerta.{name}")
    if name in _HOME_OF:
        value = getattr(import_module(_HOME_OF[name]), name)
        globals()[name] = value
        return value
    msg = f"module 'incerta' has no attribute {name!r}"
    raise AttributeError(msg)


def __dir__() -> list[str]:
    return sorted(__all__)
