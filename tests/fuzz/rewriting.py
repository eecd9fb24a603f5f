"""Ways to damage model files: zips of one JSON text and of arrays."""

import io
import json
import random
import re
import struct
import zipfile
import zlib
from contextlib import suppress
from functools import cache
from typing import Any

import numpy as np

from tests.fuzz.damage import damaged, extreme_number

Members = dict[str, bytes]
MANIFEST = "manifest.json"
NUMBERS = (0, 1, -1, 2, 3, 7, 40, 2**31, -(2**31), 2**53, 2**63, 10**30, 0.5, 1e308)
ODD = (np.nan, np.inf, -np.inf, 1e308, -1e308, -1.0, 0.0, 5e-324, 2.0**53)
DTYPES = ("<f8", ">f8", "<f4", "<i8", "<i4", "|i1", "|u1", "<u8", "|b1", "<U3", "|S2")
DTYPES += ("<c16", "<M8[s]", "<m8[ns]", "<f2")
CLASSES = [
    "UKMeans",
    "RPC",
    "ErrorMixture",
    "Values",
    "Independent",
    "Rates",
    "Gaussian",
    "Joint",
    "Mapped",
    "Stacked",
    "Cells",
    "Kernels",
    "Opaque",
    "Mixtures",
    "UncertainData",
    "Worlds",
    "KMeans",
    "Pipeline",
    "GaussianMixture",
    "csr_array",
    "RandomState",
    "Generator",
    "gaussian_kde",
    "multivariate_t",
    "FrozenGroup",
    "ObjectGroup",
    "SingleGroup",
    "Standardizer",
    "Clustering",
    "Embeddings",
    "Partition",
    "Sketch",
    "Room",
]
SIMPLE: tuple[Any, ...] = (
    None,
    True,
    "",
    "x",
    "nan",
    "os.system",
    [],
    {},
    0.25,
    10**25,
)


def spliced(content: bytes, other: bytes, rng: random.Random) -> bytes:
    """Join the beginning of a file and the end of another."""
    begin = rng.randrange(len(content) + 1)
    end = rng.choice((0, begin, rng.randrange(len(other) + 1)))
    return content[:begin] + other[end:]


def in_headers(content: bytes, rng: random.Random) -> bytes:
    """Change what the zip says about its members."""
    places = _headers(content)
    for _ in range(rng.choice((1, 1, 2, 4))):
        place = rng.choice(places)
        part = content[place : place + 42]
        content = (
            content[:place] + extreme_number(part, rng)[:42] + content[place + 42 :]
        )
    return content


def rewritten(content: bytes, other: bytes, rng: random.Random) -> tuple[bytes, str]:
    """Change a file on purpose: every checksum is right again.

    Parameters
    ----------
    content, other : bytes
        The file, and another one to take parts from.
    rng : random.Random
        Decides how.

    Returns
    -------
    content : bytes
    told : str
        What was done.
    """
    members, others = _members(content), _members(other)
    told = []
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        way = rng.choice(WAYS)
        # What an earlier way has left, another may not be able to read.
        with suppress(ValueError, TypeError, RuntimeError, LookupError):
            members = way(members, others, rng)
            told.append(way.__name__.strip("_"))
    return packed(members), ", ".join(told)


def packed(members: Members) -> bytes:
    """A zip of stored members; as `zipfile` writes it, in a tenth of the time."""
    out, listed = bytearray(), bytearray()
    for name, content in members.items():
        said = name.encode()
        sizes = struct.pack("<III", zlib.crc32(content), len(content), len(content))
        both = struct.pack("<HHHHH", 20, 0, 0, 0, 33) + sizes
        both += struct.pack("<HH", len(said), 0)
        listed += (
            b"PK\1\2\x14\3" + both + bytes(10) + struct.pack("<I", len(out)) + said
        )
        out += b"PK\3\4" + both + said + content
    ends = struct.pack("<HHII", len(members), len(members), len(listed), len(out))
    return bytes(out + listed + b"PK\5\6\0\0\0\0" + ends + b"\0\0")


@cache
def _members(content: bytes) -> Members:
    with zipfile.ZipFile(io.BytesIO(content)) as file:
        return {name: file.read(name) for name in file.namelist()}


@cache
def _headers(content: bytes) -> list[int]:
    return [found.end() for found in re.finditer(b"PK(\3\4|\1\2|\5\6)", content)]


# arrays -------------------------------------------------------------------------------


def _array(members: Members, others: Members, rng: random.Random) -> Members:
    """Change type, shape or numbers of an array."""
    name, array = _some_array(members, rng)
    how = rng.randrange(6)
    if how == 0:
        array = _of_type(array, rng.choice(DTYPES))
    elif how == 1:
        array = array.reshape(_other_shape(array, rng))
    elif how == 2:
        array = np.resize(array, [rng.randrange(5) for _ in range(rng.randrange(4))])
    elif array.size and array.dtype.kind in "fiu":
        array = array.copy()
        for _ in range(rng.choice((1, 1, 3))):
            _put(array, rng)
    else:
        array = array[1:] if array.ndim else array[None]
    return {**members, name: _npy(array)}


def _of_type(array: np.ndarray, dtype: str) -> np.ndarray:
    try:
        with np.errstate(all="ignore"):
            return array.astype(dtype)
    except (TypeError, ValueError, RuntimeError):  # a text that is no number, a date
        return np.zeros(array.shape, dtype)


def _put(array: np.ndarray, rng: random.Random) -> None:
    flat = array.reshape(-1)
    at = slice(None) if rng.random() < 0.2 else rng.randrange(array.size)
    if array.dtype.kind == "f":
        flat[at] = rng.choice(ODD)
        return
    info = np.iinfo(array.dtype)
    flat[at] = rng.choice((info.min, info.max, 0, 1, 5, 100, max(info.min, -1)))


def _other_shape(array: np.ndarray, rng: random.Random) -> tuple[int, ...]:
    ways = [(array.size,), array.shape[::-1], (*array.shape, 1), (1, *array.shape)]
    return rng.choice(ways)


def _bytes_of_array(members: Members, others: Members, rng: random.Random) -> Members:
    """Damage the bytes of an array, mostly those that say what it is."""
    name = _some_name(members, rng)
    content = members[name]
    if rng.random() < 0.6:
        return {**members, name: damaged(content[:128], rng)[0] + content[128:]}
    return {**members, name: damaged(content, rng)[0]}


def _another_array(members: Members, others: Members, rng: random.Random) -> Members:
    """Take an array from another place, or from another file."""
    name, source = _some_name(members, rng), rng.choice((members, others))
    return {**members, name: source[_some_name(source, rng)]}


def _some_name(members: Members, rng: random.Random) -> str:
    return rng.choice([name for name in members if name != MANIFEST])


def _some_array(members: Members, rng: random.Random) -> tuple[str, np.ndarray]:
    name = _some_name(members, rng)
    try:
        return name, np.load(io.BytesIO(members[name]), allow_pickle=False)
    except Exception:  # damaged before
        return name, np.arange(3.0)


def _npy(array: np.ndarray) -> bytes:
    out = io.BytesIO()
    np.lib.format.write_array(out, np.asarray(array), allow_pickle=False)
    return out.getvalue()


# members ------------------------------------------------------------------------------


def _some_members(members: Members, others: Members, rng: random.Random) -> Members:
    """Drop, add, rename or reorder members."""
    items = list(members.items())
    at, there = rng.randrange(len(items)), rng.randrange(len(items))
    how = rng.randrange(4)
    if how == 0:
        del items[at]
    elif how == 1:
        items.append((f"arrays/{len(items) - 1}.npy", _npy(np.arange(4.0))))
    elif how == 2:
        items[at], items[there] = items[there], items[at]
    else:
        items[at] = (rng.choice(("../x.npy", "", "arrays/00.npy", "ä")), items[at][1])
    return dict(items) or dict(members)


# the text -----------------------------------------------------------------------------


def _text(members: Members, others: Members, rng: random.Random) -> Members:
    """Damage the text as bytes."""
    return {**members, MANIFEST: damaged(members.get(MANIFEST, b"{}"), rng)[0]}


def _places(node: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    out = [path] if path else []
    if isinstance(node, dict):
        for key, inner in node.items():
            out += _places(inner, (*path, key))
    elif isinstance(node, list):
        for number, inner in enumerate(node):
            out += _places(inner, (*path, number))
    return out


def _at(node: Any, path: tuple[Any, ...]) -> Any:
    for key in path:
        node = node[key]
    return node


def _said(members: Members, others: Members, rng: random.Random) -> Members:
    """Change what the text says, at one place."""
    try:
        said = json.loads(members[MANIFEST])
        donor = json.loads(others[MANIFEST])
        places = _places(said)
        *path, key = rng.choice(places)
    except (KeyError, ValueError, IndexError, TypeError):  # damaged before
        return members
    node = _at(said, tuple(path))
    old = node[key]
    how = rng.randrange(8)
    if how == 0:
        del node[key]
    elif how == 1:
        node[key] = rng.choice(SIMPLE)
    elif how == 2:
        node[key] = _number(old, rng)
    elif how == 3:
        node[key] = json.loads(json.dumps(_at(said, rng.choice(places))))
    elif how == 4:
        node[key] = _at(donor, rng.choice(_places(donor)))
    elif how == 5:
        node[key] = {"array": rng.randrange(-1, len(members))}
    elif how == 6:
        node[key] = [old] * rng.choice((0, 1, 2, 300))
    else:
        node[key] = rng.choice(
            (
                {rng.choice(("tuple", "dict", "texts", "objects", "object")): old},
                {"number": [rng.choice(("int8", "float16", "str", "O")), old]},
                {"float": rng.choice(("nan", "inf", "-inf", "1"))},
                {"object": [rng.choice(CLASSES), old if isinstance(old, dict) else {}]},
                rng.choice(CLASSES),
            )
        )
    return {**members, MANIFEST: json.dumps(said).encode()}


def _number(old: Any, rng: random.Random) -> Any:
    if isinstance(old, int | float) and rng.random() < 0.5:
        return rng.choice((old + 1, old - 1, -old, 2 * old))
    return rng.choice(NUMBERS)


def _counted(members: Members, others: Members, rng: random.Random) -> Members:
    """Say how many arrays there are."""
    try:
        said = json.loads(members[MANIFEST])
        said["n_arrays"] = len(members) - 1
    except (KeyError, ValueError, TypeError):
        return members
    return {**members, MANIFEST: json.dumps(said).encode()}


WAYS = (_array, _array, _bytes_of_array, _another_array, _some_members, _text)
WAYS += (_said, _said, _said, _said, _counted)
