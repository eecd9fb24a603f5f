"""Damaged tables of text and of astronomers.

A table that is read must hold what it held before wherever the file knows its own
sums (packed files). Text and numbers without sums may change. Other formats are left
to their libraries, which may die of damage.
"""

import gzip
import random
import re
import tempfile
import warnings
from collections.abc import Hashable
from functools import cache
from pathlib import Path
from typing import Any

import incerta as ic
from incerta.data.files import text as text_files
from incerta.exceptions import DataError, FileError
from tests.fuzz.children import Case, Finding
from tests.fuzz.damage import damaged
from tests.fuzz.seeds import SAID, Seed, seeds

MAX_BYTES = 2**24  # that `read_table` may unpack
TEXT = ("csv", "tsv", "txt")
# Where libraries read text in different ways: letters after a quoted cell, which only
# pyarrow takes, and numbers longer than any, which the standard reader refuses.
MAY_DIFFER = re.compile(rb'"|[0-9.,]{40}')


def prepare() -> None:
    """Read all seeds once, before children are forked."""
    _answers()


def make(seed: int, number: int) -> Case:
    """Damage one of the small tables."""
    rng = random.Random(f"{seed} {number}")
    every = _by_kind()
    given = rng.choice(every[rng.choice(list(every))])
    content = given.content
    if given.summed and rng.random() < 0.5:
        # Packed files notice damage; what is inside of them can be wrong, too.
        content, told = _in_gzip(content, rng)
        given = given._replace(summed=False)
    else:
        content, told = damaged(content, rng)
    return Case(given.kind, given.name, content, told, given)


def check(case: Case, folder: Path) -> str:
    """Read a damaged table: "same", "changed", or "refused"."""
    given: Seed = case.about
    path = folder / case.name
    path.write_bytes(case.content)
    found = _answer_or_refusal(path, given.said)
    if given.kind in TEXT and not MAY_DIFFER.search(case.content):
        _compare_readers(path, given.said, found)
    if found is None:
        return "refused"
    if found == _answers()[given.content, str(given.said)]:
        return "same"
    if given.summed:
        raise Finding("differs", case.told)
    return "changed"


def replay(path: Path) -> str:
    """Read a file that once made trouble, in all ways in which its kind is read."""
    name = f"t.{path.name.partition('.')[2]}"
    ways = {str(one.said): one.said for one in seeds() if one.name == name}
    found = [_answer_or_refusal(path, said) for said in ways.values()]
    if name in ("t.csv", "t.tsv", "t.txt"):
        _compare_readers(path, SAID, found[0])
    return "refused" if found == [None] * len(found) else "read"


def _answer_or_refusal(path: Path, said: dict[str, Any]) -> Hashable:
    try:
        return answer(path, said)
    except (DataError, FileError) as error:
        if isinstance(error.__cause__, MemoryError):
            raise Finding("memory", str(error)) from error
        return None


def _compare_readers(path: Path, said: dict[str, Any], found: Hashable) -> None:
    """Without pyarrow the answer must be the same, or a refusal, too."""
    pyarrow = text_files.has_pyarrow
    text_files.has_pyarrow = lambda: False
    try:
        if _answer_or_refusal(path, said) != found:
            raise Finding("readers", "the standard library reads something else")
    finally:
        text_files.has_pyarrow = pyarrow


def answer(path: Path, said: dict[str, Any]) -> Hashable:
    """All of what is read, to be compared."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        data = ic.read_table(path, **said, max_bytes=MAX_BYTES)
        ids = tuple(data.ids.tolist())
        laws = data.mean().tobytes(), data.variance().tobytes()
    return ids, tuple(data.feature_names or ()), laws


@cache
def _by_kind() -> dict[str, list[Seed]]:
    found: dict[str, list[Seed]] = {}
    for one in seeds():
        found.setdefault(one.kind, []).append(one)
    return found


@cache
def _answers() -> dict[Hashable, Hashable]:
    """What is read of all seeds, before they are damaged."""
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        for one in seeds():
            path = Path(folder) / one.name
            path.write_bytes(one.content)
            found[one.content, str(one.said)] = answer(path, one.said)
    return found


def _in_gzip(content: bytes, rng: random.Random) -> tuple[bytes, str]:
    inner, told = damaged(gzip.decompress(content), rng)
    return gzip.compress(inner, mtime=0), f"inside: {told}"
