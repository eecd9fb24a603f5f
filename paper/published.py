"""The figures of Table 2 in the paper."""

import csv
from functools import cache
from importlib import resources
from typing import NamedTuple


class Figures(NamedTuple):
    """Accuracy and normalized mutual information."""

    acc: float
    nmi: float


@cache
def published() -> dict[tuple[str, str], Figures]:
    """Return the figures of the paper, by set and method.

    Examples
    --------
    >>> from paper.published import published
    >>> published()["wine", "RPC"]
    Figures(acc=0.9663, nmi=0.8782)
    """
    file = resources.files("paper") / "_data" / "table2.csv"
    lines = file.read_text(encoding="utf-8").splitlines()
    return {
        (row["set"], row["method"]): Figures(float(row["acc"]), float(row["nmi"]))
        for row in csv.DictReader(lines)
    }
