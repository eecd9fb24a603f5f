"""The estimators, scikit-learn style."""

from incerta.cluster._ckmeans import CKMeans
from incerta.cluster._consensus import WorldConsensus
from incerta.cluster._expected import ExpectedSpectral
from incerta.cluster._fdbscan import FDBSCAN
from incerta.cluster._foptics import FOPTICS
from incerta.cluster._medoids import UKMedoids
from incerta.cluster._pdbscan import PDBSCAN
from incerta.cluster._pwc import PossibleWorldConsistency
from incerta.cluster._relocation import UCPC, MMVar
from incerta.cluster._rep import REP
from incerta.cluster._rpc import RPC
from incerta.cluster._sc import SC
from incerta.cluster._ukmeans import UKMeans

__all__ = [
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
]
