"""Who finds the classes, and who knows how sure to be: all methods on all data.

    python benchmarks/accuracy run --jobs 2       # hours; goes on where it was cut off
    python benchmarks/accuracy tables             # from the results so far

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
from pathlib import Path

import numpy as np
from joblib import Parallel, delayed

sys.path.insert(0, str(Path(__file__).parent))

from scores import Scores, scored
from tables import tables

from methods import METHODS, answer
from sets import case, keys

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
# Their confidence is compared with the labels of exact data.
SURE = ("incerta", "UKMeans", "RPC", "ErrorMixture", "XDGMM", "RPC as published")


def named(key):
    """A case in the words of the table."""
    name, design, seed = key
    told = ("", "", "", "") if design is None else tuple(map(str, design))
    return (name, *told, str(seed))


def row(key, method):
    """Run one method on one case."""
    made = case(*key)
    k = len(np.unique(made.classes))
    start = time.process_time()
    found = answer(method, made.data, k, key[2])
    took = time.process_time() - start
    if found is None:
        return None
    exact_labels = None
    if made.exact is not None and method in SURE and key[1].size > 0:
        import incerta as ic

        exact = answer(method, ic.from_gaussian(made.exact, std=0.0), k, key[2])
        exact_labels = None if exact is None else exact.labels
    result = scored(made.classes, found.labels, found.membership, exact_labels)
    return (*named(key), method, *(f"{v:.4f}" for v in result), f"{took:.2f}")


def run(jobs, seeds, out, methods, only=None):
    done = set()
    if out.exists():
        with out.open() as file:
            done = {tuple(r[f] for f in FIELDS[:7]) for r in csv.DictReader(file)}
    else:
        out.write_text(",".join(FIELDS) + "\n")
    todo = [
        (key, method)
        for key in keys(seeds)
        for method in methods
        if (*named(key), method) not in done and (only is None or key[0] in only)
    ]
    found = Parallel(jobs, return_as="generator")(delayed(row)(*one) for one in todo)
    for one in found:
        if one is not None:
            with out.open("a", newline="") as file:
                csv.writer(file, lineterminator="\n").writerow(one)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("command", choices=["run", "tables"], nargs="?", default="run")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--out", type=Path, default=RESULTS)
    parser.add_argument("--methods", default=",".join(METHODS))
    parser.add_argument("--small", action="store_true", help="a size for tests")
    options = parser.parse_args()
    if options.small:
        options.out = Path(options.out).with_name("small.csv")
        options.out.unlink(missing_ok=True)
        run(1, 1, options.out, ["incerta", "k-means"], ["blobs"])
        print(tables(options.out))
        options.out.unlink()
    elif options.command == "run":
        run(options.jobs, options.seeds, options.out, options.methods.split(","))
    else:
        print(tables(options.out))


if __name__ == "__main__":
    main()
