"""How well a clustering agrees with known classes."""

from incerta.metrics.agreement import ari, clustering_accuracy, f_measure, nmi

__all__ = ["ari", "clustering_accuracy", "f_measure", "nmi"]
