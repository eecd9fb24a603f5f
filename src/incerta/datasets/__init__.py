"""Bundled and simulated data sets with known classes; no network is needed."""

from incerta.datasets.bundled import Dataset, load_weather, load_wine
from incerta.datasets.generate import (
    make_uncertain,
    make_uncertain_blobs,
    make_uncertain_moons,
    make_uncertain_rings,
    make_uncertain_stars,
    make_waveform,
)

__all__ = [
    "Dataset",
    "load_weather",
    "load_wine",
    "make_uncertain",
    "make_uncertain_blobs",
    "make_uncertain_moons",
    "make_uncertain_rings",
    "make_uncertain_stars",
    "make_waveform",
]
