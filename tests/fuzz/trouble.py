"""A target that makes all sorts of trouble, to test what is said about it."""

import os
import signal
from pathlib import Path

from tests.fuzz.children import Case, Finding

KINDS = ("good", "dies", "waits", "hungry", "fails", "differs")


def make(seed: int, number: int) -> Case:
    return Case(KINDS[(seed + number) % len(KINDS)], "file", b"", "nothing")


def check(case: Case, folder: Path) -> str:
    if case.kind == "dies":
        os.kill(os.getpid(), signal.SIGSEGV)
    while case.kind == "waits":
        pass
    if case.kind == "hungry":
        bytearray(2**30)
    if case.kind == "fails":
        raise KeyError(case.name)
    if case.kind == "differs":
        raise Finding("differs", "from what it was")
    return "same"
