"""Ways to read a table: a guess is one or several of them, told column by column."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from incerta.data.guess.described import Described, wants_logarithm
from incerta.data.tables.spec import PAIRS, TableSpec
from incerta.wording import counted, given


@dataclass(frozen=True, kw_only=True)
class Reading(TableSpec):
    """A description of a table, and in a few words what that makes of it."""

    means: str = ""


@dataclass(frozen=True)
class Guess:
    """The sensible readings of a table: one if it is clear, several, or none."""

    readings: tuple[Reading, ...]
    doubt: str = ""  # why it is not clear
    classes: tuple[str, ...] = ()  # columns with which clusters can be compared
    left_out: dict[str, str] = field(default_factory=dict)  # why, by column
    notes: tuple[str, ...] = ()  # what was assumed
    objects: str = ""  # how many, and what names them, if another column could

    @property
    def is_clear(self) -> bool:
        """Whether one reading alone is sensible."""
        return len(self.readings) == 1 and not self.doubt


def roles_in(guess: Guess, names: Sequence[str] = ()) -> dict[str, str]:
    """What each column is in the first reading, in a few words."""
    roles = {name: f"({why})" for name, why in guess.left_out.items()}
    roles |= dict.fromkeys(guess.classes, "classes")
    if not guess.readings:
        return roles
    roles |= {other.id: "id?" for other in guess.readings if other.id is not None}
    reading = guess.readings[0]
    words = {"id": "id", "sample": "draw", "weight": "weight", "batch": "batch"}
    named = {getattr(reading, field): word for field, word in words.items()}
    roles |= {name: word for name, word in named.items() if name is not None}
    roles |= dict.fromkeys(reading.values, "value")
    if reading.replicates is not None:
        begin = reading.replicates.removesuffix("*")
        stems = {begin.replace("{}", stem): stem for stem in reading.values}
        for name in names:
            match = re.fullmatch(r"(.*?)(\d+|[A-Za-z])", name)
            if match and match[1] in stems:
                roles[name] = f"measures {stems[match[1]]}"
    return roles | {e: role for e, (role, _) in errors_in(reading).items()}


def errors_in(reading: Reading) -> dict[str, tuple[str, str]]:
    """Role in words, and value, of each column of errors."""
    words = ("low", "high") if reading.kind in PAIRS else ("error",)
    words = ("error up", "error down") if reading.kind == "plusminus" else words
    columns = reading.error_columns or ((),) * len(reading.values)
    return {
        column: (f"{word} of {value}", value)
        for value, some in zip(reading.values, columns, strict=True)
        for word, column in zip(words, some, strict=False)
    }


def remarks_on(columns: dict[str, Described], guess: Guess) -> dict[str, list[str]]:
    """What is odd about columns, given what they are taken for."""
    found: dict[str, list[str]] = {}
    if not guess.readings:
        return found
    reading = guess.readings[0]
    id = columns.get(reading.id or "")
    if id is not None and id.n_distinct < id.n_rows:
        times = np.bincount(id.coded())
        least, most = int(times.min()), int(times.max())
        said = f"{least}" if least == most else f"{least} to {most}"
        found.setdefault(id.name, []).append(f"{said} rows each")
    for name in reading.values:
        numbers = columns[name].numbers if name in columns else None
        if numbers is not None and not reading.replicates and wants_logarithm(numbers):
            found.setdefault(name, []).append(f"skewed: try {given('log')}")
    if reading.kind in (None, "sd", "se"):
        for error, (_, value) in errors_in(reading).items():
            sizes, numbers = columns[error].numbers, columns[value].numbers
            if sizes is None or numbers is None:
                continue
            if np.nanmedian(sizes) > np.nanstd(numbers) > 0:
                text = f"mostly larger than the spread of {value}"
                found.setdefault(error, []).append(text)
    if reading.kind in ("interval", "ci95", "ci68"):
        for low, high in reading.error_columns or ():
            below, above = columns[low].numbers, columns[high].numbers
            if below is None or above is None:
                continue
            if n := int((below > above).sum()):
                found.setdefault(low, []).append(f"{counted(n, 'time')} above {high}")
    return found
