from ._consensus import WorldConsensus
from ._error_mixture import ErrorMixture
from ._expected import ExpectedSpectral
from ._fdbscan import FDBSCAN
from ._foptics import FOPTICS
from ._medoids import UKMedoids
from ._rpc import RPC
from ._ukmeans import UKMeans
from ._auto import AutoClusterer

# In the order in which the command line and the pages list them.
__all__ = [
    "AutoClusterer",
    "RPC",
    "ExpectedSpectral",
    "ErrorMixture",
    "UKMeans",
    "UKMedoids",
    "FDBSCAN",
    "FOPTICS",
    "WorldConsensus",
]
