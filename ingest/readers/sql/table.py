"""A table as a database describes it, as a raw table or a report; whatever system it is."""

from collections.abc import Iterator, Sequence

from ingest.readers.comments import column_comments, filled
from ingest.readers.row import ReadItem, placed_items
from ingest.readers.sql.connecting import Database, what_failed
from ingest.rejected import Rejected
from polaris_search.records import Column, RawTable


def table_id_in(database: Database, schema: str, name: str) -> str:
    """Return the id of a table: database.schema.table, without what there is none of."""
    return ".".join(part for part in (database.name, schema, name) if part)


def sql_items(
    database: Database, schema: str, name: str, columns: Sequence[Column], comment: str
) -> Iterator[ReadItem]:
    """Yield the table, or the report of one that cannot be taken."""
    table_id = table_id_in(database, schema, name)

    def make() -> RawTable:
        context = {"comment": comment, "column_comments": column_comments(columns)}
        return RawTable(
            table_id=table_id,
            name=name,
            columns=tuple(columns),
            context=filled(context),
            database=database.name or None,
            schema=schema,
            format="sql",
        )

    yield from placed_items(make, database.shown, f"{schema}.{name}", table_id)


def refused(
    database: Database, problem: str, error: Exception, table_id: str | None = None
) -> Rejected:
    """Return the report of what the database does not let be inspected."""
    remedy = "Check that the user may read it and that it still works."
    return Rejected(database.shown, None, f"{problem} ({what_failed(error)})", remedy, table_id)
