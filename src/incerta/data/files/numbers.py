"""Numbers as people write them: 1.234,5, 12 cm, 150.4 ± 2.0 or <0.5."""

import re
import warnings
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import NamedTuple, NoReturn, TypeAlias

import numpy as np

from incerta.exceptions import DataError, IncertaWarning
from incerta.typing import Array
from incerta.wording import given

Cell: TypeAlias = str | float

# In upper or lower case; users may add words.
MISSING_WORDS = frozenset(
    {"", "na", "n/a", "n.a.", "nan", "-nan", "null", "nil", "none", "missing", "nd"}
    | {"n.d.", "?", "-", "--", "–", "—", ".", "..", "…", "*", "#n/a", "#na", "<na>"}
    | {"\\n"}  # in databases
)
_NUMBER = r"[+-]?(?:\d(?:[\d., ']*[\d.,])?|[.,]\d+)(?:[eE][+-]?\d+)?"
_WORD = r"(?:[^\W\d_]+|[%‰°′″][^\W\d_]*)(?:\^?-?\d|[²³⁻¹]+)?"
_MEASURED = (
    rf"(?P<value>{_NUMBER})(?: ?(?:±|\+/-|\+-) ?(?P<error>{_NUMBER})|"
    r"\((?P<last>\d[\d.,]*)\)(?P<power>[eE][+-]?\d+)?)?"
)
_UNIT = rf"(?P<unit>{_WORD}(?: ?[ */·] ?{_WORD}){{0,3}})"
CELL = re.compile(rf"(?P<money>[$€£¥]) ?{_NUMBER}|{_MEASURED}(?: ?{_UNIT})?")
PLAIN = re.compile(r"[+-]?\d+(?:[.,]\d+)?")
# As in tables of papers, both with decimals: 12 (40.5) may be a count and a share.
WITH_DEVIATION = re.compile(
    r"(?P<value>[+-]?\d[\d ']*[.,]\d+) \((?P<error>\d+[.,]\d+)\)"
)
UP_AND_DOWN = re.compile(r"[^+]*\d ?[\^{_]*\+ ?\d.*- ?\d.*")
IN_PARENTHESES = re.compile(rf"\( ?{_MEASURED} ?\) ?{_UNIT}?")
LIMIT = re.compile(r"(?P<side>[<>]=?|[≤≥]) ?(?P<rest>.+)")
ERROR_ALONE = re.compile(r"(?:±|\+/-|\+-) ?(?=[\d.,])")  # an error without its value
INFINITE = re.compile(r"[+-]?inf(?:inity)?", re.IGNORECASE)
GROUPS = re.compile(r"[1-9]\d{0,2}(?:([., '])\d{3})(?:\1\d{3})*")
LONGEST = 80  # letters of a cell with a number
LONGEST_SHOWN = 40
ALIKE = str.maketrans(
    {"−": "-", "’": "'", "\u00a0": " ", "\u2009": " ", "\u202f": " ", "\t": " "}
)


class Parts(NamedTuple):
    """A cell that holds a number."""

    value: str | float  # text, or a number as the file has it
    error: str | None = None  # after ±
    last: str | None = None  # in parentheses, in units of the last digit
    power: str = ""
    unit: str = ""
    below: bool = False  # the value is an upper limit


@dataclass(frozen=True, kw_only=True)
class Column:
    """Numbers of a column; NaN where missing."""

    values: Array
    errors: Array | None  # if the cells have errors
    example: str  # an example with an error; empty if none
    unit: str
    limits: Array  # NaN unless the cell is an upper limit, with the value missing
    limit_example: str  # an example; empty if none


@dataclass(frozen=True, kw_only=True)
class Rules:
    """Settings for reading cells."""

    decimal: str | None  # as given by the user
    # As if it were no comma: what 1,234 means is asked, not guessed.
    separator: str = "\t"
    comma_seen: bool = False  # in other columns
    na: tuple[str, ...] = ()
    where: Callable[[int], str]  # a row in words


def numbers_in(table: Mapping[str, Sequence[Cell]], rules: Rules) -> dict[str, Column]:
    """Read columns of text, and of sheets, in which some cells are numbers already."""
    parts = {name: _parts(name, cells, rules) for name, cells in table.items()}
    decimal = rules.decimal or _decimal(parts, rules)
    return {
        name: _column(name, cells, parts[name], decimal, rules)
        for name, cells in table.items()
    }


def numbers_of(words: Sequence[str]) -> list[float]:
    """Return the numbers among the words for missing values."""
    numbers = []
    for word in words:
        with suppress(ValueError):
            numbers.append(float(word.translate(ALIKE)))
    return [number for number in numbers if np.isfinite(number)]


def _parts(name: str, cells: Sequence[Cell], rules: Rules) -> list[Parts | None]:
    """Split cells into parts; None if missing."""
    nothing = MISSING_WORDS | {word.casefold() for word in rules.na}
    parts: list[Parts | None] = []
    for row, cell in enumerate(cells):
        if isinstance(cell, float):
            parts.append(None if np.isnan(cell) else Parts(cell))
            continue
        text = (cell if cell.isascii() else cell.translate(ALIKE)).strip()
        if text.casefold() in nothing:
            parts.append(None)
            continue
        parts.append(taken_apart(text))
        if parts[-1] is None:
            _refuse(name, row, cells, rules.where)
    return parts


def taken_apart(text: str) -> Parts | None:
    """Split a cell with a number into its parts; None for other cells."""
    if len(text) > LONGEST:
        return None
    if PLAIN.fullmatch(text):  # a shortcut for most cells
        return Parts(text)
    if "\\pm" in text:  # LaTeX
        text = text.strip("$ ").replace("\\pm", "±")
    if match := LIMIT.fullmatch(text):
        limit = taken_apart(match["rest"])
        is_one = limit is not None and not (limit.error or limit.last or limit.below)
        if limit is None or not is_one or match["side"][0] in ">≥":
            return None
        return limit._replace(below=True)
    if match := ERROR_ALONE.match(text):
        text = text[match.end() :]
        parts = taken_apart(text)
        return None if parts is None or parts.error or parts.last else parts
    if match := CELL.fullmatch(text):
        if match["money"]:
            return Parts(text[1:].strip(), unit=match["money"])
        percent = match["error"] and match["unit"] == "%"  # % of the value, or of 100?
        no_digit = match["last"] and "e" in match["value"].lower()  # unclear
        return None if percent or no_digit else _measured(match)
    if match := WITH_DEVIATION.fullmatch(text):
        return Parts(match["value"], match["error"])
    match = IN_PARENTHESES.fullmatch(text)
    if match and (match["error"] or match["last"]):
        return _measured(match)
    return Parts(text) if INFINITE.fullmatch(text) else None


def _measured(match: re.Match[str]) -> Parts:
    value, error, last, power, unit = match.group(*Parts._fields[:5])
    return Parts(value, error, last, power or "", unit or "")


def _refuse(
    name: str, row: int, cells: Sequence[Cell], where: Callable[[int], str]
) -> NoReturn:
    cell = _shown(cells[row])
    way_out = "Write a plain number, or leave the cell empty."
    no_digits = not any(letter.isdigit() for letter in cell)
    if cell[:1] in ("<", "≤") and no_digits:
        na = given(na=cell)
        way_out = f"Write the limit, as in <0.5; or pass {na}: it is missing."
    elif no_digits:
        way_out = f"If it stands for a missing value, pass {given(na=cell)}."
        if row == 0 and len(cells) > 1:
            way_out += " If it is a unit, remove the line below the names."
    elif cell[:1] in (">", "≥"):
        way_out = (
            "The value has no upper bound: write a value with an "
            "error, as in 150 ± 30, write all values as two columns of bounds with "
            f"{given(kind='interval')}, or leave the cell empty."
        )
    elif UP_AND_DOWN.fullmatch(cell):
        ways = "upwards and downwards need columns of their own"
        way_out = f"Errors {ways}, with {given(kind='plusminus')}."
    elif re.search(r"\d \(", cell):
        way_out = "If the number in parentheses is an error, write it as in 12 ± 4."
    msg = f"column {name!r} must hold numbers; {where(row)}: {cell!r}. {way_out}"
    raise DataError(msg)


def _shown(cell: Cell) -> str:
    """Return a cell as text for messages."""
    cell = f"{cell:g}" if isinstance(cell, float) else cell.strip()
    return cell if len(cell) <= LONGEST_SHOWN else cell[: LONGEST_SHOWN - 1] + "…"


def _hint(number: str) -> str:
    """Return what a number shows about the decimal mark.

    ``"."`` or ``","`` if it must be this mark; ``"?."`` or ``"?,"`` if the mark may
    also separate thousands; otherwise nothing.
    """
    body, _, power = number.lstrip("+-").lower().partition("e")
    dots, commas = body.count("."), body.count(",")
    if dots and commas:
        last = "." if body.rfind(".") > body.rfind(",") else ","
        return last if body.count(last) == 1 else ""
    mark, other = (".", ",") if dots else (",", ".")
    if dots + commas > 1:
        return other
    return f"?{mark}" if GROUPS.fullmatch(body) and not power else mark


def _decimal(parts: Mapping[str, Sequence[Parts | None]], rules: Rules) -> str:
    """Find the decimal mark from unambiguous cells, or refuse to guess."""
    hints: dict[str, tuple[str, int, str]] = {}  # the first cell of each kind
    for name, column in parts.items():
        for row, cell in enumerate(column):
            for text in (cell.value, cell.error) if cell is not None else ():
                if isinstance(text, str) and ("." in text or "," in text):
                    hints.setdefault(_hint(text), (name, row, text))
    if "." in hints and "," in hints:
        (a, i, one), (b, j, other) = hints["."], hints[","]
        msg = (
            f"the decimal mark is not clear: {one!r} in column {a!r} "
            f"({rules.where(i)}) and {other!r} in column {b!r} ({rules.where(j)}). "
            "Write all numbers alike."
        )
        raise DataError(msg)
    for mark in (".", ","):
        if mark in hints:
            return mark
    if rules.comma_seen and "?." not in hints:
        return ","
    doubtful = hints.get("?,") or (hints.get("?.") if rules.comma_seen else None)
    if doubtful is None:
        return "."
    name, row, text = doubtful
    if "?." in hints or rules.separator != ",":
        as_decimal, as_groups = text.replace(",", "."), re.sub("[.,]", "", text)
        mark = "," if "," in text else "."
        other = "." if mark == "," else ","
        msg = (
            f"column {name!r}, {rules.where(row)}: {text!r} can be {as_decimal} or "
            f"{as_groups}, and no other number of the table says which. Pass "
            f"{given(decimal=mark)} for {as_decimal}, or {given(decimal=other)} for "
            f"{as_groups}."
        )
        raise DataError(msg)
    msg = (
        f"commas in column {name!r} were taken for thousands separators: {text!r} is "
        f"{text.replace(',', '')}. If these are decimals, pass {given(decimal=',')}."
    )
    warnings.warn(msg, IncertaWarning, stacklevel=7)
    return "."


def _number(text: Cell, decimal: str) -> float | None:
    """Parse a number with thousands separators; None if malformed."""
    if isinstance(text, float):
        return text
    other = "," if decimal == "." else "."
    if PLAIN.fullmatch(text) and other not in text:
        return float(text.replace(",", "."))
    if INFINITE.fullmatch(text):
        return float(text)
    body, _, power = text.lower().partition("e")
    whole, _, fraction = body.partition(decimal)
    digits = whole.lstrip("+-")
    if digits and not digits.isdecimal():
        if not GROUPS.fullmatch(digits):
            return None
        whole = re.sub(r"[., ']", "", whole)
    if fraction and not fraction.isdecimal():
        return None
    return float(f"{whole}.{fraction or 0}e{power or 0}")


def _column(
    name: str,
    cells: Sequence[Cell],
    parts: Sequence[Parts | None],
    decimal: str,
    rules: Rules,
) -> Column:
    values, errors, limits = np.full((3, len(cells)), np.nan)
    example = limit_example = ""
    for row, cell in enumerate(parts):
        if cell is None:
            continue
        value = _number(cell.value, decimal)
        error = _error(cell, decimal)
        if value is None or error is None or (cell.below and np.isinf(value)):
            _refuse(name, row, cells, rules.where)
        if cell.below:
            limits[row] = value
            limit_example = limit_example or _shown(cells[row])
            continue
        values[row] = value * float(f"1{cell.power}")
        errors[row] = error
        if cell.error or cell.last:
            example = example or _shown(cells[row])
    values[np.isin(values, numbers_of(rules.na))] = np.nan
    return Column(
        values=values,
        errors=errors if example else None,
        example=example,
        unit=_without_unit(name, cells, parts, rules),
        limits=limits,
        limit_example=limit_example,
    )


def _error(cell: Parts, decimal: str) -> float | None:
    """Return the error of a cell, NaN without one; None if malformed."""
    if cell.error is not None:
        return _number(cell.error, decimal)
    if cell.last is None:
        return float("nan")
    error = _number(cell.last, decimal)
    if error is None:
        return None
    if decimal not in cell.last:  # 12.3(4) is 12.3 ± 0.4
        error *= 10.0 ** -len(str(cell.value).partition(decimal)[2])
    return error * float(f"1{cell.power}")


def _without_unit(
    name: str, cells: Sequence[Cell], parts: Sequence[Parts | None], rules: Rules
) -> str:
    """Return the unit of a column; all cells must have the same unit."""
    rows = {
        cell.unit: row for row, cell in reversed(list(enumerate(parts))) if cell
    }  # the first row of each
    if not set(rows) - {""}:
        return ""
    if len(rows) > 1:
        (_, i), (_, j) = sorted(rows.items(), key=lambda pair: pair[1])[:2]
        msg = (
            f"column {name!r} mixes units: {_shown(cells[i])!r} ({rules.where(i)}"
            f") and {_shown(cells[j])!r} ({rules.where(j)}). Write all numbers "
            "in one unit."
        )
        raise DataError(msg)
    unit = next(iter(rows))
    msg = f"the unit {unit!r} was removed from the numbers in column {name!r}."
    warnings.warn(msg, IncertaWarning, stacklevel=7)
    return unit
