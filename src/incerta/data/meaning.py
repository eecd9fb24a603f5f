"""The meaning of the uncertainty of data: error, belief or spread."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from incerta.exceptions import DataError
from incerta.wording import given

if TYPE_CHECKING:
    from incerta.data.container import UncertainData

Meaning = Literal["error", "belief", "spread"]

# The description of each.
MEANINGS: dict[str, str] = {
    "error": "measured values missed the truth by their errors",
    "belief": "laws say where the true values probably are",
    "spread": "objects have many values, none the true one",
}


def as_meaning(meaning: str) -> str:
    """Check that a meaning is one of the three."""
    if meaning not in MEANINGS:
        words = "; ".join(f"{name!r}: {text}" for name, text in MEANINGS.items())
        msg = f"{given(meaning=meaning)} is not known. {words}."
        raise DataError(msg)
    return meaning


def certain(data: UncertainData) -> bool:
    """Return whether all values are known exactly."""
    if data.law.missing() is not None:
        return False
    return data.exact or not data.variance().any()


def of_errors(data: UncertainData) -> bool:
    """Return whether values are measurements with errors, or are missing."""
    inexact = not data.exact or data.law.missing() is not None
    return data.meaning == "error" and inexact
