"""Options shared by several commands, and guesses of options about a table."""

import inspect
import shlex
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from difflib import get_close_matches
from functools import wraps
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from incerta.backend.writing import passing
from incerta.cli.output import (
    FORMATS,
    STDIN,
    WIDTH,
    echo,
    refuse,
    say,
    shown,
    wrapped,
)
from incerta.data.tables.spec import LISTS, OPTIONS, TableSpec
from incerta.estimators.named import spelled
from incerta.exceptions import DataError, FileError
from incerta.wording import printable

if TYPE_CHECKING:
    from incerta.api.check import Known
    from incerta.data.container import UncertainData
    from incerta.data.files.opened import OpenTable
    from incerta.data.guess.guess import Guess, Reading

WORDS = {"true": True, "false": False, "none": None}
MOST_NAMES = 12  # longest list shown in full


def option(
    names: str,
    help: str,
    metavar: str | None = None,
    choices: tuple[str, ...] = (),
    **more: Any,
) -> Any:
    """Return an option from its names, separated by spaces, and its choices."""
    if choices:
        checks = {"callback": one_of(choices), "autocompletion": starting_as(choices)}
        more = checks | more
    return typer.Option(*names.split(), help=help, metavar=metavar, **more)


def argument(metavar: str, help: str) -> Any:
    """Return an argument whose default is not shown in the help."""
    return typer.Argument(metavar=metavar, help=help, show_default=False)


def place(metavar: str, help: str, names: str = "-o --output") -> Any:
    """Return an option for a file or a folder; empty text is refused."""
    return option(names, help, metavar, parser=_as_path)


def _as_path(value: str) -> Path:
    if not value:
        msg = "it is empty."
        raise typer.BadParameter(msg)
    return Path(value)


def one_of(known: tuple[str, ...]) -> Callable[[str | None], str | None]:
    """Return a check that an option is one of these, in upper or lower case."""

    def check(value: str | None) -> str | None:
        if value is None:
            return None
        name = {name.lower(): name for name in known}.get(value.lower())
        if name is None:
            msg = f"{value!r} is not one of {', '.join(known)}."
            raise typer.BadParameter(msg)
        return name

    return check


def some_of(known: tuple[str, ...]) -> Callable[[str], str]:
    """Return a check that an option lists some of these, separated by commas."""
    check = one_of(known)

    def check_all(value: str) -> str:
        names = dict.fromkeys(check(name.strip()) for name in value.split(","))
        return ",".join(name for name in names if name is not None)

    return check_all


def starting_as(known: tuple[str, ...]) -> Callable[[str], list[str]]:
    """Return the function that a shell calls to complete a word."""

    def complete(incomplete: str) -> list[str]:
        begun = incomplete.lower()
        return [name for name in known if name.lower().startswith(begun)]

    return complete


def whole_or_auto(value: str) -> int | str:
    """Accept a whole number from 1, or auto."""
    if value == "auto":
        return value
    if not value.isdecimal() or int(value) < 1:
        msg = f"{value!r} is neither a whole number of at least 1 nor auto."
        raise typer.BadParameter(msg)
    return int(value)


def of_table(name: str, help: str | None = None) -> Any:
    """Return the typer option of a field of `TableSpec`."""
    field, is_list = OPTIONS[name], name in LISTS
    kind: Any = bool if field.flags else list[str] if is_list else str
    flags = "/".join(field.flags) or f"--{name}"
    metavar = None if field.flags else field.metavar
    return Annotated[
        kind | None, option(flags, help or field.help, metavar, field.choices)
    ]


_PARAM = "may be repeated: numbers, true, false, none or words."
_FORMAT = "Format of the table: csv, parquet or json."

File = Annotated[
    Path,
    argument(
        "FILE",
        "Table: csv, tsv, xlsx, ods, JSON, parquet, arrow, netCDF, FITS, VOTable, "
        "h5ad; - is csv from stdin.",
    ),
]
Clusters = Annotated[
    str,  # typer needs a string; commands get a number or auto
    option(
        "-k",
        "Number of clusters; auto chooses among 1 to 30.",
        "N|auto",
        callback=whole_or_auto,
    ),
]
Param = Annotated[
    list[str] | None,
    option(
        "--param", f"Parameter of the method, such as eps=0.3; {_PARAM}", "NAME=VALUE"
    ),
]
ParamOfSome = Annotated[
    list[str] | None,
    option(
        "--param",
        f"Parameter of a method, or of all that have it; {_PARAM}",
        "[METHOD.]NAME=VALUE",
    ),
]
Folder = Annotated[
    Path | None,
    place(
        "DIR",
        "Folder for the table and all other files. Without it, or with -, the "
        "table goes to stdout.",
    ),
]
Report = Annotated[bool, option("--report", "Also write report.html to the folder.")]
Seed = Annotated[int, option("--seed", "Random seed.", "N", min=0, max=2**32 - 1)]
Scale = Annotated[bool, option("--scale/--no-scale", "Scale all features first.")]
InDirections = Annotated[
    bool,
    option(
        "--directions/--no-directions",
        "Compare objects of wide tables in the few directions in which they differ by "
        "more than errors and noise.",
    ),
]
Quiet = Annotated[bool, option("--quiet -q", "Print nothing but errors on stderr.")]
Spreadsheet = Annotated[
    bool,
    option(
        "--spreadsheet",
        "Write csv that is safe to open in a spreadsheet: ids that it would run as "
        "formulas get a ' before them.",
    ),
]
Format = Annotated[str, option("--format", _FORMAT, "FORMAT", FORMATS)]
FormatIfNamed = Annotated[
    str | None,
    option(
        "--format",
        f"{_FORMAT} By default as the file name says, else csv.",
        "FORMAT",
        FORMATS,
    ),
]


def parsed(texts: Sequence[str] | None) -> dict[str, Any]:
    """Parse parameters given as ``name=value``.

    Numbers, true, false and none, in upper or lower case, are converted; the rest is
    text.
    """
    params: dict[str, Any] = {}
    for text in texts or ():
        name, equals, value = (part.strip() for part in text.partition("="))
        if not name or not equals:
            refuse("--param", f"{text!r} is not NAME=VALUE, such as eps=0.3.")
        if name in params:
            refuse("--param", f"{name!r} is given twice.")
        params[name] = _value_of(value)
    return params


def _value_of(text: str) -> Any:
    if text.lower() in WORDS:
        return WORDS[text.lower()]
    for number in (int, float):
        try:
            return number(text)
        except ValueError:
            continue
    return text


def check(method: str, params: Mapping[str, Any]) -> None:
    """Refuse parameters that a method does not have."""
    from incerta.api.methods import asked

    try:
        asked(method, params)
    except ValueError as error:
        refuse("--param", str(error).removeprefix("params: "))


def for_each(
    params: Mapping[str, Any], methods: Sequence[str]
) -> dict[str, dict[str, Any]]:
    """Return the parameters of each method.

    ``METHOD.name`` is for one method, and ``name`` for all methods that have it.
    """
    of_each: dict[str, dict[str, Any]] = {method: {} for method in methods}
    if not params:
        return of_each
    from incerta.api.methods import asked, parameters_of

    known = {method: parameters_of(asked(method)) for method in methods}
    # Parameters of one method override those of all methods.
    for name, value in sorted(params.items(), key=lambda item: "." in item[0]):
        prefix, dot, short = name.partition(".")
        if dot:
            method = spelled(prefix)
            if method not in of_each:
                why = f"{prefix!r} is not among the methods: {', '.join(methods)}."
                refuse("--param", why)
            check(method, {short: value})
            of_each[method][short] = value
            continue
        having = [method for method in methods if name in known[method]]
        if not having:
            names = sorted(
                {each for parameters in known.values() for each in parameters}
            )
            near = get_close_matches(name, names, 1)
            hint = f" Did you mean {near[0]!r}?" if near else ""
            why = f"no method has a parameter {name!r}.{hint} They have "
            refuse("--param", f"{why}{', '.join(names)}.")
        for method in having:
            of_each[method][name] = value
    return of_each


def takes_columns(
    command: Callable[..., None], known: Mapping[str, Any] | None = None
) -> Callable[..., None]:
    """Give a command the options of `TableSpec`, as its argument ``columns``."""
    keyword = inspect.Parameter.KEYWORD_ONLY
    known = known or {name: of_table(name) for name in OPTIONS}
    taken = [
        inspect.Parameter(name, keyword, default=None, annotation=option)
        for name, option in known.items()
    ]
    order: list[inspect.Parameter] = []
    for each in inspect.signature(command).parameters.values():
        order += taken if each.name == "columns" else [each.replace(kind=keyword)]

    @wraps(command)
    def with_options(**given: Any) -> None:
        try:
            columns = TableSpec.of_options(**{name: given.pop(name) for name in known})
        except DataError as error:
            raise typer.BadParameter(str(error)) from error
        command(columns=columns, **given)

    # typer reads both
    with_options.__signature__ = inspect.Signature(order)  # type: ignore[attr-defined]
    with_options.__annotations__ = {each.name: each.annotation for each in order}
    return with_options


@contextmanager
def on_disk(file: Path) -> Iterator[Path]:
    """Yield the file to read: the file itself, or a copy of stdin."""
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
    """Return the description of a table, completed by a guess if the guess is clear.

    Nothing is guessed if the values are named. `truth` is a column of classes; the name
    of the command and the file are for the commands to copy.
    """
    if table.spec.values:
        return table.spec
    guess = table.guess(truth)
    if not guess.is_clear:
        doubt = guess.doubt
        if guess.readings:
            say(f"Error: it is not clear what the columns are: {doubt}")
            words = ("incerta", command, str(file))
            echo("\n".join(offers(guess, table.spec, words)), err=True)
        else:
            say(f"Error: the columns cannot be guessed: {doubt}")
            info = shlex.join(["incerta", "info", str(file)])
            say(f"Name them with --values; {info} shows them.")
        raise typer.Exit(2)
    if not quiet:
        _tell(guess)
    return with_reading(table.spec, guess.readings[0])


def labeled(
    file: Path,
    columns: TableSpec,
    name: str | None,
    command: str,
    option: str,
    *,
    quiet: bool,
) -> tuple[TableSpec, "UncertainData", "Known"]:
    """Read objects and their classes; columns that are not named are guessed.

    `option` names the column of classes.
    """
    from incerta.api.check import known_classes
    from incerta.data.files.opened import OpenTable

    with on_disk(file) as path:
        # To find the classes, the whole table must be parsed.
        table = OpenTable(
            path, replace(columns, values=()) if name is None else columns
        )
        if name is None:
            name = _guessed(table, columns, option, quiet=quiet)
        if not columns.values:
            columns = completed(table, command, file, truth=name, quiet=quiet)
        of_errors = chain.from_iterable(columns.error_columns or ())
        if name in (columns.id, *columns.values, *of_errors):
            why = f"{name!r} is an id, a value or an error; name another column."
            refuse(option, why)
        data = table.data(columns)
        known = known_classes(table, columns, name, data, option.removeprefix("--"))
    if known is None:
        refuse(option, f"there is no column {name!r}.")
    return columns, data, known


def absent_in(known: "Known") -> str:
    """List, in brackets, the words in the column that mean no class."""
    words = ", ".join("empty" if not w else shown(w) for w in known.absent)
    return f" ({words})" if words else ""


def _guessed(
    table: "OpenTable", columns: TableSpec, option: str, *, quiet: bool
) -> str:
    """Find the one column that obviously holds classes, or refuse."""
    taken, left_out = {*columns.values, columns.id}, table.guess().left_out.items()
    names = [n for n, why in left_out if why == "classes" and n not in taken]
    if len(names) != 1:
        many = f"it may be {listed(list(map(printable, names)))}; "
        why = f"{many if names else ''}name the column of the classes."
        refuse(option, why)
    if not quiet:
        say(f"Guessed: {option} {names[0]}.")
    return names[0]


def with_reading(spec: TableSpec, reading: "Reading") -> TableSpec:
    """Complete the user's description by a guess."""
    return TableSpec(**(spec.said() | reading.said()))


def command_for(
    reading: "Reading", spec: TableSpec, words: Sequence[str], *more: str
) -> list[str]:
    """Return the words of the command that reads a table this way."""
    return [*words, *with_reading(spec, reading).to_options(), *more]


def offers(guess: "Guess", spec: TableSpec, words: Sequence[str]) -> list[str]:
    """Return lines with commands to choose from, and their meanings."""
    lines = ["Choose:"]
    for reading in guess.readings:
        lines.append(f"  {on_lines(command_for(reading, spec, words))}")
        lines += wrapped(f"({reading.means})", "      ")
    return lines


def as_argument(file: Path) -> str:
    """Return a file name that cannot be read as an option."""
    return f"./{file}" if str(file).startswith("-") and file != STDIN else str(file)


def on_lines(words: Sequence[str]) -> str:
    """Format a command for copying, on several lines if needed."""
    parts: list[str] = []  # options with their values
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


def _tell(guess: "Guess") -> None:
    """Print the guess, with long lists shortened."""
    if guess.objects:
        say(f"{guess.objects}.")
    reading = guess.readings[0]
    short = replace(
        reading, values=_few(reading.values), errors=_few(tuple(reading.errors))
    )
    chosen = shlex.join(command_for(short, TableSpec(), ()))
    say(f"Guessed: {chosen}. Use these options to change that.")
    left_out = guess.left_out.items()
    if others := [f"{n} ({why})" for n, why in left_out if n not in guess.classes]:
        say(f"Left out: {listed(others)}.")
    for note in guess.notes:
        say(f"Note: {note}")


def _few(names: tuple[str, ...]) -> tuple[str, ...]:
    if len(names) <= MOST_NAMES:
        return names
    return (*names[:3], f"…{len(names) - 4} more…", names[-1])


def listed(texts: Sequence[str]) -> str:
    """Join a list, shortened if it is long."""
    if len(texts) <= MOST_NAMES:
        return ", ".join(texts)
    return f"{', '.join(texts[:MOST_NAMES])} and {len(texts) - MOST_NAMES:,} more"
