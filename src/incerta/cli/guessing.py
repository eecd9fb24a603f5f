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
from incerta.cli.summary import WIDTH, printable, say

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
        typer.echo(f"Error: {lacking} is not known to this version.", err=True)
        raise typer.Exit(2)
    chosen = as_columns(reading, columns)
    if not quiet:
        _tell(found, _shortened(reading, columns))
    return chosen


def profiled(
    path: Path, columns: Columns, truth: str | None = None
) -> tuple["Profile", "Guess"]:
    """What is in a file, and what its columns may be."""
    from incerta.data.files.profile import profile
    from incerta.data.guess.guess import guess

    of_text = ("sep", "decimal", "encoding", "na")
    said = {name: given for name, given in vars(columns).items() if name not in of_text}
    found = profile(path, columns.written())
    return found, guess(found.columns, {**said, "truth": truth})


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


def command_for(reading: "Reading", said: Columns, words: Sequence[str]) -> str:
    """The command that reads a table so, to be copied."""
    known = {field.name for field in fields(Columns)}
    more = [
        word
        for name, given in reading.said().items()
        if name not in known
        for word in (f"--{name}", str(given))
    ]
    said_all = as_columns(reading, said).arguments()
    return printable(shlex.join([*words, *said_all, *more]))


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


def on_lines(command: str) -> str:
    """A command that may be longer than a line, as shells take it."""
    return " \\\n      ".join(_filled(command.split(" --")))


def _filled(parts: Sequence[str]) -> list[str]:
    """Lines of whole options; the first parts begin without dashes."""
    lines = [parts[0]]
    for part in parts[1:]:
        longer = f"{lines[-1]} --{part}"
        if len(longer) + 8 <= WIDTH:
            lines[-1] = longer
        else:
            lines.append(f"--{part}")
    return lines


def _refuse(found: "Guess", said: Columns, words: Sequence[str]) -> None:
    why = printable(found.doubt)
    if not found.readings:
        say(f"Error: the columns cannot be guessed: {why}")
        say(
            f"Name them with --values; {shlex.join(['incerta', 'info', words[2]])} shows them."
        )
    else:
        say(f"Error: it is not clear what the columns are: {why}")
        typer.echo(f"Choose:\n{offers(found, said, words)}", err=True)
    raise typer.Exit(2)


def _tell(found: "Guess", options: str) -> None:
    say(f"Guessed: {options}. Say otherwise with these options.")
    apart = [name for name in found.left_out if name not in found.classes]
    if apart:
        told = [f"{printable(name)} ({found.left_out[name]})" for name in apart]
        say(f"Left out: {listed(told)}.")
    for note in found.notes:
        say(f"Note: {note}")


def _shortened(reading: "Reading", said: Columns) -> str:
    """The options of a guess, without the end of long lists."""
    few = {
        name: _few(given)
        for name, given in reading.said().items()
        if isinstance(given, tuple)
    }
    return command_for(replace(reading, **few), Columns(), ()) or str(said)


def _few(names: tuple[str, ...]) -> tuple[str, ...]:
    if len(names) <= MOST_NAMES:
        return names
    return (*names[:3], f"…{len(names) - 4} more…", names[-1])


def listed(told: Sequence[str]) -> str:
    """A list, without the end if it is long."""
    if len(told) <= MOST_NAMES:
        return ", ".join(told)
    return f"{', '.join(told[:MOST_NAMES])} and {len(told) - MOST_NAMES:,} more"


def as_json(reading: "Reading", command: str) -> dict[str, Any]:
    """A reading for programs."""
    return {**reading.said(), "means": reading.means, "command": command}
