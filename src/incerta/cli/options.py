"""Options that several commands share, and what may be said with them."""

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, NoReturn

import typer

from incerta.data.tables.spec import LISTS, OPTIONS

FORMATS = ("csv", "parquet", "json")


def refuse(option: str, why: str) -> NoReturn:
    """Raise for an option that cannot be followed."""
    raise typer.BadParameter(why, param_hint=f"'{option}'")


def one_of(known: tuple[str, ...]) -> Callable[[str | None], str | None]:
    """Make the check that an option is one of these, in upper or lower case."""

    def check(value: str | None) -> str | None:
        if value is None:
            return None
        found = {name.lower(): name for name in known}.get(value.lower())
        if found is None:
            msg = f"{value!r} is not one of {', '.join(known)}."
            raise typer.BadParameter(msg)
        return found

    return check


def place(value: str) -> Path:
    """Take the name of a file or folder, which an empty text is not."""
    if not value:
        msg = "it is empty."
        raise typer.BadParameter(msg)
    return Path(value)


def some_of(known: tuple[str, ...]) -> Callable[[str], str]:
    """Make the check that an option lists some of these, separated by commas."""
    check = one_of(known)

    def check_all(value: str) -> str:
        found = dict.fromkeys(check(name.strip()) for name in value.split(","))
        return ",".join(name for name in found if name is not None)

    return check_all


def starting_as(known: tuple[str, ...]) -> Callable[[str], list[str]]:
    """Make the function that a shell calls to complete a word."""

    def complete(incomplete: str) -> list[str]:
        begun = incomplete.lower()
        return [name for name in known if name.lower().startswith(begun)]

    return complete


def _whole_or_auto(value: str) -> str:
    if value != "auto" and (not value.isdecimal() or int(value) < 1):
        msg = f"{value!r} is neither a whole number of at least 1 nor auto."
        raise typer.BadParameter(msg)
    return value


def number_of_clusters(k: str) -> int | str:
    """What ``-k`` says, as `incerta.cluster` takes it."""
    return k if k == "auto" else int(k)


File = Annotated[
    Path,
    typer.Argument(
        metavar="FILE",
        help="Table: csv, tsv, xlsx, ods, JSON, parquet, arrow, netCDF, FITS, VOTable, "
        "h5ad; - is csv from stdin.",
        show_default=False,
    ),
]


def of_table(name: str, help: str | None = None) -> Any:
    """The option of a field of `TableSpec`, as typer takes it."""
    field, is_list = OPTIONS[name], name in LISTS
    kind: Any = bool if field.flags else list[str] if is_list else str
    flags = ["/".join(field.flags)] if field.flags else [f"--{name}"]
    more: dict[str, Any] = {} if field.flags else {"metavar": field.metavar}
    if field.choices:
        more["callback"] = one_of(field.choices)
        more["autocompletion"] = starting_as(field.choices)
    option = typer.Option(*flags, help=help or field.help, **more)
    return Annotated[kind | None, option]


Clusters = Annotated[
    str,
    typer.Option(
        "-k",
        metavar="N|auto",
        callback=_whole_or_auto,
        help="Number of clusters; auto chooses among 1 to 30.",
    ),
]
_PARAM = "may be repeated: numbers, true, false, none or words."
Param = Annotated[
    list[str] | None,
    typer.Option(
        "--param",
        metavar="NAME=VALUE",
        help=f"Parameter of the method, such as eps=0.3; {_PARAM}",
    ),
]
ParamOfSome = Annotated[
    list[str] | None,
    typer.Option(
        "--param",
        metavar="[METHOD.]NAME=VALUE",
        help=f"Parameter of a method, or of all that have it; {_PARAM}",
    ),
]
Seed = Annotated[
    int, typer.Option("--seed", metavar="N", min=0, help="Seed of everything random.")
]
Scale = Annotated[
    bool,
    typer.Option("--scale/--no-scale", help="Bring all features to one scale first."),
]
InDirections = Annotated[
    bool,
    typer.Option(
        "--directions/--no-directions",
        help="Compare objects of wide tables in the few directions in which they "
        "differ by more than errors and noise.",
    ),
]
Quiet = Annotated[
    bool, typer.Option("--quiet", "-q", help="Print nothing but errors on stderr.")
]
Spreadsheet = Annotated[
    bool,
    typer.Option(
        "--spreadsheet",
        help="Write csv that is safe to open in a spreadsheet: ids that it would run "
        "as formulas get a ' before them.",
    ),
]
Format = Annotated[
    str,
    typer.Option(
        "--format",
        metavar="FORMAT",
        callback=one_of(FORMATS),
        autocompletion=starting_as(FORMATS),
        help="Format of the table: csv, parquet or json.",
    ),
]
FormatIfNamed = Annotated[
    str | None,
    typer.Option(
        "--format",
        metavar="FORMAT",
        callback=one_of(FORMATS),
        autocompletion=starting_as(FORMATS),
        help="Format of the table: csv, parquet or json. By default as the file "
        "name says, else csv.",
    ),
]
