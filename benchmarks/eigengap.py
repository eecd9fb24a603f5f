"""Number of clusters by the eigengap, for two widths of the affinity.

    INCERTA_DATA=... python benchmarks/eigengap.py

Ten worlds of each set, standardized; exact sets get Gaussian uncertainty of scale 0.5.
Sets that need INCERTA_DATA are left out without it.
"""

import argparse
import os
import sys
from pathlib import Path

import numpy as np

import incerta as ic
from incerta import datasets
from incerta.spectral import Laplacians
from incerta.spectral.consistency import common_eigenvalues

sys.path.append(str(Path(__file__).parents[1]))  # paper is beside src
from paper import datasets as fetched

FOLDER_ONLY = ("ecoli", "nba", "movement")


def sets(small):
    loaders = {"wine": datasets.load_wine, "weather": datasets.load_weather}
    loaders["weather joint"] = lambda: datasets.load_weather(joint=True)
    if os.environ.get("INCERTA_DATA") and not small:
        loaders |= {name: getattr(fetched, f"fetch_{name}") for name in FOLDER_ONLY}
    for name, load in loaders.items():
        dataset = load()
        data = ic.Standardizer("means").fit_transform(dataset.data)
        if isinstance(data, np.ndarray):
            data = datasets.make_uncertain(data, scale=0.5, random_state=0)
        yield name, len(dataset.target_names), data
    for k in (2,) if small else (2, 3, 5, 7):
        for d in (2, 6):
            data, _ = datasets.make_uncertain_blobs(300, d, k, random_state=k + d)
            yield f"blobs, d = {d}", k, ic.Standardizer("means").fit_transform(data)


def by_gap(data, width):
    values = common_eigenvalues(Laplacians(data.worlds(10, 0), width), 11)
    return 2 + int((values[:-1] - values[1:])[1:].argmax())


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--small", action="store_true", help="few sets, for tests")
    hits = np.zeros(2, dtype=int)
    print(f"{'set':15} {'classes':>7} {'median':>7} {'self-tuning':>11}")
    cases = list(sets(parser.parse_args().small))
    for name, k, data in cases:
        found = [by_gap(data, width) for width in ("median", "self-tuning")]
        hits += np.equal(found, k)
        print(f"{name:15} {k:7} {found[0]:7} {found[1]:11}")
    print(f"{'right, of':15} {len(cases):7} {hits[0]:7} {hits[1]:11}")


if __name__ == "__main__":
    main()
