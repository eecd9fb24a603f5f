"""Files of other formats: each file of the folder, and how it must be read.

Sheets were written by openpyxl and odfpy, tables of astronomers by astropy.
"""

import random
import re
import warnings
from pathlib import Path

import numpy as np
import pytest

import incerta as ic
from incerta.cli.app import app
from incerta.exceptions import DataError, FileError, IncertaWarning
from tests.runner import Runner

FILES = Path(__file__).parent / "formats"
NEEDS = {
    ".xlsx": ("python_calamine", "io"),
    ".xlsm": ("python_calamine", "io"),
    ".ods": ("python_calamine", "io"),
    ".fits": ("astropy", "science"),
    ".vot": ("astropy", "science"),
    ".ecsv": ("astropy", "science"),
}
PLAIN = {"a": [1.5, 10], "b": [2.5, 20], "c": [3.5, 30]}
WITH_ERRORS = {
    "a": [(1.5, 0.1), (10, 0)],
    "b": [(2.5, 0.2), (20, 0)],
    "c": [(3.5, 0.3), (30, 0)],
}
MISSING = "there are missing values: 1 in 'h'; the first object is b"
TEXT = "column 'h' must hold numbers; "

CASES = [
    ("plain.xlsx", {}, PLAIN, None),
    ("plain.xlsx", {"sheet": "Data"}, PLAIN, None),
    ("plain.xlsx", {"sheet": 1}, PLAIN, None),
    ("plain.xlsx", {"sheet": "Empty"}, "sheet 'Empty' is empty", None),
    ("plain.xlsx", {"sheet": "Dat"}, "no sheet 'Dat'; did you mean 'Data'", None),
    (
        "plain.xlsx",
        {"sheet": 3},
        "has 2 sheets, numbered from 1: 'Data', 'Empty'",
        None,
    ),
    ("plain.xlsx", {"sheet": 0}, "has 2 sheets, numbered from 1", None),
    ("plain.xlsx", {"sep": ";"}, "is about text tables", None),
    ("plain.xlsx", {"layers": "X"}, "is about AnnData", None),
    ("plain.xlsx", {"values": "height"}, "sheet 'Data', row 1: values: there is", None),
    ("plain.xlsm", {}, PLAIN, None),
    ("plain.xls", {}, "is a file of Excel before 2007. Save it as .xlsx", None),
    ("plain.ods", {}, PLAIN, None),
    ("several_sheets.xlsx", {"sheet": 2}, PLAIN, None),
    ("several_sheets.xlsx", {}, "sheet 'Notes', row 1: id: there is no column", None),
    (
        "several_sheets.xlsx",
        {"id": "who", "values": "when"},
        {"me": [2020]},
        "several sheets; 'Notes' was read. For another one pass sheet=: 'Data'",
    ),
    ("off_corner.xlsx", {}, PLAIN, None),
    ("text_cells.xlsx", {}, PLAIN, None),
    ("text_cells.xlsx", {"decimal": "."}, TEXT + "row 2, object a: '1,5'", None),
    ("errors_in_cells.xlsx", {}, WITH_ERRORS, None),
    ("error_cells.xlsx", {}, MISSING, None),
    ("formulas.xlsx", {}, MISSING, None),
    ("no_number.xlsx", {}, TEXT + "row 3, object b: 'lots'. If .* pass na=", None),
    ("no_number.xlsx", {"na": "lots"}, MISSING, None),
    (
        "dates.xlsx",
        {},
        {"2020-01-31": [1.5, 10], "2020-02-01T12:00:00": [2.5, 20], "7": [3.5, 30]},
        None,
    ),
    ("dates.xlsx", {"id": "h", "values": "id"}, "must hold numbers; row 2", None),
    ("years_as_names.xlsx", {"values": ["2020", "2021"]}, PLAIN, None),
    (
        "ids_with_zeros.xlsx",
        {},
        {"007": [1.5, 10], "008": [2.5, 20], "9": [3.5, 30]},
        None,
    ),
    ("id_twice.xlsx", {"values": ["h"]}, "has 2 columns named 'h'", None),
    ("id_empty.xlsx", {}, "id='id' is empty in row 3", None),
    ("plain.jsonl", {}, PLAIN, None),
    ("plain.jsonl", {"encoding": "utf-8"}, "is about text tables", None),
    ("plain.jsonl.gz", {}, PLAIN, None),
    ("plain.ndjson", {}, PLAIN, None),
    ("plain.json", {}, PLAIN, None),
    ("columns.json", {}, PLAIN, None),
    ("lines.json", {}, PLAIN, None),
    ("by_row.json", {}, "'id' is not a list. A file is read if", None),
    ("number.json", {}, "neither a list of records nor a dict of columns", None),
    ("text.jsonl", {}, PLAIN, "the unit 'cm' was removed"),
    ("text.jsonl", {"values": "note"}, "line 1: an object, in .* 'note.by'", None),
    ("nested.jsonl", {}, "column 'h', line 3: an object, .* 'h.at.night'", None),
    ("draws.jsonl", {}, "line 1: a list of 3. If these are possible values", None),
    ("gaps.jsonl", {}, "2 in 'h'; the first object is b", None),
    ("broken.jsonl", {}, "broken.jsonl, line 4: not JSON", None),
    ("broken.json", {}, "broken.json is not JSON: line 2", None),
    ("truth_values.jsonl", {}, TEXT + "line 2, object b: 'true'", None),
    ("plain.fits", {}, PLAIN, None),
    ("plain.fits", {"values": "q"}, "values: there is no column 'q'", None),
    ("plain.vot", {}, PLAIN, None),
    ("plain.ecsv", {}, PLAIN, None),
    ("units.vot", {}, PLAIN, "units were left out: mas of 'h'"),
    ("units.vot", {"values": "h", "errors": "{}_sd"}, "'arcsec', its values in", None),
]
WARNINGS = {
    "error_cells.xlsx": "1 cell with an error .* column 'h', row 3",
    "formulas.xlsx": "1 formula without a result, taken for missing",
}


def needs_of(file):
    """Skip if what reads a file is not installed."""
    library, extra = NEEDS.get(Path(file).suffix, ("numpy", ""))
    pytest.importorskip(library, reason=f"needs the extra {extra}")


@pytest.mark.parametrize(("file", "said", "expected", "warning"), CASES)
def test_read(file, said, expected, warning):
    needs_of(file)
    said = {"id": "id", "values": ["h", "g"], **said}
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        if isinstance(expected, str):
            with pytest.raises((DataError, FileError), match=expected) as failed:
                ic.read_table(FILES / file, **said)
            assert "\n" not in str(failed.value)
        else:
            data = ic.read_table(FILES / file, **said)
    told = [str(one.message) for one in caught if one.category is IncertaWarning]
    assert len(told) == len(caught)
    warning = warning or WARNINGS.get(file)
    if warning:
        assert any(re.search(warning, text) for text in told), told
    elif not isinstance(expected, str):
        assert not told
    if isinstance(expected, str):
        return
    assert list(map(str, data.ids)) == list(expected)
    cells = np.array(list(expected.values()), dtype=np.float64)
    means = cells if cells.ndim == 2 else cells[..., 0]
    np.testing.assert_allclose(data.mean(), means, rtol=1e-15)
    if cells.ndim == 3:
        np.testing.assert_allclose(np.sqrt(data.variance()), cells[..., 1], rtol=1e-12)


def test_every_file_has_a_case():
    assert {path.name for path in FILES.iterdir()} == {file for file, *_ in CASES}


@pytest.mark.parametrize(
    "file", ["plain.xlsx", "plain.ods", "text.jsonl", "plain.fits", "plain.vot"]
)
def test_names_of_columns(file):
    needs_of(file)
    done = Runner().invoke(app, ["info", str(FILES / file)])
    assert done.exit_code == 0, done.output
    names = [line.split()[0] for line in done.stdout.splitlines()[3:6]]
    assert names == ["id", "h", "g"]


def test_options():
    needs_of("a.xlsx")
    file = str(FILES / "several_sheets.xlsx")
    said = ["--id", "id", "--values", "h,g"]
    done = Runner().invoke(app, ["info", file, *said, "--sheet", "Data"])
    assert done.exit_code == 0, done.output
    assert not done.stderr
    done = Runner().invoke(app, ["info", file])
    assert "\nwho " in done.stdout
    assert "\nwhen " in done.stdout
    assert "one pass --sheet: 'Data'" in done.stderr


# damaged files ------------------------------------------------------------------------


def damaged(content, rng):
    """Cut, overwritten here and there, or no such file at all."""
    cut = content[: rng.randrange(1, len(content))]
    other = bytearray(content)
    for _ in range(rng.choice([1, 3, 30])):
        other[rng.randrange(len(other))] = rng.randrange(256)
    return rng.choice([cut, bytes(other), bytes(other), rng.randbytes(500)])


@pytest.mark.parametrize(
    "file",
    [
        "plain.xlsx",
        "plain.ods",
        "plain.jsonl",
        "plain.jsonl.gz",
        "plain.json",
        "plain.fits",
        "plain.vot",
        "plain.ecsv",
    ],
)
def test_damaged(file, tmp_path):
    needs_of(file)
    content = (FILES / file).read_bytes()
    rng = random.Random(0)
    for number in range(15):
        path = tmp_path / f"{number}{file.removeprefix('plain')}"
        path.write_bytes(damaged(content, rng))
        read_or_refuse(path, id="id", values=["h", "g"])


def read_or_refuse(path, **said):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", IncertaWarning)
        try:
            ic.read_table(path, **said)
        except (DataError, FileError) as error:
            told = str(error)
        else:
            told = ""
    assert "\n" not in told
