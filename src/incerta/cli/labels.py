"""Known classes of the objects of a table, some of which may be missing."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from incerta.cli.columns import Columns, table_with
from incerta.cli.guessing import listed, profiled
from incerta.cli.options import refuse
from incerta.cli.summary import say
from incerta.wording import printable

if TYPE_CHECKING:
    from incerta.data import UncertainData
    from incerta.data.tables.columns import Table
    from incerta.typing import Ids, Indices


class Labels(NamedTuple):
    """Classes of those objects that have one."""

    known: "Indices"  # rows of these objects
    classes: "Ids"  # one for each of them, as text
    absent: tuple[str, ...]  # what stands for no class, as it is written


def label_column(columns: Columns, path: Path, *, quiet: bool) -> str:
    """The one column of a table that obviously holds classes; refuse if it is not one.

    Parameters
    ----------
    columns : Columns
        What the options say.
    path : Path
        The table.
    quiet : bool
        Say nothing about the guess.
    """
    _, found = profiled(path, replace(columns, values=()))
    taken = {*columns.values, columns.id}
    names = [
        name
        for name, why in found.left_out.items()
        if why == "classes" and name not in taken
    ]
    if len(names) != 1:
        many = f"it may be {listed([printable(name) for name in names])}; "
        refuse("--label", f"{many if names else ''}name the column of the classes.")
    if not quiet:
        say(f"Guessed: --label {printable(names[0])}.")
    return names[0]


def labels_of(
    path: Path,
    columns: Columns,
    name: str,
    data: "UncertainData",
    option: str = "label",
) -> Labels | None:
    """Classes of objects that were read from a file.

    Parameters
    ----------
    path : Path
        The file.
    columns : Columns
        As `data` were read.
    name : str
        Column with the classes: the same in all rows of an object that have one.
    data : UncertainData
        The objects.
    option : str, default="label"
        What messages call the column.

    Returns
    -------
    Labels or None
        None if the file has no such column.
    """
    import numpy as np

    from incerta.data.files.formats import reader_of
    from incerta.data.files.h5ad import NAMES, read_h5ad

    id = columns.id
    if id is None and reader_of(path) is read_h5ad:
        id = NAMES
    table = _table(path, columns, id, name)
    if table is None:
        return None
    words, absent = _words(table[name], columns.na)
    of_object = _by_object(words, table, id, f"{option}={name!r}")
    # Where some rows were left out, ids tell which; without ids these are row numbers.
    keys = [str(id) for id in data.ids.tolist()]
    found = [of_object.get(key) for key in keys]
    known = np.flatnonzero([word is not None for word in found])
    classes = np.array([word for word in found if word is not None], dtype=str)
    return Labels(known, classes, absent)


def _table(path: Path, columns: Columns, id: str | None, name: str) -> "Table | None":
    from incerta.data.tables.roles import Roles
    from incerta.exceptions import DataError

    # Draws are text to the readers, or whatever else the column holds: so are classes.
    roles = Roles(id, (), None, "sd", None, name, False)
    try:
        table = table_with(path, roles, columns)
        table.load(roles.columns(table.names))
    except DataError:  # the objects could be read: it is this column that is not there
        return None
    return table


def _words(
    column: Any, more: Sequence[str]
) -> tuple[list[str | None], tuple[str, ...]]:
    """Cells as text, None where there is no class, and what stands for that."""
    from incerta.data.files.cells import in_words
    from incerta.data.files.numbers import MISSING_WORDS

    cells = column.tolist() if hasattr(column, "tolist") else column.to_list()
    missing = MISSING_WORDS | {word.lower() for word in more}
    words = [in_words(None if cell != cell else cell) for cell in cells]
    absent = {word for word in words if word.lower() in missing}
    return [None if w in absent else w for w in words], tuple(sorted(absent))


def _by_object(
    words: Sequence[str | None], table: "Table", id: str | None, column: str
) -> dict[str, str]:
    """Class of each object that has one, by its id or the number of its row."""
    from incerta.exceptions import DataError

    if id is None:
        return {str(row): word for row, word in enumerate(words) if word is not None}
    objects = table.coded(id, "id")
    found: dict[str, str] = {}
    for code, word in zip(objects.codes.tolist(), words, strict=True):
        if word is None:
            continue
        key = str(objects.ids[code])
        if found.setdefault(key, word) != word:
            msg = f"{column} has more than one class for object {key}."
            raise DataError(msg)
    return found
