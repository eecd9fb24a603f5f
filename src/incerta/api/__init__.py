"""Calls for people who want an answer."""

from incerta.api.answer import cluster
from incerta.api.clustering import Clustering
from incerta.api.files import load, save
from incerta.api.number import KChoice, choose_k

__all__ = ["Clustering", "KChoice", "choose_k", "cluster", "load", "save"]
