"""Choose the number of clusters."""

from incerta.number.choose import NumberOfClusters, choose_k

__all__ = ["NumberOfClusters", "choose_k"]
