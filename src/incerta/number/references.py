"""How often data of one cluster look as clustered as the given ones."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from joblib import Parallel, delayed, effective_n_jobs
from scipy.special import stdtr

from incerta.backend.progress import track
from incerta.mixture.fitting import Found, How, candidates
from incerta.mixture.model import Measured
from incerta.models.checkpoint import Checkpoint
from incerta.number.structureless import Structureless, structureless
from incerta.typing import Array

# After so few references data are clear that are beyond them with this p-value (t).
FEW_REFERENCES, CLEAR = 3, 1e-4
# Deviation of a gain, times the number of objects, at least: that some references do
# not differ says little.
LEAST_DEVIATION = 5.0


class Best(NamedTuple):
    """The best mixture of each number of components."""

    mixtures: dict[int, Found]
    n_objects: int

    @classmethod
    def of(cls, seen: Measured, how: How) -> Best:
        """Fit them."""
        best: dict[int, Found] = {}
        for found in candidates(seen, how):
            k = found.components.n_components
            if k not in best or found.bic < best[k].bic:
                best[k] = found
        return cls(best, seen.n_objects)

    @classmethod
    def kept(cls, name: str, seen: Measured, how: How, pieces: Checkpoint) -> Best:
        """As a finished piece."""

        def made() -> list[tuple[Any, ...]]:
            return [tuple(found) for found in cls.of(seen, how).mixtures.values()]

        mixtures = [Found(*found) for found in pieces.piece(name, made)]
        best = {found.components.n_components: found for found in mixtures}
        return cls(best, seen.n_objects)

    def best_of(self, ks: tuple[int, ...]) -> int:
        """Number with the lowest BIC; the smallest if none was tried."""
        known = [k for k in ks if k in self.mixtures]
        return min(known, key=lambda k: self.mixtures[k].bic) if known else ks[0]

    def gains(self, ks: tuple[int, ...]) -> Array:
        """Half the gain of BIC per object, over the smallest number."""
        bic = np.array(
            [self.mixtures[k].bic if k in self.mixtures else np.nan for k in ks]
        )
        gains: Array = (bic[0] - bic) / (2 * self.n_objects)
        return gains


def p_of_one(
    seen: Measured,
    of_data: Best,
    ks: tuple[int, ...],
    how: How,
    n_null: int,
    n_jobs: int | None,
    pieces: Checkpoint,
) -> tuple[float, Array]:
    """P-value of one cluster, and the gains (n_references, n_ks) behind it.

    At most `n_null` references are made, to which mixtures are fitted as to the data;
    `of_data` holds those of the data.
    """
    best = min(of_data.mixtures.values(), key=lambda mixture: mixture.bic)
    numbers = tuple(range(1, best.components.n_components + 2))
    own = float(np.nanmax(of_data.gains(numbers)))
    one = structureless(seen, best.components, how)
    fit = delayed(partial(_reference, seen, one, how._replace(numbers=numbers), ks))
    found = _references(fit, n_null, n_jobs, pieces)
    rows, gains = [], []
    p = 1.0 / (n_null + 1)
    steps = track(n_null, "references")
    for number, (row, gain) in enumerate(found, 1):
        rows.append(row)
        gains.append(gain)
        next(steps, None)
        if gains[-1] >= own:
            p = 1.0 / number
            break
        if number >= FEW_REFERENCES:
            beyond = _p_beyond(own, np.array(gains), LEAST_DEVIATION / seen.n_objects)
            if beyond < CLEAR:
                p = beyond
                break
    return p, np.array(rows)


def _p_beyond(own: float, gains: Array, least: float) -> float:
    """P-value of a gain, if others like it are of one Gaussian."""
    deviation = max(float(gains.std(ddof=1)), least)
    beyond = (own - gains.mean()) / (deviation * np.sqrt(1.0 + 1.0 / len(gains)))
    return float(stdtr(len(gains) - 1, -beyond))


def _references(
    fit: Any, n_null: int, n_jobs: int | None, pieces: Checkpoint
) -> Iterator[tuple[Array, float]]:
    """References in order, made as many at a time as there are processes."""
    step = effective_n_jobs(n_jobs)
    for start in range(1, n_null + 1, step):
        numbers = range(start, min(start + step, n_null + 1))
        names = {number: f"reference-{number}" for number in numbers}
        missing = [number for number, name in names.items() if not pieces.has(name)]
        new = Parallel(n_jobs=n_jobs)(map(fit, missing))
        made = dict(zip(missing, new, strict=True))
        for number, reference in made.items():
            pieces.write(names[number], reference)
        for number, name in names.items():
            yield made[number] if number in made else pieces.read(name)


def _reference(
    seen: Measured, one: Structureless, how: How, ks: tuple[int, ...], number: int
) -> tuple[Array, float]:
    """Gains of one reference, and the largest of them."""
    found = Best.of(one.measured(seen, how.seed + number), how)
    return found.gains(ks), float(np.nanmax(found.gains(tuple(how.numbers))))
