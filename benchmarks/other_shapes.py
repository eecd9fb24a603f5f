"""Shapes other than Gaussians, which were not used for any choice.

    python benchmarks/other_shapes.py    # three minutes

The data are 400 objects in a ball within a ring or a shell, three wavy lines, three
rings, or two spirals, displaced by errors as in the study. First come accuracies for
the classes: of k-means and kNN spectral clustering of the values, of the default, and
of the default with exact values. *Agrees* is the share of objects to which the default
gives the same cluster as for exact values, *says* its mean confidence, *ECE* the
expected calibration error.
"""

import argparse
import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parent / "accuracy"))

from scores import scored

from incerta.metrics import clustering_accuracy
from methods import METHODS
from sets import EXACT, EXACTLY, Design, displaced

N = 400
SIZES = (0.08, 0.15, 0.25)


def on_circles(rng, radius):
    angle = rng.uniform(0.0, 2.0 * np.pi, N)
    return radius[:, None] * np.stack([np.cos(angle), np.sin(angle)], axis=1)


def ball_in_ring(rng):
    inside = rng.random(N) < 0.5
    ring = on_circles(rng, np.full(N, 2.0)) + 0.1 * rng.normal(size=(N, 2))
    return np.where(inside[:, None], 0.4 * rng.normal(size=(N, 2)), ring), inside


def ball_in_shell(rng):
    inside = rng.random(N) < 0.5
    shell = rng.normal(size=(N, 3))
    shell *= 2.0 / np.linalg.norm(shell, axis=1, keepdims=True)
    shell += 0.1 * rng.normal(size=(N, 3))
    return np.where(inside[:, None], 0.35 * rng.normal(size=(N, 3)), shell), inside


def wavy_lines(rng):
    line, along = rng.integers(3, size=N), rng.uniform(-3.0, 3.0, N)
    across = line + 0.3 * np.sin(2.0 * along) + 0.08 * rng.normal(size=N)
    return np.stack([along, across], axis=1), line


def three_rings(rng):
    ring = rng.integers(3, size=N)
    X = on_circles(rng, np.array([0.3, 1.0, 1.8])[ring])
    return X + 0.05 * rng.normal(size=(N, 2)), ring


def spirals(rng):
    arm, along = rng.integers(2, size=N), 3.0 * np.pi * np.sqrt(rng.random(N))
    angle = along + np.pi * arm
    X = along[:, None] * np.stack([np.cos(angle), np.sin(angle)], axis=1)
    return X + 0.2 * rng.normal(size=(N, 2)), arm


SHAPES = {
    "ball in ring": ball_in_ring,
    "ball in shell": ball_in_shell,
    "wavy lines": wavy_lines,
    "three rings": three_rings,
    "spirals": spirals,
}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--small", action="store_true", help="a size for tests")
    options = parser.parse_args()
    names = list(SHAPES)[: 1 if options.small else None]
    designs = [Design(size, uneven) for size in SIZES for uneven in (0.0, 0.8)]
    designs = designs[: 1 if options.small else None]
    seeds = range(1 if options.small else options.seeds)
    EXACT.update(SHAPES)
    print(
        "shape          size  errors   k-means   kNN  default  exact  "
        "agrees  says   ECE"
    )
    for name in names:
        best = [found_by("incerta", name, EXACTLY, seed) for seed in seeds]
        for design in designs:
            rows = [scores(name, design, seed, best[seed]) for seed in seeds]
            centers, graph, exact, acc, _, agrees, says, ece = np.mean(rows, axis=0)
            errors = "unequal" if design.uneven else "equal"
            print(
                f"{name:13}  {design.size:<4}  {errors:7}  {centers:7.2f}  "
                f"{graph:4.2f}  {acc:7.2f}  {exact:5.2f}  {agrees:6.2f}  {says:4.2f}  "
                f"{ece:4.2f}"
            )


def scores(name, design, seed, best):
    classes = displaced(name, design, seed).classes
    controls = [found_by(m, name, design, seed) for m in ("k-means", "kNN spectral")]
    found = found_by("incerta", name, design, seed)
    beside = (clustering_accuracy(classes, own.labels) for own in (*controls, best))
    return *beside, *scored(classes, *found, best.labels)[:5]


def found_by(method, name, design, seed):
    made = displaced(name, design, seed)
    return METHODS[method](made.scaled(), len(np.unique(made.classes)), seed)


if __name__ == "__main__":
    main()
