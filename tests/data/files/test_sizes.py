"""Files that unpack to far more than their size, and tables of very many columns."""

import io
import struct
from pathlib import Path

import numpy as np
import pytest

import incerta as ic
from incerta.data.tables.spec import TableSpec, _repeated_columns
from incerta.exceptions import DataError, FileError

MIB = 2**20


@pytest.fixture
def pa():
    pytest.importorskip("pyarrow.parquet")
    return pytest.importorskip("pyarrow")


def arrow(pa, table, packing=None, form="new_file", rows=None):
    sink = io.BytesIO()
    options = pa.ipc.IpcWriteOptions(compression=packing)
    with getattr(pa.ipc, form)(sink, table.schema, options=options) as writer:
        writer.write_table(table, max_chunksize=rows)
    return sink.getvalue()


class TestArrow:
    @pytest.mark.parametrize("form", ["new_file", "new_stream"])
    def test_packed_text_is_refused(self, pa, tmp_path, form):
        table = pa.table({"id": ["x" * 10 * MIB], "h": [1.0]})
        path = tmp_path / "t.arrow"
        path.write_bytes(arrow(pa, table, "zstd", form))
        assert path.stat().st_size < 10_000
        with pytest.raises(FileError, match="holds at least 10 MiB of needed data"):
            ic.read_table(path, id="id", values="h", max_bytes=MIB)

    @pytest.mark.parametrize("word", ["x", "x" * MIB])
    def test_words_count_once(self, pa, tmp_path, word):
        id = pa.array([word, "y"] * 500).dictionary_encode()
        path = tmp_path / "t.arrow"
        path.write_bytes(arrow(pa, pa.table({"id": id, "h": [1.0] * 1000}), rows=10))
        if len(word) < MIB:
            assert len(ic.read_table(path, id="id", values="h", max_bytes=16_100)) == 2
            return
        with pytest.raises(FileError, match=r"holds at least 1\.02 MiB"):
            ic.read_table(path, id="id", values="h", max_bytes=MIB)

    def test_what_is_read_is_validated(self, pa, tmp_path):
        """An offset of text far beyond its buffer made the process die."""
        table = pa.table({"id": ["ab", "cd"], "h": [1.0, 2.0]})
        content = arrow(pa, table)
        offsets = struct.pack("<3i", 0, 2, 4)
        place = content.index(offsets)
        path = tmp_path / "t.arrow"
        wrong = struct.pack("<3i", 0, 2**30, 2**30 + 2)
        path.write_bytes(content[:place] + wrong + content[place + 12 :])
        with pytest.raises(FileError, match="cannot be read"):
            ic.read_table(path, id="id", values="h")


class TestParquet:
    def test_all_values_count(self, pa, tmp_path):
        """Runs of one value, in columns whose names have dots or parts."""
        path = tmp_path / "t.parquet"
        table = pa.table({"a.b": [1.0] * 10_000, "c": [{"d": 1.0}] * 10_000})
        pa.parquet.write_table(table, path)
        for name in table.column_names:
            with pytest.raises(FileError, match=r"holds at least 78\.1 KiB"):
                ic.read_table(path, values=name, max_bytes=10_000)

    def test_words_are_held_once(self, pa, tmp_path):
        """Every row would have had its own copy: 600 MB, of a small file."""
        id = ["x" * 100_000, "y" * 100_000] * 3000
        path = tmp_path / "t.parquet"
        pa.parquet.write_table(pa.table({"id": id, "h": np.arange(6000.0)}), path)
        pool = pa.system_memory_pool()
        before, used = pa.default_memory_pool(), pool.max_memory()
        pa.set_memory_pool(pool)
        try:
            data = ic.read_table(path, id="id", values="h", max_bytes=MIB)
        finally:
            pa.set_memory_pool(before)
        assert len(data) == 2
        assert pool.max_memory() - used < 50 * MIB

    @pytest.mark.parametrize("place", [-4, -6])
    def test_damaged_end(self, pa, tmp_path, place):
        path = tmp_path / "t.parquet"
        pa.parquet.write_table(pa.table({"id": ["a"], "h": [1.0]}), path)
        content = bytearray(path.read_bytes())
        content[place] ^= 0xFF
        path.write_bytes(content)
        with pytest.raises(FileError, match="cannot be read"):
            ic.read_table(path, id="id", values="h")


class TestIds:
    def test_one_very_long_id(self, tmp_path):
        """All would get its room: 7.45 GiB."""
        path = tmp_path / "t.csv"
        rows = [f"a{i},{i}" for i in range(20_000)]
        path.write_text("\n".join(["id,h", "x" * 100_000 + ",1", *rows]))
        with pytest.raises(DataError, match=r"'xxxxx.*100,000 characters.*7.45 GiB"):
            ic.read_table(path, id="id", values="h")

    def test_long_ids_of_few_objects(self):
        ids = ["x" * 100_000, "y"] * 10
        assert len(
            ic.from_frame({"id": ids, "h": np.arange(20.0)}, id="id", values="h")
        )

    def test_words_that_repeat_are_not_expanded(self, pa):
        words = pa.array(["x" * 1000, "y", "x" * 1000, None])
        codes = pa.array([0, 1, 2, 0, 1])
        ids = pa.DictionaryArray.from_arrays(codes, words)
        table = pa.table({"id": ids, "h": [1.0, 2.0, 3.0, 4.0, 5.0]})
        data = ic.from_frame(table, id="id", values="h")
        assert [len(one) for one in data.ids] == [1000, 1]
        assert data.mean().ravel().tolist() == [8 / 3, 3.5]

    def test_a_null_among_the_words(self, pa):
        ids = pa.DictionaryArray.from_arrays(pa.array([0, 1]), pa.array(["x", None]))
        with pytest.raises(DataError, match="id='id' is missing in 1 row"):
            ic.from_frame(pa.table({"id": ids, "h": [1.0, 2.0]}), id="id", values="h")

    def test_an_id_that_ends_in_a_byte_of_0(self):
        with pytest.raises(DataError, match="ends in a byte of 0"):
            ic.from_frame({"id": ["a\0", "a"], "h": [1.0, 2.0]}, id="id", values="h")


def test_large_whole_numbers_are_rounded(pa):
    data = ic.from_frame(pa.table({"h": [2**53 + 1, 2**60]}), values="h")
    assert data.mean().ravel().tolist() == [2.0**53, 2.0**60]


class TestTwice:
    @pytest.mark.parametrize(
        ("name", "text"),
        [
            ("t.jsonl", '{"id": "a", "h": 1, "h": 2}'),
            ("t.json", '{"id": ["a"], "h": [1], "h": [2]}'),
        ],
    )
    def test_names_in_json(self, tmp_path, name, text):
        path = tmp_path / name
        path.write_text(text)
        with pytest.raises(FileError, match="has the name 'h' 2 times"):
            ic.read_table(path, id="id", values="h")

    @pytest.mark.parametrize("name", ["t.arrow", "t.parquet"])
    def test_columns(self, pa, tmp_path, name):
        table = pa.table([["a"], [1.0], [2.0]], names=["id", "h", "h"])
        path = tmp_path / name
        if name == "t.arrow":
            path.write_bytes(arrow(pa, table))
        else:
            pa.parquet.write_table(table, path)
        with pytest.raises(FileError, match="has 2 columns named 'h'"):
            ic.read_table(path, id="id", values="h")

    def test_a_logarithm(self):
        table = {"m": [1.0, 2.0], "log10(m)": [3.0, 4.0]}
        with pytest.raises(DataError, match=r"would be named 'log10\(m\)'"):
            ic.from_frame(table, values=["m", "log10(m)"], log="m")


class Name(str):
    """Text that counts how often it is compared."""

    compared = 0
    __hash__ = str.__hash__

    def __eq__(self, other):
        Name.compared += 1
        return str.__eq__(self, other)


def test_columns_are_found_in_linear_time():
    n = 2000
    values = [Name(f"g{i}") for i in range(n)]
    errors = {Name(f"g{i}"): Name(f"g{i}_error") for i in range(n)}
    known = [*(Name(f"g{i}") for i in range(n)), *map(Name, errors.values())]
    Name.compared = 0
    spec = TableSpec.of(values=values, errors=errors, log=values)
    assert len(spec.columns(known)) == 2 * n
    assert len(set(spec.features)) == n
    assert Name.compared < 50 * n


def test_repeats_are_found_in_linear_time():
    tried = 0

    class Column(str):
        def __getitem__(self, key):
            nonlocal tried
            tried += 1
            return str.__getitem__(self, key)

    n = 500
    known = [Column(f"g{i}_{j}") for i in range(n) for j in (1, 2)]
    found = _repeated_columns("{}_*", [f"g{i}" for i in range(n)], known)
    assert found[7] == {"1": "g7_1", "2": "g7_2"}
    assert tried < 20 * len(known)


RAGGED = {
    "short": "id,h,g\na,1,2\nb,5\nc,3,4\n",
    "shorter": "id,h,g\na,1,2\nb\nc,3,4\n",
    "short at the end": "id,h,g\na,1,2\nc,3",
    "long": "id,h,g\na,1,2\nb,5,6,7\n",
    "spaces": "id,h,g\na,1,2\n  \nb,3,4\n",
    "quotes": 'id,h,g\na,1,2\n""\nb,3,4\n',
    "not needed, short": "id,h,g,note\na,1,2,x\nb,3,4\n",
    "not needed, long": "id,h,g,note\na,1,2,x\nb,3,4,y,z\n",
    "open quote": 'id,h,g,note\na,1,2,x\nb,3,4,"y',
}
EVEN = {
    "blank": "id,h,g\na,1,2\n\nb,3,4\n",
    "blank at the end": "id,h,g\na,1,2\nb,3,4\n\n\n",
    "blank at first": "id,h,g\n\na,1,2\nb,3,4\n",
    "blank on Windows": "id,h,g\r\na,1,2\r\n\r\nb,3,4\r\n",
    "a quote inside": 'id,h,g,note\na,1,2,5" x\nb,3,4,x\n',
    "line ends of two kinds": "id,h,g\na,1,2\rb,3,4\n",
}


@pytest.mark.usefixtures("library")
class TestTextReadersAgree:
    @pytest.mark.parametrize("case", RAGGED)
    def test_uneven_rows_are_refused(self, tmp_path, case):
        path = Path(tmp_path) / "t.csv"
        path.write_bytes(RAGGED[case].encode())
        said = (
            "cannot be read" if case == "open quote" else r"line \d: \d columns?; the"
        )
        with pytest.raises(FileError, match=said):
            ic.read_table(path, id="id", values=["h", "g"])

    @pytest.mark.parametrize("case", EVEN)
    def test_blank_lines_are_none(self, tmp_path, case):
        path = Path(tmp_path) / "t.csv"
        path.write_bytes(EVEN[case].encode())
        data = ic.read_table(path, id="id", values=["h", "g"])
        assert data.ids.tolist() == ["a", "b"]
        assert data.mean().tolist() == [[1, 2], [3, 4]]
