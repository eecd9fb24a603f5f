"""`profile`: the contents of a file, before the meaning of columns is known."""

from __future__ import annotations

import re
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from incerta.data.files.dialect import UTF8, Dialect
from incerta.data.files.numbers import (
    ALIKE,
    ERROR_ALONE,
    LIMIT,
    LONGEST_SHOWN,
    MISSING_WORDS,
    Column,
    numbers_in,
    taken_apart,
)
from incerta.data.files.oddities import times_as_mark, without_totals
from incerta.data.files.text import ParsedText, are_numbers
from incerta.data.guess.described import DATE, Described, of_numbers, of_words
from incerta.data.tables.columns import Table
from incerta.data.tables.spec import TableSpec
from incerta.exceptions import DataError
from incerta.typing import Ids, Indices
from incerta.wording import counted, given, verb

FEW_WORDS = 200  # words that decide whether a column of text may hold numbers
MOSTLY = 0.5  # share of these words that must be numbers
MOST_EXACT = 2.0**53  # below this, different integers are different floats
BEGINS_AS_NUMBER = re.compile(r"[(<>~≈$€£¥±]? ?[+-]?[.,]?\d")
LEADING_ZERO = re.compile(r"0\d+")
NAMES_OF_SEPARATORS = {"\t": "tabs", ",": "commas", ";": "semicolons", "|": "bars"}


@dataclass(frozen=True)
class Profile:
    """The contents of a file."""

    columns: tuple[Described, ...]  # without columns whose names occur several times
    names: tuple[str, ...]  # of all columns
    n_rows: int
    n_bytes: int
    written: str = ""  # how text is written, if unusual
    problem: str = ""  # why numbers cannot be read without further options


def profile_of_frame(frame: Any, n_bytes: int, *, totals: bool) -> Profile:
    """Describe all columns of a frame, which may have rows of totals at the bottom."""
    frame, left_out = _without_totals(frame) if totals else (frame, "")
    names = Table(frame).names
    columns = tuple(_noted(_of_column(frame, name)) for name in names)
    filled = (c for c in columns if c.numbers is not None or c.codes is not None)
    n_rows = max((column.n_rows for column in filled), default=0)
    return Profile(columns, names, n_rows, n_bytes, left_out)


def _without_totals(frame: Any) -> tuple[Any, str]:
    """Leave out rows at the bottom whose first cell names a total."""
    names = Table(frame).names
    if not names:
        return frame, ""
    frame, totals = without_totals(frame, TableSpec(id=names[0]))
    n = len(totals)
    return frame, f"{counted(n, 'row')} of totals left out" if n else ""


def _of_column(frame: Any, name: str) -> Described:
    if getattr(frame, "data_vars", None) is not None and frame[name].ndim != 1:
        sizes = {str(dim): n for dim, n in frame[name].sizes.items()}
        shape = " × ".join(f"{n} {dim}" for dim, n in sizes.items())
        remarks = (shape or "a single number",)
        return Described(name, "other", remarks=remarks, sizes=sizes)
    table = Table(frame)
    table.load([name])
    try:
        column = of_numbers(name, table.numbers(name))
    except DataError:
        return of_words(name, *_coded(table, name))
    return _told_apart(column, *_coded(table, name)) if _is_inexact(column) else column


def _told_apart(column: Described, words: Ids, codes: Indices) -> Described:
    """Return columns with cells that differ in the file, even if equal as floats."""
    return replace(column, n_distinct=len(words), codes=codes)


def _is_inexact(column: Described) -> bool:
    """Return whether whole numbers have more digits than floats, as in catalogs."""
    numbers = np.asarray(column.numbers)
    return column.kind == "whole" and bool(np.nanmax(np.abs(numbers)) >= MOST_EXACT)


def _coded(table: Table, name: str) -> tuple[Ids, Indices]:
    try:
        words, codes, _ = table.coded(name, "id")
        return words, codes
    except DataError:  # some are missing, or they are not labels
        cells = table[name]
        cells = cells.to_list() if hasattr(cells, "to_list") else cells
        text = ["" if cell is None or cell != cell else str(cell) for cell in cells]
        nothing = ("", "NaT", "<NA>")
        words, codes = np.unique(np.array(text), return_inverse=True)
        return _without_missing(words, codes, nothing)


def _without_missing(
    words: Ids, codes: Indices, missing: Sequence[str]
) -> tuple[Ids, Indices]:
    """Remove words for missing values; their code is -1."""
    there = ~np.isin(words, list(missing))
    places = np.where(there, np.cumsum(there) - 1, -1)
    return words[there], places[codes]


def profile_of_text(parsed: ParsedText, n_bytes: int) -> Profile:
    """Describe all columns of a text file."""
    dialect = parsed.dialect
    frame, left_out = _without_totals(parsed.frame)
    table = Table(frame)
    n_rows = 0
    if table.names:
        table.load(table.names)
        n_rows = len(table)
    described: dict[str, Described] = {}
    doubtful: dict[str, tuple[Ids, Indices, Indices]] = {}
    for name in table.names:
        if not n_rows:
            described[name] = Described(name, "empty")
        elif are_numbers(parsed.frame[name]):
            described[name] = of_numbers(name, table.numbers(name))
        else:
            words, codes = _cleaned(table, name, dialect.na)
            numeric = _numeric(words)
            column = of_words(name, words, codes)
            if numeric is not None:
                doubtful[name] = words, codes, numeric
            elif column.kind == "text" and _seems_numeric(words):
                why = f"holds {words[0][:LONGEST_SHOWN]!r}, which is not a number"
                column = replace(column, doubt=why)
            described[name] = column
    # Plain numbers show the decimal mark.
    shown = any(column.kind == "number" for column in described.values())
    mark = dialect.mark if shown else dialect.decimal
    numbers, problems, problem = _numbers(doubtful, dialect, mark)
    for name, why in problems.items():
        described[name] = replace(described[name], doubt=why)
    for name, read in numbers.items():
        described[name] = _of_cells(name, read, *doubtful[name])
        if _is_inexact(described[name]):
            described[name] = _told_apart(described[name], *doubtful[name][:2])
    columns = tuple(_noted(described[name]) for name in table.names)
    written = ", ".join(filter(None, (_written(dialect), left_out)))
    return Profile(columns, dialect.names, n_rows, n_bytes, written, problem)


def _cleaned(table: Table, name: str, na: Sequence[str]) -> tuple[Ids, Indices]:
    words, codes, _ = table.coded(name, "id")
    # Labels that are numbers now were plain whole numbers in the text.
    text = np.char.strip(words.astype(str, copy=False))
    nothing = MISSING_WORDS | {word.casefold() for word in na}
    missing = [word for word in text if word.casefold() in nothing]
    return _without_missing(text, codes, missing) if missing else (text, codes)


def _numeric(words: Ids) -> Indices | None:
    """Return which words are numbers; None if too few for a column of numbers."""
    for some in (words[:FEW_WORDS], words):
        texts = [word.translate(ALIKE) for word in some.tolist()]
        zeros = any(map(LEADING_ZERO.fullmatch, texts))
        if zeros or all(map(DATE.fullmatch, texts)):
            return None
        numeric = [taken_apart(text) is not None or _is_limit(text) for text in texts]
        if sum(numeric) < MOSTLY * len(numeric):
            return None
    return np.flatnonzero(numeric)


def _is_limit(text: str) -> bool:
    match = LIMIT.fullmatch(text)
    return match is not None and taken_apart(match["rest"]) is not None


def _seems_numeric(words: Ids) -> bool:
    """Return whether words that are neither numbers nor ids begin like numbers."""
    some = [word.translate(ALIKE) for word in words[:FEW_WORDS].tolist()]
    zeros = any(map(LEADING_ZERO.match, some))
    return not zeros and all(map(BEGINS_AS_NUMBER.match, some))


def _numbers(
    doubtful: dict[str, tuple[Ids, Indices, Indices]],
    dialect: Dialect,
    mark: str | None,
) -> tuple[dict[str, Column], dict[str, str], str]:
    """Read words as numbers; return reasons for other columns, and open questions.

    The command that reads the table issues the warnings.
    """
    cells = {
        name: [w if taken_apart(w.translate(ALIKE)) else "" for w in words[numeric]]
        for name, (words, _, numeric) in doubtful.items()
    }
    rules = replace(dialect.rules(lambda _: "a cell"), decimal=mark)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return numbers_in(cells, rules), {}, ""
        except DataError as error:
            problem = str(error)
        rules = replace(rules, decimal=dialect.mark)
        numbers: dict[str, Column] = {}
        problems: dict[str, str] = {}
        for name, column in cells.items():
            try:
                numbers |= numbers_in({name: column}, rules)
            except DataError as error:
                why = str(error).replace(" (a cell)", "").rstrip(".")
                problems[name] = why.removeprefix(f"column {name!r} ")
    return numbers, problems, "" if problems else problem


def _of_cells(
    name: str, column: Column, words: Ids, codes: Indices, numeric: Indices
) -> Described:
    of_word = np.full(len(words) + 1, np.nan)  # the last place is for missing words
    of_word[numeric] = column.values
    described = of_numbers(name, of_word[codes], measured=column.errors is not None)
    remarks = [f"in {column.unit}"] if column.unit else []
    texts = [word.translate(ALIKE) for word in words.tolist()]
    if texts and all(map(ERROR_ALONE.match, texts)):
        described = replace(described, is_error=True)
    limits = [i for i, text in enumerate(texts) if _is_limit(text)]
    if limits:
        n = int(np.isin(codes, limits).sum())
        remarks.append(f"{counted(n, 'detection limit')}, such as {words[limits[0]]}")
    none = [i for i, text in enumerate(texts) if taken_apart(text) is None]
    if not none:
        return described.noting(*remarks)
    n = int(np.isin(codes, none).sum())
    cell = str(words[none[0]])[:LONGEST_SHOWN]
    if none != limits:
        are_none = verb(n, "is", "are")
        remarks.append(f"{counted(n, 'cell')} {are_none} no number: {cell!r}")
    way_out = ""
    if not any(letter.isdigit() for letter in cell):
        way_out = f"; if that means missing, give {given(na=cell)}"
        if n == 1 and codes[0] == none[0]:
            way_out = "; if it is a unit, remove the line below the names"
    unread = n if described.numbers is None else np.isnan(described.numbers).sum()
    return replace(
        described.noting(*remarks),
        n_missing=max(int(unread) - n, 0),
        doubt=f"holds {cell!r}, which is not a number{way_out}",
    )


def _written(dialect: Dialect) -> str:
    """Describe a file that is not plain comma-separated UTF-8."""
    source, separator = dialect.source, dialect.separator
    parts = []
    is_tsv = separator == "\t" and ".tsv" in source.path.name.lower()
    if separator != "," and not is_tsv:
        mark = NAMES_OF_SEPARATORS.get(separator, repr(separator))
        parts.append(f"separated by {mark}")
    if dialect.mark == ",":
        parts.append("with decimal commas")
    if source.encoding not in UTF8:
        parts.append(f"in {source.encoding}")
    if source.n_skipped:
        parts.append(f"header in line {source.n_skipped + 1}")
    return ", ".join(parts)


def _noted(column: Described) -> Described:
    """Add remarks on odd numbers."""
    numbers = column.numbers
    if numbers is None or column.kind == "empty":
        return column
    remarks = ["constant"] if column.is_constant else []
    if infinite := int(np.isinf(numbers).sum()):
        remarks.append(f"{infinite:,} infinite")
    marks = []
    for end in sorted({float(np.nanmin(numbers)), float(np.nanmax(numbers))}):
        if times := times_as_mark(numbers, end):
            marks.append(f"{end:.10g}")
            missing = given(na=marks[-1])
            remarks.append(f"{marks[-1]} {times:,} times: missing? {missing}")
    return replace(column.noting(*remarks), marks=tuple(marks))
