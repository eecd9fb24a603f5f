"""Data sets with known classes: bundled, fetched and made up.

Bundled sets need nothing, made-up ones a seed. Fetched ones are looked for in the
folder that the environment variable INCERTA_DATA names, in a cache, and on the web.
"""

from incerta.datasets.bundled import load_weather, load_wine
from incerta.datasets.dataset import Dataset
from incerta.datasets.fetched import (
    fetch_ecoli,
    fetch_image,
    fetch_kepler,
    fetch_libras,
    fetch_movement,
    fetch_nba,
    fetch_usps,
    fetch_waveform,
)
from incerta.datasets.generate import (
    make_uncertain,
    make_uncertain_blobs,
    make_waveform,
)
from incerta.datasets.shapes import (
    make_uncertain_moons,
    make_uncertain_rings,
    make_uncertain_stars,
)

__all__ = [
    "Dataset",
    "fetch_ecoli",
    "fetch_image",
    "fetch_kepler",
    "fetch_libras",
    "fetch_movement",
    "fetch_nba",
    "fetch_usps",
    "fetch_waveform",
    "load_weather",
    "load_wine",
    "make_uncertain",
    "make_uncertain_blobs",
    "make_uncertain_moons",
    "make_uncertain_rings",
    "make_uncertain_stars",
    "make_waveform",
]
