"""The tables and views of a DuckDB database, from its own catalog functions.

Its SQLAlchemy dialect lends PostgreSQL's questions about columns, which DuckDB does not understand
all of; its own functions answer with comments, for all tables at once.
"""

from collections.abc import Iterator
from itertools import groupby

from sqlalchemy import Connection, text

from ingest.readers.row import ReadItem
from ingest.readers.sql.connecting import Database
from ingest.readers.sql.table import sql_items
from polaris_search.records import Column

_BATCH = 10_000

_COLUMNS = """
    SELECT t.schema_name, t.name, t.is_view, t.comment, c.column_name, c.data_type, c.comment
    FROM (
        SELECT schema_name, table_name AS name, false AS is_view, comment, internal, database_name
        FROM duckdb_tables()
        UNION ALL
        SELECT schema_name, view_name, true, comment, internal, database_name FROM duckdb_views()
    ) t
    LEFT JOIN duckdb_columns() c
        ON c.database_name = t.database_name AND c.schema_name = t.schema_name
        AND c.table_name = t.name
    WHERE NOT t.internal AND t.database_name = current_database()
    ORDER BY t.schema_name, t.is_view, t.name, c.column_index
"""


def read_duckdb(database: Database, connection: Connection) -> Iterator[ReadItem]:
    """Yield the tables, then the views, of each schema, in the order of their names.

    Raises:
        SQLAlchemyError: the catalog cannot be read.
    """
    found = connection.execution_options(yield_per=_BATCH).execute(text(_COLUMNS))
    for (schema, _, name, comment), rows in groupby(
        found, key=lambda row: (row[0], row[2], row[1], row[3])
    ):
        columns = [Column(row[4], row[5] or None, row[6] or None) for row in rows if row[4]]
        yield from sql_items(database, schema, name, columns, comment or "")
