"""read(lazy=True): parquet files in partitions, and objects that lie across them."""

import pickle
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import incerta as ic
from incerta.data.files import lazy
from incerta.exceptions import DataError, FileError, IncertaWarning, MissingValueError
from tests.strategies import examples

pa = pytest.importorskip("pyarrow", reason="needs the extra io")
pq = pytest.importorskip("pyarrow.parquet", reason="needs the extra io")

SAID = {"id": "star", "values": ["a", "b"]}
KINDS = {
    "numbers": lambda ids: ids,
    "text": lambda ids: np.array([f"s{i}" for i in ids]),
    "dictionary": lambda ids: pa.array([f"s{i}" for i in ids]).dictionary_encode(),
    "dates": lambda ids: np.datetime64("2020-01-01", "us") + ids * 86_400_000_000,
}


def rows_of(ids, kind="numbers", **more):
    """Rows of the given objects, with values that are different in all rows."""
    rng = np.random.default_rng(0)
    columns = {"a": rng.normal(size=len(ids)), "b": rng.normal(size=len(ids))}
    return pa.table({"star": KINDS[kind](np.asarray(ids)), **columns, **more})


def written(folder, table, starts=(0,), row_group_size=4):
    """Write rows as files that begin at the given rows."""
    ends = [*starts[1:], len(table)]
    for number, (start, end) in enumerate(zip(starts, ends)):
        path = Path(folder) / f"{number:03}.parquet"
        part = table.slice(start, end - start)
        pq.write_table(part, path, row_group_size=row_group_size)
    return str(folder)


def sorted_by_id(data):
    return data[np.argsort(data.ids)]


@examples(30)
@given(
    counts=st.lists(st.integers(1, 9), min_size=1, max_size=20),
    row_group_size=st.integers(1, 12),
    piece_bytes=st.sampled_from([1, 200, 2**26]),
    few_rows=st.integers(1, 5),
    kind=st.sampled_from(list(KINDS)),
    cut=st.integers(0, 19),
)
def test_the_same_objects_however_files_are_cut(
    counts, row_group_size, piece_bytes, few_rows, kind, cut
):
    ids = np.repeat(np.arange(len(counts)), counts)
    weight = 1.0 + np.arange(len(ids)) % 3
    table = rows_of(ids, kind, w=weight)
    starts = sorted({0, int(np.searchsorted(ids, cut % len(counts)))})
    with pytest.MonkeyPatch.context() as patch, TemporaryDirectory() as folder:
        patch.setattr(lazy, "PIECE_BYTES", piece_bytes)
        patch.setattr(lazy, "FEW_ROWS", few_rows)
        path = written(folder, table, starts, row_group_size)
        for more in ({}, {"weight": "w"}):
            data = ic.read_table(f"{path}/*.parquet", lazy=True, **SAID, **more)
            found = pickle.loads(pickle.dumps(data)).gather()
            expected = sorted_by_id(ic.from_frame(table, **SAID, **more))
            np.testing.assert_array_equal(found.ids, expected.ids)
            np.testing.assert_array_equal(found.law.values, expected.law.values)
            np.testing.assert_array_equal(found.law.starts, expected.law.starts)
            np.testing.assert_allclose(found.mean(), expected.mean(), rtol=1e-12)
    if piece_bytes == 1:
        assert data.n_partitions >= len(table) // row_group_size


def test_tables_with_errors(tmp_path):
    errors = {"a_error": np.full(12, 0.1), "b_error": np.full(12, 0.2)}
    table = rows_of(np.arange(12)[::-1], **errors)
    path = written(tmp_path, table, (0, 4, 5, 9))
    said = {**SAID, "errors": "{}_error"}
    data = ic.read_table(path, lazy=True, **said)
    assert data.n_partitions == 4
    expected = sorted_by_id(ic.from_frame(table, **said))
    found = data.gather()
    np.testing.assert_array_equal(found.ids, expected.ids)
    np.testing.assert_array_equal(found.mean(), expected.mean())
    np.testing.assert_array_equal(found.variance(), expected.variance())
    assert found.meaning == "error"
    belief = ic.read_table(path, lazy=True, meaning="belief", **said).gather()
    assert belief.meaning == "belief"


def test_rows_without_ids_are_numbered_through_all_files(tmp_path):
    table = rows_of(np.arange(12))
    data = ic.read_table(written(tmp_path, table, (0, 5)), lazy=True, values=["a", "b"])
    found = data.gather()
    np.testing.assert_array_equal(found.ids, np.arange(12))
    np.testing.assert_array_equal(found.mean()[:, 0], table["a"].to_numpy())


def test_rows_of_an_object_that_do_not_follow_each_other(tmp_path):
    apart = rows_of([1, 1, 2, 2, 3, 3, 1, 1])
    whole = ic.read_table(written(tmp_path, apart), lazy=True, **SAID)
    assert len(whole.gather()) == 3  # within one partition they may
    for starts in ((0, 4, 6), (0, 1)):
        path = written(tmp_path, apart, starts)
        data = ic.read_table(path, lazy=True, **SAID)
        for use in (data.gather, lambda d=data: ic.UKMeans(2).fit(d)):
            with pytest.raises(DataError, match=r"object 1 has .* after the other"):
                use()


def test_paths(tmp_path):
    table = rows_of([1, 2])
    inner = tmp_path / "a" / "b"
    inner.mkdir(parents=True)
    written(inner, table)
    pq.write_table(rows_of([3]), odd := tmp_path / "c[1].PARQUET")
    for path, n_objects in (
        (tmp_path / "a", 2),  # with the folders in it
        (tmp_path / "a" / "*" / "*.parquet", 2),
        (tmp_path / "**" / "0*.parquet", 2),
        (inner / "000.parquet", 2),
        (odd, 1),
    ):
        assert len(ic.read_table(path, lazy=True, **SAID).gather()) == n_objects
    (tmp_path / "d.csv").write_text("star,a,b\n1,2,3\n")
    for path in (tmp_path / "d.csv", tmp_path / "*"):
        with pytest.raises(FileError, match=r"d\.csv is not a parquet file; lazy=True"):
            ic.read_table(path, lazy=True, **SAID)
    for path in (tmp_path / "none.parquet", tmp_path / "n*", tmp_path / "nowhere"):
        with pytest.raises(FileError, match="there is no parquet file at"):
            ic.read_table(path, lazy=True, **SAID)
    for path in (tmp_path / "a", tmp_path / "a" / "*.parquet"):
        with pytest.raises(FileError, match="lazy=True"):
            ic.read_table(path, **SAID)


@pytest.mark.parametrize(
    ("said", "message"),
    [
        ({"sample": "draw", "joint": True}, "sample='draw' cannot be used with lazy"),
        ({"meaning": "error", "batch": "night"}, "batch='night' cannot be used"),
        ({"meaning": "error"}, "meaning='error' of values without errors cannot"),
        ({"missing": "impute"}, "missing='impute'"),
        ({"missing": "infinite"}, "missing='infinite'"),
        ({"missing": "drop"}, "missing='drop'"),
        ({"weight": "w"}, r"000\.parquet: weight: "),
        ({"max_bytes": 0}, "max_bytes=0"),
    ],
)
def test_what_is_refused(tmp_path, said, message):
    path = written(tmp_path, rows_of([1, 2]))
    with pytest.raises(DataError, match=message):
        ic.read_table(path, lazy=True, **SAID, **said)


@pytest.mark.parametrize(
    ("columns", "said"),
    [
        ({"a_u": 0.2, "a_l": -0.1, "b_u": 0.3, "b_l": -0.1}, {"kind": "plusminus"}),
        ({"a_e": 0.2, "b_e": 0.1, "b_a_c": 0.5}, {"errors": "{}_e", "corr": "{}_{}_c"}),
        ({"a_e": 0.2, "b_e": 0.1}, {"errors": "{}_e", "log": "a"}),
        ({}, {"errors": None, "log": ["b"]}),
        ({"w": 2.0}, {"errors": None, "log": ["b"], "weight": "w"}),
    ],
)
def test_what_columns_mean(tmp_path, columns, said):
    more = {name: np.full(8, cell) for name, cell in columns.items()}
    table = rows_of(np.arange(8), **more)
    for name in ("a", "b"):
        number = table.column_names.index(name)
        table = table.set_column(number, name, pa.array(np.arange(8) / 7 + 0.5))
    path = written(tmp_path, table, starts=(0, 5))
    said = {**SAID, "errors": ("{}_u", "{}_l"), **said}
    pieces, data = ic.read_table(path, lazy=True, **said), ic.from_frame(table, **said)
    gathered = sorted_by_id(pieces.gather())
    assert pieces.feature_names == gathered.feature_names == data.feature_names
    np.testing.assert_allclose(gathered.mean(), data.mean())
    np.testing.assert_allclose(gathered.covariance(), data.covariance())


def test_gaps_are_infinite_errors(tmp_path):
    gaps = pa.array([1.0, None, 3.0, 4.0])
    table = rows_of(np.arange(4), e=np.ones(4), g=gaps)
    path = written(tmp_path, table)
    said = {"id": "star", "values": ["g"], "errors": "e"}
    data = ic.read_table(path, lazy=True, **said)
    with pytest.warns(IncertaWarning, match="1 value of 1 object is missing"):
        assert data.gather().law.missing().any()
    belief = ic.read_table(path, lazy=True, **said, meaning="belief")
    with pytest.raises(MissingValueError, match="1 in 'g'"):
        belief.gather()


def test_sizes(tmp_path):
    path = written(tmp_path, rows_of([1] * 40 + [2]), row_group_size=4)
    limit = 4 * 3 * 8 + 400  # a row group with what the format adds to it
    with pytest.raises(FileError, match=r"max_bytes=\d+"):
        ic.read_table(path, lazy=True, **SAID, max_bytes=10)
    data = ic.read_table(path, lazy=True, **SAID, max_bytes=limit)
    assert data.n_partitions > 1
    with pytest.raises(FileError, match=r"max_bytes=\d+"):
        data.gather()  # the first object is larger


def test_files_without_rows_and_damaged_ones(tmp_path):
    none = written(tmp_path, rows_of([]))
    with pytest.raises(FileError, match="has no rows"):
        ic.read_table(none, lazy=True, **SAID)
    pq.write_table(rows_of([1, 2]), tmp_path / "001.parquet")
    data = ic.read_table(tmp_path, lazy=True, **SAID)
    assert len(data.gather()) == 2
    pq.write_table(rows_of([3, 4], w=[1.0, np.nan]), tmp_path / "002.parquet")
    (tmp_path / "001.parquet").unlink()
    with pytest.raises(FileError, match=r"there is no file .*001\.parquet"):
        data.gather()
    said = {"id": "star", "values": ["w"]}
    with pytest.raises(MissingValueError, match="the first object is 4"):
        ic.read_table(tmp_path / "002.parquet", lazy=True, **said).gather()
    (tmp_path / "002.parquet").write_bytes(b"PAR1 and nothing else")
    with pytest.raises(FileError, match=r"002\.parquet cannot be read"):
        ic.read_table(tmp_path, lazy=True, **SAID)
