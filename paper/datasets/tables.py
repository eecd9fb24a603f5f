"""Tables from files: reading and checks."""

import csv
import gzip
import hashlib
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from incerta.typing import Array, Ids, Indices


class FetchError(OSError):
    """A data set could not be fetched or failed its check."""


@dataclass(frozen=True, eq=False)
class Table:
    """Rows of numbers and the objects they belong to."""

    values: Array  # (n_rows, n_features)
    target: Indices  # (n_objects,)
    rows: Indices | None = None  # object of each row; None: a row is an object
    errors: Array | None = None  # standard deviations beside the values
    objects: dict[str, Ids] = field(default_factory=dict)
    target_names: tuple[str, ...] | None = None  # where the file has its own

    def fingerprint(self, decimals: int) -> str:
        """Return a checksum of the numbers that ignores their order and format.

        Object, label, values and errors of each row are rounded to whole units of the
        last decimal, sorted and hashed.
        """
        rows = np.arange(len(self.values)) if self.rows is None else self.rows
        columns = [self.target[rows], self.values]
        if self.rows is not None:
            columns.insert(0, rows)
        if self.errors is not None:
            columns.append(self.errors)
        numbers = np.column_stack(columns)
        units = np.rint(numbers * 10.0**decimals).astype("<i8")
        order = np.lexsort(units.T[::-1])
        return hashlib.sha256(units[order].tobytes()).hexdigest()

    def class_counts(self) -> tuple[int, ...]:
        """Return the number of objects of each class."""
        return tuple(np.bincount(self.target).tolist())


@dataclass(frozen=True)
class Expected:
    """The properties of the known table."""

    shape: tuple[int, int]  # rows, features
    class_counts: tuple[int, ...]
    decimals: int
    fingerprint: str

    def differences(self, table: Table, *, values: bool = True) -> list[str]:
        """Return the differences of a table in words; none if it is the known one."""
        found = []
        if table.values.shape != self.shape:
            found.append(f"its shape is {table.values.shape}, not {self.shape}")
        if (counts := table.class_counts()) != self.class_counts:
            found.append(f"its classes have {counts} objects, not {self.class_counts}")
        if (
            not found
            and values
            and table.fingerprint(self.decimals) != self.fingerprint
        ):
            found.append("its shape and classes are right, but its values differ")
        return found


def read_numbers(path: Path, names: list[str]) -> Array:
    """Read a gzipped CSV file of numbers with exactly these columns."""
    with gzip.open(path, "rt", encoding="utf-8", newline="") as file:
        header = next(csv.reader(file))
        if header != names:
            msg = f"{path} has the columns {header}; expected {names}."
            raise FetchError(msg)
        return np.loadtxt(file, delimiter=",", ndmin=2)


def read_columns(path: Path) -> dict[str, Ids]:
    """Read a gzipped CSV file of anything, as text, column by column."""
    with gzip.open(path, "rt", encoding="utf-8", newline="") as file:
        header, *rows = csv.reader(file)
    return dict(zip(header, np.array(rows, dtype=str).T, strict=True))


def read_exact(path: Path, n_features: int) -> Table:
    """Read ``x0,...,label``: one row per object."""
    names = [*_features(n_features), "label"]
    numbers = read_numbers(path, names)
    return Table(numbers[:, :-1].copy(), numbers[:, -1].astype(np.intp))


def read_long(path: Path, n_features: int) -> Table:
    """Read ``object,label,x0,...``: one row per possible value."""
    numbers = read_numbers(path, ["object", "label", *_features(n_features)])
    rows = numbers[:, 0].astype(np.intp)
    first = np.unique(rows, return_index=True)[1]
    return Table(numbers[:, 2:].copy(), numbers[first, 1].astype(np.intp), rows)


def read_gauss(path: Path, n_features: int) -> Table:
    """Read ``object,label,x0,...,s0,...``: value and standard deviation."""
    deviations = [f"s{i}" for i in range(n_features)]
    names = ["object", "label", *_features(n_features), *deviations]
    numbers = read_numbers(path, names)
    middle = 2 + n_features
    return Table(
        numbers[:, 2:middle].copy(),
        numbers[:, 1].astype(np.intp),
        errors=numbers[:, middle:].copy(),
    )


def _features(n_features: int) -> list[str]:
    return [f"x{i}" for i in range(n_features)]
