"""A way to read a table, and a guess, which is one or several of them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Reading:
    """What each column is, in the words of `read`; None and () where nothing is said.

    `means` says in a few words what that makes of the table.
    """

    id: str | None = None
    values: tuple[str, ...] = ()
    errors: tuple[str, ...] = ()
    kind: str | None = None
    weight: str | None = None
    sample: str | None = None
    joint: bool | None = None
    missing: str | None = None
    meaning: str | None = None
    batch: str | None = None
    corr: str | None = None
    replicates: str | None = None
    na: tuple[str, ...] = ()
    means: str = ""

    def said(self) -> dict[str, Any]:
        """What is said, by the name of the parameter."""
        return {
            name: given
            for name, given in vars(self).items()
            if name != "means" and given not in (None, ())
        }


@dataclass(frozen=True)
class Guess:
    """The sensible readings of a table.

    Parameters
    ----------
    readings : tuple of Reading
        One if the guess is clear, several to choose from, or none.
    doubt : str
        Why it is not clear.
    classes : tuple of str
        Columns with known classes, against which clusters can be checked.
    left_out : dict from str to str
        Columns that are nothing in any reading, and why.
    notes : tuple of str
        What was assumed.
    """

    readings: tuple[Reading, ...]
    doubt: str = ""
    classes: tuple[str, ...] = ()
    left_out: dict[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    @property
    def is_clear(self) -> bool:
        """Whether one reading alone is sensible."""
        return len(self.readings) == 1 and not self.doubt
