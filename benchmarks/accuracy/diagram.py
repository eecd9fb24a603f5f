"""Mean ranks on a line; methods that do not differ at 0.05 are joined (Demšar 2006)."""

import numpy as np
from ablations import ABLATIONS
from matplotlib import pyplot as plt
from tables import cases_of, critical_difference, known_of, mean_ranks, of_all, read


def drawn(results, picture):
    """Draw the ranks by NMI for values with errors."""
    rows = [row for row in read(results) if row["method"] not in ABLATIONS]
    cases, methods, nmi = of_all(cases_of(known_of(rows))[0], "nmi")
    ranks = mean_ranks(nmi)
    order = np.argsort(ranks.round(9), kind="stable")
    ranks, methods = ranks[order], [methods[j] for j in order]
    difference = critical_difference(len(methods), len(cases))
    half = (len(methods) + 1) // 2

    figure, axes = plt.subplots(figsize=(7.5, 0.9 + 0.28 * half))
    axes.plot([1, len(methods)], [0, 0], color="black", lw=1)
    for tick in range(1, len(methods) + 1):
        axes.plot([tick, tick], [0, 0.12], color="black", lw=1)
        axes.text(tick, 0.2, tick, ha="center", va="bottom", fontsize=8)
    bars = _joined(ranks, difference)
    for number, (first, last) in enumerate(bars):
        height = -0.22 - 0.16 * number
        ends = [ranks[first] - 0.06, ranks[last] + 0.06]
        axes.plot(ends, [height, height], color="#2563a8", lw=3)
    below = -0.22 - 0.16 * len(bars) - 0.2
    for j, (rank, name) in enumerate(zip(ranks, methods, strict=True)):
        left = j < half
        height = below - 0.42 * (j if left else len(methods) - 1 - j)
        side = 0.2 if left else len(methods) + 0.8
        axes.plot([rank, rank, side], [0, height, height], color="gray", lw=0.8)
        axes.text(
            side - 0.1 if left else side + 0.1,
            height,
            f"{name}  {rank:.1f}" if left else f"{rank:.1f}  {name}",
            ha="right" if left else "left",
            va="center",
            fontsize=9,
            weight="bold" if name == "incerta" else None,
        )
    axes.plot([1, 1 + difference], [0.85, 0.85], color="black", lw=2)
    axes.text(1.1 + difference, 0.85, "critical difference", va="center", fontsize=8)
    axes.set_axis_off()
    figure.savefig(picture, dpi=150, bbox_inches="tight")


def _joined(ranks, difference):
    """Return the ends of maximal groups of methods that do not differ."""
    groups = []
    for first, rank in enumerate(ranks):
        last = int(np.flatnonzero(ranks <= rank + difference).max())
        if last > first and (not groups or last > groups[-1][1]):
            groups.append((first, last))
    return groups
