from typing import NamedTuple

import numpy as np
import pytest

from incerta.exceptions import FileError
from paper.store import Store


class Row(NamedTuple):
    name: str
    number: int
    part: float


def test_rows_come_back(tmp_path):
    path = tmp_path / "new" / "rows.csv"
    rows = [Row("one, two", 1, 0.123456789), Row('"', -2, float("nan"))]
    store = Store(path, Row)
    store.add(rows[:1])
    store.add(rows[1:])
    found = Store(path, Row).rows
    assert [row[:2] for row in found] == [row[:2] for row in rows]
    assert found[0].part == pytest.approx(rows[0].part, rel=1e-5)
    assert np.isnan(found[1].part)
    assert store.rows == rows


def test_a_line_cut_off_is_forgotten(tmp_path):
    path = tmp_path / "rows.csv"
    Store(path, Row).add([Row("a", 1, 1.0), Row("b", 2, 2.0)])
    path.write_text(path.read_text()[:-3])
    store = Store(path, Row)
    assert store.rows == [Row("a", 1, 1.0)]
    store.add([Row("c", 3, 3.0)])
    assert Store(path, Row).rows == [Row("a", 1, 1.0), Row("c", 3, 3.0)]


def test_a_heading_cut_off_is_forgotten(tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text("name,numb")
    store = Store(path, Row)
    assert store.rows == []
    store.add([Row("a", 1, 1.0)])
    assert Store(path, Row).rows == [Row("a", 1, 1.0)]


def test_another_table_is_refused(tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text("name,other\na,1\n")
    with pytest.raises(FileError, match=r"rows\.csv has columns name, other"):
        Store(path, Row)


def test_what_was_asked_for_is_found_again(tmp_path):
    class Asked(NamedTuple):
        noise: float
        score: float

    given = Asked(0.123456789, 0.123456789)
    Store(tmp_path / "a.csv", Asked).add([given, Asked(0.25, 0.5)])
    first, second = Store(tmp_path / "a.csv", Asked).rows
    assert (first.noise, first.score) == (given.noise, 0.123457)
    assert second == Asked(0.25, 0.5)
