import json

import numpy as np
import pytest

import incerta as ic
from incerta.exceptions import DataError, FileError

duckdb = pytest.importorskip("duckdb", reason="needs the extra sql")
pytest.importorskip("pyarrow", reason="needs the extra sql")


SECRET = 8_675_309_424_242  # in no name of a folder, which messages may show


@pytest.fixture
def folder(tmp_path):
    """The same table in several formats, and a secret beside it."""
    rows = [("007", 1.0, 2.0), ("008", 3.0, 4.0), ("009", 5.0, 10.0)]
    lines = [f"{name},{x},{y}" for name, x, y in rows]
    (tmp_path / "d.csv").write_text("\n".join(["st,x,y", *lines]) + "\n")
    (tmp_path / "secret.csv").write_text(f"x\n{SECRET}\n")
    records = [dict(zip(("st", "x", "y"), row)) for row in rows]
    (tmp_path / "d.jsonl").write_text("\n".join(map(json.dumps, records)))
    with duckdb.connect(str(tmp_path / "d.duckdb")) as made:
        made.execute("CREATE TABLE data (st VARCHAR, x DOUBLE, y DECIMAL(9, 2))")
        made.executemany("INSERT INTO data VALUES (?, ?, ?)", rows)
        made.execute(f"COPY data TO '{tmp_path / 'd.parquet'}'")
    return tmp_path


FORMATS = ["d.csv", "d.jsonl", "d.parquet", "d.duckdb"]
QUERY = "SELECT st, x / y AS ratio, y FROM data WHERE x > 1 ORDER BY x DESC;"


@pytest.mark.parametrize("file", FORMATS)
def test_reads(folder, file):
    data = ic.read(folder / file, sql=QUERY, id="st", values=["ratio", "y"])
    assert data.ids.tolist() == ["009", "008"]
    np.testing.assert_array_equal(data.mean(), [[0.5, 10], [0.75, 4]])


def test_a_text_table_as_it_is_written(folder):
    (folder / "e.csv").write_text("id;x\n1;2,5\n2;lost\n3;-999\n")
    said = {"sep": ";", "decimal": ",", "na": ["lost", "-999"]}
    query = "SELECT id, x * 2 AS x FROM data WHERE x IS NOT NULL"
    data = ic.read(folder / "e.csv", sql=query, id="id", values="x", **said)
    assert (data.ids.tolist(), data.mean().tolist()) == ([1], [[5.0]])


def test_databases(folder):
    data = ic.read(folder / "d.duckdb", id="st", values="x")
    assert data.n_objects == 3
    with duckdb.connect(str(folder / "d.duckdb")) as made:
        made.execute(f"CREATE VIEW w AS FROM read_csv('{folder / 'secret.csv'}')")
    with pytest.raises(DataError, match="has the tables 'data', 'w'; pass sql="):
        ic.read(folder / "d.duckdb", values="x")
    with pytest.raises(FileError, match="sql: Permission Error: Cannot access file"):
        ic.read(folder / "d.duckdb", values="x", sql="FROM w")
    (folder / "lite.db").write_bytes(b"SQLite format 3\0" + b"\0" * 100)
    with pytest.raises(FileError, match="is a database of SQLite, which is not read"):
        ic.read(folder / "lite.db", values="x")


# What a query must not do; {} is a folder with secret.csv in it.
FORBIDDEN = [
    "FROM '{}/secret.csv'",
    "FROM read_csv('{}/secret.csv')",
    "FROM read_text('{}/secret.csv')",
    "FROM read_blob('{}/secret.csv')",
    "FROM glob('{}/*')",
    "FROM sniff_csv('{}/secret.csv')",
    "FROM read_parquet('https://example.org/x.parquet')",
    "SELECT content AS x FROM query('FROM read_text(''{}/secret.csv'')')",
    "FROM secret",
    "COPY (SELECT 1 AS x) TO '{}/written.csv'",
    "COPY (SELECT 1 AS x) TO '{}/d.csv'",
    "ATTACH '{}/written.duckdb'",
    "EXPORT DATABASE '{}/written'",
    "INSTALL httpfs",
    "LOAD httpfs",
    "SET enable_external_access = true",
    "CREATE TABLE t AS SELECT 1",
    "PRAGMA database_list",
    "SELECT 1 AS x; SELECT 2 AS x",
    "",
]


@pytest.mark.parametrize(
    ("file", "queries"), [("d.csv", FORBIDDEN), ("d.duckdb", FORBIDDEN[:12:4])]
)
def test_forbidden(folder, file, queries):
    secret = SECRET  # variables of the program are no tables
    before = {path: path.read_bytes() for path in folder.iterdir()}
    for query in queries:
        with pytest.raises((DataError, FileError)) as failed:
            ic.read(folder / file, sql=query.format(folder), values="x")
        assert "\n" not in str(failed.value)
        assert str(secret) not in str(failed.value).partition("sql: ")[2]
    assert {path: path.read_bytes() for path in folder.iterdir()} == before


@pytest.mark.parametrize(
    "query", ["COPY (SELECT 1 AS x) TO '{}/d.csv'", "ATTACH '{}/w.duckdb'", "LOAD json"]
)
def test_forbidden_by_duckdb_itself(folder, query, monkeypatch):
    from incerta.data.files import sql

    monkeypatch.setattr(sql, "_refuse_statements", lambda *args: None)
    before = (folder / "d.csv").read_bytes()
    with pytest.raises((DataError, FileError)):
        ic.read(folder / "d.csv", sql=query.format(folder), values="x")
    assert (folder / "d.csv").read_bytes() == before
    assert not (folder / "w.duckdb").exists()


def test_messages(folder):
    with pytest.raises(FileError, match=r"d.csv, sql: .* Did you mean \"data\"\?$"):
        ic.read(folder / "d.csv", sql="FROM dat", values="x")
    with pytest.raises(DataError, match="must be a single SELECT; it has DROP"):
        ic.read(folder / "d.csv", sql="DROP VIEW data", values="x")
    with pytest.raises(DataError, match="values: there is no column 'z'"):
        ic.read(folder / "d.csv", sql="FROM data", values="z")
    with pytest.raises(DataError, match="sql= cannot be used with lazy=True"):
        ic.read(folder / "d.parquet", sql="FROM data", values="x", lazy=True)


def test_too_large(folder):
    query = "SELECT range::DOUBLE AS x FROM range(1_000_000)"
    with pytest.raises(FileError, match=r"max_bytes|Out of Memory"):
        ic.read(folder / "d.csv", sql=query, values="x", max_bytes=2**20)


@pytest.mark.parametrize("file", FORMATS)
def test_damaged(folder, file):
    whole = (folder / file).read_bytes()
    rng = np.random.default_rng(0)
    for content in (whole[: len(whole) // 2], rng.bytes(300), b"\0" * 300):
        (folder / f"1{file}").write_bytes(content)
        try:
            ic.read(folder / f"1{file}", sql="FROM data", values="x")
        except (DataError, FileError) as error:
            told = str(error)
        else:
            told = ""
        assert "\n" not in told
