"""Options that several commands share, and what may be said with them.

Names of kinds are repeated here, as the room that owns them imports numpy, which is
slower than ``--help`` may be; a test compares the two lists.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, NoReturn

import typer

KINDS = (
    "sd",
    "se",
    "var",
    "ivar",
    "2sigma",
    "3sigma",
    "moe90",
    "moe95",
    "rel%",
    "ci68",
    "ci95",
    "interval",
    "plusminus",
)
RULES = ("error", "drop", "infinite", "impute")
MEANINGS = ("error", "belief", "spread")
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
Id = Annotated[
    str | None,
    typer.Option(
        "--id",
        metavar="COL",
        help="Column with the object of each row; without it every row is an object.",
    ),
]
Values = Annotated[
    list[str] | None,
    typer.Option(
        "--values",
        metavar="COL,…",
        help="Columns of the features, separated by commas; may be repeated.",
    ),
]
Errors = Annotated[
    list[str] | None,
    typer.Option(
        "--errors",
        metavar="COL,…",
        help="Error columns: '{}_error' with {} for each value, or one column per "
        "value; two templates low,high with the kinds ci68, ci95 and interval, "
        "upper,lower with plusminus. Without it rows with the same id are values of "
        "one object.",
    ),
]
Kind = Annotated[
    str | None,
    typer.Option(
        "--kind",
        metavar="KIND",
        callback=one_of(KINDS),
        autocompletion=starting_as(KINDS),
        help=f"What error columns hold: {', '.join(KINDS)}; sd by default.",
    ),
]
Weight = Annotated[
    str | None,
    typer.Option(
        "--weight", metavar="COL", help="Column that says how likely a value is."
    ),
]
Sample = Annotated[
    str | None,
    typer.Option(
        "--sample",
        metavar="COL",
        help="Column that says which draw a row belongs to: member, month, imputation.",
    ),
]
Joint = Annotated[
    bool | None,
    typer.Option(
        "--joint/--independent",
        help="Whether rows of one sample belong together across objects.",
    ),
]
Missing = Annotated[
    str | None,
    typer.Option(
        "--missing",
        metavar="RULE",
        callback=one_of(RULES),
        autocompletion=starting_as(RULES),
        help="What to do about missing values: error, drop (leave such rows out), "
        "infinite (an infinite error: the default where there are error columns) or "
        "impute.",
    ),
]
Meaning = Annotated[
    str | None,
    typer.Option(
        "--meaning",
        metavar="WHAT",
        callback=one_of(MEANINGS),
        autocompletion=starting_as(MEANINGS),
        help="What the uncertainty means: error (of a measurement; rows of an object "
        "are replicates), belief (about the truth) or spread (no single truth). By "
        "default as the table looks.",
    ),
]
Corr = Annotated[
    str | None,
    typer.Option(
        "--corr",
        metavar="TEMPLATE",
        help="Columns with the correlations of errors: '{}_{}_corr' with {} for two "
        "values.",
    ),
]
Log = Annotated[
    list[str] | None,
    typer.Option(
        "--log",
        metavar="COL,…",
        help="Values of which the decimal logarithm is taken, errors included; all "
        "for all of them.",
    ),
]
Batch = Annotated[
    str | None,
    typer.Option(
        "--batch",
        metavar="COL",
        help="Replicates: column with the batch of each row; its offset is taken off.",
    ),
]
Replicates = Annotated[
    str | None,
    typer.Option(
        "--replicates",
        metavar="PATTERN",
        help="Repeated measurements side by side, one row per object: '{}_*' with {} "
        "for each value and * for digits or letters, as in h_1, h_2 and h_3.",
    ),
]
Sep = Annotated[
    str | None,
    typer.Option(
        "--sep",
        metavar="CHAR",
        help="Text tables: what separates the columns, a character or tab. By default "
        "as the file looks.",
    ),
]
Decimal = Annotated[
    str | None,
    typer.Option(
        "--decimal",
        metavar="MARK",
        callback=one_of((".", ",")),
        help="Text tables: decimal mark, . or a comma. By default as the numbers look.",
    ),
]
Encoding = Annotated[
    str | None,
    typer.Option(
        "--encoding",
        metavar="NAME",
        help="Text tables: encoding, such as latin-1. By default UTF-8, UTF-16 or "
        "cp1252, as the file looks.",
    ),
]
Na = Annotated[
    str | None,
    typer.Option(
        "--na",
        metavar="WORD,…",
        help="Text tables: more words or numbers for missing values, separated by "
        "commas, as in --na=-999,none.",
    ),
]
Sheet = Annotated[
    str | None,
    typer.Option(
        "--sheet",
        metavar="NAME|N",
        help="Files of sheets: name of the sheet, or its number from 1. By default the "
        "first that holds something.",
    ),
]
Layers = Annotated[
    str | None,
    typer.Option(
        "--layers",
        metavar="NAME,…",
        help="AnnData: layers that are repeated measurements of the values.",
    ),
]
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
