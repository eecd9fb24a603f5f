"""The tables of the study."""

import csv
from collections import defaultdict

import numpy as np
from ablations import ABLATIONS
from later import LATER
from scipy.stats import rankdata, studentized_range
from scores import Scores
from spread import SPREAD

# One method of each kind: a common one, a published one for uncertain data, and the
# mixture that accounts for errors (the model of XDGMM). Differences between fewer
# methods are significant more easily.
ONE_OF_EACH = ("incerta", "k-means", "UKMeans", "RPC", "ErrorMixture")
# With XDGMM, which is slow, on sets of up to thirty features.
BESIDE_XDGMM = ("incerta", "k-means", "UKMeans", "RPC", "XDGMM")


def read(path):
    """Read rows, with numbers if available, for the seeds of the default.

    Made sets depend on the seed: means over others would be of other sets.
    """
    with path.open() as file:
        rows = list(csv.DictReader(file))
    for row in rows:
        for name in Scores._fields:
            row[name] = float(row[name] or "nan")
        row["cpu"] = float(row["cpu"])
        row["case"] = tuple(row[n] for n in ("set", "size", "uneven", "law", "told"))
    seeds = {row["seed"] for row in rows if row["method"] == "incerta"}
    return [row for row in rows if row["seed"] in seeds]


def of_all(rows, value):
    """Average over seeds: cases × methods, for methods that ran on all cases."""
    values = defaultdict(list)
    for row in rows:
        values[row["case"], row["method"]].append(row[value])
    cases = list(dict.fromkeys(row["case"] for row in rows))
    methods = [
        m
        for m in dict.fromkeys(row["method"] for row in rows)
        if all((case, m) in values for case in cases)
    ]
    table = [[np.mean(values[case, m]) for m in methods] for case in cases]
    return cases, methods, np.array(table)


def critical_difference(n_methods, n_cases):
    """Return the least significant difference of mean ranks at 0.05 (Demšar 2006)."""
    q = studentized_range.ppf(0.95, n_methods, np.inf) / np.sqrt(2.0)
    return q * np.sqrt(n_methods * (n_methods + 1) / (6.0 * n_cases))


def mean_ranks(scores):
    """Return the mean ranks of methods over cases; 1 is the best."""
    return np.array([rankdata(-line) for line in np.round(scores, 4)]).mean(axis=0)


def overview(title, rows):
    """Print means, ranks and the worst set beside the better k-means."""
    if not rows:
        return []
    cases, methods, acc = of_all(rows, "acc")
    nmi, cpu = of_all(rows, "nmi")[2], of_all(rows, "cpu")[2]
    ranks = mean_ranks(nmi)
    seeds = [len({r["seed"] for r in rows if r["method"] == m}) for m in methods]
    sets = np.array([case[0] for case in cases])
    names = list(dict.fromkeys(sets))
    by_set = np.array([acc[sets == name].mean(axis=0) for name in names])
    controls = [
        methods.index(m) for m in ("k-means", "weighted k-means") if m in methods
    ]
    gap = by_set - by_set[:, controls].max(axis=1, keepdims=True)
    difference = (
        critical_difference(len(methods), len(cases)) if len(methods) > 1 else 0
    )
    lines = [
        f"{title}: {len(cases)} cases; ranks by NMI differ if {difference:.2f} apart",
        "",
        f"{'':<18}{'seeds':>6}{'ACC':>7}{'NMI':>7}{'rank':>6}{'CPU s':>7}"
        "  furthest below k-means",
    ]
    for j in np.argsort(ranks.round(9), kind="stable"):
        worst = gap[:, j].argmin()
        lines.append(
            f"{methods[j]:<18}{seeds[j]:>6}{acc[:, j].mean():>7.3f}"
            f"{nmi[:, j].mean():>7.3f}"
            f"{ranks[j]:>6.1f}{cpu[:, j].mean():>7.1f}"
            f"  {gap[worst, j]:+.3f} {names[worst]}"
        )
    return [*lines, ""]


def by_set(title, rows):
    """Print ACC and NMI of every set."""
    if not rows:
        return []
    cases, methods, acc = of_all(rows, "acc")
    nmi = of_all(rows, "nmi")[2]
    sets = np.array([case[0] for case in cases])
    lines = [title, "", f"{'':<16}" + "".join(f"{m[:11]:>13}" for m in methods)]
    for name in dict.fromkeys(sets):
        some = sets == name
        lines.append(
            f"{name:<16}"
            + "".join(
                f"{a:>7.3f}{b:>6.3f}"
                for a, b in zip(
                    acc[some].mean(axis=0), nmi[some].mean(axis=0), strict=True
                )
            )
        )
    return [*lines, ""]


def calibration(title, rows):
    """Print the calibration relative to the labels of exact data."""
    known = [row for row in rows if not np.isnan(row["ece"])]
    if not known:
        return []
    lines = [
        f"{title}: against the labels that the same method gives exact data",
        "",
        f"{'':<18}{'agrees':>8}{'says':>7}{'ECE':>7}{'worst':>7}"
        f"{'covered':>9}{'promised':>10}{'set size':>10}",
    ]
    for method in dict.fromkeys(row["method"] for row in known):
        some = [row for row in known if row["method"] == method]
        by_case = defaultdict(list)
        for row in some:
            by_case[row["case"]].append([row[name] for name in Scores._fields[2:]])
        each = np.array([np.mean(seeds, axis=0) for seeds in by_case.values()])
        means, worst = each.mean(axis=0), each[:, 2].max()
        lines.append(
            f"{method:<18}{means[0]:>8.3f}{means[1]:>7.3f}{means[2]:>7.3f}{worst:>7.3f}"
            f"{means[3]:>9.3f}{means[4]:>10.3f}{means[5]:>10.2f}"
        )
    return [*lines, ""]


def hardest(rows, n=10):
    """Print the cases in which the default is least calibrated."""
    by_case = defaultdict(list)
    for row in rows:
        if row["method"] == "incerta" and not np.isnan(row["ece"]):
            names = ("agrees", "confidence", "ece", "covered", "promised")
            values = [row[name] for name in names]
            by_case[row["case"]].append(values)
    means = {case: np.mean(each, axis=0) for case, each in by_case.items()}
    if not means:
        return []
    above = sum(each[2] > 0.1 for each in means.values())
    lines = [
        f"Least calibrated cases of the default; {above} of {len(means)} above 0.1",
        "",
        f"{'':<16}{'size':>6}{'uneven':>8}{'agrees':>8}{'says':>7}{'ECE':>7}"
        f"{'covered':>9}{'promised':>10}",
    ]
    for case, each in sorted(means.items(), key=lambda one: -one[1][2])[:n]:
        lines.append(
            f"{case[0]:<16}{case[1]:>6}{case[2]:>8}{each[0]:>8.3f}{each[1]:>7.3f}"
            f"{each[2]:>7.3f}{each[3]:>9.3f}{each[4]:>10.3f}"
        )
    return [*lines, ""]


def ablations(rows):
    """Print the effect of each ingredient of the default, on common cases."""
    methods = ["incerta", *ABLATIONS]
    some = [row for row in rows if row["method"] in methods]
    runs = defaultdict(dict)
    for row in some:
        runs[row["case"], row["seed"]][row["method"]] = row
    known = [m for m in methods if any(m in run for run in runs.values())]
    full = [run for run in runs.values() if all(m in run for m in known)]
    if len(known) < 2 or not full:
        return []
    lines = [
        f"The default, with one thing changed: {len(full)} runs",
        "",
        f"{'':<18}{'ACC':>7}{'NMI':>7}{'ECE':>7}",
    ]
    for method in known:
        own = [run[method] for run in full]
        means = [np.mean([row[v] for row in own]) for v in ("acc", "nmi", "ece")]
        lines.append(f"{method:<18}" + "".join(f"{value:>7.3f}" for value in means))
    return [*lines, ""]


def cases_of(rows):
    """Select cases with right error bars, wrong ones or another law, exact and real."""
    errors = [row for row in rows if row["size"] not in ("", "0.0")]
    right = [r for r in errors if r["told"] == "1.0" and r["law"] == "gaussian"]
    wrong = [r for r in errors if r["told"] != "1.0" or r["law"] != "gaussian"]
    exact = [row for row in rows if row["size"] == "0.0"]
    real = [row for row in rows if row["size"] == "" and row["set"] not in SPREAD]
    return right, wrong, exact, real


def known_of(rows):
    """Select the sets on which some settings of the default were chosen."""
    return [row for row in rows if row["set"] not in LATER]


def beside_xdgmm(rows):
    """Select the sets and seeds of XDGMM."""
    ran = {(row["set"], row["seed"]) for row in rows if row["method"] == "XDGMM"}
    return [
        row
        for row in rows
        if (row["set"], row["seed"]) in ran and row["method"] in BESIDE_XDGMM
    ]


def paired(rows):
    """Select the methods with as many seeds as the default."""
    seeds = defaultdict(set)
    for row in rows:
        seeds[row["method"]].add(row["seed"])
    return [row for row in rows if seeds["incerta"] <= seeds[row["method"]]]


def tables(path):
    """Return all tables as text, for the seeds of the default."""
    rows = list(read(path))
    seeds = {row["seed"] for row in rows if row["method"] == "incerta"}
    rows = [row for row in rows if row["seed"] in seeds]
    whole = [row for row in rows if row["method"] not in ABLATIONS]
    right, wrong, exact, real = cases_of(known_of(whole))
    made = paired([row for row in whole if row["set"] in SPREAD])
    new, _, new_exact, _ = cases_of(paired([r for r in whole if r["set"] in LATER]))
    return "\n".join(
        [
            *overview("Values with errors", right),
            *overview(
                "Values with errors, one method of each kind",
                [row for row in right if row["method"] in ONE_OF_EACH],
            ),
            *overview("Values with errors, beside XDGMM", beside_xdgmm(right)),
            *overview("Wrong error bars, Laplace errors", wrong),
            *overview("Exact data", exact),
            *overview("Real uncertain data", real),
            *overview("Made objects with many values", made),
            *overview("New sets with errors", new),
            *overview("New sets, exact", new_exact),
            *calibration("Confidence, error bars right", right),
            *calibration("Confidence, error bars wrong or Laplace", wrong),
            *calibration("Confidence, new sets", new),
            *hardest([*right, *new]),
            *ablations(cases_of(known_of(rows))[0]),
            *by_set("Values with errors, by set: ACC and NMI", right),
            *by_set("New sets with errors: ACC and NMI", new),
            *by_set("Real uncertain data: ACC and NMI", real),
            *by_set("Made objects with many values: ACC and NMI", made),
        ]
    )
