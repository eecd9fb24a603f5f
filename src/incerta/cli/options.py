"""Options that several commands share, and what may be said with them."""

from collections.abc import Callable, Mapping, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import Annotated, Any, NoReturn

import typer

from incerta.data.tables.spec import LISTS, OPTIONS
from incerta.estimators.named import spelled

FORMATS = ("csv", "parquet", "json")
WORDS = {"true": True, "false": False, "none": None}


def refuse(option: str, why: str) -> NoReturn:
    """Raise for an option that cannot be followed."""
    raise typer.BadParameter(why, param_hint=f"'{option}'")


def option(
    names: str,
    help: str,
    metavar: str | None = None,
    choices: tuple[str, ...] = (),
    **more: Any,
) -> Any:
    """An option by its names, separated by spaces; with choices, one of these."""
    if choices:
        checks = {"callback": one_of(choices), "autocompletion": starting_as(choices)}
        more = checks | more
    return typer.Option(*names.split(), help=help, metavar=metavar, **more)


def argument(metavar: str, help: str) -> Any:
    """An argument, which has no default that help would show."""
    return typer.Argument(metavar=metavar, help=help, show_default=False)


def place(metavar: str, help: str, names: str = "-o --output") -> Any:
    """An option that is a file or a folder, which an empty text is not."""
    return option(names, help, metavar, parser=_as_path)


def _as_path(value: str) -> Path:
    if not value:
        msg = "it is empty."
        raise typer.BadParameter(msg)
    return Path(value)


def one_of(known: tuple[str, ...]) -> Callable[[str | None], str | None]:
    """Make the check that an option is one of these, in upper or lower case."""

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
    """Make the check that an option lists some of these, separated by commas."""
    check = one_of(known)

    def check_all(value: str) -> str:
        names = dict.fromkeys(check(name.strip()) for name in value.split(","))
        return ",".join(name for name in names if name is not None)

    return check_all


def starting_as(known: tuple[str, ...]) -> Callable[[str], list[str]]:
    """Make the function that a shell calls to complete a word."""

    def complete(incomplete: str) -> list[str]:
        begun = incomplete.lower()
        return [name for name in known if name.lower().startswith(begun)]

    return complete


def _whole_or_auto(value: str) -> int | str:
    if value == "auto":
        return value
    if not value.isdecimal() or int(value) < 1:
        msg = f"{value!r} is neither a whole number of at least 1 nor auto."
        raise typer.BadParameter(msg)
    return int(value)


def of_table(name: str, help: str | None = None) -> Any:
    """The option of a field of `TableSpec`, as typer takes it."""
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
    str,  # which typer needs; a number is one when commands get it
    option(
        "-k",
        "Number of clusters; auto chooses among 1 to 30.",
        "N|auto",
        callback=_whole_or_auto,
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
Seed = Annotated[int, option("--seed", "Seed of everything random.", "N", min=0)]
Scale = Annotated[
    bool, option("--scale/--no-scale", "Bring all features to one scale first.")
]
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


# parameters of methods ----------------------------------------------------------------


def parsed(texts: Sequence[str] | None) -> dict[str, Any]:
    """Parameters from ``name=value``.

    Values are numbers, true, false and none, in upper or lower case; all else is text.
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
    """Parameters of each method.

    ``METHOD.name`` is for one method, and goes first; ``name`` for all that have it.
    """
    for_all: dict[str, dict[str, Any]] = {method: {} for method in methods}
    for_one: dict[str, dict[str, Any]] = {method: {} for method in methods}
    if not params:
        return for_all
    from incerta.api.methods import asked, parameters_of

    known = {method: parameters_of(asked(method)) for method in methods}
    for name, value in params.items():
        prefix, dot, short = name.partition(".")
        if dot:
            method = spelled(prefix)
            if method not in for_one:
                why = f"{prefix!r} is not among the methods: {', '.join(methods)}."
                refuse("--param", why)
            check(method, {short: value})
            for_one[method][short] = value
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
            for_all[method][name] = value
    return {method: for_all[method] | for_one[method] for method in methods}
