"""The files that experiments write: tables, pages and figures."""

import csv
import io
import platform
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple

from incerta.backend.optional import installed
from incerta.backend.writing import replacing
from paper.pages import as_html, as_markdown
from paper.table2 import Line

LIBRARIES = ("incerta", "numpy", "scipy", "scikit-learn")


def write_table2(
    lines: Sequence[Line], about: Mapping[str, str], folder: Path
) -> list[str]:
    """Write the table as CSV, Markdown and HTML.

    Parameters
    ----------
    lines : sequence of Line
        The table.
    about : mapping of str to str
        Facts about the run.
    folder : Path
        Folder to write to.

    Returns
    -------
    list of str
        Names of the files, without HTML if jinja2 is missing.
    """
    write_csv(lines, folder / "table2.csv")
    _write_text(as_markdown(lines, about), folder / "table2.md")
    names = ["table2.csv", "table2.md"]
    if installed("jinja2"):
        _write_text(as_html(lines, about), folder / "table2.html")
        names.append("table2.html")
    return names


def write_figure(
    name: str, rows: Sequence[NamedTuple], draw: Any, folder: Path
) -> list[str]:
    """Write the data of a figure as a table, and the figure if matplotlib is there.

    Parameters
    ----------
    name : str
        Name of the files, without suffix.
    rows : sequence of NamedTuple
        Data of the figure.
    draw : callable
        Function that draws the rows.
    folder : Path
        Where to.

    Returns
    -------
    list of str
        Names of the files.
    """
    write_csv(rows, folder / f"{name}.csv")
    names = [f"{name}.csv"]
    if installed("matplotlib"):
        with replacing(folder / f"{name}.png") as beside:
            draw(rows).savefig(beside, dpi=110, format="png")
        names.append(f"{name}.png")
    return names


def write_csv(rows: Sequence[NamedTuple], path: Path) -> None:
    """Write named tuples as a table."""
    path.parent.mkdir(parents=True, exist_ok=True)
    text = io.StringIO()
    lines = csv.writer(text, lineterminator="\n")
    lines.writerow(rows[0]._fields)
    lines.writerows([_as_text(value) for value in row] for row in rows)
    _write_text(text.getvalue(), path)


def versions() -> str:
    """Return the versions of the libraries that computed the figures."""
    named = [f"{name} {version(name)}" for name in LIBRARIES]
    return ", ".join([*named, f"Python {platform.python_version()}"])


def _write_text(text: str, path: Path) -> None:
    with replacing(path) as beside:
        beside.write_text(text, encoding="utf-8")


def _as_text(value: object) -> str:
    return f"{value:.4f}" if isinstance(value, float) else str(value)
