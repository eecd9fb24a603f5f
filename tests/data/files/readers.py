"""Readers for tests; the process that calls them imports little besides."""

import os
import signal
import warnings

import numpy as np

from incerta.exceptions import MissingValueError


def number_of_process(path):
    return os.getpid(), path.read_text()


def many(path, n):
    return {"values": np.arange(n), "text": np.array(["ä"] * 3, dtype=object)}


def warns_and_refuses(path):
    warnings.warn("not quite right", UserWarning, stacklevel=1)
    msg = "3 values are missing."
    raise MissingValueError(msg)


def fails(path):
    return {}["nothing"]


def prints(path):
    os.write(1, b"what a library has to say")


def dies(path):
    os.kill(os.getpid(), signal.SIGSEGV)


def never_ends(path):
    while True:
        pass
