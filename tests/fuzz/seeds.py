"""Small tables of text and of astronomers, in the usual ways to write them."""

import gzip
import tempfile
import warnings
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from astropy.io import fits, votable
from astropy.table import MaskedColumn, Table

FORMATS = Path(__file__).parents[1] / "data" / "corpus" / "formats"
IDS = ["a", "a", "b", "b", "c", "d", "e", "f", "g", "long name"]
H = [1.5, 2.5, 8.25, -3.0, 0.125, 1e-3, 7.0, 11.0, 12.5, 100.0]
G = [10, 20, 30, 40, 50, 60, 70, 80, 90, 100]
SAID: dict[str, Any] = {"id": "id", "values": ["h", "g"]}


class Seed(NamedTuple):
    """A table before it is damaged."""

    kind: str
    name: str  # of the file
    content: bytes
    said: dict[str, Any]  # about its columns
    # Whether the file knows its own sums: another answer is then a finding.
    summed: bool = False


@cache
def seeds() -> tuple[Seed, ...]:
    """All of them; written once per process, in a second or two."""
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        place = Path(folder)
        return tuple(seed for write in WRITERS for seed in write(place))


def _text(_: Path) -> Iterator[Seed]:
    rows = list(zip(IDS, H, G, strict=True))
    lines = ["id,h,g,note", *(f'{i},{h},{g},"x, {i}"' for i, h, g in rows)]
    plain = "\n".join(lines).encode()
    yield Seed("csv", "t.csv", plain, SAID)
    yield Seed("csv", "t.csv", "\r\n".join(lines).encode("utf-16"), SAID)
    yield Seed("csv.gz", "t.csv.gz", gzip.compress(plain, mtime=0), SAID, True)
    words = ["id;h;g", *(f"{i};{h}±0,5;<{g}" for i, h, g in rows[3:])]
    told = "\n".join(words).replace(".", ",").encode()
    yield Seed("csv", "t.csv", told, SAID)
    tabs = "\n".join(["id\th\tg", *(f"{i}\t{h}\t{g}" for i, h, g in rows)])
    yield Seed("tsv", "t.tsv", tabs.encode(), SAID)
    spaces = "\n".join(["id h   g", *(f"{i[0]}  {h}   {g}" for i, h, g in rows)])
    yield Seed("txt", "t.txt", spaces.encode(), SAID)
    for name in ("plain.json", "columns.json", "plain.jsonl", "lines.json"):
        content = (FORMATS / name).read_bytes()
        yield Seed("json", f"t{Path(name).suffix}", content, SAID)
    packed = gzip.compress(content, mtime=0)
    yield Seed("json.gz", "t.jsonl.gz", packed, SAID, True)


def _astro(place: Path) -> Iterator[Seed]:
    gaps = MaskedColumn(H, mask=[h == 100 for h in H])
    table = Table({"id": IDS, "h": gaps, "g": G})
    said = {**SAID, "missing": "drop"}
    for checksum in (False, True):
        path = place / f"{checksum}.fits"
        fits.BinTableHDU(table).writeto(path, checksum=checksum)
        yield Seed("fits", "t.fits", path.read_bytes(), said)
    packed = gzip.compress(path.read_bytes(), mtime=0)
    yield Seed("fits.gz", "t.fits.gz", packed, said, True)
    for how in ("tabledata", "binary", "binary2"):
        path = place / f"{how}.vot"
        votable.from_table(table).to_xml(str(path), tabledata_format=how)
        yield Seed("votable", "t.vot", path.read_bytes(), said)
    path = place / "t.ecsv"
    table.write(path, format="ascii.ecsv")
    yield Seed("ecsv", "t.ecsv", path.read_bytes(), said)


WRITERS: tuple[Callable[[Path], Iterator[Seed]], ...] = (
    _text,
    _astro,
)
