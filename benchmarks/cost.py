"""What each method costs in time and memory, and a model of it.

    python benchmarks/cost.py fit      # measures, and writes the model; some 15 minutes
    python benchmarks/cost.py model    # writes the model alone, from what was measured
    python benchmarks/cost.py check    # measures other sizes and compares
    python benchmarks/cost.py tables > docs/cost.txt

Every point runs in a process of its own, on one core: CPU time of ``cluster(data, k,
method)`` with all its probabilities, and the largest memory of the process, loaded
libraries included. Points lie in ``cost.csv`` beside this file, the model in
``src/incerta/cost/model.json``. Larger sizes are left out where they take too long.
"""

import argparse
import csv
import json
import os
import sys
import time
import warnings
from itertools import product
from pathlib import Path
from typing import NamedTuple

import numpy as np
from scipy.optimize import nnls

import incerta as ic
from incerta.api.answer import cluster
from incerta.backend.threads import threads
from incerta.cli.cost import amount, duration
from incerta.cost.forecast import worlds_of_method
from incerta.cost.model import (
    KINDS,
    Cost,
    Limits,
    Size,
    expected,
    kernel_seconds,
    value_of,
)
from incerta.data.standardize import Standardizer
from incerta.estimators.named import OWN, PUBLISHED
from incerta.estimators.named import made as method_named

HERE = Path(__file__).parent
POINTS = HERE / "cost.csv"
MODEL = HERE.parent / "src" / "incerta" / "cost" / "model.json"
WHAT = (*OWN, *PUBLISHED, "choose_k")
# Where some objects stand for all: above how many, and how many.
LIMITS = {
    "ViewConsensus": (1000, 1000),
    "choose_k": (1000, 1000),
    "RPC": (5000, 1000),
    "ExpectedSpectral": (5000, 1000),
    "UKMeans": (5000, 5000),
    "CKMeans": (5000, 5000),
}
# How many objects a method takes at most.
MOST = {"UKMedoids": 20_000, "FOPTICS": 10_000}
# A point is given up after so many seconds, and larger ones are not begun after less.
LONGEST, LONG = 60.0, 4.0
N_CLUSTERS, N_FEATURES, N_VALUES = 4, 5, 10
LADDER = 100, 600, 3000, 10_000, 100_000
USUAL_OBJECTS = 3000  # where exponents are those of the curve
MOST_TERMS = 5
TITLES = {
    "errors": "Values with errors",
    "values": "Objects with ten values each",
    "exact": "Exact data",
}


class Point(NamedTuple):
    """What is measured; `fresh` ones check the model."""

    method: str
    kind: str
    size: Size
    fresh: bool = False


def made(kind, size, seed, fresh):
    """Objects around six centres that overlap; fresh ones, around five that do less."""
    rng = np.random.default_rng(seed)
    n, d, v = size.n_objects, size.n_features, int(size.n_values)
    centres = rng.normal(0.0, 2.5 if fresh else 1.5, (5 if fresh else 6, d))
    truth = centres[np.arange(n) % len(centres)] + rng.normal(size=(n, d))
    if kind == "exact":
        return ic.as_uncertain(truth)
    errors = 0.5 * rng.lognormal(0.0, 0.3 if fresh else 0.5, (n, d))
    if kind == "errors":
        return ic.from_gaussian(truth + errors * rng.normal(size=(n, d)), std=errors)
    values = truth[:, None] + errors[:, None] * rng.normal(size=(n, v, d))
    return ic.from_array(values, meaning="spread")


def done(point, seed):
    """Do what is measured, and return its CPU time."""
    warnings.simplefilter("ignore")
    size = point.size
    data = made(point.kind, size, seed, point.fresh)
    start = time.process_time()
    if point.method == "choose_k":
        ic.choose_k(Standardizer().fit_transform(data), range(1, 9), random_state=0)
        return time.process_time() - start
    model = method_named(point.method)
    if "n_worlds" in model.get_params():
        model.set_params(n_worlds=size.n_worlds)
    takes = model.number_parameter in model.get_params()
    cluster(data, size.n_clusters if takes else "auto", model).columns()
    return time.process_time() - start


def measured(point, seed=0):
    """Cost of a point, in a process of its own; None if it takes too long."""
    import resource

    heard, told = os.pipe()
    child = os.fork()
    if child == 0:
        resource.setrlimit(resource.RLIMIT_CPU, (int(LONGEST), int(LONGEST) + 1))
        try:
            with threads(1):
                seconds = done(point, seed)
            peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
            os.write(told, f"{seconds} {peak}".encode())
        except ValueError as error:  # such as too many objects for a method
            print(f"{point}: {error}", file=sys.stderr)
        os._exit(0)
    os.close(told)
    os.waitpid(child, 0)
    said = os.read(heard, 100).split()
    os.close(heard)
    return Cost(*map(float, said)) if said else None


def usual_size(method, kind):
    worlds = 1 if method == "choose_k" else worlds_of_method(method)
    n_values = N_VALUES if kind == "values" else 1
    return Size(300, N_FEATURES, n_values, N_CLUSTERS, worlds)


def grid(method, kind, small):
    """Ladders of sizes; each is climbed until it takes too long."""
    usual = usual_size(method, kind)
    worlds = usual.n_worlds
    if small:
        few = usual._replace(n_worlds=min(worlds, 10))
        yield [few._replace(n_objects=n) for n in (30, 60)]
        return
    yield [usual._replace(n_objects=n) for n in LADDER]
    if worlds > 1 and kind != "exact":
        fewer = usual._replace(n_worlds=max(worlds // 5, 10))
        yield [fewer._replace(n_objects=n) for n in (300, 1500, 5000, 10_000)]
    # These are not climbed: each is a ladder of its own.
    yield from ([usual._replace(n_features=d)] for d in (2, 20))
    yield [usual._replace(n_clusters=8)]
    if kind == "values":
        yield from ([usual._replace(n_values=v)] for v in (3, 40))


def fresh_sizes(method, kind):
    """Sizes that are not in the grid."""
    worlds = 1 if method == "choose_k" else worlds_of_method(method)
    v = 20 if kind == "values" else 1
    yield Size(200, 12, v, 6, worlds)
    yield Size(700, 8, v, 3, worlds)
    yield Size(1800, 3, v, 5, worlds)
    yield Size(6000, 4, v, 3, max(worlds // 4, 10) if worlds > 1 else 1)
    if kind == "errors":
        yield Size(100_000, 3, v, 3, worlds)


def climbed(method, kind, ladder):
    """Points of a ladder with their costs, as far as they are quick."""
    beyond, _ = LIMITS.get(method, (np.inf, np.inf))
    slow = False
    for size in ladder:
        # Where some stand for all, more may take less.
        if slow and not beyond < size.n_objects <= LADDER[-2]:
            continue
        point = Point(method, kind, size)
        cost = measured(point)
        slow |= cost is None or cost.seconds > LONG
        if cost is not None:
            yield point, cost


def fit(methods, small=False):
    points = [row for row in read() if row[0].method not in methods]
    for method, kind in product(methods, KINDS):
        for ladder in grid(method, kind, small):
            for point, cost in climbed(method, kind, ladder):
                points.append((point, cost))
                print(told(point, cost), flush=True)
                if not small:
                    write(points)
    model = fitted(points)
    if not small:
        MODEL.write_text(json.dumps(model, indent=1) + "\n", encoding="utf-8")
    return model


def check(methods, seed):
    rows = [row for row in read() if not (row[0].fresh and row[0].method in methods)]
    for method, kind in product(methods, KINDS):
        for size in fresh_sizes(method, kind):
            too_many = size.n_objects > MOST.get(method, np.inf)
            if too_many or expected(method, kind, size).seconds > LONGEST / 5:
                continue
            point = Point(method, kind, size, True)
            if (cost := measured(point, seed)) is None:
                continue
            rows.append((point, cost))
            print(told(point, cost), flush=True)
            write(rows)
    print(*checked(rows), sep="\n")


# the model --------------------------------------------------------------------------


def candidates(method, kind, seconds):
    """Products that a cost may be a sum of."""
    objects = ["n", "n s", "s", "s2"] if method in LIMITS else ["n", "n2"]
    if method == "choose_k":  # for which the others do not matter
        objects = ["s", "s2"]
    objects += ["s3"] if seconds else []
    values = ["", "v", "v2"] if kind == "values" else [""]
    others = ["", "d", "d2", "k", "d k", "d2 k"] if seconds else ["", "d", "k", "d2"]
    worlds = [""] if kind == "exact" else ["", "w", "w2"]  # of which there is one
    of_sizes = product(objects, others, worlds, values)
    return [
        "1",
        *worlds[1:2],
        *(" ".join(filter(None, letters)) for letters in of_sizes),
    ]


def terms_of(sizes, costs, names, limits):
    """Few terms whose sum is near all costs, in proportion; found one by one."""
    columns = {
        name: np.array([value_of(name, size, limits) for size in sizes]) / costs
        for name in names
    }
    ones = np.ones(len(costs))
    chosen, misfit = ["1"], np.inf
    while len(chosen) <= MOST_TERMS:
        tried = {}
        for name in columns.keys() - set(chosen):
            table = np.stack([columns[each] for each in (*chosen, name)], axis=1)
            scale = table.max(axis=0)
            tried[name] = nnls(table / scale, ones)[1]
        # The simplest of those that are nearly as good as the best.
        good = [each for each in tried if tried[each] <= 1.05 * min(tried.values())]
        best = min(good, key=lambda term: (len(term), term))
        if tried[best] > 0.9 * misfit:
            break
        misfit = tried[best]
        chosen.append(best)
    table = np.stack([columns[each] for each in chosen], axis=1)
    scale = table.max(axis=0)
    weights = nnls(table / scale, ones)[0] / scale
    return {
        name: float(f"{weight:.4g}")
        for name, weight in zip(chosen, weights, strict=True)
        if weight > 0
    }


def fitted(points):
    """The model: for each method and kind of data, terms and coefficients."""
    methods = {}
    for method in WHAT:
        limits = LIMITS.get(method)
        methods[method] = {"limits": limits}
        for kind in KINDS:
            here = [
                (point.size, cost)
                for point, cost in points
                if (point.method, point.kind, point.fresh) == (method, kind, False)
            ]
            if not here:
                continue
            sizes = [size for size, _ in here]
            methods[method][kind] = {}
            for place, what in enumerate(("seconds", "bytes")):
                costs = np.array([cost[place] for _, cost in here])
                bounds = Limits(*limits) if limits else Limits()
                names = candidates(method, kind, what == "seconds")
                found = terms_of(sizes, costs, names, bounds)
                methods[method][kind][what] = found
    return {
        "kernel_seconds": round(kernel_seconds(), 5),
        "start_seconds": round(start_seconds(), 2),
        "methods": methods,
    }


def start_seconds():
    """CPU time until a command has loaded what it needs."""
    import subprocess

    code = "import time, incerta.api.answer; print(time.process_time())"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    return float(done.stdout)


# points on disk, and tables ---------------------------------------------------------


def read():
    if not POINTS.exists():
        return []
    with POINTS.open(newline="") as file:
        rows = list(csv.reader(file))[1:]
    return [
        (
            Point(method, kind, Size(*map(int, size)), fresh == "yes"),
            Cost(float(seconds), float(peak)),
        )
        for method, kind, fresh, *size, seconds, peak in rows
    ]


def write(rows):
    heads = ["method", "kind", "fresh", *Size._fields, "seconds", "bytes"]
    with POINTS.open("w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(heads)
        for point, cost in rows:
            fresh = "yes" if point.fresh else "no"
            numbers = f"{cost.seconds:.4g}", f"{cost.bytes:.4g}"
            writer.writerow([point.method, point.kind, fresh, *point.size, *numbers])


def told(point, cost):
    n, d, v, k, w = point.size
    return (
        f"{point.method:25}{point.kind:7} n={n:<6} d={d:<3} v={v:<3} k={k:<2} w={w:<4}"
        f"{cost.seconds:8.2f} s {cost.bytes / 2**20:7.0f} MiB"
    )


def tables(rows):
    """What the page on costs shows."""
    for kind, title in TITLES.items():
        yield f"{title}: seconds, and MB at the largest size"
        yield ""
        yield from _measured(rows, kind)
        yield ""
    for kind, title in TITLES.items():
        yield f"{title}: exponents at {USUAL_OBJECTS} objects"
        yield ""
        yield from _exponents(kind)
        yield ""
    yield "Values with errors in 10 features: expected time and memory"
    yield ""
    yield from _ahead()
    yield ""
    yield "A billion objects with errors in 10 features: hours of one core, all counted"
    yield ""
    for method in ("UKMeans", "ErrorMixture", "ViewConsensus"):
        size = usual_size(method, "errors")._replace(n_objects=10**9, n_features=10)
        hours = expected(method, "errors", size).seconds / 3600
        yield f"{method:25}{hours:12,.0f}"
    yield ""
    yield from checked(rows)


def _measured(rows, kind):
    heads = "".join(f"{n:>9}" for n in LADDER)
    yield f"{'method':25}{heads}{'d = 2':>9}{'d = 20':>9}{'MB':>7}"
    found = {(p.method, p.size): c for p, c in rows if p.kind == kind and not p.fresh}
    for method in WHAT:
        usual = usual_size(method, kind)
        ladder = [found.get((method, usual._replace(n_objects=n))) for n in LADDER]
        widths = [found.get((method, usual._replace(n_features=d))) for d in (2, 20)]
        seconds = "".join(
            f"{cost.seconds:9.2f}" if cost else f"{'–':>9}" for cost in ladder + widths
        )
        peak = max(cost.bytes for cost in ladder if cost) / 1e6
        yield f"{method:25}{seconds}{peak:7.0f}"


def _exponents(kind):
    letters = {"n": "n_objects", "d": "n_features", "k": "n_clusters", "w": "n_worlds"}
    if kind == "values":
        letters["v"] = "n_values"
    heads = "".join(f"{letter:>7}" for letter in letters)
    yield f"{'method':25}{heads}   seconds ≈"
    for method in WHAT:
        size = usual_size(method, kind)._replace(n_objects=USUAL_OBJECTS)
        here = expected(method, kind, size).seconds
        powers = ""
        for field in letters.values():
            more = size._replace(**{field: 1.1 * getattr(size, field)})
            ratio = expected(method, kind, more).seconds / here
            powers += f"{np.log(ratio) / np.log(1.1):7.2f}"
        terms = json.loads(MODEL.read_text())["methods"][method][kind]["seconds"]
        formula = " + ".join(f"{c:.2g}{_power(term)}" for term, c in terms.items())
        yield f"{method:25}{powers}   {formula}"


def _power(term):
    raised = str.maketrans("23", "²³")
    return "" if term == "1" else " " + term.translate(raised)


def _ahead():
    sizes = 10**3, 10**5, 10**7
    yield f"{'method':25}" + "".join(f"{n:>22,}" for n in sizes)
    for method in WHAT:
        cells = ""
        for n in sizes:
            usual = usual_size(method, "errors")
            size = usual._replace(n_objects=n, n_features=10)
            cost = expected(method, "errors", size)
            text = f"{duration(cost.seconds)}, {amount(cost.bytes)}"
            cells += f"{'refused' if n > MOST.get(method, np.inf) else text:>22}"
        yield f"{method:25}{cells}"


def checked(rows):
    """How far measured costs are from the expected ones, at fresh sizes."""
    ratios = {}
    for point, cost in rows:
        if point.fresh:
            hoped = expected(point.method, point.kind, point.size)
            each = cost.seconds / hoped.seconds, cost.bytes / hoped.bytes
            ratios.setdefault(point.method, []).append(each)
    yield "Measured by expected, at sizes and of data that the model has not seen:"
    yield ""
    yield f"{'method':25}{'points':>7}{'time, within 2':>16}{'range':>14}{'memory':>14}"
    every = []
    for method, pairs in ratios.items():
        every += pairs
        yield _ratios(method, pairs)
    if every:
        yield _ratios("all", every)


def _ratios(name, pairs):
    times, peaks = (np.array(each) for each in zip(*pairs, strict=True))
    within = ((times > 0.5) & (times < 2.0)).mean()
    return (
        f"{name:25}{len(times):7}{within:16.0%}"
        f"{f'{times.min():.2f}–{times.max():.2f}':>14}"
        f"{f'{peaks.min():.2f}–{peaks.max():.2f}':>14}"
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("what", nargs="?", choices=("fit", "model", "check", "tables"))
    parser.add_argument("--methods", nargs="+", choices=WHAT, default=list(WHAT))
    parser.add_argument("--seed", type=int, default=1, help="of the data of check")
    parser.add_argument("--small", action="store_true", help="a few points, for tests")
    options = parser.parse_args()
    if options.small:
        model = fit(options.methods[:1], small=True)
        print(json.dumps(model["methods"][options.methods[0]]))
    elif options.what == "check":
        check(options.methods, options.seed)
    elif options.what == "model":
        fit([])
    elif options.what == "tables":
        print(*tables(read()), sep="\n")
    else:
        fit(options.methods)


if __name__ == "__main__":
    main()
