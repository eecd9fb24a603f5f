"""The estimators, scikit-learn style."""

from incerta.cluster._ckmeans import CKMeans
from incerta.cluster._expected import ExpectedSpectral
from incerta.cluster._fdbscan import FDBSCAN
from incerta.cluster._foptics import FOPTICS
from incerta.cluster._medoids import UKMedoids
from incerta.cluster._pdbscan import PDBSCAN
from incerta.cluster._relocation import UCPC, MMVar
from incerta.cluster._rpc import RPC
from incerta.cluster._ukmeans import UKMeans

__all__ = [
    "FDBSCAN",
    "FOPTICS",
    "PDBSCAN",
    "RPC",
    "UCPC",
    "CKMeans",
    "ExpectedSpectral",
    "MMVar",
    "UKMeans",
    "UKMedoids",
]
