"""Calls for people who want an answer."""

from incerta.api.answer import cluster
from incerta.api.clustering import Clustering

__all__ = ["Clustering", "cluster"]
