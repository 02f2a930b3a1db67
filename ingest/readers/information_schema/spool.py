"""The rows of an `information_schema` export on disk, to be read table by table."""

import sqlite3
from collections.abc import Iterator

from ingest.readers.information_schema.columns import ColumnRow

_BATCH = 1000
_COLUMNS = "catalog, schema, name, column_name, type, position, comment"
# A dump may leave out the catalog, or the schema too, where the other one has them.
_SAME_TABLE = (
    "a.name = b.name AND (a.schema = b.schema OR '' IN (a.schema, b.schema))"
    " AND (a.catalog = b.catalog OR '' IN (a.catalog, b.catalog))"
)


class SchemaSpool:
    """Columns and tables, added in any order, given out by table.

    Args:
        database: empty, and this spool's own.
    """

    def __init__(self, database: sqlite3.Connection) -> None:
        self._database = database
        self._waiting: list[tuple[str | int | None, ...]] = []
        database.execute(f"CREATE TABLE columns (number INTEGER PRIMARY KEY, {_COLUMNS})")
        database.execute(
            "CREATE TABLE tables (catalog, schema, name, comment, is_listed,"
            " PRIMARY KEY (name, schema, catalog)) WITHOUT ROWID"
        )

    def add_column(self, row: ColumnRow) -> None:
        """Keep a column, and the comment of its table if the row has it."""
        key = (row.catalog, row.schema, row.table)
        self._waiting.append((*key, row.column, row.type, row.position, row.comment))
        if row.table_comment:
            self.add_table(row, is_listed=False)
        if len(self._waiting) >= _BATCH:
            self._write()

    def add_table(self, row: ColumnRow, *, is_listed: bool) -> None:
        """Keep what is said of a table; of several comments the first counts.

        One that is listed is a table even if no column of it is added.
        """
        self._database.execute(
            "INSERT INTO tables VALUES (?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET"
            " comment = iif(comment = '', excluded.comment, comment),"
            " is_listed = max(is_listed, excluded.is_listed)",
            (row.catalog, row.schema, row.table, row.table_comment, is_listed),
        )

    def columns(self) -> Iterator[ColumnRow]:
        """Yield all columns, those of one table after each other and in their order there."""
        self._write()
        ordered = self._database.execute(
            f"SELECT {_COLUMNS} FROM columns"
            " ORDER BY catalog, schema, name, position IS NULL, position, number"
        )
        for found in ordered:
            catalog, schema, name, column, kind, position, comment = found
            yield ColumnRow(catalog, schema, name, column, kind, position, comment, "")

    def tables_without_columns(self) -> Iterator[ColumnRow]:
        """Yield the tables that are listed and of which no column was added."""
        self._write()
        self._database.execute("CREATE INDEX IF NOT EXISTS by_name ON columns (name, schema)")
        found = self._database.execute(
            "SELECT catalog, schema, name, comment FROM tables a"
            f" WHERE is_listed AND NOT EXISTS (SELECT 1 FROM columns b WHERE {_SAME_TABLE})"
            " ORDER BY catalog, schema, name"
        )
        for catalog, schema, name, comment in found:
            yield ColumnRow(catalog, schema, name, "", "", None, "", comment)

    def table_comment(self, catalog: str, schema: str, name: str) -> str:
        """Return what was said of a table, "" for nothing."""
        found = self._database.execute(
            "SELECT b.comment FROM (SELECT ? catalog, ? schema, ? name) a"
            f" JOIN tables b ON {_SAME_TABLE} WHERE b.comment <> ''"
            " ORDER BY b.schema DESC, b.catalog DESC LIMIT 1",
            (catalog, schema, name),
        ).fetchone()
        return str(found[0]) if found else ""

    def _write(self) -> None:
        self._database.executemany(
            f"INSERT INTO columns ({_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?)", self._waiting
        )
        self._waiting.clear()
