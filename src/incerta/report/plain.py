"""Values and texts for JSON and for a page, and the page itself."""

import re
from collections.abc import Iterable
from typing import Any

import numpy as np

from incerta.backend.optional import pages_of, part_of_page
from incerta.typing import Array
from incerta.wording import counted, percent, share
from incerta.wording import cut as cut_off

LONGEST_TEXT = 1000
# Whole numbers beyond this lose digits in JavaScript.
_EXACT = 2**53
# Control characters, and surrogates, which files cannot hold.
_UNPRINTABLE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")


def text(value: object, longest: int = LONGEST_TEXT) -> str:
    """Return a value as text without unprintable characters, cut if too long."""
    return cut_off(_UNPRINTABLE.sub("\ufffd", str(value)), longest)


def name(value: object) -> int | float | str:
    """Return the name of an object, as a number if that loses nothing."""
    if isinstance(value, (bool, np.bool_)):
        return text(value)
    if isinstance(value, (int, np.integer)) and abs(int(value)) < _EXACT:
        return int(value)
    if isinstance(value, (float, np.floating)) and np.isfinite(value):
        return float(value)
    return text(value)


def number(value: float) -> float | None:
    """Return the number; None if it is not finite, which JSON does not allow."""
    return float(value) if np.isfinite(value) else None


def numbers(values: Array | Iterable[float]) -> list[Any]:
    """Return the numbers of an array as lists, None where they are not finite."""
    array = np.asarray(values, dtype=np.float64)
    if np.isfinite(array).all():
        return array.tolist()
    holes = array.astype(object)
    holes[~np.isfinite(array)] = None
    return holes.tolist()


def significant(values: Array, digits: int = 5) -> Array:
    """Round to the digits that a picture shows."""
    return np.char.mod(f"%.{digits}g", values).astype(np.float64)


def distinct(column: Array) -> Array:
    """Round to five digits of the range: those of 2,450,000.5 to 2,450,001 differ."""
    known = column[np.isfinite(column)]
    spread = np.ptp(known) if len(known) else 0.0
    if spread == 0.0:
        return significant(column, 15)
    more = np.ceil(np.log10(np.abs(known).max() / spread))
    return significant(column, int(np.clip(5 + more, 5, 15)))


def cut(value: object, longest: int = 60) -> str:
    """Return short text."""
    return text(value, longest)


def figure(value: float | None) -> str:
    """Format a number of a table to three digits; a dash stands for none."""
    if value is None:
        return "–"
    if value == 0.0:
        return "0"
    places = 2 - int(np.floor(np.log10(abs(float(f"{value:.2e}")))))
    plain = f"{value:,.{max(places, 0)}f}" if -4 <= places <= 6 else f"{value:.2e}"
    return plain.replace("-", "−")


def measured(mean: float | None, spread: float | None) -> str:
    """Format a mean and a spread to two digits of the spread: "12.3 ± 1.4"."""
    if mean is None or not spread:
        return figure(mean)
    # Rounded first: 9.96 has its two digits before the point.
    places = 1 - int(np.floor(np.log10(float(f"{spread:.1e}"))))
    if -3 <= places <= 6 and abs(mean) < 1e7:
        rounded = f"{round(mean, places) + 0.0:,.{max(places, 0)}f}"
        shown = f"{rounded} ± {round(spread, places):,.{max(places, 0)}f}"
    else:
        shown = f"{mean:.4g} ± {spread:.2g}"
    return shown.replace("-", "−")


def page_from(template: str, **values: Any) -> str:
    """Fill a template: a self-contained HTML page, with texts escaped."""
    environment = pages_of("incerta.report", "a report")
    filters = (counted, cut, percent, share)
    environment.filters |= {each.__name__: each for each in filters}
    page = environment.get_template(template)
    style = part_of_page("incerta.report", "report.css")
    return str(page.render(style=style, measured=measured, **values))
