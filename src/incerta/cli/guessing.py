"""Columns that the options do not name, guessed; and what is said about that."""

import shlex
import textwrap
from collections.abc import Sequence
from dataclasses import fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from incerta.cli.columns import Columns
from incerta.cli.options import KINDS
from incerta.cli.summary import WIDTH, echo, say
from incerta.cli.wording import as_options
from incerta.wording import printable

if TYPE_CHECKING:
    from incerta.data.files.profile import Profile
    from incerta.data.guess.readings import Guess, Reading

MOST_NAMES = 12  # of a list that is shown whole


def completed(
    columns: Columns,
    path: Path,
    *,
    command: Sequence[str],
    truth: str | None = None,
    quiet: bool = False,
) -> Columns:
    """Return the columns that were said, or guess what was not.

    Nothing is guessed if the values were said: then all else was, too.

    Parameters
    ----------
    columns : Columns
        What the options say.
    path : Path
        The table.
    command : sequence of str
        The command and its file, for others to copy: ``("incerta", "fit", "a.csv")``.
    truth : str, optional
        A column of classes.
    quiet : bool
        Say nothing about a guess that is clear.
    """
    if columns.values:
        return columns
    _, found = profiled(path, columns, truth)
    if not found.is_clear:
        _refuse(found, columns, command)
    reading = found.readings[0]
    lacking = unknown_in(reading)
    if lacking:
        echo(f"Error: {lacking} is not known to this version.", err=True)
        raise typer.Exit(2)
    chosen = as_columns(reading, columns)
    if not quiet:
        _tell(found, _shortened(reading))
    return chosen


def profiled(
    path: Path, columns: Columns, truth: str | None = None
) -> tuple["Profile", "Guess"]:
    """What is in a file, and what its columns may be."""
    from incerta.data.files.formats import Part
    from incerta.data.files.profile import profile
    from incerta.data.guess.guess import guess

    of_file = ("sep", "decimal", "encoding", "na", "sheet", "layers", "sql")
    said = {name: given for name, given in vars(columns).items() if name not in of_file}
    part = Part.of(columns.sheet, columns.layers, columns.sql)
    found = profile(path, columns.written(), part)
    return found, guess(found.columns, {**said, "truth": truth}, found.names)


def as_columns(reading: "Reading", said: Columns) -> Columns:
    """A reading as options, besides those that were said."""
    known = {field.name for field in fields(Columns)}
    guessed = {name: given for name, given in reading.said().items() if name in known}
    return replace(said, **guessed)


def unknown_in(reading: "Reading") -> str:
    """What a reading needs that has no option."""
    known = {field.name for field in fields(Columns)}
    names = [f"--{name}" for name in reading.said() if name not in known]
    if reading.kind not in (None, *KINDS):
        names.append(f"--kind {reading.kind}")
    return " ".join(names)


def command_for(
    reading: "Reading", said: Columns, words: Sequence[str], *more: str
) -> list[str]:
    """The words of the command that reads a table so."""
    known = {field.name for field in fields(Columns)}
    unknown = [
        word
        for name, given in reading.said().items()
        if name not in known
        for word in (f"--{name}", str(given))
    ]
    return [*words, *as_columns(reading, said).arguments(), *unknown, *more]


def offers(found: "Guess", said: Columns, words: Sequence[str]) -> str:
    """Commands to choose from, each with what it means."""
    lines = []
    for reading in found.readings:
        lines.append(f"  {on_lines(command_for(reading, said, words))}")
        lines += textwrap.wrap(
            f"({reading.means})",
            WIDTH,
            initial_indent="      ",
            subsequent_indent="      ",
        )
    return "\n".join(lines)


def on_lines(words: Sequence[str]) -> str:
    """A command to be copied, on several lines if it is long."""
    parts: list[str] = []  # options with what follows them
    for word in words:
        quoted = printable(shlex.quote(word))
        if not parts or word.startswith("--"):
            parts.append(quoted)
        else:
            parts[-1] += f" {quoted}"
    lines = [parts[0]]
    for part in parts[1:]:
        if len(lines[-1]) + len(part) + 10 <= WIDTH:  # indent, and a mark at the end
            lines[-1] += f" {part}"
        else:
            lines.append(part)
    return " \\\n      ".join(lines)


def _refuse(found: "Guess", said: Columns, words: Sequence[str]) -> None:
    why = printable(as_options(found.doubt))
    if not found.readings:
        say(f"Error: the columns cannot be guessed: {why}")
        info = shlex.join(["incerta", "info", words[2]])
        say(f"Name them with --values; {info} shows them.")
    else:
        say(f"Error: it is not clear what the columns are: {why}")
        echo(f"Choose:\n{offers(found, said, words)}", err=True)
    raise typer.Exit(2)


def _tell(found: "Guess", options: str) -> None:
    say(f"Guessed: {options}. Say otherwise with these options.")
    apart = [name for name in found.left_out if name not in found.classes]
    if apart:
        told = [f"{printable(name)} ({found.left_out[name]})" for name in apart]
        say(f"Left out: {listed(told)}.")
    for note in found.notes:
        say(f"Note: {note}")


def _shortened(reading: "Reading") -> str:
    """The options of a guess, without the end of long lists."""
    short = replace(reading, values=_few(reading.values), errors=_few(reading.errors))
    return printable(shlex.join(command_for(short, Columns(), ())))


def _few(names: tuple[str, ...]) -> tuple[str, ...]:
    if len(names) <= MOST_NAMES:
        return names
    return (*names[:3], f"…{len(names) - 4} more…", names[-1])


def listed(told: Sequence[str]) -> str:
    """A list, without the end if it is long."""
    if len(told) <= MOST_NAMES:
        return ", ".join(told)
    return f"{', '.join(told[:MOST_NAMES])} and {len(told) - MOST_NAMES:,} more"


def as_json(reading: "Reading", said: Columns, words: Sequence[str]) -> dict[str, Any]:
    """A reading for programs."""
    command = shlex.join(command_for(reading, said, words))
    return {**reading.said(), "means": reading.means, "command": command}
