"""``incerta info``: what is installed, and what is in a file."""

import re
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from incerta.cli.columns import on_disk, takes_columns
from incerta.cli.options import one_of
from incerta.cli.profiles import show, show_json
from incerta.cli.progress import bars
from incerta.cli.summary import echo, noted, shown, warn
from incerta.data.tables.spec import TableSpec

if TYPE_CHECKING:
    from incerta.api.clustering import Clustering

MODEL_ENDING = ".incerta"
EXTRAS = ("plot", "report", "notebook", "io", "science", "fast", "gpu", "dask")
MOST_NAMES = 100  # columns that are listed; there may be one for each gene

EXAMPLES = """\
\b
Examples:
  incerta info
  incerta info stars.csv
  incerta info stars.csv --id star --values mass --errors '{}_error'
  incerta info out/model.incerta"""


@takes_columns
def info(
    files: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="FILE",
            help="Tables or models, to show what is in them; - is csv from stdin.",
            show_default=False,
        ),
    ] = None,
    *,
    columns: TableSpec,
    form: Annotated[
        str | None,
        typer.Option(
            "--format",
            metavar="FORMAT",
            callback=one_of(("json",)),
            help="json describes a table for programs.",
        ),
    ] = None,
) -> None:
    """Show what is installed, or what is in a table or a model.

    Of a table: what its columns hold, what is odd about them, what they may mean, and
    the command to run next. With --values: the objects that are read so.
    """
    if not files:
        _print_pairs(_installation())
        return
    for number, file in enumerate(files):
        if number:
            echo()
        if len(files) > 1:
            echo(f"{file}:")
        if file.suffix.lower() == MODEL_ENDING:
            _show_model(file)
        else:
            _show_table(file, columns, form)


def _show_table(file: Path, columns: TableSpec, form: str | None) -> None:
    with noted() as warned, bars(), on_disk(file) as path:
        from incerta.data.files.opened import OpenTable

        table = OpenTable(path, columns)
        if columns.values:
            data = repr(table.data())
        else:
            profile, guess = table.profile, table.guess()
    if columns.values:
        echo(data)
    else:
        (show_json if form else show)(file, profile, guess, columns)
    warn(warned)


def _show_model(file: Path) -> None:
    from incerta.api import load
    from incerta.api.clustering import Clustering

    model = load(file)
    if isinstance(model, Clustering):
        _print_pairs(_of_clustering(model))
    else:
        echo(repr(model))


def _of_clustering(model: "Clustering") -> dict[str, str]:
    made_with = ", ".join(f"{name} {text}" for name, text in model.versions.items())
    return {
        "found": model.explain().partition("\n")[0],
        "features": ", ".join(map(shown, model.feature_names)),
        "scaled": "no" if model.scaler is None else "yes",
        "seed": str(model.seed),
        "made with": made_with,
        "command": model.command or "none; made in Python",
    }


def _installation() -> dict[str, str]:
    """What matters in a bug report."""
    import platform

    from joblib import cpu_count

    from incerta.api.clustering import versions

    return {
        **versions(),
        "system": platform.platform(),
        "threads": str(cpu_count()),
        **{f"extra {name}": _extra(name) for name in EXTRAS},
    }


def _extra(name: str) -> str:
    """What an extra installs, or how to get it."""
    from importlib.metadata import PackageNotFoundError, requires, version

    wanted = re.compile(rf"([\w-]+).*extra == ['\"]{name}['\"]")
    found = []
    try:
        lines = requires("incerta") or ()
    except PackageNotFoundError:
        return "unknown: this copy was not installed by pip"
    for line in lines:
        if (match := wanted.match(line)) is None:
            continue
        package = match[1]
        try:
            found.append(f"{package} {version(package)}")
        except PackageNotFoundError:
            return f"{package} is missing; pip install 'incerta[{name}]'"
    return ", ".join(found)


def _print_pairs(pairs: dict[str, Any]) -> None:
    for heading, text in pairs.items():
        echo(f"{heading:<14} {text}")
