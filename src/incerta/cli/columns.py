"""The options that describe a table, and the file that has its columns."""

import inspect
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import wraps
from pathlib import Path
from typing import Any

import typer

from incerta.backend.writing import passing
from incerta.cli import options
from incerta.cli.wording import as_options
from incerta.data.tables.spec import OPTIONS, TableSpec
from incerta.exceptions import DataError, FileError

STDIN = Path("-")
ALL = {name: options.of_table(name) for name in OPTIONS}


def takes_columns(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the options of `TableSpec`, which it takes as ``columns``."""
    return with_columns(command, ALL)


def with_columns(
    command: Callable[..., None], known: Mapping[str, Any]
) -> Callable[..., None]:
    """The same with some of these options, or with other words about them."""
    keyword = inspect.Parameter.KEYWORD_ONLY
    own = inspect.signature(command).parameters
    parameters = {name: own[name].replace(kind=keyword) for name in own}
    described = {
        name: inspect.Parameter(name, keyword, default=None, annotation=option)
        for name, option in known.items()
    }
    order = [
        parameter
        for name in own
        for parameter in (
            described.values() if name == "columns" else [parameters[name]]
        )
    ]

    @wraps(command)
    def with_options(**given: Any) -> None:
        said = {name: given.pop(name) for name in known}
        try:
            columns = TableSpec.of_options(**said)
        except DataError as error:
            raise typer.BadParameter(as_options(str(error))) from error
        command(columns=columns, **given)

    # Typer reads both.
    with_options.__signature__ = inspect.Signature(order)  # type: ignore[attr-defined]
    with_options.__annotations__ = {one.name: one.annotation for one in order}
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
