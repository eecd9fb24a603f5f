"""Answers to queries, by duckdb: of a file, and of nothing else."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from incerta.backend.optional import require
from incerta.data.files.dialect import TextFormat, dialect_of
from incerta.data.files.limits import NUMBER_BYTES, refuse_size
from incerta.data.tables.roles import Roles
from incerta.exceptions import DataError, FileError

TABLE = "data"  # the name of the file in a query
DATABASES = (".duckdb", ".db")
SCANNED = {
    ".csv": "read_csv",
    ".tsv": "read_csv",
    ".txt": "read_csv",
    ".parquet": "read_parquet",
    ".json": "read_json",
    ".jsonl": "read_json",
    ".ndjson": "read_json",
}


def read_sql(
    path: Path,
    roles: Roles,
    limit: int,
    sql: str | None = None,
    said: TextFormat | None = None,
) -> Any:
    """Run a query over a file, and read the needed columns of the answer.

    The query can read that file and no other; it can write nothing, and load nothing.

    Parameters
    ----------
    path : Path
        A file that duckdb reads, or a database of duckdb's.
    roles : Roles
        Which column of the answer is what.
    limit : int
        Most bytes that duckdb and the answer may take.
    sql : str, optional
        A single SELECT. The file is the table ``data``; a database has its own tables,
        and needs no query if it is a single one.
    said : TextFormat, optional
        How a text table is written.

    Returns
    -------
    pyarrow.Table
    """
    duckdb = require("duckdb", "sql", f"reading {path.name} by a query")
    pa = require("pyarrow", "sql", f"reading {path.name} by a query")
    suffix = path.name.lower().removesuffix(".gz").rpartition(".")[2]
    is_database = f".{suffix}" in DATABASES
    if not is_database and f".{suffix}" not in SCANNED:
        msg = (
            f"sql= is for csv, parquet, JSON and duckdb files, and {path} is none of "
            "these. Convert it, or leave sql out."
        )
        raise DataError(msg)
    try:
        if is_database:
            opened = _database(duckdb, path)
        else:
            opened = _scan(duckdb, path, SCANNED[f".{suffix}"], roles, said)
        with opened as connection:
            connection.execute(f"SET memory_limit = '{max(limit, 2**20)}B'")
            connection.execute("SET lock_configuration = true")
            query = _only_table(connection, path) if sql is None else sql
            _refuse_statements(duckdb, query)
            reader = connection.sql(query).to_arrow_reader()
            columns = roles.columns(reader.schema.names)
            kept, size = [], 0
            for batch in reader:
                part = batch.select(columns)
                size += max(part.nbytes, part.num_rows * len(columns) * NUMBER_BYTES)
                refuse_size(path, size, limit)
                kept.append(part)
            table = pa.Table.from_batches(kept, schema=_part(reader.schema, columns))
    except duckdb.Error as error:
        msg = f"{path}, sql: {_in_one_line(error)}"
        raise FileError(msg) from error
    return _as_plain(pa, table)


def _settings() -> dict[str, Any]:
    return {
        "autoinstall_known_extensions": False,
        "autoload_known_extensions": False,
        "allow_community_extensions": False,
        "python_enable_replacements": False,  # variables of ours are no tables
        "temp_directory": "",
    }


def _scan(
    duckdb: Any, path: Path, function: str, roles: Roles, said: TextFormat | None
) -> Any:
    """A connection to a database in memory, that can read a single file."""
    connection = duckdb.connect(config=_settings())
    said = said or TextFormat()
    options = {
        "delim": said.separator,
        "decimal_separator": said.decimal,
        "encoding": said.encoding,
    }
    words = [f"{name} = {_quoted(given)}" for name, given in options.items() if given]
    if said.na:
        words.append(f"nullstr = ['', {', '.join(map(_quoted, said.na))}]")
    if function == "read_csv" and roles.id in dialect_of(path, None, said).names:
        # Ids are text, or station 050114 would lose its zero.
        words.append(f"types = {{{_quoted(str(roles.id))}: 'VARCHAR'}}")
    place = _quoted(str(path.absolute()))
    connection.execute(f"SET allowed_paths = [{place}]")
    connection.execute("SET enable_external_access = false")
    connection.execute(
        f"CREATE VIEW {TABLE} AS FROM {function}({', '.join([place, *words])})"
    )
    return connection


def _database(duckdb: Any, path: Path) -> Any:
    """A connection that reads a database; views in it cannot read other files."""
    with path.open("rb") as stream:
        if stream.read(16).startswith(b"SQLite format 3"):
            msg = (
                f"{path} is a database of SQLite, which is not read. Save the table as "
                "csv or parquet."
            )
            raise FileError(msg)
    settings = {**_settings(), "enable_external_access": False}
    return duckdb.connect(str(path), read_only=True, config=settings)


def _only_table(connection: Any, path: Path) -> str:
    """The query for all of a database that has a single table."""
    found = "SELECT table_name FROM information_schema.tables ORDER BY table_name"
    names = [name for (name,) in connection.execute(found).fetchall()]
    if len(names) == 1:
        return f"""SELECT * FROM "{names[0].replace('"', '""')}" """
    msg = (
        f"{path} has the tables {', '.join(map(repr, names)) or 'none'}; pass "
        "sql='select * from ...'."
    )
    raise DataError(msg)


def _refuse_statements(duckdb: Any, sql: str) -> None:
    """Refuse all but a single SELECT, which can change nothing."""
    statements = duckdb.extract_statements(sql)
    kinds = [str(one.type).rpartition(".")[2] for one in statements]
    if kinds != ["SELECT"]:
        told = f"it has {', '.join(kinds)}" if kinds else "it is empty"
        msg = f"sql={sql!r} must be a single SELECT; {told}."
        raise DataError(msg)


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def _in_one_line(error: Exception) -> str:
    """What duckdb says, without the query and the mark under it."""
    return " ".join(str(error).partition("\nLINE ")[0].split())


def _part(schema: Any, columns: Sequence[str]) -> Any:
    import pyarrow as pa

    return pa.schema([schema.field(name) for name in columns])


def _as_plain(pa: Any, table: Any) -> Any:
    """Turn numbers of fixed point, which sums and averages may be, into floats."""
    for place, field in enumerate(table.schema):
        if pa.types.is_decimal(field.type):
            column = table.column(place).cast(pa.float64())
            table = table.set_column(place, field.name, column)
    return table
