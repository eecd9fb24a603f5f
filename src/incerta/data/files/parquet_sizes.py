"""What parquet files unpack to, found out from their headers before they are read.

The headers are in thrift's compact protocol. They are read here, as pyarrow ends the
process where those of a damaged file contradict each other, and as the end of a file
may say less than its pages do.
"""

import os
import struct
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

from incerta.data.files.limits import NUMBER_BYTES
from incerta.exceptions import FileError

MAGIC = (b"PAR1", b"PARE")  # the second one is locked by a key
FIXED_WIDTH = 7  # a physical type
# Pages begin with a header; few are longer than the first of these.
HEADER_BYTES = (2**9, 2**16, 2**24)
DEEPEST = 32  # structs in structs: no header needs half of it


class Chunk(NamedTuple):
    """A column of a row group."""

    begin: int  # of its first page
    length: int  # of all pages, as they are in the file
    unpacked: int  # as the end of the file says
    filled: int  # all of its values, if none were repeated


class Group(NamedTuple):
    """A row group."""

    n_rows: int
    chunks: tuple[Chunk, ...]


class Footer(NamedTuple):
    """What the end of a file says."""

    names: tuple[str, ...]  # of the column that each chunk belongs to
    groups: tuple[Group, ...]

    def size(self, group: Group, columns: Collection[str]) -> int:
        """Bytes that some columns of a row group take at least, unpacked."""
        return sum(
            # Runs of one value take next to nothing in the file.
            max(chunk.unpacked, chunk.filled)
            for name, chunk in zip(self.names, group.chunks, strict=True)
            if name in columns
        )


class _Damage(Exception):  # noqa: N818
    """What headers say cannot be."""


def footer_of(path: Path) -> Footer:
    """Read the end of a parquet file."""
    with path.open("rb") as stream:
        size = os.fstat(stream.fileno()).st_size
        stream.seek(max(size - 8, 0))
        tail = stream.read(8)
        if tail[4:] not in MAGIC:
            msg = f"{path} cannot be read: it does not end as a parquet file does."
            raise FileError(msg)
        (length,) = struct.unpack("<I", tail[:4])
        if length + 8 > size:
            raise _damaged(path)
        stream.seek(size - 8 - length)
        try:
            return _footer(stream.read(length), size)
        except _DAMAGE as error:
            raise _damaged(path) from error


def bytes_of_pages(
    path: Path, footer: Footer, groups: Sequence[int], columns: Collection[str]
) -> int:
    """Bytes that some columns of some row groups take, as their pages say.

    Parameters
    ----------
    path : Path
        The file; the beginning of each page is read.
    footer : Footer
        Its end.
    groups : sequence of int
        Numbers of the row groups.
    columns : collection of str
        Names of the columns.
    """
    total = 0
    with path.open("rb") as stream:
        for number in groups:
            group = footer.groups[number]
            for name, chunk in zip(footer.names, group.chunks, strict=True):
                if name in columns:
                    try:
                        pages = sum(_pages(stream, chunk))
                    except _DAMAGE as error:
                        raise _damaged(path) from error
                    total += max(pages, chunk.filled)
    return total


def _damaged(path: Path) -> FileError:
    return FileError(f"{path} cannot be read: its headers are damaged.")


_DAMAGE = (
    _Damage,
    IndexError,
    KeyError,
    TypeError,
    ValueError,
    StopIteration,
    struct.error,
)


def _footer(header: bytes, size: int) -> Footer:
    found, _ = _struct(header, 0, DEEPEST)
    schema = found[2]
    names, leaves = _leaves(schema)
    groups = []
    for group in found.get(4, ()):
        if len(group[1]) != len(leaves):
            raise _Damage
        chunks = (_chunk(*pair, size) for pair in zip(group[1], leaves, strict=True))
        groups.append(Group(_count(group[3]), tuple(chunks)))
    return Footer(names, tuple(groups))


def _leaves(schema: Sequence[dict[int, Any]]) -> tuple[tuple[str, ...], list[Any]]:
    """Entries of the schema that have no parts, and the columns they belong to."""
    names, leaves = [], []
    open_parts: list[int] = []  # how many parts each parent still gets
    column = ""
    for number, entry in enumerate(schema):
        while open_parts and open_parts[-1] == 0:
            open_parts.pop()
        if len(open_parts) == 1:
            column = entry[4].decode()
        if open_parts:
            open_parts[-1] -= 1
        elif number:
            raise _Damage
        if entry.get(5, 0) > 0 or not number:
            open_parts.append(_count(entry.get(5, 0)))
        else:
            names.append(column)
            leaves.append(entry)
    return tuple(names), leaves


def _chunk(chunk: dict[int, Any], leaf: dict[int, Any], size: int) -> Chunk:
    about = chunk[3]
    begins = [_count(about[field]) for field in (9, 11) if about.get(field)]
    begin, length = min(begins), _count(about[7])
    if begin + length > size or about[1] != leaf[1]:
        raise _Damage
    width = _count(leaf.get(2, 0)) if leaf[1] == FIXED_WIDTH else NUMBER_BYTES
    filled = _count(about[5]) * max(width, NUMBER_BYTES)
    return Chunk(begin, length, _count(about[6]), filled)


def _pages(stream: BinaryIO, chunk: Chunk) -> Iterator[int]:
    """Size of each page, unpacked."""
    place, end = chunk.begin, chunk.begin + chunk.length
    while place < end:
        header, length = _page(stream, place)
        yield _count(header[2])
        place += length + _count(header[3])
    if place > end:
        raise _Damage


def _page(stream: BinaryIO, place: int) -> tuple[dict[int, Any], int]:
    for most in HEADER_BYTES:
        stream.seek(place)
        try:
            return _struct(stream.read(most), 0, DEEPEST)
        except (IndexError, struct.error):
            continue
    raise _Damage


def _count(number: Any) -> int:
    if not isinstance(number, int) or number < 0:
        raise _Damage
    return number


# thrift -------------------------------------------------------------------------------


def _struct(data: bytes, place: int, deep: int) -> tuple[dict[int, Any], int]:
    """Fields of a struct by their numbers, and the place after it."""
    if not deep:
        raise _Damage
    found: dict[int, Any] = {}
    field = 0
    while True:
        byte = data[place]
        place += 1
        if byte == 0:
            return found, place
        kind = byte & 0x0F
        if byte >> 4:
            field += byte >> 4
        else:
            number, place = _varint(data, place)
            field = number >> 1 ^ -(number & 1)
        if 4 <= kind <= 6 and data[place] < 128:  # most are; wide tables have many
            number = data[place]
            place += 1
            found[field] = number >> 1 ^ -(number & 1)
        elif kind < 3:  # truth values are part of the field itself
            found[field] = kind == 1
        else:
            found[field], place = _value(data, place, kind, deep)


def _value(data: bytes, place: int, kind: int, deep: int) -> tuple[Any, int]:
    if 4 <= kind <= 6:
        number, place = _varint(data, place)
        return number >> 1 ^ -(number & 1), place
    if kind == 8:
        length, place = _varint(data, place)
        if place + length > len(data):
            raise IndexError
        return data[place : place + length], place + length
    if kind == 12:
        return _struct(data, place, deep - 1)
    if kind in (9, 10):
        return _list(data, place, deep)
    if kind in (1, 2, 3):  # in lists
        return data[place], place + 1
    if kind == 7:
        return struct.unpack_from("<d", data, place)[0], place + 8
    raise _Damage


def _list(data: bytes, place: int, deep: int) -> tuple[list[Any], int]:
    byte = data[place]
    length, kind, place = byte >> 4, byte & 0x0F, place + 1
    if length == 15:
        length, place = _varint(data, place)
    if length > len(data):  # each entry takes a byte at least
        raise IndexError
    found = []
    for _ in range(length):
        one, place = _value(data, place, kind, deep - 1)
        found.append(one)
    return found, place


def _varint(data: bytes, place: int) -> tuple[int, int]:
    byte = data[place]
    place += 1
    if byte < 128:
        return byte, place
    number, shift = byte & 0x7F, 7
    while byte >= 128:
        byte = data[place]
        place += 1
        number |= (byte & 0x7F) << shift
        shift += 7
        if shift > 70:
            raise _Damage
    return number, place
