"""Model files: `save` and `load`."""

from __future__ import annotations

import os
from pathlib import Path
from textwrap import shorten
from typing import Any, NoReturn

from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from incerta.backend.memory import physical_bytes
from incerta.exceptions import ModelFileError
from incerta.models.archive import Archive, write_archive
from incerta.models.budget import Budget
from incerta.models.recipes import register_scikit_learn
from incerta.models.registry import is_model
from incerta.models.values import Decoder, Encoder
from incerta.version import __version__

FORMAT = "incerta model"
# Raise it when older versions could misread a file; keep reading the older ones, and
# keep a file of each in the tests.
FORMAT_VERSION = 1
MOST_TOLD = 500  # characters of what is wrong


def save(model: Any, path: str | os.PathLike[str]) -> None:
    """Write a fitted model to a file.

    Parameters
    ----------
    model : estimator, Standardizer or Clustering
        Any fitted estimator of this library, or what `cluster` returned.
    path : str or path-like
        Where to; the usual extension is ``.incerta``. An existing file is replaced when
        the new one is complete.

    Raises
    ------
    ModelFileError
        If the model holds something that cannot be stored, such as a function, or if
        the file cannot be written. The message names the attribute.

    Notes
    -----
    The file is a zip of one JSON text and of ``.npy`` arrays. It holds everything that
    `predict` needs: for most methods this includes the data. Equal models give equal
    bytes. It is as large as the arrays of the model, and writing takes no memory beyond
    them.

    Data given by `scipy.stats` are stored by the names and parameters of the
    distributions, so the same worlds are drawn from them: univariate ones, kernel
    densities, multivariate normal and t. Clusterers of scikit-learn are stored by their
    parameters and fitted arrays. Other distributions, clusterers of other libraries
    and functions cannot be stored.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import incerta as ic
    >>> data = ic.from_gaussian([[0.0], [0.2], [5.0], [5.3]], std=0.1)
    >>> uk = ic.UKMeans(n_clusters=2, random_state=0).fit(data)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     ic.save(uk, Path(folder) / "stars.incerta")
    ...     again = ic.load(Path(folder) / "stars.incerta")
    >>> again.predict([[[4.0], [6.0]]])
    array([1])
    """
    register_scikit_learn()
    if not is_model(model):
        msg = (
            f"model is a {type(model).__name__}; save takes fitted estimators of this "
            "library and what cluster() returns."
        )
        raise TypeError(msg)
    if isinstance(model, BaseEstimator):
        check_is_fitted(model)
    encoder = Encoder()
    manifest = {
        "format": FORMAT,
        "format_version": FORMAT_VERSION,
        "incerta": __version__,
        "model": encoder.encode(model),
        "n_arrays": len(encoder.arrays),
    }
    write_archive(Path(path), manifest, encoder.arrays)


def load(path: str | os.PathLike[str], *, max_bytes: int | None = None) -> Any:
    """Read a model from a file that `save` wrote.

    Parameters
    ----------
    path : str or path-like
        The file.
    max_bytes : int, optional
        Most memory to take; half of this machine's memory by default. A file that asks
        for more is refused before it gets it.

    Returns
    -------
    estimator, Standardizer or Clustering
        As it was: attributes and predictions are the same to the last bit.

    Raises
    ------
    ModelFileError
        If the file is damaged, not a model file, too large or from a newer version.

    Notes
    -----
    Nothing in a file is executed: it can only name classes from a fixed list, arrays
    are read without pickle, and names of folders and files in it are not followed.
    Whatever would take memory is counted before it is made: a file takes at most 64
    times its size and 64 MiB, mostly little more than its size, and what is counted
    stays within `max_bytes`. Every part has a checksum: a file that was damaged by
    accident is refused, unless nothing was hit that matters. Like any data from
    strangers, a model from a stranger may still be wrong: its checksums are right, and
    what it predicts is what its maker chose.

    Examples
    --------
    >>> import tempfile
    >>> import incerta as ic
    >>> fitted = ic.UKMeans(2, random_state=0).fit([[0.0], [0.2], [5.0], [5.1]])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     fitted.save(f"{folder}/model.incerta")
    ...     again = ic.load(f"{folder}/model.incerta")
    >>> again.predict([[4.0]])
    array([1])
    """
    file = Path(path)
    limit = physical_bytes() // 2 if max_bytes is None else int(max_bytes)
    try:
        with Archive(file, limit) as archive:
            manifest = archive.manifest()
            _check_version(file, manifest)
            arrays = archive.arrays()
        return _model_of(manifest, arrays, archive.budget)
    except ModelFileError:
        raise
    except MemoryError as error:
        msg = f"{file} does not fit into the memory that is free."
        raise ModelFileError(msg) from error
    except FileNotFoundError as error:
        msg = f"there is no file {file}."
        raise ModelFileError(msg) from error
    # A damaged file can trip any step; whatever it says, the file is the reason.
    except Exception as error:
        reason = shorten(str(error), MOST_TOLD) or type(error).__name__
        msg = f"{file} cannot be loaded; it is damaged or not a model file: {reason}."
        raise ModelFileError(msg) from error


def _check_version(file: Path, manifest: Any) -> None:
    if not isinstance(manifest, dict) or manifest.get("format") != FORMAT:
        _refuse(file, "is not a model file of incerta")
    version = manifest.get("format_version")
    if type(version) is not int or version < 1:
        _refuse(file, f"has a format version {version!r} that never existed")
    if version > FORMAT_VERSION:
        _refuse(
            file,
            f"was written by incerta {manifest.get('incerta')}, format {version}; this "
            f"is incerta {__version__}, which reads formats up to "
            f"{FORMAT_VERSION}. Install a newer one",
        )


def _model_of(manifest: dict[str, Any], arrays: list[Any], budget: Budget) -> Any:
    if manifest["n_arrays"] != len(arrays):
        msg = f"{len(arrays)} of {manifest['n_arrays']} arrays are there"
        raise ValueError(msg)
    register_scikit_learn()
    model = Decoder(arrays, budget).decode(manifest["model"])
    if not is_model(model):
        msg = f"it holds a {type(model).__name__}"
        raise ValueError(msg)
    return model


def _refuse(file: Path, what: str) -> NoReturn:
    msg = f"{file} {what}."
    raise ModelFileError(msg)
