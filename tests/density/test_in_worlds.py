"""Clusters in worlds, as model files hold them."""

import numpy as np

import incerta as ic
from incerta.density.in_worlds import DenseClusters
from tests.stored import changed, refused


def test_stored_clusters_fit_their_worlds():
    labels, levels = np.array([0, 0, 1, -1]), np.array([1.0, 2.0])
    found = DenseClusters(
        worlds=ic.from_gaussian(np.eye(4), std=0.1).worlds(3, 0),
        labels=labels,
        levels=levels,
        min_samples=1,
    )
    changed(found, labels=labels - 1 + np.array([0, 0, 0, 1]))
    refused(found, labels=labels[:3])
    refused(found, labels=labels + 1)
    refused(found, labels=labels - 1)
    refused(found, min_samples=0)
