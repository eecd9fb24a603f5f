"""Columns whose names say that they are errors of others."""

from __future__ import annotations

import re
import warnings
from collections.abc import Sequence

from incerta.exceptions import IncertaWarning

# Of a column mass: mass_err, mass_error, massErr, mass.std, e_mass, sigma_mass, ...
_WORD = "err|error|errors|stderr|std|stdev|sd|se|sem|sigma|unc|uncertainty|moe"
_AFTER = re.compile(
    rf"(?P<value>.+?)([\W_]+(?i:{_WORD})|Err|Error|Std|Sigma|Unc)[\W_]*\d?"
)
_BEFORE = re.compile(rf"({_WORD}|e)[\W_]+(?P<value>.+)", re.IGNORECASE)


def errors_among(names: Sequence[str]) -> dict[str, str]:
    """Columns that look like errors, each with the column of its values.

    Parameters
    ----------
    names : sequence of str
        Names of all columns.

    Returns
    -------
    dict from str to str

    Examples
    --------
    >>> from incerta.data.tables.hints import errors_among
    >>> errors_among(["mass", "mass_error", "e_radius", "radius", "terror"])
    {'mass_error': 'mass', 'e_radius': 'radius'}
    """
    known = {name.lower(): name for name in names}
    found = {}
    for name in names:
        for pattern in (_AFTER, _BEFORE):
            match = pattern.fullmatch(name)
            value = match and known.get(match["value"].lower())
            if value:
                found[name] = value
                break
    return found


def warn_of_errors(names: Sequence[str]) -> None:
    """Say so if columns of a plain table, all of which are features, look like errors.

    Parameters
    ----------
    names : sequence of str
        Names of the columns.
    """
    found = errors_among(names)
    if not found:
        return
    error, value = next(iter(found.items()))
    others = f" (and {len(found) - 1} more)" if len(found) > 1 else ""
    features = [name for name in names if name not in found]
    errors = {values: name for name, values in found.items()}
    call = f"from_frame(table, values={features!r}, errors={errors!r})."
    if len(errors) < len(found):
        call = "from_frame(table, values=..., errors=...), with one error for each."
    elif len(errors) < len(features):
        call += " A value that is exact needs a column of zeros."
    msg = (
        f"column {error!r}{others} looks like the error of {value!r}, but in a plain "
        f"table every column is a feature. Say what is what: {call}"
    )
    warnings.warn(msg, IncertaWarning, stacklevel=5)
