"""The estimators, scikit-learn style."""

from incerta.cluster._expected import ExpectedSpectral
from incerta.cluster._rpc import RPC

__all__ = ["RPC", "ExpectedSpectral"]
