"""Tables of the page on the paper, from the results in ``paper/results``.

Sphinx runs this when it starts: the page shows what is committed, and nothing else.
"""

import csv
import math
from pathlib import Path

from paper.blocks import sections
from paper.cells import Cell
from paper.sets import SETS, TITLES, usual_noise
from paper.store import Store
from paper.table2 import summarized, tasks_of

HERE = Path(__file__).parent
RESULTS, OUT = HERE.parent / "paper" / "results", HERE / "generated"


def rows_of(name):
    with (RESULTS / f"{name}.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def write(name, table):
    OUT.mkdir(exist_ok=True)
    with (OUT / f"{name}.csv").open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows(table)


def stacked(*lines):
    """Return a cell of several lines, so that a column for each set fits on a page."""
    return "\n".join(f"| {line}" for line in lines if line)


def figure_of(entry):
    if entry is None:
        return ""
    return stacked(f"**{entry.ours}**" if entry.is_best else entry.ours, entry.theirs)


def table_of(block):
    """Return a table with methods as rows and sets as columns."""
    yield ["", *block.sets]
    for method, kind, entries in block.by_method():
        if kind != "auto":  # shown without labels already
            yield [stacked(method, kind), *map(figure_of, entries)]


def signed(value):
    return f"{float(value):+.3f}".replace("-", "−")


def difference_of(row):
    """Format a difference, bold if 0 is not in its interval, and the interval."""
    low, high = float(row["acc_low"]), float(row["acc_high"])
    mean = signed(row["acc"])
    shown = f"**{mean}**" if low > 0 or high < 0 else mean
    return stacked(shown, f"{signed(low)} to", signed(high))


def of_table2(rows):
    """Select the results with the uncertainty of Table 2, by set and claim."""
    return {
        (row["set"], row["claim"]): row
        for row in rows
        if float(row["noise"]) == usual_noise(row["set"])
    }


def differences(found):
    names = list(dict.fromkeys(claim for _, claim in found))
    yield ["", *names]
    for name in SETS:
        yield [TITLES[name], *(difference_of(found[name, claim]) for claim in names)]


def saturation(found):
    """Return the mean divergence of two worlds, by both kernel widths, over log 2."""
    yield ["", "Silverman", "Scott"]
    for name in SETS:
        row = found[name, "bandwidth"]
        both = float(row["divergence_one"]), float(row["divergence_other"])
        yield [TITLES[name], *(f"{each / math.log(2):.4f}" for each in both)]


def main():
    of = {cell.task: cell for cell in Store(RESULTS / "cells.csv", Cell).rows}
    lines = list(summarized(of[task] for task in tasks_of()))
    for section in sections(lines):
        for block in section.blocks:
            write(f"paper_{section.id}_{block.caption[:3].lower()}", table_of(block))
    found = of_table2(rows_of("claims"))
    write("paper_claims", differences(found))
    write("paper_saturation", saturation(found))


if __name__ == "__main__":
    main()
