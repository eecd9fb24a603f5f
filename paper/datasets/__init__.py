"""The data sets that are fetched, or read from the folder INCERTA_DATA."""

from paper.datasets.fetched import (
    fetch_ecoli,
    fetch_image,
    fetch_kepler,
    fetch_libras,
    fetch_movement,
    fetch_nba,
    fetch_usps,
    fetch_waveform,
)

__all__ = [
    "fetch_ecoli",
    "fetch_image",
    "fetch_kepler",
    "fetch_libras",
    "fetch_movement",
    "fetch_nba",
    "fetch_usps",
    "fetch_waveform",
]
