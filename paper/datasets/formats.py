"""Readers for the public files of PMLB, UCI, OpenML and the Exoplanet Archive."""

import csv
import gzip
from collections.abc import Iterable
from io import BytesIO, StringIO
from pathlib import Path
from zipfile import ZipFile, ZipInfo

import numpy as np

from incerta.typing import Array, Indices
from paper.datasets.tables import FetchError, Table

MEMBER_BYTES = 1_000_000  # the largest member of the movement archive has 5 kB
ARCHIVE_BYTES = 20_000_000

# Columns with errors, and their divisors; None stands for the logarithm.
KEPLER_COLUMNS = {
    "koi_duration": None,
    "koi_depth": None,
    "koi_prad": None,
    "koi_srad": None,
    "koi_steff": 1000.0,
    "koi_slogg": 1.0,
}
KEPLER_CLASSES = {"FALSE POSITIVE": 0, "CONFIRMED": 1}


def read_pmlb(path: Path, class_counts: tuple[int, ...]) -> Table:
    """Read a gzipped TSV file of the Penn Machine Learning Benchmarks.

    Its labels are codes without names. Where all classes differ in size, each gets
    the number of our class of that size; elsewhere codes are numbered in order.
    """
    with gzip.open(path, "rt", encoding="utf-8", newline="") as file:
        header = next(csv.reader(file, delimiter="\t"))
        numbers = np.loadtxt(file, delimiter="\t", ndmin=2)
    place = header.index("target")
    values = np.delete(numbers, place, axis=1)
    codes, target = np.unique(numbers[:, place], return_inverse=True)
    sizes = np.bincount(target).tolist()
    if sorted(sizes) == sorted(class_counts) and len(set(sizes)) == len(sizes):
        ours = np.array([class_counts.index(size) for size in sizes])
        return Table(values, ours[target])
    return Table(values, target, target_names=tuple(f"{code:g}" for code in codes))


def read_movement(path: Path) -> Table:
    """Read the archive of UCI's data set 348 without unpacking it.

    A member ``dataset/MovementAAL_RSS_<i>.csv`` per sequence, and in ``groups/``
    the path and the environment of each.
    """
    with ZipFile(path) as archive:
        members = _by_file_name(archive)
        if "MovementAAL.zip" in members:  # UCI wraps the authors' archive in its own
            inner = _read(archive, members["MovementAAL.zip"], ARCHIVE_BYTES)
            with ZipFile(BytesIO(inner)) as wrapped:
                return _movement_table(wrapped)
        return _movement_table(archive)


def _movement_table(archive: ZipFile) -> Table:
    members = _by_file_name(archive)

    def numbers(name: str) -> Array:
        if name not in members:
            msg = f"the archive has no member {name}"
            raise FetchError(msg)
        text = _read(archive, members[name], MEMBER_BYTES).decode("ascii")
        return np.loadtxt(StringIO(text), delimiter=",", skiprows=1, ndmin=2)

    columns = {
        "path_id": numbers("MovementAAL_Paths.csv"),
        "environment_id": numbers("MovementAAL_DatasetGroup.csv"),
        "room_change": numbers("MovementAAL_target.csv"),
    }
    order = np.arange(1, len(columns["path_id"]) + 1)
    for name, table in columns.items():
        if not np.array_equal(table[:, 0], order):
            msg = f"the sequences of {name} are not numbered 1 to {len(order)}"
            raise FetchError(msg)
    parts = [numbers(f"MovementAAL_RSS_{i}.csv") for i in order]
    rows = np.repeat(order - 1, [len(part) for part in parts])
    objects = {name: table[:, 1].astype(np.intp) for name, table in columns.items()}
    return Table(np.concatenate(parts), objects["path_id"] - 1, rows, objects=objects)


def _by_file_name(archive: ZipFile) -> dict[str, ZipInfo]:
    """Return members by the last part of their path, without folders."""
    return {info.filename.rpartition("/")[2]: info for info in archive.infolist()}


def _read(archive: ZipFile, member: ZipInfo, limit: int) -> bytes:
    # zipfile never yields more than the size that is declared here.
    if member.file_size > limit:
        msg = f"{member.filename} declares {member.file_size} bytes, more than {limit}"
        raise FetchError(msg)
    return archive.read(member)


def read_usps(path: Path) -> Table:
    """Read the ARFF file of OpenML's data set 41082: labels 1..10, grays in [-1, 1]."""
    with path.open(encoding="utf-8", newline="") as file:
        attributes = []
        for line in file:
            word = line.split(maxsplit=1)[0].lower() if line.strip() else ""
            if word == "@attribute":
                attributes.append(line)
            if word == "@data":
                break
        numbers = np.loadtxt(file, delimiter=",", quotechar="'", comments="%", ndmin=2)
    nominal = [i for i, line in enumerate(attributes) if "{" in line]
    place = nominal[0] if nominal else 0
    values = np.delete(numbers, place, axis=1)
    if values.min() < 0:
        values = (values + 1) / 2
    # Grays are whole steps of 0.0005; rounding removes what the format added.
    return Table(values.round(4), numbers[:, place].astype(np.intp) - 1)


def usps_sample(target: Indices) -> Indices:
    """Return the rows of the recorded sample, a stratified tenth, in file order."""
    sizes = np.bincount(target)
    wanted = len(target) // 10
    quota = sizes * wanted / len(target)
    take = np.floor(quota).astype(np.intp)
    largest = np.argsort(take - quota, kind="stable")
    take[largest[: wanted - take.sum()]] += 1
    rng = np.random.default_rng(2019)
    chosen = [
        rng.choice(np.flatnonzero(target == digit), n, replace=False)
        for digit, n in enumerate(take)
    ]
    return np.sort(np.concatenate(chosen))


def read_kepler(path: Path) -> Table:
    """Read the CSV answer of the archive, and compute logarithms and errors.

    The standard deviation of a logarithm is the mean of the two one-sided errors over
    ``value * log(10)``. Candidates are left out, and objects with a missing value or
    error, an error of 0 or a standard deviation of at least 1.
    """
    with path.open(encoding="utf-8", newline="") as file:
        reader = csv.DictReader(file)
        known = set(reader.fieldnames or ())
        lacking = {"kepoi_name", "koi_disposition", *KEPLER_COLUMNS} - known
        if lacking:
            msg = f"it has no columns {', '.join(sorted(lacking))}"
            raise FetchError(msg)
        table = list(reader)
    table = [row for row in table if row["koi_disposition"] in KEPLER_CLASSES]
    values, errors = [], []
    for name, unit in KEPLER_COLUMNS.items():
        value = _numbers(row[name] for row in table)
        above = _numbers(row[f"{name}_err1"] for row in table)
        below = _numbers(row[f"{name}_err2"] for row in table)
        spread = (np.abs(above) + np.abs(below)) / 2
        spread[(above == 0) | (below == 0)] = np.nan
        if unit is None:
            value[value <= 0] = np.nan
            errors.append(spread / (value * np.log(10)))
            values.append(np.log10(value))
        else:
            errors.append(spread / unit)
            values.append(value / unit)
    numbers = np.column_stack([*values, *errors])
    keep = np.isfinite(numbers).all(axis=1) & (numbers[:, len(values) :] < 1).all(
        axis=1
    )
    # The known table has six digits.
    numbers = np.char.mod("%.6g", numbers[keep]).astype(np.float64)
    names = np.array([row["kepoi_name"] for row in table], dtype=str)
    classes = [KEPLER_CLASSES[row["koi_disposition"]] for row in table]
    return Table(
        numbers[:, : len(values)],
        np.array(classes, dtype=np.intp)[keep],
        errors=numbers[:, len(values) :],
        objects={"kepoi_name": names[keep]},
    )


def _numbers(texts: Iterable[str]) -> Array:
    return np.array([float(text) if text else np.nan for text in texts])
