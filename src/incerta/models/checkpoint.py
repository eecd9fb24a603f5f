"""Checkpoints: the finished pieces of a long computation, as files in a folder."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from incerta.backend.memory import physical_bytes
from incerta.backend.writing import replacing
from incerta.exceptions import CheckpointError, ModelFileError
from incerta.models.archive import Archive, write_archive
from incerta.models.values import Decoder, Encoder
from incerta.version import __version__

OWNER = "checkpoint.json"


class Checkpoint(NamedTuple):
    """The folder of the finished pieces, if there is one, and the first call's seed."""

    folder: Path | None
    seed: int

    def piece(self, name: str, make: Callable[[], Any]) -> Any:
        """Read a piece, or make and keep it; both give the same piece bit for bit."""
        if not self.has(name):
            self.write(name, piece := make())
            return piece
        return self.read(name)

    def has(self, name: str) -> bool:
        """Tell whether a piece is finished."""
        return self.folder is not None and self._file(name).is_file()

    def read(self, name: str) -> Any:
        """Read a finished piece."""
        file = self._file(name)
        try:
            with Archive(file, physical_bytes()) as archive:
                manifest, arrays = archive.manifest(), archive.arrays()
            return Decoder(arrays, archive.budget).decode(manifest["piece"])
        except Exception as error:
            msg = f"{file} is damaged ({error}); remove it, and it is made again."
            raise CheckpointError(msg) from error

    def write(self, name: str, made: Any) -> None:
        """Keep a piece."""
        if self.folder is None:
            return
        encoder = Encoder()
        with _storing(self.folder, f"cannot hold {name!r}"):
            manifest = {"piece": encoder.encode(made)}
            write_archive(self._file(name), manifest, encoder.arrays)

    def _file(self, name: str) -> Path:
        assert self.folder is not None
        return self.folder / f"{name}.piece"


def opened(
    folder: str | os.PathLike[str] | None,
    what: str,
    parameters: Mapping[str, Any],
    data: Any,
    seed: int,
    seed_is_given: bool,
) -> Checkpoint:
    """Open the checkpoint of a computation in a folder, or create it.

    A checkpoint belongs to one `what`, `parameters`, `data` and seed, which determine
    the result. A folder for others is refused. If the seed is not given, the seed of an
    existing checkpoint is used.
    """
    if folder is None:
        return Checkpoint(None, seed)
    place = Path(folder)
    own: dict[str, Any] = {
        "computation": what,
        "incerta": __version__,
        "parameters": {name: _text(value) for name, value in parameters.items()},
        "data": _digest(data, place),
    }
    owner = place / OWNER
    try:
        place.mkdir(parents=True, exist_ok=True)
        if owner.is_file():
            there = json.loads(owner.read_text(encoding="utf-8"))
        else:
            there = {**own, "seed": seed}
            with replacing(owner) as beside:
                beside.write_text(json.dumps(there, indent=1), encoding="utf-8")
    except (OSError, ValueError) as error:
        msg = f"checkpoint={str(place)!r} cannot be used: {error}."
        raise CheckpointError(msg) from error
    if seed_is_given:
        own["seed"] = seed
    for name, value in own.items():
        if there.get(name) != value:
            _refuse(place, name, there.get(name), value)
    return Checkpoint(place, int(there["seed"]))


def _refuse(place: Path, name: str, there: Any, here: Any) -> None:
    if name == "parameters" and isinstance(there, dict):
        unlike = sorted(k for k in {*there, *here} if there.get(k) != here.get(k))
        name = f"parameters ({', '.join(unlike)})"
    elif name != "data":
        name = f"{name} ({there!r}, here {here!r})"
    msg = (
        f"checkpoint={str(place)!r} belongs to a computation with other {name}; give "
        "another folder, or remove this one."
    )
    raise CheckpointError(msg)


def _digest(data: Any, place: Path) -> str:
    """Hash data by the contents of their model file."""
    encoder = Encoder()
    with _storing(place, "cannot be kept for these data"):
        text = json.dumps(encoder.encode(data), sort_keys=True)
    digest = hashlib.sha256(text.encode())
    for array in encoder.arrays:
        digest.update(f"{array.dtype.str}{array.shape}".encode())
        digest.update(np.ascontiguousarray(array).view(np.uint8).data)
    return digest.hexdigest()


@contextmanager
def _storing(folder: Path, problem: str) -> Iterator[None]:
    """Report values that a model file, and so a checkpoint, cannot hold."""
    try:
        yield
    except ModelFileError as error:
        msg = f"checkpoint={str(folder)!r} {problem}: {error} Or leave checkpoint out."
        raise CheckpointError(msg) from error


def _text(value: Any) -> str:
    """Describe a parameter in text unique to its value."""
    if isinstance(value, partial):
        with_all = (*value.args, *sorted(value.keywords.items()))
        return f"{_text(value.func)}({', '.join(map(_text, with_all))})"
    if isinstance(value, np.ndarray):
        return f"array {value.shape} {hashlib.sha256(value.tobytes()).hexdigest()}"
    if isinstance(value, Sequence) and not isinstance(value, str):
        return f"[{', '.join(map(_text, value))}]"
    if hasattr(value, "get_params") and not isinstance(value, type):
        given = sorted(value.get_params(deep=True).items())
        return f"{_name(type(value))}({', '.join(map(_text, given))})"
    return _name(value) if callable(value) else repr(value)


def _name(value: Any) -> str:
    return f"{value.__module__}.{getattr(value, '__qualname__', type(value).__name__)}"
