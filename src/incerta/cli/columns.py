"""A table: its file, the options that describe it, and a guess where they are left."""

import inspect
import shlex
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from incerta.backend.writing import passing
from incerta.cli import options
from incerta.cli.say import WIDTH, as_options, echo, say, wrapped
from incerta.data.tables.spec import OPTIONS, TableSpec
from incerta.exceptions import DataError, FileError
from incerta.wording import printable

if TYPE_CHECKING:
    from incerta.data.files.opened import OpenTable
    from incerta.data.guess.readings import Guess, Reading

STDIN = Path("-")
ALL = {name: options.of_table(name) for name in OPTIONS}
MOST_NAMES = 12  # of a list that is shown whole


def takes_columns(
    command: Callable[..., None], known: Mapping[str, Any] = ALL
) -> Callable[..., None]:
    """Give a command the options of `TableSpec`, which it takes as ``columns``."""
    keyword = inspect.Parameter.KEYWORD_ONLY
    order = []
    for name, parameter in inspect.signature(command).parameters.items():
        if name != "columns":
            order.append(parameter.replace(kind=keyword))
            continue
        for field, option in known.items():
            order.append(
                inspect.Parameter(field, keyword, default=None, annotation=option)
            )

    @wraps(command)
    def with_options(**given: Any) -> None:
        try:
            columns = TableSpec.of_options(**{name: given.pop(name) for name in known})
        except DataError as error:
            raise typer.BadParameter(as_options(str(error))) from error
        command(columns=columns, **given)

    # Typer reads both.
    with_options.__signature__ = inspect.Signature(order)  # type: ignore[attr-defined]
    with_options.__annotations__ = {each.name: each.annotation for each in order}
    return with_options


@contextmanager
def on_disk(file: Path) -> Iterator[Path]:
    """A file to read: the one that was named, or one with what comes from stdin."""
    if file != STDIN:
        yield file
        return
    with passing(Path(tempfile.mkdtemp(prefix="incerta-"))) as folder:
        path = folder / "stdin.csv"
        with path.open("wb") as copy:
            shutil.copyfileobj(sys.stdin.buffer, copy)
        try:
            yield path
        except (DataError, FileError) as error:
            raise type(error)(str(error).replace(str(path), "stdin")) from error


def completed(
    table: "OpenTable",
    command: str,
    file: Path,
    *,
    truth: str | None = None,
    quiet: bool = False,
) -> TableSpec:
    """The options about a table, or else a guess, if it is clear.

    Nothing is guessed if the values were named: then all else was, too. `truth` is a
    column of classes; the command and the name of the file are for others to copy.
    """
    if table.spec.values:
        return table.spec
    guess = table.guess(truth)
    if not guess.is_clear:
        _refuse(guess, table.spec, ("incerta", command, str(file)))
    if not quiet:
        _tell(guess)
    return with_reading(table.spec, guess.readings[0])


def with_reading(spec: TableSpec, reading: "Reading") -> TableSpec:
    """What was said, and what was guessed."""
    return TableSpec(**(spec.said() | reading.said()))


def command_for(
    reading: "Reading", spec: TableSpec, words: Sequence[str], *more: str
) -> list[str]:
    """The words of the command that reads a table so."""
    return [*words, *with_reading(spec, reading).to_options(), *more]


def offers(guess: "Guess", spec: TableSpec, words: Sequence[str]) -> list[str]:
    """Commands to choose from, each with what it means, in lines."""
    lines = ["Choose:"]
    for reading in guess.readings:
        lines.append(f"  {on_lines(command_for(reading, spec, words))}")
        lines += wrapped(f"({reading.means})", "      ")
    return lines


def as_argument(file: Path) -> str:
    """The name of a file such that it is not read as an option."""
    return f"./{file}" if str(file).startswith("-") and file != STDIN else str(file)


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


def _refuse(guess: "Guess", spec: TableSpec, words: Sequence[str]) -> None:
    doubt = as_options(guess.doubt)
    if guess.readings:
        say(f"Error: it is not clear what the columns are: {doubt}")
        echo("\n".join(offers(guess, spec, words)), err=True)
    else:
        say(f"Error: the columns cannot be guessed: {doubt}")
        info = shlex.join(["incerta", "info", words[2]])
        say(f"Name them with --values; {info} shows them.")
    raise typer.Exit(2)


def _tell(guess: "Guess") -> None:
    """Say what was guessed, without the end of long lists."""
    if guess.objects:
        say(f"{guess.objects}.")
    reading = guess.readings[0]
    short = replace(
        reading, values=_few(reading.values), errors=_few(tuple(reading.errors))
    )
    chosen = shlex.join(command_for(short, TableSpec(), ()))
    say(f"Guessed: {chosen}. Say otherwise with these options.")
    left_out = guess.left_out.items()
    if others := [f"{n} ({why})" for n, why in left_out if n not in guess.classes]:
        say(as_options(f"Left out: {listed(others)}."))
    for note in guess.notes:
        say(as_options(f"Note: {note}"))


def _few(names: tuple[str, ...]) -> tuple[str, ...]:
    if len(names) <= MOST_NAMES:
        return names
    return (*names[:3], f"…{len(names) - 4} more…", names[-1])


def listed(texts: Sequence[str]) -> str:
    """A list, without the end if it is long."""
    if len(texts) <= MOST_NAMES:
        return ", ".join(texts)
    return f"{', '.join(texts[:MOST_NAMES])} and {len(texts) - MOST_NAMES:,} more"
