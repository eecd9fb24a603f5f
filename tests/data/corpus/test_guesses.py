"""Guesses about the files of this folder: none raises, and what is guessed is read."""

import warnings
from contextlib import suppress

import numpy as np
import pytest

import incerta as ic
from incerta.cli.options import with_reading
from incerta.data.files.opened import OpenTable
from incerta.data.tables.spec import TableSpec
from incerta.exceptions import DataError, FileError
from tests.data.corpus.test_corpus import CASES, FILES

# What is refused until more is said, however it is read.
REFUSED = {
    "no_text.csv",
    "note_below.csv",
    "nothing.csv",
    "ragged.csv",
    "unquoted_decimal_commas.csv",
    "utf16_without_mark.csv",
}
# Readings that need no more than a file, an id and values.
SIMPLE = {
    file: (said.get("values", ["h", "g"]), expected)
    for file, said, expected, _ in CASES
    if isinstance(expected, dict) and not set(said) - {"values"}
}


@pytest.mark.parametrize("file", sorted(path.name for path in FILES.iterdir()))
@pytest.mark.usefixtures("library")
def test_guess(file):
    path = FILES / file
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if file in REFUSED:
            with pytest.raises(FileError):
                assert OpenTable(path, TableSpec()).profile
            return
        opened = OpenTable(path, TableSpec())
        found, guess = opened.profile, opened.guess()
        assert found.n_rows == (found.columns[0].n_rows if found.columns else 0)
        if not guess.is_clear:
            assert guess.doubt
            return
        spec = with_reading(TableSpec(), guess.readings[0])
        if file not in SIMPLE:  # refused without more, if all columns are asked for
            with suppress(DataError):
                assert isinstance(opened.data(spec), ic.UncertainData)
            return
        data = opened.data(spec)
    if "errors" in file:
        return
    values, expected = SIMPLE[file]
    places = [data.feature_names.index(name) for name in np.atleast_1d(values)]
    for id, row in expected.items():
        read = data.mean()[data.ids.tolist().index(id), places]
        np.testing.assert_allclose(read, row)
