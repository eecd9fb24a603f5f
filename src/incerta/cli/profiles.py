"""A table described in 80 columns: what ``incerta info FILE`` prints."""

import json
import textwrap
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from incerta.cli.guessing import (
    as_json,
    command_for,
    listed,
    offers,
    on_lines,
)
from incerta.cli.summary import WIDTH, echo, shown
from incerta.cli.wording import as_options
from incerta.data.tables.spec import TableSpec
from incerta.wording import counted, printable

if TYPE_CHECKING:
    from incerta.data.files.profile import Profile
    from incerta.data.guess.described import Described
    from incerta.data.guess.readings import Guess

MOST_COLUMNS = 40  # of a table that is shown whole
FIRST, LAST = 20, 5
LONGEST_COMMAND = 800
KINDS = {"measured": "number ±", "other": "array"}
HEADINGS = ("column", "type", "missing", "least – median – most", "taken as")


def show(file: Path, found: "Profile", guess: "Guess", said: TableSpec) -> None:
    """Print what is in a table, what its columns may be, and what to do next."""
    from incerta.data.files.reading import in_words

    size = f"{counted(found.n_rows, 'row')}, {counted(len(found.names), 'column')}"
    if arrays := [column for column in found.columns if column.sizes]:
        size = f"{counted(len(arrays), 'array')}"
    told = [size, in_words(found.n_bytes), *([found.written] if found.written else [])]
    lines = [
        f"{printable(file.name)}: {', '.join(told)}",
        "",
        *_table(found, guess),
        "",
    ]
    if found.problem:
        lines += [*_wrapped(f"Before it can be read: {as_options(found.problem)}"), ""]
    lines += _what_next(file, guess, said)
    echo("\n".join(lines))


def show_json(file: Path, found: "Profile", guess: "Guess", said: TableSpec) -> None:
    """Print the same for programs."""
    from incerta.data.guess.readings import remarks_on, roles_in

    roles, more = roles_in(guess, found.names), remarks_on(_by_name(found), guess)
    words = ("incerta", "fit", str(file))
    told = {
        "file": str(file),
        "rows": found.n_rows,
        "bytes": found.n_bytes,
        "written": found.written,
        "problem": as_options(found.problem),
        "columns": [
            {
                "name": column.name,
                "type": column.kind,
                "missing": column.n_missing,
                "distinct": column.n_distinct,
                "range": _ends(column),
                "taken_as": as_options(roles.get(column.name, "")),
                "remarks": [
                    as_options(text)
                    for text in (*column.remarks, *more.get(column.name, ()))
                ],
            }
            for column in found.columns
        ],
        "clear": guess.is_clear,
        "doubt": as_options(guess.doubt),
        "readings": [as_json(reading, said, words) for reading in guess.readings],
        "classes": guess.classes,
        "left_out": {name: as_options(why) for name, why in guess.left_out.items()},
        "notes": [as_options(note) for note in guess.notes],
    }
    echo(json.dumps(told, indent=1))


# the table ----------------------------------------------------------------------------


def _by_name(found: "Profile") -> dict[str, "Described"]:
    return {column.name: column for column in found.columns}


def _table(found: "Profile", guess: "Guess") -> list[str]:
    """Rows of equal columns; remarks follow theirs, in the next line if need be."""
    from incerta.data.guess.readings import remarks_on, roles_in

    roles, more = roles_in(guess, found.names), remarks_on(_by_name(found), guess)
    columns, hidden = list(found.columns), []
    if len(columns) > MOST_COLUMNS:
        hidden = columns[FIRST:-LAST]
        columns = columns[:FIRST] + columns[-LAST:]
    cells = [
        (
            shown(c.name),
            KINDS.get(c.kind, c.kind),
            f"{c.n_missing:,}" if c.n_missing else "",
            _cells(c),
            printable(as_options(roles.get(c.name, ""))),
        )
        for c in columns
    ]
    headings: Sequence[str] = HEADINGS
    widths = [max(map(len, column)) for column in zip(HEADINGS, *cells, strict=True)]
    # The statistics go first if there is no room; what a column is taken for stays.
    room = WIDTH - sum(widths[:4]) - 8
    if 2 * sum(len(row[-1]) > room for row in cells) > len(cells):
        cells = [(*row[:3], "", row[-1]) for row in cells]
        headings, widths = [*HEADINGS[:3], "", HEADINGS[-1]], [*widths[:3], 0, 0]
    lines = [_row(headings, widths)]
    for place, (column, row) in enumerate(zip(columns, cells, strict=True)):
        if hidden and place == FIRST:
            lines += _of_hidden(hidden)
        remarks = "; ".join([*column.remarks, *more.get(column.name, ())])
        remarks = printable(as_options(remarks))
        line = _row(row, widths)
        if remarks and len(line) + len(remarks) + 2 <= WIDTH:
            lines.append(f"{line}  {remarks}")
            continue
        lines += [line, *_wrapped(remarks, "    ")]
    twice = Counter(found.names)
    for name in [name for name in twice if twice[name] > 1]:
        lines.append(f"{shown(name)}  {twice[name]} columns have this name")
    return lines


def _row(cells: Sequence[str], widths: Sequence[int]) -> str:
    name, kind, missing, middle, role = (
        cell.rjust(width) if place == 2 else cell.ljust(width)
        for place, (cell, width) in enumerate(zip(cells, widths, strict=True))
    )
    front = f"{name}  {kind}  {missing}"
    line = f"{front}  {middle}  {role}" if widths[3] else f"{front}  {role}"
    if len(line.rstrip()) > WIDTH:
        line = f"{front}  {role.lstrip()}"
    if len(line.rstrip()) > WIDTH:
        line = "\n".join([front.rstrip(), *_wrapped(role, "    ")])
    return line.rstrip()


def _of_hidden(hidden: Sequence["Described"]) -> list[str]:
    kinds = Counter(KINDS.get(c.kind, c.kind) for c in hidden)
    told = ", ".join(f"{n:,} {kind}" for kind, n in kinds.items())
    gaps = sum(c.n_missing for c in hidden)
    missing = f"; {counted(gaps, 'cell')} missing" if gaps else ""
    lines = [f"… {len(hidden):,} more columns ({told}{missing})"]
    odd = [f"{shown(c.name)}: {printable(c.remarks[0])}" for c in hidden if c.remarks]
    return lines + _wrapped(as_options(listed(odd)), "    ")


def _cells(column: "Described") -> str:
    ends = _ends(column)
    if ends is None:
        return ""
    if column.is_number:
        told = dict.fromkeys(ends) if column.n_distinct == 1 else ends
        return " – ".join(map(_number, told))
    if column.kind == "date":
        return f"{shown(ends[0][:10])} … {shown(ends[-1][:10])}"
    if column.n_distinct <= 3:
        few = ", ".join(shown(word) for word in column.words[:3])  # type: ignore[index]
        if len(few) <= 24:
            return few
    return f"{column.n_distinct:,} different"


def _number(number: float) -> str:
    """A number in a few letters: without a power of ten if it is neither."""
    return f"{number:.0f}" if 1e4 <= abs(number) < 1e7 else f"{number:.4g}"


def _ends(column: "Described") -> list[Any] | None:
    """Least, middle and largest number; first and last date."""
    import numpy as np

    if column.numbers is not None:
        known = column.numbers[~np.isnan(column.numbers)]
        return [float(known.min()), float(np.median(known)), float(known.max())]
    if column.kind == "date" and column.words is not None:
        return [str(min(column.words)), str(max(column.words))]
    return None if column.words is None else []


# what next ----------------------------------------------------------------------------


def _what_next(file: Path, guess: "Guess", said: TableSpec) -> list[str]:
    name = f"./{file}" if str(file).startswith("-") and str(file) != "-" else str(file)
    fit, compare = ("incerta", "fit", name), ("incerta", "compare", name)
    why = printable(as_options(guess.doubt))
    notes = [line for note in guess.notes for line in _wrapped(as_options(note))]
    if not guess.readings:
        return [*_wrapped(f"What the columns mean cannot be guessed: {why}"), *notes]
    if not guess.is_clear:
        lines = _wrapped(f"Not clear: {why}")
        return [*lines, *notes, "", "Choose:", offers(guess, said, fit)]
    reading = guess.readings[0]
    lines = _wrapped(f"Reading it as: {printable(reading.means)}.") + notes
    if guess.objects:
        lines = [*_wrapped(f"{printable(guess.objects)}."), *lines]
    lines += ["", "Next:"]
    told: list[tuple[Sequence[str], Sequence[str]]] = [(fit, ())]
    if guess.classes:
        told.append((compare, ("--truth", guess.classes[0])))
    for words, truth in told:
        command = command_for(reading, said, words, *truth)
        if sum(map(len, command)) > LONGEST_COMMAND:  # it will be guessed again
            command = [*words, *truth]
        lines.append(f"  {on_lines(command)}")
    return lines


def _wrapped(text: str, indent: str = "") -> list[str]:
    return textwrap.wrap(
        text,
        WIDTH,
        initial_indent=indent,
        subsequent_indent=indent,
        break_on_hyphens=False,
    )
