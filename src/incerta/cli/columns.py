"""Which column is what, as the options say; and the file that has the columns."""

import csv
import inspect
import io
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from incerta.backend.writing import passing
from incerta.cli import options

if TYPE_CHECKING:
    from incerta.data import UncertainData
    from incerta.data.files.dialect import TextFormat
    from incerta.data.tables.columns import Table
    from incerta.data.tables.roles import Roles

STDIN = Path("-")


@dataclass(frozen=True)
class Columns:
    """What the options say about the columns; None and () where they say nothing."""

    id: str | None = None
    values: tuple[str, ...] = ()
    errors: tuple[str, ...] = ()
    kind: str | None = None
    weight: str | None = None
    sample: str | None = None
    joint: bool | None = None
    missing: str | None = None
    meaning: str | None = None
    batch: str | None = None
    na: tuple[str, ...] = ()
    sep: str | None = None
    decimal: str | None = None
    encoding: str | None = None
    corr: str | None = None
    log: tuple[str, ...] = ()
    replicates: str | None = None
    sheet: str | None = None
    layers: tuple[str, ...] = ()

    @classmethod
    def of(
        cls,
        *,
        values: Sequence[str] | None,
        errors: Sequence[str] | None,
        na: str | None = None,
        log: Sequence[str] | None = None,
        layers: str | None = None,
        **others: Any,
    ) -> Self:
        """Take options as the command line has them."""
        found = cls(
            values=_split(values),
            errors=_split(errors),
            na=_split(None if na is None else [na]),
            log=_split(log),
            layers=_split(None if layers is None else [layers]),
            **others,
        )
        if found.sample is not None and found.joint is None:
            why = (
                "say --joint if rows with the same entry belong together across "
                "objects (an ensemble member, a month of one year), --independent if "
                "each object was measured on its own."
            )
            options.refuse("--sample", why)
        return found

    def completed_by(self, stored: "Columns") -> "Columns":
        """Take what was not said from `stored`.

        How values are uncertain (errors, kind, weight, sample, joint, meaning, batch,
        corr, replicates, layers) is taken as a whole or not at all: parts of two
        descriptions do not make a third. How one file is written (sep, decimal,
        encoding, sheet) says nothing about another.
        """
        form: tuple[str, ...] = ("errors", "kind", "weight", "sample", "joint")
        form += ("meaning", "batch", "corr", "replicates", "layers")
        told = any(getattr(self, name) not in (None, ()) for name in form)
        kept = (*(form if told else ()), "sep", "decimal", "encoding", "sheet")
        chosen = {
            name: own if name in kept or own not in (None, ()) else other
            for (name, own), other in zip(
                asdict(self).items(), asdict(stored).values(), strict=True
            )
        }
        return Columns(**chosen)

    def read(self, path: Path) -> "UncertainData":
        """Read the objects."""
        if not self.values:
            options.refuse("--values", "name the columns of the features.")
        from incerta.data import read

        errors: Any = self.errors
        kind: Any = self.kind or "sd"  # checked with the option, as is missing
        missing: Any = self.missing
        return read(
            path,
            id=self.id,
            values=list(self.values),
            errors=None if not errors else errors[0] if len(errors) == 1 else errors,
            kind=kind,
            weight=self.weight,
            missing=missing,
            sample=self.sample,
            joint=self.joint,
            meaning=self.meaning,
            batch=self.batch,
            sep=self.sep,
            decimal=self.decimal,
            encoding=self.encoding,
            na=self.na or None,
            corr=self.corr,
            log=self.log,
            replicates=self.replicates,
            sheet=self.sheet,
            layers=self.layers or None,
        )

    def written(self) -> "TextFormat":
        """How a text file is written, as far as was said."""
        from incerta.data.files.dialect import TextFormat

        return TextFormat.of(self.sep, self.decimal, self.encoding, self.na)

    def arguments(self) -> list[str]:
        """The options that say this."""
        said = {
            "--id": self.id,
            "--values": _joined(self.values),
            "--errors": _joined(self.errors),
            "--kind": self.kind,
            "--weight": self.weight,
            "--sample": self.sample,
            "--missing": self.missing,
            "--meaning": self.meaning,
            "--batch": self.batch,
            "--sep": self.sep,
            "--decimal": self.decimal,
            "--encoding": self.encoding,
            "--corr": self.corr,
            "--log": _joined(self.log),
            "--replicates": self.replicates,
            "--sheet": self.sheet,
            "--layers": _joined(self.layers),
        }
        words = [w for pair in said.items() if pair[1] is not None for w in pair]
        if self.joint is not None:
            words.append("--joint" if self.joint else "--independent")
        if self.na:  # in one word, as it may begin with a minus
            words.append(f"--na={_joined(self.na)}")
        return [word for word in words if word is not None]


OPTIONS = {
    "id": options.Id,
    "values": options.Values,
    "errors": options.Errors,
    "kind": options.Kind,
    "weight": options.Weight,
    "sample": options.Sample,
    "joint": options.Joint,
    "missing": options.Missing,
    "meaning": options.Meaning,
    "batch": options.Batch,
    "replicates": options.Replicates,
    "sep": options.Sep,
    "decimal": options.Decimal,
    "encoding": options.Encoding,
    "na": options.Na,
    "corr": options.Corr,
    "log": options.Log,
    "sheet": options.Sheet,
    "layers": options.Layers,
}


def takes_columns(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the options of `Columns`, which it takes as ``columns``."""
    return with_columns(command, OPTIONS)


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
        columns = Columns.of(**{name: given.pop(name) for name in known})
        command(columns=columns, **given)

    # Typer reads both.
    with_options.__signature__ = inspect.Signature(order)  # type: ignore[attr-defined]
    with_options.__annotations__ = {one.name: one.annotation for one in order}
    return with_options


def table_with(path: Path, roles: "Roles", columns: Columns) -> "Table":
    """Columns of a file, read as the options say."""
    from incerta.backend.memory import physical_bytes
    from incerta.data.files.formats import Part, table_of
    from incerta.data.files.reading import Reading
    from incerta.data.tables.columns import Table

    part = Part(columns.sheet)  # every layer has the same rows
    limit = physical_bytes() // 2
    with Reading(path):
        return Table(table_of(path, roles, limit, columns.written(), part).frame)


@contextmanager
def on_disk(file: Path) -> Iterator[Path]:
    """A file to read: the one that was named, or one with what comes from stdin."""
    if file != STDIN:
        yield file
        return
    from incerta.exceptions import DataError, FileError

    with passing(Path(tempfile.mkdtemp(prefix="incerta-"))) as folder:
        path = folder / "stdin.csv"
        with path.open("wb") as copy:
            shutil.copyfileobj(sys.stdin.buffer, copy)
        try:
            yield path
        except (DataError, FileError) as error:
            raise type(error)(str(error).replace(str(path), "stdin")) from error


def _split(words: Sequence[str] | None) -> tuple[str, ...]:
    """Columns from ``a,b``; a name with a comma is put in quotes, as in csv."""
    return tuple(name for row in csv.reader(words or ()) for name in row)


def _joined(names: Sequence[str]) -> str | None:
    if not names:
        return None
    out = io.StringIO()
    csv.writer(out, lineterminator="").writerow(names)
    return out.getvalue()
