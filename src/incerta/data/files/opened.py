"""`OpenTable`: a table in a file, parsed once for profile, guess and data."""

from collections.abc import Callable
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from incerta.backend.memory import physical_bytes
from incerta.data.container import UncertainData
from incerta.data.files.astro import read_ecsv, read_fits, read_votable
from incerta.data.files.binary import read_arrow, read_netcdf, read_parquet
from incerta.data.files.cells import ParsedCells, TextTable, in_numbers
from incerta.data.files.h5ad import NAMES, expanded, read_h5ad
from incerta.data.files.json_files import parse_json
from incerta.data.files.oddities import (
    warn_of_sentinels,
    warn_of_totals,
    without_totals,
)
from incerta.data.files.profile import Profile, profile_of_frame, profile_of_text
from incerta.data.files.reading import reading
from incerta.data.files.sheets import parse_sheet
from incerta.data.files.text import ParsedText, parse_text
from incerta.data.from_table import from_spec
from incerta.data.guess.guess import Guess, guess
from incerta.data.tables.columns import Table
from incerta.data.tables.spec import TEXT, TableSpec
from incerta.exceptions import DataError, FileError, MissingValueError
from incerta.wording import given, in_python

Parsed: TypeAlias = ParsedText | ParsedCells
Parser: TypeAlias = Callable[[Path, TableSpec, int], Parsed]
Reader: TypeAlias = Callable[[Path, TableSpec, int], Any]

# Formats in which cells may be text: ids are text, and -999 may mean missing.
PARSERS: dict[str, Parser] = {
    **dict.fromkeys((".csv", ".csv.gz", ".tsv", ".tsv.gz", ".txt"), parse_text),
    **dict.fromkeys((".xlsx", ".xlsm", ".ods"), parse_sheet),
    **dict.fromkeys((".json", ".json.gz", ".jsonl", ".jsonl.gz"), parse_json),
    **dict.fromkeys((".ndjson", ".ndjson.gz"), parse_json),
}
# Formats with typed columns, of which only the needed ones are read.
READERS: dict[str, Reader] = {
    ".parquet": read_parquet,
    **dict.fromkeys((".arrow", ".feather", ".ipc"), read_arrow),
    **dict.fromkeys((".nc", ".netcdf"), read_netcdf),
    **dict.fromkeys((".fits", ".fits.gz", ".fit"), read_fits),
    **dict.fromkeys((".vot", ".votable", ".xml"), read_votable),
    ".ecsv": read_ecsv,
    ".h5ad": read_h5ad,
}
FORMATS = PARSERS | READERS


class OpenTable:
    """A table in a file, as described by `spec`.

    Text, sheets and JSON are parsed once: the columns that `spec` names, or all if it
    names no values. Files larger than `max_bytes`, by default half of the memory, are
    refused.
    """

    def __init__(
        self, path: Path, spec: TableSpec, max_bytes: int | None = None
    ) -> None:
        self.path, self.spec = path, spec
        self._limit = limit_of(max_bytes)
        self._format = _format_of(path)
        self._parsed: Parsed | None = None
        refuse_other_formats(path, spec, self._format)
        with reading(path):
            if path.stat().st_size == 0:
                msg = f"{path} is empty."
                raise FileError(msg)
            if isinstance(self._format, str) and self._format in PARSERS:
                self._parsed = PARSERS[self._format](path, spec, self._limit)

    @cached_property
    def profile(self) -> Profile:
        """Return the contents of the file; time grows with the number of cells."""
        with reading(self.path):
            n_bytes = self.path.stat().st_size
            if isinstance(self._parsed, ParsedText):
                return profile_of_text(self._parsed, n_bytes)
            frame = self._table(self._of_file()).frame
            return profile_of_frame(frame, n_bytes, totals=self._parsed is not None)

    def guess(self, truth: str | None = None) -> Guess:
        """Guess the roles of the other columns; `truth` is a column of classes."""
        of_file = (*TEXT, "sheet", "layers")
        said = {n: v for n, v in self.spec.said().items() if n not in of_file}
        return guess(self.profile.columns, said | {"truth": truth}, self.profile.names)

    def data(self, spec: TableSpec | None = None) -> UncertainData:
        """Return the objects, using what was detected since the table was opened."""
        vars(self).pop("profile", None)  # frees a copy of all cells, made for a guess
        spec = self._expanded(spec or self.spec)
        frame, errors, meaning = self._table(spec)
        if errors:
            spec = replace(spec, errors=errors)
        if self._parsed is not None:
            frame, totals = without_totals(frame, spec)
            warn_of_totals(totals)
            warn_of_sentinels(frame, spec)
        try:
            data = from_spec(frame, spec)
        except DataError as error:
            if not isinstance(self._parsed, ParsedText):
                raise
            raise type(error)(self._parsed.with_line(str(error))) from error
        # Missing values have infinite errors, which beliefs cannot have.
        if meaning and spec.meaning is None and np.isfinite(data.variance()).all():
            data = data.with_meaning(meaning)
        return self._with_plain_ids(data, spec)

    def words(self, name: str, id: str | None) -> Table:
        """Return the columns of ids and of words, as text if they are text."""
        id = id or (NAMES if self._format == ".h5ad" else None)
        # Readers treat draws as text.
        spec = replace(self._of_file(), id=id, sample=name, joint=False)
        table = Table(self._table(spec).frame)
        table.load([name] if id is None else [id, name])
        return table

    def _of_file(self) -> TableSpec:
        """Return the description of the file, without its columns."""
        known = self.spec.said()
        return TableSpec(**{n: known[n] for n in (*TEXT, "sheet") if n in known})

    def _table(self, spec: TableSpec) -> TextTable:
        with reading(self.path):
            if self._parsed is not None:
                return self._parsed.table(spec)
            return TextTable(READERS[self._format](self.path, spec, self._limit), {})

    def _expanded(self, spec: TableSpec) -> TableSpec:
        """Complete the description for AnnData: names, and columns of embeddings."""
        if self._format != ".h5ad":
            return spec
        with reading(self.path):
            return replace(
                spec,
                id=spec.id or NAMES,
                values=tuple(expanded(self.path, spec.values, self._limit)),
                meaning=spec.stated_meaning if spec.layers else spec.meaning,
            )

    def _with_plain_ids(self, data: UncertainData, spec: TableSpec) -> UncertainData:
        """Convert text ids to whole numbers if that loses nothing."""
        if spec.id is None or self._parsed is None or data.ids.dtype.kind != "U":
            return data
        if isinstance(self._parsed, ParsedText) and (data.ids == "").any():
            place = self._parsed.place(self._parsed.text(spec.id).index(""))
            msg = f"{given(id=spec.id)} is empty in {place}; fill it or leave it out."
            raise MissingValueError(msg)
        return replace(data, ids=in_numbers(data.ids))


def limit_of(max_bytes: int | None) -> int:
    """Return the largest size to read."""
    if max_bytes is None:
        return physical_bytes() // 2
    if max_bytes <= 0:
        msg = f"max_bytes={max_bytes!r} must be above 0."
        raise DataError(msg)
    return int(max_bytes)


def refuse_other_formats(path: Any, spec: TableSpec, ending: str | None) -> None:
    """Refuse options for other kinds of files."""
    parser = PARSERS.get(ending or "")
    if parser is not parse_sheet:
        why = f"is about Excel and LibreOffice files, and {path} is not one."
        spec.refuse(["sheet"], why)
    if ending != ".h5ad":
        spec.refuse(["layers"], f"is about AnnData (.h5ad), and {path} is not one.")
    if parser is not parse_text:
        some = ("decimal", "na") if parser else ()
        names = [name for name in TEXT if name not in some]
        spec.refuse(names, f"is about text tables, and {path} is not one.")


def _format_of(path: Path) -> str:
    """Return the known extension of a file, or refuse the file."""
    if path.is_dir() or (set("*?[") & set(path.name) and not path.exists()):
        msg = f"{path} stands for several files; only lazy=True reads these."
        raise FileError(msg)
    name = path.name.lower()
    for ending in FORMATS:
        if name.endswith(ending):
            return ending
    way_out = in_python(
        "Other files can be loaded by your frame library and passed to from_frame.",
        "Save the table as csv first.",
    )
    known = ", ".join(FORMATS)
    msg = f"{path} has an unknown extension; the known ones are {known}. {way_out}"
    if name.endswith((".duckdb", ".db")):
        msg = (
            f"{path} is a database, which is not read. Save the table as parquet or "
            "csv, or pass a frame of duckdb to from_frame: "
            f"duckdb.connect({str(path)!r}).table('...')."
        )
    elif name.endswith(".xls"):
        msg = f"{path} is a file of Excel before 2007. Save it as .xlsx."
    raise FileError(msg)
