"""Halve and double each constant behind the default answer.

    python benchmarks/sensitivity.py --seeds 1  # docs/measured/sensitivity.txt

Each constant of `incerta.settings` is tried on the cases that it can change: shapes and
wide tables with errors, told the number of clusters; shapes whose number is chosen; and
objects with many values. A line gives the mean accuracy, the calibration error against
the classes, and, where it is chosen, how often the number is right; "as it is" in the
first line of each group.
"""

import argparse
import sys
from pathlib import Path
from unittest.mock import patch

import numpy as np

sys.path.insert(0, str(Path(__file__).parent / "accuracy"))
from scores import calibration_error, in_names_of
from shapes import made

import incerta as ic
from incerta import settings
from incerta.metrics import clustering_accuracy
from sets import many_values

SHAPES = ("rare", "nested", "long6", "t3", "moons", "moon_and_blobs")
WIDE = ("lowrank", "wide50", "wide200")
SPREAD = ("assays", "widths", "modes")
COUNTED = ("sizes", "skew", "t3", "lowrank")
GROUPS = {
    "shapes": (
        *("SHARPNESS", "STABLE", "FULL_SHARE", "FULL_PART_OF_MEAN", "N_WORLDS"),
        "N_HALVES",
        *("LAW_OBJECTS_PER_FEATURE", "USUAL_WIDTH", "HOPELESS", "MOST_TO_BRING"),
        *("LEAST_TO_TELL", "MOST_OBJECTS"),
    ),
    "wide": (
        *("FEW_FEATURES", "BEYOND_CHANCE", "CORRELATED_BY_CHANCE", "COPY"),
        *("LEAST_TRUE", "LEAST_OWN", "LEAST_HELD", "OBJECTS_PER_DIRECTION"),
    ),
    "spread": ("KERNEL_WIDTH", "N_AXES"),
    "number": (
        *("MOST_CLUSTERS", "TEMPER", "FEWEST_IN_CLUSTER"),
        *("MOST_OPEN", "SOME_OPEN", "NO_VALLEY"),
    ),
}


def cases(group, seeds):
    """Yield data, classes and the given number of clusters."""
    for seed in range(seeds):
        if group == "spread":
            for name in SPREAD:
                case = many_values(name, seed)
                yield case.data, case.classes, len(np.unique(case.classes))
            continue
        names = {"shapes": SHAPES, "wide": WIDE, "number": COUNTED}[group]
        for name in names:
            data, classes, _ = made(name, "small uneven", seed)
            k = "auto" if group == "number" else len(np.unique(classes))
            yield data, classes, k


def scores(group, seeds):
    """Return mean accuracy, calibration error, and the share of right numbers."""
    rows = []
    for data, classes, k in cases(group, seeds):
        found = ic.cluster(data, k, scale=False)
        n_classes = len(np.unique(classes))
        most = max(found.n_clusters, n_classes)
        right = in_names_of(classes, found.labels, most) == found.labels
        accuracy = clustering_accuracy(classes, found.labels)
        ece = calibration_error(found.membership.max(axis=1), right)
        rows.append((accuracy, ece, found.n_clusters == n_classes))
    return np.mean(rows, axis=0)


def changed(value, factor):
    """Multiply a value by a factor; correlations and shares stay below 1."""
    if isinstance(value, int):
        return max(1, round(value * factor))
    return value * factor if value * factor < 1.0 or value >= 1.0 else (1.0 + value) / 2


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=2)
    parser.add_argument("--groups", default=",".join(GROUPS))
    parser.add_argument("--small", action="store_true", help="one constant of wide")
    options = parser.parse_args()
    print(f"{'':24}{'value':>10}{'ACC':>8}{'ECE':>8}{'number':>8}")
    groups = ["wide"] if options.small else options.groups.split(",")
    for group in groups:
        names = GROUPS[group][: 1 if options.small else None]
        print(f"\n{group + ', as it is':34}" + cells(scores(group, options.seeds)))
        for name in names:
            value = getattr(settings, name)
            for other in (changed(value, 0.5), changed(value, 2.0)):
                with patch.object(settings, name, other):
                    line = cells(scores(group, options.seeds))
                print(f"{name:24}{other:10.4g}{line}", flush=True)


def cells(row):
    return "".join(f"{value:8.3f}" for value in row)


if __name__ == "__main__":
    main()
