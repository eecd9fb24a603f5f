"""Calls for people who want an answer.

`load` is here, above all rooms, as it makes objects of any of them.
"""

from incerta.api.answer import cluster
from incerta.api.clustering import Clustering
from incerta.models.files import load, save

__all__ = ["Clustering", "cluster", "load", "save"]
