"""Which reader reads which file, and which part of it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from incerta.data.files.astro import read_ecsv, read_fits, read_votable
from incerta.data.files.binary import read_arrow, read_netcdf, read_parquet
from incerta.data.files.cells import TextTable
from incerta.data.files.csv import read_csv, read_text
from incerta.data.files.dialect import TextFormat
from incerta.data.files.h5ad import read_h5ad
from incerta.data.files.json_files import read_json
from incerta.data.files.sheets import read_sheet
from incerta.data.tables.roles import Roles
from incerta.exceptions import DataError, FileError

READERS: dict[str, Callable[[Path, Roles, int], Any]] = {
    ".csv": read_csv,
    ".csv.gz": read_csv,
    ".tsv": read_csv,
    ".tsv.gz": read_csv,
    ".txt": read_csv,
    ".xlsx": read_sheet,
    ".xlsm": read_sheet,
    ".ods": read_sheet,
    ".json": read_json,
    ".json.gz": read_json,
    ".jsonl": read_json,
    ".jsonl.gz": read_json,
    ".ndjson": read_json,
    ".ndjson.gz": read_json,
    ".parquet": read_parquet,
    ".arrow": read_arrow,
    ".feather": read_arrow,
    ".ipc": read_arrow,
    ".nc": read_netcdf,
    ".netcdf": read_netcdf,
    ".fits": read_fits,
    ".fits.gz": read_fits,
    ".fit": read_fits,
    ".vot": read_votable,
    ".votable": read_votable,
    ".xml": read_votable,
    ".ecsv": read_ecsv,
    ".h5ad": read_h5ad,
}
# Cells are text, or may be: ids are text, and -999 may stand for a missing value.
LIKE_TEXT = (read_csv, read_sheet, read_json)


@dataclass(frozen=True)
class Part:
    """Which part of a file is meant; None and () where nothing was said."""

    sheet: str | int | None = None
    layers: tuple[str, ...] = ()

    @classmethod
    def of(cls, sheet: str | int | None, layers: str | Sequence[str] | None) -> Self:
        """Take what was said; layers may be separated by commas."""
        names = layers.split(",") if isinstance(layers, str) else layers or ()
        return cls(sheet, tuple(name.strip() for name in names))

    def refuse_for(self, file: Any, reader: Any = None) -> None:
        """Refuse what was said if the file has no such parts."""
        said = {
            "sheet": (self.sheet, read_sheet, "a sheet of Excel or LibreOffice"),
            "layers": (list(self.layers) or None, read_h5ad, "AnnData (.h5ad)"),
        }
        for name, (given, able, about) in said.items():
            if given is not None and reader is not able:
                msg = f"{name}={given!r} is about {about}, and {file} is none."
                raise DataError(msg)


def reader_of(file: Path) -> Callable[[Path, Roles, int], Any]:
    """What reads a file, by its extension."""
    if file.is_dir() or (set("*?[") & set(file.name) and not file.exists()):
        msg = f"{file} stands for several files; only lazy=True reads these."
        raise FileError(msg)
    name = file.name.lower()
    for extension, reader in READERS.items():
        if name.endswith(extension):
            return reader
    if name.endswith((".duckdb", ".db")):
        msg = (
            f"{file} is a database, which is not read. Save the table as parquet or "
            "csv, or pass a frame of duckdb to from_frame: "
            f"duckdb.connect({str(file)!r}).table('...')."
        )
        raise FileError(msg)
    if name.endswith(".xls"):
        msg = f"{file} is a file of Excel before 2007. Save it as .xlsx."
        raise FileError(msg)
    msg = (
        f"{file} has an unknown extension; the known ones are "
        f"{', '.join(READERS)}. Other files can be loaded by your frame library "
        "and passed to from_frame."
    )
    raise FileError(msg)


def table_of(
    file: Path, roles: Roles, limit: int, written: TextFormat, part: Part
) -> TextTable:
    """Read the needed columns of a file."""
    reader = reader_of(file)
    part.refuse_for(file, reader)
    if reader is read_csv:
        return read_text(file, roles, limit, written)
    written.refuse_for(file, but=("decimal", "na") if reader in LIKE_TEXT else ())
    if reader is read_sheet:
        return read_sheet(file, roles, limit, written, part.sheet)
    if reader is read_json:
        return read_json(file, roles, limit, written)
    if reader is read_h5ad:
        return TextTable(read_h5ad(file, roles, limit, part.layers), {})
    return TextTable(reader(file, roles, limit), {})
