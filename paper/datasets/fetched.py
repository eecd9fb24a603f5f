"""Data sets that cannot be bundled: fetched once, checked and cached.

Every function looks in the folder named by the environment variable INCERTA_DATA, then
in the cache (`cache`, else INCERTA_CACHE, else ``incerta`` in the system folder for
caches), then on the web. Nothing is written outside the cache.
"""

import os
import warnings
from typing import TypeAlias

from incerta.data import UncertainData, from_gaussian, from_samples
from incerta.datasets import Dataset
from incerta.exceptions import IncertaWarning
from incerta.typing import Array, Ids
from paper.datasets.about import ABOUT
from paper.datasets.formats import usps_sample
from paper.datasets.lookup import in_folder, obtain
from paper.datasets.sources import SOURCES
from paper.datasets.tables import Table

Folder: TypeAlias = "str | os.PathLike[str] | None"


def fetch_ecoli(*, cache: Folder = None, progress: bool = True) -> Dataset:
    """Fetch Ecoli: the location of proteins in the cell.

    327 exact objects, 7 features, 5 classes. Feature ``chg`` is constant. The public
    file (2.5 kB, PMLB) is identified by its checksum; its contents were not compared
    with those of a data folder. Its classes are identified by their sizes.

    Parameters
    ----------
    cache : path, optional
        Folder to keep the file in, instead of the usual cache.
    progress : bool, default=True
        Draw a bar on stderr while fetching, if that is a terminal.

    Returns
    -------
    Dataset

    Raises
    ------
    FetchError
        If the data cannot be obtained, or have changed.

    Examples
    --------
    >>> from paper.datasets import fetch_ecoli
    >>> fetch_ecoli()  # needs the web or a data folder  # doctest: +SKIP
    Dataset 'ecoli': 327 objects (exact), 7 features, 5 classes
    """
    return _assembled("ecoli", obtain(SOURCES["ecoli"], cache, progress))


def fetch_image(*, cache: Folder = None, progress: bool = True) -> Dataset:
    """Fetch Image Segmentation: patches of outdoor images.

    2310 exact objects, 19 features, 7 classes. Feature ``region-pixel-count`` is
    constant; 2086 rows are distinct. The public file (112 kB, PMLB) is identified by
    its checksum; its contents were not compared with those of a data folder. Its
    classes are codes of equal size: ``target_names`` are then these codes.

    Parameters
    ----------
    cache : path, optional
        Folder to keep the file in, instead of the usual cache.
    progress : bool, default=True
        Draw a bar on stderr while fetching, if that is a terminal.

    Returns
    -------
    Dataset

    Examples
    --------
    >>> from paper.datasets import fetch_image
    >>> fetch_image()  # needs the web or a data folder  # doctest: +SKIP
    Dataset 'image': 2310 objects (exact), 19 features, 7 classes
    """
    return _assembled("image", obtain(SOURCES["image"], cache, progress))


def fetch_libras(*, cache: Folder = None, progress: bool = True) -> Dataset:
    """Fetch Libras Movement: signs of the Brazilian sign language.

    360 exact objects, 90 features, 15 classes; 330 rows are distinct. The public file
    (63 kB, PMLB) is identified by its checksum; its contents were not compared with
    those of a data folder. Its classes are codes of equal size: ``target_names`` are
    then these codes.

    Parameters
    ----------
    cache : path, optional
        Folder to keep the file in, instead of the usual cache.
    progress : bool, default=True
        Draw a bar on stderr while fetching, if that is a terminal.

    Returns
    -------
    Dataset

    Examples
    --------
    >>> from paper.datasets import fetch_libras
    >>> fetch_libras()  # needs the web or a data folder  # doctest: +SKIP
    Dataset 'libras': 360 objects (exact), 90 features, 15 classes
    """
    return _assembled("libras", obtain(SOURCES["libras"], cache, progress))


def fetch_waveform(*, cache: Folder = None, progress: bool = True) -> Dataset:
    """Fetch Waveform: the UCI file; `make_waveform` simulates more data of this kind.

    5000 exact objects, 21 features, 3 classes. The public file (181 kB, PMLB) is
    identified by its checksum; its contents were not compared with those of a data
    folder. Its classes are identified by their sizes.

    Parameters
    ----------
    cache : path, optional
        Folder to keep the file in, instead of the usual cache.
    progress : bool, default=True
        Draw a bar on stderr while fetching, if that is a terminal.

    Returns
    -------
    Dataset

    Examples
    --------
    >>> from paper.datasets import fetch_waveform
    >>> fetch_waveform()  # needs the web or a data folder  # doctest: +SKIP
    Dataset 'waveform': 5000 objects (exact), 21 features, 3 classes
    """
    return _assembled("waveform", obtain(SOURCES["waveform"], cache, progress))


def fetch_usps(
    *, subset: bool = True, cache: Folder = None, progress: bool = True
) -> Dataset:
    """Fetch USPS: handwritten digits.

    9298 exact objects, 256 features, 10 classes, or a tenth of them. The sample is
    stratified (largest remainder), each class drawn without replacement in the order
    0 to 9 by ``numpy.random.default_rng(2019)``, and kept in the order of the file.

    Parameters
    ----------
    subset : bool, default=True
        Take the sample of 929 objects; otherwise all 9298.
    cache : path, optional
        Folder to keep the file in, instead of the usual cache.
    progress : bool, default=True
        Draw a bar on stderr while fetching, if that is a terminal.

    Returns
    -------
    Dataset

    Warns
    -----
    IncertaWarning
        If the rows of the public file are in another order than recorded, so that the
        sample has other objects. The present order has not been checked.

    Examples
    --------
    >>> from paper.datasets import fetch_usps
    >>> fetch_usps()  # needs the web or a data folder  # doctest: +SKIP
    Dataset 'usps': 929 objects (exact), 256 features, 10 classes
    """
    sample = SOURCES["usps929"]
    if subset and (table := in_folder(sample)) is not None:
        return _assembled("usps", table)
    table = obtain(SOURCES["usps"], cache, progress)
    if subset:
        rows = usps_sample(table.target)
        objects: dict[str, Ids] = {k: v[rows] for k, v in table.objects.items()}
        objects["source_row"] = rows
        table = Table(table.values[rows], table.target[rows], objects=objects)
        if sample.expected.differences(table):
            msg = (
                "the rows of the USPS file are in another order than recorded: this "
                "sample of 929 has other objects than the recorded sample."
            )
            warnings.warn(msg, IncertaWarning, stacklevel=2)
    return _assembled("usps", table)


def fetch_movement(*, cache: Folder = None, progress: bool = True) -> Dataset:
    """Fetch Movement: radio signals from people who walk one of six paths.

    314 objects with 19 to 129 values each, 13197 in all, 4 features, 6 classes. Further
    columns in ``objects`` give the environment (1 to 3) and whether the person changed
    rooms.

    Parameters
    ----------
    cache : path, optional
        Folder to keep the file in, instead of the usual cache.
    progress : bool, default=True
        Draw a bar on stderr while fetching, if that is a terminal.

    Returns
    -------
    Dataset

    Examples
    --------
    >>> from paper.datasets import fetch_movement
    >>> fetch_movement()  # needs the web or a data folder  # doctest: +SKIP
    Dataset 'movement': 314 objects (samples), 4 features, 6 classes
    """
    return _assembled("movement", obtain(SOURCES["movement"], cache, progress))


def fetch_nba() -> Dataset:
    """Load NBA: seasons of basketball players, from a data folder only.

    300 objects with 2203 values in all, 5 features, 3 classes. The terms of the
    source restrict bulk reuse, so there is nothing to fetch: the environment variable
    INCERTA_DATA must name a folder with ``nba.csv.gz`` and ``nba_objects.csv.gz``.

    Returns
    -------
    Dataset

    Examples
    --------
    >>> from paper.datasets import fetch_nba
    >>> fetch_nba()  # needs a data folder  # doctest: +SKIP
    Dataset 'nba': 300 objects (samples), 5 features, 3 classes
    """
    table = obtain(SOURCES["nba"], None, progress=False)
    return _assembled("nba", table, ids=table.objects["player"])


def fetch_kepler(
    *, draws: bool = False, cache: Folder = None, progress: bool = True
) -> Dataset:
    """Fetch Kepler objects of interest: planets and false positives, with error bars.

    6634 Gaussian objects, 6 features, 2 classes. They are the objects with known
    errors above zero and standard deviations below 1, without candidates. The standard
    deviation is the mean of the two one-sided errors.

    Parameters
    ----------
    draws : bool, default=False
        Take 600 of the objects with 30 recorded draws each, from a data folder only.
    cache : path, optional
        Folder to keep the file in, instead of the usual cache. The public table
        changes; delete the file to have it fetched again.
    progress : bool, default=True
        Draw a bar on stderr while fetching, if that is a terminal.

    Returns
    -------
    Dataset

    Warns
    -----
    IncertaWarning
        If the public table differs from the one recorded in 2019.

    Examples
    --------
    >>> from paper.datasets import fetch_kepler
    >>> fetch_kepler()  # needs the web or a data folder  # doctest: +SKIP
    Dataset 'kepler': 6634 objects (gaussian), 6 features, 2 classes
    """
    table = obtain(SOURCES["kepler600" if draws else "kepler"], cache, progress)
    return _assembled("kepler", table, ids=table.objects.get("kepoi_name"))


def _assembled(name: str, table: Table, ids: Ids | None = None) -> Dataset:
    about = ABOUT[name]
    features = about.feature_names
    data: UncertainData | Array
    if table.errors is not None:
        data = from_gaussian(
            table.values, table.errors, ids=ids, feature_names=features
        )
    elif table.rows is not None:
        owners = table.rows if ids is None else ids[table.rows]
        data = from_samples(table.values, owners, feature_names=features)
    else:
        data = table.values
    names = table.target_names or about.target_names
    return Dataset(
        name, data, table.target, names, features, about.description, table.objects
    )
