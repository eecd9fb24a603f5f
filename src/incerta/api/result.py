"""The base class of results: a table of the objects, and files."""

import platform
import re
from contextlib import suppress
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import narwhals as nw
import numpy as np

from incerta.backend.optional import installed
from incerta.data.container import FRAME_LIBRARIES, UncertainData
from incerta.models.files import save
from incerta.typing import Ids
from incerta.version import __version__

CELL = re.compile(r"[^=,]+=[^=,]*(, [^=,]+=[^=,]*)+")  # id of a grid cell
BELOW = ("numpy", "scipy", "scikit-learn")


class Result:
    """A result for each of some objects."""

    data: UncertainData

    def columns(self) -> dict[str, Any]:
        """Return the table by columns."""
        raise NotImplementedError

    def table(self) -> Any:
        """Return a table with a row for each object and the columns of `columns`.

        It is a frame of the library that the data came from, or else of the first of
        pandas, polars and pyarrow that is installed, or else a dict of columns.
        """
        return as_frame(self.columns(), self.data.library)

    def save(self, path: Any) -> None:
        """Write everything to a file that `incerta.load` reads.

        Parameters
        ----------
        path : str or path-like
            File to write. An existing file is replaced when the new one is complete.
        """
        save(self, path)


class ReportedResult(Result):
    """A result that can write a report."""

    def report(self, path: Any) -> None:
        """Write a report: one HTML file that opens anywhere, without a network.

        Parameters
        ----------
        path : str or path-like
            File to write.
        """
        from incerta.report import write

        write(self, path)  # type: ignore[arg-type]


def as_frame(columns: dict[str, Any], library: Any) -> Any:
    """Return a frame of a library, or of the first one installed, or else `columns`."""
    library = library or next(filter(installed, FRAME_LIBRARIES), None)
    if library is None:
        return columns
    columns = {
        name: column.tolist() if column.dtype == object else column
        for name, column in columns.items()
    }
    return nw.from_dict(columns, backend=library).to_native()


def coordinates_of(ids: Ids) -> dict[str, Ids]:
    """Return the coordinates of objects that are grid cells; else nothing.

    Ids such as "lat=50.0, lon=10.0" give the columns lat and lon.
    """
    if ids.dtype.kind != "U" or not all(map(CELL.fullmatch, ids[:1])):
        return {}
    cells = [re.findall(r"([^=,]+)=([^=,]*)(?:, |$)", cell) for cell in ids.tolist()]
    names = [name for name, _ in cells[0]]
    if any([name for name, _ in cell] != names for cell in cells):
        return {}
    columns: dict[str, Ids] = {}
    for place, name in enumerate(names):
        columns[name] = np.array([cell[place][1] for cell in cells])
        with suppress(ValueError):
            columns[name] = columns[name].astype(np.float64)
    return columns


def versions() -> dict[str, str]:
    """Return the versions of Python and of the libraries behind the numbers."""
    return {
        "python": platform.python_version(),
        "incerta": __version__,
        **{name: _version(name) for name in BELOW},
    }


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:  # copied, not installed
        return "unknown"


def or_none(value: Any) -> Any:
    """Return the value; None for NaN, which JSON does not have."""
    return None if value != value else value
