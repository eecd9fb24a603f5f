"""Compare incerta with common methods on five real sets, and draw the README's picture.

INCERTA_DATA=... python docs/first_picture.py    # a minute

writes measured/real.txt, its rows in README.md, and first.png for light and dark pages.
The sets and the methods are those of benchmarks/accuracy, with seed 0. All methods get
standardized values and the number of classes. The classes serve for scoring, colors and
axes only.
"""

import re
import sys
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure
from scipy.optimize import linear_sum_assignment

HERE = Path(__file__).parent
README = HERE.parent / "README.md"
sys.path.insert(0, str(HERE.parent / "benchmarks" / "accuracy"))
from real import REAL  # noqa: E402

from methods import answer  # noqa: E402
from sets import case  # noqa: E402

SHOWN, SURE = "rna_mixtures", 0.9
METHODS = {
    "k-means": "k-means",
    "mixture": "GaussianMixture",
    "kNN": "kNN spectral",
    "incerta": "incerta",
}
COLUMNS = (*METHODS, "sure", "says", "right")
HEAD = f"""\
Real sets: accuracy of k-means, a Gaussian mixture, spectral clustering of a graph of
neighbors, and incerta. sure: share of the objects with a confidence of {SURE} or more;
says: their mean confidence; right: how many of them are in their class.

set          objects  classes"""
INK = {"": ("#1f2328", "white"), "-dark": ("#d1d7e0", "#131416")}
COLORS = ["#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#8C6BB1"]


def named(labels, classes):
    """Return the class that best matches the cluster of each object."""
    counts = np.zeros((labels.max() + 1, classes.max() + 1), dtype=int)
    np.add.at(counts, (labels, classes), 1)
    clusters, matches = linear_sum_assignment(-counts)
    names = np.full(len(counts), -1)
    names[clusters] = matches
    return names[labels]


def plane_of(values, classes):
    """Return the values in the plane in which the means of the classes differ most."""
    means = [values[classes == c].mean(axis=0) for c in range(classes.max() + 1)]
    center = np.mean(means, axis=0)
    return (values - center) @ np.linalg.svd(means - center)[2][:2].T


def draw(panels, points, classes, theme):
    """Draw a panel for each (title, class of each object, opacity of each object)."""
    ink, paper = INK[theme]
    fig = Figure(figsize=(7.6, 4.2), layout="constrained", facecolor=paper)
    for ax, (title, names, opacity) in zip(fig.subplots(1, 2), panels, strict=True):
        wrong = names != classes
        colors = np.array(COLORS)[names]
        ax.scatter(*points.T, s=36, c=colors, alpha=opacity, linewidths=0)
        ax.scatter(*points[wrong].T, s=36, c=ink, marker="x", linewidths=1.1)
        ax.set_title(f"{title}: {1 - wrong.mean():.0%} right", color=ink, fontsize=16)
        ax.set_axis_off()
    text = f"{len(classes)} wells of RNA from seven mixtures of three cell lines\n"
    text += "× in the wrong cluster      faint: incerta is less sure"
    fig.supxlabel(text, color=ink, fontsize=12)
    fig.savefig(HERE / f"first{theme}.png", dpi=100, facecolor=paper)


def main():
    lines = [HEAD + "".join(f"{column:>9}" for column in COLUMNS)]
    for name in REAL:
        made = case(name, None, 0)
        data, classes = made.scaled(), made.classes
        k = int(classes.max()) + 1
        answers = {m: answer(full, data, k, 0) for m, full in METHODS.items()}
        names = {m: named(found.labels, classes) for m, found in answers.items()}
        right = {m: names[m] == classes for m in METHODS}
        confidence = answers["incerta"].membership.max(axis=1)
        sure = confidence >= SURE
        numbers = [right[m].mean() for m in METHODS]
        numbers += sure.mean(), confidence[sure].mean(), right["incerta"][sure].mean()
        cells = "".join(f"{number:9.2f}" for number in numbers)
        lines.append(f"{name:<13}{len(classes):7d}{k:9d}{cells}")
        if name == SHOWN:
            opacity = {"k-means": 1.0, "incerta": confidence**2}
            panels = [(m, names[m], o) for m, o in opacity.items()]
            for theme in INK:
                draw(panels, plane_of(data.mean(), classes), classes, theme)
    text = "\n".join(lines) + "\n"
    (HERE / "measured" / "real.txt").write_text(text, encoding="utf-8")
    page = README.read_text(encoding="utf-8")
    for line in lines[1:]:
        page = re.sub(rf"^    {line.split()[0]} .*", f"    {line}", page, flags=re.M)
    README.write_text(page, encoding="utf-8")
    print(text, end="")


if __name__ == "__main__":
    main()
