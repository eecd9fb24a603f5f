"""Figure 2 and the claims: variants of RPC over seeds, and their differences."""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from joblib import delayed
from scipy.stats import t as student

from incerta.typing import Array
from paper.running import SETS_BY_SIZE, in_parallel
from paper.sets import SETS, UNCERTAIN, mode_for, usual_noise
from paper.store import Store
from paper.variants import (
    PAPER,
    Variant,
    VariantCell,
    VariantTask,
    compute_variants,
)

NUMBERS_KEPT = tuple(range(10, 101, 10))
SELECTIONS = ("greedy", "central", "random")
NOISES = (0.25, 0.5, 1.0)
LEVEL = 0.95


class Claim(NamedTuple):
    """Two variants to compare, and the title of the comparison."""

    name: str
    says: str
    one: Variant
    other: Variant


CLAIMS = (
    Claim(
        "selection",
        "worlds chosen by Eq. 7 against random ones",
        PAPER,
        PAPER._replace(selection="random"),
    ),
    Claim(
        "filter",
        "worlds chosen by Eq. 7 against the most central ones",
        PAPER,
        PAPER._replace(selection="central"),
    ),
    Claim("number", "10 worlds against 40", PAPER, PAPER._replace(n_kept=40)),
    Claim(
        "bandwidth",
        "worlds compared with Silverman's widths against Scott's",
        PAPER,
        PAPER._replace(bandwidth="scott"),
    ),
    Claim(
        "consistency",
        "consistency learning against the mean affinity of the same worlds",
        PAPER,
        PAPER._replace(agreement="affinities"),
    ),
    Claim(
        "width",
        "affinities as wide as the median distance against self-tuning ones",
        PAPER,
        PAPER._replace(width="self-tuning"),
    ),
    Claim(
        "expected",
        "RPC against the expected affinity, which needs no worlds",
        PAPER,
        PAPER._replace(agreement="expected"),
    ),
    Claim(
        "means",
        "RPC against k-means on the objects' means",
        PAPER,
        PAPER._replace(agreement="means"),
    ),
)


class Difference(NamedTuple):
    """Mean difference of two variants, paired by seed, in accuracy and NMI."""

    claim: str
    set: str
    mode: str
    noise: float
    n_seeds: int
    acc_one: float
    acc_other: float
    acc: float
    acc_low: float  # of the confidence interval
    acc_high: float
    nmi: float
    nmi_low: float
    nmi_high: float
    divergence_one: float  # mean over pairs of worlds; at most log 2
    divergence_other: float


class Point(NamedTuple):
    """A point of Figure 2: mean and standard deviation over seeds."""

    set: str
    selection: str
    n_kept: int
    n_seeds: int
    acc: float
    acc_sd: float
    nmi: float
    nmi_sd: float


def figure2(
    folder: Path,
    sets: Sequence[str] = UNCERTAIN,
    n_seeds: int = 10,
    n_jobs: int | None = None,
) -> list[Point]:
    """Return the accuracy of RPC with 10 to 100 worlds, kept by three rules.

    Parameters
    ----------
    folder : Path
        Folder of the cells (``variants.csv``).
    sets : sequence of str
        By default those of the figure in the paper.
    n_seeds : int, default=10
        Seeds 0, 1, ...
    n_jobs : int, optional
        Processes.

    Returns
    -------
    list of Point

    Notes
    -----
    With all 100 worlds the rules agree, and only one of them is run.
    """
    variants = tuple(
        Variant(selection=selection, n_kept=n_kept)
        for n_kept in NUMBERS_KEPT
        for selection in (SELECTIONS if n_kept < 100 else SELECTIONS[:1])
    )
    # One number at a time, so that an interrupted run loses little.
    tasks = [
        VariantTask(name, mode_for(name, "centered"), usual_noise(name), seed, some)
        for name in sets
        for seed in range(n_seeds)
        for some in _by_number(variants)
    ]
    cells = variant_cells(tasks, folder, n_jobs)
    return [
        _point(name, variant, [c for c in cells if c.set == name])
        for name in sets
        for variant in variants
    ]


def claims(
    folder: Path,
    sets: Sequence[str] = SETS,
    noises: Sequence[float] = NOISES,
    n_seeds: int = 10,
    n_sweep_seeds: int = 3,
    mode: str = "centered",
    n_jobs: int | None = None,
) -> list[Difference]:
    """Test the claims of the paper about the steps of RPC.

    Parameters
    ----------
    folder : Path
        Folder of the cells (``variants.csv``).
    sets : sequence of str
        Sets to run.
    noises : sequence of float
        Uncertainty added to exact sets; the others are unchanged.
    n_seeds : int, default=10
        Seeds 0, 1, ... with the uncertainty of Table 2.
    n_sweep_seeds : int, default=3
        Number of seeds for other levels of uncertainty.
    mode, n_jobs
        As for `paper.table2.table2`.

    Returns
    -------
    list of Difference
        With separate 95% confidence intervals by Student's t.
    """
    wanted = dict.fromkeys(v for claim in CLAIMS for v in (claim.one, claim.other))
    settings = [
        (name, mode_for(name, mode), noise)
        for name in sets
        for noise in ((usual_noise(name),) if name in UNCERTAIN else noises)
    ]
    seeds = {
        setting: range(
            n_seeds if setting[2] == usual_noise(setting[0]) else n_sweep_seeds
        )
        for setting in settings
    }
    tasks = [
        VariantTask(*setting, seed, tuple(wanted))
        for setting in settings
        for seed in seeds[setting]
    ]
    cells = variant_cells(tasks, folder, n_jobs)
    of = {(c.set, c.mode, c.noise, c.variant, c.seed): c for c in cells}
    return [
        _difference(
            claim,
            setting,
            [of[*setting, claim.one, seed] for seed in seeds[setting]],
            [of[*setting, claim.other, seed] for seed in seeds[setting]],
        )
        for claim in CLAIMS
        for setting in settings
    ]


def variant_cells(
    tasks: Sequence[VariantTask], folder: Path, n_jobs: int | None
) -> list[VariantCell]:
    """Compute the variants missing from a folder, and return those of the tasks."""
    store = Store(folder / "variants.csv", VariantCell)
    done = {cell[:9] for cell in store.rows}
    wanted = {(*task[:4], *variant) for task in tasks for variant in task.variants}
    missing = []
    for task in tasks:
        left = tuple(v for v in task.variants if (*task[:4], *v) not in done)
        if left:
            missing.append(task._replace(variants=left))
    missing.sort(key=lambda task: SETS_BY_SIZE.index(task.set))
    calls = map(delayed(compute_variants), missing)
    for cells in in_parallel(calls, n_jobs, "variants"):
        store.add(cells)
    return [cell for cell in store.rows if cell[:9] in wanted]


def paired_interval(differences: Array, level: float = LEVEL) -> tuple[float, float]:
    """Return the confidence interval of a mean difference by Student's t.

    Examples
    --------
    >>> import numpy as np
    >>> from paper.sweeps import paired_interval
    >>> low, high = paired_interval(np.array([0.0, 0.1, 0.2]))
    >>> round(low, 3), round(high, 3)
    (-0.148, 0.348)
    """
    n = len(differences)
    mean = float(differences.mean())
    if n < 2:
        return float("nan"), float("nan")
    wide = student.ppf((1 + level) / 2, n - 1) * differences.std(ddof=1) / np.sqrt(n)
    return mean - float(wide), mean + float(wide)


def _by_number(variants: Sequence[Variant]) -> list[tuple[Variant, ...]]:
    numbers = dict.fromkeys(variant.n_kept for variant in variants)
    return [tuple(v for v in variants if v.n_kept == number) for number in numbers]


def _point(name: str, variant: Variant, cells: Sequence[VariantCell]) -> Point:
    some = [c for c in cells if c.variant == variant]
    acc, info = np.array([c.acc for c in some]), np.array([c.nmi for c in some])
    return Point(
        name,
        variant.selection,
        variant.n_kept,
        len(some),
        float(acc.mean()),
        _spread(acc),
        float(info.mean()),
        _spread(info),
    )


def _spread(values: Array) -> float:
    return float(values.std(ddof=1)) if len(values) > 1 else float("nan")


def _difference(
    claim: Claim,
    setting: tuple[str, str, float],
    ones: Sequence[VariantCell],
    others: Sequence[VariantCell],
) -> Difference:
    acc = np.array([a.acc - b.acc for a, b in zip(ones, others, strict=True)])
    info = np.array([a.nmi - b.nmi for a, b in zip(ones, others, strict=True)])
    return Difference(
        claim.name,
        *setting,
        len(ones),
        float(np.mean([a.acc for a in ones])),
        float(np.mean([b.acc for b in others])),
        float(acc.mean()),
        *paired_interval(acc),
        float(info.mean()),
        *paired_interval(info),
        float(np.mean([a.divergence for a in ones])),
        float(np.mean([b.divergence for b in others])),
    )
