"""Rows of a stream: lines, cells, objects, and rows that are none."""

import io
import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import incerta as ic
from incerta.api import rows as reading
from incerta.api.rows import Bad, Reader, Row, lines_of, rows_of
from incerta.cli.watch import opened
from incerta.data.tables.spec import TableSpec
from incerta.exceptions import DataError, FileError
from tests.cli.conftest import wide_table

CSV = reading.Path("a.csv")
COLUMNS = TableSpec(values=("mass", "radius"), errors=("{}_error",))


def lines(data, encoding=None, **more):
    return list(lines_of(io.BytesIO(data), encoding, **more))


def rows(text, columns=COLUMNS, file=CSV):
    return list(rows_of(lines(text.encode()), file, columns))


def test_lines_have_numbers_and_empty_ones_are_none():
    found = lines(b"a\n\nb\r\n  \nlast")
    assert [(n, text.strip()) for n, text in found] == [(1, "a"), (3, "b"), (5, "last")]


def test_encodings():
    assert lines(b"\xef\xbb\xbfm\xc3\xa9\n")[0].text == "mé\n"
    assert lines(b"a\nm\xe9\n")[1].text == "mé\n"
    assert lines("mé\n".encode("cp850"), "cp850")[0].text == "mé\n"


def test_a_line_without_end_is_no_row():
    long = reading.LONGEST_LINE // 2
    text = b"short\n" + b"x" * 7 * long + b"\nagain\n" + b"y" * 9 * long
    assert lines(text) == [
        (1, "short\n"),
        (2, None),
        (3, "again\n"),
        (4, None),
    ]


def test_a_file_that_grows_and_is_cut(monkeypatch, tmp_path):
    path = tmp_path / "grows.csv"
    path.write_text("x\n1\n2")
    steps = iter([b"2\n", b"33\n", None, b""])

    def pause(_):
        step = next(steps)
        if step is None:
            path.write_text("x\n")  # begun anew
        else:
            with path.open("ab") as out:
                out.write(step)

    monkeypatch.setattr(reading.time, "sleep", pause)
    with path.open("rb") as stream:
        source = lines_of(stream, None, follow=True)
        found = [next(source) for _ in range(9)]
    assert [None if line is None else line.text for line in found] == [
        *("x\n", "1\n", None, "22\n", None, "33\n", None, None, "x\n"),
    ]


def test_cells_of_csv():
    found = rows("mass;radius\n1,5;2\n3\n mass ;radius\n4;5;6\n7;8\n")
    assert found == [
        Row(2, {"mass": "1,5", "radius": "2"}),
        Bad(3, "1 cells, and the header has 2"),
        Bad(5, "3 cells, and the header has 2"),
        Row(6, {"mass": "7", "radius": "8"}),
    ]


def test_a_quote_that_is_never_closed_ends_with_its_line():
    found = rows('mass,radius\n"1,2\n3,4\n')
    assert [type(row) for row in found] == [Bad, Row]


def test_records_of_json():
    text = '{"mass": 1}\n[2]\n{oops\n{"mass": 2, "more": null}\n'
    found = rows(text, file=reading.Path("a.ndjson"))
    assert [type(row) for row in found] == [Row, Bad, Bad, Row]
    assert found[1].why == "no object, which begins with {"
    assert rows(text, file=reading.Path("-")) == found


def test_columns_that_are_not_there_are_an_error():
    reader = Reader(COLUMNS)
    source = lines(b"mass,radius\n1,2\n")
    with pytest.raises(DataError, match="'mass_error'"):
        list(rows_of(source, CSV, COLUMNS, reader.check))


@pytest.mark.parametrize("with_json", [False, True])
def test_objects_are_those_of_the_file(tmp_path, with_json):
    path = tmp_path / "wide.csv"
    path.write_text(wide_table())
    there = ic.read_table(path, values=["mass", "radius"], errors="{}_error")
    found = rows(path.read_text())
    if with_json:
        lines = "".join(
            json.dumps({n: _number(c) for n, c in row.cells.items()}) + "\n"
            for row in found
        )
        found = rows(lines, file=reading.Path("a.jsonl"))
    data, bad = Reader(COLUMNS).objects(found)
    assert bad == []
    assert data.mean() == pytest.approx(there.mean())
    assert data.variance() == pytest.approx(there.variance())
    assert data.feature_names == there.feature_names


def _number(cell):
    try:
        return float(cell)
    except ValueError:
        return cell


WRONG = ["", "oops", "inf", "1;2", "NA", "1e999"]


@given(st.lists(st.sampled_from([*WRONG, "1", "2.5", "-3e2"]), min_size=1, max_size=20))
def test_bad_rows_are_found_among_good_ones(cells):
    found = [Row(i + 2, {"x": cell}) for i, cell in enumerate(cells)]
    data, bad = Reader(TableSpec(values=("x",))).objects(found)
    good = [float(cell) for cell in cells if cell not in WRONG]
    there = [] if data is None else data.mean().ravel().tolist()
    assert there == good
    assert [one.number for one in bad] == [
        i + 2 for i, cell in enumerate(cells) if cell in WRONG
    ]


def test_reasons_are_short_and_have_names():
    columns = TableSpec(id="star", values=("x",), errors=("{}_e",))
    cells = [
        {"star": "a", "x": "1", "x_e": "-1"},
        {"star": "b", "x": "n/a", "x_e": "1"},
        {"star": "c", "x": "y", "x_e": "1"},
        {"star": None, "x": 10**400, "x_e": 1},
        {"x": 1},
        {"star": "d", "x": [1, 2], "x_e": 1},
    ]
    _, bad = Reader(columns).objects([Row(i, one) for i, one in enumerate(cells)])
    assert [one.name for one in bad] == ["a", "b", "c", "", "", "d"]
    assert "negative" in bad[0].why
    assert bad[1].why == "missing values: 1 in 'x'"
    assert bad[2].why == "column 'x' must hold numbers; 'y'"
    assert "too large" in bad[3].why
    assert "'x_e'" in bad[4].why
    assert all("row 1" not in one.why for one in bad)


def test_the_decimal_mark_of_the_first_rows_stays():
    reader = Reader(TableSpec(values=("x",)))
    first, _ = reader.objects([Row(2, {"x": "1,5"}), Row(3, {"x": "2"})])
    later, _ = reader.objects([Row(4, {"x": "1,125"})])
    assert first.mean().ravel().tolist() == [1.5, 2.0]
    assert later.mean().ravel().tolist() == [1.125]


def test_words_for_missing_values():
    reader = Reader(TableSpec(values=("x",), na=("-999",)))
    data, bad = reader.objects([Row(2, {"x": "-999"}), Row(3, {"x": "4"})])
    assert data.mean().ravel().tolist() == [4.0]
    assert [one.number for one in bad] == [2]


def test_intervals_and_logarithms():
    columns = TableSpec(values=("x",), errors=("lo", "hi"), kind="interval")
    data, _ = Reader(columns).objects([Row(2, {"lo": "1", "hi": "3"})])
    assert data.mean().ravel().tolist() == [2.0]
    logs = TableSpec(values=("x",), log=("x",))
    data, bad = Reader(logs).objects([Row(2, {"x": "100"}), Row(3, {"x": "-1"})])
    assert data.mean() == pytest.approx(np.array([[2.0]]))
    assert len(bad) == 1


def test_what_cannot_be_opened(tmp_path):
    with pytest.raises(FileError, match="no file"):
        opened(tmp_path / "none.csv", False)
    with pytest.raises(FileError, match="folder"):
        opened(tmp_path, False)


def test_a_point_stays_the_decimal_mark():
    reader = Reader(TableSpec(values=("x",)))
    reader.objects([Row(2, {"x": "1 234.5"})])
    later, bad = reader.objects([Row(3, {"x": "1,5"}), Row(4, {"x": "2"})])
    assert [one.number for one in bad] == [3]
    assert later.mean().ravel().tolist() == [2.0]


def test_a_decimal_mark_that_may_be_one_of_thousands_is_asked_for():
    rows = [Row(2, {"x": "6,876"}), Row(3, {"x": "6,530"})]
    with pytest.raises(FileError, match=r"line 2: '6,876' can be 6\.876 or 6876"):
        Reader(TableSpec(values=("x",))).objects(rows)
    for decimal, first in ((",", 6.876), (".", 6876.0)):
        data, _ = Reader(TableSpec(values=("x",), decimal=decimal)).objects(rows)
        assert data.mean()[0, 0] == first
    # A number that leaves no doubt decides, also one of an earlier row.
    reader = Reader(TableSpec(values=("x",)))
    reader.objects([Row(2, {"x": "7"})])
    with pytest.raises(FileError, match="line 2"):
        reader.objects(rows)
    reader.objects([Row(2, {"x": "7.5"})])
    assert reader.objects(rows)[0].mean()[0, 0] == 6876.0


def test_watch_asks_what_fit_asks(call, tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text("id;x;y\n" + "".join(f"o{i};6,87{i};6,53{i}\n" for i in range(9)))
    asked = [call(name, path, code=1).stderr for name in ("fit", "watch")]
    for told in asked:
        assert "'6,870' can be 6.870 or 6870" in told
        assert "Pass --decimal , for 6.870, or --decimal . for 6870." in told
