"""Rows of a table on disk, written one at a time."""

import csv
import io
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Generic, TypeVar

from incerta.exceptions import FileError

Row = TypeVar("Row", bound=tuple[Any, ...])


class Store(Generic[Row]):
    """A CSV file to which rows are appended.

    A row is written at once. A last line that a crash cut off is dropped, and its cell
    is computed again.

    Parameters
    ----------
    path : Path
        The file, created with its heading when the first row is added.
    kind : NamedTuple
        Type of the rows.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from paper.published import Figures
    >>> from paper.store import Store
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     Store(Path(folder) / "some.csv", Figures).add([Figures(0.5, 0.25)])
    ...     Store(Path(folder) / "some.csv", Figures).rows
    [Figures(acc=0.5, nmi=0.25)]
    """

    def __init__(self, path: Path, kind: type[Row]) -> None:
        self.path, self.kind = path, kind
        self.rows: list[Row] = self._read() if path.exists() else []

    def add(self, rows: Iterable[Row]) -> None:
        """Append rows to the file."""
        new = list(rows)
        text = io.StringIO()
        lines = csv.writer(text, lineterminator="\n")
        if not self.path.exists():
            self.path.parent.mkdir(parents=True, exist_ok=True)
            lines.writerow(self._names)
        lines.writerows(map(_as_text, self._names, row) for row in new)
        with self.path.open("a", encoding="utf-8", newline="") as file:
            file.write(text.getvalue())
            file.flush()
            os.fsync(file.fileno())
        self.rows += new

    @property
    def _names(self) -> list[str]:
        return list(self.kind._fields)  # type: ignore[attr-defined]

    def _read(self) -> list[Row]:
        text = self.path.read_text(encoding="utf-8")
        whole = text[: text.rfind("\n") + 1]
        if whole != text:
            self.path.write_text(whole, encoding="utf-8")
        lines = csv.reader(io.StringIO(whole))
        heading = next(lines, None)
        if heading is None:
            self.path.unlink()
            return []
        if heading != self._names:
            msg = (
                f"{self.path} has columns {', '.join(heading)} instead of "
                f"{', '.join(self._names)}; use another folder, or remove the file."
            )
            raise FileError(msg)
        types = list(self.kind.__annotations__.values())
        return [
            self.kind(*(kind(text) for kind, text in zip(types, line, strict=True)))
            for line in lines
        ]


def _as_text(name: str, value: Any) -> str:
    if not isinstance(value, float):
        return str(value)
    short = f"{value:.6g}"
    # Measured numbers may be rounded; the others identify the row.
    return short if name != "noise" or float(short) == value else repr(value)
