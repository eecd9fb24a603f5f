"""Accuracy and calibration of all methods on all data sets.

    python benchmarks/accuracy run --jobs 2       # hours; goes on where it was cut off
    python benchmarks/accuracy tables             # from the results so far
    python benchmarks/accuracy diagram            # draws docs/accuracy.png

Exact data are displaced by errors of three sizes, equal and unequal; some errors are
Laplace, some error bars are half or twice as large as they should be. The number of
clusters is given; classes are used for scoring only. Exact data (size 0) say which
label each method would give without errors: its confidence is measured against that.
Results are in results.csv, next to this file.
"""

import argparse
import csv
import sys
import time
from collections import defaultdict
from pathlib import Path

import numpy as np
from joblib import Parallel, delayed

sys.path.insert(0, str(Path(__file__).parent))

from ablations import ABLATIONS
from scores import Scores, scored
from tables import tables

from methods import METHODS, answer
from sets import EXACT, EXACTLY, case, keys

RESULTS = Path(__file__).with_name("results.csv")
FIELDS = (
    "set",
    "size",
    "uneven",
    "law",
    "told",
    "seed",
    "method",
    *Scores._fields,
    "cpu",
)
# Methods whose confidence is compared with the labels of exact data.
SURE = ("incerta", "UKMeans", "RPC", "ErrorMixture", *ABLATIONS)


def named(key):
    """Name a case as in the tables."""
    name, design, seed = key
    told = ("", "", "", "") if design is None else tuple(map(str, design))
    return (name, *told, str(seed))


def rows(name, seed, method, designs):
    """Run one method on some cases of one set, and on its exact values first."""
    rows, exact_labels = [], None
    if name in EXACT and (method in SURE or EXACTLY in designs):
        made = case(name, EXACTLY, seed)
        row, exact_labels = scored_row(made, name, EXACTLY, seed, method, None)
        rows += [row] if EXACTLY in designs else []
    for design in designs:
        if design != EXACTLY:
            made = case(name, design, seed)
            known = exact_labels if method in SURE else None
            rows.append(scored_row(made, name, design, seed, method, known)[0])
    return [row for row in rows if row is not None]


def scored_row(made, name, design, seed, method, exact_labels):
    k = len(np.unique(made.classes))
    start = time.process_time()
    found = answer(method, made.scaled(), k, seed)
    took = time.process_time() - start
    if found is None:
        return None, None
    result = scored(made.classes, found.labels, found.membership, exact_labels)
    numbers = (*(f"{v:.4f}" for v in result), f"{took:.2f}")
    return (*named((name, design, seed)), method, *numbers), found.labels


def run(jobs, seeds, out, methods, only=None, most=None):
    done = set()
    if out.exists():
        with out.open() as file:
            done = {tuple(r[f] for f in FIELDS[:7]) for r in csv.DictReader(file)}
    else:
        out.write_text(",".join(FIELDS) + "\n")
    todo = defaultdict(list)
    cases = [key for key in keys(seeds) if only is None or key[0] in only]
    for name, design, seed in cases[:most]:
        for method in methods:
            if (*named((name, design, seed)), method) not in done:
                todo[name, seed, method].append(design)
    found = Parallel(jobs, return_as="generator_unordered")(
        delayed(rows)(*one, designs) for one, designs in todo.items()
    )
    for some in found:
        with out.open("a", newline="") as file:
            # Leave out what a method does not provide: most rows are incomplete.
            told = [["" if cell != cell else cell for cell in row] for row in some]
            csv.writer(file, lineterminator="\n").writerows(told)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    commands = ["run", "tables", "diagram"]
    parser.add_argument("command", choices=commands, nargs="?", default="run")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--out", type=Path, default=RESULTS)
    parser.add_argument("--methods", default=",".join(METHODS))
    parser.add_argument("--sets", help="some of them, separated by commas")
    parser.add_argument("--small", action="store_true", help="a size for tests")
    options = parser.parse_args()
    if options.small:
        options.out = Path(options.out).with_name("small.csv")
        options.out.unlink(missing_ok=True)
        run(1, 1, options.out, ["incerta", "k-means"], ["iris"], most=2)
        print(tables(options.out))
        options.out.unlink()
    elif options.command == "run":
        methods = options.methods.split(",")
        only = options.sets and options.sets.split(",")
        run(options.jobs, options.seeds, options.out, methods, only)
    elif options.command == "diagram":
        from diagram import drawn

        drawn(options.out, Path(__file__).parents[2] / "docs" / "accuracy.png")
    else:
        print(tables(options.out))


if __name__ == "__main__":
    main()
