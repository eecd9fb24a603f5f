"""Columns that the options do not name, guessed; and what is said about that."""

import shlex
import textwrap
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import typer

from incerta.cli.summary import WIDTH, echo, say
from incerta.cli.wording import as_options
from incerta.data.tables.spec import TableSpec
from incerta.wording import printable

if TYPE_CHECKING:
    from incerta.data.files.opened import OpenTable
    from incerta.data.guess.readings import Guess, Reading

MOST_NAMES = 12  # of a list that is shown whole


def completed(
    table: "OpenTable",
    *,
    command: Sequence[str],
    truth: str | None = None,
    quiet: bool = False,
) -> TableSpec:
    """What was said about a table, or else a guess, if it is clear.

    Nothing is guessed if the values were said: then all else was, too.

    Parameters
    ----------
    table : OpenTable
        The table.
    command : sequence of str
        The command and its file, for others to copy: ``("incerta", "fit", "a.csv")``.
    truth : str, optional
        A column of classes.
    quiet : bool
        Say nothing about a guess that is clear.
    """
    if table.spec.values:
        return table.spec
    guess = table.guess(truth)
    if not guess.is_clear:
        _refuse(guess, table.spec, command)
    reading = guess.readings[0]
    if not quiet:
        _tell(guess, _shortened(reading))
    return with_reading(table.spec, reading)


def with_reading(spec: TableSpec, reading: "Reading") -> TableSpec:
    """What was said, and what was guessed."""
    return TableSpec(**(spec.said() | reading.said()))


def command_for(
    reading: "Reading", spec: TableSpec, words: Sequence[str], *more: str
) -> list[str]:
    """The words of the command that reads a table so."""
    return [*words, *with_reading(spec, reading).to_options(), *more]


def offers(found: "Guess", said: TableSpec, words: Sequence[str]) -> str:
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


def _refuse(found: "Guess", said: TableSpec, words: Sequence[str]) -> None:
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
    if found.objects:
        say(f"{found.objects}.")
    say(f"Guessed: {options}. Say otherwise with these options.")
    apart = [name for name in found.left_out if name not in found.classes]
    if apart:
        told = [f"{printable(name)} ({found.left_out[name]})" for name in apart]
        say(as_options(f"Left out: {listed(told)}."))
    for note in found.notes:
        say(as_options(f"Note: {note}"))


def _shortened(reading: "Reading") -> str:
    """The options of a guess, without the end of long lists."""
    short = replace(
        reading, values=_few(reading.values), errors=_few(tuple(reading.errors))
    )
    return printable(shlex.join(command_for(short, TableSpec(), ())))


def _few(names: tuple[str, ...]) -> tuple[str, ...]:
    if len(names) <= MOST_NAMES:
        return names
    return (*names[:3], f"…{len(names) - 4} more…", names[-1])


def listed(told: Sequence[str]) -> str:
    """A list, without the end if it is long."""
    if len(told) <= MOST_NAMES:
        return ", ".join(told)
    return f"{', '.join(told[:MOST_NAMES])} and {len(told) - MOST_NAMES:,} more"


def as_json(
    reading: "Reading", said: TableSpec, words: Sequence[str]
) -> dict[str, Any]:
    """A reading for programs."""
    command = shlex.join(command_for(reading, said, words))
    return {**reading.said(), "means": reading.means, "command": command}
