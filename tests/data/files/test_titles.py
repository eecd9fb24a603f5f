"""Lines above the names of the columns, and rows of totals at the bottom."""

import warnings

import numpy as np
import pytest

import incerta as ic
from incerta.data.files.dialect import n_titles
from incerta.data.files.opened import OpenTable
from incerta.data.tables.spec import TableSpec
from incerta.exceptions import DataError, FileError, IncertaWarning
from tests.data.files.test_sheets import xlsx

SAID = {"id": "plant", "values": ["h", "g"]}
ROWS = ["plant{0}h{0}g", "a{0}1.5{0}10", "b{0}2.5{0}20", "c{0}3.5{0}30"]
TITLES = {
    "a line": ["Lab results 2024"],
    "a blank line": ["Lab results 2024", ""],
    "two lines": ["Lab results 2024", "Greenhouse 3", ""],
    "trailing separators": ["Lab results 2024{0}{0}", "{0}{0}"],
    "of several cells": ["Heights{0}{0}", "May 2020{0}cm{0}", "{0}{0}"],
    "a comma": ["Heights, in May", ""],
    "a comma in quotes": ['"Heights, in May"{0}{0}'],
}


def written(path, lines, separator):
    path.write_text("".join(f"{line.format(separator)}\n" for line in lines))
    return path


class TestTitles:
    @pytest.mark.parametrize("separator", [",", ";", "\t"])
    @pytest.mark.parametrize("titles", TITLES.values(), ids=TITLES)
    def test_of_text(self, tmp_path, library, titles, separator):
        path = written(tmp_path / "d.csv", [*titles, *ROWS], separator)
        found = OpenTable(path, TableSpec()).profile
        assert found.names == ("plant", "h", "g")
        assert found.n_rows == 3
        line = len(titles) + 1
        assert f"header in line {line}" in found.written
        with pytest.warns(IncertaWarning, match=f"were found in line {line}"):
            data = ic.read_table(path, **SAID)
        np.testing.assert_array_equal(data.mean(), [[1.5, 10], [2.5, 20], [3.5, 30]])

    def test_names_are_told_from_below(self, tmp_path):
        path = written(tmp_path / "d.csv", ["Lab results", *ROWS], ";")
        with pytest.raises(DataError, match=r"There are: 'plant', 'h', 'g'"):
            ic.read_table(path, id="plant", values="height")

    def test_a_title_that_is_not_seen_is_named(self, tmp_path):
        path = written(tmp_path / "d.csv", ["Lab", "a,1", "b,2"], ",")
        with pytest.raises(FileError, match="If line 1 is a title and does not name"):
            assert OpenTable(path, TableSpec()).profile

    @pytest.mark.parametrize(
        "text",
        [
            ",h,g\n0,1.5,10\n1,2.5,20\n",  # as pandas writes an index
            ",n\na,2001\nb,2002\n",
            "id,2001\na,1\nb,2\n",
            "x,y\n1,2,3\n4,5,6\n",  # as R does
            "h;g\n1,5;10\n2,5;20\n",
            "id;n;\na;1;\nb;2;\n",
            "id\na\nb\n",
            "id,note\na,\nb,\n",
            "id,h,g\na,1,5,10\nb,2,5,20\n",
        ],
    )
    def test_names_that_are_no_title(self, text):
        for separator in ",;":
            rows = [line.split(separator) for line in text.splitlines()]
            if len(rows[0]) > 1 or separator not in text:
                assert n_titles(rows) == 0

    def test_years_and_names_that_are_missing(self):
        assert n_titles([["Rain", "", ""], ["a", "2001", "2002"], ["b", "1", "2"]]) == 1
        assert n_titles([["Rain", "", ""], ["", "h", "g"], ["a", "1.5", "2"]]) == 1

    @pytest.mark.parametrize("n_blank", [0, 1])
    def test_of_sheets(self, tmp_path, n_blank):
        pytest.importorskip("python_calamine", reason="needs the extra io")
        below = n_blank + 2
        rows = "".join(
            f'<row r="{number}">{cells}</row>'
            for number, cells in (
                (1, cell("A1", "Lab results 2024")),
                (below, cell(f"A{below}", "plant") + cell(f"B{below}", "h")),
                (below + 1, cell(f"A{below + 1}", "a") + cell(f"B{below + 1}", 1.5)),
                (below + 2, cell(f"A{below + 2}", "b") + cell(f"B{below + 2}", 2.5)),
            )
        )
        path = xlsx(tmp_path / "d.xlsx", rows)
        message = f"names of the columns were found in row {below}"
        with pytest.warns(IncertaWarning, match=message):
            assert OpenTable(path, TableSpec()).profile.names == ("plant", "h")
        with pytest.warns(IncertaWarning, match=message):
            data = ic.read_table(path, id="plant", values="h")
        assert data.mean().ravel().tolist() == [1.5, 2.5]
        with pytest.raises(
            DataError, match=rf"row {below}: .* There are: 'plant', 'h'"
        ):
            ic.read_table(path, id="plant", values="height")


def cell(place, content):
    if isinstance(content, str):
        return f'<c r="{place}" t="inlineStr"><is><t>{content}</t></is></c>'
    return f'<c r="{place}"><v>{content}</v></c>'


class TestTotals:
    @pytest.mark.parametrize(
        "word",
        ["Total", "Sum:", "Mittelwert", "moyenne", "Promedio", "MÉDIA", "Totaal"],
    )
    def test_words(self, tmp_path, library, word):
        path = written(tmp_path / "d.csv", [*ROWS, f"{word}{{0}}7{{0}}70"], ";")
        with pytest.warns(IncertaWarning, match=f"1 row at the bottom .*'{word}'"):
            data = ic.read_table(path, **SAID)
        assert data.ids.tolist() == ["a", "b", "c"]
        found = OpenTable(path, TableSpec()).profile
        assert found.n_rows == 3
        assert found.written.endswith("1 row of totals left out")

    def test_several_and_those_further_up(self, tmp_path):
        rows = [ROWS[0], "mean,0,0", *ROWS[1:], "Sum,1,1", "Mean,2,2"]
        path = written(tmp_path / "d.csv", rows, ",")
        with pytest.warns(IncertaWarning, match=r"2 rows .*: 'Sum', 'Mean'"):
            data = ic.read_table(path, **SAID)
        assert data.ids.tolist() == ["mean", "a", "b", "c"]

    @pytest.mark.parametrize(
        ("name", "statistic", "digits"),
        [("sum", np.sum, 1), ("mean", np.mean, 2), ("median", np.median, 2)],
    )
    def test_numbers(self, tmp_path, library, name, statistic, digits):
        values = np.random.default_rng(0).normal(10, 3, (30, 2)).round(digits)
        last = statistic(values, axis=0).round(digits)
        lines = [f"p{i},{x:.2f},{y:.2f}" for i, (x, y) in enumerate(values)]
        path = tmp_path / "d.csv"
        for total, n_objects in ((last, 30), (last + np.array([0, 0.1]), 31)):
            bottom = f"all,{total[0]:.2f},{total[1]:.2f}"
            written(path, ["plant,h,g", *lines, bottom], ",")
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                assert len(ic.read_table(path, **SAID)) == n_objects
            told = [str(one.message) for one in caught]
            said = "1 row at the bottom left out as a total: "
            said += f"a row that holds the {name} of"
            assert [one.startswith(said) for one in told] == [True] * (31 - n_objects)

    @pytest.mark.parametrize(
        ("names", "n_objects"),
        [(("Mean", "SD", "n"), 7), (("SD", "Mittelwert"), 7), (("Max", "Min"), 9)],
    )
    def test_what_stands_beside_totals(self, tmp_path, names, n_objects):
        rows = [f"p{i},{i}.25,{i * i}.5" for i in range(7)]
        rows += [f"{name},3.3,4.4" for name in names]
        path = written(tmp_path / "d.csv", ["plant,h,g", *rows], ",")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            assert len(ic.read_table(path, **SAID)) == n_objects

    def test_numbers_that_may_agree_by_chance(self, tmp_path):
        """Counts of 0 and 1 have their mean, 1, and a median often."""
        rows = [f"p{i},{i % 2},{i % 3}" for i in range(7)]
        path = written(tmp_path / "d.csv", ["plant,h,g", *rows, "p7,0,1"], ",")
        assert len(ic.read_table(path, **SAID)) == 8

    def test_rows_of_an_object_are_no_total(self, tmp_path):
        rows = ["a,1.25,100", "a,3.75,300", "b,2.25,200", "b,7.25,600"]
        for id, second in (("b", [8, 2000 / 3]), ("all", [4.75, 400])):
            path = written(tmp_path / "d.csv", [ROWS[0], *rows, f"{id},14.5,1200"], ",")
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                data = ic.read_table(path, **SAID)
            assert data.ids.tolist() == ["a", "b"]
            np.testing.assert_allclose(data.mean()[1], second)

    def test_of_sheets(self, tmp_path):
        pytest.importorskip("python_calamine", reason="needs the extra io")
        rows = "".join(
            f'<row r="{i}">{cell(f"A{i}", name)}{cell(f"B{i}", value)}</row>'
            for i, (name, value) in enumerate(
                [("plant", "h"), ("a", 1), ("b", 2), ("c", 3), ("Summe", 6)], 1
            )
        )
        path = xlsx(tmp_path / "d.xlsx", rows)
        with pytest.warns(IncertaWarning, match="'Summe'"):
            assert len(ic.read_table(path, id="plant", values="h")) == 3
        assert (
            OpenTable(path, TableSpec()).profile.written == "1 row of totals left out"
        )
