"""read: every format, damaged files, sizes."""

import builtins
import gzip
import os
import sys
from pathlib import Path

import numpy as np
import pytest

import incerta as ic
from incerta.data.files import text as text_files
from incerta.data.files.opened import OpenTable
from incerta.data.tables.spec import TableSpec
from incerta.exceptions import (
    DataError,
    FileError,
    IncertaWarning,
    MissingExtraError,
    MissingValueError,
)

TEXT = (
    "station,note,temp,rain,temp_error\n"
    '007,"a, b",1.5,10,0.1\n'
    '007,"two\nlines",2.5,20,0.2\n'
    "012,,8.0,30,0.5\n"
)
SAID = {"id": "station", "values": ["temp", "rain"]}


def write(path, text):
    if path.suffix == ".gz":
        path.write_bytes(gzip.compress(text.encode()))
    else:
        path.write_text(text, encoding="utf-8", newline="")
    return path


class TestCsv:
    @pytest.mark.parametrize(
        "name", ["d.csv", "d.CSV", "d.csv.gz", "d.tsv", "d.tsv.gz"]
    )
    def test_long_form(self, tmp_path, library, name):
        text = TEXT
        if "tsv" in name:
            text = TEXT.replace('"a, b"', "a").replace(",", "\t")
        data = ic.read_table(write(tmp_path / name, text), **SAID)
        assert data.ids.tolist() == ["007", "012"]
        np.testing.assert_allclose(data.mean(), [[2.0, 15.0], [8.0, 30.0]])

    def test_wide_form(self, tmp_path, library):
        path = write(tmp_path / "d.csv", "i,x,e\n1,1.0,0.1\n2,2.0,\n3,3,0.7\n")
        with pytest.raises(MissingValueError, match="1 in 'e'; the first object is 2"):
            ic.read_table(path, id="i", values="x", errors="e", missing="error")
        with pytest.warns(IncertaWarning, match="1 missing error "):
            data = ic.read_table(path, id="i", values="x", errors="e", missing="impute")
        np.testing.assert_allclose(data.variance().ravel(), [0.01, 0.25, 0.49])

    @pytest.mark.parametrize(
        ("ids", "expected"),
        [
            (["10", "9"], [10, 9]),
            (["-3", "0"], [-3, 0]),
            (["007", "8"], ["007", "8"]),
            (["1.0", "2"], ["1.0", "2"]),
            (["1_0", "2"], ["1_0", "2"]),
            (["NA", "nan"], ["NA", "nan"]),
            (["99999999999999999999", "1"], ["99999999999999999999", "1"]),
            (["ä", "日本"], ["ä", "日本"]),
        ],
    )
    def test_ids_stay_what_they_are(self, tmp_path, library, ids, expected):
        path = write(tmp_path / "d.csv", f"i,x\n{ids[0]},1.0\n{ids[1]},2.0\n")
        assert ic.read_table(path, id="i", values="x").ids.tolist() == expected

    def test_empty_id(self, tmp_path, library):
        path = write(tmp_path / "d.csv", "i,x\na,1.0\n,2.0\n")
        with pytest.raises(MissingValueError, match="id='i' is empty in line 3"):
            ic.read_table(path, id="i", values="x")

    @pytest.mark.parametrize("mark", text_files.MISSING)
    def test_marks_of_missing_values(self, tmp_path, library, mark):
        path = write(tmp_path / "d.csv", f"i,x\na,1.0\nb,{mark}\n")
        with pytest.raises(MissingValueError, match="1 in 'x'; the first object is b"):
            ic.read_table(path, id="i", values="x")

    def test_a_cell_that_is_no_number(self, tmp_path, library):
        path = write(tmp_path / "d.csv", "i,x\na,1.0\nb,\nc,much\n")
        with pytest.raises(DataError, match=r"column 'x' .* line 4, object c: 'much'"):
            ic.read_table(path, id="i", values="x")

    def test_joint_draws(self, tmp_path, library):
        path = write(tmp_path / "d.csv", "i,m,x\na,jan,1\nb,jan,2\na,feb,3\nb,feb,4\n")
        data = ic.read_table(path, id="i", values="x", sample="m", joint=True)
        np.testing.assert_array_equal(data.worlds(2)[1].ravel(), [3.0, 4.0])

    def test_mark_of_the_byte_order(self, tmp_path, library):
        path = write(tmp_path / "d.csv", "\ufeffi,x\n1,1.0\n2,2.0\n")
        assert ic.read_table(path, id="i", values="x").ids.tolist() == [1, 2]

    def test_windows_lines(self, tmp_path, library):
        path = write(tmp_path / "d.csv", "i,x\r\n1,1.0\r\n2,2.0\r\n")
        assert ic.read_table(path, id="i", values="x").ids.tolist() == [1, 2]

    def test_ragged_lines(self, tmp_path, library):
        path = write(tmp_path / "d.csv", "i,x\n1,1.0\n2,2.0,3.0\n")
        with pytest.raises(FileError, match=r"d\.csv"):
            ic.read_table(path, id="i", values="x")

    def test_header_alone(self, tmp_path, library):
        path = write(tmp_path / "d.csv", "i,x\n")
        with pytest.raises((DataError, FileError), match=r"no rows|empty"):
            ic.read_table(path, id="i", values="x")

    def test_line_breaks_across_blocks(self, tmp_path):
        rows = "".join(f'{i},"{"long text" * 20}\n{i}",{i}.5\n' for i in range(20_000))
        path = write(tmp_path / "d.csv", "i,note,x\n" + rows)
        data = ic.read_table(path, id="i", values="x")
        np.testing.assert_array_equal(data.mean().ravel(), np.arange(20_000) + 0.5)

    def test_libraries_agree(self, tmp_path, request):
        rng = np.random.default_rng(0)
        rows = "".join(
            f"s{i},{x:.17g},{y:.3g}\n"
            for i, (x, y) in zip(
                rng.integers(9, size=300), rng.normal(size=(300, 2)), strict=True
            )
        )
        path = write(tmp_path / "d.csv", "i,x,y\n" + rows)
        pytest.importorskip("pyarrow")
        fast = ic.read_table(path, id="i", values=["x", "y"])
        request.getfixturevalue("no_pyarrow")
        plain = ic.read_table(path, id="i", values=["x", "y"])
        assert plain.ids.tolist() == fast.ids.tolist()
        np.testing.assert_array_equal(plain.law.values, fast.law.values)

    @pytest.mark.parametrize(
        ("text", "message"),
        [
            ("i,x,x\n1,2,3\n", "has 2 columns named 'x'"),
            ("i,y\n1,2\n", "values: there is no column 'x'"),
        ],
    )
    def test_headers(self, tmp_path, text, message):
        path = write(tmp_path / "d.csv", text)
        with pytest.raises((DataError, FileError), match=message):
            ic.read_table(path, id="i", values="x")

    def test_not_utf8(self, tmp_path, library):
        path = tmp_path / "d.csv"
        path.write_bytes("i,größe\nä,1\n".encode("latin-1"))
        with pytest.warns(IncertaWarning, match=r"d\.csv is not UTF-8.*encoding="):
            data = ic.read_table(path, id="i", values="größe")
        assert data.ids.tolist() == ["ä"]
        assert ic.read_table(path, id="i", values="größe", encoding="latin-1").ids == [
            "ä"
        ]
        with pytest.raises(FileError, match=r"cannot be read as utf-8.*encoding="):
            ic.read_table(path, id="i", values="größe", encoding="utf-8")

    def test_not_utf8_far_below(self, tmp_path, library):
        path = tmp_path / "d.csv"
        rows = "".join(f"{i},1.5\n" for i in range(20_000))
        path.write_bytes(f"i,x\n{rows}ä,2.5\n".encode("latin-1"))
        with pytest.warns(IncertaWarning, match=r"d\.csv is not UTF-8"):
            data = ic.read_table(path, id="i", values="x")
        assert data.ids[-1] == "ä"


@pytest.fixture
def table():
    pa = pytest.importorskip("pyarrow")
    return pa.table(
        {
            "station": ["a", "a", "b"],
            "temp": [1.5, 2.5, 8.0],
            "rain": [10, 20, 30],
            "note": ["x" * 1000] * 3,
        }
    )


def write_table(path, table, **options):
    feather = pytest.importorskip("pyarrow.feather")
    ipc = pytest.importorskip("pyarrow.ipc")
    if path.suffix == ".parquet":
        pytest.importorskip("pyarrow.parquet").write_table(table, path, **options)
    elif path.suffix == ".ipc":
        with ipc.new_stream(path, table.schema) as writer:
            writer.write_table(table)
    else:
        feather.write_feather(table, path, **options)
    return path


BINARY = ["d.parquet", "d.arrow", "d.feather", "d.ipc"]


class TestBinary:
    @pytest.mark.parametrize("name", BINARY)
    def test_round_trip(self, tmp_path, table, name):
        data = ic.read_table(write_table(tmp_path / name, table), **SAID)
        assert data.ids.tolist() == ["a", "b"]
        np.testing.assert_allclose(data.mean(), [[2.0, 15.0], [8.0, 30.0]])

    @pytest.mark.parametrize("name", BINARY)
    def test_columns_in_another_order(self, tmp_path, table, name):
        path = write_table(tmp_path / name, table)
        data = ic.read_table(path, id="station", values=["rain", "temp"])
        np.testing.assert_allclose(data.mean()[1], [30.0, 8.0])

    @pytest.mark.parametrize("name", BINARY)
    def test_unknown_column(self, tmp_path, table, name):
        path = write_table(tmp_path / name, table)
        with pytest.raises(DataError, match="no column 'tmp'; did you mean 'temp'"):
            ic.read_table(path, id="station", values="tmp")

    @pytest.mark.parametrize("name", BINARY)
    def test_size_of_needed_columns_alone_counts(self, tmp_path, table, name):
        pa = pytest.importorskip("pyarrow")
        many = pa.concat_tables([table] * 500)
        path = write_table(tmp_path / name, many)
        with pytest.raises(FileError, match=r"at least .* KiB.*max_bytes="):
            ic.read_table(path, **SAID, max_bytes=10_000)
        assert len(ic.read_table(path, **SAID, max_bytes=100_000)) == 2

    @pytest.mark.parametrize("name", ["d.parquet", "d.feather"])
    def test_packed_zeros_are_refused_before_they_are_unpacked(self, tmp_path, name):
        pa = pytest.importorskip("pyarrow")
        zeros = pa.table({"x": np.zeros(1_000_000)})
        path = write_table(tmp_path / name, zeros, compression="zstd")
        assert path.stat().st_size < 100_000
        with pytest.raises(FileError, match=r"7\.63 MiB.*limit of 977 KiB"):
            ic.read_table(path, values="x", max_bytes=1_000_000)

    @pytest.mark.parametrize("name", BINARY)
    @pytest.mark.parametrize("part", [0.3, 0.9])
    def test_truncated(self, tmp_path, table, name, part):
        path = write_table(tmp_path / name, table)
        content = path.read_bytes()
        path.write_bytes(content[: int(len(content) * part)])
        with pytest.raises(FileError, match=f"{name} cannot be read"):
            ic.read_table(path, **SAID)

    @pytest.mark.parametrize("name", [*BINARY, "d.csv.gz"])
    def test_foreign(self, tmp_path, name):
        if name not in ("d.csv.gz", "d.nc"):
            pytest.importorskip("pyarrow", reason="the file is read by pyarrow")
        path = tmp_path / name
        path.write_bytes(b"this is not what it says" * 100)
        with pytest.raises(FileError, match=f"{name} cannot be read"):
            ic.read_table(path, **SAID)

    @pytest.mark.parametrize("name", ["d.parquet", "d.arrow", "d.nc"])
    def test_without_the_library(self, tmp_path, name, monkeypatch):
        path = tmp_path / name
        path.write_bytes(b"x")
        given = builtins.__import__

        def no_library(module, *rest):
            if module.partition(".")[0] in ("pyarrow", "xarray"):
                raise ImportError(module)
            return given(module, *rest)

        for module in list(sys.modules):
            if module.partition(".")[0] in ("pyarrow", "xarray"):
                monkeypatch.setitem(sys.modules, module, None)
        monkeypatch.setattr(builtins, "__import__", no_library)
        with pytest.raises(MissingExtraError, match=r"incerta\[io\]"):
            ic.read_table(path, **SAID)


class TestNetcdf:
    @pytest.fixture(params=["h5netcdf", "scipy"])
    def path(self, request, tmp_path):
        xr = pytest.importorskip("xarray")
        pytest.importorskip("h5py" if request.param == "h5netcdf" else "scipy")
        draws = np.arange(12.0).reshape(2, 3, 2)
        dataset = xr.Dataset(
            {
                "t2m": (("member", "station"), draws[:, :, 0]),
                "rain": (("station", "member"), draws[:, :, 1].T),
                "both": (("station", "member", "level"), np.moveaxis(draws, 0, 1)),
            },
            coords={"station": [11, 12, 13]},
        )
        path = tmp_path / "d.nc"
        dataset.to_netcdf(path, engine=request.param)
        return path

    def test_variables_are_features(self, path):
        said = {"id": "station", "sample": "member", "joint": True}
        data = ic.read_table(path, **said, values=["t2m", "rain"])
        assert data.joint
        assert data.ids.tolist() == [11, 12, 13]
        np.testing.assert_array_equal(data.worlds(2)[1], [[6, 7], [8, 9], [10, 11]])
        other = ic.read_table(path, **said, values="both")
        np.testing.assert_array_equal(other.worlds(2)[1], data.worlds(2)[1])

    def test_what_does_not_fit(self, path):
        with pytest.raises(DataError, match="values: there is no variable 't2'"):
            ic.read_table(path, id="station", sample="member", joint=True, values="t2")
        with pytest.raises(DataError, match="to the one that holds the draws"):
            ic.read_table(path, id="station", values="t2m")
        with pytest.raises(FileError, match="max_bytes="):
            ic.read_table(
                path,
                id="station",
                sample="member",
                joint=True,
                values="t2m",
                max_bytes=10,
            )

    def test_damaged(self, path):
        path.write_bytes(path.read_bytes()[:100])
        with pytest.raises(FileError, match=r"d\.nc cannot be read"):
            ic.read_table(path, id="station", sample="member", joint=True, values="t2m")
        path.write_bytes(b"something else")
        with pytest.raises(FileError, match="is not a netCDF file: it starts with"):
            ic.read_table(path, id="station", sample="member", joint=True, values="t2m")

    def test_as_a_table(self, tmp_path):
        xr = pytest.importorskip("xarray")
        table = xr.Dataset({"x": ("star", [1.0, 2.0]), "e": ("star", [0.1, 0.2])})
        table.to_netcdf(tmp_path / "d.nc", engine="scipy")
        data = ic.read_table(tmp_path / "d.nc", values="x", errors="e")
        np.testing.assert_allclose(data.variance().ravel(), [0.01, 0.04])


class TestPathsAndSizes:
    def test_no_such_file(self, tmp_path):
        with pytest.raises(FileError, match=r"there is no file .*none\.csv"):
            ic.read_table(tmp_path / "none.csv", **SAID)

    def test_folder(self, tmp_path):
        (tmp_path / "d.csv").mkdir()
        with pytest.raises(FileError, match=r"d\.csv"):
            ic.read_table(tmp_path / "d.csv", **SAID)

    def test_unknown_extension(self, tmp_path):
        with pytest.raises(
            FileError, match=r"unknown extension.*\.parquet.*from_frame"
        ):
            ic.read_table(tmp_path / "d.doc", **SAID)

    def test_database(self, tmp_path):
        way_out = r"Save the table as parquet or csv, or pass a frame of duckdb to from"
        with pytest.raises(FileError, match=rf"is a database, .*{way_out}"):
            ic.read_table(tmp_path / "d.duckdb", **SAID)

    @pytest.mark.parametrize("name", ["d.csv", "d.csv.gz", "d.parquet", "d.nc"])
    def test_empty_file(self, tmp_path, name):
        (tmp_path / name).touch()
        with pytest.raises(FileError, match="is empty"):
            ic.read_table(tmp_path / name, **SAID)

    def test_large_csv(self, tmp_path):
        path = write(tmp_path / "d.csv", TEXT)
        size = path.stat().st_size
        with pytest.raises(FileError, match=f"limit of 50 bytes.*max_bytes={size}"):
            ic.read_table(path, **SAID, max_bytes=50)
        assert len(ic.read_table(path, **SAID, max_bytes=size)) == 2

    def test_gzip_bomb(self, tmp_path):
        path = tmp_path / "d.csv.gz"
        path.write_bytes(gzip.compress(b"station,temp,rain\n" + b"a,1,1\n" * 2_000_000))
        assert path.stat().st_size < 100_000
        with pytest.raises(FileError, match="more than the limit of 977 KiB"):
            ic.read_table(path, **SAID, max_bytes=1_000_000)

    def test_truncated_gzip(self, tmp_path):
        path = write(tmp_path / "d.csv.gz", TEXT * 50)
        path.write_bytes(path.read_bytes()[:-20])
        with pytest.raises(FileError, match="cannot be read"):
            ic.read_table(path, **SAID)

    def test_limit_must_be_positive(self, tmp_path):
        path = write(tmp_path / "d.csv", TEXT)
        with pytest.raises(DataError, match="max_bytes=0 must be above 0"):
            ic.read_table(path, **SAID, max_bytes=0)


def test_bounds_the_wrong_way_round_are_named():
    if "INCERTA_DATA" not in os.environ:
        pytest.skip("INCERTA_DATA is not set: no folder with the published intervals")
    path = Path(os.environ["INCERTA_DATA"]) / "fungi_interval.csv.gz"
    bounds = {f"x{j}": (f"l{j}", f"h{j}") for j in range(5)}
    said = {"id": "object", "values": list(bounds), "errors": bounds}
    wrong = r"column 'l1', line 19, object 17: 5.0 is above the 1.0 in 'h1'; swap"
    with pytest.raises(DataError, match=wrong):
        ic.read_table(path, kind="interval", **said)


def test_rows_become_lines_and_are_counted(tmp_path):
    path = tmp_path / "bounds.csv"
    path.write_text('id,low,high\n\n"a\nb",1,2\nc,3,1\nd,5,2\n')
    said = {"values": "x", "errors": ("low", "high"), "kind": "interval"}
    with pytest.raises(DataError, match=r"line 5, object c: 3.0 .* \(2 such rows in"):
        ic.read_table(path, id="id", **said)
    with pytest.raises(DataError, match=r"column 'low', line 5: 3.0 is above"):
        ic.read_table(path, **said)


def test_a_row_with_line_breaks_is_named_by_its_first_line(tmp_path):
    path = tmp_path / "bounds.csv"
    path.write_text('id,low,high\na,1,2\n"b\nc\nd",3,1\n')
    said = {"values": "x", "errors": ("low", "high"), "kind": "interval"}
    with pytest.raises(DataError, match=r"column 'low', line 3: 3.0 is above"):
        ic.read_table(path, **said)


@pytest.mark.parametrize("last", ["151", "0151", "+151", "1e3", " 151", "-0", "NA"])
def test_ids_that_begin_as_whole_numbers_are_kept_as_written(tmp_path, last):
    path = tmp_path / "many.csv"
    ids = [*map(str, range(1, 151)), last]
    lines = [f"{id},{place % 7}.5" for place, id in enumerate(ids)]
    path.write_text("\n".join(["id,x", *lines, ""]))
    table = OpenTable(path, TableSpec())
    assert table._parsed.text("id") == ids
    data = table.data(TableSpec(id="id", values=("x",)))
    assert list(map(str, data.ids.tolist())) == ids
