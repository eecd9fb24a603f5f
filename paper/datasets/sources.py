"""The registry of data sets: sources and expected contents.

Checksums of the public files, where known, are given with their addresses. Fingerprints
are those of `Table.fingerprint`, taken from the files of a data folder.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np

from paper.datasets import formats
from paper.datasets.tables import (
    Expected,
    Table,
    read_columns,
    read_exact,
    read_gauss,
    read_long,
)

PMLB = "https://github.com/EpistasisLab/pmlb/raw/master/datasets"
UCI = "https://archive.ics.uci.edu/static/public"
OPENML = "https://api.openml.org/data/v1/download"
NASA = "https://exoplanetarchive.ipac.caltech.edu/TAP/sync"

_KEPLER_QUERY = (
    "select+kepoi_name,koi_disposition,"
    + ",".join(f"{name},{name}_err1,{name}_err2" for name in formats.KEPLER_COLUMNS)
    + "+from+cumulative+order+by+kepoi_name"
)


@dataclass(frozen=True)
class Remote:
    """A public file."""

    url: str
    file: str  # its name in the cache
    max_bytes: int
    read: Callable[[Path], Table]
    sha256: str | None = None
    living: bool = False  # it changes with time, so differences only give a warning


@dataclass(frozen=True)
class Source:
    """A data set: its files in a data folder, its public file, and its contents."""

    name: str
    files: tuple[str, ...]
    read: Callable[..., Table]  # takes the paths of these files
    expected: Expected
    remote: Remote | None = None
    why_no_remote: str = ""


def _pmlb(
    name: str, n_bytes: int, sha256: str, class_counts: tuple[int, ...]
) -> Remote:
    return Remote(
        f"{PMLB}/{name}/{name}.tsv.gz",
        f"pmlb-{name}.tsv.gz",
        n_bytes,
        partial(formats.read_pmlb, class_counts=class_counts),
        sha256,
    )


def _exact(
    name: str,
    n_features: int,
    expected: Expected,
    public: tuple[str, int, str],
) -> Source:
    reader = partial(read_exact, n_features=n_features)
    remote = _pmlb(*public, expected.class_counts)
    return Source(name, (f"{name}.csv.gz",), reader, expected, remote)


def _with_objects(
    read: Callable[[Path, int], Table],
    n_features: int,
    numbers: tuple[str, ...],
    texts: tuple[str, ...],
) -> Callable[[Path, Path], Table]:
    """Read a table and the table of its objects next to it."""

    def read_both(table_path: Path, objects_path: Path) -> Table:
        table = read(table_path, n_features)
        columns = read_columns(objects_path)
        for name in numbers:
            number = columns[name].astype(np.float64)
            whole = np.array_equal(number, np.rint(number))
            table.objects[name] = number.astype(np.intp) if whole else number
        table.objects.update({name: columns[name] for name in texts})
        return table

    return read_both


def _read_usps_full(path: Path) -> Table:
    with np.load(path, allow_pickle=False) as arrays:
        # Grays are whole steps of 0.0005, stored in single precision.
        values = arrays["X"].astype(np.float64).round(4)
        objects = {"is_test": arrays["is_test"]}
        return Table(values, arrays["y"].astype(np.intp), objects=objects)


def _read_usps_sample(path: Path, rows_path: Path) -> Table:
    table = read_exact(path, 256)
    rows = read_columns(rows_path)["source_row"].astype(np.intp)
    table.objects["source_row"] = rows
    return table


SOURCES = {
    source.name: source
    for source in (
        _exact(
            "ecoli",
            7,
            Expected(
                (327, 7),
                (143, 77, 52, 35, 20),
                6,
                "357ce0fda1e920598131d1117d1398a133d024bf39789e17685d3ab3f72901b0",
            ),
            (
                "ecoli",
                2_527,
                "65b5b5ccc50a20d50008e94c78d1bc1a56aa1e02869a3d3f66d8e57c5aa8619e",
            ),
        ),
        _exact(
            "image",
            19,
            Expected(
                (2310, 19),
                (330,) * 7,
                6,
                "fdaf6474198477d7943256dc4ecab03c0d63453958a75bd69b6964e003ae97d7",
            ),
            (
                "segmentation",
                111_831,
                "980ba4342d2fe489793cc3431678318f8d1467fe6bf6a687eb18bfc2267a049f",
            ),
        ),
        _exact(
            "libras",
            90,
            Expected(
                (360, 90),
                (24,) * 15,
                6,
                "dea33f2098d9809191969b34e950f9cee8a22ea45486c8dcfd4715a4eb7ae02b",
            ),
            (
                "movement_libras",
                62_546,
                "77c9c61118e72c3f49f52fd5eda8ec95ce9a573cb2f1a51b15480966f320fc85",
            ),
        ),
        _exact(
            "waveform",
            21,
            Expected(
                (5000, 21),
                (1657, 1647, 1696),
                6,
                "70c6c9eccf104522695c717af86c36f012293a65edf0b1f08f2f0c5968b77d08",
            ),
            (
                "waveform_21",
                180_509,
                "7c2cc6b218c3c4868ccc2edcf6a637c796f4e6bf4ad9f0994e95a260bfe3aabc",
            ),
        ),
        Source(
            "usps",
            ("usps_full.npz",),
            _read_usps_full,
            Expected(
                (9298, 256),
                (1553, 1269, 929, 824, 852, 716, 834, 792, 708, 821),
                4,
                "a8e972acb28ce9eba6b8b83af74f95d2b135e96d3516f5c93b4c2da74228d0e4",
            ),
            Remote(
                f"{OPENML}/18805612/USPS.arff",
                "openml-18805612-usps.arff",
                60_000_000,
                formats.read_usps,
            ),
        ),
        Source(
            "usps929",
            ("usps929.csv.gz", "usps929_rows.csv.gz"),
            _read_usps_sample,
            Expected(
                (929, 256),
                (155, 127, 93, 82, 85, 72, 83, 79, 71, 82),
                4,
                "4718c5f8bd7f5656faa34002b7792e1877723845d6e694c014dcf5dd75bfaf4a",
            ),
        ),
        Source(
            "movement",
            ("movement.csv.gz", "movement_objects.csv.gz"),
            _with_objects(
                read_long, 4, ("path_id", "environment_id", "room_change"), ()
            ),
            Expected(
                (13197, 4),
                (79, 51, 25, 40, 79, 40),
                6,
                "0e55d7c7922c9ea6ff62d4bc9ed13e037bf07d250ed15ab7e5befbeab396ebd1",
            ),
            Remote(
                f"{UCI}/348/indoor+user+movement+prediction+from+rss+data.zip",
                "uci-348-movement.zip",
                20_000_000,
                formats.read_movement,
            ),
        ),
        Source(
            "nba",
            ("nba.csv.gz", "nba_objects.csv.gz"),
            _with_objects(
                read_long,
                5,
                ("per_career", "per_2015", "ppg_2015", "label_per_2015"),
                ("player", "position_group"),
            ),
            Expected(
                (2203, 5),
                (149, 122, 29),
                6,
                "5915f8777ed729208775a12cc86d5c9884bef58743ac88930fd22360e2223f1b",
            ),
            why_no_remote=(
                "the terms of its source, Sports Reference, restrict bulk reuse, so "
                "there is no public file to fetch"
            ),
        ),
        Source(
            "kepler",
            ("kepler_koi_gauss.csv.gz",),
            partial(read_gauss, n_features=6),
            Expected(
                (6634, 6),
                (4362, 2272),
                6,
                "a329104a07af2815999acb821bc5530be50b241d4e7ebf1e76cf5bf6f17839aa",
            ),
            Remote(
                f"{NASA}?query={_KEPLER_QUERY}&format=csv",
                "nasa-kepler-cumulative.csv",
                20_000_000,
                formats.read_kepler,
                living=True,
            ),
        ),
        Source(
            "kepler600",
            ("kepler_koi600_draws.csv.gz", "kepler_koi600_objects.csv.gz"),
            _with_objects(read_long, 6, ("gauss_object",), ("kepoi_name",)),
            Expected(
                (18000, 6),
                (300, 300),
                6,
                "33249f2ffdcc14698c0c81206ed6eb3368980cb184b3645a8147dae8eb641fb6",
            ),
            why_no_remote=(
                "the draws were made once and are not published; draws=False gives the "
                "values and errors they were made from"
            ),
        ),
    )
}
