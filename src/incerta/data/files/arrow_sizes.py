"""What arrow files unpack to, found out from their headers before they are read.

The headers are flatbuffers, as the format of arrow describes them.
"""

import os
import struct
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

from incerta.exceptions import FileError

MAGIC = b"ARROW1"
GOES_ON = b"\xff\xff\xff\xff"  # before the length of a header, since version 0.15
DICTIONARY, BATCH = 2, 3  # kinds of messages


class Message(NamedTuple):
    """A batch of rows, or the words of a dictionary."""

    n_rows: int
    is_dictionary: bool
    sizes: tuple[int, ...]  # of its buffers, unpacked
    views: tuple[int, ...]  # how many buffers each column of views has besides two


class Buffers(NamedTuple):
    """How many buffers a column has, with those of its parts."""

    fixed: int
    n_views: int  # columns of views, which have any number besides


class _Damage(Exception):  # noqa: N818
    """What headers say cannot be."""


def messages_of(path: Path) -> Iterator[Message]:
    """All batches of an arrow file, in file or stream format.

    Parameters
    ----------
    path : Path
        The file. Its headers are read, and nothing else.

    Yields
    ------
    Message
    """
    with path.open("rb") as stream:
        size = os.fstat(stream.fileno()).st_size
        is_file = stream.read(len(MAGIC)) == MAGIC
        try:
            for header, body, n_body in (_blocks if is_file else _in_a_row)(
                stream, size
            ):
                if n_body < 0 or body + n_body > size:
                    raise _Damage
                found = _message(stream, header, body, n_body)
                if found is not None:
                    yield found
        except (struct.error, IndexError, _Damage) as error:
            msg = f"{path} cannot be read: its headers are damaged, or its end is cut."
            raise FileError(msg) from error


def buffers_of(schema: Any) -> list[Buffers]:
    """Buffers of each column of a schema of pyarrow."""
    return [_buffers(field.type) for field in schema]


def needed_size(
    message: Message, buffers: Sequence[Buffers], needed: Collection[int]
) -> int:
    """Bytes of the needed columns of a batch, or of all of a dictionary.

    Parameters
    ----------
    message : Message
        The batch.
    buffers : sequence of Buffers
        Of all columns.
    needed : collection of int
        Places of the needed ones.
    """
    if message.is_dictionary:  # pyarrow reads all of these
        return sum(message.sizes)
    size = place = 0
    views = iter(message.views)
    for number, (fixed, n_views) in enumerate(buffers):
        end = place + fixed + sum(next(views, 0) for _ in range(n_views))
        if number in needed:
            size += sum(message.sizes[place:end])
        place = end
    return size


def _buffers(kind: Any) -> Buffers:
    import pyarrow as pa

    if isinstance(kind, pa.BaseExtensionType):
        return _buffers(kind.storage_type)
    if pa.types.is_dictionary(kind):
        return Buffers(2, 0)  # its words are a message of their own
    is_view = pa.types.is_string_view(kind) or pa.types.is_binary_view(kind)
    parts = [_buffers(kind.field(n).type) for n in range(kind.num_fields)]
    return Buffers(
        kind.num_buffers + sum(part.fixed for part in parts),
        is_view + sum(part.n_views for part in parts),
    )


# where messages are: header, place and length of the body -----------------------------


def _blocks(stream: BinaryIO, size: int) -> Iterator[tuple[bytes, int, int]]:
    """As the end of a file says."""
    tail = len(MAGIC) + 4
    (length,) = struct.unpack("<i", _at(stream, size - tail, 4))
    footer = _at(stream, size - tail - length, length)
    root = _root(footer)
    for field in (2, 3):  # dictionaries, batches
        for place in _vector(footer, root, field, 24):
            begin, n_header, n_body = struct.unpack_from("<qi4xq", footer, place)
            if not 0 <= n_header <= size:
                raise _Damage
            header = _at(stream, begin, n_header)
            header = header[8 if header.startswith(GOES_ON) else 4 :]
            told = _number(header, _root(header), 3, "<q")  # once more
            yield header, begin + n_header, max(n_body, told)


def _in_a_row(stream: BinaryIO, size: int) -> Iterator[tuple[bytes, int, int]]:
    """One after the other."""
    place = 0
    while place < size:
        length = _at(stream, place, 4)
        place += 4
        if length == GOES_ON:
            length = _at(stream, place, 4)
            place += 4
        (n_header,) = struct.unpack("<i", length)
        if n_header == 0:
            return
        if not 0 < n_header <= size:
            raise _Damage
        header = _at(stream, place, n_header)
        place += n_header
        n_body = _number(header, _root(header), 3, "<q")
        yield header, place, n_body
        place += n_body


def _at(stream: BinaryIO, place: int, length: int) -> bytes:
    if place < 0:
        raise _Damage
    stream.seek(place)
    found = stream.read(length)
    if len(found) < length:
        raise _Damage
    return found


def _message(stream: BinaryIO, header: bytes, body: int, n_body: int) -> Message | None:
    root = _root(header)
    kind = _number(header, root, 1, "<B")
    if kind not in (DICTIONARY, BATCH):
        return None
    batch = _table(header, root, 2)
    if kind == DICTIONARY:
        batch = _table(header, batch, 1)
    n_rows = _number(header, batch, 0, "<q")
    packed = _offset(header, batch, 3) != 0
    sizes = []
    for place in _vector(header, batch, 2, 16):
        offset, length = struct.unpack_from("<qq", header, place)
        if min(offset, length) < 0 or offset + length > n_body:
            raise _Damage
        if packed and length:
            (told,) = struct.unpack("<q", _at(stream, body + offset, 8))
            length = length - 8 if told == -1 else told
        sizes.append(length)
    if min(n_rows, *sizes, 0) < 0:
        raise _Damage
    counts = _vector(header, batch, 4, 8)
    views = tuple(struct.unpack_from("<q", header, place)[0] for place in counts)
    return Message(n_rows, kind == DICTIONARY, tuple(sizes), views)


# flatbuffers --------------------------------------------------------------------------


def _root(header: bytes) -> int:
    return int(struct.unpack_from("<I", header)[0])


def _offset(header: bytes, table: int, field: int) -> int:
    """Where a field of a table is, from the table on; 0 if it is not there."""
    names = table - struct.unpack_from("<i", header, table)[0]
    if names < 0:
        raise _Damage
    (size,) = struct.unpack_from("<H", header, names)
    place = 4 + 2 * field
    there = place + 2 <= size
    return int(struct.unpack_from("<H", header, names + place)[0]) if there else 0


def _number(header: bytes, table: int, field: int, form: str) -> int:
    offset = _offset(header, table, field)
    return int(struct.unpack_from(form, header, table + offset)[0]) if offset else 0


def _table(header: bytes, table: int, field: int) -> int:
    place = table + _offset(header, table, field)
    return place + int(struct.unpack_from("<I", header, place)[0])


def _vector(header: bytes, table: int, field: int, size: int) -> range:
    """Places of the entries of a vector."""
    if not _offset(header, table, field):
        return range(0)
    place = _table(header, table, field)
    (length,) = struct.unpack_from("<I", header, place)
    if place + 4 + length * size > len(header):
        raise _Damage
    return range(place + 4, place + 4 + length * size, size)
