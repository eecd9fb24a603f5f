"""The format of model files: a zip of one JSON text and the arrays, nothing else.

Members have a fixed order and date, so the same model gives the same bytes. Every size
stated in a file is checked and charged to its budget before the contents are read.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Sequence
from math import prod
from pathlib import Path
from typing import Any, NoReturn, Self
from zipfile import ZIP_STORED, ZipFile, ZipInfo

import numpy as np
from numpy.lib import format as npy

from incerta.backend.memory import BLOCK_BYTES, blocks
from incerta.backend.writing import replacing
from incerta.exceptions import ModelFileError
from incerta.models.checks import wrong

MANIFEST = "manifest.json"
MOST_MEMBERS = 2**17
MOST_MANIFEST_BYTES = 2**24
MOST_HEADER_BYTES = 2**10
# Limit on the list of members at the end of the file; ours take under 100 bytes each.
DIRECTORY_BYTES = 100 * MOST_MEMBERS

# Kinds of numpy types without pointers: numbers, Booleans, strings, bytes and dates.
KINDS_OF_ARRAYS = "biufcUSMm"

# Limit on the counted bytes, below the 64 times the size plus 2**26 that `load`
# promises. The rest is for temporary arrays in checks and for the allocator's overhead.
COUNTED_TIMES, COUNTED_MORE = 48, 2**25

# Most bytes that Python takes on a 64-bit system; tests measure them.
OF_JSON = 36  # per character of JSON; lists within small dictionaries take the most
OF_DIRECTORY = 20  # per byte of a zip's list of members
OF_ARRAY = 256  # in addition to its entries
OF_LIST, OF_ITEM = 64, 24
OF_PAIR = 128
OF_SCALAR = 192
OF_OBJECT = 1024
OF_TEXT = 192  # with its place in an array, its start and its end
OF_CHARACTER = 6  # per byte: up to 4 in a string, and a copy of the bytes


def refuse(path: Path, what: str) -> NoReturn:
    """Raise an error that says what is wrong with a file."""
    msg = f"{path} {what}."
    raise ModelFileError(msg)


def array_name(number: int) -> str:
    """Return the name of the member that holds an array."""
    return f"arrays/{number}.npy"


def is_storable(dtype: np.dtype[Any]) -> bool:
    """Tell whether a file can hold arrays of this type, the same on every machine."""
    n_parts = 2 if dtype.kind == "c" else 1
    portable = dtype.kind not in "fc" or dtype.itemsize <= 8 * n_parts
    return dtype.kind in KINDS_OF_ARRAYS and dtype.itemsize > 0 and portable


def write_archive(path: Path, manifest: Any, arrays: Sequence[np.ndarray]) -> None:
    """Write a model file next to its final place, and rename it when it is complete."""
    text = json.dumps(manifest, allow_nan=False, sort_keys=True, separators=(",", ":"))
    if len(text) > MOST_MANIFEST_BYTES or len(arrays) >= MOST_MEMBERS:
        msg = (
            f"the model has {len(arrays)} arrays and {len(text)} characters besides; "
            f"a file holds at most {MOST_MEMBERS - 1} and {MOST_MANIFEST_BYTES}. Fit "
            "with fewer worlds."
        )
        raise ModelFileError(msg)
    try:
        with replacing(path) as beside, ZipFile(beside, "x", ZIP_STORED) as file:
            file.writestr(_member(MANIFEST), text)
            for number, array in enumerate(arrays):
                member = _member(array_name(number))
                member.file_size = array.nbytes + MOST_HEADER_BYTES
                with file.open(member, "w") as out:
                    npy.write_array(out, array, allow_pickle=False)
    except OSError as error:
        msg = f"cannot write {path}: {error.strerror or error}."
        raise ModelFileError(msg) from error


class Budget:
    """Memory that a file may still take, limited by its size and by the caller.

    A small file can refer to an array or a distribution many times, so every reference
    is charged before memory is taken.
    """

    def __init__(self, path: Path, size: int, max_bytes: int) -> None:
        self._path = path
        self._enough = COUNTED_TIMES * size + COUNTED_MORE
        self._limit = self._left = min(max_bytes, self._enough)

    def pay(self, n_bytes: int) -> None:
        """Charge bytes that are about to be taken; refuse to exceed the budget."""
        self._left -= n_bytes
        if self._left >= 0:
            return
        if self._limit < self._enough:
            what = (
                f"takes more memory than the {self._limit} bytes allowed; pass "
                f"max_bytes={self._enough} to load it anyway"
            )
        else:
            what = (
                f"asks for more than {self._limit} bytes of memory, which no model "
                "file of its size needs; it is damaged or was made to do harm"
            )
        refuse(self._path, what)

    def pay_for_array(self, array: np.ndarray) -> None:
        """Charge one more reference to an array that is already in memory."""
        # A message about the object that holds it may show up to 1000 of its entries.
        self.pay(OF_ITEM + min(array.size, 1000) * (4 * array.itemsize + 32))


class Archive:
    """An open model file that may take at most `max_bytes` of memory."""

    def __init__(self, path: Path, max_bytes: int) -> None:
        self.path = path
        size = path.stat().st_size
        self.budget = Budget(path, size, max_bytes)
        self.budget.pay(size)
        self.budget.pay(OF_DIRECTORY * self._directory_bytes(size))
        self._zip = ZipFile(path)
        self._members = self._zip.infolist()
        self._n_bytes = size

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *raised: object) -> None:
        self._zip.close()

    def manifest(self) -> Any:
        """Read the JSON text."""
        first = self._members[0] if self._members else None
        if first is None or first.filename != MANIFEST:
            self._refuse(f"has no {MANIFEST}: it is not a model file")
        self._check_stored(first)
        if first.file_size > MOST_MANIFEST_BYTES:
            self._refuse(f"has a {MANIFEST} of {first.file_size} bytes")
        self.budget.pay(OF_JSON * first.file_size)
        text = self._zip.read(first).decode("ascii")
        return json.loads(text, parse_constant=_no_constant)

    def arrays(self) -> list[np.ndarray]:
        """Read all arrays in order."""
        members = self._members[1:]
        if len(members) >= MOST_MEMBERS:
            self._refuse(f"has {len(members)} arrays, more than {MOST_MEMBERS - 1}")
        for number, member in enumerate(members):
            if member.filename != array_name(number):
                self._refuse(
                    f"holds {member.filename!r} where {array_name(number)!r} belongs"
                )
            self._check_stored(member)
        # Uncompressed members cannot add up to more than the file unless they overlap.
        if sum(member.file_size for member in self._members) > self._n_bytes:
            self._refuse("claims to hold more than it does")
        # The file itself is already charged; the buffers for reading it are not.
        largest = max((member.file_size for member in members), default=0)
        self.budget.pay(2 * min(largest, BLOCK_BYTES) + OF_ARRAY * len(members))
        return [self._array(member) for member in members]

    def _array(self, member: ZipInfo) -> np.ndarray:
        with self._zip.open(member) as file:
            version = npy.read_magic(file)
            if version != (1, 0):
                self._refuse(f"has {member.filename} in an unknown format {version}")
            header = npy.read_array_header_1_0(file, max_header_size=MOST_HEADER_BYTES)
            shape, in_columns, dtype = header
            if not is_storable(dtype):
                self._refuse(f"has {member.filename} of type {dtype}")
            # Python integers do not overflow.
            n_entries = prod(shape)
            rest = member.file_size - file.tell()
            if min(shape, default=0) < 0 or n_entries * dtype.itemsize != rest:
                self._refuse(
                    f"has {rest} bytes in {member.filename} for shape {shape} of "
                    f"{dtype}"
                )
            # Sums over an empty axis have as many entries as the other lengths say.
            self.budget.pay(0 if n_entries else 8 * prod(filter(None, shape)))
            flat = np.empty(n_entries, dtype)
            into = flat.view(np.uint8)
            for block in blocks(rest, 1):
                wanted = block.stop - block.start
                into[block] = np.frombuffer(file.read(wanted), np.uint8, wanted)
        if in_columns:
            return flat.reshape(shape[::-1]).T
        return flat.reshape(shape)

    def _check_stored(self, member: ZipInfo) -> None:
        encrypted = member.flag_bits & 0x1
        if member.compress_type != ZIP_STORED or encrypted:
            self._refuse(f"has {member.filename} compressed or encrypted")
        if not 0 <= member.file_size == member.compress_size:
            self._refuse(f"has two sizes for {member.filename}")

    def _directory_bytes(self, size: int) -> int:
        """Return the length of the list of members; refuse a file that is not a zip."""
        with self.path.open("rb") as file:
            start = file.read(4)
            file.seek(max(0, size - 98))
            tail = file.read(98)
        if size < 22 or tail[-22:-18] != b"PK\5\6":
            cut = "truncated or " if start == b"PK\3\4" else ""
            self._refuse(f"is {cut}not a model file of incerta")
        length = struct.unpack("<L", tail[-10:-6])[0]
        if tail[-42:-38] == b"PK\6\7":  # zip64, for large files
            length = struct.unpack("<Q", tail[-58:-50])[0]
        if length > DIRECTORY_BYTES:
            self._refuse(f"has a list of members of {length} bytes")
        return int(length)

    def _refuse(self, what: str) -> NoReturn:
        refuse(self.path, what)


def _member(name: str) -> ZipInfo:
    member = ZipInfo(name, date_time=(1980, 1, 1, 0, 0, 0))
    member.create_system = 3  # the same bytes on every machine
    member.external_attr = 0o644 << 16
    return member


def _no_constant(name: str) -> NoReturn:
    wrong(f"{name} is not a number in JSON")
